"""Charts with one named row per method: a dot and its range, the name above it at the left edge.

Names beside the rows would leave no room for the chart on a phone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.figures.kit.axes import bare_axis
from workbench.figures.kit.layout import margins
from workbench.figures.kit.marks import LEFT, TOP, Mark, Style, label, rule
from workbench.figures.kit.types import Axis

#: Margins of such a chart, which needs no room for ticks on its left.
MARGIN = margins(left=16)

#: Pixels: of a row, and of the lowest such chart.
ROW, LEAST = 25, 230

#: Rows above the first dot, for its name and for that of a rule, and below the last one.
ABOVE, BELOW = 1.2, 0.5

#: The rule with which rows are compared.
COMPARED = Style("", "ink", "dash", 1.5)


def axis(count: int) -> Axis:
    """The y axis: rows from the top, without ticks."""
    return bare_axis(count - 1 + BELOW, -ABOVE)


def size(count: int) -> dict[str, Any]:
    """Margins, and the height that so many rows need: arguments of `chart`."""
    needed = MARGIN["t"] + MARGIN["b"] + (count - 1 + ABOVE + BELOW) * ROW
    return {"margin": MARGIN, "height": max(LEAST, round(needed))}


def names(texts: Sequence[str], roles: Sequence[str], shift: float = 6) -> list[Mark]:
    """Names of the rows, each above its dot.

    Parameters
    ----------
    texts, roles : sequence of str
        Name and color role of each row.
    shift : float
        Pixels from the left edge.
    """
    return [
        label(LEFT, row, text, role, ha="left", va="bottom", dx=shift, dy=4, veil=0.9)
        for row, (text, role) in enumerate(zip(texts, roles, strict=True))
    ]


def compared_with(x: float, text: str, right: bool = True) -> list[Mark]:
    """A rule with which rows are compared, and its name at the upper end.

    Parameters
    ----------
    x : float
    text : str
    right : bool
        Whether the name stands to the right of the rule.
    """
    side = ("left", 4) if right else ("right", -4)
    return [
        rule(COMPARED, x=x),
        label(x, TOP, text, "ink", va="top", ha=side[0], dx=side[1]),
    ]
