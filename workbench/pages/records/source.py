"""`TableInView`: base of the page about one score table of the workspace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import param

from workbench.pages.core.page import Control, Page, Section
from workbench.pages.inputs.data import DataChoice, DataInput
from workbench.pages.inputs.settings import ResetSetting
from workbench.tables.examples import TABLES
from workbench.tables.table import ScoreTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.score_tables.sources import DrawnTableSource, ExampleTableSource
from workbench.workspaces.seen.memory import Sight
from workbench.workspaces.sources import EXAMPLE
from workbench.workspaces.workspace import Workspace

#: The table that the page begins with.
FIRST_TABLE = f"{EXAMPLE}{TABLES[0]}"


class TableChoice(DataChoice):
    """Parameter type of the key of a score table of the page's workspace.

    Parameters
    ----------
    default : str
        The key that a page begins with.
    **more
        As for ``param.Selector``.
    """

    def __init__(self, default: str, **more: Any):
        super().__init__(default, input=DataInput("data", "", ""), **more)

    def get_range(self) -> dict[str, str]:
        """The keys on offer by the names of their tables."""
        page = self._page
        if page is None:
            return {self.default: self.default}
        keys = [*(f"{EXAMPLE}{name}" for name in TABLES), DrawnTableSource().key]
        found = {page.workspace.dataset(key).name: key for key in keys}
        for dataset in page.workspace.datasets:
            if dataset.kind == "table":
                taken = dataset.name in found
                name = f"{dataset.name} ({dataset.source.label})" if taken else dataset.name
                found[name] = dataset.key
        key = getattr(page, str(self.name))
        if key and key not in found.values():
            dataset = page.workspace.dataset(key)
            found[dataset.name if dataset.virtual else "removed, but still in view"] = key
        return found


class TableInView(ResetSetting, Page):
    """Base of the page about one score table of the workspace.

    Provides ``table``, ``loaded`` (what it is) and the section ``data_section``. If a table cannot
    be read, the former one stays in view, and ``message`` says why.
    """

    takes: ClassVar[str] = "table"
    rests_on: ClassVar[str] = "table"
    CHOICES: ClassVar[dict[str, str]] = {
        **ResetSetting.CHOICES,
        "larger_is_member": "the direction of the score",
    }

    data = TableChoice(FIRST_TABLE, label="Table")
    larger_is_member = param.Selector(
        default=True,
        objects={"larger = member": True, "smaller = member": False},
        label="Direction of the score",
        doc="A loss is smaller for members, a similarity to the record is larger. Changing it "
        "after results were seen marks the bounds as not valid.",
    )

    table = param.Parameter(precedence=-1, doc="The ScoreTable in view.")
    loaded = param.String("", precedence=-1, doc="What was loaded, and how it was read.")

    data_section: ClassVar[Section] = Section(
        "Data", (Control("data", menu=True), Control("larger_is_member"))
    )

    def __init__(self, workspace: Workspace | None = None, **params: Any):
        self._dataset: DataSet | None = None
        super().__init__(workspace=workspace, **params)
        self.param.watch(self._load, "data")
        self.param.watch(self._turn, "larger_is_member")
        self._open()

    @property
    def dataset(self) -> DataSet | None:
        """The data set in view; None for a table that is given in Python."""
        return self._dataset

    @property
    def data_key(self) -> str:
        """Key of the data set in view."""
        return str(self.data)

    @property
    def reread(self) -> str:
        """The choice of how the data are read that was changed after results were shown."""
        return "" if self._dataset is None else self._dataset.reread

    @property
    def sights(self) -> tuple[Sight, ...]:
        """The table in view, as the workspace knows it."""
        if self.table is None:
            return ()
        dataset = self._dataset
        if dataset is None:
            return (Sight(self.table, self.table.name),)
        kept = {DrawnTableSource.kind: "passing", ExampleTableSource.kind: "there"}
        how = kept.get(dataset.source.kind, "store")
        return (Sight(self.table, dataset.name, dataset.sha256, how),)

    def follow(self, key: str | None) -> None:
        """Take a table into view.

        Parameters
        ----------
        key : str or None
            Of the workspace; None for the table that the page begins with.
        """
        self.data = self.param.data.default if key is None else key

    def refresh(self) -> None:
        """Take note that the table was renamed or read in another way."""
        self._load()

    def adopt(self, table: ScoreTable, said: str) -> None:
        """Take a table into view; classes extend it to set what depends on it.

        Parameters
        ----------
        table : ScoreTable
        said : str
            What it is.
        """
        self.param.update(table=table, loaded=said, message="")

    def restart(self) -> None:
        """Take the table as if it had just come into view."""
        self._take(str(self.data), again=True)

    # -- steps ---------------------------------------------------------------------------------

    def _open(self) -> None:
        """Take the first table into view."""
        self._take(str(self.data))

    def _load(self, *events: Any) -> None:
        if self.quiet:
            return
        try:
            self._take(str(self.data))
        except ValueError as error:
            if self._dataset is not None:
                self.set_quietly(data=self._dataset.key)
            self.message = str(error)

    def _take(self, key: str, again: bool = False) -> None:
        """Take a table into view, unless it is there already."""
        dataset = self.workspace.dataset(key)
        before, self._dataset = self._dataset, dataset
        same = before is not None and (before.key, before.reading) == (dataset.key, dataset.reading)
        if same and not again:
            self.loaded = said_of(dataset, self.table)
            return
        try:
            table = self.workspace.table(dataset.key)
        except ValueError:
            self._dataset = before
            raise
        self.set_quietly(data=dataset.key, larger_is_member=table.larger_is_member)
        self.adopt(table, said_of(dataset, table))
        self.validity.recall(arriving=before is None or before.key != dataset.key)

    def _turn(self, *events: Any) -> None:
        """Read the scores in the other direction."""
        if not self.quiet and self.table.larger_is_member is not self.larger_is_member:
            table = replace(self.table, larger_is_member=self.larger_is_member)
            self.adopt(table, self.loaded)


def said_of(dataset: DataSet, table: ScoreTable) -> str:
    """What a table is, and what its reader remarked.

    Parameters
    ----------
    dataset : DataSet
    table : ScoreTable
    """
    said = [dataset.source.describe(), *table.notes]
    return " · ".join(text.rstrip(".") for text in said)
