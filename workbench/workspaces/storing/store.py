"""Where a workspace keeps what it holds: `Store`, and `MemoryStore` for one that ends with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Protocol, runtime_checkable

from workbench.scores.table import DataTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.draws import DRAW
from workbench.workspaces.seen.record import SeenRecord

#: Draws of each page whose settings are kept: every move of a slider makes another draw.
MOST_DRAW_STATES = 20


@dataclass(frozen=True)
class Entry:
    """A data set, and when it was removed.

    Parameters
    ----------
    dataset : DataSet
    removed : datetime or None
        None while it is there.
    """

    dataset: DataSet
    removed: datetime | None = None


@runtime_checkable
class Store(Protocol):
    """What a `Workspace` asks of the place where it keeps things."""

    @property
    def where(self) -> str:
        """The place, as people say it."""

    @property
    def problem(self) -> str:
        """What is wrong, what was kept and what to do; "" if nothing is."""

    @property
    def waiting(self) -> bool:
        """Whether changes are in memory only that belong on a disk."""

    def version(self) -> object:
        """A value that changes with every change of data sets or of the current one."""

    def entries(self) -> dict[str, Entry]:
        """All data sets by key, oldest first, removed ones included."""

    def add(self, entry: Entry, tables: Sequence[DataTable]) -> None:
        """Keep a data set with its tables; if it is there, only content that is damaged."""

    def update(self, entry: Entry) -> None:
        """Keep what is now known of a data set."""

    def forget(self, key: str) -> None:
        """Delete a data set, its tables and the settings of pages for it."""

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set."""

    def current(self) -> str | None:
        """The key that was chosen last."""

    def choose(self, key: str | None) -> None:
        """Keep the choice."""

    def state(self, page: str, key: str) -> dict[str, Any] | None:
        """The settings of a page for a data set."""

    def keep_state(self, page: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the settings of a page for a data set."""

    def seen(self, digest: str) -> SeenRecord | None:
        """What was shown of a data set."""

    def sketched(self) -> Sequence[SeenRecord]:
        """What was shown of the data sets whose rows can be recognized."""

    def keep_seen(self, seen: SeenRecord, make: bool = True) -> SeenRecord:
        """Add to what was shown of a data set; where there is no place yet, only if ``make``."""

    def keep_file(self, digest: str, name: str, content: bytes) -> None:
        """Keep a file under the SHA-256 of its content."""

    def file(self, digest: str) -> bytes | None:
        """The content of a file."""

    def purge_files(self) -> None:
        """Delete the files that no page mentions in its settings."""

    def size(self) -> int:
        """Bytes of all tables and files, of removed data sets, too."""

    def flush(self) -> None:
        """Write what is not written yet."""

    def close(self) -> None:
        """Flush, and let go of the place, which is opened again when it is used again."""


class MemoryStore:
    """A store in the memory of this process."""

    where = "in the memory of this server"
    problem = ""
    waiting = False

    def __init__(self) -> None:
        self._version = 0
        self._entries: dict[str, Entry] = {}
        self._tables: dict[str, tuple[DataTable, ...]] = {}
        self._current: str | None = None
        self._states: dict[tuple[str, str], str] = {}
        self._files: dict[str, bytes] = {}
        self._seen: dict[str, SeenRecord] = {}

    def version(self) -> object:
        """A number that grows with every change."""
        return self._version

    def entries(self) -> dict[str, Entry]:
        """All data sets by key, oldest first."""
        return dict(self._entries)

    def add(self, entry: Entry, tables: Sequence[DataTable]) -> None:
        """Keep a data set with its tables; those that are there already stay.

        Parameters
        ----------
        entry : Entry
        tables : sequence of DataTable
        """
        self._tables.setdefault(entry.dataset.key, tuple(tables))
        self.update(entry)

    def update(self, entry: Entry) -> None:
        """Keep what is now known of a data set."""
        if self._entries.get(entry.dataset.key) != entry:
            self._entries[entry.dataset.key] = entry
            self._version += 1

    def forget(self, key: str) -> None:
        """Delete a data set, its tables and the settings of pages for it."""
        self._entries.pop(key, None)
        self._tables.pop(key, None)
        self._states = {at: kept for at, kept in self._states.items() if at[1] != key}
        self._version += 1

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set."""
        return self._tables[key]

    def tables_or_none(self, key: str) -> tuple[DataTable, ...] | None:
        """The tables of a data set, or None."""
        return self._tables.get(key)

    def emptied(self) -> MemoryStore:
        """A store without anything, of a later version."""
        empty = MemoryStore()
        empty._version = self._version + 1
        empty._seen = self._seen  # also what the disk has not
        return empty

    def current(self) -> str | None:
        """The key that was chosen last."""
        return self._current

    def choose(self, key: str | None) -> None:
        """Keep the choice."""
        self._current = key
        self._version += 1

    def state(self, page: str, key: str) -> dict[str, Any] | None:
        """The settings of a page for a data set, or None.

        Parameters
        ----------
        page, key : str
        """
        kept = self._states.get((page, key))
        return None if kept is None else json.loads(kept)

    def keep_state(self, page: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the settings of a page for a data set; of draws, only the last few.

        Parameters
        ----------
        page, key : str
        settings : dict
            Of JSON values.
        """
        self._states.pop((page, key), None)
        self._states[page, key] = json.dumps(settings)
        if key.startswith(DRAW):
            drawn = [at for at in self._states if at[0] == page and at[1].startswith(DRAW)]
            for at in drawn[:-MOST_DRAW_STATES]:
                del self._states[at]

    def seen(self, digest: str) -> SeenRecord | None:
        """What was shown of a data set, or None.

        Parameters
        ----------
        digest : str
        """
        return self._seen.get(digest)

    def sketched(self) -> Sequence[SeenRecord]:
        """What was shown of the data sets whose rows can be recognized."""
        return [one for one in self._seen.values() if one.sketch is not None]

    def keep_seen(self, seen: SeenRecord, make: bool = True) -> SeenRecord:
        """Add to what was shown of a data set.

        Parameters
        ----------
        seen : SeenRecord
        make : bool
            Not used: memory is always there.
        """
        known = self._seen.get(seen.digest)
        self._seen[seen.digest] = found = seen if known is None else known.merged(seen)
        return found

    def keep_file(self, digest: str, name: str, content: bytes) -> None:
        """Keep a file.

        Parameters
        ----------
        digest : str
            SHA-256 of the content.
        name : str
            Not used: a name is for people who look into a folder.
        content : bytes
        """
        self._files[digest] = content

    def file(self, digest: str) -> bytes | None:
        """The content of a file, or None."""
        return self._files.get(digest)

    def purge_files(self) -> None:
        """Delete the files that no page mentions in its settings."""
        said = "\n".join(self._states.values())
        self._files = {digest: kept for digest, kept in self._files.items() if digest in said}

    def size(self) -> int:
        """Bytes of all tables and files, about."""
        tables = sum(map(tables_size, self._tables.values()))
        return tables + sum(map(len, self._files.values()))

    def flush(self) -> None:
        """Nothing: memory needs no writing."""

    def close(self) -> None:
        """Nothing: memory is freed with the workspace."""


def tables_size(tables: Sequence[DataTable]) -> int:
    """Bytes that the columns of tables take, about: 8 for each text."""
    return sum(column.nbytes for table in tables for column in table.columns.values())


def file_hash(content: bytes) -> str:
    """The SHA-256 of a file's content, as 64 hexadecimal digits."""
    return sha256(content).hexdigest()
