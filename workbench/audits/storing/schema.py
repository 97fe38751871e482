"""The tables of audits, plans and series.

Rows of audits, cards, figures, attachments, contents, plans and uses of plans are written once:
`triggers` refuse changes, and let only those audits be deleted that were removed before. Text that
may hold any character (NUL, unpaired surrogates) is stored as JSON in ASCII, because PostgreSQL
takes neither.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
)

from workbench.audits.storing.triggers import triggers
from workbench.storing.schema import DatabaseSchema

#: Version of the database: the newest of `migrations`.
REVISION = "2"

METADATA = MetaData()

#: SQLite counts rows in columns that are called INTEGER only.
_NUMBER = BigInteger().with_variant(Integer, "sqlite")


def _position() -> Column[int]:
    """A number that grows with every row, and is never given twice."""
    return Column("position", _NUMBER, primary_key=True, autoincrement=True)


AUDITS = Table(
    "audits",
    METADATA,
    _position(),
    Column("key", Text, unique=True, nullable=False),
    Column("sha256", Text, nullable=False, index=True),  # of the card
    Column("name", Text, nullable=False),
    Column("note", Text, nullable=False),  # its beginning
    Column("page", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("made", Text, nullable=False),  # ISO 8601, as all times
    Column("saved", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("previous", Text, nullable=False),
    Column("first", Text, nullable=False),  # key of the first of all versions
    Column("version", Integer, nullable=False),  # from 1
    Column("series", Text, nullable=False),
    Column("series_position", Integer, nullable=False),
    Column("about", Text, nullable=False),  # JSON: tags, names of data, first numbers
    Column("words", Text, nullable=False),  # in lower case: what a search looks in
    Column("imported", Text),  # when; "" for one made here, null where version 1 did not say
    Column("imported_by", Text),
    Index("audits_versions", "first", "position"),
    sqlite_autoincrement=True,
)

CARDS = Table(
    "cards",
    METADATA,
    Column("audit", Text, ForeignKey(AUDITS.c.key), primary_key=True),
    Column("card", Text, nullable=False),  # JSON in ASCII
)

FIGURES = Table(
    "figures",
    METADATA,
    Column("audit", Text, ForeignKey(AUDITS.c.key), primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),  # JSON, compressed by zlib
)

CONTENTS = Table(
    "contents",
    METADATA,
    Column("sha256", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

ATTACHMENTS = Table(
    "attachments",
    METADATA,
    Column("audit", Text, ForeignKey(AUDITS.c.key), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),  # JSON
    Column("data", Text, nullable=False),
    Column("sha256", Text, ForeignKey(CONTENTS.c.sha256), nullable=False, index=True),
)

#: Audits that were removed and not yet purged.
REMOVALS = Table(
    "removals",
    METADATA,
    Column("audit", Text, primary_key=True),
    Column("removed", Text, nullable=False),
)

#: Keys of audits that were purged; no other audit gets one of them.
PURGED = Table("purged", METADATA, Column("key", Text, primary_key=True))

PLANS = Table(
    "plans",
    METADATA,
    _position(),
    Column("key", Text, unique=True, nullable=False),
    Column("sha256", Text, unique=True, nullable=False),
    Column("created", Text, nullable=False),
    Column("plan", Text, nullable=False),  # JSON in ASCII
    sqlite_autoincrement=True,
)

PLAN_USES = Table(
    "plan_uses",
    METADATA,
    _position(),
    Column("plan", Text, ForeignKey(PLANS.c.key), nullable=False),
    Column("data_sha256", Text, nullable=False),
    Column("used", Text, nullable=False),
    Column("unseen", Boolean, nullable=False),  # whether no result was shown before
    UniqueConstraint("plan", "data_sha256"),
    sqlite_autoincrement=True,
)

SERIES = Table(
    "series",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("confidence", Double, nullable=False),
    Column("created", Text, nullable=False),
)

SERIES_AUDITS = Table(
    "series_audits",
    METADATA,
    Column("series", Text, ForeignKey(SERIES.c.name), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("data_sha256", Text, nullable=False),
    Column("confidence", Double, nullable=False),
    Column("audit", Text),  # null until it is saved
    Column("reserved_at", Text, nullable=False),
    UniqueConstraint("series", "data_sha256"),
)

AUDITS_SCHEMA = DatabaseSchema(METADATA, REVISION, "workbench.audits.storing.migrations")


@event.listens_for(METADATA, "after_create")
def _make_triggers(metadata: MetaData, connection: Connection, **_: object) -> None:
    for statement in triggers(connection.dialect.name):
        connection.exec_driver_sql(statement)
