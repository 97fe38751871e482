"""Posterior mass of regions of error rates, and the limits of a quantity that follow from it.

With Jeffreys priors (Zanella-Béguelin et al. 2023; Koskela & Mohammadi 2024, eq. 2.5) the error
rates of one attack have the posterior

    α ~ Beta(½ + FP, ½ + TN),   β ~ Beta(½ + FN, ½ + TP),

independent. The mass of low(α) ≤ β ≤ high(α) is one integral in one dimension,

    ∫ [F_β(high(α)) − F_β(low(α))] dF_α ,

taken here over x = arcsin √α, in which the Jeffreys prior is flat and the posterior smooth down to
no errors at all, in panels that end at the kinks of the edges and are fine where the integrand
moves. A grid or a two-dimensional quadrature misses the thin region where it does, and gets wrong
answers with confidence (Koskela & Mohammadi 2024, Fig. 3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, betaln, xlogy

from workbench.bounds.quantities import Question
from workbench.curves.validation import Floats

#: Nodes in each panel, and where panels end, in standard deviations of each posterior.
NODES = 8
SPREAD = np.linspace(-12, 12, 49)

#: Where panels end toward a corner, as shares of the way there.
GRADED = 0.25 ** np.arange(1, 9)

#: Thresholds whose integrals are taken together.
CHUNK = 64

#: α -> β, one edge of a region.
Edge = Callable[[Floats], Floats]


def credible_limit(
    tp: int, fp: int, tn: int, fn: int, question: Question, error: float, side: str
) -> float:
    """The value below which the posterior has ``error``, or above which it has that.

    P(θ ≤ v) is the posterior mass of the region that v allows: for trade-off functions, which
    bind the complement of the attack too, that between both edges (Zanella-Béguelin et al. 2023).
    Hence this limit exceeds 0 even where P = Q.
    """
    from scipy.optimize import brentq

    level = error if side == "lower" else 1 - error
    rows = np.array([[tp], [fp], [tn], [fn]], dtype=float)

    @cache
    def excess(value: float) -> float:
        return float(region_mass(rows, _region(question, value))[0]) - level

    # Both rates are at most (at least) these with more than the posterior that is asked for; the
    # complement of an attack with error rates (α, β) has (1 − α, 1 − β).
    alpha, beta, _, _ = _quantiles(rows, 1 - level / 2)
    least = float(question.from_rates(alpha, beta))
    alpha, beta, right, found = _quantiles(rows, (1 - level) / 4)
    most = float(question.from_rates(alpha, beta))
    if question.is_region:
        most = max(most, float(question.from_rates(right, found)))
    # All of it may lie at the least value, and round-off hides levels very near 0 and 1.
    if excess(least) >= 0:
        return least
    if excess(most) <= 0:
        return most
    return float(brentq(excess, least, most, xtol=1e-8, rtol=1e-8))


def _quantiles(rows: Floats, level: float) -> tuple[Floats, ...]:
    """Quantiles of α, β, 1 − α and 1 − β."""
    tp, fp, tn, fn = rows[:, 0] + 0.5
    shapes = (fp, tn), (fn, tp), (tn, fp), (tp, fn)
    return tuple(betaincinv(*shape, level) for shape in shapes)


def _region(question: Question, value: float) -> Region:
    edge, inverse = partial(question.curve, value), partial(question.inverse, value)
    kinks = np.array(question.kinks(value))
    if question.is_region:
        return Region.of_tradeoff(edge, kinks)
    return Region(edge, inverse, None, None, kinks)


@dataclass(frozen=True)
class Region:
    """The points ``low(α) ≤ β ≤ high(α)``, both edges falling in α.

    Attributes
    ----------
    low, low_inverse, high, high_inverse : callable
        The edges, and α as a function of β on them; None for the edge β = 1.
    kinks : ndarray
        The α at which an edge is not smooth.
    """

    low: Edge
    low_inverse: Edge
    high: Edge | None
    high_inverse: Edge | None
    kinks: Floats

    @classmethod
    def of_tradeoff(cls, f: Edge, kinks: Floats) -> Region:
        """f(α) ≤ β ≤ 1 − f(1 − α) for a symmetric f."""

        def high(alpha: Floats) -> Floats:
            return 1 - f(1 - alpha)

        return cls(f, f, high, high, np.concatenate([kinks, 1 - kinks]))


def region_mass(rows: Floats, region: Region, nodes: int = NODES) -> Floats:
    """Posterior mass of a region for each column of ``rows``: tp, fp, tn, fn.

    Parameters
    ----------
    rows : ndarray, shape (4, n)
    region : Region
    nodes : int
        In each panel. With 3 of them the mass is right to 0.001, as a chart needs it.

    References
    ----------
    Koskela & Mohammadi (2024), eq. 2.5.
    """
    chunks = [rows[:, i : i + CHUNK] for i in range(0, rows.shape[1], CHUNK)]
    masses = [_mass_of_chunk(chunk, region, nodes) for chunk in chunks]
    return np.concatenate(masses or [np.empty(0)])


def _mass_of_chunk(rows: Floats, region: Region, nodes: int) -> Floats:
    tp, fp, tn, fn = rows[:, :, None]
    x, y = _spread(fp, tn), _spread(fn, tp)
    # The integrand moves where α does, and where an edge crosses the posterior of β.
    beta = np.sin(y) ** 2
    crossings = [region.low_inverse(beta)]
    if region.high_inverse is not None:
        crossings.append(region.high_inverse(beta))
    kinks = np.broadcast_to(region.kinks, (rows.shape[1], region.kinks.size))
    cuts = _angle(np.concatenate([*crossings, kinks], axis=1))
    cuts = np.clip(cuts, x.min(1, keepdims=True), x.max(1, keepdims=True))
    cuts = np.sort(np.concatenate([x, cuts], axis=1))
    width = np.diff(cuts)
    row, panel = np.nonzero(width)
    width = width[row, panel][:, None]
    least, most = beta.min(1, keepdims=True), beta.max(1, keepdims=True)
    tp, fp, tn, fn, least, most = (k[row] for k in (tp, fp, tn, fn, least, most))
    node, weight = _legendre(nodes)
    x = cuts[row, panel][:, None] + width * node
    sin, cos = np.sin(x), np.cos(x)
    # dF_α = 2 sin^{2 FP} x · cos^{2 TN} x / B(FP + ½, TN + ½) dx
    log_density = 2 * (xlogy(fp, sin) + xlogy(tn, cos)) - betaln(fp + 0.5, tn + 0.5)
    mass = 2 * np.exp(log_density) * width * weight

    def below(edge: Edge) -> Floats:
        """F_β(edge(α)), computed only where it is neither 0 nor 1."""
        at = edge(sin**2)
        moves = (at > least) & (at < most)
        a, b = (np.broadcast_to(k + 0.5, at.shape)[moves] for k in (fn, tp))
        value = np.where(at < most, 0.0, 1.0)
        value[moves] = betainc(a, b, at[moves])
        return value

    within = (1.0 if region.high is None else below(region.high)) - below(region.low)
    share = np.sum(mass * within, axis=1)
    return np.clip(np.bincount(row, share, minlength=rows.shape[1]), 0.0, 1.0)


def _spread(errors: Floats, right: Floats) -> Floats:
    """The arcsine of √rate across the posterior: ± 12 standard deviations, within [0, π/2]."""
    n = errors + right + 1
    middle = _angle((errors + 0.5) / n)
    even = np.clip(middle + SPREAD / (2 * np.sqrt(n)), 0.0, np.pi / 2)
    # Curves may be infinitely steep in the corners.
    least, most = even[:, :1], even[:, -1:]
    graded = np.concatenate([most * GRADED, np.pi / 2 - (np.pi / 2 - least) * GRADED], axis=1)
    return np.concatenate([even, np.clip(graded, least, most)], axis=1)


def _angle(rate: Floats) -> Floats:
    return np.asarray(np.arcsin(np.sqrt(np.clip(rate, 0.0, 1.0))))


@cache
def _legendre(nodes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss–Legendre nodes and weights on [0, 1]."""
    node, weight = np.polynomial.legendre.leggauss(nodes)
    return (node + 1) / 2, weight / 2
