"""Base class of the testers that count one event: split, choice and measurement.

One half of the fitting part learns what tells P from Q, the other half chooses the event
{estimate > t}; fresh outputs are only counted. The bits of floats are one more view of the outputs
(`workbench.testers.learning.bits`): a tester that reads them counts an event of theirs where it
surely refutes the claim; another one hints at it where no event of the values does.
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
from workbench.curves.validation import Floats
from workbench.testers.learning.bits import BitRatio
from workbench.testers.learning.event_in_words import COMPARED, event_in_words
from workbench.testers.learning.fit_split import EXPECTED, EXPECTED_CONFIDENCE, halves
from workbench.testers.learning.log_ratio import Ratio, Tail
from workbench.testers.learning.outputs import check_alike
from workbench.testers.outputs.table_encoding import Encoding
from workbench.testers.property_testers.base import Finding, FittedWitness, Tester
from workbench.testers.property_testers.events import (
    Candidates,
    EventChoice,
    ThresholdEvent,
    detectable,
    refute,
)

#: What is said where bits would refute and values might not.
HINT = (
    "; besides, the digits of floats tell both datasets apart on the fitting part, which the "
    "tester 'bits' measures"
)


@dataclass(frozen=True, eq=False)
class EventWitness(FittedWitness):
    """Events {estimate > t}, one of which is counted.

    Attributes
    ----------
    claim : Claim
    ratio : callable
        From outputs to an estimate of log(p/q).
    candidates : Candidates
        Events, and the numbers of outputs of the choosing half in them.
    predicted : float
    method : str
        Of the bound.
    hint : str
        What the event's words end with.
    """

    claim: Claim
    ratio: Ratio
    candidates: Candidates
    predicted: float
    method: str
    hint: str = ""

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
        event = self.event(len(p), len(q), confidence)
        tp, fp = (int(np.count_nonzero(self.scores(x) > event.threshold)) for x in (p, q))
        counts = Counts(tp=tp, fp=fp, tn=len(q) - fp, fn=len(p) - tp)
        return refute(self.claim, event, counts, confidence, self.method)

    def scores(self, outputs: NDArray[Any]) -> Floats:
        """The estimated log(p/q)."""
        return self.ratio(outputs)

    def event_in_words(
        self, p: NDArray[Any], q: NDArray[Any], confidence: float, encoding: Encoding
    ) -> str:
        """The counted event; see `FittedWitness.event_in_words`."""
        threshold = self.event(len(p), len(q), confidence).threshold
        few = np.concatenate([p[:COMPARED], q[:COMPARED]])
        inside = self.scores(few) > threshold
        bits = isinstance(self.ratio, BitRatio)
        return event_in_words(few, inside, encoding, bits) + self.hint


class EventTester(Tester):
    """Counts one event of an estimate of log(p/q), which subclasses learn."""

    #: `Bound.method` of what is found.
    method: ClassVar[str]

    #: Whether an event of the bits of floats may be counted, or is only hinted at.
    reads_bits: ClassVar[bool] = False

    @abstractmethod
    def ratios(self, p: NDArray[Any], q: NDArray[Any], rng: np.random.Generator) -> Sequence[Ratio]:
        """Estimates of log(p/q); the best is chosen on other outputs."""

    def bit_ratios(self, p: NDArray[Any], q: NDArray[Any]) -> Sequence[Ratio]:
        """Estimates of log(p/q) from bits; the first that surely refutes is used."""
        return ()

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
        told_by_bits = False
        if self.reads_bits or not candidates.surely_refute(claim, *expected):
            for bits in self.bit_ratios(p_learn, q_learn):
                strongest = Candidates.of_scores(bits(p_choose), bits(q_choose)).strongest(claim)
                if strongest.surely_refute(claim, *expected):
                    told_by_bits = True
                    if self.reads_bits:
                        choice, candidates = strongest.choose(claim, *expected), strongest
                        ratio = bits
                    break
        hint = "" if self.reads_bits or not told_by_bits else HINT
        return EventWitness(claim, ratio, candidates, choice.predicted, self.method, hint)

    def detectable(self, claim: Claim, n_p: int, n_q: int, confidence: float) -> float | None:
        """See `Tester.detectable`: the best event is taken as known."""
        return detectable(claim, n_p, n_q, confidence)
