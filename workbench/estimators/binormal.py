"""Maximum likelihood of a binormal receiver operating curve, from counts in ordered cells.

Some increasing function of the score is N(0, 1) for Q and N(μ/b, 1/b²) for P, so that in probit
coordinates the curve is the line Φ⁻¹(TPR) = μ + b·Φ⁻¹(FPR). With cuts c₁ < … < c_m between the
cells, on the scale of Q, a cell has the masses

    Q:  Φ(c_j) − Φ(c_{j−1})          P:  Φ(b·c_j − μ) − Φ(b·c_{j−1} − μ).

The cuts are parameters too, and only the counts enter. At a fixed slope b the multinomial
likelihood is log-concave in μ and all cuts together (Pratt 1981), so that Newton's method finds its
one maximum. b = 1 is the trade-off curve of Gaussian differential privacy.

References
----------
D. D. Dorfman and E. Alf, "Maximum-likelihood estimation of parameters of signal-detection theory
and determination of confidence intervals — rating-method data", J. Math. Psychol. 6 (1969).
C. E. Metz, B. A. Herman and J.-H. Shen, "Maximum likelihood estimation of receiver operating
characteristic (ROC) curves from continuously-distributed data", Statistics in Medicine 17 (1998).
J. W. Pratt, "Concavity of the log likelihood", JASA 76 (1981).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtri, xlogy

from workbench.scores.sample import Scores

Floats = NDArray[np.float64]

#: Cells of equal pooled probability, at least and at most, and pooled scores in each if there are
#: enough of them.
LEAST_CELLS, MOST_CELLS, IN_CELL = 4, 20, 10

#: Cells, at most, where fewer of them separate both groups.
FINER_CELLS = (40, 80, 160, 320)

#: Slopes outside (1/MOST_SLOPE, MOST_SLOPE) are not told from 0 and ∞.
MOST_SLOPE = 50.0

_STEPS, _HALVINGS = 60, 40

_LOG_ROOT_TAU = math.log(2 * math.pi) / 2


def equal_cells(scores: Scores, most: int = MOST_CELLS) -> tuple[Floats, Floats]:
    """Counts of P and of Q in cells of about equal pooled probability, from the least member-like.

    One cell for every 10 pooled scores, from 4 to 20 cells; equal scores are never parted. The
    counts depend on the ranks of the scores alone.

    Parameters
    ----------
    scores : Scores
    most : int
        Cells, in place of 20; where it is larger, they may have fewer scores.

    Returns
    -------
    p, q : ndarray, shape (k,)
        No cell is empty on both sides.
    """
    distinct = scores.samples.distinct
    p, q = np.cumsum(distinct.p), np.cumsum(distinct.q)
    upto = p + q
    n = int(upto[-1])
    cells = min(most, n if most > MOST_CELLS else max(n // IN_CELL, LEAST_CELLS))
    # The end of a block of equal scores that lies nearest to each wanted rank.
    wanted = n * np.arange(1, cells) / cells
    after = np.searchsorted(upto, wanted)
    before = np.maximum(after - 1, 0)
    nearer = wanted - upto[before] < upto[after] - wanted
    ends = np.unique(np.append(np.where(nearer & (after > 0), before, after), upto.size - 1))
    return _of_cells(p, ends), _of_cells(q, ends)


def counts_in_cells(scores: Scores) -> Binormal:
    """The likelihood of the counts in equal cells: of more of them where 20 tell no finite μ.

    Parameters
    ----------
    scores : Scores
    """
    found = Binormal(*equal_cells(scores))
    for most in FINER_CELLS:
        if not math.isinf(found.limit):
            break
        found = Binormal(*equal_cells(scores, most))
    return found


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where the likelihood is largest, among some parameters.

    Attributes
    ----------
    log_likelihood : float
    mu : float
    cuts : ndarray, shape (k − 1,)
        On the scale of Q.
    deviation : float
        Standard deviation of μ by the observed information; NaN where μ was given.
    """

    log_likelihood: float
    mu: float
    cuts: Floats
    deviation: float = math.nan


