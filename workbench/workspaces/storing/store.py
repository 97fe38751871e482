"""`Store`: where a workspace keeps things, in memory and on the disk that it has, if it has one.

It has four parts: data sets, settings of pages, what was seen, files. Each keeps in memory what the
disk does not take, and reads what is in memory before what is on the disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench import _json
from workbench.scores.table import DataTable
from workbench.workspaces.draws import DRAW
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.seen.record import SeenRecord
from workbench.workspaces.storing.entry import MOST_DRAW_STATES, Entry, tables_size
from workbench.workspaces.storing.guarded import GuardedDisk

if TYPE_CHECKING:
    from workbench.workspaces.storing.disk import DiskStore


class Store:
    """Where a workspace keeps things.

    Parameters
    ----------
    disk : GuardedDisk, optional
        Without one, everything ends with the program.
    """

    def __init__(self, disk: GuardedDisk | None = None):
        self.disk = disk = GuardedDisk() if disk is None else disk
        self.states = StoredPageStates(disk)
        self.datasets = DataSets(disk, self.states)
        self.seen = SeenRecords(disk)
        self.files = Files(disk, self.states)
        disk.caught_up = self._empty
        disk.wake()

    @property
    def where(self) -> str:
        """The place, as people say it: memory, where the disk cannot be used."""
        return self.disk.where

    @property
    def problem(self) -> str:
        """What is wrong, what was kept and what to do; "" if nothing is."""
        return self.disk.problem

    @property
    def waiting(self) -> bool:
        """Whether changes are in memory only that belong on a disk."""
        return bool(self.disk.waiting)

    def size(self) -> int:
        """Bytes of all tables and files, of removed data sets, too."""
        on_disk = self.disk.read(lambda disk: disk.size(), 0)
        return self.datasets.size() + self.files.size() + on_disk

    def flush(self) -> None:
        """Write what is not written yet."""
        self.disk.flush()

    def close(self) -> None:
        """Flush, and let go of the disk, which is opened again when it is used again."""
        self.disk.close()

    def _empty(self) -> None:
        """Drop what the disk has now; what was seen stays, because the disk may lack some."""
        self.datasets.empty()
        self.states.kept = {}
        self.files.kept = {}


class StoredPageStates:
    """The settings of pages for data sets."""

    def __init__(self, disk: GuardedDisk):
        self._disk = disk
        self.kept: dict[tuple[str, str], str] = {}  # JSON

    def get(self, page: str, key: str) -> dict[str, Any] | None:
        """The settings of a page for a data set, or None."""
        kept = self.kept.get((page, key))
        if kept is not None:
            return _json.loads(kept)
        return self._disk.read(lambda disk: disk.states.get(page, key), None)

    def put(self, page: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the settings of a page, JSON values, for a data set; of draws, only the last few."""

        def keep() -> None:
            self.kept.pop((page, key), None)
            self.kept[page, key] = _json.dumps_ascii(settings)
            if key.startswith(DRAW):
                drawn = [at for at in self.kept if at[0] == page and at[1].startswith(DRAW)]
                for at in drawn[:-MOST_DRAW_STATES]:
                    del self.kept[at]

        name = ("state", page, key)
        self._disk.write(name, lambda disk: disk.states.put(page, key, settings), keep)

    def forget(self, key: str) -> None:
        """Drop the settings of all pages for a data set from memory."""
        self.kept = {at: kept for at, kept in self.kept.items() if at[1] != key}


