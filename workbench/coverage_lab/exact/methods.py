"""Methods as functions from scores and a question to a value, for exact levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.bounds.counts.counts import Counts
from workbench.bounds.one_question.one_question import one_question_bound
from workbench.bounds.quantities import Epsilon, Mu, Question, TotalVariation
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.scores.counting.counted import CountedScores
from workbench.scores.sample import Scores, ScoresError

#: What is asked, by the name in stored results.
QUESTIONS: dict[str, Question] = {
    "ε at δ = 0": Epsilon(0.0),
    "ε at δ = 1e-5": Epsilon(1e-5),
    "ε at δ = 0.05": Epsilon(0.05),
    "μ": Mu(),
    "TV": TotalVariation(),
}

#: Quantities of the band that are checked together.
TOGETHER = ("ε at δ = 0", "ε at δ = 1e-5", "μ", "TV")

#: The confidence at which levels are computed.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class ExactMethod:
    """A method whose level is computed.

    Attributes
    ----------
    name : str
        As in `workbench.coverage_lab.methods`.
    value : callable
        (scores, question) -> the bound.
    one_cut : bool
        Whether it looks at one threshold only.
    answers : bool
        Whether its scores are answers, yes or no.
    """

    name: str
    value: Callable[[Any, Question], float]
    one_cut: bool = False
    answers: bool = False

    def scores(self, p: Sequence[int], q: Sequence[int]) -> Scores | CountedScores:
        """Scores 0, 1, … from the count of each."""
        values = np.arange(len(p), dtype=float)
        if not self.answers:
            return CountedScores(values, p, q)
        return Scores(np.repeat(values, p), np.repeat(values, q), yes_no=True)


def of_band(scores: Any, question: Question) -> float:
    """The band's bound of a question."""
    band = tradeoff_band(scores, CONFIDENCE)
    if isinstance(question, Epsilon):
        return band.epsilon(question.delta).value
    return (band.mu() if isinstance(question, Mu) else band.total_variation()).value


def _one_question(scores: Any, question: Question) -> float:
    return one_question_bound(scores, question, CONFIDENCE).value


def _at_the_cut(interval: str) -> Callable[[Any, Question], float]:
    def value(scores: Any, question: Question) -> float:
        return Counts.at_threshold(scores, 0.5).bound(question, CONFIDENCE, interval).value

    return value


EXACT_METHODS = {
    method.name: method
    for method in (
        ExactMethod("simultaneous", of_band),
        ExactMethod("one-question", _one_question),
        ExactMethod("one-question, yes or no", _one_question, one_cut=True, answers=True),
        ExactMethod("exact", _at_the_cut("joint"), one_cut=True),
        ExactMethod("clopper-pearson", _at_the_cut("clopper-pearson"), one_cut=True),
    )
}


def exceeds(method: ExactMethod, scores: Any, question: Question, truth: float) -> bool:
    """Whether a bound is larger than the truth; refused scores have none."""
    try:
        return method.value(scores, question) > truth + 1e-9 * max(truth, 1e-3)
    except ScoresError:
        return False
