"""Charts of simulated audits with one run: more canaries, and canaries that interfere."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from workbench._format import plain, round_safely
from workbench.curves.validation import Floats
from workbench.figures.kit.axes import axis, count_axis, gaps, powers_of_ten, round_up
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import Mark, Style, band, line, markers, rule
from workbench.figures.kit.types import Figure
from workbench.figures.one_run.reference import ReferenceValue
from workbench.onerun.growth_with_canaries import EXACT, HOEFFDING, STEINKE
from workbench.onerun.interference import DimensionStudy, InterferenceStudy
from workbench.onerun.studies import Study

LINES = {
    EXACT: Style(EXACT, "p"),
    HOEFFDING: Style(HOEFFDING, "p", "dot", 1.5),
    STEINKE: Style(STEINKE, "q"),
}

#: Name of the bound for any mechanism where every canary is guessed.
EVERY_GUESS = "any mechanism, Steinke et al. 2023"
INTERFERING = [Style(EXACT, "p"), Style(EVERY_GUESS, "q")]
CHOSEN = Style("", "muted", "dot", 1.5)

LARGEST = Style("largest, simulated", "p")
EXPECTED = Style("2√(log n/d)", "good", "dash", 1.5)
TYPICAL = Style("typical, 1/√d", "muted")

SEEN = Style("mean ± sd", "p")
INDEPENDENT = Style("independent bits", "good", "dash", 1.5)


def growth(study: Study, reference: ReferenceValue) -> Figure:
    """Mean and range over the seeds of each bound, against the number of canaries."""
    x = study.canaries
    drawn: list[Mark] = []
    high = [reference.epsilon]
    for name, style in LINES.items():
        if name != HOEFFDING:
            drawn.append(_between(style, x, *study.range(name)))
            high.append(_highest(study.range(name)[1]))
        drawn.append(line(style, x, gaps(study.mean(name))))
    top = 1.08 * max(h for h in [*high, 0.1] if math.isfinite(h))
    ends = "; ".join(f"{n} {plain(float(study.mean(n)[-1]))}" for n in LINES)
    return chart(
        [*drawn, key(list(LINES.values())), *reference.rule()],
        count_axis("number of canaries", float(x[0]), float(x[-1]), margin=0.05),
        axis(f"ε at δ = {plain(study.delta)}, at least", 0, top / (1 - 1.4 * HEADROOM)),
        summary=f"Mean bounds with {x[-1]:,} canaries: {ends}; {reference.name}: "
        f"{round_safely(reference.epsilon, 'nearest')}.",
        revision=round_up(top),
    )


def bit_error_growth(study: Study) -> Figure:
    """Mean and standard deviation of the bit error over the seeds, beside independent bits."""
    x, mean = study.canaries, study.bit_error.mean(axis=1)
    spread = study.bit_error.std(axis=1, ddof=1)
    best = study.best_error
    chance = np.sqrt(best * (1 - best) / x)
    top = max(float(np.max(mean + spread)), float(np.max(best + chance)), 0.05)
    low = max(min(float(np.min(mean - spread)), float(np.min(best - chance))), 0.0)
    room = 1.1 * (top - low) / (1 - HEADROOM)
    thin = replace(INDEPENDENT, dash="dot", width=1)
    return chart(
        [
            _between(SEEN, x, mean - spread, mean + spread),
            line(SEEN, x, mean),
            line(INDEPENDENT, x, np.full(x.size, best)),
            *(line(thin, x, best + side * chance, hover="") for side in (-1, 1)),
            key([SEEN, INDEPENDENT], columns=2),
        ],
        count_axis("number of canaries", float(x[0]), float(x[-1]), margin=0.05),
        axis("bit error", max(low - 0.05 * (top - low), 0), low + room),
        summary=f"Bias of the bit error at {x[-1]:,} canaries: {plain(float(study.bias[-1]))}; "
        "its variance over that of independent bits: "
        f"{plain(float(study.variance_ratio[-1]))}.",
        revision=(round(low, 2), round_up(max(room, 1e-6))),
    )


def interference(study: InterferenceStudy, chosen: float) -> Figure:
    """Mean bounds against the interference between canaries.

    Parameters
    ----------
    study : InterferenceStudy
    chosen : float
        The strength of the interference in view.
    """
    x, reference = study.interference, ReferenceValue("truth", study.truth)
    means = {style.name: study.mean(style.name) for style in INTERFERING}
    top = 1.08 * max(0.1, reference.epsilon, *(_highest(mean) for mean in means.values()))
    ends = "; ".join(
        f"{name} {plain(float(y[0]))} without and {plain(float(y[-1]))} at {x[-1]:g}"
        for name, y in means.items()
    )
    return chart(
        [
            rule(CHOSEN, x=chosen),
            *(line(style, x, gaps(means[style.name])) for style in INTERFERING),
            key(INTERFERING),
            *reference.rule(),
        ],
        axis("interference: cosine between canaries", 0, float(x[-1])),
        axis(f"ε at δ = {plain(study.delta)}, at least", 0, top / (1 - 1.4 * HEADROOM)),
        summary=f"Mean bounds with {study.canaries:,} canaries: {ends}; truth: "
        f"{round_safely(reference.epsilon, 'nearest')}.",
        revision=round_up(top),
    )


def dimensions(study: DimensionStudy, chosen: float) -> Figure:
    """Mean bounds on random canaries against their dimension.

    Parameters
    ----------
    study : DimensionStudy
    chosen : float
        The dimension in view.
    """
    x, reference = study.dimension, ReferenceValue("truth", study.truth)
    means = {style.name: study.mean(style.name) for style in INTERFERING}
    top = 1.08 * max(0.1, reference.epsilon, *(_highest(mean) for mean in means.values()))
    ends = "; ".join(
        f"{name} {plain(float(y[0]))} in {x[0]:,} and {plain(float(y[-1]))} in {x[-1]:,}"
        for name, y in means.items()
    )
    return chart(
        [
            rule(CHOSEN, x=max(chosen, float(x[0]))),
            *(line(style, x, gaps(means[style.name]), dots=5) for style in INTERFERING),
            key(INTERFERING),
            *reference.rule(),
        ],
        count_axis("dimension d", float(x[0]), float(x[-1]), margin=0.06),
        axis(f"ε at δ = {plain(study.delta)}, at least", 0, top / (1 - 1.4 * HEADROOM)),
        summary=f"Mean bounds with {study.canaries:,} random canaries by dimension: {ends}; truth: "
        f"{round_safely(reference.epsilon, 'nearest')}.",
        revision=round_up(top),
    )


def cosines(study: DimensionStudy, chosen: float) -> Figure:
    """Largest cosine of two random canaries against their dimension, and its formula.

    Parameters
    ----------
    study : DimensionStudy
    chosen : float
        The dimension in view.
    """
    x = study.dimension.astype(float)
    low = math.floor(-math.log10(x[-1]) / 2)
    worst = float(np.max(np.abs(study.largest_cosine / study.expected_cosine - 1)[x >= 100]))
    return chart(
        [
            rule(CHOSEN, x=max(chosen, float(x[0]))),
            line(TYPICAL, x, 1 / np.sqrt(x)),
            line(EXPECTED, x, study.expected_cosine),
            markers(LARGEST, x, study.largest_cosine, size=8),
            key([LARGEST, EXPECTED, TYPICAL]),
        ],
        count_axis("dimension d", float(x[0]), float(x[-1]), margin=0.06),
        axis("cosine", low, 1.0, log=True, ticks=powers_of_ten(range(low, 1))),
        summary=f"Largest cosine of two of {study.compared:,} random canaries against their "
        f"dimension. From 100 dimensions on it is within {worst:.0%} of 2√(log n/d).",
        revision=low,
    )


def _highest(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else 0.0


def _between(style: Style, x: Any, low: Floats, high: Floats) -> Mark:
    """A band without edges in the color of its line."""
    edge = replace(style, width=0)
    low_edge, high_edge = (line(edge, x, gaps(y), hover="") for y in (low, high))
    return band(low_edge, high_edge, style.role, 0.14)
