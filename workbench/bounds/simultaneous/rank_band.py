"""`RankBand`: the simultaneous band as ranks and levels, without the scores.

At each of J ranks of Q, on a geometric grid from both ends,
`workbench.bounds.simultaneous.rank_tests` gives a p-value p_k(f) of any trade-off function f. Let f
be the pair's own. The band rests on one event,

    E = {p_k(f) > c at all J ranks},   1 − c = confidence^{1/J},

and states only what E implies: no function f' that lies on or below f has p_k(f') ≤ c. If
the pair were (ε, δ)-DP, μ-GDP, of total variation TV, or had f(α) ≥ β, then f_{ε,δ}, G_μ, 1 − TV
− α, or the lines through (α, β) would lie on or below f; whichever has p_k ≤ c at some rank is
refuted. All ε, δ, μ, α, both directions of the divergence and every choice of a
threshold are choices among statements that E implies together, so none of them costs confidence.

Pr[E] ≥ confidence. Write the scores as non-increasing functions of uniform variables, V_j for Q and
R_i for P. Then the count T_k of P above the k-th score of Q is at most T'_k, the number of R_i < 1
− f(V_(k)), at all ranks together: {score > G(v)} lies within {V < v}. The T'_k are non-decreasing
functions of the independent V_j and −R_i, and therefore associated (Esary, Proschan & Walkup 1967):
the events that they are not too large have at least the product of their probabilities, each at
least 1 − c.

Ties need no coins. T_k counts what lies strictly above the value of Q's k-th score, which is a cut
between two blocks of equal scores. Attach an independent uniform number to every score: that leaves
f unchanged and makes the law continuous, and whatever the order within the blocks becomes, the
count at rank k is at least T_k. So what the T_k refute, the counts of a continuous pair with the
same f refute, for every (P, Q).

A grid of ranks serves continuous scores. If most scores have one of a few values, the few cuts may
lie far below the next rank of the grid. A share `FOR_TIES` of the error budget is therefore set
apart for a dense grid of further ranks (`dense_grid`), each with a smaller level c/w. Those inside
a large block of ties are tested too; for continuous scores none is, and the share is lost. The
choice of which to test may depend on the scores, since all of them are paid for.

The event fails less often than c allows. Under a given f the level that just keeps the confidence
can be computed, and it is larger, since neighboring tests agree and counts are whole numbers: at
1000 + 1000 scores and P = Q, 0.0062 instead of 0.0029. Where one f or one family of them is all
that is asked for, `workbench.bounds.one_question` takes it. The band, which refutes any f, would
need the least of these levels over all f. It is not that of P = Q: at 100 + 10,000 scores it is
0.0095 for P = Q and 0.0075 for f(α) = 1 − √α, where many counts of P decide at few ranks of Q.
Which f has the least level is not known, so the band keeps Šidák's c, which is proved for all
of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from workbench.bounds.quantities import Mu, Question
from workbench.bounds.simultaneous.rank_tests import (
    RankTests,
    Which,
    invert,
    largest_refuted,
    perfect_p_value,
)
from workbench.curves.validation import Floats

#: Ratio of neighboring ranks. From 1.5 to 6 the bounds differ by about 1%, averaged over pairs
#: and sizes: what a finer grid finds, it pays in error budget.
RANK_RATIO = 2

#: Share of the log of the confidence that is set apart for ranks inside large blocks of ties.
FOR_TIES = 0.04

#: Distance of neighboring ranks of the dense grid, in standard deviations of a count.
_DENSE = 1.0

#: Ranks whose tests are inverted exactly, those that the curve's points favor.
SHORTLIST = 3

#: The curve's points at each rank: how far its false positive rate lies above the rank's own, in
#: standard deviations, and in units of the level's.
POINTS = (-2.0, 0.0), (0.35, 0.65, 0.9, 1.1)


class BandPoints(NamedTuple):
    """Points on or above the pair's trade-off function, S at each of R ranks.

    Attributes
    ----------
    rank : ndarray of int, shape (R,)
        Indices into the band's ranks.
    fpr, fnr : ndarray, shape (R, S)
        Upper limits of both error rates of some attack.
    """

    rank: Which
    fpr: Floats
    fnr: Floats


@dataclass(frozen=True, eq=False)
class RankBand:
    """Everything that the tests at J ranks of Q refute together, as numbers.

    Attributes
    ----------
    n_p, n_q : int
        Sample sizes.
    confidence : float
        The probability, at least, with which all statements hold together.
    tests : RankTests
        The test of trade-off functions at each rank; those of the dense grid have a weight.
    sets_apart : bool
        Whether `FOR_TIES` is set apart for these.
    """

    n_p: int
    n_q: int
    confidence: float
    tests: RankTests
    sets_apart: bool = False

    @property
    def level(self) -> float:
        """Level c of each of the J tests of weight 1."""
        return level_of_each(self.fixed_confidence, int(self.fixed.sum()))

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """Which tests have the weight 1: their ranks do not depend on the scores, shape (J,)."""
        return self.tests.weight == 1

    @property
    def fixed_confidence(self) -> float:
        """The confidence of these tests alone."""
        return self.confidence ** (1 - FOR_TIES) if self.sets_apart else self.confidence

    def joint_p_value(self, p_value: float) -> float:
        """The smallest error probability of the band at which one of its tests refutes.

        Parameters
        ----------
        p_value : float
            Of that test, times its weight.
        """
        return float(joint_p_value(np.array(p_value), self.n_q))

    def at_fixed_ranks(self) -> RankBand:
        """The band of the tests with the weight 1, alone."""
        tests = self.tests.of(np.flatnonzero(self.fixed))
        return replace(self, confidence=self.fixed_confidence, tests=tests, sets_apart=False)

    @cached_property
    def points(self) -> BandPoints:
        """Points on or above the trade-off function; the FPR is chosen, the FNR inverted."""
        tests = self.tests
        # Of ranks with one count and one weight the first refutes most.
        rank = np.sort(np.concatenate([self._rising(self.fixed), self._rising(~self.fixed)]))
        near, far = POINTS
        z = np.concatenate([near, -ndtri(self.level) * np.array(far)])
        alpha = tests.of(rank).quantile(z)
        row, at = np.repeat(rank, z.size), alpha.reshape(-1, 1)
        # Half of the cells lose 1% of a point's distance to the truth, and half of the time.
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
        return BandPoints(rank, alpha, found.reshape(alpha.shape))

    @cached_property
    def mu_lower(self) -> Floats:
        """Largest μ that each rank alone refutes, shape (J,)."""
        every = np.arange(self.tests.ranks.size)
        rank, at_points = self._at_points(Mu())
        # A rank without a point of its own says less than the one before it.
        start = np.concatenate([[0.0], at_points])[np.searchsorted(rank, every, side="right")]
        return self._largest(Mu(), every, start)

    def largest_refuted(self, question: Question) -> tuple[float, int | None]:
        """Largest refuted value of a question, and the index of the rank that refutes it.

        0 and None where no rank refutes anything.
        """
        if question not in self._answers:
            rank, at_points = self._at_points(question)
            best = np.argsort(at_points)[-SHORTLIST:]
            values = self._largest(question, rank[best], at_points[best])
            i = int(np.argmax(values)) if rank.size else None
            found = (0.0, None) if i is None else (float(values[i]), int(rank[best][i]))
            self._answers[question] = found
        return self._answers[question]

    def direction(self, question: Question, i: int) -> str:
        """Direction of the divergence, "P‖Q" or "Q‖P", in which a rank refutes most.

        Parameters
        ----------
        question : Question
        i : int
            Index of the rank.
        """
        rank, fpr, fnr = self.points
        j = int(np.flatnonzero(rank == i)[0])
        best = int(np.argmax(question.from_rates(fpr[j], fnr[j])))
        # P‖Q wins where the false positive rate is the smaller error.
        return "P‖Q" if fpr[j, best] <= fnr[j, best] else "Q‖P"

    def smallest_useful_size(self) -> int | None:
        """Scores per group with which a perfect attack would show; None if these sizes suffice."""
        if perfect_p_value(self.n_p, self.n_q) <= self.level:
            return None
        enough = 2
        while perfect_p_value(enough, enough) > level_of_each(
            self.confidence, rank_grid(enough).size
        ):
            enough += 1
        return enough

    def _rising(self, which: NDArray[np.bool_]) -> Which:
        """Ranks at which the count exceeds that of the rank before, among some of them."""
        some = np.flatnonzero(which)
        return some[np.diff(self.tests.counts[some], prepend=0) > 0]

    def _at_points(self, question: Question) -> tuple[Which, Floats]:
        """Ranks of the points, and the largest value of the question at each of them."""
        rank, fpr, fnr = self.points
        return rank, question.from_rates(fpr, fnr).max(axis=1)

    @cached_property
    def _answers(self) -> dict[Question, tuple[float, int | None]]:
        """Questions that were answered already: charts ask the same ones as numbers do."""
        return {}

    def _largest(self, question: Question, rank: Which, start: Floats) -> Floats:
        tests = self.tests.of(rank)
        return invert(
            question, lambda x, which: tests.of(which).of_values(question, x), self.level, start
        )


def level_of_each(confidence: float, tests: int) -> float:
    """Level of each of J associated tests that together keep a confidence.

    Parameters
    ----------
    confidence : float
        Of all tests together.
    tests : int
        J.

    Returns
    -------
    float
        1 − confidence^{1/J}.

    References
    ----------
    Esary, Proschan & Walkup (1967): increasing functions of independent variables are associated.
    """
    return -math.expm1(math.log(confidence) / tests)


def level_at_grid(confidence: float, n: int) -> float:
    """Level of each test at the grid of ranks in the band.

    Parameters
    ----------
    confidence : float
        Of the band.
    n : int
        Number of scores of Q.
    """
    return level_of_each(confidence ** (1 - FOR_TIES), rank_grid(n).size)


@lru_cache(maxsize=64)
def dense_grid(n: int) -> NDArray[np.int64]:
    """Ranks up to n, at most a count's standard deviation apart, or next to each other."""
    steps = math.ceil(math.pi * math.sqrt(n) / _DENSE)
    share = np.sin(np.linspace(0, math.pi / 2, steps + 1)[1:]) ** 2
    return np.unique(np.maximum(np.ceil(n * share).astype(np.int64), 1))


