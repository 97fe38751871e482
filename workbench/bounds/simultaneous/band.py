"""The simultaneous band of two samples of scores: `tradeoff_band`.

All its statements hold together, at all thresholds, out of one error budget;
`workbench.bounds.simultaneous.rank_band` has the numbers and the proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench._format import percent
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import Delta, Epsilon, QuantityArguments, TotalVariation
from workbench.bounds.simultaneous.rank_band import BandPoints, RankBand, dense_weight, rank_grid
from workbench.bounds.simultaneous.rank_tests import RankTests, rank_tests
from workbench.bounds.simultaneous.ties import ranks_in_ties, strictly_above
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats
from workbench.scores.sample import Scores, require_scores

if TYPE_CHECKING:
    import pandas as pd

METHOD = "order-statistic band"

#: False positive rates at which summaries state a true positive rate.
SUMMARY_FPR = (0.001, 0.01, 0.1)


@dataclass(frozen=True, eq=False, repr=False)
class TradeoffBand:
    """Simultaneous bounds on the trade-off function from two samples. See `tradeoff_band`.

    Attributes
    ----------
    scores : Scores
    ranks : RankBand
        The tests at J ranks of Q, their joint confidence, and what they refute.
    thresholds : ndarray, shape (J,)
        In score units, from the most to the least member-like.
    """

    scores: Scores
    ranks: RankBand
    thresholds: Floats

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.fields(self)
        if self.thresholds.shape != self.ranks.tests.weight.shape:
            raise ValueError(
                f"thresholds must be one for each of {self.ranks.tests.weight.size} ranks, got "
                f"shape {self.thresholds.shape}"
            )

    def to_frame(self) -> pd.DataFrame:
        """One row for each threshold, and the largest μ that it alone refutes.

        All limits hold together with the ``confidence``. The curve has a frame of its own.
        """
        import pandas as pd

        columns = {"threshold": self.thresholds, "mu_at_least": self.mu_lower}
        return pd.DataFrame({**columns, "confidence": self.confidence})

    def __repr__(self) -> str:
        return (
            f"TradeoffBand({self.thresholds.size} thresholds, confidence={self.confidence:g}, "
            f"{self.scores!r})"
        )

    def _repr_html_(self) -> str:
        bounds = (self.mu(), self.total_variation(), *(self.tpr(fpr) for fpr in SUMMARY_FPR))
        rows = [(bound.symbol, f"{bound.relation} {bound.rounded}") for bound in bounds]
        title = f"Limits at {self.thresholds.size} thresholds, and so at all"
        return beside(table(title, rows, " · ".join(bounds[0].terms)), self)

    @property
    def confidence(self) -> float:
        """The probability, at least, with which *all* statements of the band hold together."""
        return self.ranks.confidence

    @property
    def level(self) -> float:
        """Level c of each of the J tests."""
        return self.ranks.level

    @property
    def tests(self) -> RankTests:
        """The test of trade-off functions at each threshold."""
        return self.ranks.tests

    # -- curves ---------------------------------------------------------------------------------

    @cached_property
    def curve(self) -> TradeoffCurve:
        """An upper bound on the trade-off function; convexity joins the points."""
        return TradeoffCurve.hull(self.points.fpr, self.points.fnr)

    @property
    def points(self) -> BandPoints:
        """Points on or above the trade-off function, several at each threshold."""
        return self.ranks.points

    @property
    def fpr_upper(self) -> Floats:
        """False positive rates of the points, in one row."""
        return self.points.fpr.ravel()

    @property
    def fnr_upper(self) -> Floats:
        """False negative rates of the points, in one row."""
        return self.points.fnr.ravel()

    def tradeoff(self, alpha: ArrayLike, symmetric: bool = True) -> Any:
        """Upper bound on the trade-off function f.

        Parameters
        ----------
        alpha : array_like
            False positive rates.
        symmetric : bool
            Whether both directions, f and its inverse, are used.

        Returns
        -------
        float or ndarray
            In the shape of ``alpha``.
        """
        return self.curve.tradeoff(alpha, symmetric=symmetric)

    def profile(self, epsilon: ArrayLike) -> Any:
        """Lower bound on δ(ε), for every ε at once; `delta` is sharper, one ε at a time."""
        return self.curve.profile(epsilon)

    @property
    def mu_lower(self) -> Floats:
        """Largest μ that each threshold alone refutes, shape (J,)."""
        return self.ranks.mu_lower

    # -- numbers --------------------------------------------------------------------------------

    def epsilon(self, delta: float) -> Bound:
        """Lower bound on ε at δ: the pair is not (ε', δ)-DP for any smaller ε'."""
        question = Epsilon(delta)
        value, i = self.ranks.largest_refuted(question)
        return self._bound(
            "epsilon",
            value,
            i,
            None if i is None else self.ranks.direction(question, i),
            at=question.at,
            again=lambda band: band.epsilon(delta),
        )

    def mu(self) -> Bound:
        """Lower bound on μ: the pair is not μ'-GDP for any smaller μ'.

        Distribution-free: it refutes Gaussian trade-off curves without assuming one.
        """
        i = int(np.argmax(self.mu_lower))
        return self._bound("mu", float(self.mu_lower[i]), i, again=TradeoffBand.mu)

    def total_variation(self) -> Bound:
        """Lower bound on the total variation distance of P and Q."""
        value, i = self.ranks.largest_refuted(TotalVariation())
        return self._bound("total variation", value, i, again=TradeoffBand.total_variation)

    def delta(self, epsilon: float) -> Bound:
        """Lower bound on δ(ε), for ε of either sign."""
        epsilon = _checks.number(epsilon, "epsilon")
        value, i = self.ranks.largest_refuted(Delta(abs(epsilon)))
        if epsilon < 0:
            # H_{1/a}(P‖Q) = 1 − (1 − H_a(Q‖P))/a.
            value = 1 - math.exp(epsilon) * (1 - value)
        at = QuantityArguments(epsilon=epsilon)
        return self._bound("delta", value, i, at=at, again=lambda band: band.delta(epsilon))

    def tpr(self, fpr: float) -> Bound:
        """Lower bound on the true positive rate of the best attack with at most this FPR."""
        fpr = _checks.open_unit(fpr, "fpr")
        value = 1 - float(self.tradeoff(fpr, symmetric=False))
        at = QuantityArguments(fpr=fpr)
        return self._bound("tpr", max(value, 0.0), at=at, again=lambda band: band.tpr(fpr))

    def most_telling(self) -> Bound:
        """The true positive rate with the largest ratio to its false positive rate, out of a few.

        All of them hold at once, so choosing among them costs nothing.
        """
        return max((self.tpr(fpr) for fpr in SUMMARY_FPR), key=lambda b: b.value / (b.fpr or 1))

    def _bound(
        self,
        quantity: str,
        value: float,
        i: int | None = None,
        direction: str | None = None,
        *,
        again: Callable[[TradeoffBand], Bound],
        **more: Any,
    ) -> Bound:
        s = self.scores
        witness = None if value <= 0 or i is None else float(self.thresholds[i])
        notes = [s.held_out]
        if value <= 0 and (enough := self.ranks.smallest_useful_size()) is not None:
            notes.append(
                f"{s.n_p} + {s.n_q} scores are too few for {percent(self.confidence)}: not even a "
                f"perfect attack would show. {enough} on each side could."
            )
        return Bound.of_scores(
            s,
            max(value, 0.0),
            quantity=quantity,
            guarantee="held-out" if s.held_out else "simultaneous",
            method=METHOD,
            confidence=self.confidence,
            threshold=witness,
            direction=None if witness is None else direction,
            note=" ".join(filter(None, notes)) or None,
            recompute=lambda confidence: again(tradeoff_band(s, confidence)),
            **more,
        )


def tradeoff_band(scores: Scores, confidence: float = 0.95) -> TradeoffBand:
    """Simultaneous bounds on the trade-off function and on all quantities that follow from it.

    Parameters
    ----------
    scores : Scores
    confidence : float
        Probability, at least, with which all statements of the band hold together.

    Returns
    -------
    TradeoffBand

    Raises
    ------
    ValueError
        ``confidence`` outside (0.5, 1).

    Notes
    -----
    Guarantee: simultaneous, distribution-free, for independent scores; ties, any sample
    sizes and non-finite outcomes included. Source: the workbench's own; proof in
    `workbench.bounds.simultaneous.rank_band`.

    Examples
    --------
    >>> band = wb.tradeoff_band(wb.example("gaussian"))
    >>> print(band.mu())
    μ ≥ 0.962 (simultaneous, 95%, independent runs)
    """
    require_scores(scores)
    confidence = _checks.confidence(confidence)
    if scores not in _TESTS:
        _TESTS[scores] = band_tests(scores)
    tests, thresholds = _TESTS[scores]
    band = RankBand(scores.n_p, scores.n_q, confidence, tests, sets_apart=True)
    return TradeoffBand(scores, band, thresholds)


def band_tests(scores: Scores) -> tuple[RankTests, Floats]:
    """The tests at the ranks of the band, and the scores of Q there, shape (J,)."""
    ranks = rank_grid(scores.n_q)
    more = ranks_in_ties(scores)
    weight = np.concatenate([np.ones(ranks.size), np.full(more.size, dense_weight(scores.n_q))])
    ranks = np.concatenate([ranks, more])
    order = np.argsort(ranks)
    ranks, weight = ranks[order], weight[order]
    tests = rank_tests(ranks, strictly_above(scores, ranks), scores.n_p, scores.n_q, weight)
    return tests, scores.samples.most_member_like_q(ranks)


#: Thresholds and tests do not depend on the confidence, which people move.
_TESTS: WeakKeyDictionary[Scores, tuple[RankTests, Floats]] = WeakKeyDictionary()
