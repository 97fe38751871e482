"""What the testers share that count one event: the split, the choice, the measurement.

One half of the fitting part learns what tells P from Q, the other half chooses the event
{estimate > t}; fresh outputs are only counted.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.counts.counts import Counts
from workbench.claims.base import Claim
from workbench.curves.elementwise import Floats
from workbench.testers.learning.encoding import check_alike
from workbench.testers.learning.fit_split import EXPECTED, EXPECTED_CONFIDENCE, halves
from workbench.testers.learning.log_ratio import Ratio, Tail
from workbench.testers.property_testers.base import Finding, Tester, Witness
from workbench.testers.property_testers.events import Candidates, Choice, Event, detectable, refute


@dataclass(frozen=True, eq=False)
class EventWitness(Witness):
    """Events {estimate > t}, of which one will be counted.

    Attributes
    ----------
    claim : Claim
    ratio : callable
        From outputs to an estimate of log(p/q).
    candidates : Candidates
        Events, and how many outputs of the choosing half are in them.
    promise : float
    method : str
        Of the bound.
    """

    claim: Claim
    ratio: Ratio
    candidates: Candidates
    promise: float
    method: str

    def event(self, n_p: int, n_q: int, confidence: float) -> Event:
        """The event for so many fresh outputs: strength above its threshold."""
        return self.candidates.choose(self.claim, n_p, n_q, confidence).event

    def measure(self, p: NDArray[Any], q: NDArray[Any], confidence: float) -> Finding:
        """Count the event. See `Witness.measure`.

        Notes
        -----
        Guarantee: held-out, distribution-free, for independent runs. Both rates have one
        confidence region (`workbench.bounds.counts.joint_exact`), from which δ at one ε in both
        directions and the claim's parameter are read.
        """
        event = self.event(len(p), len(q), confidence)
        tp, fp = (int(np.count_nonzero(self.strength(x) > event.threshold)) for x in (p, q))
        counts = Counts(tp=tp, fp=fp, tn=len(q) - fp, fn=len(p) - tp)
        return refute(self.claim, event, counts, confidence, self.method)

    def strength(self, outputs: NDArray[Any]) -> Floats:
        """The estimated log(p/q)."""
        return self.ratio(outputs)


class EventTester(Tester):
    """Learns estimates of log(p/q); subclasses say how."""

    #: `Bound.method` of what is found.
    method: ClassVar[str]

    @abstractmethod
    def ratios(self, p: NDArray[Any], q: NDArray[Any], rng: np.random.Generator) -> Sequence[Ratio]:
        """Estimates of log(p/q), of which the best is chosen on other outputs."""

    def fit(
        self, p: NDArray[Any], q: NDArray[Any], claim: Claim, rng: np.random.Generator
    ) -> EventWitness:
        """Learn on one half, choose events on the other. See `Tester.fit`.

        Raises
        ------
        OutputsError
            Fewer than 4 outputs on a side, or two sides that differ in columns or type.
        """
        check_alike(p, q)
        p_learn, p_choose = halves(p, rng, "P")
        q_learn, q_choose = halves(q, rng, "Q")
        expected = EXPECTED * len(p), EXPECTED * len(q), EXPECTED_CONFIDENCE
        found: list[tuple[Choice, Candidates, Ratio]] = []
        for ratio in self.ratios(p_learn, q_learn, rng):
            # What was not learned may be chosen on all of the fitting part.
            unseen = (p, q) if isinstance(ratio, Tail) else (p_choose, q_choose)
            candidates = Candidates.of_scores(*map(ratio, unseen))
            found.append((candidates.choose(claim, *expected), candidates, ratio))
        choice, candidates, ratio = max(found, key=lambda one: one[0].rank)
        return EventWitness(claim, ratio, candidates, choice.promise, self.method)

    def detectable(self, claim: Claim, n_p: int, n_q: int, confidence: float) -> float | None:
        """See `Tester.detectable`: the best event is taken as known."""
        return detectable(claim, n_p, n_q, confidence)
