"""Nested results, compared up to the rounding of another processor's linear algebra."""

from __future__ import annotations

from typing import Any

import pytest


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
