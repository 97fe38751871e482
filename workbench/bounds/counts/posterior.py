"""Posterior probability of the error rates that a trade-off function allows.

With Jeffreys priors (Zanella-Béguelin et al. 2023; Koskela & Mohammadi 2024, eq. 2.5) the error
rates of one attack have the posterior

    α ~ Beta(½ + FP, ½ + TN),   β ~ Beta(½ + FN, ½ + TP),

independent, and a trade-off function f allows the points f(α) ≤ β ≤ 1 − f(1 − α). The mass inside
is one integral in one dimension,

    ∫ [F_β(1 − f(1 − α)) − F_β(f(α))] dF_α ,

taken here over x = arcsin √α, in which the Jeffreys prior is flat and the posterior smooth down to
no errors at all, in panels that end at the kinks of f and are fine where the integrand moves. A
grid or a two-dimensional quadrature misses the thin region where it does, and gets wrong answers
with confidence (Koskela & Mohammadi 2024, Fig. 3).

All of this is credibility, not confidence: `approximate` in the words of the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import betainc, betaln, xlogy

from workbench import _checks
from workbench.bounds.counts.four_counts import FourCounts
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats
from workbench.scores.sample import Scores, require_scores

#: Nodes in each panel, and where panels end, in standard deviations of each posterior.
NODES = 8
SPREAD = np.linspace(-12, 12, 49)

#: Where panels end toward a corner, as shares of the way there.
GRADED = 0.25 ** np.arange(1, 9)

#: Steps in which a family is searched for its first member that holds.
STEPS = 64

#: Thresholds whose integrals are taken together.
CHUNK = 64

#: α -> β, one edge of a region.
Edge = Callable[[Floats], Floats]


def posterior_mass(counts: FourCounts, tradeoff: Any) -> float:
    """Posterior probability that the error rates lie in the region that f allows.

    Parameters
    ----------
    counts : FourCounts
    tradeoff : pair, curve, histogram or band
        Anything with ``tradeoff(alpha)``, symmetrised: f(α) for α in [0, 1].

    Returns
    -------
    float
        In [0, 1]. Near 0 it speaks against f. Near 1 it is no evidence for f: an attack that
        sees nothing gives 1 for every f.

    Notes
    -----
    Guarantee: approximate; a Bayesian credibility, not a confidence.

    References
    ----------
    Zanella-Béguelin et al. (2023); Koskela & Mohammadi (2024), eq. 2.5, which prints FP and FN
    exchanged.

    Examples
    --------
    >>> counts = wb.Counts(tp=400, fp=100, tn=400, fn=100)
    >>> round(wb.posterior_mass(counts, wb.GaussianPair(1.7)), 2)
    0.58
    """
    return float(_mass(_rows([counts]), _allowed(tradeoff))[0])


@dataclass(frozen=True, eq=False)
class PosteriorCurve:
    """Posterior mass of one region at many thresholds.

    Attributes
    ----------
    scores : Scores
    tradeoff : pair, curve, histogram or band
        Whose region it is.
    thresholds : ndarray
        In score units.
    mass : ndarray, the shape of ``thresholds``
        Posterior probability of the region at each threshold alone. Approximate, and more so for
        a threshold that was picked because of its mass.
    """

    scores: Scores = field(repr=False)
    tradeoff: Any
    thresholds: NDArray[np.float64]
    mass: NDArray[np.float64]

    def __post_init__(self) -> None:
        _checks.columns(self)


def posterior_over_thresholds(
    scores: Scores, tradeoff: Any, thresholds: ArrayLike
) -> PosteriorCurve:
    """Posterior mass of the region that f allows, for the attack at each threshold.

    Parameters
    ----------
    scores : Scores
    tradeoff : pair, curve, histogram or band
        As in `posterior_mass`.
    thresholds : array_like
        In score units.

    Returns
    -------
    PosteriorCurve
    """
    require_scores(scores)
    thresholds = _checks.array(thresholds, "thresholds")
    tp, fp = scores.tail_counts(thresholds)
    rows = np.stack([tp, fp, scores.n_q - fp, scores.n_p - tp]).reshape(4, -1).astype(float)
    mass = _mass(rows, _allowed(tradeoff)).reshape(thresholds.shape)
    return PosteriorCurve(scores, tradeoff, thresholds, mass)


@dataclass(frozen=True)
class PosteriorMember:
    """The member of a family whose region holds a stated share of the posterior.

    Attributes
    ----------
    parameter : float
        Also ``float(member)``.
    member : pair or curve
    counts : FourCounts
    probability : float
        Posterior mass of its region; approximate, a credibility and not a confidence.
    monotone : bool
        Whether the mass only grew along the steps of the search, as it does when each region
        contains the one before. Where it did not, ``member`` is the first one that holds.
    """

    parameter: float
    member: Any
    counts: FourCounts
    probability: float
    monotone: bool

    def __post_init__(self) -> None:
        _checks.fields(self)

    def __float__(self) -> float:
        return self.parameter


def posterior_parameter(
    counts: FourCounts,
    family: Callable[[float], Any],
    bounds: tuple[float, float],
    probability: float = 0.95,
) -> PosteriorMember:
    """The smallest member of a family whose region holds ``probability`` of the posterior.

    Parameters
    ----------
    counts : FourCounts
    family : callable
        Parameter -> pair or curve.
    bounds : pair of float
        Interval that is searched. Regions should grow from one end to the other; the masses at the
        ends show which end is the small one.
    probability : float
        Strictly between 0 and 1.

    Returns
    -------
    PosteriorMember
        The first member with that mass, coming from the small end; where neither end has it, from
        ``bounds[0]``.

    Raises
    ------
    ValueError
        No member between the bounds holds, or the members at both ends do, so that no end is the
        small one.

    Notes
    -----
    Guarantee: approximate. Assumed: the mass is a continuous function of the parameter, and a
    stretch of members that hold is no shorter than 1/64 of the bounds. The mass need not be
    monotone.
    """
    probability = _checks.open_unit(probability, "probability")
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise ValueError(
            f"bounds must be a pair (low, high), got {_checks.shown(bounds)}"
        ) from None
    ends = _checks.number(low, "bounds[0]"), _checks.number(high, "bounds[1]")

    def excess(parameter: float) -> float:
        return posterior_mass(counts, family(parameter)) - probability

    steps = np.linspace(ends[0], ends[1], STEPS + 1)
    at_steps = np.array([excess(float(step)) for step in steps])
    if at_steps[0] >= 0 and at_steps[-1] < 0:
        steps, at_steps = steps[::-1], at_steps[::-1]
    if at_steps[0] >= 0 or not (at_steps >= 0).any():
        raise ValueError(
            f"between {ends[0]:g} and {ends[1]:g} the posterior mass goes from "
            f"{at_steps[0] + probability:.3g} to {at_steps[-1] + probability:.3g} and no member "
            f"is the first to reach {probability:g}; widen the bounds"
        )
    i = int(np.argmax(at_steps >= 0))
    parameter = float(brentq(excess, steps[i - 1], steps[i], xtol=1e-10))
    return PosteriorMember(
        parameter=parameter,
        member=family(parameter),
        counts=counts,
        probability=probability,
        monotone=bool(np.all(np.diff(at_steps) >= -1e-9)),
    )


# -- the integral ---------------------------------------------------------------------------------


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


def region_mass(counts: FourCounts, region: Region) -> float:
    """Posterior mass of any region."""
    return float(_mass(_rows([counts]), region)[0])


def _allowed(tradeoff: Any) -> Region:
    f = getattr(tradeoff, "tradeoff", None)
    if not callable(f):
        raise TypeError(
            "tradeoff must be a pair, curve, histogram or band, which have tradeoff(alpha), such "
            f"as wb.GaussianPair(1); got {_checks.shown(tradeoff)}"
        )
    curve = getattr(tradeoff, "curve", tradeoff)
    if isinstance(curve, TradeoffCurve):
        return Region.of_tradeoff(f, curve.symmetrized().alpha)
    # Where the two directions of a symmetrised function meet.
    diagonal = brentq(lambda alpha: alpha - float(f(np.asarray(alpha))), 0.0, 1.0, xtol=1e-16)
    return Region.of_tradeoff(f, np.array([diagonal]))


def _rows(counts: list[FourCounts]) -> Floats:
    """tp, fp, tn, fn, shape (4, number of counts)."""
    for c in counts:
        _checks.instance(
            c, FourCounts, "counts", "a workbench.Counts: wb.Counts(tp=, fp=, tn=, fn=)"
        )
    return np.array([[c.tp, c.fp, c.tn, c.fn] for c in counts], dtype=float).T


def _mass(rows: Floats, region: Region) -> Floats:
    """Posterior mass for each column of tp, fp, tn, fn."""
    chunks = [rows[:, i : i + CHUNK] for i in range(0, rows.shape[1], CHUNK)]
    return np.concatenate([_mass_of_chunk(chunk, region) for chunk in chunks] or [np.empty(0)])


def _mass_of_chunk(rows: Floats, region: Region) -> Floats:
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
    node, weight = _legendre()
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
def _legendre() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss–Legendre nodes and weights on [0, 1]."""
    node, weight = np.polynomial.legendre.leggauss(NODES)
    return (node + 1) / 2, weight / 2
