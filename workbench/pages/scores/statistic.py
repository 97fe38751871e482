"""`AttackStatistic`: the statistic that is thresholded, and simultaneous limits on its attacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from workbench.bounds.bound import Bound
from workbench.bounds.held_out.ordering import learn_ordering
from workbench.bounds.one_question.one_question import one_question_bound
from workbench.bounds.quantities import Question
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.pages.core.page import derived
from workbench.pages.core.part import Part
from workbench.scores.sample import Scores


class AttackStatistic(Part):
    """The score itself, or a likelihood ratio that is learned on a part of the scores."""

    ordering = param.Selector(
        default="score",
        objects={"score": "score", "likelihood ratio learned on 20% of the data": "learned"},
        label="Attack statistic",
        doc="If members can score both high and low, a threshold on the score misses most of the "
        "leak. A likelihood ratio that is learned on 20% of the scores and tested on the rest "
        "finds it, with fewer scores left for the bound.",
    )

    def choices(self) -> dict[str, Any]:
        """The split that a ratio was learned on."""
        return {"split": self.page.scores.chance if self.ordering == "learned" else None}

    def choice_words(self) -> Mapping[str, str]:
        """What messages call the split."""
        return {"split": "the random split"}

    @derived(needs=("scores", "ordering"))
    def measured(self) -> Scores:
        """Scores of the attack statistic: as given, or likelihood ratios learned on a part."""
        return (
            self.page.scores
            if self.ordering == "score"
            else learn_ordering(self.page.scores).scores
        )

    @derived(needs=("measured", "confidence"), shared=True)
    def band(self) -> TradeoffBand:
        """Limits at all thresholds at once."""
        return tradeoff_band(self.measured(), self.page.confidence)

    @derived(needs=("band",))
    def variation_at_least(self) -> Bound:
        """Lower bound on the total variation distance."""
        return self.band().total_variation()

    @derived(needs=("band", "log_delta"))
    def epsilon_at_least(self) -> Bound:
        """Lower bound on ε at the chosen δ."""
        return self.band().epsilon(self.page.delta.value)

    @derived(needs=("asked", "asked_late", "asked_delta", "log_delta"))
    def asked_in_time(self) -> Question | None:
        """The question that was fixed before these data were in view."""
        return self.page.asking.question

    @derived(needs=("measured", "confidence", "asked_in_time"), shared=True)
    def asked_bound(self) -> Bound | None:
        """The bound on the quantity that was fixed in advance."""
        question = self.asked_in_time()
        if question is None:
            return None
        return one_question_bound(self.measured(), question, self.page.confidence)

    def sharpest(self, bound: Bound) -> Bound:
        """A simultaneous bound, or that of the question fixed in advance on the same quantity."""
        answer = self.asked_bound()
        same = answer is not None and (answer.quantity, answer.at) == (bound.quantity, bound.at)
        return self.page.validity.certified(answer if answer is not None and same else bound)
