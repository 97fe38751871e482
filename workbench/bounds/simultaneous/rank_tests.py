"""Exact tests of a trade-off function at order statistics of Q.

Let X be the k-th most member-like of the n_q scores of Q, U = Q(score above X), and T the number
of the n_p scores of P above X. Two facts hold for every pair, ties included:

- U is stochastically at most Beta(k, n_q − k + 1), whatever Q is;
- given Q's scores, T is binomial with a true positive rate of at most 1 − f(U), f being the
  trade-off function of the pair.

Since Pr[Bin(n, x) ≥ t] = Pr[Beta(t, n − t + 1) ≤ x], a count as large as T has at most the chance

    p(f) = Pr[W ≤ 1 − f(U)],   W ~ Beta(T, n_p − T + 1),   U ~ Beta(k, n_q − k + 1) independent.

This is a p-value of f that knows no other unknown, and in it the noise of both sides adds up as
noise does, in quadrature. Where f is smaller, p(f) is larger: p(f) ≤ c refutes, at level c, that
the pair's trade-off function is f or lies above it. With

    f_{ε,δ}: the pair is (ε, δ)-DP,   G_μ: it is μ-GDP,   1 − TV − α: its total variation is TV,
    the lower envelope of the lines from (0, 1) and (1, 0) through (α₀, β₀): f(α₀) is β₀,

every statement about a pair is this one test, inverted in its parameter.

Two inequalities make p(f) cheap, and both err to the safe side. The range of U is cut into cells,
and f is taken at each cell's right end. The logit of W has a log-concave density, hence a
log-concave distribution function, which lies below its tangents.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincc, betaln, expit, gammaln, ndtr, ndtri

from workbench.bounds.quantities import Question
from workbench.curves.validation import Floats, quiet

#: Right ends of the cells of U in standard deviations: fine where U lies when f is refuted.
CELLS = np.concatenate([np.arange(-2.5, 1, 0.2), np.arange(1, 5, 0.06), np.arange(5, 8.1, 0.3)])

#: Where W's distribution function gets a tangent, in standard deviations of its logit.
TANGENTS = np.arange(-7, 4.1, 0.25)

#: What the incomplete beta functions may be off by, relatively.
_ROUND_OFF = 1e-6

#: A search for the largest refuted parameter ends this many standard deviations short of the
#: level, or after this many steps.
_TOLERANCE = 3e-3
_STEPS = 40

#: Indices of rows.
Which: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RankTests:
    """Tests at J ranks of Q; each p-value is valid by itself. Made by `rank_tests`.

    Attributes
    ----------
    ranks, counts : ndarray, shape (J,)
    n_q : ndarray, shape (J,)
    alpha : ndarray, shape (J, cells)
        Right ends of the cells of U, where f is asked for.
    mass : ndarray, shape (J, cells)
        Probability of each cell.
    beyond : ndarray, shape (J,)
        Probability beyond the last right end, where f counts as 0.
    logit_w, spread_w : ndarray, shape (J,)
        Center and standard deviation of the logit of W, about.
    height, slope : ndarray, shape (J, tangents)
        log Pr[W ≤ x] ≤ height + slope·logit(x).
    weight : ndarray, shape (J,)
        What p-values are multiplied by: a test of weight w has a w-th of the common level.
    """

    ranks: NDArray[Any]
    counts: NDArray[Any]
    n_q: NDArray[Any]
    alpha: Floats
    mass: Floats
    beyond: Floats
    logit_w: Floats
    spread_w: Floats
    height: Floats
    slope: Floats
    weight: Floats

    def of(self, chosen: Which) -> RankTests:
        """The tests at some of the ranks."""
        return RankTests(**{f.name: getattr(self, f.name)[chosen] for f in fields(self)})

    def counted(self, counts: NDArray[Any], n_p: int) -> RankTests:
        """The tests at the same ranks with other counts; faster than `rank_tests`.

        Parameters
        ----------
        counts : ndarray of int, shape (J,)
        n_p : int
        """
        return replace(self, **_of_counts(counts, n_p))

    def thinned(self, by: int) -> RankTests:
        """The same tests with ``by`` neighboring cells merged: faster, and less powerful."""
        first = (self.alpha.shape[1] - 1) % by
        starts = np.maximum(np.arange(first - by + 1, self.alpha.shape[1], by), 0)
        mass = np.add.reduceat(self.mass, starts, axis=1)
        return replace(self, alpha=self.alpha[:, first::by], mass=mass)

    def quantile(self, z: Floats) -> Floats:
        """U, about z standard deviations of a normal law from its middle, shape (J, z.size)."""
        return order_quantile(self.ranks, self.n_q, z)

    def p_values(self, fnr: Floats) -> Floats:
        """Upper bounds of p(f), times the weights, shape (J,).

        Parameters
        ----------
        fnr : ndarray, shape (J, cells)
            f at :attr:`alpha`, a function for each rank.
        """
        within = np.einsum("jc,jc->j", self._distribution(fnr), self.mass)
        return np.minimum((within + self.beyond) * (1 + _ROUND_OFF) * self.weight, 1.0)

    def of_values(self, question: Question, values: Floats) -> Floats:
        """Upper bounds of p at curves of a question.

        Parameters
        ----------
        question : Question
        values : ndarray, shape (J,)
            The value whose curve is tested at each rank.

        Returns
        -------
        ndarray, shape (J,)
        """
        curve = question.curve(values[:, None], self.alpha)  # type: ignore[arg-type]
        return self.p_values(curve)

    def _distribution(self, fnr: Floats) -> Floats:
        """Upper bounds of Pr[W ≤ 1 − fnr]: the lower of the two nearest tangents, and 1."""
        with quiet():
            y = np.log1p(-fnr)
            y -= np.log(fnr)
        np.clip(y, -1e3, 1e3, out=y)
        knot = y - self.logit_w[:, None]
        knot /= (self.spread_w * (TANGENTS[1] - TANGENTS[0]))[:, None]
        knot -= TANGENTS[0] / (TANGENTS[1] - TANGENTS[0])
        np.clip(knot, 0, TANGENTS.size - 2, out=knot)
        i = knot.astype(np.intp)
        i += np.arange(0, self.slope.size, TANGENTS.size)[:, None]
        slope, height = self.slope.ravel(), self.height.ravel()
        right = slope[i + 1] * y
        right += height[i + 1]
        y *= slope[i]
        y += height[i]
        np.minimum(y, right, out=y)
        np.minimum(y, 0.0, out=y)
        return np.exp(y, out=y)


def rank_tests(
    ranks: NDArray[Any],
    counts: NDArray[Any],
    n_p: int,
    n_q: int,
    weight: Floats | None = None,
) -> RankTests:
    """Tests of trade-off functions at ranks of Q.

    Parameters
    ----------
    ranks : ndarray of int, shape (J,)
        1 is the most member-like score of Q. They must not depend on the scores.
    counts : ndarray of int, shape (J,)
        How many scores of P lie strictly above each.
    n_p, n_q : int
    weight : ndarray, shape (J,), optional
        As of `RankTests`; 1 for all by default.

    Returns
    -------
    RankTests
    """
    k = ranks[:, None].astype(float)
    alpha = order_quantile(ranks, n_q, CELLS)
    above: Floats = np.asarray(betaincc(k, n_q - k + 1, alpha), dtype=np.float64)
    return RankTests(
        ranks=ranks,
        n_q=np.full(ranks.shape, n_q),
        alpha=alpha,
        mass=-np.diff(above, axis=1, prepend=1.0),
        beyond=above[:, -1],
        weight=np.ones(ranks.size) if weight is None else weight,
        **_of_counts(counts, n_p),
    )


def _of_counts(counts: NDArray[Any], n_p: int) -> dict[str, Any]:
    """What tests know of W, by field."""
    t = np.maximum(counts, 1)[:, None].astype(float)
    rest = n_p - t + 1
    logit_w, spread = np.log(t / rest), np.sqrt(1 / t + 1 / rest)
    y = logit_w + spread * TANGENTS
    with quiet():
        log_cdf = np.log(betainc(t, rest, expit(y)))
        log_density = -t * np.logaddexp(0, -y) - rest * np.logaddexp(0, y) - betaln(t, rest)
        slope = np.exp(log_density - log_cdf)
        height = log_cdf - slope * y
    # Where the function underflows, the first tangent that exists bounds it as well.
    exists = np.maximum(np.arange(TANGENTS.size), np.argmax(log_cdf > -600, axis=1)[:, None])
    height, slope = (np.take_along_axis(v, exists, axis=1) for v in (height, slope))
    # With no score of P above, p is 1.
    seen = counts[:, None] > 0
    return {
        "counts": counts,
        "logit_w": logit_w[:, 0],
        "spread_w": spread[:, 0],
        "height": np.where(seen, height, 0.0),
        "slope": np.where(seen, slope, 0.0),
    }


def perfect_p_value(n_p: int, n_q: int) -> float:
    """The smallest possible p-value: that of P = Q when all of P lie above all of Q."""
    return math.exp(gammaln(n_p + 1) + gammaln(n_q + 1) - gammaln(n_p + n_q + 1))


def invert(
    question: Question, p_values: Callable[[Floats, Which], Floats], level: float, start: Floats
) -> Floats:
    """The largest refuted value of a question, for each of R searches. See `largest_refuted`.

    Parameters
    ----------
    question : Question
        Whose curves are the trade-off functions that are tested.
    p_values : callable
        (values, of which searches) -> upper bounds of the p-values of the values' curves.
    level : float
    start : ndarray, shape (R,)
        Guesses.

    Returns
    -------
    ndarray, shape (R,)
    """
    most = math.inf if question.quantity in ("epsilon", "mu") else 1.0
    return largest_refuted(p_values, level, start, 0.03 * start + 1e-3, (0.0, most))


def largest_refuted(
    p_values: Callable[[Floats, Which], Floats],
    level: float,
    start: Floats,
    step: Floats,
    ends: tuple[ArrayLike, ArrayLike],
) -> Floats:
    """The largest parameter that is refuted at a level, for each of R searches.

    Parameters
    ----------
    p_values : callable
        (parameters, of which searches) -> upper bounds of their p-values, which grow with them.
    level : float
    start, step : ndarray, shape (R,)
        A guess for each search, and how far from it to try next; a thousandth of the step is near
        enough.
    ends : pair of float or ndarray, shape (R,)
        Between which the parameters lie; the lower one claims nothing.

    Returns
    -------
    ndarray, shape (R,)
        Values whose p-value was computed and is at most ``level``, and mostly hardly less; the
        lower end where there is none.
    """
    target = float(ndtri(level))
    low, high = (np.broadcast_to(end, start.shape).astype(float) for end in ends)
    x, refuted, at = np.clip(start, low, high), low.copy(), np.arange(start.size)
    last_x, last_z = x - step, np.full(start.size, np.nan)
    untried = np.ones(start.size, bool)  # the lower end
    for _ in range(_STEPS):
        # In standard deviations a p-value is nearly linear in its parameter.
        z = np.clip(ndtri(p_values(x, at)), -38, 38)
        below = z <= target
        low, high = np.where(below, np.maximum(low, x), low), np.where(below, high, x)
        untried &= ~below
        refuted[at] = low
        going = ((z < target - _TOLERANCE) | ~below) & (high - low > step / 1000)
        if not going.any():
            break
        with quiet():
            # The first step has no slope to go by.
            run = np.where(np.isnan(last_z), step / np.abs(target - z), (x - last_x) / (z - last_z))
            jump = (target - _TOLERANCE / 2 - z) * run
        # Far off the level a slope is round-off.
        reach = 10 * np.abs(x - last_x)
        new = x + np.clip(jump, -reach, reach)
        new = np.where(untried, np.maximum(new, low), new)
        inside = (run > 0) & (new < high) & (untried | (low < new))
        middle = np.where(np.isinf(high), x + 2 * np.abs(x - last_x), (low + high) / 2)
        new = np.where(inside, new, middle)
        at, step, low, high, untried, last_x, last_z, x = (
            v[going] for v in (at, step, low, high, untried, x, z, new)
        )
    return refuted


def order_quantile(ranks: NDArray[Any], n: Any, z: Floats) -> Floats:
    """About the Φ(z)-quantile of the k-th smallest of n uniform variables, Beta(k, n − k + 1).

    Good enough to place cells, whose probabilities are then computed.

    Parameters
    ----------
    ranks : ndarray of int, shape (J,)
    n : int, or ndarray of int of shape (J,)
    z : ndarray, shape (cells,)

    Returns
    -------
    ndarray, shape (J, cells)

    References
    ----------
    Abramowitz & Stegun (1964), 26.5.22.
    """
    a = ranks[:, None].astype(float)
    b = np.asarray(n).reshape(-1, 1) - a + 1
    with quiet():
        odd_a, odd_b = 1 / (2 * a - 1), 1 / (2 * b - 1)
        h, c = 2 / (odd_a + odd_b), (z * z - 3) / 6
        w = z * np.sqrt(h + c) / h - (odd_a - odd_b) * (c + 5 / 6 - 2 / (3 * h))
        general = a / (a + b * np.exp(-2 * w))
        # The approximation is poor for the extreme ranks, which have closed forms.
        extreme = np.where(a == 1, -np.expm1(np.log(ndtr(-z)) / b), np.exp(np.log(ndtr(z)) / a))
    return np.where((a == 1) | (b == 1), extreme, general)
