"""`Changes`: who is called after the data sets of a workspace, or the one in view, changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from workbench import _checks
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.parts.catalog import Catalog
from workbench.workspaces.parts.storage import Storage

#: Is called with the workspace.
Listener = Callable[[Any], None]


class Changes:
    """Changes of data sets and of the one in view, and the listeners that are called after them.

    Parameters
    ----------
    workspace : Workspace
        What listeners are called with.
    storage : Storage
    catalog : Catalog
    """

    def __init__(self, workspace: Any, storage: Storage, catalog: Catalog):
        self._workspace, self._storage, self._catalog = workspace, storage, catalog
        self._listeners: list[Listener] = []
        self._last_version = storage.store.datasets.version()

    def watch(self, callback: Listener) -> None:
        """Call ``callback(workspace)`` after each change, in the thread of the change."""
        if not callable(callback):
            raise TypeError(f"callback must be callable, got {_checks.shown(callback)}")
        with self._storage.lock:
            self._listeners.append(callback)

    def unwatch(self, callback: Listener) -> None:
        """Call it no longer."""
        with self._storage.lock:
            self._listeners = [one for one in self._listeners if one != callback]

    def unwatch_all(self) -> None:
        """Call nobody any longer."""
        self._listeners = []

    def announce(self) -> None:
        """Call the listeners: something else of the workspace changed, such as its plans."""
        for callback in tuple(self._listeners):
            callback(self._workspace)

    def refresh(self) -> bool:
        """Whether another program changed the store since the last change seen here.

        If so, listeners are called. All other methods see such changes by themselves.
        """
        with self._storage.lock:
            before, self._last_version = self._last_version, self._storage.store.datasets.version()
            changed = before != self._last_version
        if changed:
            self.announce()
        return changed

    @contextmanager
    def change(self) -> Iterator[list[DataSet]]:
        """Context of a change: locked; at its end listeners are called if something changed.

        It yields the data sets of the base, which must not be asked for while the lock is held.
        """
        shared = self._catalog.shared
        with self._storage.lock:
            before = self._storage.store.datasets.version()
            try:
                yield shared
            finally:
                self._last_version = self._storage.store.datasets.version()
        if self._last_version != before:
            self.announce()
