"""Bounds of repeated draws against the truth, which shows the method that overstates."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from workbench._format import round_safely
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import Style, markers, rule
from workbench.figures.kit.types import Figure

SIMULTANEOUS = Style("simultaneous", "good")
BEST = Style("best threshold", "p")
TRUTH = Style("truth", "ink", "dash", 1.5)

#: Draws that the axis has room for from the start.
FIRST = 20


def past_bounds(past: Sequence[tuple[float, float]], truth: float | None) -> Figure:
    """Bounds on ε in the order of the draws, and the truth as a line.

    Parameters
    ----------
    past : sequence of (float, float)
        The simultaneous bound on ε of each draw, and the pointwise one at its best threshold.
    truth : float, optional
        The pair's ε; None leaves it out.
    """
    draws = np.arange(1, len(past) + 1)
    bounds = np.asarray(past, dtype=float).reshape(-1, 2)
    known = truth is not None and math.isfinite(truth)
    top = max(1e-3, float(bounds.max(initial=0.0)), truth if known and truth else 0.0)
    last = [round_safely(bound, "down") for bound in bounds[-1]]
    return chart(
        [
            markers(BEST, draws, bounds[:, 1], size=6, outline=None),
            markers(SIMULTANEOUS, draws, bounds[:, 0], size=5, outline=None),
            key([BEST, SIMULTANEOUS, TRUTH] if known else [BEST, SIMULTANEOUS], columns=2),
            *([rule(TRUTH, y=truth)] if known else []),
        ],
        axis("draw", 0.5, max(FIRST, len(past)) + 0.5),
        axis("bound on ε", 0, top / (1 - HEADROOM)),
        summary=f"Bounds of {len(past)} draws. The last: simultaneous {last[0]}, at its best "
        f"threshold {last[1]}."
        + (f" The truth is {round_safely(truth or 0, 'nearest')}." if known else ""),
        closest=True,
        revision=len(past),
    )
