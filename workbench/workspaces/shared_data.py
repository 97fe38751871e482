"""`SharedData`: the data sets that a workspace shows besides its own, and cannot change."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.tables.table import ScoreTable
from workbench.workspaces.view import Datasets


@runtime_checkable
class SharedData(Protocol):
    """The data sets that a workspace shows besides its own, and cannot change.

    A `Workspace` is one: that of the data sets which were given to a server. A workspace calls
    these methods without holding its own lock, so two workspaces may lend to each other. What is
    in it may change at any time: a key that was there may be gone in the next call.
    """

    @property
    def datasets(self) -> Datasets:
        """The data sets, oldest first."""

    @property
    def current(self) -> str | None:
        """The key of the data set that is in view until another one is chosen; None for none."""

    @property
    def current_table(self) -> str | None:
        """The key of the score table that is in view until another one is chosen; None for none."""

    def owner_of(self, key: str) -> str:
        """The name of the person who shares a data set; "" for one that was given to the server."""

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set (WorkspaceError where it is not there)."""

    def scores(self, key: str) -> Scores:
        """The scores of a data set (WorkspaceError where it is not there)."""

    def table(self, key: str) -> ScoreTable:
        """The score table of a data set (WorkspaceError where it is not there)."""

    def file(self, sha256: str) -> bytes | None:
        """The content of a file that a page of the shared data uses, or None."""


def is_shared_data(value: Any) -> bool:
    """Whether something is a `SharedData`; reads nothing of it, unlike ``isinstance``.

    Reading may ask for the workspaces of other people, who may be asking for this one.
    """
    asked = ("datasets", "current", "owner_of", "tables", "scores", "table", "file")
    return all(hasattr(type(value), name) for name in asked)
