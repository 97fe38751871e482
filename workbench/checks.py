"""Checks of arguments, each naming the bad value and the remedy."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any


def number(value: Any, name: str) -> float:
    """``value`` as a finite float.

    Raises
    ------
    ValueError
        When it is not a real finite number.
    """
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, got {value!r}") from None
    if not math.isfinite(x):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return x


def positive(value: Any, name: str) -> float:
    """``value`` as a finite float above 0 (ValueError otherwise)."""
    x = number(value, name)
    if x <= 0:
        raise ValueError(f"{name} must be above 0, got {value!r}")
    return x


def open_unit(value: Any, name: str, hint: str = "") -> float:
    """``value`` as a float strictly between 0 and 1 (ValueError otherwise)."""
    x = number(value, name)
    if not 0 < x < 1:
        raise ValueError(
            f"{name} must lie strictly between 0 and 1, got {value!r}{hint and f'; {hint}'}"
        )
    return x


def confidence(value: Any) -> float:
    """A confidence level such as 0.95; never an error probability such as 0.05.

    Raises
    ------
    ValueError
        Outside (0, 1), or at most one half, which is an error probability mistaken for it.
    """
    x = open_unit(value, "confidence", "write 0.95 for 95 %")
    if x <= 0.5:
        raise ValueError(
            f"confidence must be above 0.5, got {value!r}; give the confidence (0.95), "
            f"not the error probability (0.05): did you mean {1 - x:g}?"
        )
    return x


def delta(value: Any) -> float:
    """The δ of (ε, δ): at least 0, below 1 (ValueError otherwise)."""
    x = number(value, "delta")
    if not 0 <= x < 1:
        raise ValueError(f"delta must lie in [0, 1), got {value!r}; 1e-5 is a common choice")
    return x


def count(value: Any, name: str, least: int = 0) -> int:
    """``value`` as a whole number of at least ``least`` (ValueError otherwise)."""
    x = number(value, name)
    if x != int(x) or x < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(x)


def one_of(value: Any, name: str, choices: Sequence[str] | Collection[str]) -> str:
    """``value`` when it is among ``choices`` (ValueError that lists them otherwise)."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}")
    return str(value)
