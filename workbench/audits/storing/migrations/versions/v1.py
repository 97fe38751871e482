"""Version 1: audits, plans and series, and the triggers that keep them as they were written."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None
branch_labels = None
depends_on = None

#: Tables whose rows never change.
_FIXED = ("audits", "cards", "figures", "contents", "attachments", "plans", "plan_uses", "series")

#: Tables with a row per audit, or several, and the column that has its key.
_OF_AN_AUDIT = {"audits": "key", "cards": "audit", "figures": "audit", "attachments": "audit"}

#: Tables whose rows stay.
_LASTING = ("plans", "plan_uses", "series", "series_audits")

_CHANGED = "what was saved is never changed: save a new version"
_DELETED = "what was saved is deleted only after it was removed"
_KEPT = "plans and series are kept"
_FILLED = "a position of a series is given once"


def upgrade() -> None:
    """Make the tables and the triggers."""
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "audits",
        sa.Column("position", number, primary_key=True, autoincrement=True),
        sa.Column("key", sa.Text, unique=True, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False, index=True),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in (
                *("name", "note", "page", "title", "made", "saved", "by", "previous", "first"),
                "series",
            )
        ),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("series_position", sa.Integer, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("audits_versions", "audits", ["first", "position"])
    op.create_table("cards", _audit(), sa.Column("card", sa.Text, nullable=False))
    op.create_table(
        "figures",
        _audit(),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "contents",
        sa.Column("sha256", sa.Text, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "attachments",
        _audit(),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, sa.ForeignKey("contents.sha256"), nullable=False, index=True),
    )
    op.create_table(
        "removals",
        sa.Column("audit", sa.Text, primary_key=True),
        sa.Column("removed", sa.Text, nullable=False),
    )
    op.create_table(
        "plans",
        sa.Column("position", number, primary_key=True, autoincrement=True),
        sa.Column("key", sa.Text, unique=True, nullable=False),
        sa.Column("sha256", sa.Text, unique=True, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "plan_uses",
        sa.Column("position", number, primary_key=True, autoincrement=True),
        sa.Column("plan", sa.Text, sa.ForeignKey("plans.key"), nullable=False),
        sa.Column("data_sha256", sa.Text, nullable=False),
        sa.Column("used", sa.Text, nullable=False),
        sa.Column("unseen", sa.Boolean, nullable=False),
        sa.UniqueConstraint("plan", "data_sha256"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "series",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("confidence", sa.Double, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
    )
    op.create_table(
        "series_audits",
        sa.Column("series", sa.Text, sa.ForeignKey("series.name"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("data_sha256", sa.Text, nullable=False),
        sa.Column("confidence", sa.Double, nullable=False),
        sa.Column("audit", sa.Text),
        sa.Column("reserved_at", sa.Text, nullable=False),
        sa.UniqueConstraint("series", "data_sha256"),
    )
    for statement in _triggers(op.get_bind().dialect.name):
        op.execute(statement)


def _audit() -> sa.Column[str]:
    return sa.Column("audit", sa.Text, sa.ForeignKey("audits.key"), primary_key=True)


def _triggers(dialect: str) -> list[str]:
    refuse = _refuse_on_postgresql if dialect == "postgresql" else _refuse_on_sqlite
    found = []
    for table in _FIXED:
        found += refuse(table, "UPDATE", _CHANGED)
    for table, column in _OF_AN_AUDIT.items():
        removed = f"EXISTS (SELECT 1 FROM removals WHERE removals.audit = OLD.{column})"
        found += refuse(table, "DELETE", _DELETED, f"NOT {removed}")
    for table in _LASTING:
        found += refuse(table, "DELETE", _KEPT)
    same = [f'OLD."{name}" = NEW."{name}"' for name in ("series", "position", "data_sha256")]
    first = " AND ".join([*same, "OLD.confidence = NEW.confidence", "OLD.audit IS NULL"])
    found += refuse("series_audits", "UPDATE", _FILLED, f"NOT ({first})")
    return [*found, *(_refuse_to_empty(table) for table in _FIXED if dialect == "postgresql")]


def _refuse_on_sqlite(table: str, change: str, why: str, unless: str = "1") -> list[str]:
    return [
        f"CREATE TRIGGER {table}_{change.lower()} BEFORE {change} ON {table} WHEN {unless} "
        f"BEGIN SELECT RAISE(ABORT, '{why}'); END"
    ]


def _refuse_on_postgresql(table: str, change: str, why: str, unless: str = "true") -> list[str]:
    name, row = f"{table}_{change.lower()}", "NEW" if change == "UPDATE" else "OLD"
    return [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {unless} THEN RAISE EXCEPTION '{why}'; END IF; RETURN {row}; END $$",
        f"CREATE TRIGGER {name} BEFORE {change} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


def _refuse_to_empty(table: str) -> str:
    """The trigger that refuses TRUNCATE, by the function that refuses every change."""
    return (
        f"CREATE TRIGGER {table}_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT "
        f"EXECUTE FUNCTION {table}_update()"
    )
