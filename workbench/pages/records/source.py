"""`TableInput`: the score table that a page is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import param

from workbench.pages.core.page import Control, Section
from workbench.pages.core.part import Part
from workbench.pages.inputs.data import DataChoice, DataInput
from workbench.tables.examples import TABLES
from workbench.tables.table import ScoreTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.score_tables.sources import DrawnTableSource, ExampleTableSource
from workbench.workspaces.seen.memory import Sight
from workbench.workspaces.sources import EXAMPLE

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


class TableInput(Part):
    """The score table that a page is about: one of the workspace, or given in Python.

    The page has a method ``adopt(table, said)`` that takes a table into view with `show` and sets
    what depends on it. If a table cannot be read, the former one stays in view, and the message
    says why.
    """

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

    section = Section(
        "Data",
        (
            Control("data", menu=True, given=False),
            Control("larger_is_member"),
        ),
    )

    _dataset: DataSet | None = None

    def start(self, given: frozenset[str]) -> None:
        """Take the first table into view."""
        page = self.page
        page.param.watch(self._turn, "larger_is_member")
        if page.given is None:
            page.param.watch(self._load, "data")
            self._take(str(self.data))
        else:
            page.param.data.default = ""
            page.set_quietly(data="")
            self._take_given()

    @property
    def dataset(self) -> DataSet | None:
        """The data set in view; None for a table that is given in Python."""
        return self._dataset

    def data_key(self) -> str:
        """Key of the data set in view; "" for a table that is given in Python."""
        return str(self.data)

    def given_scores(self) -> Mapping[str, Any]:
        """The table given in Python, in the direction that it has now."""
        return {} if self.page.given is None else {"data": self.table}

    def reread(self) -> str:
        """The choice of how the data are read that was changed after results were shown."""
        return "" if self._dataset is None else self._dataset.reread

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
        """Take a table into view; a page about one that is given stays with it."""
        if self.page.given is None:
            self.data = self.page.param.data.default if key is None else key

    def refresh(self) -> None:
        """Take note that the table was renamed or read in another way."""
        if self.page.given is None:
            self._load()

    def show(self, table: ScoreTable, said: str) -> None:
        """Take a table into view.

        Parameters
        ----------
        table : ScoreTable
        said : str
            What it is.
        """
        self.page.param.update(table=table, loaded=said, message="")

    def restart(self) -> None:
        """Take the table as if it had just come into view."""
        if self.page.given is None:
            self._take(str(self.data), again=True)
        else:
            self._take_given()

    # -- steps ---------------------------------------------------------------------------------

    def _take_given(self) -> None:
        table: ScoreTable = self.page.given
        self.page.set_quietly(larger_is_member=table.larger_is_member)
        size = f"{table.n_models:,} models × {table.n_records:,} records given in Python"
        self.page.adopt(table, " · ".join([table.name or size, *table.notes]))

    def _load(self, *events: Any) -> None:
        page = self.page
        if page.quiet:
            return
        try:
            self._take(str(self.data))
        except ValueError as error:
            if self._dataset is not None:
                page.set_quietly(data=self._dataset.key)
            page.message = str(error)

    def _take(self, key: str, again: bool = False) -> None:
        """Take a table into view, unless it is there already."""
        page = self.page
        dataset = page.workspace.dataset(key)
        before, self._dataset = self._dataset, dataset
        same = before is not None and (before.key, before.reading) == (dataset.key, dataset.reading)
        if same and not again:
            self.loaded = said_of(dataset, self.table)
            return
        try:
            table = page.workspace.table(dataset.key)
        except ValueError:
            self._dataset = before
            raise
        page.set_quietly(data=dataset.key, larger_is_member=table.larger_is_member)
        page.adopt(table, said_of(dataset, table))
        page.validity.recall(arriving=before is None or before.key != dataset.key)

    def _turn(self, *events: Any) -> None:
        """Read the scores in the other direction."""
        page = self.page
        if not page.quiet and self.table.larger_is_member is not self.larger_is_member:
            page.adopt(replace(self.table, larger_is_member=self.larger_is_member), self.loaded)


def said_of(dataset: DataSet, table: ScoreTable) -> str:
    """What a table is, and what its reader remarked."""
    said = [dataset.source.describe(), *table.notes]
    return " · ".join(text.rstrip(".") for text in said)
