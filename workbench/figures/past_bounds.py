"""Bounds of many draws against the truth: which method overstates, and how often?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench._format import round_safely
from workbench.figures.kit.layout import base_layout
from workbench.figures.kit.legend import HEADROOM, Entry, key

SIMULTANEOUS = Entry("simultaneous", "good")
BEST = Entry("best threshold", "p")
TRUTH = Entry("truth", "ink", "dash", 1.5)

#: Draws that the axis has room for from the start.
FIRST = 20


def past_bounds(past: Sequence[tuple[float, float]], truth: float | None) -> dict[str, Any]:
    """Dots in the order of the draws, and the truth as a line.

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
    entries = [BEST, SIMULTANEOUS, TRUTH] if known else [BEST, SIMULTANEOUS]
    drawn = key(entries, columns=2)
    if known:
        line = {"color": "@ink", "width": 1.5, "dash": "dash"}
        ends = {"xref": "paper", "x0": 0, "x1": 1, "y0": truth, "y1": truth}
        drawn["shapes"].append({"type": "line", "line": line, **ends})
    last = [round_safely(bound, "down") for bound in bounds[-1]]
    return {
        "data": [
            _dots(BEST, draws, bounds[:, 1], 6),
            _dots(SIMULTANEOUS, draws, bounds[:, 0], 5),
        ],
        "layout": base_layout(
            "draw",
            "bound on ε",
            summary=f"Bounds of {len(past)} draws. The last: simultaneous {last[0]}, at its best "
            f"threshold {last[1]}."
            + (f" The truth is {round_safely(truth or 0, 'nearest')}." if known else ""),
            x={"range": [0.5, max(FIRST, len(past)) + 0.5]},
            y={"range": [0, top / (1 - HEADROOM)]},
            hovermode="closest",
            revision=len(past),
            **drawn,
        ),
    }


def _dots(entry: Entry, x: Any, y: Any, size: float) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": entry.text,
        "x": x,
        "y": y,
        "marker": {"size": size, "color": f"@{entry.role}"},
    }
