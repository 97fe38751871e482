"""The point where the Gaussian profile of the tight μ meets a pair's own profile.

Koskela and Mohammadi 2024, Appendix A.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from workbench import _checks
from workbench._frames import to_frame
from workbench.curves.gdp import gaussian_log_profile
from workbench.curves.validation import Floats, rates
from workbench.pairs.base import Pair

#: Differences of log δ below this are round-off.
_ROUND_OFF = 1e-9


class Tradeoff(Protocol):
    """Whatever has a symmetrized trade-off function."""

    def tradeoff(self, alpha: Floats, symmetric: bool = True) -> Any:
        """f(α), or a bound on it."""


@dataclass(frozen=True)
class Meeting:
    """The tight μ over a range, and the point that it rests on, on both kinds of curve.

    Attributes
    ----------
    floor : float
        What both error rates are at least.
    mu : float
        As `Pair.gdp_mu` gives it.
    alpha : float
        The false positive rate, at most the false negative one, whose local μ it is.
    epsilon, delta : float
        Where the two profiles meet.
    tangent : bool
        True where they touch, so that value and slope agree (Koskela and
        Mohammadi 2024, equation A.1). False
        where they cross, and the pair leaks more than the Gaussian beyond.
    """

    floor: float
    mu: float
    alpha: float
    epsilon: float
    delta: float
    tangent: bool

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)


def meeting_point(pair: Pair, floor: float) -> Meeting | None:
    """Where the profile of N(μ, 1) against N(0, 1), with the tight μ, meets the pair's.

    Parameters
    ----------
    pair : Pair
    floor : float
        Strictly between 0 and 1.

    Returns
    -------
    Meeting or None
        None where the whole symmetrized curve lies below the floor, so that no point of it has
        the tight μ.

    Raises
    ------
    ValueError
        A floor outside (0, 1).

    Notes
    -----
    At the maximizing α the trade-off functions f and G_μ meet. A line that supports G_μ there has
    slope −e^ε with ε = μ Φ⁻¹(1−α) − μ²/2, and 1 − f(α) − e^ε α is the Gaussian's δ(ε). If local μ
    is largest inside the range, the line supports f too, and the profiles touch at this ε. If it is
    largest at the floor, f runs below G_μ beyond: δ(ε) of the pair exceeds the Gaussian's at this ε
    and falls short of it at ε = 0, so they cross between.

    References
    ----------
    Koskela and Mohammadi (2024), Appendix A.
    """
    from scipy.optimize import brentq

    _checks.instance(pair, Pair, "pair", "a pair, such as wb.LaplacePair(1)")
    floor = _checks.open_unit(floor, "floor")
    middle = (1 - pair.total_variation) / 2  # where α = f(α); beyond lies the mirror image
    if middle < floor:
        return None
    alpha = pair.revealing_alphas(floor)
    alpha = np.r_[alpha[(alpha >= floor) & (alpha < middle)], middle]
    local = pair.symmetric_local_mu(alpha)
    best = int(np.argmax(local))
    mu, at = max(float(local[best]), 0.0), float(alpha[best])
    epsilon = max(-mu * float(ndtri(at)) - mu**2 / 2, 0.0)

    def excess(e: float) -> float:
        """Log of the Gaussian's δ over the pair's."""
        return float(gaussian_log_profile(mu, e)) - float(pair.log_profile(e))

    tangent = mu == 0 or excess(epsilon) >= -_ROUND_OFF
    if not tangent and excess(0.0) > 0:
        epsilon = float(brentq(excess, 0.0, epsilon))
    return Meeting(floor, mu, at, epsilon, float(pair.profile(epsilon)), tangent)


def symmetric_local_mu(curve: Tradeoff, alpha: ArrayLike) -> Floats:
    """Φ⁻¹(1−α) − Φ⁻¹(f(α)) of the symmetrized f, for a chart.

    Parameters
    ----------
    curve : Pair, TradeoffBand or whatever has ``tradeoff``
    alpha : array_like
        From 1e-12 to ½; further down 1 − f(α) loses its digits.

    Returns
    -------
    ndarray
        At least 0, ``inf`` where f(α) = 0.
    """
    if not hasattr(curve, "tradeoff"):
        raise TypeError(f"curve must be a pair, band or curve, got {_checks.shown(curve)}")
    alpha = rates(alpha, "alpha")
    return np.maximum(-ndtri(alpha) - ndtri(curve.tradeoff(alpha)), 0.0)
