"""How fast the bounds on a selection are; Table 4 and the audits are in `benchmarks.papers`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np

import workbench as wb

Row = tuple[str, str, str]
selection = wb.selection

DELTA = 1e-5
SIMULATED = 10**6


def main() -> list[Row]:
    """Rows: what, measured, target."""
    return list(speed())


def epsilon(runs: wb.selection.RunCount, bound: str, **base: object) -> float:
    return selection.epsilon(runs, delta=DELTA, bound=bound, **base).value


def speed() -> Iterable[Row]:
    """Curves of 20 points as a page draws them, and a simulation."""
    lengths = np.unique(np.geomspace(2, 1000, 20).astype(int))
    runs = [selection.TwoPoint(int(k), 0.05) for k in lengths]
    geometric = [
        selection.NegativeBinomial.from_mean(1, mean) for mean in np.geomspace(1.5, 1e4, 20)
    ]
    for kind, points in (("two-point", runs), ("geometric", geometric)):
        for bound in ("direct", "renyi", "generic", "composition"):
            if selection.generic_refusal(points[0]) and bound == "generic":
                continue
            taken = clock(lambda b=bound, p=points: [epsilon(r, b, mu=0.5) for r in p])
            yield f"curve of 20 points, {kind}, {bound}", f"{taken:.0f} ms", "≤ 200 ms"
    one = selection.NegativeBinomial(1, 0.01)
    taken = clock(lambda: selection.worst_order(one, 0.5, delta=DELTA))
    yield "worst order", f"{taken:.0f} ms", "≤ 200 ms"
    taken = clock(lambda: selection.tradeoff_curve(one, 0.5))
    yield "trade-off curve of the release", f"{taken:.0f} ms", "≤ 200 ms"
    taken = clock(lambda: selection.simulate(one, 0.5, SIMULATED), repeats=3)
    yield "simulation of 10^6 selections per group", f"{taken:.0f} ms", "seconds"


def clock(work: Callable[[], object], repeats: int = 5) -> float:
    """Median milliseconds of CPU."""
    times: Sequence[float] = []
    work()
    for _ in range(repeats):
        start = time.process_time()
        work()
        times = [*times, 1e3 * (time.process_time() - start)]
    return statistics.median(times)
