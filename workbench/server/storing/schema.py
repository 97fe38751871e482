"""The tables of the server's database.

Times are seconds since 1970. Passwords are stored as Argon2 hashes; the ids of sign-ins and the
tokens of links as SHA-256, so that nobody who reads the file can use them.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Double,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from workbench.storing.schema import DatabaseSchema

#: Version of the database: the newest of `migrations`.
REVISION = "3"

METADATA = MetaData()

PEOPLE = Table(
    "people",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("folded", Text, unique=True, nullable=False),  # the name, as names are compared
    Column("role", Text, nullable=False),
    Column("password", Text),  # Argon2 hash; null for somebody who signs in elsewhere
    Column("provider", Text),  # of OAuth
    Column("subject", Text),  # who they are there
    Column("created", Double, nullable=False),
    UniqueConstraint("provider", "subject"),
)

SIGN_INS = Table(
    "sign_ins",
    METADATA,
    Column("id_hash", Text, primary_key=True),
    Column(
        "person", Text, ForeignKey(PEOPLE.c.key, ondelete="CASCADE"), nullable=False, index=True
    ),
    Column("created", Double, nullable=False),
    Column("used", Double, nullable=False),
    Column("agent", Text, nullable=False),  # the browser, shortened
)

#: Browsers of the owner of the workspace on this computer.
OWNER_SIGN_INS = Table(
    "owner_sign_ins",
    METADATA,
    Column("id_hash", Text, primary_key=True),
    Column("person", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("used", Double, nullable=False),
    Column("agent", Text, nullable=False),  # the browser, shortened
)

#: Tickets of the owner that were used, until they end.
TICKETS = Table(
    "tickets",
    METADATA,
    Column("hash", Text, primary_key=True),
    Column("until", Double, nullable=False),
)

SHARES = Table(
    "shares",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("token_hash", Text, unique=True),  # of a link
    Column("owner", Text, nullable=False, index=True),  # key of a person
    Column("kind", Text, nullable=False),  # "data" or "audit"
    Column("key", Text, nullable=False),  # of the data set or the audit
    Column("to_kind", Text, nullable=False),  # "person", "everyone" or "link"
    Column("to_person", Text, index=True),  # key of a person
    Column("created", Double, nullable=False),
    Column("expires", Double),
    Column("revoked", Double),
    Column("opened", Integer, nullable=False),  # how often a link was
    Column("link", Text, index=True),  # id of the link that the person accepted
)

SERVER_SCHEMA = DatabaseSchema(METADATA, REVISION, "workbench.server.storing.migrations")
