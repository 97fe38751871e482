"""`SyntheticThreats`: singling out, linkability, inference and copies, and who leaks most."""

from __future__ import annotations

from typing import Any, ClassVar

from workbench._format import round_safely
from workbench.figures.kit.layout import empty
from workbench.figures.synthetic import leaking as record_charts
from workbench.figures.synthetic import threats as threat_charts
from workbench.pages.core.page import Control, Fact, Section, derived, figure, number, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import IntegerField
from workbench.pages.synthetic.measured import MOST_NAMED
from workbench.synthetic.threats.base import Threat

#: Threats that the chart shows: of several of one kind those that succeed most on members.
MOST_ROWS = 8

#: Threats of one kind that are shown at most.
MOST_OF_A_KIND = 3

#: The label of exact copies.
EXACT = "exact copies"


class SyntheticThreats(Part):
    """The threats that European regulators name, and the records that leak most."""

    rank = IntegerField(
        1,
        (1, MOST_NAMED),
        label="Rank of the record in view",
        doc="1 is the record with the largest score. A click in the chart of records sets it.",
    )

    section: ClassVar[Section] = Section(
        "Records", (Control("rank", when=lambda page: page.result() is not None),)
    )

    @derived(needs=("result", "confidence"))
    def threats(self) -> tuple[Threat, ...]:
        """What each attack of the regulators' words found."""
        found = self.page.result()
        if found is None:
            return ()
        return tuple(found.threats(confidence=self.page.confidence))

    @figure(
        "Threats",
        needs=("threats", "confidence"),
        span=6,
        formula="Exact (Clopper–Pearson) limits of each rate; they assume that records are "
        "independent.",
        caution="Success on held-out records is what anybody learns from the population. A leak is "
        "the difference; whether one is shown, by the coins alone, stands under the charts.",
    )
    def threats_chart(self) -> dict[str, Any]:
        """How often each attack succeeds on members, and on records that were held out."""
        found = self.threats()
        if not found:
            return empty(self.page.words.next_step(), optional=True)
        rows = [
            threat_charts.ThreatRow(
                one.label,
                threat_charts.Rate(one.hits, one.members, *one.rate_limits),
                threat_charts.Rate(one.held_out_hits, one.held_out, *one.held_out_limits),
            )
            for one in _shown(found)
        ]
        return threat_charts.threats(rows, self.page.confidence)

    @number(
        "Exact copies",
        needs=("threats", "source"),
        caution="The rate on held-out records is that of copies by chance.",
    )
    def copies(self) -> Fact:
        """Records of the training table that stand in the synthetic table as they are."""
        found = [one for one in self.threats() if one.label == EXACT]
        if not found:
            return self.page.measuring.pending
        one = found[0]
        held_out = f"{one.held_out_hits:,} of {one.held_out:,} held-out records"
        return Fact(f"{one.hits:,} of {one.members:,}", f"members; {held_out}")

    @figure(
        "Records that leak most",
        needs=("result", "rank"),
        span=6,
        caution="Members of the measured share with the largest scores. A large score is no proof "
        "that this record leaks; the bound is about all of them together.",
        click="select_record",
    )
    def records_chart(self) -> dict[str, Any]:
        """Training rows, the most exposed first, each with the synthetic row that is most like it.

        Red: the two are equal. Click one to see both in words.
        """
        found = self.page.result()
        if found is None:
            return empty(self.page.words.next_step(), optional=True)
        rows = [
            record_charts.LeakingRecord(
                k,
                f"{one.row:,} {'=' if one.copied else '≈'} {one.nearest:,}",
                one.score,
                one.copied,
            )
            for k, one in enumerate(found.named, 1)
        ]
        return record_charts.leaking(rows, self.rank, found.attack("chosen").label)

    def select_record(self, x: float, y: float) -> None:
        """Take the record of a row of the chart into view.

        Parameters
        ----------
        x, y : float
            Where the chart was clicked.
        """
        found = self.page.result()
        if found is not None and found.named:
            self.rank = min(max(round(y), 0), len(found.named) - 1) + 1

    @sentence(needs=("result", "rank"))
    def record_words(self) -> str:
        """The record in view, and the synthetic record that is most like it."""
        found = self.page.result()
        if found is None or self.rank > len(found.named):
            return ""
        one = found.named[self.rank - 1]
        like = "is equal to" if one.copied else "is most like"
        return (
            f"Record in view, row {one.row:,} of the training table: {one.words}. It {like} row "
            f"{one.nearest:,} of the synthetic table: {one.nearest_words}."
        )

    @sentence(needs=("threats",))
    def threat_words(self) -> str:
        """Which of the threats are shown to leak, by the coins alone."""
        found = self.threats()
        if not found:
            return ""
        if not any(one.guesses is not None and one.void is None for one in found):
            return (
                "Threats: the split was not random, so a difference between members and held-out "
                "records is no proof of a leak."
            )
        leaks = [one for one in found if one.leaks]
        if not leaks:
            return (
                "Threats: none succeeds significantly more often on members than on held-out "
                "records (each tested by the coins alone, not corrected for their number)."
            )
        said = "; ".join(
            f"{one.label}: {one.hits:,} of {one.members:,} members, {one.held_out_hits:,} of "
            f"{one.held_out:,} held out, p = {round_safely(one.p_value, 'up')}"
            for one in sorted(leaks, key=lambda one: one.p_value)[:MOST_ROWS]
        )
        return (
            "Threats that succeed more often on members than chance explains, by the coins alone "
            f"(each by itself, not corrected for their number): {said}."
        )


def _shown(found: tuple[Threat, ...]) -> list[Threat]:
    """The threats of the chart, in their order."""
    kept = []
    for kind in dict.fromkeys(one.name for one in found):
        of_kind = [one for one in found if one.name == kind]
        kept += sorted(of_kind, key=lambda one: one.p_value)[:MOST_OF_A_KIND]
    return [one for one in found if one in kept][:MOST_ROWS]
