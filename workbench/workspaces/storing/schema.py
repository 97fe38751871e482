"""The tables of a workspace on disk, and rows as data sets."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Column, Integer, MetaData, Table, Text, UniqueConstraint, insert

from workbench import _json
from workbench.storing.schema import DatabaseSchema
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.reading import Reading
from workbench.workspaces.seen.record import SeenRecord
from workbench.workspaces.sources import source_from_dict
from workbench.workspaces.storing.entry import Entry

#: Version of the database: the newest of `migrations`.
REVISION = "3"

METADATA = MetaData()

DATASETS = Table(
    "datasets",
    METADATA,
    Column("position", Integer, primary_key=True),
    Column("key", Text, unique=True, nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("source", Text, nullable=False),  # JSON, as are reading, declared and files
    Column("reading", Text, nullable=False),
    Column("declared", Text),
    Column("reread", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("n_p", Integer, nullable=False),
    Column("n_q", Integer, nullable=False),
    Column("created", Text, nullable=False),
    Column("removed", Text),
    Column("files", Text, nullable=False),  # hashes of the parquet files, members first
    Column("claim", Text, nullable=False, server_default=""),
    sqlite_autoincrement=True,
)

#: Columns of `DATASETS` that older databases lack, and the version that added each.
ADDED_IN = {"claim": 3}

STATES = Table(
    "states",
    METADATA,
    Column("position", Integer, primary_key=True),
    Column("page", Text, nullable=False),
    Column("dataset", Text, nullable=False),
    Column("settings", Text, nullable=False),
    UniqueConstraint("page", "dataset"),
    sqlite_autoincrement=True,
)

FILES = Table(
    "files",
    METADATA,
    Column("sha256", Text, primary_key=True),
    Column("name", Text, nullable=False),
)

#: What was shown of which data; since version 2.
SEEN = Table(
    "seen",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("record", Text, nullable=False),  # JSON, as is the sketch
    Column("sketch", Text),
)

#: What there is one of: the key of the data set in view.
SETTINGS = Table(
    "settings",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text),
)


#: Statements that keep a row in place of one that has its key.
PUT_STATE, PUT_FILE, PUT_SEEN, PUT_SETTING = (
    insert(table).prefix_with("OR REPLACE") for table in (STATES, FILES, SEEN, SETTINGS)
)

WORKSPACE_SCHEMA = DatabaseSchema(
    METADATA, REVISION, "workbench.workspaces.storing.migrations", alone=True, readable="1"
)


def row_of(entry: Entry) -> dict[str, Any]:
    """The columns of a data set, without its files."""
    dataset = entry.dataset
    return {
        "key": dataset.key,
        "kind": dataset.kind,
        "name": dataset.name,
        "source": _json.dumps_ascii(dataset.source.to_dict()),
        "reading": _json.dumps_ascii(dataset.reading.to_dict()),
        "declared": None
        if dataset.declared is None
        else _json.dumps_ascii(dataset.declared.to_dict()),
        "reread": dataset.reread,
        "claim": dataset.claim,
        "sha256": dataset.sha256,
        "n_p": dataset.n_p,
        "n_q": dataset.n_q,
        "created": dataset.created.isoformat(),
        "removed": None if entry.removed is None else entry.removed.isoformat(),
    }


def entry_of(row: Any) -> Entry:
    """The data set of a row.

    Raises
    ------
    ValueError
        Columns that cannot be read.
    """
    declared = None if row.declared is None else Reading.from_dict(_json.loads(row.declared))
    dataset = DataSet(
        key=row.key,
        name=row.name,
        source=source_from_dict(_json.loads(row.source)),
        reading=Reading.from_dict(_json.loads(row.reading)),
        sha256=row.sha256,
        n_p=row.n_p,
        n_q=row.n_q,
        created=datetime.fromisoformat(row.created),
        reread=row.reread,
        declared=declared,
        claim=getattr(row, "claim", ""),  # not in older databases that cannot be written
    )
    removed = None if row.removed is None else datetime.fromisoformat(row.removed)
    return Entry(dataset, removed)


def row_of_seen(seen: SeenRecord) -> dict[str, Any]:
    """The columns of what was shown of a data set."""
    sketch = None if seen.sketch is None else _json.dumps_ascii(seen.sketch.to_json())
    return {"digest": seen.digest, "record": _json.dumps_ascii(seen.to_json()), "sketch": sketch}


def seen_of(row: Any) -> SeenRecord:
    """What was shown of the data set of a row."""
    sketch = None if row.sketch is None else _json.loads(row.sketch)
    return SeenRecord.from_json(row.digest, _json.loads(row.record), sketch)
