"""Base class of the testers that count one event: split, choice and measurement.

One half of the fitting part learns what tells P from Q, the other half chooses the event
{estimate > t}; fresh outputs are only counted.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.counts.counts import Counts
from workbench.claims.base import Claim
from workbench.curves.validation import Floats
from workbench.testers.learning.fit_split import EXPECTED, EXPECTED_CONFIDENCE, halves
from workbench.testers.learning.log_ratio import Ratio, Tail
from workbench.testers.learning.outputs import check_alike
from workbench.testers.property_testers.base import Finding, FittedWitness, Tester
from workbench.testers.property_testers.events import (
    Candidates,
    EventChoice,
    ThresholdEvent,
    detectable,
    refute,
)

#: Of the error probability, where two events share it, for the one of the largest parameter.
SHARE_OF_LARGEST = 0.2


@dataclass(frozen=True, eq=False)
class EventWitness(FittedWitness):
    """Events {estimate > t}, of which one is counted, or two.

    Where the claim is not predicted to be refuted for sure, two events share the error probability:
    the most significant one against the claim, and the one that would show the largest parameter,
    which does not depend on what is claimed.

    Attributes
    ----------
    claim : Claim
    ratio : callable
        From outputs to an estimate of log(p/q).
    candidates : Candidates
        Events, and the numbers of outputs of the choosing half in them.
    largest : (callable, Candidates)
        The same of the estimate that is predicted to show the largest parameter.
    predicted : float
    method : str
        Of the bound.
    """

    claim: Claim
    ratio: Ratio
    candidates: Candidates
    largest: tuple[Ratio, Candidates]
    predicted: float
    method: str

    def event(self, n_p: int, n_q: int, confidence: float) -> ThresholdEvent:
        """The event for given numbers of fresh outputs: score above its threshold."""
        return self.candidates.choose(self.claim, n_p, n_q, confidence).event

    def measure(self, p: NDArray[Any], q: NDArray[Any], confidence: float) -> Finding:
        """The finding from counts of the event; see `FittedWitness.measure`.

        Notes
        -----
        Guarantee: held-out, distribution-free, for independent runs. Both rates have one
        confidence region (`workbench.bounds.counts.joint_exact`), from which δ at one ε in both
        directions and the claim's parameter are read.
        """
        sizes, error = (len(p), len(q)), 1 - confidence
        choice = self.candidates.choose(self.claim, *sizes, confidence)
        if choice.sure or self.claim.parameter is None:
            return self._counted(self.ratio, choice.event, p, q, confidence)
        ratio, candidates = self.largest
        event = candidates.largest(self.claim, *sizes).event
        if choice.rank[0] == 0:
            return self._counted(ratio, event, p, q, confidence)
        found = [
            self._counted(self.ratio, choice.event, p, q, 1 - (1 - SHARE_OF_LARGEST) * error),
            self._counted(ratio, event, p, q, 1 - SHARE_OF_LARGEST * error),
        ]
        best = max(found, key=lambda finding: finding.rank)
        return replace(best, bound=replace(best.bound, confidence=confidence))

    def _counted(
        self, ratio: Ratio, event: ThresholdEvent, p: Any, q: Any, confidence: float
    ) -> Finding:
        tp, fp = (int(np.count_nonzero(ratio(x) > event.threshold)) for x in (p, q))
        counts = Counts(tp=tp, fp=fp, tn=len(q) - fp, fn=len(p) - tp)
        return refute(self.claim, event, counts, confidence, self.method)

    def scores(self, outputs: NDArray[Any]) -> Floats:
        """The estimated log(p/q)."""
        return self.ratio(outputs)


class EventTester(Tester):
    """Counts one event of an estimate of log(p/q), which subclasses learn."""

    #: `Bound.method` of what is found.
    method: ClassVar[str]

    @abstractmethod
    def ratios(self, p: NDArray[Any], q: NDArray[Any], rng: np.random.Generator) -> Sequence[Ratio]:
        """Estimates of log(p/q); the best is chosen on other outputs."""

    def fit(
        self, p: NDArray[Any], q: NDArray[Any], claim: Claim, rng: np.random.Generator
    ) -> EventWitness:
        """Events learned on one half and chosen on the other; see `Tester.fit`.

        Raises
        ------
        OutputsError
            Fewer than 4 outputs in a sample, or samples that differ in columns or type.
        """
        check_alike(p, q)
        p_learn, p_choose = halves(p, rng, "P")
        q_learn, q_choose = halves(q, rng, "Q")
        expected = EXPECTED * len(p), EXPECTED * len(q), EXPECTED_CONFIDENCE
        found: list[tuple[EventChoice, Candidates, Ratio]] = []
        for ratio in self.ratios(p_learn, q_learn, rng):
            # What was not learned may be chosen on all of the fitting part.
            unseen = (p, q) if isinstance(ratio, Tail) else (p_choose, q_choose)
            candidates = Candidates.of_scores(*map(ratio, unseen))
            found.append((candidates.choose(claim, *expected), candidates, ratio))
        choice, candidates, ratio = max(found, key=lambda one: one[0].rank)
        _, second, largest = max(found, key=lambda one: one[1].largest(claim, *expected[:2]).rank)
        return EventWitness(
            claim, ratio, candidates, (largest, second), choice.predicted, self.method
        )

    def detectable(self, claim: Claim, n_p: int, n_q: int, confidence: float) -> float | None:
        """See `Tester.detectable`: the best event is taken as known."""
        return detectable(claim, n_p, n_q, confidence)
