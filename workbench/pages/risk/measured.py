"""`RiskMeasured`: what the scores in view, or four counts, show of the risk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import param

from workbench.bounds.counts.counts import Counts
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.pages.core.page import Control, Section, derived, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import IntegerField
from workbench.pages.inputs.claims.risk import COUNTED, EVIDENCE
from workbench.pages.inputs.score_source import ScoreSource
from workbench.risks.evidence import RiskEvidence, evidence_of

#: Bounds of each count.
COUNT = (0, 10**9)

#: What the evidence rests on.
MEASURED = ("evidence", "scores", "confidence", *COUNTED, "looked", "loaded")


def _of_scores(control: Control) -> Callable[[Any], bool]:
    """Whether a control of the scores is offered: where these are the evidence."""
    return lambda page: page.evidence == "scores" and control.offered(page)


class RiskScores(ScoreSource):
    """The scores in view, which are the evidence or not."""

    section: ClassVar[Section] = Section(
        "Data",
        tuple(replace(one, when=_of_scores(one)) for one in ScoreSource.section.controls),
    )

    def shows_results(self) -> bool:
        """Whether results rest on the scores."""
        return bool(self.page.evidence == "scores")

    @sentence(needs=("loaded", "evidence"), place="head")
    def provenance(self) -> str:
        """What the scores are and how they were read; nothing where they are no evidence."""
        return super().provenance() if self.shows_results() else ""


class RiskMeasured(Part):
    """Where the evidence comes from, and what it shows."""

    evidence = param.Selector(
        default="scores",
        objects=EVIDENCE,
        label="What was measured?",
        doc="Scores of an attack, or how often it was right: they show how much an attacker can "
        "do at least. Nothing, to ask only what is promised.",
    )
    counted_tp = IntegerField(400, COUNT, label="Members classified as members")
    counted_fn = IntegerField(100, COUNT, label="Members classified as non-members")
    counted_fp = IntegerField(100, COUNT, label="Non-members classified as members")
    counted_tn = IntegerField(400, COUNT, label="Non-members classified as non-members")

    controls: ClassVar[tuple[Control, ...]] = (
        Control("evidence"),
        *(Control(name, when=lambda page: page.evidence == "counts") for name in COUNTED),
        Control("confidence", when=lambda page: page.evidence != "none"),
    )

    @derived(needs=("scores", "confidence"), shared=True)
    def band(self) -> TradeoffBand:
        """Limits at all thresholds at once."""
        return tradeoff_band(self.page.scores, self.page.confidence)

    @derived(needs=MEASURED)
    def measured(self) -> RiskEvidence | None:
        """What is shown, with why it is not valid where it is not; None where nothing is."""
        page = self.page
        if self.evidence == "none" or self.why_not_measured():
            return None
        if self.evidence == "counts":
            return evidence_of(self._counts(), page.confidence)
        found = evidence_of(self.band(), page.confidence)
        return replace(found, bound=page.validity.certified(found.bound))

    @derived(needs=("evidence", *COUNTED))
    def why_not_measured(self) -> str:
        """Why the counts show nothing; "" where they do, or are not asked."""
        if self.evidence == "counts":
            try:
                self._counts()
            except ValueError as error:
                return str(error)
        return ""

    def _counts(self) -> Counts:
        counts: Any = {name: getattr(self, flat) for flat, name in COUNTED.items()}
        return Counts(**counts)
