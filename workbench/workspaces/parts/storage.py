"""`Storage`: the store of a workspace, its archive of audits, and how much they may hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import TYPE_CHECKING

from workbench import _checks
from workbench.scores.table import DataTable
from workbench.software.extras import check
from workbench.workspaces.parts.cache import ScoresCache
from workbench.workspaces.storing.allowance import Allowance
from workbench.workspaces.storing.entry import tables_size
from workbench.workspaces.storing.store import Store

if TYPE_CHECKING:
    from workbench.audits.archive import Archive


class Storage:
    """Where a workspace keeps everything.

    Parameters
    ----------
    store : Store, optional
        In memory by default.
    open_archive, has_audits, allowance
        As of `Workspace`.

    Attributes
    ----------
    lock : RLock
        Held while the store is used.
    cache : ScoresCache
        Scores and tables that were read from the store.
    """

    def __init__(
        self,
        store: Store | None = None,
        open_archive: Callable[[], Archive] | None = None,
        has_audits: Callable[[], bool] = lambda: True,
        allowance: Allowance | None = None,
    ):
        if allowance is not None:
            need = "an object with require_data_set and require_room"
            _checks.instance(allowance, Allowance, "allowance", need)
        for name, function in (("open_archive", open_archive), ("has_audits", has_audits)):
            if function is not None:
                _checks.function(function, name, "a function without arguments")
        need = "a store; wb.workspace(path) opens one"
        self.store: Store = (
            Store() if store is None else _checks.instance(store, Store, "store", need)
        )
        self.lock = RLock()
        self.cache = ScoresCache()
        self._open_archive = open_archive
        self._has_audits = has_audits
        self._archive: Archive | None = None
        self._allowance = allowance

    @property
    def where(self) -> str:
        """Where the data sets are kept, such as "in the memory of this server"."""
        return self.store.where

    @property
    def problem(self) -> str:
        """What is wrong with the store, what was kept and what to do; "" if nothing is."""
        return self.store.problem

    @property
    def waiting(self) -> bool:
        """Whether changes are in memory only, because the disk does not take them."""
        return self.store.waiting

    @property
    def archive(self) -> Archive:
        """The audits that were saved, with their plans and series."""
        with self.lock:
            if self._archive is None:
                self._archive = (self._open_archive or _archive_in_memory)()
            return self._archive

    @property
    def may_have_audits(self) -> bool:
        """Whether `archive` may hold anything; False where it would be made to look."""
        known = self._archive is not None
        return known or (self._open_archive is not None and self._has_audits())

    @property
    def size(self) -> int:
        """Bytes of the data sets, files and audits, of those that were removed, too."""
        with self.lock:
            kept = self.store.size()
        return kept + (self.archive.size if self.may_have_audits else 0)

    def require_room(self, more: int) -> None:
        """Raise what the allowance raises where there is no room for ``more`` bytes."""
        if self._allowance is not None:
            self._allowance.require_room(self.size, more)

    def require_data_set(self, tables: Sequence[DataTable]) -> None:
        """Refuse another data set where there is no place for it, or no room for its tables."""
        if self._allowance is not None:
            entries = self.store.datasets.all().values()
            removed = sum(entry.removed is not None for entry in entries)
            self._allowance.require_data_set(len(entries), removed)
            self.require_room(tables_size(tables))

    def flush(self) -> None:
        """Write what is not written yet."""
        with self.lock:
            self.store.flush()

    def rest(self) -> None:
        """Flush, and let go of all that can be read again: scores, connections to databases.

        Whoever still uses the workspace, such as a download, opens it again by that.
        """
        with self.lock:
            self.cache.clear()
            self.store.close()
            if self._archive is not None and self._open_archive is not None:
                self._archive.close()

    def close(self) -> None:
        """Flush, and let go of everything, an archive in memory included."""
        with self.lock:
            self.rest()
            if self._archive is not None:
                self._archive.close()


def _archive_in_memory() -> Archive:
    check("sqlalchemy", "saved audits need")
    from workbench.audits.archive import Archive
    from workbench.audits.storing.database import AuditsDatabase

    return Archive(AuditsDatabase.in_memory())
