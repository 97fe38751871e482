"""`GuardedDisk`: a store on disk while it can be used, and the changes that wait for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from workbench.scores.table import DataTable
from workbench.workspaces.errors import StoreError
from workbench.workspaces.storing.entry import Entry

if TYPE_CHECKING:
    from workbench.workspaces.storing.disk import DiskStore

Answer = TypeVar("Answer")

#: A change of the disk.
Change: TypeAlias = "Callable[[DiskStore], object]"

#: Seconds after a failure in which nothing is tried again: an attempt may wait for a lock.
PAUSE = 20.0

_KEPT = (
    "What was kept there before is unchanged. What is added or changed now is kept in memory, "
    "until this program ends"
)


class GuardedDisk:
    """A store on disk whose failures lose nothing.

    What cannot be written is kept in memory, and written later if the disk takes it again.

    Parameters
    ----------
    open_disk : callable or None
        Opens the `DiskStore`; called again after it failed, unless the failure is lasting. None for
        a store that ends with the program.
    place : str
        Where the store is, as people say it.
    exists : callable, optional
        Whether there is a disk store already. Where there is none, the first change makes it.
    """

    def __init__(
        self,
        open_disk: Callable[[], DiskStore] | None = None,
        place: str = "in the memory of this server",
        exists: Callable[[], bool] | None = None,
    ):
        self._open_disk, self._place = open_disk, place
        self._exists = exists or (lambda: self.is_there)
        self._rests = True  # the disk was not asked for since the beginning, or since `close`
        self.store: DiskStore | None = None
        self.waiting: dict[tuple[str, ...], Change] = {}
        #: Called when nothing is waiting any more.
        self.caught_up: Callable[[], None] = lambda: None
        self._failure: StoreError | None = None
        self._again_at = 0.0
        self._entries: dict[str, Entry] = {}

    @property
    def where(self) -> str:
        """The place, or memory where it cannot be used."""
        on_disk = self._rests or self.store is not None
        return self._place if on_disk else "in the memory of this program"

    @property
    def problem(self) -> str:
        """What is wrong, what was kept and what to do; "" if nothing is."""
        if self._failure is None:
            return "" if self.store is None else self.store.problem
        later = "" if self._failure.lasting else "; it is written as soon as the disk takes it"
        return f"{_sentence(str(self._failure))} {_KEPT}{later}."

    @property
    def is_there(self) -> bool:
        """Whether there may be a disk at all."""
        return self._open_disk is not None

    @property
    def is_unmade(self) -> bool:
        """Whether there is no disk store yet."""
        return self._rests and not self._exists()

    def write(self, name: tuple[str, ...], change: Change, here: Callable[[], None]) -> None:
        """Change the disk; or else memory, and let the change wait for the disk.

        Parameters
        ----------
        name : tuple of str
            A later change of this name replaces this one while it waits.
        change, here : callable
            The change of the disk, and of memory.
        """
        if self._open_disk is None:
            here()
            return
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
        here()
        self.waiting.pop(name, None)  # what is later replaces what is earlier, and comes last
        self.waiting[name] = change
        if disk is not None:
            self._write_waiting(disk)

    def read(self, read: Callable[[DiskStore], Answer], otherwise: Answer) -> Answer:
        """An answer of the disk; another one where it cannot be read."""
        self.wake()
        if self.store is None:
            return otherwise
        try:
            return read(self.store)
        except StoreError as error:
            self._failed(error)
            return otherwise

    def known_entries(self) -> dict[str, Entry]:
        """The data sets on the disk; those that were there, where it cannot be read any more."""
        self._entries = self.read(lambda disk: disk.datasets.all(), self._entries)
        return self._entries

    def contents(self, tables: Sequence[DataTable]) -> list[bytes]:
        """Tables as the files that the disk keeps; nothing without a disk."""
        if not self.is_there:
            return []
        from workbench.workspaces.storing.parquet import to_parquet

        return [to_parquet(table) for table in tables]

    def drop(self, key: str) -> None:
        """Forget the changes of a data set that are waiting."""
        self.waiting = {name: change for name, change in self.waiting.items() if key not in name}

    def catch_up(self) -> None:
        """Write what is waiting, if the disk takes it again."""
        if self.waiting and time.monotonic() >= self._again_at:
            disk = self._reach()
            if disk is not None:
                self._write_waiting(disk)

    def wake(self) -> None:
        """Open the disk store for the first time, or after `close`, if there is one."""
        if self._rests and self._exists():
            self._reach()

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
        if self.store is not None:
            self.store.close()
            self.store = None
        if not self.waiting:
            self._rests, self._failure, self._again_at = True, None, 0.0

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
            self.caught_up()

    def _reach(self) -> DiskStore | None:
        """The disk store, opened if that may be tried."""
        self._rests = False
        lasting = self._failure is not None and self._failure.lasting
        open_disk = None if lasting or self.store is not None else self._open_disk
        if open_disk is not None and time.monotonic() >= self._again_at:
            try:
                self.store = open_disk()
                self._entries = self.store.datasets.all()
                if self.store.read_only is not None:
                    self._failed(StoreError(str(self.store.read_only), lasting=True))
                elif not self.waiting:
                    self._failure = None
            except StoreError as error:
                self._failed(error)
        return self.store

    def _failed(self, error: StoreError) -> None:
        self._failure = error
        self._again_at = float("inf") if error.lasting else time.monotonic() + PAUSE


def _sentence(text: str) -> str:
    """A text as a sentence of its own."""
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
