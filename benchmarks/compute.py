"""What a move of a slider computes, and what loading costs; medians of wall milliseconds.

A move sets the page's parameter and asks for every result that the page shows. Drawing is not in
it: `benchmarks.redraw` measures the way to the screen.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import workbench as wb
from workbench.pages.scores.page import ScoresPage

PER_SIDE = 10**7
MOVES = 40


def main() -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    return [*moves(), all_numbers(), all_thresholds(), import_time()]


def samples(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.normal(1, 1, n), rng.normal(0, 1, n)


def moves() -> Iterable[tuple[str, str, str]]:
    page = ScoresPage()
    page.adopt(wb.Scores(*samples(PER_SIDE)), "")
    results(page)
    low, high = page.param.bin_width.softbounds
    steps: dict[str, tuple[Any, str]] = {
        "threshold": (np.linspace(-1, 1, MOVES), "≤ 2 ms"),
        "bin_width": (np.linspace(4 * low, high / 4, MOVES), "≤ 2 ms"),
        "log_delta": (np.linspace(-8, -2, MOVES), "≤ 2 ms"),
        "confidence": ([0.9, 0.95, 0.99] * (MOVES // 3), "≤ 20 ms"),
    }
    for name, (values, target) in steps.items():
        taken = [
            clock(lambda v=v, n=name: (setattr(page, n, v), results(page)), time.process_time)
            for v in values
        ]  # type: ignore[misc]
        yield f"{name} at 10^7 per group", f"{1e3 * statistics.median(taken):.2f} ms", target


def results(page: ScoresPage) -> None:
    """Everything that the page's numbers and curves are read from."""
    page.roc()
    page.at_threshold()
    page.across()
    band, delta = page.band(), page.delta.value
    band.epsilon(delta)
    band.mu()
    band.total_variation()
    band.most_telling()  # read off the drawn curve
    histogram = page.histogram()
    histogram.profile(1.0)
    page.fit()


def all_numbers() -> tuple[str, str, str]:
    p, q = samples(10**6)

    def run() -> None:
        s = wb.Scores(p, q)
        band, roc, histogram = wb.tradeoff_band(s), wb.roc(s), wb.histogram(s)
        band.epsilon(1e-5)
        band.mu()
        band.total_variation()
        roc.curve.profile(1.0)
        histogram.profile(1.0)
        wb.gdp_fit(histogram)

    run()
    taken = statistics.median(clock(run, time.process_time) for _ in range(5))
    return "all scores to all numbers, 10^6 per group", f"{taken:.2f} s of CPU", "≤ 0.5 s"


def all_thresholds() -> tuple[str, str, str]:
    """ε over all thresholds with its limits, from scores that are sorted already."""
    p, q = samples(10**6)

    def run(s: wb.Scores) -> float:
        return clock(lambda: wb.tradeoff_band(s).epsilon(1e-5), time.process_time)

    taken = []
    for _ in range(5):
        s = wb.Scores(p, q)
        _ = s.samples.ordered
        taken.append(run(s))
    what = "ε over all thresholds, 10^6 per group, after sorting"
    return what, f"{statistics.median(taken):.3f} s of CPU", "≤ 0.15 s"


def import_time() -> tuple[str, str, str]:
    """Seconds for `import workbench` over those for `import numpy`, in turns."""

    def seconds(module: str) -> float:
        code = (
            f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
        )
        return float(subprocess.run([sys.executable, "-c", code], capture_output=True).stdout)

    ratios = [seconds("workbench, numpy") / seconds("numpy") for _ in range(7)]
    return "import workbench with numpy / import numpy", f"{statistics.median(ratios):.2f}", "≤ 2"


def clock(run: Callable[[], Any], now: Callable[[], float] = time.perf_counter) -> float:
    start = now()
    run()
    return now() - start
