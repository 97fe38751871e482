"""The hockey-stick tester: learn what tells P from Q, choose one event by it, count that event.

By the lemma of Neyman and Pearson the best events are {log p/q > t}. One half of the fitting part
learns the log-ratio, the other half chooses t; fresh outputs are only counted (AUDITORIUM learns a
classifier in the same place, and measures its accuracy).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.counts import Counts
from workbench.curves.elementwise import Floats
from workbench.testers.base import Claimed, Finding, Tester, Witness
from workbench.testers.events import Candidates, Choice, Event, detectable, refute
from workbench.testers.outputs import OutputsError, check_alike
from workbench.testers.ratios import Ratio, learn_ratios

METHOD = "held-out event"

#: What is expected while fitting: fresh outputs for each one of the fitting part, and the
#: confidence that will be asked. The event is chosen again once both are known.
EXPECTED, EXPECTED_CONFIDENCE = 4, 0.95


@dataclass(frozen=True, eq=False)
class EventWitness(Witness):
    """Events {log-ratio > t} of one estimate, of which one will be counted.

    Attributes
    ----------
    claim : Claim or Pair
    ratio : callable
        From outputs to an estimate of log(p/q).
    candidates : Candidates
        Events, and how many outputs of the choosing half are in them.
    promise : float
    method : str
        Of the bound.
    """

    claim: Claimed
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
        confidence region (`workbench.bounds.combined_test`), from which δ at one ε in both
        directions and the claim's parameter are read.
        """
        event = self.event(len(p), len(q), confidence)
        tp, fp = (int(np.count_nonzero(self.strength(x) > event.threshold)) for x in (p, q))
        counts = Counts(tp=tp, fp=fp, tn=len(q) - fp, fn=len(p) - tp)
        return refute(self.claim, event, counts, confidence, self.method)

    def strength(self, outputs: NDArray[Any]) -> Floats:
        """The estimated log(p/q)."""
        return self.ratio(outputs)


class HockeyStickTester(Tester):
    """Any claim, any outputs: numbers, categories, several columns."""

    name = "hockey-stick"

    def refuses(self, claim: Claimed, example: NDArray[Any]) -> str | None:
        """Nothing is refused."""
        return None

    def fit(
        self, p: NDArray[Any], q: NDArray[Any], claim: Claimed, rng: np.random.Generator
    ) -> EventWitness:
        """Learn log(p/q) on one half, choose events on the other. See `Tester.fit`.

        Raises
        ------
        OutputsError
            Fewer than 4 outputs on a side, or two sides that differ in columns or type.
        """
        check_alike(p, q)
        p_learn, p_choose = _halves(p, rng, "P")
        q_learn, q_choose = _halves(q, rng, "Q")
        ratios = learn_ratios(p_learn, q_learn, rng)
        expected = EXPECTED * len(p), EXPECTED * len(q)
        found = [_witness(claim, ratio, p_choose, q_choose, expected) for ratio in ratios]
        return max(found, key=lambda it: it[0].rank)[1]

    def detectable(self, claim: Claimed, n_p: int, n_q: int, confidence: float) -> float | None:
        """See `Tester.detectable`: the best event is taken as known."""
        return detectable(claim, n_p, n_q, confidence, METHOD)


def _witness(
    claim: Claimed, ratio: Ratio, p: NDArray[Any], q: NDArray[Any], expected: tuple[int, int]
) -> tuple[Choice, EventWitness]:
    """The events of an estimate, and the choice among them that is expected."""
    candidates = Candidates.of_scores(ratio(p), ratio(q))
    choice = candidates.choose(claim, *expected, EXPECTED_CONFIDENCE)
    return choice, EventWitness(claim, ratio, candidates, choice.promise, METHOD)


def _halves(
    x: NDArray[Any], rng: np.random.Generator, side: str
) -> tuple[NDArray[Any], NDArray[Any]]:
    if len(x) < 4:
        raise OutputsError(
            f"side {side} has {len(x)} outputs to fit a tester on, too few to learn and to choose; "
            "it needs at least 4"
        )
    order = rng.permutation(len(x))
    half = len(x) // 2
    return x[order[:half]], x[order[half:]]
