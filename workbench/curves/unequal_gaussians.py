"""Hockey-stick divergences of two Gaussians whose variances differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_ndtr

from workbench._roots import falling_root
from workbench.curves.validation import Floats, quiet

#: log 2, about: the relative step of the search for an ε beyond the root.
_DOUBLINGS = 200


@quiet()
def log_hockey_stick(mean: Any, deviation: Any, epsilon: Any) -> Floats:
    """Log of H_{e^ε}(N(mean, deviation²) ‖ N(0, 1)), exact up to round-off.

    Parameters
    ----------
    mean : array_like
        At least 0.
    deviation : array_like
        Above 0.
    epsilon : array_like
        Finite; the three are broadcast.

    Returns
    -------
    ndarray
        −inf where the divergence is 0.

    Notes
    -----
    The log of the likelihood ratio is a quadratic function of x. It exceeds ε outside its two roots
    if the first Gaussian is wider, between them if it is narrower.
    """
    d, s, e = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (mean, deviation, epsilon)))
    a, b = -np.expm1(-2 * np.log(s)) / 2, d / s**2
    c = -((d / s) ** 2) / 2 - np.log(s) - e
    root = b * b - 4 * a * c
    # Both roots without cancellation; the far one is infinite for equal variances.
    half = -(b + np.sqrt(np.maximum(root, 0.0))) / 2
    far, near = half / a, c / half
    wider = a >= 0
    low, high = np.where(wider, far, near), np.where(wider, near, far)
    p = _log_mass((low - d) / s, (high - d) / s, wider)
    q = _log_mass(low, high, wider)
    nowhere = (root <= 0) & ((a < 0) | (c <= 0))
    everywhere = (root <= 0) & ~nowhere
    log_p, log_q = np.where(everywhere, 0.0, p), np.where(everywhere, 0.0, q) + e
    gap = np.where(nowhere, 0.0, log_q - log_p)
    return np.where(gap < 0, log_p + np.log(-np.expm1(np.minimum(gap, 0.0))), -np.inf)


def epsilon_limits(mean: Floats, deviation: Floats, log_delta: Floats) -> tuple[Floats, Floats]:
    """Two ε ≥ 0 close to each other, between which H_{e^ε} falls to δ.

    Parameters
    ----------
    mean, deviation : ndarray, shape (n,)
        As in `log_hockey_stick`.
    log_delta : ndarray, shape (n,)
        Finite, below 0.

    Returns
    -------
    below, above : ndarray, shape (n,)
        Both 0 where H₁ is at most δ.
    """

    def excess(e: Floats, d: Floats, s: Floats, log_d: Floats) -> Floats:
        return log_hockey_stick(d, s, e) - log_d

    high = np.ones_like(mean)
    for _ in range(_DOUBLINGS):
        short = excess(high, mean, deviation, log_delta) > 0
        if not short.any():
            break
        high = np.where(short, 2 * high, high)
    return falling_root(excess, np.zeros_like(mean), high, mean, deviation, log_delta)


@quiet()
def _log_mass(low: Floats, high: Floats, outside: Floats) -> Floats:
    """Log of the standard normal mass outside or inside of [low, high]."""
    out = np.logaddexp(log_ndtr(low), log_ndtr(-high))
    # From the tail in which the smaller numbers are.
    right = low + high > 0
    larger, smaller = (
        np.where(right, log_ndtr(-low), log_ndtr(high)),
        np.where(right, log_ndtr(-high), log_ndtr(low)),
    )
    inside = larger + np.log(-np.expm1(np.minimum(smaller - larger, 0.0)))
    return np.where(outside, out, inside)
