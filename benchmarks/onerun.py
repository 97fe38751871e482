"""Audit by one run: speed. What BITS claims is in `benchmarks.papers.bits`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import workbench as wb
from workbench.onerun.mahloujifar import largest_refuted
from workbench.pairs.families.base import Family
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.laplace import LaplaceFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.subsampled_gaussian import SubsampledGaussianFamily

DELTA = 1e-5

Row = tuple[str, str, str]


def main() -> list[Row]:
    """Rows: what, measured, target."""
    return list(speed())


def speed() -> Iterator[Row]:
    families: tuple[Family, ...] = (
        GaussianFamily(),
        LaplaceFamily(),
        RandomizedResponseFamily(DELTA),
        SubsampledGaussianFamily(0.25),
    )
    for family in families:
        taken = cpu(
            lambda f=family: largest_refuted(  # type: ignore[misc]
                f, canaries=2000, guesses=1832, correct=1500, error=0.05
            )
        )
        yield f"recursion, r = 1832, {family.name}", f"{taken:.3f} s", "≤ 0.1 s"
    for method in ("steinke", "sharp"):
        yield timed(method, None)
    for method in ("bits", "bits-hoeffding", "abstain"):
        for family in families:
            yield timed(method, family)


def timed(method: str, family: Family | None) -> Row:
    guesses = 10_000 if method.startswith("bits") else 1000
    taken = cpu(
        lambda: wb.one_run_bound(
            canaries=10_000,
            guesses=guesses,
            correct=int(0.57 * guesses),
            delta=DELTA,
            method=method,
            family=family,
        )
    )
    name = f"{method}{f', {family.name}' if family else ''}, n = 10^4"
    return name, f"{1e3 * taken:.2f} ms", "≤ 10 ms"


def cpu(run: Callable[[], Any]) -> float:
    """Median CPU seconds of seven calls, after one to load what is loaded late."""
    run()
    taken = []
    for _ in range(7):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return statistics.median(taken)
