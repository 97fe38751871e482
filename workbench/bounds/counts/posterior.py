"""Posterior probability of the error rates that a trade-off function allows.

A trade-off function f allows the points f(α) ≤ β ≤ 1 − f(1 − α); `credible` has the posterior and
its integral. All of this is credibility, not confidence: `approximate` in the words of the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._format import format_result
from workbench._frames import to_frame
from workbench.bounds.counts.counts import Counts
from workbench.bounds.counts.credible import NODES, Region, region_mass
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats
from workbench.scores.sample import Scores, require_scores

#: Steps in which a family is searched for its first member that holds.
STEPS = 64


def posterior_mass(counts: Counts, tradeoff: Any) -> float:
    """Posterior probability that the error rates lie in the region that f allows.

    Parameters
    ----------
    counts : Counts
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
    _checks.instance(counts, Counts, "counts", "a workbench.Counts: wb.Counts(tp=, fp=, tn=, fn=)")
    rows = np.array([[counts.tp], [counts.fp], [counts.tn], [counts.fn]], dtype=float)
    return float(region_mass(rows, _allowed(tradeoff))[0])


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

    to_frame = to_frame

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
    rows = rows_at(scores, thresholds)
    mass = region_mass(rows, _allowed(tradeoff)).reshape(thresholds.shape)
    return PosteriorCurve(scores, tradeoff, thresholds, mass)


def rows_at(scores: Scores, thresholds: Floats) -> Floats:
    """Counts of the attack at each threshold, for `masses_of`: tp, fp, tn, fn as rows.

    Parameters
    ----------
    scores : Scores
    thresholds : ndarray
        In score units.
    """
    tp, fp = scores.tail_counts(thresholds)
    return np.stack([tp, fp, scores.n_q - fp, scores.n_p - tp]).reshape(4, -1).astype(float)


def masses_of(rows: Floats, tradeoff: Any, nodes: int = NODES) -> Floats:
    """Posterior mass of the region that f allows, for each column of counts.

    Parameters
    ----------
    rows : ndarray, shape (4, n)
        tp, fp, tn, fn.
    tradeoff : pair, curve, histogram or band
        As in `posterior_mass`.
    nodes : int
        As in `region_mass`.
    """
    different, which = np.unique(rows, axis=1, return_inverse=True)
    return region_mass(different, _allowed(tradeoff), nodes)[which.ravel()]


@dataclass(frozen=True)
class PosteriorMember:
    """The member of a family whose region holds a stated share of the posterior.

    Attributes
    ----------
    parameter : float
        Also ``float(member)``.
    member : pair or curve
    counts : Counts
    probability : float
        Posterior mass of its region; approximate, a credibility and not a confidence.
    monotone : bool
        Whether the mass only grew along the steps of the search, as it does when each region
        contains the one before. Where it did not, ``member`` is the first one that holds.
    """

    parameter: float
    member: Any
    counts: Counts
    probability: float
    monotone: bool

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    def __float__(self) -> float:
        return self.parameter

    def __format__(self, spec: str) -> str:
        """The parameter by a format of numbers, such as ``".3f"``; the text for other formats."""
        return format_result(self, self.parameter, spec)


def posterior_parameter(
    counts: Counts,
    family: Callable[[float], Any],
    bounds: tuple[float, float],
    probability: float = 0.95,
) -> PosteriorMember:
    """The smallest member of a family whose region holds ``probability`` of the posterior.

    Parameters
    ----------
    counts : Counts
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
    from scipy.optimize import brentq

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


def _allowed(tradeoff: Any) -> Region:
    from scipy.optimize import brentq

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
