"""BITS, §3.4: canaries that interfere in a training, beside simulated interference.

A network of 650 parameters, 10 steps with all records and noise for μ = 2: what a step releases is
the Gaussian mechanism, and a score is the sum of a canary's products with it. Dirac canaries have a
parameter each; random ones may be more than there are parameters. With n of them in d dimensions, a
score varies by n/2 squared cosines of the others that are in, n/2d. Canaries dealt out to c
coordinates vary by (n/c − 1)/4, half of which are in; c = n/(1 + 2n/d) of them are simulated.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import workbench as wb
from benchmarks.papers.bits.trained import best_threshold, bits, mean_and_error
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.onerun.simulate import SharedGaussian

DELTA, MU, STEPS = 1e-5, 2.0, 10
NETWORK = wb.training.Network((64, 10))
#: Canary gradients, and how many.
CASES = (("dirac", 325), ("dirac", 650), ("random", 325), ("random", 1000), ("random", 3000))
RECORDS = (0, 20, 100)


def trained(run: Run, canary: str, canaries: int, records: int) -> list[float]:
    """Bounds of trainings; one more tunes the threshold."""
    trials = 20 if run.full else 5
    data = wb.training.labeled_data("digits").take(range(records))
    settings = wb.training.DPSGDSettings(
        NETWORK, STEPS, 1.0, math.sqrt(STEPS) / MU, expected_batch=records + canaries / 2
    )
    audit = wb.training.WhiteBoxOneRun(
        settings, data, trials + 1, canary=canary, canaries=canaries, statistic="sum"
    )

    def compute() -> list[float]:
        rows = wb.training.run_training_audit(audit, seed=1000 * run.seed + canaries).rows
        parts = [rows.of_models([trial]) for trial in range(trials + 1)]
        pilot, *runs = (wb.OneRun(part.score, part.included) for part in parts)
        threshold = best_threshold(pilot)
        return [bits(one, threshold) for one in runs]

    found: list[float] = run.kept(f"interfering, {canary}, n = {canaries}, {records}", compute)
    return found


def simulated(run: Run, canary: str, canaries: int) -> float:
    """The mean bound of 20 simulated runs, each with another that tunes the threshold."""
    shared = round(canaries / (1 + 2 * canaries / NETWORK.size))
    mechanism = SharedGaussian(MU, shared if canary == "random" else canaries)
    rng = run.rng(4, canaries)
    pairs = [[mechanism.run(canaries, rng) for _ in range(2)] for _ in range(20)]
    return float(np.mean([bits(one, best_threshold(pilot)) for pilot, one in pairs]))


def interference(run: Run) -> Found:
    """Mean bounds with and without interference, in trainings and simulated."""
    truth = wb.GaussianPair(MU).epsilon(DELTA)
    lines, drawn = [], []
    for canary, n in CASES:
        expected = simulated(run, canary, n)
        found = {records: trained(run, canary, n, records) for records in RECORDS}
        drawn.append((f"{n} {canary}", expected, found))
        without, *some = (mean_and_error(found[records]) for records in RECORDS)
        beside = "; ".join(f"{r} records {w}" for r, w in zip(RECORDS[1:], some, strict=True))
        lines.append(
            Line(
                f"ε of {truth:.2f} by {n} {canary} canaries in {NETWORK.size} parameters",
                "memoryless is better" if canary == "dirac" else "interference is sub-optimal",
                f"{without}, simulated {expected:.2f}; {beside}",
                "mean ± standard error of 95% lower bounds, if Gaussian, independent canaries",
            )
        )

    def draw(panels: Any) -> None:
        (axes,) = panels
        places = np.arange(len(drawn))
        axes.plot(places, [one[1] for one in drawn], "D", color=REFERENCE, label="simulated")
        for records, color in zip(RECORDS, (P, THIRD, Q), strict=True):
            values = np.array([found[records] for _, _, found in drawn])
            error = 1.96 * values.std(axis=1, ddof=1) / math.sqrt(values.shape[1])
            label = f"training, {records} records" if records else "training, no records"
            shift = 0.12 * (1 + RECORDS.index(records))
            axes.errorbar(
                places + shift, values.mean(axis=1), error, fmt="o", color=color, label=label
            )
        axes.axhline(truth, color=REFERENCE, ls="--", label="true ε")
        axes.set_xticks(places, [name for name, _, _ in drawn])
        axes.set(xlabel="Canaries", ylabel="Lower bound on ε", ylim=(0, None))
        axes.legend(frameon=False, fontsize=8)

    caption = f"§3.4: bounds of trainings and of simulated interference, μ = {MU:g}, 95% intervals"
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("section-3-4", draw, caption, 1, 7.0),))


ITEMS = (
    Item(
        "§3.4",
        "Channel arrangement: interference",
        "*One run*, *Train models*; `wb.onerun.SharedGaussian`, `wb.training.WhiteBoxOneRun`;"
        " notebook 9",
        interference,
    ),
)
