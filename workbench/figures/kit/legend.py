"""The key of a chart: names of curves beside a sample of their line, stacked in an empty corner.

Curves that nearly coincide, as good fits do, leave no room for a label on each of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.figures.kit.marks import Mark, Style
from workbench.figures.kit.types import Part

#: Pixels: height of a row, length of the line sample, gap after it, mean width of a character.
ROW, SAMPLE, GAP, CHARACTER = 17, 22, 6, 6.6

#: Share of a chart's height that a key of two rows takes.
HEADROOM = 0.2


def key(styles: Sequence[Style], columns: int = 1, low: bool = False) -> Mark:
    """Names of curves in the upper right corner, or in the lower one.

    Parameters
    ----------
    styles : sequence of Style
        Of the curves, row by row over the columns. The caller leaves the corner free of curves.
    columns : int
    low : bool
        Whether the key stands in the lower right corner.
    """
    margin = 4
    rows = -(-len(styles) // columns)
    top = -(margin + ROW * rows) if low else margin
    widths = [
        SAMPLE + GAP + max(_width(s.name) for s in styles[i::columns]) + 2 * GAP
        for i in range(columns)
    ]
    corner = 0 if low else 1
    samples: list[Part] = []
    names: list[Part] = []
    for i, style in enumerate(styles):
        row, column = divmod(i, columns)
        left, y = -sum(widths[column:]), -(top + ROW * (row + 0.5))
        samples.append(
            {
                "type": "line",
                "xref": "paper",
                "yref": "paper",
                "xsizemode": "pixel",
                "ysizemode": "pixel",
                "xanchor": 1,
                "yanchor": corner,
                "x0": left,
                "x1": left + SAMPLE,
                "y0": y,
                "y1": y,
                "line": {"color": f"@{style.role}", "width": style.width, "dash": style.dash},
            }
        )
        names.append(
            {
                "xref": "paper",
                "yref": "paper",
                "x": 1,
                "y": corner,
                "xshift": left + SAMPLE + GAP,
                "yshift": y,
                "xanchor": "left",
                "yanchor": "middle",
                "text": style.name,
                "showarrow": False,
                "font": {"size": 12, "color": f"@{style.role}"},
            }
        )
    return Mark("key", shapes=tuple(samples), labels=tuple(names))


def _width(name: str) -> float:
    """Pixels of a name, at most: m and w are wide."""
    small = name.lower()
    return CHARACTER * (len(name) + 0.6 * (small.count("m") + small.count("w")))
