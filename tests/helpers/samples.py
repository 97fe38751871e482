"""`sampled`: which cases of a test `make test` runs, where `make coverage` runs them all."""

from __future__ import annotations


def sampled(cases: int, kept: int) -> set[int]:
    """Numbers of the cases that are kept, evenly spread from the first to the last.

    Raises
    ------
    ValueError
        If none is kept.
    """
    if kept < 1:
        raise ValueError(f"a sampled test keeps at least 1 of its cases, not {kept!r}")
    if kept == 1 or cases <= kept:
        return set(range(min(cases, kept)))
    return {round(number * (cases - 1) / (kept - 1)) for number in range(kept)}
