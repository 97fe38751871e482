"""Searches for roots and turning points that return both ends of a small interval.

A bound that is found by a search must err to the safe side: the caller takes the end that claims
less.
`scipy.optimize.brentq` returns a point whose side is not known. A single integer is found by
``bisect.bisect_left(range(low, high), True, key=condition)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

#: Width of the interval around a root, absolute and relative.
_WIDTH = 1e-14

#: Between these all arithmetic on values of a function stays finite.
_SMALLEST, _LARGEST = 1e-300, 1e100


def falling_root(
    f: Callable[..., Floats], low: ArrayLike, high: ArrayLike, *args: ArrayLike
) -> tuple[Floats, Floats]:
    """Ends of intervals in which a decreasing function falls to 0, elementwise.

    Parameters
    ----------
    f : callable
        (x, *args) -> values, elementwise and decreasing in x; continuity is not needed.
    low, high : array_like
        Where the root is looked for.
    *args : array_like
        Further arguments of ``f``, broadcast with ``low`` and ``high``.

    Returns
    -------
    before, after : ndarray
        f > 0 at ``before`` and f ≤ 0 at ``after``. Both are ``low`` where f ≤ 0 there already, and
        both ``high`` where f > 0 even there.

    Notes
    -----
    The method is that of Chandrupatla (1997), as in `scipy.optimize.elementwise.find_root`: a
    quarter of the evaluations of a bisection.
    """
    from scipy.optimize import elementwise

    def value(x: Floats, *args: Floats) -> Floats:
        y = np.clip(f(x, *args), -_LARGEST, _LARGEST)
        return np.where(y > 0, y, np.minimum(y, -_SMALLEST))  # 0 belongs to the right end

    shape = np.broadcast(low, high, *args).shape
    low, high, *rest = (np.broadcast_to(np.asarray(v, float), shape) for v in (low, high, *args))
    found = elementwise.find_root(
        value,
        (low, high),
        args=tuple(rest),
        tolerances={"xatol": _WIDTH, "xrtol": _WIDTH, "fatol": 0.0, "frtol": 0.0},
    )
    (left, right), (f_left, f_right) = found.bracket, found.f_bracket
    before = np.where(f_left <= 0, low, np.where(f_right > 0, high, left))
    after = np.where(f_left <= 0, low, np.where(f_right > 0, high, right))
    return before, after


def turning_point(
    turned: Callable[[Any], Any], low: ArrayLike, high: ArrayLike, halvings: int = 60
) -> tuple[Floats, Floats]:
    """Ends of intervals in which a monotone condition becomes true, elementwise.

    Parameters
    ----------
    turned : callable
        x -> whether the condition holds, elementwise; once true, it is true for all larger x.
    low, high : array_like
        Where the condition turns. It is not evaluated there: it counts as false at ``low`` and as
        true at ``high``.
    halvings : int
        Evaluations; the intervals are 2^{−halvings} times as wide as the first ones.

    Returns
    -------
    before, after : ndarray
        The condition is false at ``before`` and true at ``after``.
    """
    before, after = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    for _ in range(halvings):
        middle = (before + after) / 2
        now = turned(middle)
        before, after = np.where(now, before, middle), np.where(now, middle, after)
    return before, after


def smallest_integers(turned: Callable[[Any], Any], low: ArrayLike, high: ArrayLike) -> Any:
    """The smallest whole numbers at which a monotone condition holds, elementwise.

    Parameters
    ----------
    turned : callable
        x -> whether the condition holds, elementwise; once true, it is true for all larger x.
    low, high : array_like
        Whole numbers. The condition is not evaluated there: it counts as false at ``low`` and as
        true at ``high``.

    Returns
    -------
    ndarray
        Above ``low``, at most ``high``, and of their type.
    """
    before, after = np.asarray(low), np.asarray(high)
    while np.any(apart := after - before > 1):
        middle = (before + after) // 2
        now = turned(middle)
        before, after = np.where(apart & ~now, middle, before), np.where(apart & now, middle, after)
    return after


def smallest_step(
    turned: Callable[[float], bool], first: float, most: float, precision: float
) -> float:
    """The smallest positive number at which a monotone condition holds, rounded up.

    Parameters
    ----------
    turned : callable
        x -> whether the condition holds; once true, it is true for all larger x.
    first : float
        The first trial, which is doubled until the condition holds.
    most : float
        The search ends when the doubled number exceeds it.
    precision : float
        The relative excess of the result.

    Returns
    -------
    float
        A number at which the condition was found to hold, infinite where there is none.
    """
    before, after = 0.0, first
    while not turned(after):
        before, after = after, 2 * after
        if after > most:
            return np.inf
    while after - before > precision * after:
        middle = (before + after) / 2
        before, after = (before, middle) if turned(middle) else (middle, after)
    return after
