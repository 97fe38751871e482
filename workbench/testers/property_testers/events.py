"""Events chosen on some outputs and counted on others, and the bounds from their counts.

An event E refutes a claim when its probability is large under P and small under Q, or vice versa.
Its rates are the errors of an attack that calls "in" where E happens: fpr = Q(E), fnr = 1 − P(E). A
claim is a trade-off function f; it is refuted when a confidence region for (fpr, fnr) lies below f.
Only lines are used of f, f(α) ≥ 1 − δ(ε) − e^ε α and its mirror image, the two directions of
δ(ε) = H_{e^ε}: one event, one region, and both directions hold together.

The event and the ε are those that would refute most significantly if fresh outputs were like the
outputs that they are chosen on. The event of the largest hockey-stick divergence is a worse choice:
it includes outputs that add noise and hardly any evidence. Where no event is likely to refute, and
where nothing is claimed, it is the event that would prove the largest parameter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrik, ndtr, ndtri

from workbench.bounds.bound import Bound
from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.bounds.counts.counts import Counts
from workbench.bounds.counts.joint_exact import joint_corners
from workbench.bounds.quantities import Delta, QuantityArguments, Question
from workbench.claims.base import Claim
from workbench.curves.validation import Floats, quiet
from workbench.estimators.roc import roc
from workbench.scores.sample import Scores
from workbench.testers.property_testers.base import Finding
from workbench.testers.property_testers.detectable import POWER, least

#: Cells of the confidence region: with 40 it takes three times as long, and limits rise by 1e-4 of
#: themselves.
CELLS = 12

#: Standard deviations of its own counts by which an event's predicted limit is lowered: where
#: some event is then still predicted to refute, the largest limit wins, else the most significant.
CAUTION = 2.0

#: The same for both rates of an event that is to show the largest parameter: of many events the
#: luckiest is rare, and shows nothing on fresh outputs.
CAREFUL = 2.5

#: The same, for an event that is to refute alone.
SURE = 4.0

#: The same, where the bits of floats are asked unless a limit lowered by it refutes.
MOST_CAREFUL = 5.0

#: Values of ε that are tried where the claim names none, up to where it allows this δ.
_EPSILONS, _SMALLEST_DELTA, _LARGEST_EPSILON = 41, 1e-6, 50.0

#: e^ε is computed up to here where events are compared.
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True)
class ThresholdEvent:
    """An event to count, and the quantity that its counts bound.

    Attributes
    ----------
    threshold : float
        The event is a score above it.
    epsilon : float
        Where δ is bounded.
    question : Question
        Determines the shape of the confidence region of both rates: δ, or the claim's parameter.
    """

    threshold: float
    epsilon: float
    question: Question


@dataclass(frozen=True)
class EventChoice:
    """A candidate event with its rank.

    Attributes
    ----------
    event : ThresholdEvent
    predicted : float
        See `FittedWitness.predicted`; one standard deviation off both rates.
    rank : (int, float)
        2 where the claim is predicted to be refuted, and how clearly; 1 where the event speaks
        against it at its own ε, and how significantly; 0 elsewhere, and the prediction.
    sure : bool
        Whether the claim is predicted to be refuted by careful limits of both rates, too.
    """

    event: ThresholdEvent
    predicted: float
    rank: tuple[int, float]
    sure: bool = False


@dataclass(frozen=True, eq=False)
class _Lines:
    """Values of ε, the δ allowed there, and `_excess` of the events."""

    epsilons: Floats
    allowed: Floats
    excess: Floats
    spread: Floats


@dataclass(frozen=True, eq=False)
class Candidates:
    """Events {score > threshold} on the hull of the ROC, with their counts.

    The hull suffices, since predicted limits are convex functions of both rates.

    Attributes
    ----------
    thresholds : ndarray, shape (k,)
    in_p, in_q : ndarray, shape (k,)
        Outputs of P and of Q in each event.
    n_p, n_q : int
        Numbers of outputs.
    """

    thresholds: Floats
    in_p: NDArray[np.int64]
    in_q: NDArray[np.int64]
    n_p: int
    n_q: int

    @classmethod
    def of_scores(cls, p: Floats, q: Floats) -> Candidates:
        """The vertices of the hull; a single empty event if all scores are equal.

        Parameters
        ----------
        p, q : ndarray
            Scores.
        """
        least, most = min(p.min(), q.min()), max(p.max(), q.max())
        if least == most:
            nothing = np.zeros(1, np.int64)
            return cls(np.array([most]), nothing, nothing, p.size, q.size)
        scores = Scores(p, q, True)
        rank = np.rint(roc(scores).curve.alpha * q.size).astype(np.int64) + 1
        thresholds = scores.samples.most_member_like_q(rank[rank <= q.size])
        in_p, in_q = scores.tail_counts(thresholds)
        return cls(thresholds, in_p, in_q, p.size, q.size)

    def choose(self, claim: Claim, n_p: int, n_q: int, confidence: float) -> EventChoice:
        """The event that would refute the claim best with so many fresh outputs.

        Parameters
        ----------
        claim : Claim
        n_p, n_q : int
            Fresh outputs.
        confidence : float
            Of the finding on them.
        """
        lines = self._against(claim, n_p, n_q)
        excess, spread = lines.excess, lines.spread
        *_, own_spread = _excess(*self._rates, self.n_p, self.n_q, lines.epsilons, lines.allowed)
        significance = excess / spread
        limit = excess + ndtri(1 - confidence) * spread - CAUTION * own_spread
        one_line = lines.epsilons.size == 1
        if limit.max() > 0:
            # Limits at different ε do not compare.
            return self._choice(claim, 2, limit if one_line else significance, lines)
        if one_line and significance.max() > 0:
            return self._choice(claim, 1, significance, lines)
        return self.largest(claim, n_p, n_q)

    def largest(self, claim: Claim, n_p: int, n_q: int) -> EventChoice:
        """The event that is predicted to show the largest parameter, whatever is claimed.

        Parameters
        ----------
        claim : Claim
        n_p, n_q : int
            Fresh outputs.
        """
        lines = self._against(claim, n_p, n_q)
        significance = lines.excess / lines.spread
        shown = self._suggested(claim, lines.epsilons[0], CAREFUL)
        value = np.broadcast_to(shown, significance.shape)
        among = np.where(value == value.max(), significance, -np.inf)
        return self._choice(claim, 0, value, lines, among)

    @property
    def _rates(self) -> tuple[Floats, Floats]:
        """Half an output more on either side of every event: an empty one is not impossible."""
        return (self.in_p + 0.5) / (self.n_p + 1), (self.in_q + 0.5) / (self.n_q + 1)

    def _against(self, claim: Claim, n_p: int, n_q: int) -> _Lines:
        epsilons, allowed = _lines(claim)
        excess, spread = _excess(*self._rates, n_p, n_q, epsilons, allowed)
        return _Lines(epsilons, allowed, excess, spread)

    def _choice(
        self, claim: Claim, level: int, value: Floats, lines: _Lines, among: Floats | None = None
    ) -> EventChoice:
        """The event of the largest value; of equal ones the first in ``among``."""
        best = np.argmax(value if among is None else among)
        _, i, j = (int(k) for k in np.unravel_index(best, value.shape))
        epsilon, (p, q) = float(lines.epsilons[i]), self._rates
        question = _question(claim, epsilon, level, float(q[j]), 1 - float(p[j]))
        event = ThresholdEvent(float(self.thresholds[j]), epsilon, question)
        predicted = float(self._suggested(claim, epsilon, 1.0)[j])
        sure = level == 2 and (
            lines.epsilons.size > 1
            or claim.parameter is None
            or float(self._suggested(claim, epsilon, SURE)[j]) > claim.parameter
        )
        return EventChoice(event, predicted, (level, float(value.max())), sure)

    def surely_refute(self, claim: Claim, n_p: int, n_q: int, confidence: float) -> bool:
        """Whether an event would refute the claim if its rates were far nearer to it.

        Parameters
        ----------
        claim, n_p, n_q, confidence
            As in `choose`.
        """
        p, q = (self.in_p + 0.5) / (self.n_p + 1), (self.in_q + 0.5) / (self.n_q + 1)
        lines = _lines(claim)
        excess, spread = _excess(p, q, n_p, n_q, *lines)
        _, own_spread = _excess(p, q, self.n_p, self.n_q, *lines)
        return bool((excess + ndtri(1 - confidence) * spread > MOST_CAREFUL * own_spread).any())

    def strongest(self, claim: Claim) -> Candidates:
        """Only the event that suggests the largest parameter.

        Parameters
        ----------
        claim : Claim
        """
        j = int(np.argmax(self._suggested(claim, float(_lines(claim)[0][0]), CAUTION)))
        one = slice(j, j + 1)
        return replace(
            self, thresholds=self.thresholds[one], in_p=self.in_p[one], in_q=self.in_q[one]
        )

    def _suggested(self, claim: Claim, epsilon: float, deviations: float) -> Floats:
        """The claim's parameter at each event, with both rates moved by some deviations.

        For a pair, the excess of δ(ε) over what is allowed.
        """
        error = float(ndtr(-deviations))
        fpr = clopper_pearson_upper(self.in_q, self.n_q, error)
        fnr = clopper_pearson_upper(self.n_p - self.in_p, self.n_p, error)
        if claim.parameter is None:
            return Delta(epsilon).from_rates(fpr, fnr) - float(claim.profile(epsilon))
        return np.asarray(claim.parameter_refuted_by_rates(fpr, fnr))


def refute(
    claim: Claim, event: ThresholdEvent, counts: Counts, confidence: float, method: str
) -> Finding:
    """The finding on a claim from fresh counts of one event.

    Parameters
    ----------
    claim : Claim
    event : ThresholdEvent
        Chosen on other outputs.
    counts : Counts
        Of independent runs; "in" is where the event happened.
    confidence : float
    method : str
        `Bound.method`.

    Returns
    -------
    Finding
        On δ at the event's ε; where nothing is claimed, on the parameter. The parameter is of the
        same confidence region.
    """
    value, alpha, beta = _shown(event, counts, confidence)
    allowed = claim.max_delta(event.epsilon)
    parameter, own = None, claim.parameter
    if own is not None:
        parameter = float(np.min(claim.parameter_refuted_by_rates(alpha, beta)))
        # Where a line of f is not crossed, f itself might be: less than that is said.
        parameter = min(parameter, own) if value <= allowed else parameter
    bound = Bound(
        quantity="delta",
        value=value,
        guarantee="held-out",
        method=method,
        assumption="independent runs",
        n_p=counts.n_p,
        n_q=counts.n_q,
        confidence=confidence,
        at=QuantityArguments(epsilon=event.epsilon),
        direction="P‖Q" if counts.fp * counts.n_p <= counts.fn * counts.n_q else "Q‖P",
    )
    return Finding(bound, claim, allowed, parameter).of_parameter()


def detectable(claim: Claim, n_p: int, n_q: int, confidence: float) -> float | None:
    """The smallest parameter at which `refute` succeeds with probability at least 80%.

    For randomized response with that ε (or that Rényi divergence), or a Gaussian mechanism with
    that μ, on its best event. Both counts are taken at their 10% quantiles, so that both are at
    least as good with probability 80%; nothing is simulated.

    Parameters
    ----------
    claim : Claim or Pair
    n_p, n_q : int
        Numbers of measured outputs.
    confidence : float

    Returns
    -------
    float or None
        ``inf`` where even an event without errors does not suffice; None for a pair.
    """
    own = claim.parameter
    if own is None:
        return None
    allowed = cache(claim.max_delta)
    event, _, _ = _best_event(claim, own + 1, n_p, n_q)
    perfect = Counts(tp=n_p, fp=0, tn=n_q, fn=0)
    if not _shown(event, perfect, confidence)[0] > allowed(event.epsilon):
        return math.inf

    def refuted(x: float) -> bool:
        event, fpr, fnr = _best_event(claim, x, n_p, n_q)
        fp, fn = _bad_count(n_q, fpr), _bad_count(n_p, fnr)
        counts = Counts(tp=n_p - fn, fp=fp, tn=n_q - fp, fn=fn)
        return _shown(event, counts, confidence)[0] > allowed(event.epsilon)

    return least(own, refuted)


def _shown(
    event: ThresholdEvent, counts: Counts, confidence: float
) -> tuple[float, Floats, Floats]:
    """The lower limit of δ, and the corners of the region."""
    alpha, beta = joint_corners(
        counts.tp, counts.fp, counts.tn, counts.fn, event.question, 1 - confidence, CELLS
    )
    return float(np.min(Delta(event.epsilon).from_rates(alpha, beta))), alpha, beta


def _question(claim: Claim, epsilon: float, level: int, fpr: float, fnr: float) -> Question:
    """What the confidence region is shaped for: δ where it may decide, else the parameter."""
    if level == 2 or claim.parameter is None:
        return Delta(epsilon)
    if claim.question is None and level == 0 and fpr + fnr < 1:
        return Delta(_slope(claim, fpr, fnr))
    return claim.question or Delta(epsilon)


def _slope(claim: Claim, fpr: float, fnr: float) -> float:
    """The ε whose line touches the curve of constant parameter through these rates."""
    step = 1e-4 * min(fpr, fnr, 1 - fpr - fnr)
    here, right, up = (
        float(claim.parameter_refuted_by_rates(fpr + x, fnr + y))
        for x, y in ((0.0, 0.0), (step, 0.0), (0.0, step))
    )
    if not min(here - right, here - up) > 0:
        return 0.0
    return abs(math.log((here - right) / (here - up)))


def _lines(claim: Claim) -> tuple[Floats, Floats]:
    """Values of ε that may be asked for, and the δ that is allowed there."""
    if claim.named_epsilon is not None:
        epsilons = np.array([claim.named_epsilon])
    else:
        top = min(float(claim.epsilon(_SMALLEST_DELTA)), _LARGEST_EPSILON)
        epsilons = np.unique(np.linspace(0.0, top, _EPSILONS))
    return epsilons, np.asarray(claim.delta(epsilons), dtype=float)


@quiet()
def _excess(
    p: Floats, q: Floats, n_p: int, n_q: int, epsilons: Floats, allowed: Floats
) -> tuple[Floats, Floats]:
    """By how much events exceed what is allowed, and its standard deviation for such sizes.

    Shape (2, epsilons, events): the event from Q to P, and its complement from P to Q.
    """
    a = np.exp(np.minimum(epsilons, _LARGEST_EXPONENT))[:, None]
    of_p, of_q = p * (1 - p) / n_p, q * (1 - q) / n_q
    excess = np.array([p - a * q, (1 - q) - a * (1 - p)]) - allowed[:, None]
    spread = np.sqrt(np.array([of_p + a * a * of_q, of_q + a * a * of_p]))
    return excess, spread


def _best_event(claim: Claim, x: float, n_p: int, n_q: int) -> tuple[ThresholdEvent, float, float]:
    """The most significant event of the leakiest mechanism of parameter x, and its error rates."""
    fpr, fnr = claim.easiest_to_refute(x).error_rates()
    epsilons, allowed = _lines(claim)
    excess, spread = _excess(1 - fnr, fpr, n_p, n_q, epsilons, allowed)
    _, i, j = np.unravel_index(np.argmax(excess / spread), excess.shape)
    event = ThresholdEvent(0.0, float(epsilons[i]), Delta(float(epsilons[i])))
    return event, float(fpr[j]), float(fnr[j])


def _bad_count(n: int, rate: float) -> int:
    """The least count that is exceeded with a probability of at most half of 1 − ``POWER``."""
    if rate <= 0:
        return 0
    return min(math.ceil(float(bdtrik(1 - (1 - POWER) / 2, n, rate)) - 1e-9), n)