class DataSets:
    """The data sets with their tables, and which of them is the current one."""

    def __init__(self, disk: GuardedDisk, states: StoredPageStates):
        self._disk, self._states = disk, states
        self._changes = 0
        self._forgotten: set[str] = set()
        self.empty()

    def empty(self) -> None:
        """Drop what is in memory."""
        self._changes += 1
        self._forgotten.clear()
        self._entries: dict[str, Entry] = {}
        self._tables: dict[str, tuple[DataTable, ...]] = {}
        self._chosen: tuple[str | None] | None = None

    def version(self) -> object:
        """A value that changes with every change of data sets or of the current one.

        It is asked for often: what is waiting is written here, if the disk takes it again.
        """
        self._disk.catch_up()
        return self._disk.read(lambda disk: disk.datasets.version(), None), self._changes

    def all(self) -> dict[str, Entry]:
        """All data sets by key, oldest first, removed ones included; those that wait come last."""
        both = self._disk.known_entries() | self._entries
        return {key: entry for key, entry in both.items() if key not in self._forgotten}

    def add(self, entry: Entry, tables: Sequence[DataTable]) -> None:
        """Keep a data set with its tables; if it is there, only content that is damaged."""
        key = entry.dataset.key
        contents: list[bytes] = []

        def add(disk: DiskStore) -> None:
            now = self._entries.get(key, entry)  # it may have been changed while it was waiting
            if contents:
                disk.datasets.add_contents(now, contents)
            else:
                disk.datasets.add(now, tables)

        def keep() -> None:
            # Not at the end of the program, when no module can be imported any more.
            contents.extend(self._disk.contents(tables))
            self._tables.setdefault(key, tuple(tables))
            self._forgotten.discard(key)
            self._put(entry)

        self._disk.write(("tables", key), add, keep)

    def update(self, entry: Entry) -> None:
        """Keep what is now known of a data set."""
        key = entry.dataset.key
        if ("tables", key) in self._disk.waiting:
            self._put(entry)
            return
        name = ("entry", key)
        self._disk.write(name, lambda disk: disk.datasets.update(entry), lambda: self._put(entry))

    def forget(self, key: str) -> None:
        """Delete a data set, its tables and the settings of pages for it."""

        def hide() -> None:
            self._entries.pop(key, None)
            self._tables.pop(key, None)
            self._states.forget(key)
            self._forgotten.add(key)
            self._changes += 1

        self._disk.drop(key)
        self._disk.write(("forget", key), lambda disk: disk.datasets.forget(key), hide)

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set (WorkspaceError if they are missing or damaged)."""
        kept = self._tables.get(key)
        self._disk.wake()
        if kept is None and self._disk.store is not None:
            kept = self._disk.store.datasets.tables(key)
        if kept is None:
            raise WorkspaceError(f"the data set {key!r} cannot be read. {self._disk.problem}")
        return kept

    def current(self) -> str | None:
        """The key that was chosen last."""
        if self._chosen is not None:
            return self._chosen[0]
        return self._disk.read(lambda disk: disk.datasets.current(), None)

    def choose(self, key: str | None) -> None:
        """Keep the choice."""

        def keep() -> None:
            self._chosen = (key,)
            self._changes += 1

        self._disk.write(("choose",), lambda disk: disk.datasets.choose(key), keep)

    def size(self) -> int:
        """Bytes of the tables in memory, about."""
        return sum(map(tables_size, self._tables.values()))

    def _put(self, entry: Entry) -> None:
        if self._entries.get(entry.dataset.key) != entry:
            self._entries[entry.dataset.key] = entry
            self._changes += 1


class SeenRecords:
    """What was shown of which data."""

    def __init__(self, disk: GuardedDisk):
        self._disk = disk
        self._kept: dict[str, SeenRecord] = {}

    def get(self, digest: str) -> SeenRecord | None:
        """What was shown of a data set, or None."""
        kept = self._disk.read(lambda disk: disk.seen.get(digest), None)
        here = self._kept.get(digest)
        return kept.merged(here) if kept is not None and here is not None else kept or here

    def sketched(self) -> Sequence[SeenRecord]:
        """What was shown of the data sets whose rows can be recognized."""
        nothing: Sequence[SeenRecord] = ()
        kept = self._disk.read(lambda disk: disk.seen.sketched(), nothing)
        known = {one.digest for one in kept}
        here = (one for one in self._kept.values() if one.sketch is not None)
        return [*kept, *(one for one in here if one.digest not in known)]

    def put(self, seen: SeenRecord, make: bool = True) -> SeenRecord:
        """Add to what was shown of a data set; ``make`` the disk store for it, if there is none."""

        def keep() -> None:
            known = self._kept.get(seen.digest)
            self._kept[seen.digest] = seen if known is None else known.merged(seen)

        if not make and self._disk.is_unmade:
            keep()
        else:
            self._disk.write(
                ("seen", seen.digest),
                lambda disk: disk.seen.put(self._kept.get(seen.digest) or seen),
                keep,
            )
        return self.get(seen.digest) or seen


class Files:
    """Files, each under the SHA-256 of its content."""

    def __init__(self, disk: GuardedDisk, states: StoredPageStates):
        self._disk, self._states = disk, states
        self.kept: dict[str, bytes] = {}

    def get(self, digest: str) -> bytes | None:
        """The content of a file, or None."""
        kept = self.kept.get(digest)
        return self._disk.read(lambda disk: disk.files.get(digest), None) if kept is None else kept

    def put(self, digest: str, name: str, content: bytes) -> None:
        """Keep a file; its name is for people who look into a folder."""

        def keep() -> None:
            self.kept[digest] = content

        self._disk.write(("file", digest), lambda disk: disk.files.put(digest, name, content), keep)

    def purge(self) -> None:
        """Delete the files that no page mentions in its settings."""

        def purge() -> None:
            if not self._disk.is_there:  # else the disk has settings, too
                mentioned = "\n".join(self._states.kept.values())
                self.kept = {one: kept for one, kept in self.kept.items() if one in mentioned}

        self._disk.write(("purge",), lambda disk: disk.files.purge(), purge)

    def size(self) -> int:
        """Bytes of the files in memory."""
        return sum(map(len, self.kept.values()))
