"""Limits of privacy loss for normal scores whose variances may differ.

P = N(m_P, v_P) and Q = N(m_Q, v_Q), all four unknown. Privacy loss depends on two numbers only, the
ratio ρ = v_P/v_Q and θ = |m_P − m_Q|/√v_Q, and each has an exact pivot:

- (s_P²/s_Q²)/ρ has an F distribution, which gives limits of ρ;
- at a given ρ the variance of s² = ((n_P − 1) s_P²/ρ + (n_Q − 1) s_Q²)/(n_P + n_Q − 2) is that of
  an estimate of v_Q from as many degrees of freedom, so that (x̄ − ȳ)/(s √(ρ/n_P + 1/n_Q)) is
  noncentral t, which gives limits of θ.

The two share the error probability, so the truth lies within both with the stated confidence. A box
of limits of all four parameters (arXiv 2606.12733) needs four shares, and its corners combine what
does not happen together.

The least ε over that region needs no search in θ: privacy loss grows with it, as the intersection
of two intervals {p > t} and {cq > t} shrinks when they move apart. Over ρ it is taken with a proof.
In a cell [ρ₀, ρ₁] the densities of variance ρ satisfy √(ρ₀/ρ₁) p_ρ₀ ≤ p_ρ ≤ √(ρ₁/ρ₀) p_ρ₁, hence
with h = ½ log(ρ₁/ρ₀)::

    e^−h H_{e^{ε+h}}(p_ρ₀‖q) ≤ H_{e^ε}(p_ρ‖q) ≤ e^h H_{e^{ε−h}}(p_ρ₁‖q)
         H_{e^{ε+h}}(q‖p_ρ₁) ≤ H_{e^ε}(q‖p_ρ) ≤ H_{e^{ε−h}}(q‖p_ρ₀)

and cells are cut until this is sharp.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtri

from workbench.bounds.parametric.noncentral_t import noncentrality_limit
from workbench.curves.unequal_gaussians import epsilon_limits, log_hockey_stick
from workbench.curves.validation import Floats, quiet

#: Share of the error probability for the ratio of the variances.
RATIO_SHARE = 1 / 3

#: First cells, edges of the parts into which cells are cut, how often, the gap at which that ends.
_CELLS, _SHARES, _ROUNDS, _GAP = 24, np.linspace(0, 1, 9), 6, 1e-3

#: Relative round-off of the limits of ρ and of a divergence, with room.
_ROUND_OFF = 1e-9


@dataclass(frozen=True)
class Normals:
    """Two samples of normal scores.

    Attributes
    ----------
    difference : float
        |x̄ − ȳ|.
    variance_p, variance_q : float
        s_P², s_Q², with n − 1 in the denominator; above 0.
    n_p, n_q : int
        At least 2.
    """

    difference: float
    variance_p: float
    variance_q: float
    n_p: int
    n_q: int

    def ratio_limits(self, error: float) -> tuple[float, float]:
        """Limits of ρ that together miss it with probability ``error``."""
        m, n = self.n_p - 1, self.n_q - 1
        ratio = self.variance_p / self.variance_q
        # Quantiles of F and, for its upper tail, of its reciprocal, which is F too.
        low, high = ratio * float(fdtri(n, m, error / 2)), ratio / float(fdtri(m, n, error / 2))
        return low * (1 - _ROUND_OFF), high * (1 + _ROUND_OFF)

    def distance_limit(self, low: Floats, high: Floats, error: float, side: str) -> Floats:
        """Limit of θ that holds for every ρ in [low, high]; it misses with ``error``."""
        degrees = self.n_p + self.n_q - 2

        def deviation(ratio: Floats) -> Floats:
            of_p, of_q = (self.n_p - 1) * self.variance_p / ratio, (self.n_q - 1) * self.variance_q
            return np.sqrt((of_p + of_q) / degrees)

        def scale(ratio: Floats) -> Floats:
            return np.sqrt(ratio / self.n_p + 1 / self.n_q)

        # T falls with the deviation and the scale, of which one falls as ρ grows.
        one, other = (low, high) if side == "lower" else (high, low)
        t = self.difference / (deviation(one) * scale(other))
        limits = [noncentrality_limit(x, degrees, error, side) for x in t]
        return np.array(limits) * scale(one)


def epsilon_limit(normals: Normals, delta: float, error: float, side: str) -> float:
    """Limit of ε at δ, the larger of both directions, wrong with probability at most ``error``.

    Parameters
    ----------
    normals : Normals
    delta : float
        In [0, 1).
    error : float
    side : {"lower", "upper"}

    Returns
    -------
    float
        Rounded outwards.
    """
    if delta == 0:
        return _unbounded(normals, error, side)
    log_delta = math.log(delta)

    def epsilon(mean: Floats, deviation: Floats, log_factor: Floats) -> tuple[Floats, Floats]:
        reached = log_delta - log_factor
        inside = reached < 0  # no divergence exceeds 1
        below, above = epsilon_limits(mean, deviation, np.where(inside, reached, -1e-300))
        return np.where(inside, below, 0.0), np.where(inside, above, 0.0)

    def cells(low: Floats, high: Floats, theta: Floats) -> Floats:
        h = np.log(high / low) / 2
        narrow, wide = np.sqrt(low), np.sqrt(high)
        if side == "lower":
            forward = epsilon(theta, narrow, -h)[0]
            backward = epsilon(theta / wide, 1 / wide, 0 * h)[0]
            return np.maximum(np.maximum(forward, backward) - h, 0.0)
        forward = epsilon(theta, wide, h)[1]
        backward = epsilon(theta / narrow, 1 / narrow, 0 * h)[1]
        return np.maximum(forward, backward) + h

    return _extreme(normals, cells, error, side)


def delta_limit(normals: Normals, epsilon: float, error: float, side: str) -> float:
    """Limit of δ at ε, the larger of both directions; as `epsilon_limit` otherwise.

    Parameters
    ----------
    normals, error, side
        As in `epsilon_limit`.
    epsilon : float
        Finite.
    """

    def cells(low: Floats, high: Floats, theta: Floats) -> Floats:
        h = np.log(high / low) / 2
        if side == "lower":
            factor, moved, own, other = -h, epsilon + h, np.sqrt(low), np.sqrt(high)
        else:
            factor, moved, own, other = h, epsilon - h, np.sqrt(high), np.sqrt(low)
        forward = factor + log_hockey_stick(theta, own, moved)
        backward = log_hockey_stick(theta / other, 1 / other, moved)
        rounding = -_ROUND_OFF if side == "lower" else _ROUND_OFF
        return np.minimum(np.exp(np.maximum(forward, backward) + rounding), 1.0)

    return _extreme(normals, cells, error, side)


@quiet()
def _extreme(
    normals: Normals,
    cells: Callable[[Floats, Floats, Floats], Floats],
    error: float,
    side: str,
) -> float:
    """The least (largest) value over the region, from below (above).

    ``cells`` gives such limits for ρ in cells, and the values themselves where both ends coincide.
    """
    share = error * RATIO_SHARE
    edges = np.geomspace(*normals.ratio_limits(share), _CELLS + 1)
    sign = 1.0 if side == "lower" else -1.0

    def values(low: Floats, high: Floats) -> Floats:
        return sign * cells(low, high, normals.distance_limit(low, high, error - share, side))

    low, high = edges[:-1], edges[1:]
    settled, best = math.inf, math.inf
    for _ in range(_ROUNDS):
        middle = np.sqrt(low * high)  # a cell without width has the value itself
        found, inside = np.split(values(np.r_[low, middle], np.r_[high, middle]), 2)
        best = min(best, float(inside.min()))
        gap = _GAP * min(1.0, abs(best)) if math.isfinite(best) else 0.0
        wide = found < best - gap
        settled = min(settled, float(found[~wide].min(initial=math.inf)))
        if not wide.any():
            return sign * settled
        edges = low[wide, None] * (high[wide] / low[wide])[:, None] ** _SHARES
        edges[:, -1] = high[wide]
        low, high = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    return sign * min(settled, float(values(low, high).min()))


def _unbounded(normals: Normals, error: float, side: str) -> float:
    """ε at δ = 0: infinite unless both Gaussians are the same."""
    if side == "upper":
        return math.inf
    share = error * RATIO_SHARE
    low, high = normals.ratio_limits(share)
    if not low <= 1 <= high:
        return math.inf
    one = np.ones(1)
    (theta,) = normals.distance_limit(one, one, error - share, "lower")
    return math.inf if theta > 0 else 0.0
