"""TV Algorithm 1 and Figures 4 to 8: one model, training records against held-out ones.

As there: 2000 audited records, half of them held out, n training records with the other half,
batches of 100, 100 epochs, Adam with a rate of 0.001, cross-entropy, the loss of the final minus
the initial model as score, ten trials with 1.96 standard errors. Figure 4 trains 64-200-10 (there
784-200-10 on MNIST), Figure 5 a linear model of 64 features (there the last layer of a pretrained
ResNet20 on CIFAR-10, which has as many), with DP (ε = 8 at δ = 1e-5) and without.

The records are scikit-learn's digits, of which there are 1797. So that there are enough, and that a
model remembers them, each is drawn with replacement, gets pixel noise of its own, and in three of
ten cases a random label. What a record's own noise and label do to a model is all that an audit can
find.

Most of the printed advantage over STEINKE23 with DP is the bias of the histogram: what it reads
where nothing leaks is a line of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import workbench as wb
from benchmarks.papers.cifar10 import NEEDED
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run

DELTA, EPSILON, AUDITED, BATCH, EPOCHS, TRIALS = 1e-5, 8.0, 2000, 100, 100, 10
#: Numbers of training records: of Figures 4 to 6, and the further ones of Figures 7 and 8.
SIZES, MORE = (1000, 2000, 5000), (3000, 4000, 6000, 7000, 8000, 9000, 10_000)
#: Layers of the networks of Figures 4 and 5.
NETWORKS = {4: (64, 200, 10), 5: (64, 10)}
#: Share of random labels, and standard deviation of the pixel noise.
LABELS, PIXELS = 0.3, 0.3

Method = Callable[[wb.Scores], float]


def noisy_digits(size: int, seed: int) -> wb.training.LabeledData:
    """Digits drawn with replacement, with noise and some random labels of their own."""
    rng = np.random.default_rng(seed)
    digits = wb.training.labeled_data("digits")
    rows = rng.integers(digits.size, size=size)
    noise = rng.standard_normal((size, digits.features), dtype=np.float32)
    labels = np.where(
        rng.random(size) < LABELS, rng.integers(digits.classes, size=size), digits.y[rows]
    )
    x = digits.x[rows] + np.float32(PIXELS) * noise
    return wb.training.LabeledData(x, labels, digits.classes, "noisy digits")


def by_total_variation(scores: wb.Scores) -> float:
    """The paper's estimate: histogram, Gaussian pair of that total variation, ε at δ."""
    return of_total_variation(wb.histogram(scores, rule="scott").total_variation)


def of_total_variation(value: float) -> float:
    """ε at δ of the Gaussian pair of a total variation."""
    mu = wb.mu_from_total_variation(max(value, 0.0))
    return float(wb.GaussianPair(mu).epsilon(DELTA)) if mu else 0.0


def cross_fitted(scores: wb.Scores) -> float:
    """The same from the cross-fitted total variation, which is not biased upward."""
    return of_total_variation(wb.histogram(scores, rule="scott").cross_fitted())


def steinke(scores: wb.Scores) -> float:
    """STEINKE23, guessing that the smaller half of the losses were in."""
    median = np.median(np.concatenate([scores.p, scores.q]))
    correct = int((scores.p < median).sum() + (scores.q >= median).sum())
    n = scores.n_p + scores.n_q
    return wb.one_run_bound(canaries=n, guesses=n, correct=correct, delta=DELTA).value


def band(scores: wb.Scores) -> float:
    """The simultaneous band."""
    return wb.epsilon_lower_bound(scores, delta=DELTA).value


#: What is compared: method, its guarantee, and color.
METHODS: dict[str, tuple[Method, str, str]] = {
    "TV by histogram": (by_total_variation, "estimate, if Gaussian, one run", P),
    "TV cross-fitted": (
        cross_fitted,
        "estimate without upward bias, if Gaussian, one run",
        "#7A3E9D",
    ),
    "STEINKE23": (steinke, "approximate: a fixed half is in, no fair coins", Q),
    "band": (band, "simultaneous 95%, one run", THIRD),
}
#: What the paper shows of them.
SHOWN = {"TV by histogram": "above STEINKE23", "STEINKE23": "below TV"}


