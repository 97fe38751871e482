"""Koskela and Mohammadi (2024), Figure 12: the privacy profile of 20 steps from histograms of one.

As there: 64-200-10, 1000 records, batches of 500, 10 epochs, σ = 2, a new random canary in each
step, in the batch with the sampling rate, and all steps' scores pooled. There 10,000 models with a
canary and as many without, on MNIST; here digits.

The histogram's losses are composed 20 times, and so is the noise of its bins: the profile is an
estimate that is biased upward where the mass is small. The gradients of the other records fall on
the canary's direction as well, which makes the scores wider and the profile smaller.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import workbench as wb
from benchmarks.training_figures.drawing import REFERENCE, P, chart
from benchmarks.training_figures.row import Row
from workbench.training.audits.rows import Rows
from workbench.training.dp_sgd.canary_gradients import RandomCanaries

SOURCE = "HIST Fig. 12"
EPSILONS = (1.0, 2.0, 4.0)


class FreshCanary(RandomCanaries):
    """One canary, with a new direction in each step."""

    def renew(self, rng: np.random.Generator) -> None:
        """Take another direction."""
        self.directions = RandomCanaries.drawn(1, self.directions.size, rng).directions


@dataclass(frozen=True, eq=False)
class StepCanaries(wb.training.TrainingAudit):
    """Models with a fresh canary in each step, and without one; a score for each step."""

    kind, title, about = "step-canaries", "A fresh canary in each step", "What does a step tell?"
    sampling, larger_is_member, least_models = "unknown", True, 2

    @property
    def subjects(self) -> int:
        """Steps."""
        return self.settings.steps

    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """Inner products of the noisy sums with the canaries."""
        scores: list[float] = []
        canary = FreshCanary.drawn(1, self.settings.network.size, rng)

        def watch(step: int, theta: np.ndarray, released: np.ndarray) -> None:
            scores.append(float(canary.products(released)[0]) * self.settings.expected_batch)
            canary.renew(rng)

        inserted = canary if index % 2 == 0 else None
        self.settings.train(self.data, rng, canaries=inserted, watch=watch)
        return Rows.one_model(index, np.full(len(scores), index % 2 == 0), np.array(scores))

    def collect(self, rows: Rows, name: str = "") -> wb.Scores:
        """All steps of all models."""
        return self.two_samples(rows, name)


def rows(scale: float, out: Path) -> list[Row]:
    """20,000 models at full scale."""
    data = wb.training.labeled_data("digits").take(range(1000))
    network = wb.training.Network((64, 200, 10))
    settings = wb.training.DPSGDSettings(
        network, steps=20, sample_rate=0.5, noise_multiplier=2.0, expected_batch=500
    )
    audit = StepCanaries(settings, data, max(round(20_000 * scale / 2) * 2, 100))
    scores = wb.training.run_training_audit(audit, seed=12).result
    composed = wb.compose_histogram(wb.histogram(scores), settings.steps)
    what = f"δ at ε = {{:g}} after 20 steps, {scores.n_p:,} scores each"
    _draw(out, composed, settings.pair)
    return [
        Row(
            SOURCE,
            what.format(epsilon),
            f"close to exact, {settings.pair.profile(epsilon):.3g}",
            f"{composed.profile(epsilon):.3g}",
            "estimate, biased upward",
        )
        for epsilon in EPSILONS
    ]


def _draw(out: Path, composed: wb.ComposedHistogram, exact: wb.DPSGDPair) -> None:
    with chart(out, "white-box-composition", width=6.4) as (axes,):
        epsilon = np.linspace(0, 8, 161)
        axes.semilogy(epsilon, composed.profile(epsilon), color=P, label="histograms, composed")
        axes.semilogy(epsilon, exact.profile(epsilon), color=REFERENCE, ls="--", label="exact")
        axes.set(xlabel="ε", ylabel="δ", ylim=(1e-6, 1))
        axes.set_title("20 steps of DP-SGD, from the scores of single steps")
        axes.legend(frameon=False)
