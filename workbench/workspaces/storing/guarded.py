"""`GuardedStore`: a store on disk, and memory for what the disk does not take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from workbench.scores.table import DataTable
from workbench.workspaces.errors import StoreError, WorkspaceError
from workbench.workspaces.seen.record import SeenRecord
from workbench.workspaces.storing.disk import DiskStore
from workbench.workspaces.storing.memory import MemoryStore
from workbench.workspaces.storing.parquet import to_parquet
from workbench.workspaces.storing.store import Entry

Answer = TypeVar("Answer")

#: A change of a store, of either kind.
Change: TypeAlias = Callable[[DiskStore | MemoryStore], object]

#: Seconds after a failure in which nothing is tried again: an attempt may wait for a lock.
PAUSE = 20.0

_KEPT = (
    "What was kept there before is unchanged. What is added or changed now is kept in memory, "
    "until this program ends"
)


class GuardedStore:
    """A store on disk whose failures lose nothing; see `workbench.workspaces.storing.store.Store`.

    What cannot be written is kept in memory, and written later if the disk takes it again.
    ``problem`` says what is wrong.

    Parameters
    ----------
    open_disk : callable
        Opens the `DiskStore`; called again after it failed, unless the failure is lasting.
    where : str
        Where the disk store is, as people say it.
    exists : callable, optional
        Whether there is a disk store already. Where there is none, the first change makes it.
    """

    def __init__(
        self,
        open_disk: Callable[[], DiskStore],
        where: str,
        exists: Callable[[], bool] = lambda: True,
    ):
        self._guard = _Guard(open_disk, exists)
        self._place = where
        self.datasets = GuardedDataSets(self._guard)
        self.states = GuardedStates(self._guard)
        self.seen = GuardedSeen(self._guard)
        self.files = GuardedFiles(self._guard)
        self._guard.wake()

    @property
    def where(self) -> str:
        """The folder, or memory where the folder cannot be used."""
        on_disk = self._guard.rests or self._guard.disk is not None
        return self._place if on_disk else "in the memory of this program"

    @property
    def problem(self) -> str:
        """What is wrong, what was kept and what to do; "" if nothing is."""
        return self._guard.problem

    @property
    def waiting(self) -> bool:
        """Whether changes are in memory only that belong on the disk."""
        return bool(self._guard.waiting)

    @property
    def disk(self) -> DiskStore | None:
        """The disk store, if it is open."""
        return self._guard.disk

    def size(self) -> int:
        """Bytes of all tables and files, of removed data sets, too."""
        return self._guard.memory.size() + self._guard.read(lambda disk: disk.size(), 0)

    def flush(self) -> None:
        """Write what is waiting, if the disk takes it."""
        self._guard.flush()

    def close(self) -> None:
        """Flush, and close the disk store, which is opened again when it is used again."""
        self._guard.close()


class _Guard:
    """The disk while it can be used, memory, and the changes that wait for the disk."""

    def __init__(self, open_disk: Callable[[], DiskStore], exists: Callable[[], bool]):
        self._open_disk, self._exists = open_disk, exists
        self.rests = True  # the disk was not asked for since the beginning, or since `close`
        self.disk: DiskStore | None = None
        self.memory = MemoryStore()
        self.waiting: dict[tuple[str, ...], Change] = {}
        self.forgotten: set[str] = set()
        self.chosen_here = False
        self._failure: StoreError | None = None
        self._again_at = 0.0
        self.entries: dict[str, Entry] = {}

    @property
    def problem(self) -> str:
        if self._failure is None:
            return "" if self.disk is None else self.disk.problem
        later = "" if self._failure.lasting else "; it is written as soon as the disk takes it"
        return f"{_sentence(str(self._failure))} {_KEPT}{later}."

    @property
    def is_unmade(self) -> bool:
        """Whether there is no disk store yet."""
        return self.rests and not self._exists()

    def write(self, name: tuple[str, ...], change: Change, here: Change | None = None) -> None:
        """Change the disk; or else memory, and let the change wait for the disk.

        Parameters
        ----------
        name : tuple of str
            A later change of this name replaces this one while it waits.
        change, here : callable
            Of the disk, and of memory where that is another one.
        """
        disk = self._reach()
        if disk is not None and time.monotonic() < self._again_at:
            disk = None
        if disk is not None and not self.waiting:
            try:
                change(disk)
                self._failure = None
                return
            except StoreError as error:
                self._failed(error)
                disk = None
        (here or change)(self.memory)
        self.waiting.pop(name, None)  # what is later replaces what is earlier, and comes last
        self.waiting[name] = change
        if disk is not None:
            self._write_waiting(disk)

    def read(self, read: Callable[[DiskStore], Answer], otherwise: Answer) -> Answer:
        """An answer of the disk; another one where it cannot be read."""
        self.wake()
        if self.disk is None:
            return otherwise
        try:
            return read(self.disk)
        except StoreError as error:
            self._failed(error)
            return otherwise

    def first(self, read: Callable[[DiskStore | MemoryStore], Answer | None]) -> Answer | None:
        """An answer of memory, which is newer; else of the disk, or None."""
        kept = read(self.memory)
        return self.read(read, None) if kept is None else kept

    def catch_up(self) -> None:
        """Write what is waiting, if the disk takes it again."""
        if self.waiting and time.monotonic() >= self._again_at:
            disk = self._reach()
            if disk is not None:
                self._write_waiting(disk)

    def wake(self) -> None:
        """Open the disk store for the first time, or after `close`, if there is one."""
        if self.rests and self._exists():
            self._reach()

    def flush(self) -> None:
        if self.rests:
            return
        if self._failure is not None and not self._failure.lasting:
            self._again_at = 0.0
        disk = self._reach()
        if disk is None or time.monotonic() < self._again_at:
            return
        self._write_waiting(disk)
        try:
            disk.flush()
        except StoreError as error:
            self._failed(error)

    def close(self) -> None:
        self.flush()
        if self.disk is not None:
            self.disk.close()
            self.disk = None
        if not self.waiting:
            self.rests, self._failure, self._again_at = True, None, 0.0

    def _write_waiting(self, disk: DiskStore) -> None:
        """Write what is waiting; of a disk that is nearly full, all for which there is room."""
        for name, change in list(self.waiting.items()):
            try:
                change(disk)
                del self.waiting[name]
            except StoreError as error:
                self._failed(error)
                if not error.full:
                    return
        if not self.waiting:
            self._failure, self._again_at = None, 0.0
            self.memory = self.memory.emptied()
            self.forgotten, self.chosen_here = set(), False

    def _reach(self) -> DiskStore | None:
        """The disk store, opened if that may be tried."""
        self.rests = False
        lasting = self._failure is not None and self._failure.lasting
        if self.disk is None and not lasting and time.monotonic() >= self._again_at:
            try:
                self.disk = self._open_disk()
                self.entries = self.disk.datasets.all()
                if self.disk.read_only is not None:
                    self._failed(StoreError(str(self.disk.read_only), lasting=True))
                elif not self.waiting:
                    self._failure = None
            except StoreError as error:
                self._failed(error)
        return self.disk

    def _failed(self, error: StoreError) -> None:
        self._failure = error
        self._again_at = float("inf") if error.lasting else time.monotonic() + PAUSE


class GuardedDataSets:
    """The data sets of the disk, and those that wait for it."""

    def __init__(self, guard: _Guard):
        self._guard = guard

    def version(self) -> object:
        """A value that changes with data sets and the current one, on the disk and in memory.

        It is asked for often: what is waiting is written here, if the disk takes it again.
        """
        self._guard.catch_up()
        on_disk = self._guard.read(lambda disk: disk.datasets.version(), None)
        return on_disk, self._guard.memory.datasets.version()

    def all(self) -> dict[str, Entry]:
        """All data sets by key, oldest first: of the disk, then those that wait for it."""
        guard = self._guard
        # Where the disk cannot be read any more, data sets that were there stay in the list.
        guard.entries = guard.read(lambda disk: disk.datasets.all(), guard.entries)
        both = guard.entries | guard.memory.datasets.all()
        return {key: entry for key, entry in both.items() if key not in guard.forgotten}

    def add(self, entry: Entry, tables: Sequence[DataTable]) -> None:
        """Keep a data set with its tables."""
        key = entry.dataset.key
        contents: list[bytes] = []

        def add(disk: Any) -> None:
            # It may have been changed while it was waiting.
            now = self._guard.memory.datasets.all().get(key, entry)
            disk.datasets.add_contents(now, contents or [to_parquet(table) for table in tables])

        def wait(memory: DiskStore | MemoryStore) -> None:
            # Not at the end of the program, when no module can be imported any more.
            contents.extend(to_parquet(table) for table in tables)
            memory.datasets.add(entry, tables)

        self._guard.write(("tables", key), add, wait)

    def update(self, entry: Entry) -> None:
        """Keep what is now known of a data set."""
        key = entry.dataset.key
        if ("tables", key) in self._guard.waiting:
            self._guard.memory.datasets.update(entry)
        else:
            self._guard.write(("entry", key), lambda store: store.datasets.update(entry))

    def forget(self, key: str) -> None:
        """Delete a data set, its tables and the settings of pages for it."""
        guard = self._guard

        def hide(memory: DiskStore | MemoryStore) -> None:
            memory.datasets.forget(key)
            guard.forgotten.add(key)

        guard.waiting = {name: one for name, one in guard.waiting.items() if key not in name}
        guard.write(("forget", key), lambda store: store.datasets.forget(key), hide)

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set (WorkspaceError if they are missing or damaged)."""
        kept = self._guard.memory.datasets.tables_or_none(key)
        self._guard.wake()
        if kept is None and self._guard.disk is not None:
            kept = self._guard.disk.datasets.tables(key)
        if kept is None:
            raise WorkspaceError(f"the data set {key!r} cannot be read. {self._guard.problem}")
        return kept

    def current(self) -> str | None:
        """The key that was chosen last."""
        here = self._guard.memory.datasets.current()
        if self._guard.chosen_here:
            return here
        return self._guard.read(lambda disk: disk.datasets.current(), here)

    def choose(self, key: str | None) -> None:
        """Keep the choice."""

        def choose_here(memory: DiskStore | MemoryStore) -> None:
            memory.datasets.choose(key)
            self._guard.chosen_here = True

        self._guard.write(("choose",), lambda store: store.datasets.choose(key), choose_here)


