"""Black Box DP Auditing Using Total Variation Distance (2024), Figures 4 and 5: one-shot audits.

There MNIST and CIFAR-10 with 2000 audited records, here 800 of scikit-learn's digits, half of them
held out: the other half and further records are n training records. Batches of 100, 100 epochs,
ten trials with 1.96 standard errors, with DP (ε = 8 at δ = 1e-5) and without. Figure 4 trains both
layers, Figure 5 the last one of a pretrained network; here the second is a linear model.

Two things differ, since digits are so easy that a model with cross-entropy knows those that it was
trained on hardly better: the loss is the squared error, and the score is the loss of the final
model. Their score, final minus initial loss, is a line of its own; and so is what a histogram shows
where nothing leaks, which is most of what it shows with DP.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import workbench as wb
from benchmarks.training_figures.drawing import P, Q, chart
from benchmarks.training_figures.row import Row, mean_and_error

DELTA, EPSILON, AUDITED, BATCH, EPOCHS = 1e-5, 8.0, 800, 100, 100
SIZES = (400, 800, 1397)
FIGURES = {"TV Fig. 4": (64, 200, 10), "TV Fig. 5": (64, 10)}

Method = Callable[[wb.Scores], float]


def by_total_variation(scores: wb.Scores) -> float:
    """Histogram, Gaussian of that total variation, ε at δ."""
    found = wb.gdp_fit(scores, "tv")
    return float(wb.GaussianPair(found.value).epsilon(DELTA)) if found.value else 0.0


def steinke(scores: wb.Scores) -> float:
    """STEINKE23, guessing that the smaller half of the losses were in."""
    half = scores.n_p
    median = np.median(np.concatenate([scores.p, scores.q]))
    correct = int((scores.p < median).sum() + (scores.q >= median).sum())
    return wb.one_run_bound(canaries=2 * half, guesses=2 * half, correct=correct, delta=DELTA).value


def band(scores: wb.Scores) -> float:
    """Our band."""
    return wb.epsilon_lower_bound(scores, delta=DELTA).value


#: What is compared, by name, and what it guarantees.
METHODS: dict[str, tuple[Method, str]] = {
    "TV by histogram": (by_total_variation, "estimate, if Gaussian, one run"),
    "STEINKE23": (steinke, "approximate: a fixed half is in, no fair coins"),
    "band": (band, "simultaneous 95%, one run"),
}


def trials(
    network: wb.training.Network, size: int, private: bool, count: int, minus_initial: bool
) -> list[wb.Scores]:
    """Scores of models that were trained on so many records."""
    rate, steps = BATCH / size, EPOCHS * size // BATCH
    noise = wb.noise_multiplier_for(EPSILON, DELTA, sample_rate=rate, steps=steps) if private else 0
    how: dict[str, Any] = {} if private else {"clip": np.inf}
    settings = wb.training.DPSGDSettings(
        network, steps, rate, noise, expected_batch=BATCH, learning_rate=0.003, **how
    )
    audit = wb.training.OneShot(
        settings,
        wb.training.labeled_data("digits").take(range(size + AUDITED // 2)),
        models=count,
        audited=AUDITED,
        score=wb.training.LossScore(minus_initial=minus_initial),
    )
    found = wb.training.run_training_audit(audit, seed=size)
    return [audit.collect(found.rows.of_models([trial])) for trial in range(count)]


def rows(scale: float, out: Path) -> list[Row]:
    """Ten trials at full scale."""
    count = max(round(10 * scale), 2)
    found: list[Row] = []
    for source, sizes in FIGURES.items():
        network = wb.training.Network(sizes, "squared-error")
        with chart(out, source.lower().replace(". ", "-").replace(" ", "-"), columns=2) as panels:
            for axes, private in zip(panels, (True, False), strict=True):
                found += _panel(source, network, private, count, axes)
    for loss in ("squared-error", "cross-entropy"):
        scores = trials(wb.training.Network((64, 200, 10), loss), SIZES[0], False, count, True)
        found.append(
            Row(
                "TV Fig. 4",
                f"n = {SIZES[0]}, without DP, {loss}, final minus initial loss: TV by histogram",
                "above STEINKE23",
                mean_and_error(map(by_total_variation, scores))
                + f"; STEINKE23 {mean_and_error(map(steinke, scores))}",
                METHODS["TV by histogram"][1],
            )
        )
    half = AUDITED // 2
    nothing = [wb.GaussianPair(0).sample(half, seed=seed) for seed in range(20)]
    floor = mean_and_error(map(by_total_variation, nothing))
    what = f"nothing leaks, {half} scores each: TV by histogram"
    found.append(Row("TV Figs. 4, 5", what, "–", floor, "estimate: it is biased upward"))
    return found


def _panel(
    source: str, network: wb.training.Network, private: bool, count: int, axes: Any
) -> list[Row]:
    title = f"ε = {EPSILON:g}" if private else "without DP"
    values = {name: np.empty((len(SIZES), count)) for name in METHODS}
    for k, size in enumerate(SIZES):
        scores = trials(network, size, private, count, minus_initial=False)
        for name, (method, _) in METHODS.items():
            values[name][k] = [method(one) for one in scores]
    for (name, drawn), color in zip(values.items(), (P, Q, "#1B7F3B"), strict=True):
        error = 1.96 * drawn.std(axis=1, ddof=1) / np.sqrt(count)
        axes.errorbar(SIZES, drawn.mean(axis=1), error, color=color, capsize=3, label=name)
    axes.set(xlabel="Training records", ylabel=f"ε at δ = {DELTA:g}", ylim=(0, None))
    axes.set_title(title)
    axes.legend(frameon=False)
    theirs = {"TV by histogram": "above STEINKE23", "STEINKE23": "below TV", "band": "–"}
    return [
        Row(
            source,
            f"n = {size}, {title}: {name}",
            theirs[name],
            mean_and_error(values[name][k]),
            guarantee,
        )
        for k, size in enumerate(SIZES)
        for name, (_, guarantee) in METHODS.items()
    ]
