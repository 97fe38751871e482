"""`Catalog`: which data sets there are: those of a workspace, those lent to it, examples, draws."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from workbench import _checks
from workbench.scores.examples import NAMES
from workbench.scores.refusals import did_you_mean
from workbench.tables.examples import TABLES
from workbench.workspaces.dataset import (
    DataSet,
    drawn_dataset,
    example_dataset,
    virtual_table_dataset,
)
from workbench.workspaces.draws import DRAW
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.parts.storage import Storage
from workbench.workspaces.score_tables.sources import (
    DRAWN_TABLE,
    DrawnTableSource,
    ExampleTableSource,
)
from workbench.workspaces.shared_data import SharedData, is_shared_data
from workbench.workspaces.sources import EXAMPLE, DrawnSource
from workbench.workspaces.view import Datasets


class Catalog:
    """The data sets that can be seen in a workspace, by key and by name.

    Nothing is asked of the base while the lock is held: the base may be the workspace of another
    person, who borrows from this one.

    Parameters
    ----------
    storage : Storage
    base : SharedData, optional
        Lends further data sets.
    """

    def __init__(self, storage: Storage, base: SharedData | None = None):
        self._storage = storage
        self.base = None if base is None else _shared_data(base)

    def borrow(self, base: SharedData) -> None:
        """Show the data sets of another base from now on (TypeError for something else)."""
        self.base = _shared_data(base)

    @property
    def own(self) -> list[DataSet]:
        """The data sets that can be changed here and were not removed, oldest first."""
        with self._storage.lock:
            entries = self._storage.store.datasets.all().values()
            return [entry.dataset for entry in entries if entry.removed is None]

    @property
    def shared(self) -> list[DataSet]:
        """The data sets of the base."""
        return [] if self.base is None else list(self.base.datasets)

    @property
    def owned(self) -> list[tuple[DataSet, str]]:
        """The data sets of the base, each with the name of its owner, as of `owner_of`.

        What is no longer lent once its owner was asked for is left out: it would seem nobody's.
        """
        base = self.base
        if base is None:
            return []
        owners = {one.key: base.owner_of(one.key) for one in base.datasets}
        return [(one, owners[one.key]) for one in base.datasets if one.key in owners]

    @property
    def datasets(self) -> Datasets:
        """All of both, those of the base first."""
        return Datasets([*self.shared, *self.own], self._storage.where)

    def dataset(self, key: str) -> DataSet:
        """What is known of a data set; see `Workspace.dataset`."""
        _checks.text(key, "key")
        if key.startswith(EXAMPLE):
            return _example(key)
        if key.startswith(DRAWN_TABLE):
            source = DrawnTableSource.of(key)
            return virtual_table_dataset(source.key, source)
        if key.startswith(DRAW):
            return drawn_dataset(DrawnSource.of(key))
        with self._storage.lock:
            entry = self._storage.store.datasets.all().get(key)
        return self.datasets[key] if entry is None else entry.dataset

    def is_there(self, key: str) -> bool:
        """Whether a key means a data set that was not removed, an example or a draw."""
        with self._storage.lock:
            entry = self._storage.store.datasets.all().get(key)
        if entry is not None:
            return entry.removed is None
        with suppress(WorkspaceError):
            return self.dataset(key).key == key
        return False

    def is_own(self, key: str) -> bool:
        """Whether the data set of a key can be changed here."""
        with self._storage.lock:
            return key in self._storage.store.datasets.all()

    def lender_of(self, key: str) -> SharedData | None:
        """The base, if it lends the data set of a key; else None."""
        return self.base if any(one.key == key for one in self.shared) else None

    def owner_of(self, key: str) -> str:
        """The name of the person who shares a data set; "" for one that nobody shares."""
        lender = self.lender_of(key)
        return "" if lender is None else lender.owner_of(key)

    def own_key(self, key: str) -> str:
        """The key of a data set that can be changed.

        Parameters
        ----------
        key : str
            Its key or its name.

        Raises
        ------
        WorkspaceError
            It cannot be changed here.
        """
        dataset = self.dataset(key)
        if dataset.virtual:
            why = "is always there"
        elif self.lender_of(dataset.key) is None:
            return dataset.key
        elif owner := self.owner_of(dataset.key):
            why = f"was shared with you by {owner}"
        else:
            why = "was given to the server, for everybody who uses it"
        raise WorkspaceError(
            f"{dataset.name!r} {why}: it cannot be changed; add the scores under another name"
        )

    def find(self, sha256: str, removed: bool = False) -> DataSet | None:
        """The data set whose content has this hash, or None; see `Workspace.find`."""
        found = list(self.datasets)
        if removed:
            with self._storage.lock:
                found += [entry.dataset for entry in self._storage.store.datasets.all().values()]
        return next((one for one in found if sha256 and one.sha256 == sha256), None)

    def free_name(self, name: str, shared: Sequence[DataSet]) -> str:
        """The name, with a number if a data set of here, or one of ``shared``, has it."""
        used, number, free = {one.name for one in (*shared, *self.own)}, 2, name
        while free in used:
            free, number = f"{name} ({number})", number + 1
        return free


def _shared_data(base: Any) -> SharedData:
    if not is_shared_data(base):
        raise TypeError(
            "base must be shared data, such as a workbench.Workspace; got "
            f"{_checks.shown(base)}, a {type(base).__name__}"
        )
    return base


def _example(key: str) -> DataSet:
    name = key.removeprefix(EXAMPLE)
    if name in TABLES:
        return virtual_table_dataset(key, ExampleTableSource(name))
    if name not in NAMES:
        raise WorkspaceError(
            f"there is no data set {_checks.shown(key)}{did_you_mean(name, NAMES)}; the bundled "
            f"examples are {', '.join(NAMES)}"
        )
    return example_dataset(name)
