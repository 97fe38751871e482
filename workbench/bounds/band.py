"""The simultaneous band: limits at all thresholds at once, out of one error budget.

Take the order statistics of Q at ranks on a geometric grid from both ends. The false positive
rate above the k-th largest is Beta(k, n_q − k + 1), and at most that with ties; given that
threshold, the true positives among P are binomial. Sharing the error probability over all J ranks
and both error rates (Bonferroni) makes every limit hold at once. Whatever a person then does with
thresholds, bin widths, δ or the direction of the divergence is a choice among statements that all
hold.

Each rank bounds one point (α, β) of the trade-off function from above, without assuming anything
about P and Q. Convexity joins the points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import checks
from workbench.bounds.binomial import clopper_pearson_upper, order_statistic_tail_upper
from workbench.bounds.result import Bound
from workbench.curves.points import epsilon_of_point, mu_of_point
from workbench.curves.tradeoff import TradeoffCurve
from workbench.reprs import table
from workbench.scores.sample import Scores

METHOD = "order-statistic band"

#: False positive rates at which true positive rates are told to people.
TOLD_FPR = (0.001, 0.01, 0.1)

#: Ratio of neighbouring ranks. Finer grids cost more of the error budget than they gain: for a
#: Gaussian pair, ratio 2 gives the largest ε for every n from 200 to 10^6.
RANK_RATIO = 2


@dataclass(frozen=True, eq=False, repr=False)
class TradeoffBand:
    """Upper limits for both error rates at J thresholds, all valid together.

    Attributes
    ----------
    scores : Scores
    confidence : float
        The probability, at least, with which *all* limits hold.
    thresholds : ndarray, shape (J,)
        In score units, from the most to the least member-like.
    fpr_upper, fnr_upper : ndarray, shape (J,)
        With the stated confidence, Q(score above t) ≤ ``fpr_upper`` and P(score not above t) ≤
        ``fnr_upper`` for every threshold t at once.
    """

    scores: Scores
    confidence: float
    thresholds: NDArray[np.float64]
    fpr_upper: NDArray[np.float64]
    fnr_upper: NDArray[np.float64]

    def __repr__(self) -> str:
        return (
            f"TradeoffBand({self.thresholds.size} thresholds, confidence={self.confidence:g}, "
            f"{self.scores!r})"
        )

    def _repr_html_(self) -> str:
        bounds = (self.mu(), self.total_variation(), *(self.tpr(fpr) for fpr in TOLD_FPR))
        rows = [(bound.symbol, f"{bound.relation} {bound.rounded}") for bound in bounds]
        title = f"Limits at {self.thresholds.size} thresholds, and so at all"
        return table(title, rows, " · ".join(bounds[0].terms))

    # -- curves ---------------------------------------------------------------------------------

    @cached_property
    def curve(self) -> TradeoffCurve:
        """An upper bound on the trade-off function; convexity joins the J points."""
        return TradeoffCurve.hull(self.fpr_upper, self.fnr_upper)

    def tradeoff(self, alpha: ArrayLike, symmetric: bool = True) -> Any:
        """Upper bound on f(α); with ``symmetric`` both directions are used."""
        return self.curve.tradeoff(alpha, symmetric=symmetric)

    def profile(self, epsilon: ArrayLike) -> Any:
        """Lower bound on δ(ε), for every ε at once."""
        return self.curve.profile(epsilon)

    @cached_property
    def mu_lower(self) -> NDArray[np.float64]:
        """μ that each threshold alone refutes everything below of, shape (J,); may be negative."""
        return np.asarray(mu_of_point(self.fpr_upper, self.fnr_upper))

    # -- numbers --------------------------------------------------------------------------------

    def epsilon(self, delta: float) -> Bound:
        """Largest ε that the band refutes at this δ; no smaller one is (ε, δ)-DP."""
        delta = checks.delta(delta)
        forward = epsilon_of_point(self.fpr_upper, self.fnr_upper, delta)
        return self._best("epsilon", np.asarray(forward), self._epsilon_direction, delta=delta)

    def mu(self) -> Bound:
        """Largest μ that the band refutes; the pair is not μ'-GDP for any smaller μ'.

        Distribution-free: it refutes Gaussian trade-off curves without assuming one.
        """
        return self._best("mu", self.mu_lower, lambda i: None)

    def total_variation(self) -> Bound:
        """Lower bound on the total variation distance of P and Q."""
        return self._best("total variation", 1 - self.fpr_upper - self.fnr_upper, lambda i: None)

    def tpr(self, fpr: float) -> Bound:
        """True positive rate that some attack reaches with at most this false positive rate."""
        fpr = checks.open_unit(fpr, "fpr")
        value = 1 - float(self.tradeoff(fpr, symmetric=False))
        return self._bound("tpr", max(value, 0.0), fpr=fpr)

    def most_telling(self) -> Bound:
        """The true positive rate that says most, at one of a few false positive rates.

        All of them hold at once, so choosing among them costs nothing.
        """
        return max((self.tpr(fpr) for fpr in TOLD_FPR), key=lambda b: b.value / (b.fpr or 1))

    def delta(self, epsilon: float) -> Bound:
        """Lower bound on δ(ε)."""
        epsilon = checks.number(epsilon, "epsilon")
        return self._bound("delta", float(self.profile(epsilon)), epsilon=epsilon)

    def _epsilon_direction(self, i: int) -> str:
        alpha, beta = self.fpr_upper[i], self.fnr_upper[i]
        # P‖Q wins where the false positive rate is the smaller error.
        return "P‖Q" if alpha <= beta else "Q‖P"

    def _best(
        self,
        quantity: str,
        values: NDArray[np.float64],
        direction: Callable[[int], str | None],
        **more: Any,
    ) -> Bound:
        i = int(np.argmax(values))
        if values[i] <= 0:
            return self._bound(quantity, 0.0, **more)
        return self._bound(
            quantity,
            float(values[i]),
            threshold=float(self.thresholds[i]),
            direction=direction(i),
            **more,
        )

    def _bound(self, quantity: str, value: float, **more: Any) -> Bound:
        s = self.scores
        return Bound(
            quantity=quantity,
            value=value,
            guarantee="simultaneous",
            method=METHOD,
            assumption=s.assumption,
            n_p=s.n_p,
            n_q=s.n_q,
            confidence=self.confidence,
            discarded=s.discarded,
            **more,
        )


def tradeoff_band(scores: Scores, confidence: float = 0.95) -> TradeoffBand:
    """Limits for both error rates at all thresholds at once.

    Parameters
    ----------
    scores : Scores
    confidence : float
        Probability, at least, with which all limits hold together.

    Returns
    -------
    TradeoffBand

    Raises
    ------
    ValueError
        ``confidence`` outside (0.5, 1).

    Notes
    -----
    Guarantee: simultaneous, distribution-free, for independent scores; ties, any sample sizes and
    non-finite outcomes included. Source: the workbench's own; for the binomial step given the
    order statistics of Q see `workbench.bounds.band`.
    """
    confidence = checks.confidence(confidence)
    ranks = rank_grid(scores.n_q)
    error = (1 - confidence) / (2 * ranks.size)
    thresholds = scores.most_member_like_q(ranks)
    true_positives, _ = scores.tail_counts(thresholds)
    return TradeoffBand(
        scores=scores,
        confidence=confidence,
        thresholds=thresholds,
        fpr_upper=order_statistic_tail_upper(ranks, scores.n_q, error),
        fnr_upper=clopper_pearson_upper(scores.n_p - true_positives, scores.n_p, error),
    )


def rank_grid(n: int) -> NDArray[np.int64]:
    """Ranks 1, 2, 4, … up to the middle, and the same from the other end; about 2·log₂(n)."""
    steps = math.floor(math.log(max(n // 2, 1), RANK_RATIO)) + 1
    near = RANK_RATIO ** np.arange(steps)
    return np.unique(np.concatenate([near, n + 1 - near]))
