"""Names of curves beside a sample of their line, stacked in an empty corner of the chart.

Curves that nearly coincide, as good fits do, leave no room for a label on each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

#: Pixels: height of a row, length of the line sample, gap after it, mean width of a character.
ROW, SAMPLE, GAP, CHARACTER = 17, 22, 6, 6.6

#: Share of a chart's height that a key of two rows takes.
HEADROOM = 0.2


@dataclass(frozen=True)
class Entry:
    """One curve: its name, color role and plotly dash."""

    text: str
    role: str
    dash: str = "solid"
    width: float = 2


def key(
    entries: list[Entry], columns: int = 1, margin: float = 4, low: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """Shapes and annotations of a key in the upper right corner, or in the lower one.

    Row by row over the ``columns``, ``margin`` pixels from the edge; the caller leaves that corner
    free of curves.
    """
    rows = -(-len(entries) // columns)
    top = -(margin + ROW * rows) if low else margin
    widths = [
        SAMPLE + GAP + CHARACTER * max(len(e.text) for e in entries[i::columns]) + 2 * GAP
        for i in range(columns)
    ]
    shapes, annotations = [], []
    for i, entry in enumerate(entries):
        row, column = divmod(i, columns)
        left, y = -sum(widths[column:]), -(top + ROW * (row + 0.5))
        shapes.append(
            {
                "type": "line",
                "xref": "paper",
                "yref": "paper",
                "xsizemode": "pixel",
                "ysizemode": "pixel",
                "xanchor": 1,
                "yanchor": 0 if low else 1,
                "x0": left,
                "x1": left + SAMPLE,
                "y0": y,
                "y1": y,
                "line": {"color": f"@{entry.role}", "width": entry.width, "dash": entry.dash},
            }
        )
        annotations.append(
            {
                "xref": "paper",
                "yref": "paper",
                "x": 1,
                "y": 0 if low else 1,
                "xshift": left + SAMPLE + GAP,
                "yshift": y,
                "xanchor": "left",
                "yanchor": "middle",
                "align": "left",
                "text": entry.text,
                "showarrow": False,
                "font": {"size": 12, "color": f"@{entry.role}"},
            }
        )
    return {"shapes": shapes, "annotations": annotations}


def line(entry: Entry, x: Any, y: Any, **more: Any) -> dict[str, Any]:
    """The plotly trace of a curve in the style that its key shows."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": entry.text,
        "x": x,
        "y": y,
        "line": {"color": f"@{entry.role}", "width": entry.width, "dash": entry.dash},
        **more,
    }


def stairs(
    entry: Entry, x: ArrayLike, y: ArrayLike, until: bool = False, **more: Any
) -> dict[str, Any]:
    """The trace of a step function: each value holds from its x on, or ``until`` its x."""
    values = np.asarray(y, dtype=float)
    if until:
        values = np.append(values[1:], values[-1])
    drawn = line(entry, x, values, **more)
    drawn["line"]["shape"] = "hv"
    return drawn
