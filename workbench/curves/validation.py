"""Checks of array arguments, and a float back for scalar input.

Each check returns its argument as a float array, or raises ValueError with the first bad value.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks

Floats: TypeAlias = NDArray[np.float64]

#: A Python float where every argument was a number, an ndarray otherwise (typed as numpy's own).
Values: TypeAlias = Any

#: The two directions of a divergence; "P‖Q" weighs outcomes that are likelier under P.
DIRECTIONS = ("P‖Q", "Q‖P")


def quiet() -> np.errstate:
    """Context without warnings, for code that discards the values that they are about."""
    return np.errstate(divide="ignore", over="ignore", invalid="ignore")


def shaped(values: ArrayLike) -> Values:
    """A Python float for a single number, else an array."""
    x = np.asarray(values, dtype=float)
    return float(x) if x.ndim == 0 else x


def reals(values: ArrayLike, name: str) -> Floats:
    """``values`` as floats; ±∞ may occur, NaN may not (ValueError)."""
    x = _checks.array(values, name)
    return _require(~np.isnan(x), x, f"{name} must be a number", "leave out missing values")


def finite(values: ArrayLike, name: str) -> Floats:
    """``values`` as finite floats (ValueError otherwise)."""
    x = reals(values, name)
    return _require(np.isfinite(x), x, f"{name} must be finite", "leave out the infinite values")


def non_negative(values: ArrayLike, name: str, remedy: str) -> Floats:
    """``values`` as finite floats of at least 0 (ValueError otherwise)."""
    x = finite(values, name)
    return _require(x >= 0, x, f"{name} must be at least 0", remedy)


def rates(values: ArrayLike, name: str) -> Floats:
    """``values`` as floats in [0, 1] (ValueError otherwise)."""
    x = reals(values, name)
    return _require((x >= 0) & (x <= 1), x, f"{name} must lie in [0, 1]", "give a probability")


def inner_rates(values: ArrayLike, name: str) -> Floats:
    """``values`` as floats strictly between 0 and 1 (ValueError otherwise)."""
    x = reals(values, name)
    need = f"{name} must lie strictly between 0 and 1"
    return _require((x > 0) & (x < 1), x, need, "leave out the ends")


def deltas(values: ArrayLike) -> Floats:
    """The δ of (ε, δ) as floats in [0, 1) (ValueError otherwise)."""
    x = reals(values, "delta")
    need = "delta must lie in [0, 1)"
    return _require((x >= 0) & (x < 1), x, need, "1e-5 is a common choice")


def _require(ok: NDArray[np.bool_], x: Floats, need: str, remedy: str) -> Floats:
    if not ok.all():
        raise ValueError(f"{need}, got {float(x[~ok][0])!r}; {remedy}")
    return x
