"""Thresholds to choose from: places at equal steps of pooled probability, finer at both ends.

An audit by thresholds is the same for a score and for any increasing function of it. So are these
places: they follow from ranks alone. A place is a round number between two neighboring scores, as
all thresholds between two neighbors flag the same records.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench.scores.sample import Scores

#: How many scores at each end have places of their own, before steps grow.
SINGLE = 20

#: The growth: a step passes this share of the scores between it and the nearer end, at most.
GROWTH = 0.05

#: Steps in the middle have one probability, of 1 in this many.
EQUAL_STEPS = 400


def threshold_places(scores: Scores) -> NDArray[np.float64]:
    """Thresholds that flag different scores, computed once for each set of scores.

    Parameters
    ----------
    scores : Scores

    Returns
    -------
    ndarray, shape (k,)
        Strictly increasing, in score units. At the first and at the last one, all finite scores lie
        on one side; from there inward, each of the next 20 passes one distinct score. At most 1000
        places for up to 10⁸ scores; a single 0 where no score is finite.

    Examples
    --------
    >>> from workbench.estimators.threshold_places import threshold_places
    >>> threshold_places(wb.Scores([0.31, 0.72], [0.12, 0.34])).tolist()
    [0.1, 0.2, 0.33, 0.5, 0.73]
    """
    known: NDArray[np.float64] | None = scores.results.get("threshold places")
    if known is None:
        known = scores.results["threshold places"] = _places(scores)
        known.flags.writeable = False
    return known


def _places(scores: Scores) -> NDArray[np.float64]:
    pooled, upper = scores.samples.pooled, scores.larger_is_member
    n = pooled.size
    if not n:
        return np.zeros(1)
    # How many scores lie below each place: those of one value are passed together.
    below = np.unique(pooled.up_to(pooled.at(_ranks(n) - 1)))
    cuts = below[below < n]
    gaps = np.diff(below, prepend=0)
    # Where steps pass many scores, the place may be moved by a quarter of a step: to a rounder one.
    slack = np.minimum(gaps[:-1], gaps[1:]) // 4
    low, high = np.asarray(pooled.at(cuts - 1 - slack)), np.asarray(pooled.at(cuts + slack))
    inner = [_round_number(a, b, upper) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    first, last = float(pooled.at(0)), float(pooled.at(n - 1))
    before = _round_number(first - _margin(first, last - first), first, upper)
    after = _round_number(last, last + _margin(last, last - first), upper)
    found = np.array([before, *inner, after])
    return found[np.isfinite(found)]  # no float lies beyond the largest


def _ranks(n: int) -> NDArray[np.int64]:
    """Ranks from 1 to n: their differences are 1 at the ends, n / `EQUAL_STEPS` in the middle."""
    widest, rank = max(n // EQUAL_STEPS, 1), 1
    lower = []
    while rank <= n // 2:
        lower.append(rank)
        rank += min(1 + int(GROWTH * max(rank - SINGLE, 0)), widest)
    return np.unique(np.array([*lower, *(n - rank for rank in lower), n]))


def _margin(end: float, span: float) -> float:
    """How far beyond the least or the largest score the outer place may lie; it keeps its sign."""
    if not span:
        return abs(end) / 2 or 1.0
    return min(span / 20, abs(end) / 2 or math.inf)


def _round_number(low: float, high: float, upper: bool) -> float:
    """A number of few digits in [low, high), in (low, high] unless ``upper``: no score between."""
    edge = low if upper else high
    width, middle = high - low, low + (high - low) / 2
    if not 0 < width < math.inf:
        return edge
    power = math.floor(math.log10(width))
    for digits in (-power - 1, -power, -power + 1):
        for near in (middle, edge):
            found = round(near, digits) + 0.0
            if (low <= found < high) if upper else (low < found <= high):
                return found
    return edge