def measured(
    layers: tuple[int, ...],
    size: int,
    private: bool,
    trials: int,
    seed: int,
    loss: str = "cross-entropy",
    score: str | None = None,
) -> dict[str, list[float]]:
    """ε by each method in each trial.

    Parameters
    ----------
    layers : tuple of int
    size : int
        Training records.
    private : bool
    trials, seed : int
    loss, score : str
        What is trained with, and what is scored by, the same by default.
    """
    rate, steps = BATCH / size, EPOCHS * size // BATCH
    noise = wb.noise_multiplier_for(EPSILON, DELTA, sample_rate=rate, steps=steps) if private else 0
    settings = wb.training.DPSGDSettings(
        wb.training.Network(layers, loss),
        steps,
        rate,
        noise,
        expected_batch=BATCH,
        clip=1.0 if private else np.inf,
    )
    audit = wb.training.OneShot(
        settings,
        noisy_digits(size + AUDITED // 2, seed=size),
        models=trials,
        audited=AUDITED,
        score=wb.training.LossScore(score, minus_initial=True),
    )
    scores = [
        audit.collect(audit.score_model(trial, audit.generator(seed, trial)))
        for trial in range(trials)
    ]
    return {name: [method(one) for one in scores] for name, (method, *_) in METHODS.items()}


def panel(run: Run, layers: tuple[int, ...], private: bool, size: int) -> dict[str, list[float]]:
    """A point of Figures 4, 5, 7 or 8: ε by each method in each trial."""
    trials = TRIALS if run.full else 2
    key = f"Figs. 4 to 8, {'-'.join(map(str, layers))}, {size} records, DP {private}"
    return run.kept(key, partial(measured, layers, size, private, trials, run.seed))


def words(values: Sequence[float]) -> str:
    """Mean, and 1.96 standard errors of it."""
    return f"{np.mean(values):.2f} ± {error(values):.2f}"


def error(values: Sequence[float]) -> float:
    """1.96 standard errors of the mean."""
    return float(1.96 * np.std(values, ddof=1) / np.sqrt(len(values)))


def figure(run: Run, network: int, more: bool) -> Found:
    """Figure 4 or 5, or with more sizes 7 or 8."""
    layers = NETWORKS[network]
    if more:
        sizes = tuple(sorted(SIZES + MORE)) if run.full else (1000, 3000)
    else:
        sizes = SIZES if run.full else SIZES[:2]
    lines, values = [], {}
    for private in (True, False):
        title = f"ε = {EPSILON:g}" if private else "without DP"
        for size in sizes:
            values[private, size] = found = panel(run, layers, private, size)
            lines += [
                Line(
                    f"{title}, n = {size}: {name}",
                    SHOWN.get(name, "not shown"),
                    words(found[name]),
                    guarantee,
                )
                for name, (_, guarantee, _) in METHODS.items()
                if not more or name in SHOWN
            ]
    lines.append(floor(run))
    if network == 5:
        lines.append(
            Line(
                "the same with CIFAR-10 and the last layer of a pretrained ResNet20",
                "TV above STEINKE23",
                "–",
                "–",
                f"{NEEDED}; the outputs of a pretrained network go into `wb.training.LabeledData`",
                Verdict.NO_DATA,
            )
        )
    name = f"fig-{network + 3 if more else network}"
    verdict = Verdict.AS_DESCRIBED if run.full else Verdict.REDUCED
    return Found(verdict, lines, (chart(name, sizes, values),))


def floor(run: Run) -> Line:
    """What the method reads where nothing leaks."""
    half = AUDITED // 2
    nothing = [wb.GaussianPair(0).sample(half, seed=run.seed + k) for k in range(40)]
    return Line(
        f"nothing leaks, {half} scores on each side: TV by histogram",
        "not shown",
        words([by_total_variation(scores) for scores in nothing]),
        "estimate: it is biased upward",
        "a histogram's total variation is positive where P = Q; with DP the printed advantage over "
        "STEINKE23 is for the most part this. With 400 scores on each side it reads "
        + words(
            [
                by_total_variation(wb.GaussianPair(0).sample(400, seed=run.seed + k))
                for k in range(40)
            ]
        ),
        Verdict.NOT_REPRODUCED,
    )


def chart(name: str, sizes: Sequence[int], values: dict[tuple[bool, int], Any]) -> Chart:
    """ε against the number of training records, with DP and without."""

    def draw(panels: Any) -> None:
        for axes, private in zip(panels, (True, False), strict=True):
            for method, (_, _, color) in METHODS.items():
                trials = [values[private, size][method] for size in sizes]
                mean, bar = [np.mean(t) for t in trials], [error(t) for t in trials]
                axes.errorbar(sizes, mean, bar, color=color, capsize=3, label=method)
            if private:
                axes.axhline(EPSILON, color=REFERENCE, ls="--", lw=1.2)
            axes.set(xlabel="Training records", ylabel=f"ε at δ = {DELTA:g}", ylim=(0, None))
            axes.set_title(f"ε = {EPSILON:g} (dashed)" if private else "Without DP")
        panels[1].legend(frameon=False)

    caption = (
        "ε by the histogram's total variation, cross-fitted and not, by STEINKE23 and by the band; "
        "means of trials with 1.96 standard errors. The first is an estimate that is biased upward."
    )
    return Chart(name, draw, caption, columns=2)


def other_score(run: Run) -> Found:
    """Figure 6: trained with the squared error, scored by it and by the cross-entropy, no DP."""
    trials, sizes = (TRIALS, SIZES) if run.full else (2, SIZES[:1])
    losses = ("squared-error", "cross-entropy")
    values: dict[str, list[dict[str, list[float]]]] = {score: [] for score in losses}
    for score in losses:
        for size in sizes:
            key = f"Fig. 6, {score}, {size} records"
            how = partial(measured, NETWORKS[4], size, False, trials, run.seed, losses[0], score)
            values[score].append(run.kept(key, how))
    lines = [
        Line(
            f"n = {size}, scored by {score}: {name}",
            SHOWN[name],
            words(values[score][k][name]),
            METHODS[name][1],
        )
        for score in losses
        for k, size in enumerate(sizes)
        for name in SHOWN
    ]

    def draw(panels: Any) -> None:
        for axes, score in zip(panels, losses, strict=True):
            for method, (_, _, color) in METHODS.items():
                trials = [found[method] for found in values[score]]
                mean, bar = [np.mean(t) for t in trials], [error(t) for t in trials]
                axes.errorbar(sizes, mean, bar, color=color, capsize=3, marker="o", label=method)
            axes.set(xlabel="Training records", ylabel=f"ε at δ = {DELTA:g}", ylim=(0, None))
            axes.set_title(f"Scored by {score}")
        panels[1].legend(frameon=False)

    caption = (
        "A network trained with the squared error and without DP, scored by the change of either "
        "loss; means with 1.96 standard errors."
    )
    verdict = Verdict.AS_DESCRIBED if run.full else Verdict.REDUCED
    return Found(verdict, lines, (Chart("fig-6", draw, caption, columns=2),))


_PLACE = "*Train models*; `wb.training.OneShot`, `wb.Histogram.cross_fitted`"

FIGURES = (
    Item(
        "Fig. 4", "A network with one hidden layer", _PLACE, partial(figure, network=4, more=False)
    ),
    Item("Fig. 5", "The last layer of a network", _PLACE, partial(figure, network=5, more=False)),
    Item(
        "Fig. 6",
        "Scored by another loss than the one that is trained",
        "*Train models*; `wb.training.LossScore`",
        other_score,
    ),
    Item(
        "Fig. 7",
        "More numbers of training records, as Fig. 4",
        _PLACE,
        partial(figure, network=4, more=True),
    ),
    Item(
        "Fig. 8",
        "More numbers of training records, as Fig. 5",
        _PLACE,
        partial(figure, network=5, more=True),
    ),
)