def joint_p_value(p_value: Floats, n: int) -> Floats:
    """The smallest error probability of the band at which a test at one of its ranks refutes.

    Parameters
    ----------
    p_value : ndarray
        Of that test, times its weight.
    n : int
        Number of scores of Q.
    """
    tests = rank_grid(n).size / (1 - FOR_TIES)
    return np.asarray(-np.expm1(tests * np.log1p(-np.minimum(p_value, 1 - 1e-16))))


def dense_weight(n: int) -> float:
    """Weight w of a test at a rank of the dense grid.

    With c = 1 − confidence^{(1 − s)/J}, s being `FOR_TIES`, all tests together keep the confidence:
    those of the J ranks confidence^{1 − s}, and N further ones with the level c/w confidence^s if
    w = (1 − s)N/(sJ), since c ≤ −(1 − s)·log(confidence)/J.
    """
    return (1 - FOR_TIES) * dense_grid(n).size / (FOR_TIES * rank_grid(n).size)


def rank_grid(n: int) -> NDArray[np.int64]:
    """Ranks 1, 2, 4, … up to the middle of n, and the same from the other end; about 2·log₂(n)."""
    steps = math.floor(math.log(max(n // 2, 1), RANK_RATIO)) + 1
    near = RANK_RATIO ** np.arange(steps)
    return np.unique(np.concatenate([near, n + 1 - near]))
