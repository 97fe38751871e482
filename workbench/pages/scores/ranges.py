"""Ranges and steps of the sliders of a scores page, from the scores that they span."""

from __future__ import annotations

import math

from workbench.estimators.bin_rules import RANGE_TAIL, around
from workbench.scores.sample import Scores

#: Steps of a round width across the displayed range, at least.
THRESHOLD_STEPS = 200

#: Share of the scores between their median and its rounded value, at most.
OFF_MEDIAN = 0.2


def nice_below(x: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is at most x."""
    if math.isinf(x):
        raise ValueError("no float holds the range of these scores; divide them by a constant")
    power = 10.0 ** math.floor(math.log10(x))
    return max(m * power for m in (1, 2, 5) if m * power <= x)


def span(scores: Scores) -> tuple[float, float]:
    """The range of nearly all scores, which is never empty."""
    low, high = (float(x) for x in scores.quantile([RANGE_TAIL, 1 - RANGE_TAIL]))
    return (low, high) if low < high else around(low)


def threshold_slider(scores: Scores) -> tuple[float, tuple[float, float]]:
    """A round step across nearly all scores, and the ends of the range in whole steps."""
    low, high = span(scores)
    step = nice_below((high - low) / THRESHOLD_STEPS)
    return step, (step * math.floor(low / step), step * math.ceil(high / step))


def placed_threshold(scores: Scores) -> float:
    """The threshold at which the page places its slider: the median of all scores, rounded.

    Where most scores lie closer together than it is rounded, it is not.
    """
    rounded = snap_to(float(scores.quantile(0.5)), *threshold_slider(scores))
    pooled = scores.samples.pooled
    below, up_to = (float(x) / pooled.size for x in (pooled.below(rounded), pooled.up_to(rounded)))
    if up_to >= 0.5 - OFF_MEDIAN and below <= 0.5 + OFF_MEDIAN:
        return rounded
    return float(scores.quantile(0.5))


def snap_to(x: float, step: float, bounds: tuple[float, float]) -> float:
    """The multiple of the step nearest to x, within the bounds."""
    digits = max(0, -math.floor(math.log10(step)))
    return min(max(round(round(x / step) * step, digits), bounds[0]), bounds[1])
