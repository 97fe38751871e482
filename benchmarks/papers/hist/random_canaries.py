"""HIST §8 and Appendix G: many random canaries in one release."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, P, Q
from benchmarks.papers.hist.definitions import some
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run

#: Canaries on each side, noise, and repetitions.
CANARIES, SIGMA, REPEATS = 1000, 1.0, 10


def released(dimension: int, seed: int) -> dict[str, list[float]]:
    """μ by both methods in each of several releases."""
    runs = [
        wb.simulate_canaries(dimension, CANARIES, SIGMA, seed=100 * seed + k)
        for k in range(REPEATS)
    ]
    return {
        "histogram": [run.histogram_mu.value for run in runs],
        "moments": [run.moments_mu.value for run in runs],
    }


def releases(run: Run) -> Found:
    """Theorem 8.1 and Corollary 8.2: the scores become independent Gaussians as d grows."""
    dimensions = (100, 1000, 10_000, 100_000, 1_000_000)
    means = {}
    for d in dimensions:
        found = run.kept(f"Thm. 8.1, d = {d}", partial(released, d, run.seed))
        means[d] = {name: float(np.mean(values)) for name, values in found.items()}
    lines = [
        Line(
            f"μ of {CANARIES} canaries, d = {d:,}: histogram; mean and variance",
            "to 1 as d grows",
            f"{means[d]['histogram']:.3f}; {means[d]['moments']:.3f}",
            f"estimates, means of {REPEATS} runs; 1/√(σ² + n/d) = "
            f"{1 / np.sqrt(SIGMA**2 + CANARIES / d):.3f}",
        )
        for d in (100, 10_000, 1_000_000)
    ]
    lines.append(
        Line(
            "limit of Cor. 8.2",
            "N(1, σ²) and N(1, σ²)",
            "N(1, σ²) and N(0, σ²)",
            "–",
            "the same distribution is printed twice",
            Verdict.MISPRINT,
        )
    )

    def draw(panels: Any) -> None:
        (axes,) = panels
        grid = np.geomspace(100, 1e6, 60)
        axes.axhline(1 / SIGMA, color=REFERENCE, ls="--", lw=1, label="1/σ")
        axes.semilogx(
            grid, 1 / np.sqrt(SIGMA**2 + CANARIES / grid), color="#888", label="1/√(σ² + n/d)"
        )
        for name, color, mark in (("histogram", P, "o"), ("moments", Q, "x")):
            axes.semilogx(
                dimensions, [means[d][name] for d in dimensions], mark, color=color, label=name
            )
        axes.set(xlabel="dimension d", ylabel="estimated μ", ylim=(0, 1.2))
        axes.legend(frameon=False)

    caption = (
        f"{CANARIES} random canaries on each side of one release, means of {REPEATS} releases."
    )
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("thm-8-1", draw, caption, width=5.2),))


def angles(n: int, d: int, rng: np.random.Generator) -> float:
    """Largest |angle − π/2| of n random directions in d dimensions."""
    x = rng.standard_normal((n, d)).astype(np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    cosines = np.abs(np.triu(x @ x.T, 1))
    return float(np.arcsin(cosines.max()))


def largest_angle(run: Run) -> Found:
    """Lemma G.1 and Corollary G.3: the largest angle goes to π/2."""
    rng = run.rng(8)
    values = [angles(300, d, rng) for d in (300, 3000, 30_000)]
    line = Line(
        "largest |angle − π/2| of 300 directions, d = 300, 3000, 30,000",
        "to 0",
        ", ".join(f"{value:.3f}" for value in values),
        "simulated",
    )
    return Found(Verdict.AS_DESCRIBED, [line])


def rate(run: Run) -> Found:
    """Lemma G.2 and equation G.5: how fast."""
    rng = run.rng(10)
    lines = [
        Line(
            f"√(d/log n) times the largest |angle − π/2|, n = {n}, d = {d:,}",
            "to 4",
            f"{np.sqrt(d / np.log(n)) * angles(n, d, rng):.2f}",
            "simulated",
            "of n²/2 cosines, each about N(0, 1/d), the largest is about √(2 log(n²/2)/d), about "
            "2·√(log n/d): the constant is 2",
        )
        for n, d in ((200, 2000), (500, 5000), (1000, 20_000))
    ]
    return Found(Verdict.MISPRINT, lines)


def equal_means(run: Run) -> Found:
    """Lemma G.4: TV of two Gaussians with equal means."""
    rng = run.rng(9)
    worst = -np.inf
    for _ in range(20):
        scale = rng.uniform(0.7, 1.4, 3)
        x = rng.standard_normal((20_000, 3)) * scale
        # TV = E_P[(1 − q/p)₊], q the standard normal density
        log_ratio = -0.5 * (x**2).sum(1) + 0.5 * ((x / scale) ** 2).sum(1) + np.log(scale).sum()
        tv = np.maximum(1 - np.exp(log_ratio), 0).mean()
        bound = 1.5 * min(1.0, np.sqrt(((scale**2 - 1) ** 2).sum()))
        worst = max(worst, tv / bound)
    return Found(
        Verdict.AS_DESCRIBED,
        [
            Line(
                "largest TV over its bound, 20 covariances in 3 dimensions",
                "≤ 1",
                f"{worst:.2f}",
                "simulated",
            )
        ],
    )


_PLACE = "*One run*; `wb.simulate_canaries`; notebook 8"

SECTION = (
    Item("Thm. 8.1", "Scores of random canaries", _PLACE, partial(some, releases, (0, 1, 2)), True),
    Item("Cor. 8.2", "Their histogram", _PLACE, partial(some, releases, (1, 2, 3)), True),
)
APPENDIX = (
    Item("Lemma G.1", "The largest angle", _PLACE, largest_angle, True),
    Item("Lemma G.2", "Its rate", _PLACE, rate, True),
    Item("Cor. G.3", "The largest cosine", _PLACE, largest_angle, True),
    Item("Lemma G.4", "Gaussians of equal means", _PLACE, equal_means, True),
)
