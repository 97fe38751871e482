"""The simultaneous band: everything that holds at all thresholds at once, out of one error budget.

At each of J ranks of Q, on a geometric grid from both ends,
`workbench.bounds.simultaneous.rank_tests` gives a p-value p_k(f) of any trade-off function f. Let f
be the pair's own. The band rests on one event,

    E = {p_k(f) > c at all J ranks},   1 − c = confidence^{1/J},

and says nothing but what E implies: no function f' that lies on or below f has p_k(f') ≤ c. If
the pair were (ε, δ)-DP, μ-GDP, of total variation TV, or had f(α) ≥ β, then f_{ε,δ}, G_μ, 1 − TV
− α, or the lines through (α, β) would lie on or below f; whichever has p_k ≤ c at some rank is
refuted. All ε, δ, μ, α, both directions of the divergence and whatever a person does with
thresholds are choices among statements that E implies together, so none of them costs anything.

Pr[E] ≥ confidence. Write the scores as non-increasing functions of uniform variables, V_j for Q and
R_i for P. Then the count T_k of P above the k-th score of Q is at most T'_k, the number of R_i < 1
− f(V_(k)), at all ranks together: {score > G(v)} lies within {V < v}. The T'_k are non-decreasing
functions of the independent V_j and −R_i, and therefore associated (Esary, Proschan & Walkup 1967):
the events that they are not too large have at least the product of their probabilities, each at
least 1 − c. Ties are broken by coins (`workbench.bounds.tie_breaking`), which make an attack
randomized and leave f what it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, ndtri

from workbench import _checks
from workbench._format import percent
from workbench._html import table
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import (
    Delta,
    Epsilon,
    Mu,
    QuantityArguments,
    Question,
    TotalVariation,
)
from workbench.bounds.simultaneous.rank_tests import (
    RankTests,
    Which,
    invert,
    largest_refuted,
    perfect_p_value,
    rank_tests,
)
from workbench.bounds.tie_breaking import counts_above
from workbench.curves.elementwise import Floats
from workbench.curves.tradeoff import TradeoffCurve
from workbench.scores.sample import Scores, require_scores

METHOD = "order-statistic band"

#: False positive rates at which true positive rates are told to people.
TOLD_FPR = (0.001, 0.01, 0.1)

#: Ratio of neighboring ranks. From 1.5 to 6 the bounds differ by about 1 %, averaged over pairs
#: and sizes: what a finer grid finds, it pays in error budget.
RANK_RATIO = 2

#: Ranks whose tests are inverted exactly, those that the curve's points favor.
SHORTLIST = 3

#: The curve's points at each rank: how far its false positive rate lies above the rank's own, in
#: standard deviations, and in units of the level's.
POINTS = (-2.0, 0.0), (0.35, 0.65, 0.9, 1.1)


@dataclass(frozen=True, eq=False, repr=False)
class TradeoffBand:
    """All that J thresholds refute together about the trade-off function. See `tradeoff_band`.

    Attributes
    ----------
    scores : Scores
    confidence : float
        The probability, at least, with which *all* that the band says holds.
    thresholds : ndarray, shape (J,)
        In score units, from the most to the least member-like.
    tests : RankTests
        The test of trade-off functions at each threshold.
    ties_broken : bool
        Whether P and Q had ties at thresholds, which were broken at random.
    """

    scores: Scores
    confidence: float
    thresholds: Floats
    tests: RankTests
    ties_broken: bool = False

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

    @property
    def level(self) -> float:
        """The level c of each of the J tests."""
        return level_of_each(self.confidence, self.thresholds.size)

    # -- curves ---------------------------------------------------------------------------------

    @cached_property
    def curve(self) -> TradeoffCurve:
        """An upper bound on the trade-off function; convexity joins the points."""
        _, alpha, beta = self._points
        return TradeoffCurve.hull(alpha, beta)

    @property
    def fpr_upper(self) -> Floats:
        """False positive rates of the points that the trade-off function passes on or below."""
        return self._points[1].ravel()

    @property
    def fnr_upper(self) -> Floats:
        """False negative rates of the same points."""
        return self._points[2].ravel()

    def tradeoff(self, alpha: ArrayLike, symmetric: bool = True) -> Any:
        """Upper bound on f(α); with ``symmetric`` both directions are used."""
        return self.curve.tradeoff(alpha, symmetric=symmetric)

    def profile(self, epsilon: ArrayLike) -> Any:
        """Lower bound on δ(ε), for every ε at once; `delta` is sharper, one ε at a time."""
        return self.curve.profile(epsilon)

    @cached_property
    def mu_lower(self) -> Floats:
        """μ that each threshold alone refutes everything below of, shape (J,)."""
        every = np.arange(self.thresholds.size)
        rank, at_points = self._at_points(Mu())
        # A threshold without a point of its own says less than the one before it.
        start = np.concatenate([[0.0], at_points])[np.searchsorted(rank, every, side="right")]
        return self._largest(Mu(), every, start)

    # -- numbers --------------------------------------------------------------------------------

    def epsilon(self, delta: float) -> Bound:
        """Largest ε that the band refutes at this δ; no smaller one is (ε, δ)-DP."""
        question = Epsilon(delta)
        value, i = self._sharpest(question)
        return self._bound(
            "epsilon",
            value,
            i,
            self._direction(question, i),
            at=question.at,
            again=lambda band: band.epsilon(delta),
        )

    def mu(self) -> Bound:
        """Largest μ that the band refutes; the pair is not μ'-GDP for any smaller μ'.

        Distribution-free: it refutes Gaussian trade-off curves without assuming one.
        """
        i = int(np.argmax(self.mu_lower))
        return self._bound("mu", float(self.mu_lower[i]), i, again=TradeoffBand.mu)

    def total_variation(self) -> Bound:
        """Lower bound on the total variation distance of P and Q."""
        value, i = self._sharpest(TotalVariation())
        return self._bound("total variation", value, i, again=TradeoffBand.total_variation)

    def delta(self, epsilon: float) -> Bound:
        """Lower bound on δ(ε)."""
        epsilon = _checks.number(epsilon, "epsilon")
        value, i = self._sharpest(Delta(abs(epsilon)))
        if epsilon < 0:
            # H_{1/a}(P‖Q) = 1 − (1 − H_a(Q‖P))/a.
            value = 1 - math.exp(epsilon) * (1 - value)
        at = QuantityArguments(epsilon=epsilon)
        return self._bound("delta", value, i, at=at, again=lambda band: band.delta(epsilon))

    def tpr(self, fpr: float) -> Bound:
        """True positive rate that some attack reaches with at most this false positive rate."""
        fpr = _checks.open_unit(fpr, "fpr")
        value = 1 - float(self.tradeoff(fpr, symmetric=False))
        at = QuantityArguments(fpr=fpr)
        return self._bound("tpr", max(value, 0.0), at=at, again=lambda band: band.tpr(fpr))

    def most_telling(self) -> Bound:
        """The true positive rate that says most, at one of a few false positive rates.

        All of them hold at once, so choosing among them costs nothing.
        """
        return max((self.tpr(fpr) for fpr in TOLD_FPR), key=lambda b: b.value / (b.fpr or 1))

    # -- how they are found ---------------------------------------------------------------------

    @cached_property
    def _points(self) -> tuple[Which, Floats, Floats]:
        """Ranks (R,), and the points (α, β) on or below which f passes, each of shape (R, S).

        α is set, β found by inversion.
        """
        tests = self.tests
        # Of ranks with one count the first refutes most.
        rank = np.flatnonzero(np.diff(tests.counts, prepend=0) > 0)
        near, far = POINTS
        z = np.concatenate([near, -ndtri(self.level) * np.array(far)])
        alpha = tests.of(rank).quantile(z)
        row, at = np.repeat(rank, z.size), alpha.reshape(-1, 1)
        # Half of the cells lose 1 % of a point's distance to the truth, and half of the time.
        thin = tests.thinned(2)

        def beta(x: Floats, which: Which) -> Floats:
            """The true positive rate in standard deviations of its logit, as a false negative."""
            return expit(-tests.logit_w[row[which]] - tests.spread_w[row[which]] * x)

        def p_values(x: Floats, which: Which) -> Floats:
            its = thin.of(row[which])
            b = beta(x, which)[:, None]
            left = b * ((1 - its.alpha) / (1 - at[which]))
            right = 1 - (1 - b) * (its.alpha / at[which])
            return its.p_values(np.maximum(np.minimum(left, right), 0.0))

        # f(α) ≤ 1 − α claims nothing.
        nothing = (logit(alpha.ravel()) - tests.logit_w[row]) / tests.spread_w[row]
        start = np.full(row.size, ndtri(self.level))
        step = np.full(row.size, 0.2)
        x = largest_refuted(p_values, self.level, start, step, (nothing, np.inf))
        found = beta(x, np.arange(row.size))
        return rank, alpha, found.reshape(alpha.shape)

    def _at_points(self, question: Question) -> tuple[Which, Floats]:
        """What the points say at each of their ranks."""
        rank, alpha, beta = self._points
        return rank, question.from_rates(alpha, beta).max(axis=1)

    def _sharpest(self, question: Question) -> tuple[float, int | None]:
        """The largest refuted value, and the threshold that refutes it."""
        if question not in self._answers:
            rank, at_points = self._at_points(question)
            best = np.argsort(at_points)[-SHORTLIST:]
            values = self._largest(question, rank[best], at_points[best])
            i = int(np.argmax(values)) if rank.size else None
            found = (0.0, None) if i is None else (float(values[i]), int(rank[best][i]))
            self._answers[question] = found
        return self._answers[question]

    @cached_property
    def _answers(self) -> dict[Question, tuple[float, int | None]]:
        """What was asked already: charts ask the same questions as numbers do."""
        return {}

    def _largest(self, question: Question, rank: Which, start: Floats) -> Floats:
        tests = self.tests.of(rank)
        return invert(
            question, lambda x, which: tests.of(which).of_values(question, x), self.level, start
        )

    def _direction(self, question: Question, i: int | None) -> str | None:
        if i is None:
            return None
        rank, alpha, beta = self._points
        j = int(np.flatnonzero(rank == i)[0])
        best = int(np.argmax(question.from_rates(alpha[j], beta[j])))
        # P‖Q wins where the false positive rate is the smaller error.
        return "P‖Q" if alpha[j, best] <= beta[j, best] else "Q‖P"

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
        coins = TIES if self.ties_broken and value > 0 else ""
        notes = (s.held_out, coins, self._too_few if value <= 0 else "")
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

    @property
    def _too_few(self) -> str:
        """What to say where not even a perfect attack would show at this confidence."""
        s = self.scores
        if perfect_p_value(s.n_p, s.n_q) <= self.level:
            return ""
        enough = 2
        while perfect_p_value(enough, enough) > level_of_each(
            self.confidence, rank_grid(enough).size
        ):
            enough += 1
        return (
            f"{s.n_p} + {s.n_q} scores are too few for {percent(self.confidence)}: not even a "
            f"perfect attack would show. {enough} on each side could."
        )


def tradeoff_band(scores: Scores, confidence: float = 0.95) -> TradeoffBand:
    """Bounds on the trade-off function, and on all that follows from it, at once.

    Parameters
    ----------
    scores : Scores
    confidence : float
        Probability, at least, with which everything that the band says holds together.

    Returns
    -------
    TradeoffBand

    Raises
    ------
    ValueError
        ``confidence`` outside (0.5, 1).

    Notes ----- Guarantee: simultaneous, distribution-free, for independent scores; ties, any sample
    sizes and non-finite outcomes included. Source: the workbench's own; proof in
    `workbench.bounds.simultaneous.band`.
    """
    require_scores(scores)
    confidence = _checks.confidence(confidence)
    if scores not in _TESTS:
        ranks = rank_grid(scores.n_q)
        counts, broken = counts_above(scores, ranks)
        tests = rank_tests(ranks, counts, scores.n_p, scores.n_q)
        _TESTS[scores] = (scores.most_member_like_q(ranks), tests, broken)
    return TradeoffBand(scores, confidence, *_TESTS[scores])


TIES = "Ties between members and non-members are broken at random, by a hash of their counts."

#: Thresholds and tests do not depend on the confidence, which people move.
_TESTS: WeakKeyDictionary[Scores, tuple[Floats, RankTests, bool]] = WeakKeyDictionary()


def level_of_each(confidence: float, tests: int) -> float:
    """The level of each of so many associated tests that together keep the confidence."""
    return -math.expm1(math.log(confidence) / tests)


def rank_grid(n: int) -> NDArray[np.int64]:
    """Ranks 1, 2, 4, … up to the middle, and the same from the other end; about 2·log₂(n)."""
    steps = math.floor(math.log(max(n // 2, 1), RANK_RATIO)) + 1
    near = RANK_RATIO ** np.arange(steps)
    return np.unique(np.concatenate([near, n + 1 - near]))
