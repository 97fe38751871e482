"""Results, compared up to the rounding of another processor's linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

#: Unit round-off of single precision.
SINGLE = 2.0**-24


def assert_same_sum(found: NDArray[Any], terms: NDArray[Any], roundings: int = 1) -> None:
    """Require the sum of the rows of ``terms``, up to the round-off of single precision.

    n terms that are summed in any order are off by at most (n + ``roundings``) u Σ|x|, to first
    order in u (Higham, Accuracy and Stability of Numerical Algorithms, §4.2).

    Parameters
    ----------
    found : array
        The sum that was computed in single precision.
    terms : array
        One term a row.
    roundings : int
        Of each term, before it is added and after.
    """
    x = np.asarray(terms, dtype=float)
    off = np.abs(np.asarray(found, dtype=float) - x.sum(axis=0))
    allowed = (len(x) + roundings) * SINGLE * np.abs(x).sum(axis=0)
    assert (off <= allowed).all(), (off.max(), allowed.max())


def assert_nearly(found: Any, expected: Any, rel: float, at: str = "") -> None:
    """Require the same keys, texts and integers, and floats that agree to ``rel``."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), at
        for name in expected:
            assert_nearly(found[name], expected[name], rel, f"{at}/{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), at
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert_nearly(one, other, rel, f"{at}/{i}")
    elif isinstance(expected, float) and isinstance(found, float):
        assert found == pytest.approx(expected, rel=rel, abs=rel, nan_ok=True), at
    else:
        assert found == expected, at
