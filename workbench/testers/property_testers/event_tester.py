"""Base class of the testers that count one event: split, choice and measurement.

One half of the fitting part learns what tells P from Q, the other half chooses the event
{estimate > t}; fresh outputs are only counted. The bits of floats are one more view of the outputs
(`workbench.testers.learning.bits`): a tester that reads them counts an event of theirs where it
surely refutes the claim; another one hints at it where no event of the values does.
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
from workbench.testers.learning.bits import BitRatio
from workbench.testers.learning.event_in_words import COMPARED, event_in_words
from workbench.testers.learning.fit_split import EXPECTED, EXPECTED_CONFIDENCE, halves
from workbench.testers.learning.log_ratio import Ratio, Tail
from workbench.testers.learning.outputs import check_alike
from workbench.testers.outputs.table_encoding import Encoding
from workbench.testers.property_testers.base import Finding, FittedWitness, Tester
from workbench.testers.property_testers.events import (
    Candidates,
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
    digits : bool
        See `Finding.digits`.
    """

    claim: Claim
    ratio: Ratio
    candidates: Candidates
    largest: tuple[Ratio, Candidates]
    predicted: float
    method: str
    digits: bool = False

    def measure(self, p: NDArray[Any], q: NDArray[Any], confidence: float) -> Finding:
        """The finding from counts of the event; see `FittedWitness.measure`.

        Notes
        -----
        Guarantee: held-out, distribution-free, for independent runs. Both rates have one
        confidence region (`workbench.bounds.counts.joint_exact`), from which δ at one ε in both
        directions and the claim's parameter are read.
        """
        return self._strongest(p, q, confidence).finding

    def measure_in_words(
        self, p: NDArray[Any], q: NDArray[Any], confidence: float, encoding: Encoding
    ) -> Finding:
        """The finding of `measure`, with its event; see `FittedWitness.measure_in_words`."""
        found = self._strongest(p, q, confidence)
        few = np.concatenate([p[:COMPARED], q[:COMPARED]])
        inside = found.ratio(few) > found.event.threshold
        words = event_in_words(few, inside, encoding, isinstance(found.ratio, BitRatio))
        return replace(found.finding, event=words, digits=self.digits)

    def _strongest(self, p: NDArray[Any], q: NDArray[Any], confidence: float) -> _Counted:
        """The stronger finding of one event, or of two that share the error probability."""
        sizes, error = (len(p), len(q)), 1 - confidence
        choice = self.candidates.choose(self.claim, *sizes, confidence)
        if choice.sure or self.claim.parameter is None:
            return self._counted(self.ratio, choice.event, p, q, confidence)
        ratio, candidates = self.largest
        event = candidates.largest(self.claim, *sizes).event
        if choice.rank[0] == 0:
            return self._counted(ratio, event, p, q, confidence)
        both = [
            self._counted(self.ratio, choice.event, p, q, 1 - (1 - SHARE_OF_LARGEST) * error),
            self._counted(ratio, event, p, q, 1 - SHARE_OF_LARGEST * error),
        ]
        best = max(both, key=lambda one: one.finding.rank)
        bound = replace(best.finding.bound, confidence=confidence)
        return replace(best, finding=replace(best.finding, bound=bound))

    def _counted(
        self, ratio: Ratio, event: ThresholdEvent, p: Any, q: Any, confidence: float
    ) -> _Counted:
        tp, fp = (int(np.count_nonzero(ratio(x) > event.threshold)) for x in (p, q))
        counts = Counts(tp=tp, fp=fp, tn=len(q) - fp, fn=len(p) - tp)
        finding = refute(self.claim, event, counts, confidence, self.method)
        return _Counted(finding, ratio, event)

    def scores(self, outputs: NDArray[Any]) -> Floats:
        """The estimated log(p/q)."""
        return self.ratio(outputs)


@dataclass(frozen=True, eq=False)
class _Counted:
    """The finding of one event, and the estimate that the event is about."""

    finding: Finding
    ratio: Ratio
    event: ThresholdEvent


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
        views = []
        for ratio in self.ratios(p_learn, q_learn, rng):
            # What was not learned may be chosen on all of the fitting part.
            unseen = (p, q) if isinstance(ratio, Tail) else (p_choose, q_choose)
            views.append(_View(ratio, Candidates.of_scores(*map(ratio, unseen))))
        best = max(views, key=lambda view: view.candidates.choose(claim, *expected).rank)
        digits = False
        if self.reads_bits or not best.candidates.surely_refute(claim, *expected):
            bits = [
                _View(
                    ratio, Candidates.of_scores(ratio(p_choose), ratio(q_choose)).strongest(claim)
                )
                for ratio in self.bit_ratios(p_learn, q_learn)
            ]
            sure = [view for view in bits if view.candidates.surely_refute(claim, *expected)]
            if self.reads_bits:
                views += bits
                best = sure[0] if sure else best
            elif claim.stated or not bits:
                digits = bool(sure)
            else:  # nothing refutes what is not claimed
                digits = _largest(bits, claim, expected)[1] > _largest(views, claim, expected)[1]
        largest, _ = _largest(views, claim, expected)
        return EventWitness(
            claim,
            best.ratio,
            best.candidates,
            (largest.ratio, largest.candidates),
            best.candidates.choose(claim, *expected).predicted,
            self.method,
            digits,
        )

    def detectable(self, claim: Claim, n_p: int, n_q: int, confidence: float) -> float | None:
        """See `Tester.detectable`: the best event is taken as known."""
        return detectable(claim, n_p, n_q, confidence)


@dataclass(frozen=True, eq=False)
class _View:
    """An estimate of log(p/q), and its events on the choosing half."""

    ratio: Ratio
    candidates: Candidates


def _largest(
    views: Sequence[_View], claim: Claim, expected: tuple[int, int, float]
) -> tuple[_View, tuple[int, float]]:
    """The view that is predicted to show the largest parameter, and its rank."""
    ranks = [view.candidates.largest(claim, *expected[:2]).rank for view in views]
    best = max(range(len(views)), key=ranks.__getitem__)
    return views[best], ranks[best]
