"""Roots of many monotone functions at once, for the closed forms of families."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from workbench.curves.validation import Floats, quiet

_HALVINGS = 48

_GRID = 128
_CLOSE = 1e-10

#: Standard deviations beyond which next to nothing is left.
FAR = 9.0

_DENSITY = 1 / math.sqrt(2 * math.pi)


def bisect(enough: Callable[[Floats], Any], low: Floats, high: Floats) -> Floats:
    """The points where conditions become true.

    Parameters
    ----------
    enough : callable
        Elementwise: a bool for each point.
    low, high : ndarray
        Points where the conditions are false, and true.
    """
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        true = enough(middle)
        low, high = np.where(true, low, middle), np.where(true, middle, high)
    return high


@quiet()
def where_falls_to(
    level: Floats,
    function: Callable[[Floats], tuple[Floats, Floats]],
    low: float,
    high: float,
) -> Floats:
    """Arguments at which a falling function takes the given values, or slightly above them.

    Parameters
    ----------
    level : ndarray
        The values.
    function : callable
        x -> (value, slope), elementwise.
    low, high : float
        The arguments lie between them.

    Notes
    -----
    A grid brackets each root; Newton's method on the logarithm finds it, halving the bracket where
    a step leaves it.
    """
    grid = np.linspace(low, high, _GRID)
    after = np.clip(np.searchsorted(-function(grid)[0], -level), 1, _GRID - 1)
    left, right = grid[after - 1], grid[after]
    x = right
    for _ in range(_HALVINGS):
        value, slope = function(x)
        below = value <= level
        left, right = np.where(below, left, x), np.where(below, x, right)
        ratio = np.log(value / level)
        new = x - ratio * value / slope
        new = np.where((new >= left) & (new <= right), new, (left + right) / 2)
        settled = (np.abs(new - x) <= _CLOSE) | (np.abs(ratio) <= _CLOSE)
        x = new
        if settled.all():
            break
    return x + _CLOSE


def density(z: Floats) -> Floats:
    """The density of N(0, 1)."""
    return np.exp(-z * z / 2) * _DENSITY
