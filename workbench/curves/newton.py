"""Newton's method, elementwise on arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from workbench.curves.validation import Floats

_STEPS = 64


def newton(
    step: Callable[[Floats], Floats], start: Floats, low: ArrayLike, high: ArrayLike
) -> Floats:
    """Roots by the iteration ``x ← x + step(x)``, each iterate clipped to [low, high].

    Parameters
    ----------
    step : callable
        −value/slope at x; arrays of the shape of ``start``.
    start : ndarray
        A point from which the iteration converges; the caller has to prove that.
    low, high : array_like
        Known bounds of the roots.

    Returns
    -------
    ndarray, the shape of ``start``
        Accurate to round-off: the iteration ends after every relative step was below 1e-10, where
        quadratic convergence leaves none of it, or after 64 steps where round-off keeps it moving.
    """
    x = start
    for _ in range(_STEPS):
        new = np.clip(x + step(x), low, high)
        settled = np.abs(new - x) <= 1e-10 * np.abs(new)
        x = new
        if settled.all():
            break
    return x
