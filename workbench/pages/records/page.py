"""`RecordsPage`: which records of a table leak, and what may be said of all of them at once."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from workbench.pages.core.page import Control, Page, Section
from workbench.pages.inputs.claims.risk import risk_without_scores
from workbench.pages.inputs.settings import DeltaSetting, Validity
from workbench.pages.records.attacks import NO_SIGNALS, RecordAttacks
from workbench.pages.records.attributes import ALL
from workbench.pages.records.code import records_code
from workbench.pages.records.ranking import RecordRanking
from workbench.pages.records.source import TableInput
from workbench.pages.records.view import RecordView
from workbench.tables.table import ScoreTable

#: What belongs to a table, as another one begins with it.
OF_TABLE = {"by": ALL, "group": ALL, "rank": 1, "scores_are": NO_SIGNALS}


class RecordsPage(Page):
    """State and drawings of the page."""

    title = "Which records leak"
    about = (
        "Audits of trained models give a score for each model and each record. Which records "
        "leak, how many, and what holds for the worst of them?"
    )
    main: ClassVar[tuple[str, ...]] = ("epsilon", "rank")

    takes: ClassVar[str] = "table"
    rests_on: ClassVar[str] = "table"

    delta = DeltaSetting()
    validity = Validity(
        {
            "confidence": "the confidence",
            "larger_is_member": "the direction of the score",
        }
    )
    source = TableInput()
    per_record = RecordRanking()
    viewed = RecordView()
    signals = RecordAttacks()

    controls: ClassVar[tuple[Section, ...]] = (
        TableInput.section,
        RecordRanking.audit,
        RecordView.records,
        RecordAttacks.attacks,
        Section("", (Control("reset"),)),
    )

    def __init__(self, *given: Any, **params: Any):
        super().__init__(*given, **params)
        self.param.watch(self._open_record, "open_on_scores")

    def adopt(self, table: ScoreTable, said: str) -> None:
        """Take a table into view, with its first record.

        Parameters
        ----------
        table : ScoreTable
        said : str
            What it is.
        """
        before = self.table
        turned = before is not None and np.array_equal(before.member, table.member)
        if before is not None and not turned:
            self.set_quietly(**OF_TABLE)
        self.source.show(table, said)
        if self.by == ALL and not turned:
            self.set_quietly(by=next(iter(self.groupings()), ALL))

    def _open_record(self, *events: Any) -> None:
        """Add the scores of the record in view, which was chosen by its rank, as a data set."""
        scores, column = self.record_scores(), self.selected()
        if isinstance(scores, str) or column is None:
            self.message = str(scores)
            return
        where = self.table.name or self.loaded
        rank = f"rank {self.rank:,} of {self.in_view().size:,}"
        about = f"{self.viewed.name_of(column)} of “{where}”, {rank}"
        try:
            added = self.workspace.add_scores(scores, scores.name, chosen=about)
            self.workspace.active.choose(added.key)
        except ValueError as error:
            self.message = str(error)
        else:
            self.goes_to = "scores"

    def about_risk(self) -> dict[str, Any]:
        """Nothing of the table: its records have scores of their own, each of which opens there."""
        return risk_without_scores()

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore``."""
        return records_code(self, spec)
