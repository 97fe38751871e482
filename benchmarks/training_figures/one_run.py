"""BITS (Xiang, Wang and Wang, 2025), Figures 9 and 10: one training with canary gradients.

Dirac canaries in the noisy gradients of a 64-200-10 network, each in by a fair coin, guessed by a
threshold for their log likelihood ratio, which is tuned on a training of its own. There CIFAR-10,
here 1000 digits; 50 steps, q = 0.1, and noise for ε = 1, 2, 4, 8 at δ = 1e-5. Figure 10 divides
gradients by the batch size before it clips them, with canaries that are 16 times as long as the
clipping norm, and that it does not shorten.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import workbench as wb
from benchmarks.training_figures.drawing import REFERENCE, P, Q, chart
from benchmarks.training_figures.row import Row, mean_and_error

DELTA, STEPS, RATE = 1e-5, 50, 0.1
CLAIMS = (1.0, 2.0, 4.0, 8.0)
METHODS = {
    "BITS": "pointwise 95%, if Gaussian, independent canaries",
    "STEINKE23": "simultaneous 95%, fair coins",
}


def trained(claim: float, canaries: int, trials: int, bug: str, norm: float) -> list[wb.OneRun]:
    """One run for each trial."""
    data = wb.training.labeled_data("digits").take(range(1000))
    noise = wb.noise_multiplier_for(claim, DELTA, sample_rate=RATE, steps=STEPS)
    settings = wb.training.DPSGDSettings(
        wb.training.Network((64, 200, 10)),
        STEPS,
        RATE,
        noise,
        expected_batch=RATE * (data.size + canaries / 2),
        bug=bug,
    )
    audit = wb.training.WhiteBoxOneRun(settings, data, trials, canaries=canaries, canary_norm=norm)
    found = wb.training.run_training_audit(audit, seed=canaries + round(10 * claim))
    parts = [found.rows.of_models([trial]) for trial in range(trials)]
    return [wb.OneRun(part.score, part.included) for part in parts]


def best_threshold(run: wb.OneRun) -> float:
    """The threshold with the fewest wrong guesses."""
    order = np.argsort(run.scores)
    scores, included = run.scores[order], run.included[order]
    wrong = np.cumsum(included) + (~included).sum() - np.cumsum(~included)
    return float(scores[wrong.argmin()])


def bits(run: wb.OneRun, threshold: float) -> float:
    """BITS, guessing all canaries."""
    guesses = run.guess(threshold=threshold)
    return wb.one_run_bound(guesses, delta=DELTA, method="bits", family="gaussian").value


def steinke(run: wb.OneRun) -> float:
    """STEINKE23, the number of guesses chosen among several and paid for."""
    return wb.tune_one_run(run, delta=DELTA).simultaneous.value


def rows(scale: float, out: Path) -> list[Row]:
    """Ten trials at full scale."""
    trials = max(round(10 * scale), 2)
    found: list[Row] = []
    with chart(out, "bits-9", columns=2) as panels:
        for axes, canaries in zip(panels, (1000, 10_000), strict=True):
            lines = _measured(canaries, trials, "none", 1.0)
            _draw(axes, lines, f"{canaries:,} canaries")
            found += _table("BITS Fig. 9", f"n = {canaries}", lines, "BITS above STEINKE23")
    with chart(out, "bits-10", width=5.2) as (axes,):
        lines = _measured(1000, trials, "divided-first", 16.0)
        _draw(axes, lines, "Divided before clipping")
        found += _table("BITS Fig. 10", "flawed, n = 1000", lines, "BITS > claim")
    return found


def _measured(
    canaries: int, trials: int, bug: str, norm: float
) -> dict[float, dict[str, list[float]]]:
    found = {}
    for claim in CLAIMS:
        pilot, *runs = trained(claim, canaries, trials + 1, bug, norm)
        threshold = best_threshold(pilot)
        found[claim] = {
            "BITS": [bits(run, threshold) for run in runs],
            "STEINKE23": [steinke(run) for run in runs],
        }
    return found


def _table(
    source: str, what: str, lines: dict[float, dict[str, list[float]]], theirs: str
) -> list[Row]:
    return [
        Row(source, f"{what}, claimed ε = {claim:g}, {name}", theirs, _words(values, claim), kept)
        for claim, both in lines.items()
        for (name, values), kept in zip(both.items(), METHODS.values(), strict=True)
    ]


def _words(values: list[float], claim: float) -> str:
    above = sum(value > claim for value in values)
    return f"{mean_and_error(values)}; above the claim in {above} of {len(values)}"


def _draw(axes: object, lines: dict[float, dict[str, list[float]]], title: str) -> None:
    for name, color in (("BITS", P), ("STEINKE23", Q)):
        values = np.array([lines[claim][name] for claim in CLAIMS])
        error = 1.96 * values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
        axes.errorbar(CLAIMS, values.mean(axis=1), error, color=color, capsize=3, label=name)
    axes.plot(CLAIMS, CLAIMS, color=REFERENCE, ls="--", label="claimed")
    axes.set(xlabel=f"Claimed ε at δ = {DELTA:g}", ylabel="Lower bound on ε")
    axes.set_title(title)
    axes.legend(frameon=False)
