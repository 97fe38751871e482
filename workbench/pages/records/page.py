"""`RecordsPage`: which records of a table leak, and what may be said of all of them at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from workbench.pages.core.page import Control, Section
from workbench.pages.records.attacks import RecordAttacks
from workbench.pages.records.code import records_code
from workbench.pages.records.source import TableChoice
from workbench.tables.table import ScoreTable
from workbench.workspaces.home import given_workspace


class RecordsPage(RecordAttacks):
    """State and drawings of the page."""

    title = "Which records leak"
    about = (
        "Audits of trained models give a score for each model and each record. Which records "
        "leak, how many, and what holds for the worst of them?"
    )
    main: ClassVar[tuple[str, ...]] = ("epsilon", "rank")

    controls: ClassVar[tuple[Section, ...]] = (
        RecordAttacks.data_section,
        RecordAttacks.audit,
        RecordAttacks.records,
        RecordAttacks.attacks,
        Section("", (Control("reset"),)),
    )

    def __init__(self, *given: Any, **params: Any):
        super().__init__(*given, **params)
        self.param.watch(self._open_record, "open_on_scores")

    def _open_record(self, *events: Any) -> None:
        """Add the scores of the record in view, which was chosen by its rank, as a data set."""
        scores, column = self.record_scores(), self.selected()
        if isinstance(scores, str) or column is None:
            self.message = str(scores)
            return
        where = self.table.name or self.loaded
        rank = f"rank {self.rank:,} of {self.in_view().size:,}"
        about = f"{self.name_of(column)} of “{where}”, {rank}"
        try:
            added = self.workspace.add_scores(scores, scores.name, chosen=about)
            self.workspace.active.choose(added.key)
        except ValueError as error:
            self.message = str(error)
        else:
            self.goes_to = "scores"

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore``."""
        return records_code(self, spec)


class GivenRecordsPage(RecordsPage):
    """`RecordsPage` about the table given.

    Parameters
    ----------
    given : ScoreTable
    """

    data = TableChoice("", label="Table")

    controls: ClassVar[tuple[Section, ...]] = (
        Section("Data", (Control("larger_is_member"),)),
        *RecordsPage.controls[1:],
    )

    def __init__(self, given: ScoreTable, **params: Any):
        self._given = given
        super().__init__(**{"workspace": given_workspace(), **params})

    @property
    def subjects(self) -> tuple[Any, ...]:
        """The table given."""
        return (self._given,)

    @property
    def given_scores(self) -> Mapping[str, Any]:
        """The table in view, whatever its direction now."""
        return {"data": self.table}

    def follow(self, key: str | None) -> None:
        """Do nothing: the page is about the table given.

        Parameters
        ----------
        key : str or None
            Not used.
        """

    def restart(self) -> None:
        """Take the table as it was given."""
        self._open()

    def _open(self) -> None:
        table = self._given
        self._set_quietly(larger_is_member=table.larger_is_member)
        size = f"{table.n_models:,} models × {table.n_records:,} records given in Python"
        self.adopt(table, " · ".join([table.name or size, *table.notes]))

    def _load(self, *events: Any) -> None:
        """Do nothing: no other table can be chosen."""
