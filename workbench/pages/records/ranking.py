"""`RecordRanking`: limits of all records, computed at once for small tables, else as a job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import param
from numpy.typing import NDArray

from workbench._format import plain
from workbench.bounds.bound import Bound
from workbench.curves.validation import Floats
from workbench.pages.answers import in_brief, nothing_concluded, unfinished
from workbench.pages.core.jobs import job
from workbench.pages.core.page import (
    Answer,
    Control,
    Fact,
    Section,
    answer,
    derived,
    number,
    sentence,
)
from workbench.pages.core.part import Part
from workbench.progress import Report, part, silent
from workbench.scores.sample import ScoresError
from workbench.tables.table import ScoreTable

#: Cells up to which the records are ranked without being asked.
SMALL = 10**6

PENDING = Fact("–", "not ranked yet")


@dataclass(frozen=True, eq=False)
class Ranking:
    """What the page shows of the limits of all records, without the table.

    Attributes
    ----------
    of : str
        The table that it is of; see `RecordRanking.subject`.
    delta, confidence : float
    limits, estimates : ndarray, shape (R,)
        As of `workbench.RecordLimits`.
    order : ndarray of int, shape (K,)
        Columns of the auditable records, from the largest limit down.
    worst : Bound
        Lower limit on the ε of the worst record.
    average : Bound or str
        Lower limit of the pooled scores, which is about the average over records, or why there is
        none.
    maximum : Bound
        The largest limit without correction for the choice: an estimate.
    """

    of: str
    delta: float
    confidence: float
    limits: Floats
    estimates: Floats
    order: NDArray[np.intp]
    worst: Bound
    average: Bound | str
    maximum: Bound


def rank(
    table: ScoreTable, of: str, delta: float, confidence: float, report: Report = silent
) -> Ranking:
    """The ranking of the records of a table.

    Parameters
    ----------
    table : ScoreTable
    of : str
        See `Ranking`.
    delta, confidence : float
    report : Report
    """
    limits = table.each_record(delta, confidence, progress=part(report, 0.0, 0.5))
    worst = table.worst_record(delta, confidence, progress=part(report, 0.5, 0.7))
    maximum = table.uncorrected_maximum(delta, confidence, progress=part(report, 0.7, 0.8))
    average = _average(table, delta, confidence, part(report, 0.8, 1.0))
    report(1.0, "finished")
    order = limits.order[table.auditable[limits.order]]
    # Bounds that could be computed at other levels hold the table, which goes to no other process.
    worst, maximum = (replace(bound, recompute=None) for bound in (worst, maximum))
    return Ranking(
        of, delta, confidence, limits.values, limits.estimates, order, worst, average, maximum
    )


def _average(table: ScoreTable, delta: float, confidence: float, report: Report) -> Bound | str:
    try:
        return replace(table.pooled(delta, confidence, progress=report), recompute=None)
    except ScoresError as error:
        return str(error)


class RecordRanking(Part):
    """The limits of all records, and what they say of the table."""

    epsilon = param.Number(
        1.0,
        bounds=(0, 50),
        softbounds=(0, 8),
        step=0.1,
        label="ε₀",
        doc="Records that exceed it are counted. The limits of all records hold together, so it "
        "may be moved after looking.",
    )
    ranked = param.Parameter(precedence=-1, doc="The Ranking of a large table.")

    audit: ClassVar[Section] = Section(
        "Audit",
        (
            Control("log_delta"),
            Control("confidence"),
            Control("epsilon"),
            Control("rank_records", when=lambda page: page.per_record.is_large),
        ),
    )

    @property
    def is_large(self) -> bool:
        """Whether the records are ranked only when a person asks."""
        return self.page.table is not None and self.page.table.member.size > SMALL

    @property
    def subject(self) -> str:
        """Names the table in view, and how it is read."""
        dataset = self.page.source.dataset
        known = "given" if dataset is None else f"{dataset.key} {dataset.reading.to_dict()}"
        return f"{known} {self.page.larger_is_member}"

    @job(
        "Rank all records",
        needs=("table", "larger_is_member", "log_delta", "confidence"),
        into="ranked",
    )
    def rank_records(self, report: Report) -> Ranking:
        """Computes a lower limit for each record of the table."""
        return rank(
            self.page.table, self.subject, self.page.delta.value, self.page.confidence, report
        )

    @derived(needs=("table", "larger_is_member", "log_delta", "confidence"))
    def small_ranking(self) -> Ranking | str:
        """The ranking of a small table, or why there is none."""
        if self.is_large:
            return "Press “Rank all records”."
        if not self.page.table.auditable.any():
            return NOT_AUDITABLE
        return rank(self.page.table, self.subject, self.page.delta.value, self.page.confidence)

    @derived(needs=("table", "larger_is_member", "small_ranking", "ranked"))
    def ranking(self) -> Ranking | str:
        """The ranking of the table in view, or why there is none."""
        found = self.small_ranking()
        if not self.is_large or not self.page.table.auditable.any():
            return NOT_AUDITABLE if not self.page.table.auditable.any() else found
        ranked: Ranking | None = self.ranked
        if ranked is None or ranked.of != self.subject:
            return f"{self.page.table.n_records:,} records: {found}"
        return ranked

    # -- the answer and the strip of numbers -------------------------------------------------------

    @answer(needs=("ranking", "epsilon", "looked", "loaded"))
    def answer(self) -> Answer:
        """Whether some record leaks, and how many are shown to."""
        found = self.ranking()
        if isinstance(found, str):
            if found == NOT_AUDITABLE:
                return nothing_concluded(found)
            return unfinished(f"Press “{self.page.jobs()['rank_records'].title}”.")
        if self.page.validity.words:
            return nothing_concluded(self.page.validity.words)
        worst = f"the record that leaks most has {in_brief(found.worst)}"
        count = int((found.limits > self.epsilon).sum())
        if found.worst.value == 0 and not count:
            return Answer("No record is shown to leak", f"{worst}. A better attack may show one")
        above = f"at least {count:,} of {found.limits.size:,} exceed ε₀ = {plain(self.epsilon)}"
        return Answer("Some records leak", f"{worst}; {above}", "bad")

    @number(
        "Worst record",
        needs=("ranking", "looked", "loaded"),
        formula="A part of the models selects records and a rule; guesses on the other models "
        "test them (`ScoreTable.worst_record`).",
        caution="Bounds the largest ε of all records. It does not identify the record: the first "
        "one of the ranking may leak less. A stronger attack may give a larger bound.",
        main=True,
    )
    def worst(self) -> Bound | Fact:
        """Lower bound on the ε of the record that leaks most."""
        found = self.ranking()
        return PENDING if isinstance(found, str) else self.page.validity.certified(found.worst)

    @number(
        "Records above ε₀",
        needs=("ranking", "epsilon", "looked", "loaded"),
        formula="The number of records whose lower limit on ε exceeds ε₀.",
        caution="Valid for all ε₀ simultaneously. `ScoreTable.exceeding` may count more records "
        "for one ε₀ that was fixed before looking.",
    )
    def exceeding(self) -> Fact:
        """Lower bound on the number of records whose ε exceeds ε₀."""
        found = self.ranking()
        if isinstance(found, str):
            return PENDING
        if self.page.validity.words:
            return Fact("–", f"not valid: {self.page.validity.words}")
        count = int((found.limits > self.epsilon).sum())
        at = f"ε₀ = {plain(self.epsilon)} at δ = {plain(found.delta)}"
        return Fact(f"≥ {count:,}", f"of {found.limits.size:,} exceed {at}")

    @number(
        "Average over records",
        needs=("ranking", "looked", "loaded"),
        caution="Measures how well the attack distinguishes an average member from an average "
        "non-member. It bounds no single record: a few records that leak much hardly change it.",
    )
    def average(self) -> Bound | Fact:
        """Lower bound on ε from the scores of all records pooled, as in a single ROC curve."""
        found = self.ranking()
        if isinstance(found, str):
            return PENDING
        if isinstance(found.average, str):
            return Fact("–", found.average)
        return self.page.validity.certified(found.average)

    @number(
        "Largest limit of one record, uncorrected",
        needs=("ranking", "loaded"),
        formula="The largest of the limits, each valid for one record that was fixed in advance.",
        caution="Tools that print the worst of all records print such a number. It has no "
        "guarantee, however small it is: the largest of many limits is above 0 also where no "
        "record leaks. It is not an upper limit of the other numbers, either: they use the scores "
        "of many records together.",
    )
    def maximum(self) -> Bound | Fact:
        """The largest limit that one record reaches by its own scores, not corrected for choice."""
        found = self.ranking()
        if isinstance(found, str):
            return PENDING
        return found.maximum

    # -- sentences ---------------------------------------------------------------------------------

    @sentence(needs=("loaded",), place="head")
    def source_words(self) -> str:
        """What was loaded."""
        return self.page.loaded

    @sentence(needs=("table",), place="foot")
    def design_words(self) -> str:
        """How the records were assigned to the models, and what the bounds assume."""
        t: ScoreTable = self.page.table
        left_out = int((~t.auditable).sum())
        said = (
            f"{t.n_models:,} models, {t.n_records:,} records. Memberships: {t.design.name}. Bounds "
            f"state the assumption “{t.assumption}”."
        )
        if left_out:
            said += (
                f" {left_out:,} of the records are in fewer than two models, or out of fewer than "
                "two, and cannot be audited."
            )
        return said

    @sentence(needs=("ranking", "looked", "loaded"), place="strip")
    def relation(self) -> str:
        """What the uncorrected maximum is, beside the bounds."""
        found = self.ranking()
        if isinstance(found, str) or self.page.validity.words:
            return ""
        return (
            f"The uncorrected limit is an estimate: the largest of {found.order.size:,} limits of "
            "one record each, chosen because it is the largest. It may lie above or below the "
            "truth, and above or below the bounds, which use many records together."
        )

    @sentence(needs=("ranking", "looked", "loaded"), place="strip")
    def doubt(self) -> str:
        """Why the limits are not valid, or what the page waits for."""
        found = self.ranking()
        return found if isinstance(found, str) else self.page.validity.sentence.strip()


NOT_AUDITABLE = (
    "No record can be audited: each is in fewer than two models, or out of fewer than two."
)
