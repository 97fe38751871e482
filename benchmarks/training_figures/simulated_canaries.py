"""Method sheet, section 8: 10,000 simulated canaries in one training.

σ = 3, q = 1/11, 11 steps an epoch, δ = 1e-5. A canary is in by a fair coin; its score is the sum,
over the steps, of the inner products with what is released: a binomial number of inclusions plus
noise for one that is in, noise alone for one that is out. Canaries are independent, as those are
that change one parameter each.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import workbench as wb
from benchmarks.training_figures.drawing import REFERENCE, THIRD, P, Q, chart
from benchmarks.training_figures.row import Row, mean_and_error
from benchmarks.training_figures.unequal_gaussians import box_epsilon
from workbench.onerun.tuning import abstentions

SIGMA, RATE, PER_EPOCH, CANARIES, DELTA = 3.0, 1 / 11, 11, 10_000, 1e-5
SOURCE = "sheet §8, simulated"
#: Epochs, and the figures to hold against.
PRINTED = {
    20: {"accountant": 1.91, "STEINKE23": 0.44, "box": 1.63, "Gaussian": 1.56, "band": 0.78},
    100: {"accountant": 4.63, "STEINKE23": 1.22, "box": 4.52, "Gaussian": 4.17, "band": 2.06},
    200: {"accountant": 6.91, "STEINKE23": 1.86, "box": 5.79, "Gaussian": 6.32, "band": 3.05},
}
TITLES = {
    "STEINKE23": f"STEINKE23, one of {len(abstentions(CANARIES))} numbers of guesses, paid for",
    "box": "means and variances in a box, two Gaussians",
    "Gaussian": "our Gaussian bound, equal variances",
    "band": "our band over all thresholds",
}
GUARANTEES = {
    "STEINKE23": "simultaneous 95%, fair coins",
    "box": "pointwise 95%, if Gaussian, independent canaries",
    "Gaussian": "pointwise 95%, if Gaussian of equal variance, independent canaries",
    "band": "simultaneous 95%, independent canaries",
}


def one_run(epochs: int, rng: np.random.Generator) -> wb.OneRun:
    """Scores of the canaries of one training."""
    steps = epochs * PER_EPOCH
    included = rng.random(CANARIES) < 0.5
    inclusions = np.where(included, rng.binomial(steps, RATE, CANARIES), 0)
    noise = SIGMA * np.sqrt(steps) * rng.standard_normal(CANARIES)
    return wb.OneRun(inclusions + noise, included)


def bounds(run: wb.OneRun) -> dict[str, float]:
    """Lower bounds on ε at δ by every method."""
    scores = run.as_scores()
    return {
        "STEINKE23": wb.tune_one_run(run, delta=DELTA).simultaneous.value,
        "box": box_epsilon(scores, DELTA),
        "Gaussian": wb.parametric_bound(scores, "gaussian", delta=DELTA).value,
        "band": wb.epsilon_lower_bound(scores, delta=DELTA).value,
    }


def rows(scale: float, out: Path) -> list[Row]:
    """Means over trainings, 20 at full scale."""
    trainings = max(round(20 * scale), 2)
    found: list[Row] = []
    measured: dict[int, dict[str, list[float]]] = {}
    accounted = {}
    for epochs, printed in PRINTED.items():
        rng = np.random.default_rng(epochs)
        trials = [bounds(one_run(epochs, rng)) for _ in range(trainings)]
        measured[epochs] = {name: [trial[name] for trial in trials] for name in TITLES}
        accounted[epochs] = wb.DPSGDPair(SIGMA, RATE, epochs * PER_EPOCH).epsilon(DELTA)
        what = f"{epochs} epochs, {{}}"
        found.append(
            Row(
                SOURCE,
                what.format("accountant"),
                f"{printed['accountant']}",
                f"{accounted[epochs]:.2f}",
                "upper bound",
            )
        )
        found += [
            Row(
                SOURCE,
                what.format(title),
                f"{printed[name]}",
                mean_and_error(measured[epochs][name]),
                GUARANTEES[name],
            )
            for name, title in TITLES.items()
        ]
    _draw(measured, accounted, out)
    return found


def _draw(
    measured: dict[int, dict[str, list[float]]], accounted: dict[int, float], out: Path
) -> None:
    with chart(out, "simulated-canaries", width=6.4) as (axes,):
        epochs = list(measured)
        axes.plot(epochs, [accounted[e] for e in epochs], color=REFERENCE, ls="--")
        axes.annotate("accountant", (epochs[-1], accounted[epochs[-1]]), ha="right", va="bottom")
        colors = dict(zip(TITLES, (Q, "#7A3E9D", P, THIRD), strict=True))
        for name, color in colors.items():
            values = np.array([measured[e][name] for e in epochs])
            error = 1.96 * values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
            axes.errorbar(epochs, values.mean(axis=1), error, color=color, capsize=3, label=name)
        axes.set(xlabel="Epochs", ylabel=f"ε at δ = {DELTA:g}", ylim=(0, None))
        axes.set_title("10,000 simulated canaries in one training")
        axes.legend(frameon=False)