class GuardedStates:
    """The settings of pages for data sets."""

    def __init__(self, guard: _Guard):
        self._guard = guard

    def get(self, page: str, key: str) -> dict[str, Any] | None:
        """The settings of a page for a data set, or None."""
        return self._guard.first(lambda store: store.states.get(page, key))

    def put(self, page: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the settings of a page for a data set."""
        name = ("state", page, key)
        self._guard.write(name, lambda store: store.states.put(page, key, settings))


class GuardedSeen:
    """What was shown of which data."""

    def __init__(self, guard: _Guard):
        self._guard = guard

    def get(self, digest: str) -> SeenRecord | None:
        """What was shown of a data set, on the disk and in memory, or None."""
        kept = self._guard.read(lambda disk: disk.seen.get(digest), None)
        here = self._guard.memory.seen.get(digest)
        return kept.merged(here) if kept is not None and here is not None else kept or here

    def sketched(self) -> Sequence[SeenRecord]:
        """What was shown of the data sets whose rows can be recognized."""
        nothing: Sequence[SeenRecord] = ()
        kept = self._guard.read(lambda disk: disk.seen.sketched(), nothing)
        known = {one.digest for one in kept}
        here = self._guard.memory.seen.sketched()
        return [*kept, *(one for one in here if one.digest not in known)]

    def put(self, seen: SeenRecord, make: bool = True) -> SeenRecord:
        """Add to what was shown of a data set; ``make`` the disk store for it, if there is none."""
        guard, digest = self._guard, seen.digest
        if not make and guard.is_unmade:
            return guard.memory.seen.put(seen)
        guard.write(
            ("seen", digest),
            lambda disk: disk.seen.put(guard.memory.seen.get(digest) or seen),
            lambda memory: memory.seen.put(seen),
        )
        return self.get(digest) or seen


class GuardedFiles:
    """Files by the SHA-256 of their content."""

    def __init__(self, guard: _Guard):
        self._guard = guard

    def get(self, digest: str) -> bytes | None:
        """The content of a file, or None."""
        return self._guard.first(lambda store: store.files.get(digest))

    def put(self, digest: str, name: str, content: bytes) -> None:
        """Keep a file."""
        self._guard.write(("file", digest), lambda store: store.files.put(digest, name, content))

    def purge(self) -> None:
        """Delete the files that no page mentions in its settings."""
        self._guard.write(("purge",), lambda store: store.files.purge(), lambda memory: None)


def _sentence(text: str) -> str:
    """A text as a sentence of its own."""
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
