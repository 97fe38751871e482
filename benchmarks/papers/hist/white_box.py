"""HIST Figures 11 and 12: the privacy profile of many steps, from the scores of one.

The losses of a histogram are composed, and with them the noise of its bins: the profile is an
estimate. How far it is off is measured by the same estimate from exact scores, drawn again.

Figure 12, as there: 64-200-10 (there 784-200-10), 1000 records, batches of 500, 10 epochs, σ = 2, a
new random canary in each step, in the batch with the sampling rate, and the scores of all steps
pooled: 10,000 models with 20 steps give 200,000 scores with a canary and as many without. Records
are digits; in a second run they are enlarged to 28 × 28 pixels, as many as MNIST has.

Scores need no canary vectors. Given what a step releases, v, the product with a direction that is
uniform on the sphere is ‖v‖ times a coordinate of a uniform direction, whatever v is; a canary in
the batch adds its squared norm, 1. Products with several fresh directions are independent given v,
so that a model may score more than one canary in a step: their law is that of Algorithm 4, and they
depend on each other only through the length of v. The default scores 100 on each side in each step
of 100 models; the full scale one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, THIRD, P
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.training.audits.rows import Rows

EPSILONS = (1.0, 2.0, 4.0)
#: Models of a part that is kept, and repetitions of an estimate from exact scores.
PART, REPETITIONS = 250, 20


@dataclass(frozen=True, eq=False)
class StepCanaries(wb.training.TrainingAudit):
    """Models without a canary, and products with fresh canaries in each step.

    Parameters
    ----------
    settings, data, models
        See `TrainingAudit`.
    canaries : int
        On each side in a step.
    """

    canaries: int = 1

    kind, title, about = "step-canaries", "Fresh canaries in each step", "What does a step tell?"
    sampling, larger_is_member, least_models = "unknown", True, 1

    @property
    def subjects(self) -> int:
        """Scores of a model."""
        return 2 * self.canaries * self.settings.steps

    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """Products of the noisy sums with canaries that are in with the sampling rate, or out."""
        settings, count = self.settings, self.canaries
        scores: list[np.ndarray] = []

        def watch(step: int, theta: np.ndarray, released: np.ndarray) -> None:
            length = float(np.linalg.norm(released)) * settings.expected_batch
            found = length * first_coordinates(released.size, 2 * count, rng)
            found[:count] += rng.random(count) < settings.sample_rate
            scores.append(found)

        settings.train(self.data, rng, watch=watch)
        included = np.tile(np.arange(2 * count) < count, settings.steps)
        return Rows.one_model(index, included, np.concatenate(scores))

    def collect(self, rows: Rows, name: str = "") -> wb.Scores:
        """All steps of all models."""
        return self.two_samples(rows, name)


def first_coordinates(dimension: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """First coordinates of so many uniform directions."""
    own = rng.standard_normal(count)
    return own / np.sqrt(own**2 + rng.chisquare(dimension - 1, count))


def digits(pixels: int = 8) -> wb.training.LabeledData:
    """1000 digits, enlarged to so many pixels a side."""
    data = wb.training.labeled_data("digits").take(range(1000))
    if pixels == 8:
        return data
    source = np.arange(pixels) * 8 // pixels
    images = data.x.reshape(-1, 8, 8)[:, source][:, :, source]
    x = images.reshape(data.size, -1)
    return wb.training.LabeledData(x, data.y, data.classes, f"digits, {pixels} × {pixels}")


def audit(pixels: int, models: int, canaries: int) -> StepCanaries:
    """Figure 12 with digits of so many pixels a side."""
    settings = wb.training.DPSGDSettings(
        wb.training.Network((pixels**2, 200, 10)),
        steps=20,
        sample_rate=0.5,
        noise_multiplier=2.0,
        expected_batch=500,
    )
    return StepCanaries(settings, digits(pixels), models, canaries)


def scored(what: StepCanaries, seed: int, models: range) -> dict[str, list[float]]:
    """Scores of some models, to six decimals."""
    found = [what.score_model(i, what.generator(seed, i)) for i in models]
    scores = what.collect(Rows.joined(found))
    return {side: np.round(getattr(scores, side), 6).tolist() for side in ("p", "q")}


def measured(run: Run, pixels: int) -> wb.Scores:
    """200,000 scores on each side."""
    many = run.full and pixels == 8
    what = audit(pixels, *((10_000, 1) if many else (100, 100)))
    parts: list[dict[str, Any]] = []
    for start in range(0, what.models, PART):
        models = range(start, min(start + PART, what.models))
        key = f"Fig. 12, {pixels} pixels, models {models.start} to {models.stop}"
        parts.append(run.kept(key, partial(scored, what, 12 + run.seed, models)))
    p, q = (np.concatenate([part[side] for part in parts]) for side in ("p", "q"))
    return wb.Scores(p, q, sampling="unknown")


def composed(scores: wb.Scores, steps: int) -> np.ndarray:
    """Estimated δ at `EPSILONS` after so many steps."""
    return np.asarray(wb.compose_histogram(wb.histogram(scores), steps).profile(EPSILONS))


def repeated(pair: wb.Pair, scores: int, steps: int, seed: int) -> np.ndarray:
    """Estimates from exact scores of one step, shape (repetitions, EPSILONS)."""
    draws = (pair.sample(scores, seed=1000 * seed + k) for k in range(REPETITIONS))
    return np.array([composed(drawn, steps) for drawn in draws])


def toy(run: Run) -> Found:
    """Figure 11: q = 1/2, σ = 2, 10 steps, 100,000 scores on each side."""
    pair, steps = wb.SubsampledGaussianPair(0.5, 2.0), 10
    exact = wb.ComposedPair(pair, steps)
    scores = pair.sample(100_000, seed=run.seed)
    histogram = wb.compose_histogram(wb.histogram(scores, rule="scott"), steps)
    band = wb.compose_band(wb.tradeoff_band(scores, 0.95), steps)
    lines = [
        Line(
            f"δ at ε = {epsilon:g}, exact {exact.profile(epsilon):.4g}",
            "near exact",
            f"{histogram.profile(epsilon):.4g}",
            "estimate",
        )
        for epsilon in (0.5, 1.0, 2.0)
    ]
    lines += [
        Line(
            f"ε at δ = 1e-5, exact {exact.epsilon(1e-5):.3f}",
            "near exact",
            f"{histogram.epsilon(1e-5).value:.3f}",
            "estimate; one step's bins that are empty on one side count as ∞",
        ),
        Line(
            "ε at δ = 1e-5 with a guarantee",
            "none: a limitation of the paper",
            f"≥ {np.floor(100 * band.epsilon(1e-5).value) / 100:.2f}",
            "simultaneous 95%, independent steps",
            "composition keeps the order of trade-off functions, so the band of one step composes",
            Verdict.TIGHTER,
        ),
    ]
    grid = np.linspace(0, 4, 81)
    curves = [
        (histogram.profile(grid), P, "-", "histogram, composed"),
        (band.profile(grid), THIRD, "-", "band, composed: δ is at least this"),
        (exact.profile(grid), REFERENCE, "--", "exact"),
    ]
    return Found(Verdict.AS_DESCRIBED, lines, (profiles("fig-11", grid, curves, "Ten steps"),))


def training(run: Run) -> Found:
    """Figure 12."""
    lines, charts = [], []
    for pixels in (8, 28):
        scores = measured(run, pixels)
        lines += list(described(scores, pixels, run))
        settings = audit(pixels, 1, 1).settings
        grid = np.linspace(0, 8, 161)
        found = wb.compose_histogram(wb.histogram(scores), settings.steps)
        curves = [
            (found.profile(grid), P, "-", "histogram of canary scores, composed"),
            (settings.pair.profile(grid), REFERENCE, "--", "exact"),
        ]
        title = f"20 steps of DP-SGD, {settings.network.size:,} parameters"
        charts.append(profiles(f"fig-12-{pixels}", grid, curves, title))
    verdict = Verdict.AS_DESCRIBED if run.full else Verdict.REDUCED
    return Found(verdict, lines, tuple(charts))


def described(scores: wb.Scores, pixels: int, run: Run) -> Iterator[Line]:
    """Lines of one network."""
    settings = audit(pixels, 1, 1).settings
    what = f"{settings.network.size:,} parameters"
    spread = float(scores.q.std())
    own = wb.DPSGDPair(spread, settings.sample_rate, settings.steps)
    yield Line(
        f"{what}: standard deviation of the scores without canary",
        "2",
        f"{spread:.3f}",
        "estimate",
        "gradients of the other records fall on a canary's direction as well: the more, the fewer "
        "parameters there are; the paper's network has 159,010",
        Verdict.AS_DESCRIBED,
    )
    step = wb.SubsampledGaussianPair(settings.sample_rate, spread)
    again = repeated(step, scores.n_p, settings.steps, run.seed)
    found = composed(scores, settings.steps)
    for k, epsilon in enumerate(EPSILONS):
        mean, error = again[:, k].mean(), again[:, k].std(ddof=1)
        yield Line(
            f"{what}: δ at ε = {epsilon:g} of 20 steps, exact {settings.pair.profile(epsilon):.4f}"
            f", at that deviation {own.profile(epsilon):.4f}",
            "near exact",
            f"{found[k]:.4f}",
            f"estimate; of {scores.n_p:,} exact scores at that deviation {mean:.4f} ± {error:.4f}",
        )


def profiles(name: str, grid: np.ndarray, curves: list[tuple], title: str) -> Chart:
    """A chart of privacy profiles."""

    def draw(panels: Any) -> None:
        (axes,) = panels
        for delta, color, style, label in curves:
            axes.semilogy(grid, np.maximum(delta, 1e-9), color=color, ls=style, label=label)
        axes.set(xlabel="ε", ylabel="δ", ylim=(1e-6, 1))
        axes.set_title(title)
        axes.legend(frameon=False)

    caption = (
        f"{title}, as the scores of single steps show it: an estimate, whose histogram noise is "
        "composed too, beside the exact profile."
    )
    return Chart(name, draw, caption, width=6.4)


ITEMS = (
    Item(
        "Fig. 11",
        "The profile of ten steps from the histograms of one",
        "*Scores*; `wb.compose_histogram`, `wb.compose_band`; notebook 8",
        toy,
        quick=True,
    ),
    Item(
        "Fig. 12",
        "The profile of 20 steps of training, from scores of random canaries",
        "*Train models*; `wb.compose_histogram`, `wb.training.RandomCanaries`; notebook 8",
        training,
    ),
)
