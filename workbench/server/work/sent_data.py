"""`SentData`: data sets that go to another process, and are there what a workspace shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.tables.table import ScoreTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.view import Datasets

if TYPE_CHECKING:
    from workbench.workspaces.workspace import Workspace


@dataclass(frozen=True)
class SentSet:
    """A data set with its content.

    Attributes
    ----------
    dataset : DataSet
    tables : tuple of DataTable
    content : Scores or ScoreTable
    """

    dataset: DataSet
    tables: tuple[DataTable, ...]
    content: Scores | ScoreTable


@dataclass(frozen=True)
class SentData:
    """Data sets that can be pickled; a `workbench.workspaces.shared_data.SharedData`.

    Attributes
    ----------
    sets : mapping of str to SentSet
        By key.
    """

    sets: Mapping[str, SentSet]

    @classmethod
    def of(cls, workspace: Workspace, datasets: Iterable[DataSet]) -> SentData:
        """Data sets of a workspace; examples and draws, which are everywhere, are left out.

        Raises
        ------
        WorkspaceError
            One of them was removed or cannot be read.
        """
        own = {one.key: one for one in datasets if not one.virtual}
        return cls(
            {
                key: SentSet(one, workspace.tables(key), _content(workspace, one))
                for key, one in own.items()
            }
        )

    @property
    def datasets(self) -> Datasets:
        """The data sets."""
        return Datasets([one.dataset for one in self.sets.values()], "of another process")

    @property
    def current(self) -> str | None:
        """None: no data set is chosen."""
        return None

    @property
    def current_table(self) -> str | None:
        """None: no score table is chosen."""
        return None

    def owner_of(self, key: str) -> str:
        """The empty text: here they are nobody's."""
        return ""

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """The tables of a data set."""
        return self._set(key).tables

    def scores(self, key: str) -> Scores:
        """The scores of a data set (WorkspaceError where it is a table)."""
        found = self._set(key).content
        if not isinstance(found, Scores):
            raise WorkspaceError(f"the data set {key!r} is a score table")
        return found

    def table(self, key: str) -> ScoreTable:
        """The score table of a data set (WorkspaceError where it is none)."""
        found = self._set(key).content
        if not isinstance(found, ScoreTable):
            raise WorkspaceError(f"the data set {key!r} is no score table")
        return found

    def file(self, sha256: str) -> bytes | None:
        """None: files go with the page that uses them."""
        return None

    def _set(self, key: str) -> SentSet:
        if key not in self.sets:
            raise WorkspaceError(f"the data set {key!r} was not sent here")
        return self.sets[key]


def _content(workspace: Workspace, dataset: DataSet) -> Scores | ScoreTable:
    if dataset.kind == "table":
        return workspace.table(dataset.key)
    return workspace.scores(dataset.key)
