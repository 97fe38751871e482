"""Rényi divergences from hockey-stick divergences, by quadrature.

With r = dP/dQ and a > 1, writing r^a − 1 − a(r − 1) as an integral of (r − t)₊ and (t − r)₊ gives
(Sason and Verdú, f-divergence inequalities, 2016, arXiv 1508.00335, Section VII, with t = e^ε)::

    E_Q[r^a] = 1 + a(a − 1) ∫₀^∞ e^{(a−1)ε} H_{e^ε}(P‖Q) + e^{−aε} H_{e^ε}(Q‖P) dε

Both terms are positive, so that nothing cancels, and all is done in logs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from workbench.curves.validation import DIRECTIONS, Floats, quiet

#: Where the integrand is looked for.
_SCAN = np.geomspace(1e-18, 1e9, 1200)

#: What is left out of the integral, as a log of its share.
_NEGLIGIBLE = 50.0

#: Nodes of a panel, panels at first, how often one is halved, and how many are halved at once.
_NODES, _PANELS, _HALVINGS, _MOST = 12, 12, 30, 4096

#: Accuracy of the integral, relative.
_ACCURACY = 1e-10

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(_NODES)


class HasHockeyStick(Protocol):
    """A pair, or a step of a composition; it hashes."""

    def __hash__(self) -> int:
        """Equal ones share their divergences."""

    @property
    def name(self) -> str:
        """For messages."""

    def log_hockey_stick(self, epsilon: Any, direction: str) -> Floats:
        """Log of the hockey-stick divergence at ε ≥ 0."""


class DivergenceError(ValueError):
    """A divergence that could not be computed; the message says of what, and what to do."""


def renyi_divergence(pair: HasHockeyStick, order: float) -> float:
    """R_a(P‖Q) or R_a(Q‖P), whichever is larger.

    Parameters
    ----------
    pair : Pair or step
    order : float
        a, above 1.

    Returns
    -------
    float
        To about 1e-10 of itself; ``inf`` where it is infinite.

    Raises
    ------
    DivergenceError
        Where the quadrature does not converge.

    References
    ----------
    Sason and Verdú (2016), arXiv 1508.00335, Section VII.
    """
    return _kept(pair, order)


@lru_cache(maxsize=4096)
@quiet()
def _kept(pair: HasHockeyStick, order: float) -> float:
    there = _divergence(pair, order, *DIRECTIONS)
    if getattr(pair, "symmetric", False):
        return there
    return max(there, _divergence(pair, order, *DIRECTIONS[::-1]))


@lru_cache(maxsize=16)
def _scanned(pair: HasHockeyStick, direction: str) -> Floats:
    return np.asarray(pair.log_hockey_stick(_SCAN, direction))


def _divergence(pair: HasHockeyStick, order: float, forward: str, backward: str) -> float:
    def log_h(epsilon: Floats, direction: str) -> Floats:
        scan = epsilon is _SCAN  # the same for all orders
        return _scanned(pair, direction) if scan else pair.log_hockey_stick(epsilon, direction)

    def log_integrand(epsilon: Floats) -> Floats:
        rising = (order - 1) * epsilon + log_h(epsilon, forward)
        found = np.logaddexp(rising, log_h(epsilon, backward) - order * epsilon)
        if np.isnan(found).any():
            raise DivergenceError(
                f"the Rényi divergence of order {order:g} of {pair.name} could not be computed: "
                "the integrand is not a number; take a smaller order"
            )
        return found

    if np.isfinite(pair.log_hockey_stick(np.array([np.inf]), forward))[0]:
        return math.inf  # P has mass where Q has none
    edges = _panels(log_integrand)
    if edges is None:
        return math.inf
    if edges.size == 0:
        return 0.0
    log_moment = math.log(order) + math.log(order - 1) + _log_integral(log_integrand, edges, pair)
    return float(np.logaddexp(0.0, log_moment)) / (order - 1)


def _panels(log_f: Callable[[Floats], Floats]) -> Floats | None:
    """Ends of panels that cover the integrand, finer at its peak; None where it never falls."""

    def mass(epsilon: Floats) -> Floats:
        return log_f(epsilon) + np.log(epsilon)

    seen = log_f(_SCAN) + np.log(_SCAN)
    top = int(np.argmax(seen))
    if seen[top] == -np.inf:
        return np.array([])
    if top == _SCAN.size - 1:
        return None  # still rising at ε = 1e9: infinite, or beyond any use
    low, high = _SCAN[max(top - 1, 0)], _SCAN[top + 1]
    for _ in range(5):
        near = np.linspace(low, high, 33)
        at = mass(near)
        i = int(np.argmax(at))
        low, high = near[max(i - 1, 0)], near[min(i + 1, 32)]
    peak, height = float(near[i]), float(at[i])

    def falls_by(drop: float, end: float) -> float:
        """A point hardly beyond where the mass has fallen by that much after the peak."""
        inside, outside = peak, end
        for _ in range(6):
            near = np.linspace(inside, outside, 33)
            fallen = mass(near) <= height - drop
            fallen[[0, -1]] = False, True
            i = int(np.argmax(fallen))
            inside, outside = float(near[i - 1]), float(near[i])
        return outside

    within = np.append(np.flatnonzero(seen >= height - _NEGLIGIBLE), top)
    first, last = int(within.min()), int(within.max())
    if last == _SCAN.size - 1:
        return None
    end = falls_by(_NEGLIGIBLE, _SCAN[last + 1]) if last <= top + 1 else float(_SCAN[last + 1])
    steps = (falls_by(1.0, end) - peak) * 2.0 ** np.arange(-1, 6)
    near = np.concatenate([peak - steps, [peak], peak + steps])
    edges = np.concatenate([[0.0], np.geomspace(_SCAN[max(first - 1, 0)], end, _PANELS), near])
    return np.unique(edges[(edges >= 0) & (edges <= end)])


def _log_integral(log_f: Callable[[Floats], Floats], edges: Floats, pair: HasHockeyStick) -> float:
    low, high = edges[:-1], edges[1:]
    scale = float(log_f(edges[1:]).max())
    # Of the integral, whose log has the same absolute error: that of a float of this size.
    accuracy = max(_ACCURACY, 100 * math.ulp(scale))

    def integrals(low: Floats, high: Floats) -> Floats:
        half = (high - low)[:, None] / 2
        at = low[:, None] + half * (1 + _POINTS)
        values: Floats = np.exp(log_f(at.ravel()).reshape(at.shape) - scale)
        return np.asarray((values * half) @ _WEIGHTS)

    coarse, done = integrals(low, high), 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        left, right = integrals(low, middle), integrals(middle, high)
        fine = left + right
        total = done + float(fine.sum())
        good = np.abs(fine - coarse) <= accuracy * total / 10
        done += float(fine[good].sum())
        bad = ~good
        if not bad.any():
            return scale + math.log(done)
        if bad.sum() > _MOST:
            break  # round-off, which no halving ends
        low, high = np.r_[low[bad], middle[bad]], np.r_[middle[bad], high[bad]]
        coarse = np.r_[left[bad], right[bad]]
    raise DivergenceError(
        f"a Rényi divergence of {pair.name} could not be computed: its integral does not converge; "
        "take a smaller order, or a pair with more noise"
    )
