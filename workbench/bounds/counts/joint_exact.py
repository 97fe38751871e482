"""The joint exact test: a limit from both counts together, not from two limits of one each.

Two Clopper–Pearson limits share the error probability and assume that both counts are unlucky at
once. Here one number, the statistic S, orders all outcomes (T, F), and the joint distribution of
the two independent binomials says how surprising S is. The confidence region for the two rates is

    C = {(q, p) : q in the Clopper–Pearson interval of F at confidence 1 − γ,
                  Pr_{q,p}[S ≥ S(observed)] > error − γ}.

It misses the true (q, p) with probability at most γ + (error − γ), whatever S is, so the smallest
θ over C is a lower limit of every question θ. This is the test of Berger & Boos (1994) with an
ordering that does not depend on the hypothesis (Buehler 1957), so that the limit is where a
monotone p-value crosses the error. Both lines of f_{ε,δ} bound θ from the same region: there is
nothing to share between them.

S is chosen for sharpness: the smallest θ(α̃, β̃) over Wilson limits at levels z·cos φ and z·sin φ,
the corners of an ellipse around the observed rates. {S ≥ s} has the form {T ≥ t(F)} with t
non-decreasing. Hence Pr_{q,p}[S ≥ s] rises with p and falls with q, and so

    for q in a cell [q₀, q₁]:  (q, p) in C  ⟹  p > p*(q₀)  ⟹  θ ≥ θ(α = q₁, β = 1 − p*(q₀)),

where p*(q₀) is the largest p with Pr_{q₀,p}[S ≥ s] ≤ error − γ. The minimum over cells that cover
the interval is a proven limit, not a minimum over a bare grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln, ndtr, ndtri, xlogy

from workbench.bounds.counts.binomial import (
    clopper_pearson_lower,
    clopper_pearson_upper,
    wilson_upper,
)
from workbench.bounds.quantities import Question
from workbench.curves.validation import Floats, quiet

#: Share of the error probability for the interval of q (γ), and for outcomes left out of sums.
NUISANCE_SHARE = 0.02
LEFT_OUT_SHARE = 1e-4

#: z·cos φ for the limit of q and z·sin φ for that of p.
SPLITS = np.linspace(0, math.pi / 2, 5)

#: How far below the error the probability may stay, in standard deviations of a normal tail.
TOLERANCE = 2e-3

#: Steps of Newton's method before a root is bracketed.
DIRECT_STEPS = 4

#: Cells of the interval of q, and parts into which those are cut that decide the limit.
CELLS = 40
PARTS = 6

#: Sums over F have at most this many blocks, and those over T run over at most this many outcomes.
MOST_BLOCKS = 400
MOST_OUTCOMES = 4000

#: Rows of probabilities that are summed at once, and the share of each that may be left out: less
#: than the round-off, which has a share of the error probability.
ROWS = 32
NEGLIGIBLE = 1e-18

#: So few probabilities are faster summed than chosen from.
FEW = 2**14


def joint_limit(
    tp: int, fp: int, tn: int, fn: int, question: Question, error: float, side: str = "lower"
) -> float:
    """Limit of θ, on the wrong side of the truth with probability at most ``error``.

    Parameters
    ----------
    question : Question
        θ as a function of the error rates.
    side : {"lower", "upper"}
        An upper limit is the lower limit of −θ, with the calls "out" in place of the calls "in".

    References
    ----------
    Berger & Boos (1994); Buehler (1957).
    """
    if side == "lower":
        return _of_attack(tp, fp, tn, fn, question, error).limit()
    return -_Ordered(
        k_p=fn,
        m=tp + fn,
        k_q=tn,
        n=fp + tn,
        value=lambda q, p: -question.from_rates(1 - q, p),
        level=lambda s, q: question.curve(-s, 1 - q),
        error=error,
    ).limit()


def joint_corners(
    tp: int, fp: int, tn: int, fn: int, question: Question, error: float, cells: int = CELLS
) -> tuple[Floats, Floats]:
    """Corners of the region C: with confidence 1 − ``error``, both rates lie within one of them.

    Parameters
    ----------
    question : Question
        Shapes the region, which is narrow in the direction of this question. Whatever else is
        asked of the same region holds together with it, and may be chosen afterwards.
    cells : int
        Into which the interval of the false positive rate is cut; fewer are faster and a little
        less sharp.

    Returns
    -------
    alpha, beta : ndarray, shape (corners,)
        The truth has a false positive rate of at most alpha[i] and a false negative rate of at
        most beta[i] for some i. A lower limit of what falls in both is its least over the corners.

    References
    ----------
    Berger & Boos (1994).
    """
    q, p = _of_attack(tp, fp, tn, fn, question, error, cells).corners()
    return q, 1 - p


def _of_attack(
    tp: int, fp: int, tn: int, fn: int, question: Question, error: float, cells: int = CELLS
) -> _Ordered:
    return _Ordered(
        k_p=tp,
        m=tp + fn,
        k_q=fp,
        n=fp + tn,
        value=lambda q, p: question.from_rates(q, 1 - p),
        level=lambda s, q: 1 - question.curve(s, q),
        error=error,
        cells=cells,
    )


@dataclass(frozen=True)
class _Ordered:
    """Two binomial counts, T ~ (m, p) and F ~ (n, q), and a value that rises in p and falls in q.

    ``level(s, q)`` is the p at which the value is s.
    """

    k_p: int
    m: int
    k_q: int
    n: int
    value: Callable[[Floats, Floats], Floats]
    level: Callable[[float, Floats], Floats]
    error: float
    cells: int = CELLS

    def limit(self) -> float:
        """The smallest value over the confidence region."""
        return float(np.min(self.value(*self.corners())))

    def corners(self) -> tuple[Floats, Floats]:
        """Corners (q, p): each point of the region has a smaller q and larger p than one."""
        from scipy.interpolate import CubicSpline

        nothing = float(self.value(np.array(1.0), np.array(0.0)))
        # Rounded down: a larger set {S ≥ s} is the safe side.
        s = self.statistic()
        s -= 1e-9 * abs(s) + 1e-12
        if not s > nothing:
            return np.ones(1), np.zeros(1)
        gamma = NUISANCE_SHARE * self.error
        ends = (
            float(clopper_pearson_lower(self.k_q, self.n, gamma / 2)),
            float(clopper_pearson_upper(self.k_q, self.n, gamma / 2)),
        )
        tail = _Tail(self, s, *ends)
        first, last = _angle(np.array(ends))
        q = np.sin(np.linspace(first, last, self.cells + 1)) ** 2
        q[0], q[-1] = ends
        p = tail.largest_excluded(q, np.zeros_like(q), np.ones_like(q))
        decides = self._least(q[1:], p[:-1]) < np.min(self._least(q, p))
        inner = q[:-1, None] + np.diff(q)[:, None] * np.arange(1, PARTS) / PARTS
        inner = inner[decides].ravel()
        low, high = (np.repeat(side[decides], PARTS - 1) for side in (p[:-1], p[1:]))
        guess = np.sin(CubicSpline(_angle(q), _angle(p))(_angle(inner))) ** 2
        p = np.concatenate([p, tail.largest_excluded(inner, low, high, guess)])
        q = np.concatenate([q, inner])
        order = np.argsort(q)
        q, p = q[order][1:], p[order][:-1]
        # Columns all of whose p are excluded have no point of the region.
        return q[p < 1], p[p < 1]

    def _least(self, q: Floats, p_excluded: Floats) -> Floats:
        """The smallest value in a column whose p up to ``p_excluded`` are not in the region."""
        return np.where(p_excluded < 1, self.value(q, p_excluded), np.inf)

    def statistic(self) -> float:
        """S: the smallest value over pairs of Wilson limits that share z in quadrature."""
        q = self._wilson_q(self.k_q)
        p = np.array(
            [
                1 - float(wilson_upper(self.m - self.k_p, self.m, ndtr(-z)))
                for z in self._z * np.sin(SPLITS)
            ]
        )
        return float(np.min(self.value(q, p)))

    def least_t(self, s: float, f: Floats) -> Floats:
        """The smallest T with S(T, f) ≥ s, above m where there is none; non-decreasing in f."""
        least = np.zeros_like(f)
        for z, q in zip(self._z * np.sin(SPLITS), self._wilson_q(f), strict=True):
            # A Wilson limit of T/m is at least p exactly if T/m passes the score test of p.
            p = np.clip(self.level(s, q), 0.0, 1.0)
            passes = self.m * p + z * np.sqrt(self.m * p * (1 - p))
            beyond = self.value(q, np.ones_like(q)) < s
            least = np.maximum(least, np.where(beyond, self.m + 1, passes))
        return np.maximum.accumulate(np.ceil(least * (1 - 1e-12)))

    @property
    def _z(self) -> float:
        return -float(ndtri(self.error))

    def _wilson_q(self, k: float | Floats) -> Floats:
        return np.array([wilson_upper(k, self.n, ndtr(-z)) for z in self._z * np.cos(SPLITS)])


class _Tail:
    """Pr_{q,p}[S ≥ s] from above, for q within given ends."""

    def __init__(self, counts: _Ordered, s: float, q_least: float, q_most: float) -> None:
        n, m = counts.n, counts.m
        left_out = LEFT_OUT_SHARE * counts.error
        self.m, self.n = m, n
        # One share for each end of F, one for the end of T and one for round-off.
        self.error = counts.error * (1 - NUISANCE_SHARE) - 4 * left_out
        first = n - _binomial_reach(n, 1 - q_least, left_out)
        last = _binomial_reach(n, q_most, left_out)
        self.f = np.arange(first, last + 1, dtype=float)
        t = counts.least_t(s, self.f)
        at_observed = np.searchsorted(self.f, counts.k_q, side="right")
        t[:at_observed] = np.minimum(t[:at_observed], counts.k_p)
        # A block of outcomes counts with its smallest t, which is its first.
        self.starts = np.arange(0, self.f.size, -(-self.f.size // MOST_BLOCKS))
        self.t = t[self.starts]
        self.narrow = 1e-4 / math.sqrt(m)
        # Where T ≥ t is all but sure for every t there is.
        reachable = self.t[self.t <= m]
        highest = max(float(reachable[-1]), 1.0)
        surely = float(betaincinv(highest, m - highest + 1, 1 - left_out))
        self.p_most = 1.0 if self.t[-1] > m else surely
        top = _binomial_reach(m, self.p_most, left_out)
        self.outcomes: Floats | None = None
        if top - self.t[0] < MOST_OUTCOMES:
            self.outcomes = np.arange(self.t[0], top + 1)
            self.last_block = np.searchsorted(self.t, self.outcomes, side="right") - 1
            self.ways = _log_ways(self.outcomes, m)

    def largest_excluded(
        self, q: Floats, low: Floats, high: Floats, guess: Floats | None = None
    ) -> Floats:
        """A p in [low, high] with Pr_{q,p}[S ≥ s] ≤ error, and nearly the largest, for each q.

        ``low`` where there is none, which is right if it is 0 or was excluded for a smaller q.
        The search begins at the guess, if there is one.
        """
        weights = self._weights(q[:, None])
        target = float(ndtri(self.error))

        def excess(x: Floats, row: NDArray[np.intp]) -> Floats:
            """In standard deviations of a normal tail, which is nearly linear in arcsin √p."""
            within = weights if row.size == q.size else weights[row]
            probability = self._probability(within, np.sin(x) ** 2)
            return np.asarray(np.clip(ndtri(np.minimum(probability, 1.0)), -38, 38) - target)

        normal, slope = self._normal_root(q)
        a, b = (_angle(np.minimum(p, self.p_most)) for p in (low, high))
        x = _angle(normal if guess is None else guess)
        at_a, at_b = np.full(q.size, np.nan), np.full(q.size, np.nan)
        row = np.arange(q.size)
        # What is returned must be excluded, so steps aim a little below the root.
        for _ in range(DIRECT_STEPS):
            at = np.clip(x[row], a[row], b[row])
            at_x = excess(at, row)
            below = at_x <= 0
            a[row[below]], at_a[row[below]] = at[below], at_x[below]
            b[row[~below]], at_b[row[~below]] = at[~below], at_x[~below]
            x[row] = at - (at_x + TOLERANCE / 2) / slope[row]
            row = row[self._open(a, b, at_a, row)]
            if not row.size:
                return np.asarray(np.sin(a) ** 2)
        for ends, at_ends in ((a, at_a), (b, at_b)):
            unknown = row[np.isnan(at_ends[row])]
            at_ends[unknown] = excess(ends[unknown], unknown)
        a[row] = np.where(at_b[row] <= 0, b[row], a[row])
        row = row[(at_a[row] < -TOLERANCE) & (at_b[row] > 0)]
        weight_a, weight_b = at_a.copy(), at_b.copy()
        while row.size:
            share = (weight_a[row] + TOLERANCE / 2) / (weight_a[row] - weight_b[row])
            x = a[row] + (b[row] - a[row]) * np.clip(share, 0.01, 0.99)
            at_x = excess(x, row)
            below = at_x <= 0
            left, right = row[below], row[~below]
            # Illinois: an end that is kept counts half, so that the other one comes to it.
            weight_b[left] /= 2
            weight_a[right] /= 2
            a[left], at_a[left], weight_a[left] = x[below], at_x[below], at_x[below]
            b[right], weight_b[right] = x[~below], at_x[~below]
            row = row[self._open(a, b, at_a, row)]
        return np.asarray(np.sin(a) ** 2)

    def _open(self, a: Floats, b: Floats, at_a: Floats, row: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether a larger p may be excluded by more than the tolerance."""
        return ~(at_a[row] >= -TOLERANCE) & (b[row] - a[row] > self.narrow)

    def _normal_root(self, q: Floats) -> tuple[Floats, Floats]:
        """Where both counts, taken as normal, put the root, and the slope of the excess there."""
        mean, variance = self.n * q, self.n * q * (1 - q)
        step = np.sqrt(variance) + 1
        t, beside = (np.interp(f, self.f[self.starts], self.t) for f in (mean, mean + step))
        rise = (beside - t) / step
        p = np.clip(t / self.m, 0, 1)
        for _ in range(2):
            deviation = np.sqrt(self.m * p * (1 - p) + rise**2 * variance + 1)
            below = t - 0.5 + float(ndtri(self.error)) * deviation
            p = np.clip(below / self.m, 1e-300, 1 - 1e-12)
        return p, 2 * self.m * np.sqrt(p * (1 - p)) / deviation

    def _mass(self, q: Floats) -> Floats:
        """Pr_q of each block, or masses that are larger when summed from the first."""
        if self.f.size > MOST_OUTCOMES:
            ends = np.append(self.f[self.starts[1:]], self.f[-1] + 1) - 1
            return np.diff(_binomial_at_least(self.n - ends, self.n, 1 - q), prepend=0.0)
        mass = _binomial_mass(self.f, self.n, q)
        if self.starts.size == self.f.size:
            return mass
        return np.asarray(np.add.reduceat(mass, self.starts, axis=1))

    def _weights(self, q: Floats) -> Floats:
        """What `_probability` needs of q: Pr_q[S(t, F) ≥ s] for each outcome t of T.

        Where T has too many outcomes, it is the mass of each block of outcomes of F.
        """
        mass = self._mass(q)
        if self.outcomes is None:
            return mass
        # Summed over the outcomes of F first, T needs one sum for each p and no tails.
        return np.cumsum(mass, axis=1)[:, self.last_block]

    def _probability(self, weights: Floats, p: Floats) -> Floats:
        """Pr_{q,p}[S ≥ s], or a little more."""
        if self.outcomes is None:
            return np.einsum("ij,ij->i", weights, _binomial_at_least(self.t, self.m, p[:, None]))
        found = np.empty(p.size)
        for first in range(0, p.size, ROWS):
            rows = slice(first, first + ROWS)
            some = np.clip(p[rows], 1e-300, 1 - 1e-16)
            few = some.size * self.outcomes.size <= FEW
            here = slice(None) if few else self._likely(float(some.min()), float(some.max()))
            mass = _mass_of(self.outcomes[here], self.ways[here], self.m, some[:, None])
            found[rows] = np.einsum("ij,ij->i", weights[rows, here], mass)
        return found

    def _likely(self, p_least: float, p_most: float) -> slice:
        """Places of the outcomes of T without which hardly any probability is lost (Chernoff)."""
        low = self.m - _binomial_reach(self.m, 1 - p_least, NEGLIGIBLE)
        high = _binomial_reach(self.m, p_most, NEGLIGIBLE)
        first = int(self.t[0])
        return slice(max(low - first, 0), max(high - first + 1, 0))


