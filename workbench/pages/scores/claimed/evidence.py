"""`Evidence`: where the scores contradict what is tested, for the charts, and the way there."""

from __future__ import annotations

from typing import Any

import param

from workbench.bounds.power.judge import refuting_point
from workbench.bounds.power.verdict import RefutingPoint
from workbench.pages.core.page import derived
from workbench.pages.core.part import Part
from workbench.pages.scores.claimed.own_claim import OWN_CLAIM


class Evidence(Part):
    """The point at which the scores contradict a claim most, if they refute it."""

    show_where = param.Event(
        label="Show me where",
        doc="Moves the threshold to where the scores contradict the claim most. The threshold "
        "counts as chosen after seeing the scores.",
    )

    def start(self, given: frozenset[str]) -> None:
        """Watch the button."""
        self.page.param.watch(self._go, "show_where")

    @derived(needs=("measured", "confidence", *OWN_CLAIM), shared=True)
    def refuting(self) -> RefutingPoint | None:
        """The witness of the verdict, if that is refuted: without the power, which takes longer."""
        claim = self.page.own_claim()
        if claim is None:
            return None
        return refuting_point(self.page.statistic.measured(), claim, self.page.confidence)

    @derived(needs=("refuting", "ordering"))
    def on_score(self) -> RefutingPoint | None:
        """The same where its threshold is one of the score; None for that of a learned ratio."""
        return self.refuting() if self.page.ordering == "score" else None

    def _go(self, *events: Any) -> None:
        point = self.on_score()
        if point is not None:
            self.page.threshold = point.threshold
