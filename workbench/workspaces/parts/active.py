"""`ActiveData`: the scores in view on all pages about scores, and the score table in view."""

from __future__ import annotations

from workbench import _checks
from workbench.workspaces.parts.catalog import Catalog
from workbench.workspaces.parts.changes import Changes
from workbench.workspaces.parts.storage import Storage

#: What can be in view.
KINDS = ("scores", "table")

#: The name under which the store keeps the key of the score table in view.
_TABLE = "score table in view"


class ActiveData:
    """The data sets in view: one of scores, and one score table.

    They are those of the base until others are chosen here.
    """

    def __init__(self, storage: Storage, catalog: Catalog, changes: Changes):
        self._storage, self._catalog, self._changes = storage, catalog, changes

    @property
    def scores(self) -> str | None:
        """The key of the scores in view; None until some are chosen."""
        return self.key("scores")

    @property
    def table(self) -> str | None:
        """The key of the score table in view; None until one is chosen."""
        return self.key("table")

    def key(self, kind: str) -> str | None:
        """The key of the data set in view on pages that take a kind, "scores" or "table"."""
        chosen, base = self.chosen(kind), self._catalog.base
        if chosen is not None or base is None:
            return chosen
        return base.current_table if kind == "table" else base.current

    def chosen(self, kind: str) -> str | None:
        """The key of the data set of a kind that was chosen here and is there; else None."""
        _checks.one_of(kind, "kind", KINDS)
        key = self.stored(kind)
        return key if key is not None and self._catalog.is_there(key) else None

    def choose(self, key: str | None) -> None:
        """Take a data set into view, by its key or its name; None for no scores."""
        dataset = None if key is None else self._catalog.dataset(key)
        known = None if dataset is None else dataset.key
        if dataset is None or dataset.kind == "scores":
            with self._changes.change():
                self.store("scores", known)
            return
        with self._storage.lock:
            changed = self.store("table", known)
        if changed:  # which the version of the store does not count
            self._changes.announce()

    def stored(self, kind: str) -> str | None:
        """The key that was chosen last, whether or not its data set is still there."""
        with self._storage.lock:
            if kind == "scores":
                return self._storage.store.datasets.current()
            kept = self._storage.store.states.get(_TABLE, "")
        return None if kept is None else kept["key"]

    def store(self, kind: str, key: str | None) -> bool:
        """Whether this key was not the chosen one; it is now. Within a change: the lock is held."""
        if key == self.stored(kind):
            return False
        if kind == "scores":
            self._storage.store.datasets.choose(key)
        else:
            self._storage.store.states.put(_TABLE, "", {"key": key})
        return True
