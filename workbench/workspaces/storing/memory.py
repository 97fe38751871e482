"""`MemoryStore`: a store that ends with the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench import _json
from workbench.scores.table import DataTable
from workbench.workspaces.draws import DRAW
from workbench.workspaces.seen.record import SeenRecord
from workbench.workspaces.storing.store import MOST_DRAW_STATES, Entry, tables_size


class MemoryStore:
    """A store in the memory of this process; see `workbench.workspaces.storing.store.Store`."""

    where = "in the memory of this server"
    problem = ""
    waiting = False

    def __init__(self) -> None:
        self.states = MemoryStates()
        self.datasets = MemoryDataSets(self.states)
        self.seen = MemorySeen()
        self.files = MemoryFiles(self.states)

    def emptied(self) -> MemoryStore:
        """A store of a later version without anything but what was seen: the disk may lack it."""
        empty = MemoryStore()
        empty.datasets.changes = self.datasets.changes + 1
        empty.seen = self.seen
        return empty

    def size(self) -> int:
        """Bytes of all tables and files, about."""
        return self.datasets.size() + self.files.size()

    def flush(self) -> None:
        """Nothing: memory needs no writing."""

    def close(self) -> None:
        """Nothing: memory is freed with the workspace."""


class MemoryStates:
    """The settings of pages for data sets, as JSON."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get(self, page: str, key: str) -> dict[str, Any] | None:
        """The settings of a page for a data set, or None."""
        kept = self.kept.get((page, key))
        return None if kept is None else _json.loads(kept)

    def put(self, page: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the settings of a page for a data set; of draws, only the last few."""
        self.kept.pop((page, key), None)
        self.kept[page, key] = _json.dumps_ascii(settings)
        if key.startswith(DRAW):
            drawn = [at for at in self.kept if at[0] == page and at[1].startswith(DRAW)]
            for at in drawn[:-MOST_DRAW_STATES]:
                del self.kept[at]

    def forget(self, key: str) -> None:
        """Delete the settings of all pages for a data set."""
        self.kept = {at: kept for at, kept in self.kept.items() if at[1] != key}


class MemoryDataSets:
    """Data sets with their tables, and the current one; ``changes`` counts what changed."""

    def __init__(self, states: MemoryStates) -> None:
        self._states, self.changes = states, 0
        self._entries: dict[str, Entry] = {}
        self._tables: dict[str, tuple[DataTable, ...]] = {}
        self._current: str | None = None

    def version(self) -> object:
        """A number that grows with every change."""
        return self.changes

    def all(self) -> dict[str, Entry]:
        """All data sets by key, oldest first."""
        return dict(self._entries)

    def add(self, entry: Entry, tables: Sequence[DataTable]) -> None:
        """Keep a data set with its tables; those that are there already stay."""
        self._tables.setdefault(entry.dataset.key, tuple(tables))
        self.update(entry)

    def update(self, entry: Entry) -> None:
        """Keep what is now known of a data set."""
        if self._entries.get(entry.dataset.key) != entry:
            self._entries[entry.dataset.key] = entry
            self.changes += 1

    def forget(self, key: str) -> None:
        """Delete a data set, its tables and the settings of pages for it."""
        self._entries.pop(key, None)
        self._tables.pop(key, None)
        self._states.forget(key)
        self.changes += 1

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set."""
        return self._tables[key]

    def tables_or_none(self, key: str) -> tuple[DataTable, ...] | None:
        """The tables of a data set, or None."""
        return self._tables.get(key)

    def current(self) -> str | None:
        """The key that was chosen last."""
        return self._current

    def choose(self, key: str | None) -> None:
        """Keep the choice."""
        self._current = key
        self.changes += 1

    def size(self) -> int:
        """Bytes of all tables, about."""
        return sum(map(tables_size, self._tables.values()))


class MemorySeen:
    """What was shown of which data."""

    def __init__(self) -> None:
        self._kept: dict[str, SeenRecord] = {}

    def get(self, digest: str) -> SeenRecord | None:
        """What was shown of a data set, or None."""
        return self._kept.get(digest)

    def sketched(self) -> Sequence[SeenRecord]:
        """What was shown of the data sets whose rows can be recognized."""
        return [one for one in self._kept.values() if one.sketch is not None]

    def put(self, seen: SeenRecord, make: bool = True) -> SeenRecord:
        """Add to what was shown of a data set; memory is always there, whatever ``make`` is."""
        known = self._kept.get(seen.digest)
        self._kept[seen.digest] = found = seen if known is None else known.merged(seen)
        return found


class MemoryFiles:
    """Files by the SHA-256 of their content."""

    def __init__(self, states: MemoryStates) -> None:
        self._states = states
        self._kept: dict[str, bytes] = {}

    def get(self, digest: str) -> bytes | None:
        """The content of a file, or None."""
        return self._kept.get(digest)

    def put(self, digest: str, name: str, content: bytes) -> None:
        """Keep a file; nobody looks for its name here."""
        self._kept[digest] = content

    def purge(self) -> None:
        """Delete the files that no page mentions in its settings."""
        mentioned = "\n".join(self._states.kept.values())
        self._kept = {digest: kept for digest, kept in self._kept.items() if digest in mentioned}

    def size(self) -> int:
        """Bytes of all files."""
        return sum(map(len, self._kept.values()))
