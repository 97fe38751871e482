"""`GuardedStore`: a store on disk, and memory for what the disk does not take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from workbench.scores.table import DataTable
from workbench.workspaces.errors import StoreError, WorkspaceError
from workbench.workspaces.seen.record import SeenRecord
from workbench.workspaces.storing.disk import DiskStore
from workbench.workspaces.storing.parquet import to_parquet
from workbench.workspaces.storing.store import Entry, MemoryStore

Answer = TypeVar("Answer")

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
        self._open_disk, self._place, self._exists = open_disk, where, exists
        self._rests = True  # the disk was not asked for since the beginning, or since `close`
        self._disk: DiskStore | None = None
        self._memory = MemoryStore()
        self._waiting: dict[tuple[str, ...], Callable[[DiskStore], None]] = {}
        self._forgotten: set[str] = set()
        self._chosen_here = False
        self._failure: StoreError | None = None
        self._again_at = 0.0
        self._entries: dict[str, Entry] = {}
        self._wake()

    @property
    def where(self) -> str:
        """The folder, or memory where the folder cannot be used."""
        on_disk = self._rests or self._disk is not None
        return self._place if on_disk else "in the memory of this program"

    @property
    def problem(self) -> str:
        """What is wrong, what was kept and what to do; "" if nothing is."""
        if self._failure is None:
            return "" if self._disk is None else self._disk.problem
        later = "" if self._failure.lasting else "; it is written as soon as the disk takes it"
        return f"{_sentence(str(self._failure))} {_KEPT}{later}."

    @property
    def waiting(self) -> bool:
        """Whether changes are in memory only that belong on the disk."""
        return bool(self._waiting)

    def version(self) -> object:
        """A value that changes with data sets and the current one, on the disk and in memory.

        It is asked for often: what is waiting is written here, if the disk takes it again.
        """
        if self._waiting and time.monotonic() >= self._again_at:
            disk = self._reach()
            if disk is not None:
                self._write_waiting(disk)
        return self._read(lambda disk: disk.version(), None), self._memory.version()

    def entries(self) -> dict[str, Entry]:
        """All data sets by key, oldest first: of the disk, then those that wait for it."""
        # Where the disk cannot be read any more, data sets that were there stay in the list.
        self._entries = self._read(lambda disk: disk.entries(), self._entries)
        both = self._entries | self._memory.entries()
        return {key: entry for key, entry in both.items() if key not in self._forgotten}

    def add(self, entry: Entry, tables: Sequence[DataTable]) -> None:
        """Keep a data set with its tables.

        Parameters
        ----------
        entry : Entry
        tables : sequence of DataTable
        """
        key = entry.dataset.key
        contents: list[bytes] = []

        def add(disk: DiskStore) -> None:
            # It may have been changed while it was waiting.
            now = self._memory.entries().get(key, entry)
            disk.add_contents(now, contents or [to_parquet(table) for table in tables])

        def wait(memory: MemoryStore) -> None:
            # Not at the end of the program, when no module can be imported any more.
            contents.extend(to_parquet(table) for table in tables)
            memory.add(entry, tables)

        self._write(("tables", key), add, wait)

    def update(self, entry: Entry) -> None:
        """Keep what is now known of a data set."""
        key = entry.dataset.key
        if ("tables", key) in self._waiting:
            self._memory.update(entry)
        else:
            self._write(
                ("entry", key),
                lambda disk: disk.update(entry),
                lambda memory: memory.update(entry),
            )

    def forget(self, key: str) -> None:
        """Delete a data set, its tables and the settings of pages for it."""

        def hide(memory: MemoryStore) -> None:
            memory.forget(key)
            self._forgotten.add(key)

        self._waiting = {name: change for name, change in self._waiting.items() if key not in name}
        self._write(("forget", key), lambda disk: disk.forget(key), hide)

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set (WorkspaceError if they are missing or damaged)."""
        kept = self._memory.tables_or_none(key)
        self._wake()
        if kept is None and self._disk is not None:
            kept = self._disk.tables(key)
        if kept is None:
            raise WorkspaceError(f"the data set {key!r} cannot be read. {self.problem}")
        return kept

    def current(self) -> str | None:
        """The key that was chosen last."""
        if self._chosen_here:
            return self._memory.current()
        return self._read(lambda disk: disk.current(), self._memory.current())

    def choose(self, key: str | None) -> None:
        """Keep the choice."""

        def choose_here(memory: MemoryStore) -> None:
            memory.choose(key)
            self._chosen_here = True

        self._write(("choose",), lambda disk: disk.choose(key), choose_here)

    def state(self, page: str, key: str) -> dict[str, Any] | None:
        """The settings of a page for a data set, or None.

        Parameters
        ----------
        page, key : str
        """
        kept = self._memory.state(page, key)
        return self._read(lambda disk: disk.state(page, key), None) if kept is None else kept

    def keep_state(self, page: str, key: str, settings: dict[str, Any]) -> None:
        """Keep the settings of a page for a data set.

        Parameters
        ----------
        page, key : str
        settings : dict
            Of JSON values.
        """
        self._write(
            ("state", page, key),
            lambda disk: disk.keep_state(page, key, settings),
            lambda memory: memory.keep_state(page, key, settings),
        )

    def seen(self, digest: str) -> SeenRecord | None:
        """What was shown of a data set, on the disk and in memory, or None.

        Parameters
        ----------
        digest : str
        """
        kept, here = self._read(lambda disk: disk.seen(digest), None), self._memory.seen(digest)
        return kept.merged(here) if kept is not None and here is not None else kept or here

    def sketched(self) -> Sequence[SeenRecord]:
        """What was shown of the data sets whose rows can be recognized."""
        nothing: Sequence[SeenRecord] = ()
        kept = self._read(lambda disk: disk.sketched(), nothing)
        known = {one.digest for one in kept}
        return [*kept, *(one for one in self._memory.sketched() if one.digest not in known)]

    def keep_seen(self, seen: SeenRecord, make: bool = True) -> SeenRecord:
        """Add to what was shown of a data set.

        Parameters
        ----------
        seen : SeenRecord
        make : bool
            Whether the disk store is made for it, where there is none.
        """
        if not make and self._rests and not self._exists():
            return self._memory.keep_seen(seen)
        digest = seen.digest
        self._write(
            ("seen", digest),
            lambda disk: _ignored(disk.keep_seen(self._memory.seen(digest) or seen)),
            lambda memory: _ignored(memory.keep_seen(seen)),
        )
        return self.seen(digest) or seen

    def keep_file(self, digest: str, name: str, content: bytes) -> None:
        """Keep a file.

        Parameters
        ----------
        digest : str
            SHA-256 of the content.
        name : str
        content : bytes
        """
        self._write(
            ("file", digest),
            lambda disk: disk.keep_file(digest, name, content),
            lambda memory: memory.keep_file(digest, name, content),
        )

    def file(self, digest: str) -> bytes | None:
        """The content of a file, or None."""
        kept = self._memory.file(digest)
        return self._read(lambda disk: disk.file(digest), None) if kept is None else kept

    def purge_files(self) -> None:
        """Delete the files that no page mentions in its settings."""
        self._write(("purge",), lambda disk: disk.purge_files(), lambda memory: None)

    def size(self) -> int:
        """Bytes of all tables and files, of removed data sets, too."""
        return self._memory.size() + self._read(lambda disk: disk.size(), 0)

    def flush(self) -> None:
        """Write what is waiting, if the disk takes it."""
        if self._rests:
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
        """Flush, and close the disk store, which is opened again when it is used again."""
        self.flush()
        if self._disk is not None:
            self._disk.close()
            self._disk = None
        if not self._waiting:
            self._rests, self._failure, self._again_at = True, None, 0.0

    # -- steps --------------------------------------------------------------------------------

    def _write(
        self,
        name: tuple[str, ...],
        on_disk: Callable[[DiskStore], None],
        in_memory: Callable[[MemoryStore], None],
    ) -> None:
        """Change the disk; or else memory, and let the change wait for the disk."""
        disk = self._reach()
        if disk is not None and time.monotonic() < self._again_at:
            disk = None
        if disk is not None and not self._waiting:
            try:
                on_disk(disk)
                self._failure = None
                return
            except StoreError as error:
                self._failed(error)
                disk = None
        in_memory(self._memory)
        self._waiting.pop(name, None)  # what is later replaces what is earlier, and comes last
        self._waiting[name] = on_disk
        if disk is not None:
            self._write_waiting(disk)

    def _write_waiting(self, disk: DiskStore) -> None:
        """Write what is waiting; of a disk that is nearly full, all for which there is room."""
        for name, change in list(self._waiting.items()):
            try:
                change(disk)
                del self._waiting[name]
            except StoreError as error:
                self._failed(error)
                if not error.full:
                    return
        if not self._waiting:
            self._failure, self._again_at = None, 0.0
            self._memory = self._memory.emptied()
            self._forgotten, self._chosen_here = set(), False

    def _wake(self) -> None:
        """Open the disk store for the first time, or after `close`, if there is one."""
        if self._rests and self._exists():
            self._reach()

    def _read(self, read: Callable[[DiskStore], Answer], otherwise: Answer) -> Answer:
        self._wake()
        if self._disk is None:
            return otherwise
        try:
            return read(self._disk)
        except StoreError as error:
            self._failed(error)
            return otherwise

    def _reach(self) -> DiskStore | None:
        """The disk store, opened if that may be tried."""
        self._rests = False
        lasting = self._failure is not None and self._failure.lasting
        if self._disk is None and not lasting and time.monotonic() >= self._again_at:
            try:
                self._disk = self._open_disk()
                self._entries = self._disk.entries()
                if self._disk.read_only:
                    self._failed(StoreError(self._disk.read_only, lasting=True))
                elif not self._waiting:
                    self._failure = None
            except StoreError as error:
                self._failed(error)
        return self._disk

    def _failed(self, error: StoreError) -> None:
        self._failure = error
        self._again_at = float("inf") if error.lasting else time.monotonic() + PAUSE


def _ignored(found: object) -> None:
    """Nothing: what a change returns is not asked for."""


def _sentence(text: str) -> str:
    """A text as a sentence of its own."""
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