class Binormal:
    """The likelihood of counts in ordered cells under binormal curves.

    Parameters
    ----------
    p, q : array_like, shape (k,)
        Counts of P and of Q, from the least member-like cell; expected counts need not be whole.
        Cells that are empty on both sides are left out.
    """

    def __init__(self, p: ArrayLike, q: ArrayLike):
        p, q = np.asarray(p, float), np.asarray(q, float)
        used = p + q > 0
        self.p, self.q = p[used], q[used]
        self._up_p, self._up_q = np.cumsum(self.p)[:-1], np.cumsum(self.q)[:-1]
        self.n_p, self.n_q = float(self.p.sum()), float(self.q.sum())

    @property
    def cells(self) -> int:
        """Number of cells that are not empty."""
        return self.p.size

    @cached_property
    def limit(self) -> float:
        """∞ or −∞ where the likelihood grows without end in μ, else 0; NaN where it is constant.

        A cut with a score of P below it and one of Q above it keeps μ from growing; one with a
        score of Q below and one of P above keeps it from falling.
        """
        if self.cells < 2:
            return math.nan
        if not ((self._up_p > 0) & (self._up_q < self.n_q)).any():
            return math.inf
        if not ((self._up_q > 0) & (self._up_p < self.n_p)).any():
            return -math.inf
        return 0.0

    @cached_property
    def saturated(self) -> float:
        """Log-likelihood of the relative frequencies themselves, the largest of any model."""
        return float(
            sum(xlogy(x, x / n).sum() for x, n in ((self.p, self.n_p), (self.q, self.n_q)))
        )

    @cached_property
    def best(self) -> Maximum:
        """The maximum with slope 1."""
        return self.at_slope(1.0)

    @cached_property
    def slope(self) -> float | None:
        """The slope with the largest likelihood; None where the counts do not tell it."""
        from scipy.optimize import minimize_scalar

        if self.cells < 3 or self.limit:
            return None
        start = self.best
        most = math.log(MOST_SLOPE)

        def cost(log_slope: float) -> float:
            return -self.at_slope(math.exp(log_slope), start).log_likelihood

        found = minimize_scalar(cost, bounds=(-most, most), options={"xatol": 1e-6})
        if abs(found.x) > most - 1e-3:
            return None
        return math.exp(float(found.x))

    def at_slope(self, slope: float, start: Maximum | None = None) -> Maximum:
        """The maximum over μ and all cuts at one slope.

        Parameters
        ----------
        slope : float
            Above 0.
        start : Maximum, optional
            Where to begin.
        """
        if self.limit:  # NaN or infinite
            mu = 0.0 if math.isnan(self.limit) else self.limit
            return Maximum(self.saturated, mu, np.full(self._up_p.shape, np.nan))
        return self._newton(slope, self._start(slope) if start is None else start, None)

    def at_mu(self, mu: float, start: Maximum | None = None) -> Maximum:
        """The maximum over all cuts at one finite μ, with slope 1.

        Parameters
        ----------
        mu : float
        start : Maximum, optional
            Where to begin.
        """
        return self._newton(1.0, self._start(1.0) if start is None else start, mu)

    def interval(self, drop: float) -> tuple[float, float]:
        """The μ whose profile likelihood with slope 1 lies below the maximum by at most ``drop``/2.

        Parameters
        ----------
        drop : float
            Twice the difference of log-likelihoods: a quantile of χ² with one degree of freedom.

        Returns
        -------
        low, high : float
            May be infinite.
        """
        if math.isnan(self.limit):
            return -math.inf, math.inf
        if math.isinf(self.limit):
            end = self._end_of_unbounded(drop)
            return (end, math.inf) if self.limit > 0 else (-math.inf, end)
        low, high = (self._end(drop, side) for side in (-1.0, 1.0))
        return low, high

    # -- the search ---------------------------------------------------------------------------

    def _start(self, slope: float) -> Maximum:
        z_p, z_q = (
            ndtri((up + 0.5) / (n + 1))
            for up, n in ((self._up_p, self.n_p), (self._up_q, self.n_q))
        )
        weight = np.exp(-(z_p**2 + z_q**2) / 2)
        mu = float(weight @ (slope * z_q - z_p) / weight.sum())
        return Maximum(-math.inf, mu, (z_q + (z_p + mu) / slope) / 2)

    def _newton(self, slope: float, start: Maximum, mu: float | None) -> Maximum:
        """Newton's method for the cuts and, unless it is given, for μ."""
        cuts, free = start.cuts, mu is None
        at = start.mu if mu is None else mu
        value, gradient, curvature = self._derivatives(slope, at, cuts, free)
        for _ in range(_STEPS):
            step = _solution(curvature, gradient)
            gain = float(gradient @ step)
            if gain < 1e-13 * (1 + abs(value)):
                break
            size = 1.0
            for _ in range(_HALVINGS):
                new_cuts = cuts + size * step[: cuts.size]
                new_at = at + size * float(step[-1]) if free else at
                if (np.diff(new_cuts) > 0).all():
                    new = self._derivatives(slope, new_at, new_cuts, free)
                    if new[0] >= value + 1e-4 * size * gain:
                        break
                size /= 2
            else:
                break
            cuts, at = new_cuts, new_at
            value, gradient, curvature = new
        deviation = math.nan
        if free:
            unit = np.zeros(cuts.size + 1)
            unit[-1] = 1.0
            deviation = math.sqrt(float(_solution(curvature, unit)[-1]))
        return Maximum(value, at, cuts, deviation)

    def _derivatives(
        self, slope: float, mu: float, cuts: Floats, free: bool
    ) -> tuple[float, Floats, Floats]:
        """Log-likelihood, gradient and negative Hessian in the cuts and, if it is free, in μ."""
        m = cuts.size
        size = m + free
        value, gradient, curvature = 0.0, np.zeros(size), np.zeros((size, size))
        i = np.arange(m)
        for counts, b, shift in ((self.q, 1.0, 0.0), (self.p, slope, mu)):
            t = b * cuts - shift
            log_mass = _log_masses(t)
            value += float(counts @ np.where(counts > 0, log_mass, 0.0))
            log_density = -(t**2) / 2 - _LOG_ROOT_TAU
            # Derivatives of the logarithm of the mass below and above each cut by that cut.
            below = np.exp(np.minimum(log_density - log_mass[:-1], 300.0))
            above = np.exp(np.minimum(log_density - log_mass[1:], 300.0))
            n_below, n_above = counts[:-1], counts[1:]
            slope_t = n_below * below - n_above * above
            diagonal = t * slope_t + n_below * below**2 + n_above * above**2
            beside = -n_above[:-1] * above[:-1] * below[1:]
            matrix = np.zeros((m, m))
            matrix[i, i] = diagonal
            matrix[i[:-1], i[1:]] = matrix[i[1:], i[:-1]] = beside
            gradient[:m] += b * slope_t
            curvature[:m, :m] += b**2 * matrix
            if free and shift is mu:
                rows = matrix.sum(axis=1)
                gradient[m] -= float(slope_t.sum())
                curvature[:m, m] -= b * rows
                curvature[m, :m] -= b * rows
                curvature[m, m] += float(rows.sum())
        return value, gradient, curvature

    # -- the ends of the interval ---------------------------------------------------------------

    def _drop(self, at: Maximum) -> float:
        return 2 * (self.best.log_likelihood - at.log_likelihood)

    def _end(self, drop: float, side: float) -> float:
        """Secant steps on the root of the drop, which is nearly linear in μ."""
        best, root = self.best, math.sqrt(drop)
        distance, at = best.deviation * root, best
        for _ in range(50):
            at = self.at_mu(best.mu + side * distance, at)
            found = math.sqrt(max(self._drop(at), 0.0))
            if abs(found - root) < 1e-9 * root:
                break
            distance *= min(max(root / max(found, 1e-300), 0.5), 2.0)
        return best.mu + side * distance

    def _end_of_unbounded(self, drop: float) -> float:
        from scipy.optimize import brentq

        sign = math.copysign(1.0, self.limit)

        def excess(distance: float) -> float:
            return self._drop(self.at_mu(sign * distance)) - drop

        low, high = -1.0, 1.0
        while excess(low) < 0:
            low *= 2
        while excess(high) > 0:
            high *= 2
        return sign * float(brentq(excess, low, high, xtol=1e-9))


def _of_cells(upto: NDArray[np.int64], ends: NDArray[np.intp]) -> Floats:
    return np.diff(upto[ends], prepend=0).astype(float)


def _solution(matrix: Floats, right: Floats) -> Floats:
    """Solution of a positive definite system that may be singular up to round-off."""
    tiny = 1e-13 * float(np.trace(matrix)) / len(matrix)
    return np.asarray(np.linalg.solve(matrix + tiny * np.eye(len(matrix)), right))


def _log_masses(t: Floats) -> Floats:
    """Logarithms of the normal masses between points, and beyond the first and the last one."""
    low, high = np.append(-np.inf, t), np.append(t, np.inf)
    right = low > 0  # there the mass is a difference of upper tails, as precise as on the left
    low, high = np.where(right, -high, low), np.where(right, -low, high)
    top = log_ndtr(high)
    return top + np.log(-np.expm1(np.minimum(log_ndtr(low) - top, 0.0)))
