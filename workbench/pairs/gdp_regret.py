"""The regret of reporting one μ in place of a trade-off curve, and when one μ is enough.

Gomez et al. 2025, arXiv 2503.10945.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from workbench import _checks
from workbench._format import plain, round_safely
from workbench._frames import to_frame
from workbench.curves.gdp import gaussian_log_profile
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats, quiet
from workbench.pairs.base import Pair

#: The regret up to which one μ says enough (Gomez et al. 2025).
ENOUGH = 0.01

#: ε beyond which no regret of 1e-17 can be.
_LARGEST_EPSILON = 40.0

#: First points of ε, parts into which cells are cut, how often, and what is gained at least.
_POINTS, _PARTS, _ROUNDS, _GAIN = 2001, 8, 8, 1e-9


@dataclass(frozen=True)
class GDPRegret:
    """One μ in place of a trade-off curve f, and how much that hides.

    For all α and ε, with the profile δ(ε) of f and δ_μ(ε) of the Gaussian pair::

        f(α + regret) − regret ≤ G_μ(α)          f(α) ≥ G_μ(α + floor) − floor
        δ_μ(ε) − (1 + e^ε) regret ≤ δ(ε)         δ(ε) ≤ δ_μ(ε) + (1 + e^ε) floor

    Attributes
    ----------
    mu : float
        The tight μ: the smallest with G_μ ≤ f wherever both error rates are at least ``floor``.
    regret : float
        Δ(μ), from above by at most about 1e-9; so much for a Gaussian pair, whose Δ(μ) is 0.
    floor : float
        The smallest error rate for which G_μ ≤ f is asked. Below it the pair may leak more.
    """

    mu: float
    regret: float
    floor: float

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def enough(self) -> bool:
        """Whether one μ says enough: a regret of at most 0.01."""
        return self.regret <= ENOUGH

    @property
    def report(self) -> str:
        """What to report: μ where the regret is at most 0.01, the whole curve otherwise."""
        regret = f"regret {round_safely(self.regret, 'up')}"
        if self.enough:
            mu = round_safely(self.mu, "up")
            return f"μ = {mu} ({regret}, both error rates ≥ {plain(self.floor)})"
        return (
            f"the whole trade-off curve or privacy profile: no μ is close to it ({regret}, "
            f"above {plain(ENOUGH)})"
        )

    def __str__(self) -> str:
        return self.report


def gdp_regret(curve: Pair | TradeoffCurve, floor: float = 1e-10) -> GDPRegret:
    """The tight μ of a pair or a curve, and the regret of reporting it alone.

    Parameters
    ----------
    curve : Pair or TradeoffCurve
        Its symmetrized trade-off function is f. For a pair that is composed numerically f is the
        accountant's, which leaks a little more than the true one.
    floor : float
        Strictly between 0 and 1: the smallest error rate for which μ must hold. The tight μ means
        nothing without it: for DP-SGD it grows to √steps/σ as the floor falls to 0.

    Returns
    -------
    GDPRegret

    Raises
    ------
    TypeError
        Something that is neither pair nor curve.
    ValueError
        A floor outside (0, 1).

    Notes
    -----
    Δ(μ) = inf{κ ≥ 0 : f(α + κ) − κ ≤ G_μ(α) for all α}. Along a line of slope 1 the two curves
    are a distance apart that is the larger of a difference of convex functions, so that the
    supremum may be taken over their tangents instead (Toland 1978)::

        Δ(μ) = sup_{ε ≥ 0} (δ_μ(ε) − δ(ε)) / (1 + e^ε)

    Both profiles are convex in e^ε. Between two vertices of a piecewise-linear f the quotient has
    no maximum inside, so that its vertices give Δ exactly; for other pairs chords and their
    extensions bound it from above, to 1e-9.

    References
    ----------
    Gomez et al., Gaussian DP for reporting differential privacy guarantees in machine learning
    (2025), arXiv 2503.10945, who report μ alone where the regret is below 0.01.

    Examples
    --------
    >>> pair = wb.DPSGDPair(noise_multiplier=9.4, sample_rate=0.328, steps=2000)
    >>> print(wb.gdp_regret(pair))
    μ = 1.57 (regret 0.00103, both error rates ≥ 1e-10)
    >>> wb.gdp_regret(wb.LaplacePair(1)).enough
    False
    """
    need = "a pair or a TradeoffCurve, such as wb.LaplacePair(1)"
    _checks.instance(curve, (Pair, TradeoffCurve), "curve", need)
    mu = abs(curve.gdp_mu(floor))  # no negative zero
    if isinstance(curve, TradeoffCurve):
        regret = _of_vertices(curve, mu)
    else:
        regret = _from_above(lambda e: np.asarray(curve.profile(e)), mu)
    return GDPRegret(mu=mu, regret=max(regret, 0.0), floor=float(floor))


def distance_to_gaussian(curve: TradeoffCurve, mu: float) -> float:
    """Distance between a curve and a Gaussian one, along both error rates at once.

    The least κ with f(α + κ) − κ ≤ G_μ(α) and G_μ(α + κ) − κ ≤ f(α) for all α: the regret Δ(μ) for
    a μ that need not be tight, and the same the other way.

    Parameters
    ----------
    curve : TradeoffCurve
        Its symmetrized trade-off function is f.
    mu : float
        At least 0; may be infinite.

    Returns
    -------
    float
        sup_{ε ≥ 0} |δ_μ(ε) − δ(ε)|/(1 + e^ε); from below by at most about 1e-4.
    """
    epsilon = np.union1d(_epsilons(curve), np.linspace(0, _LARGEST_EPSILON / 4, _POINTS))
    of_gaussian = np.ones(epsilon.shape) if np.isinf(mu) else _gaussian(mu, epsilon)
    gap = np.abs(of_gaussian - np.asarray(curve.profile(epsilon)))
    return float(np.max(gap * expit(-epsilon)))


def _gaussian(mu: float, epsilon: Floats) -> Floats:
    return np.exp(np.asarray(gaussian_log_profile(mu, epsilon)))


def _of_vertices(curve: TradeoffCurve, mu: float) -> float:
    """Δ(μ) of a piecewise-linear f: the largest quotient at the ε of its segments, and at 0."""
    epsilon = _epsilons(curve)
    gap = _gaussian(mu, epsilon) - np.asarray(curve.profile(epsilon))
    return float(np.max(gap * expit(-epsilon)))


def _epsilons(curve: TradeoffCurve) -> Floats:
    """0, and the positive ε of the segments."""
    f = curve.symmetrized()
    with quiet():
        epsilon = np.log(-np.diff(f.beta)) - np.log(np.diff(f.alpha))
    return np.r_[0.0, epsilon[np.isfinite(epsilon) & (epsilon > 0)]]


def _from_above(profile: Callable[[Floats], Floats], mu: float) -> float:
    """An upper limit of Δ(μ), at most about 1e-9 above it."""
    epsilon = np.r_[0.0, np.geomspace(1e-6, _LARGEST_EPSILON, _POINTS)]
    for _ in range(_ROUNDS):
        at_points, in_cells = _quotients(_gaussian(mu, epsilon), profile(epsilon), epsilon)
        wide = np.flatnonzero(in_cells > max(at_points.max(), 0.0) + _GAIN)
        if not wide.size:
            break
        parts = np.arange(1, _PARTS) / _PARTS
        inner = epsilon[wide, None] + np.diff(epsilon)[wide, None] * parts
        epsilon = np.union1d(epsilon, inner)
    beyond = _gaussian(mu, epsilon[-1:]) * expit(-epsilon[-1:])
    return float(max(at_points.max(), in_cells.max(), beyond[0]))


@quiet()
def _quotients(upper: Floats, lower: Floats, epsilon: Floats) -> tuple[Floats, Floats]:
    """(δ_μ − δ)/(1 + e^ε) at the points, and its upper limits in the cells between them.

    In x = e^ε a convex δ_μ lies below its chord and a convex δ above the extensions of the chords
    beside it. The difference of chord and extensions is concave with one corner; over 1 + x it is
    largest at an end or at that corner.
    """
    x, width = np.exp(epsilon), np.diff(np.exp(epsilon))
    at_points = (upper - lower) * expit(-epsilon)
    slope = np.diff(lower) / width
    # Beyond the first and the last point nothing is known but that δ falls, to at least 0.
    left, right = np.r_[-np.inf, slope[:-1]], np.r_[slope[1:], 0.0]
    turn = np.where(right > left, (right - slope) / (right - left), 1.0)
    corner = x[:-1] + width * np.clip(turn, 0.0, 1.0)
    extended = lower[1:] - right * (x[1:] - corner)
    chord = upper[:-1] + np.diff(upper) / width * (corner - x[:-1])
    return at_points, (chord - extended) / (1 + corner)
