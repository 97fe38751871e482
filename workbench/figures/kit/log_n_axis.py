"""Charts over sample sizes: an axis of log₁₀ n that is linear, so that a line on it can be dragged.

What a drag sends is the place on the axis, which here is the value of a slider in log₁₀.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench.figures.kit.layout import label, vertical_line
from workbench.figures.kit.legend import Entry, line


def axis(low: float, high: float) -> dict[str, Any]:
    """The x axis from 10^low to 10^high, with ticks at powers of ten."""
    powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    return {
        "range": [low, high],
        "tickvals": [float(k) for k in powers],
        "ticktext": [_power(k) for k in powers],
    }


def curve(entry: Entry, n: ArrayLike, y: ArrayLike, steps: bool = False, **more: Any) -> Any:
    """The trace of a curve over n; with ``steps``, each value holds until the next n."""
    n = np.asarray(n, dtype=float)
    told = {"customdata": n, "hovertemplate": f"%{{y:.3g}}<extra>{entry.text}</extra>"}
    drawn = line(entry, np.log10(n), np.asarray(y, dtype=float), **{**told, **more})
    if steps:
        drawn["line"]["shape"] = "hv"
    return drawn


def marker(log_n: float, name: str, text: str, span: tuple[float, float], y: float = 1) -> Any:
    """A draggable line at log₁₀ n, and what it says, on the side that has room."""
    right = log_n < sum(span) / 2
    side = {"xanchor": "left", "xshift": 6} if right else {"xanchor": "right", "xshift": -6}
    line_ = vertical_line(log_n, name=name) | {"y1": y}
    words = label(log_n, y, text, "ink", name=name, yref="paper", yanchor="top", **side)
    return line_, words


def level(y: float, role: str = "muted", dash: str = "dash") -> dict[str, Any]:
    """A line from left to right at y."""
    style = {"color": f"@{role}", "width": 1.5, "dash": dash}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": style}


def _power(k: int) -> str:
    return f"{10**k:,}" if k <= 3 else f"10<sup>{k}</sup>"
