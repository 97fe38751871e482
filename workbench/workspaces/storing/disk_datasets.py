"""`DiskDataSets`: the data sets of a workspace on disk, with their tables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from workbench import _json
from workbench.scores.table import DataTable
from workbench.storing.rows import UNREADABLE, require_sound
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.storing.database import WorkspaceDatabase
from workbench.workspaces.storing.entry import Entry
from workbench.workspaces.storing.files import ContentFiles, is_hash
from workbench.workspaces.storing.parquet import from_parquet, to_parquet
from workbench.workspaces.storing.schema import (
    ADDED_IN,
    DATASETS,
    PUT_SETTING,
    REVISION,
    SETTINGS,
    STATES,
    entry_of,
    row_of,
)

_CURRENT = "current"


class DiskDataSets:
    """The data sets of a workspace on disk, and the current one.

    Parameters
    ----------
    database : WorkspaceDatabase
    contents : ContentFiles
        The tables, as parquet files.
    shown : str
        What messages call the folder, where those who read them do not have the disk; else "".
    """

    def __init__(self, database: WorkspaceDatabase, contents: ContentFiles, shown: str):
        self._database, self._contents, self._shown = database, contents, shown
        self._count = 0
        self._known: tuple[dict[str, Entry], str | None] = ({}, None)
        self._read_at: object = None

    def version(self) -> object:
        """A number that changes with data sets and the current one, whoever changes them."""
        self._refresh()
        return self._count

    def all(self) -> dict[str, Entry]:
        """All data sets by key, oldest first."""
        self._refresh()
        return dict(self._known[0])

    def add(self, entry: Entry, tables: Sequence[DataTable]) -> None:
        """Keep a data set with its tables; if it is there, only content that is damaged."""
        self.add_contents(entry, [to_parquet(table) for table in tables])

    def add_contents(self, entry: Entry, contents: Sequence[bytes]) -> None:
        """Keep a data set with its tables, as `to_parquet` makes them; see `add`."""
        self._database.require_writable()
        with self._database.reported():
            for content in contents:  # now, because others wait while a transaction is open
                self._contents.write(content)
        with self._database.writing() as connection:
            row = self._row(connection, entry.dataset.key)
            if row is not None and self._are_whole(row.files):
                files = row.files
            else:  # again, in case another program has deleted them meanwhile
                files = _json.dumps_ascii([self._contents.write(content) for content in contents])
            self._put(connection, entry, files)

    def update(self, entry: Entry) -> None:
        """Keep what is now known of a data set."""
        with self._database.writing() as connection:
            row = self._row(connection, entry.dataset.key)
            if row is not None:  # else another program has deleted it
                self._put(connection, entry, row.files)

    def forget(self, key: str) -> None:
        """Delete a data set, its tables and the settings of pages for it."""
        with self._database.writing() as connection:
            self._read_at = None
            row = self._row(connection, key)
            connection.execute(delete(DATASETS).where(DATASETS.c.key == key))
            connection.execute(delete(STATES).where(STATES.c.dataset == key))
            if row is not None:
                others = self.used_tables(connection)
                with suppress(*UNREADABLE):
                    for digest in _digests(row.files):
                        if others is not None and digest not in others:
                            self._contents.delete(digest)

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set.

        Raises
        ------
        WorkspaceError
            A file of it is missing or damaged.
        """
        with self._database.reading() as connection:
            row = self._row(connection, key)
        if row is None:
            raise WorkspaceError(
                f"there is no data set {key!r} {self._database.where} any more: another program "
                "has deleted it"
            )
        with self._database.decoding(f"the data set {key!a}"):
            require_sound(row, self._columns)
            digests = _digests(row.files)
        return tuple(self._table(row.name, digest) for digest in digests)

    def current(self) -> str | None:
        """The key that was chosen last."""
        self._refresh()
        return self._known[1]

    def choose(self, key: str | None) -> None:
        """Keep the choice."""
        with self._database.writing() as connection:
            self._read_at = None
            connection.execute(PUT_SETTING, {"name": _CURRENT, "value": key})

    def used_tables(self, connection: Connection) -> set[str] | None:
        """Hashes of the tables of all data sets; None where a damaged row may name more."""
        used: set[str] = set()
        try:
            for files in connection.scalars(select(DATASETS.c.files)):
                used.update(_digests(files))
        except UNREADABLE:
            return None
        return used

    # -- steps --------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Read data sets and the current one again, if somebody may have changed them."""
        version = self._database.data_version()
        if version == self._read_at:
            return
        with self._database.reading() as connection:
            self._database.require_known(connection)
            asked = select(*self._columns).order_by(DATASETS.c.position)
            rows = connection.execute(asked).all()
            chosen = select(SETTINGS.c.value).where(SETTINGS.c.name == _CURRENT)
            current = connection.scalar(chosen)
        entries = {}
        self._database.problem = ""
        for row in rows:
            with self._database.unless_damaged(f"the data set {row.name!a}"):
                require_sound(row, self._columns)
                entries[row.key] = entry_of(row)
        if (entries, current) != self._known:
            self._known = (entries, current)
            self._count += 1
        self._read_at = version

    @property
    def _columns(self) -> list[Any]:
        """The columns; an older database that cannot be written lacks later ones."""
        version = int(self._database.version or REVISION)
        return [one for one in DATASETS.c if ADDED_IN.get(one.name, 1) <= version]

    def _row(self, connection: Connection, key: str) -> Any:
        asked = select(*self._columns).where(DATASETS.c.key == key)
        return connection.execute(asked).first()

    def _put(self, connection: Connection, entry: Entry, files: str) -> None:
        self._read_at = None
        values = {**row_of(entry), "files": files}
        there = update(DATASETS).where(DATASETS.c.key == entry.dataset.key)
        if not connection.execute(there.values(values)).rowcount:
            connection.execute(insert(DATASETS).values(values))

    def _are_whole(self, files: object) -> bool:
        """Whether the column of a data set names files that are all there."""
        try:
            digests = _digests(files)
        except UNREADABLE:
            return False
        return all(self._contents.read(digest) is not None for digest in digests)

    def _table(self, name: str, digest: str) -> DataTable:
        with self._database.reported():
            content = self._contents.read(digest)
        if content is None:
            place = f"a file in {self._shown}" if self._shown else self._contents.path(digest)
            raise WorkspaceError(
                f"the scores of {name!r} cannot be read: {place} is missing or damaged. Nothing "
                "else is lost: add the same file again to repair it, or remove the data set"
            )
        return from_parquet(content)


def _digests(files: object) -> list[str]:
    """The hashes that a row names."""
    found = _json.loads(files) if isinstance(files, str) else None
    if not isinstance(found, list) or not all(map(is_hash, found)):
        raise ValueError("it names no files")
    return found
