"""Charts with one named row a method: a dot and its range, the name above it from the left edge.

Names beside the rows would leave a phone no room for the chart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.figures.kit.layout import label

#: Margins of such a chart, which needs no room for ticks on its left.
MARGIN = {"l": 16, "r": 16, "t": 8, "b": 44}

#: Pixels: of a row, and of the lowest such chart.
ROW, LEAST = 32, 300

#: Rows above the first dot, for its name and for that of a mark, and below the last one.
ABOVE, BELOW = 1.2, 0.5


def dots(name: str, x: Any, low: Any, high: Any, roles: Sequence[str], hover: Sequence[str]) -> Any:
    """The trace: dots at ``x`` with bars from ``low`` to ``high``, in the colors of ``roles``."""
    x, low, high = (np.asarray(values, dtype=float) for values in (x, low, high))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": x,
        "y": np.arange(x.size),
        "customdata": list(hover),
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
        "marker": {"size": 9, "color": [f"@{role}" for role in roles]},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": high - x,
            "arrayminus": x - low,
            "color": "@muted",
            "thickness": 1.5,
            "width": 0,
        },
    }


def axis(count: int) -> dict[str, Any]:
    """The y axis: rows from the top, without ticks."""
    return {
        "range": [count - 1 + BELOW, -ABOVE],
        "showticklabels": False,
        "showgrid": False,
        "showline": False,
        "ticks": "",
        "fixedrange": True,
    }


def size(count: int) -> dict[str, Any]:
    """Margins, and the height that so many rows need."""
    needed = MARGIN["t"] + MARGIN["b"] + (count - 1 + ABOVE + BELOW) * ROW
    return {"margin": MARGIN, "height": max(LEAST, round(needed))}


def names(texts: Sequence[str], roles: Sequence[str], shift: float = 6) -> list[dict[str, Any]]:
    """Each row's name above its dot, ``shift`` pixels from the left edge."""
    return [
        label(
            0,
            row,
            text,
            role,
            xref="paper",
            xanchor="left",
            yanchor="bottom",
            xshift=shift,
            yshift=5,
            align="left",
            bgcolor="@paper/.6",
        )
        for row, (text, role) in enumerate(zip(texts, roles, strict=True))
    ]


def mark(x: float) -> dict[str, Any]:
    """A dashed line from the bottom to the top: what the rows are compared with."""
    line = {"color": "@ink", "width": 1.5, "dash": "dash"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def across(y: float) -> dict[str, Any]:
    """The same from left to right."""
    line = {"color": "@ink", "width": 1.5, "dash": "dash"}
    return {"type": "line", "x0": 0, "x1": 1, "y0": y, "y1": y, "xref": "paper", "line": line}


def mark_name(x: float, text: str, right: bool = True) -> dict[str, Any]:
    """What such a line means, at its upper end, to its right or its left."""
    side = {"xanchor": "left", "xshift": 4} if right else {"xanchor": "right", "xshift": -4}
    return label(x, 1, text, "ink", yref="paper", yanchor="top", **side)
