"""AUDITORIUM's Figure 1: what a test costs, against the number of runs, and its peak memory.

python -m benchmarks.papers.auditorium.cost NAME RUNS prints the cost of one tester in a process of
its own, as JSON.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import workbench as wb
from benchmarks.papers.auditorium.cases import ORDER, TESTERS, card, claimed, claiming, examine
from benchmarks.papers.auditorium.detection import NAMES, SIZES
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.claims.base import Claim
from workbench.testers.property_testers.histogram import HistogramTester
from workbench.testers.property_testers.registry import tester

CASE = "NonDPLaplace1"
#: Of one test on 5·10^5 runs of each side: the most CPU seconds, and the least value on N(1, 1)
#: against N(0, 1), where δ(0.1) is 0.3523 and the Rényi divergence of order 1.5 is 0.75.
TARGETS: dict[str, tuple[float, Claim, float]] = {
    "hockey-stick": (1.5, wb.PureDP(0.1), 0.347),
    "renyi": (4.0, wb.RenyiDP(ORDER, 0.1), 0.70),
    "mmd": (0.5, wb.PureDP(0.1), 0.25),
    "histogram": (0.05, wb.PureDP(0.1), 0.335),
}
#: 20 bins, fixed before anything is seen.
EDGES = np.linspace(-3, 4, 21)


def seconds(name: str, n: int, rounds: int) -> list[float]:
    """CPU seconds of each of several tests of NonDPLaplace1, outputs included."""
    claim, found = claimed(CASE, name, 0.01), []
    run, judge = claiming(CASE, claim), tester(name)
    for seed in range(-1, rounds):  # the first also imports what it uses
        began = time.process_time()
        rng = np.random.default_rng([abs(seed), n])
        p, q = (run(dataset, n, rng) for dataset in card(CASE).pair)
        examine(judge, p, q, claim, abs(seed))
        found.append(time.process_time() - began)
    return found[1:]


def one_tester(name: str, rounds: int) -> dict[str, Any]:
    """Values and CPU seconds at 5·10^5 Gaussian outputs, and the peak of this process in MB."""
    claim = TARGETS[name][1]
    judge = HistogramTester(edges=EDGES) if name == "histogram" else tester(name)
    values, cpu = [], []
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        p, q = rng.normal(1, 1, 500_000), rng.normal(0, 1, 500_000)
        began = time.process_time()
        values.append(examine(judge, p, q, claim, seed).bound.value)
        cpu.append(time.process_time() - began)
    return {"values": values, "cpu": cpu[1:], "peak": peak_megabytes()}


def peak_megabytes() -> float:
    """Of this process since it began; on Linux without what its parent had used."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _alone(name: str, rounds: int) -> Any:
    """`one_tester` in a process of its own, for its peak memory."""
    command = [sys.executable, "-m", "benchmarks.papers.auditorium.cost", name, str(rounds)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3]
    )
    return json.loads(done.stdout)


def running_time(run: Run) -> Found:
    """Figure 1: CPU seconds against n."""
    rounds = 10 if run.full else 2
    lines, means = [], {}
    for name in TESTERS:
        means[name] = [
            float(
                np.mean(run.kept(f"fig1 {name} n={n} x{rounds}", partial(seconds, name, n, rounds)))
            )
            for n in SIZES
        ]
        said = ", ".join(f"{x:.2f}" for x in means[name])
        lines.append(
            Line(
                f"{NAMES[name]}: CPU seconds of a test of {CASE} at 50, 100 and 500 thousand runs",
                "a chart, without numbers in the text",
                said,
                f"mean of {rounds} tests, one thread, outputs included",
                "No GPU is used, so that Fig. 1b has no counterpart",
            )
        )
    for name, (most, _, least) in TARGETS.items():
        alone = run.kept(f"fig1 alone {name} x{rounds}", partial(_alone, name, rounds + 1))
        lines.append(
            Line(
                f"{NAMES[name]}: N(1, 1) against N(0, 1), 5·10^5 runs; value, CPU s, peak memory",
                f"our targets: ≥ {least:g}, ≤ {most:g} s, < 400 MB",
                f"{np.mean(alone['values']):.3f}, {np.mean(alone['cpu']):.2f} s,"
                f" {alone['peak']:.0f} MB",
                "lower bound at 2/3, held out; memory with imports and samples",
            )
        )

    def draw(panels: Any) -> None:
        for name, color in zip(TESTERS, (THIRD, P, Q, REFERENCE), strict=True):
            panels[0].loglog(SIZES, means[name], "o-", color=color, label=NAMES[name])
        panels[0].set_xlabel("runs on each dataset")
        panels[0].set_ylabel("CPU seconds of a test")
        panels[0].legend()

    caption = f"Mean CPU seconds of one test of {CASE}, outputs included, one thread."
    chart = Chart("fig-1", draw, caption)
    return Found(Verdict.AS_DESCRIBED, lines, (chart,))


FIGURE1 = Item(
    "Fig. 1",
    "The running time of the testers",
    "*Test a mechanism*; `wb.audit_mechanism`; notebook 12",
    running_time,
)

if __name__ == "__main__":
    print(json.dumps(one_tester(sys.argv[1], int(sys.argv[2]))))