def _angle(p: Floats) -> Floats:
    """Equal steps of arcsin √p are equal numbers of standard deviations."""
    return np.asarray(np.arcsin(np.sqrt(p)))


def _binomial_mass(k: Floats, n: int, p: Floats) -> Floats:
    """Pr_p[k of n], shape (rows, outcomes), for p of shape (rows, 1)."""
    return _mass_of(k, _log_ways(k, n), n, np.clip(p, 1e-300, 1 - 1e-16))


def _log_ways(k: Floats, n: int) -> Floats:
    """Logs of the binomial coefficients."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _mass_of(k: Floats, log_ways: Floats, n: int, p: Floats) -> Floats:
    rest = np.log1p(-p)
    log_mass = np.hstack([np.log(p) - rest, n * rest, np.ones_like(p)]) @ np.stack(
        [k, np.ones_like(k), log_ways]
    )
    return np.asarray(np.exp(log_mass, out=log_mass))


def _binomial_reach(n: int, p: float, error: float) -> int:
    """A count that a binomial exceeds with probability at most ``error`` (Bernstein)."""
    log = math.log(1 / error)
    reach = n * p + log / 3 + math.sqrt(log * log / 9 + 2 * log * n * p * (1 - p))
    return min(math.ceil(reach), n)


@quiet()
def _binomial_at_least(t: Floats, m: int, p: Floats) -> Floats:
    """An upper bound of Pr[T ≥ t] that is below Pr[T ≥ t − 1] (Zubkov & Serov 2013)."""
    k = np.clip(t - 1, 0, m - 1)
    mean, rest = np.maximum(m * p, 1e-300), np.maximum(m * (1 - p), 1e-300)
    divergence = xlogy(k, k / mean) + xlogy(m - k, (m - k) / rest)
    z = np.sign(k - m * p) * np.sqrt(2 * np.maximum(divergence, 0.0))
    return np.where(t <= 0, 1.0, np.where(t > m, 0.0, ndtr(-z)))
