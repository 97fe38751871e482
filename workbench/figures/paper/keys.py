"""The key of a chart, read from a figure and drawn as matplotlib's legend."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.figures.kit.legend import GAP, SAMPLE
from workbench.figures.kit.types import Read
from workbench.figures.paper.labels import box_of, page_of, pixels_under, points_of_curves, shorten
from workbench.figures.paper.texts import written

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

#: A key may cover so many pixels of curves, as a share of its height.
COVERED = 0.2

#: Width of a sample of a line and the gaps beside it, in heights of letters.
SAMPLE_ROOM = 3.6

LineStyle = Callable[[Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class KeyEntry:
    """A row of a chart's key.

    Attributes
    ----------
    name : str
    stroke : dict
        ``line`` of the sample.
    left : float
        Pixels of the sample from the right edge; rows of one column have the same.
    low : bool
        Whether the key stands in the lower corner.
    """

    name: str
    stroke: dict[str, Any]
    left: float
    low: bool


def is_of_key(part: Read) -> bool:
    """Whether a shape or an annotation belongs to a key.

    Parameters
    ----------
    part : mapping
        Of the layout.
    """
    if "type" in part:
        return part.get("xsizemode") == "pixel"
    at = (part.get("xref"), part.get("yref"), part["x"], part.get("xanchor"), part.get("yanchor"))
    return at == ("paper", "paper", 1, "left", "middle") and part.get("xshift", 0) < 0


def entries(layout: Read) -> list[KeyEntry]:
    """The rows of the key in a figure's layout; none where it has no key."""
    names = {
        (note["xshift"], note["yshift"]): note["text"]
        for note in layout["annotations"]
        if is_of_key(note)
    }
    return [
        KeyEntry(
            names[shape["x0"] + SAMPLE + GAP, shape["y0"]],
            shape["line"],
            shape["x0"],
            shape["yanchor"] == 0,
        )
        for shape in layout["shapes"]
        if is_of_key(shape)
    ]


def put_key(
    ax: Axes,
    rows: Sequence[KeyEntry],
    line_style: LineStyle,
    size: float,
) -> Legend | None:
    """Draw a key in its corner of the axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    rows : sequence of KeyEntry
    line_style : callable
        A stroke -> arguments of matplotlib's lines.
    size : float
        Of the letters, in points.
    """
    if not rows:
        return None
    from matplotlib.lines import Line2D

    columns = len({row.left for row in rows})
    # A legend runs down its columns, a key along its rows.
    ordered = [row for first in range(columns) for row in rows[first::columns]]
    handles = [Line2D([], [], **line_style(row.stroke)) for row in ordered]
    legend = ax.legend(
        handles,
        [written(row.name) for row in ordered],
        loc="lower right" if rows[0].low else "upper right",
        ncols=columns,
        fontsize=size,
        **_LOOK,
    )
    legend.set_zorder(5)
    legend.set_in_layout(False)  # else a long name would squeeze the axes
    return legend


def move_below(ax: Axes) -> None:
    """Move a key that covers curves, or is wider than the axes, below them.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Laid out. The page grows by the height of the key.
    """
    legend = ax.get_legend()
    if legend is None:
        return
    frame, box = (box_of(part.get_window_extent()) for part in (ax, legend))
    covered = pixels_under(box, points_of_curves(ax))
    if box[0] >= frame[0] and covered < COVERED * (box[3] - box[1]):
        return
    page = page_of(ax)
    texts = legend.get_texts()
    size, names = float(texts[0].get_fontsize()), [text.get_text() for text in texts]
    lines = legend.get_lines()
    legend.remove()
    count = len(lines)
    for columns in dict.fromkeys(math.ceil(count / rows) for rows in range(1, count + 1)):
        below = page.legend(
            lines, names, loc="outside lower center", ncols=columns, fontsize=size, **_LOOK
        )
        extent = below.get_window_extent()
        if columns == 1 or extent.width <= page.bbox.width:
            break
        below.remove()
    for text in below.get_texts():
        shorten(text, page.bbox.width - SAMPLE_ROOM * size * page.dpi / 72)
    page.set_figheight(page.get_figheight() + extent.height / page.dpi)


_LOOK: dict[str, Any] = {
    "frameon": False,
    "handlelength": 2.4,
    "handletextpad": 0.5,
    "labelspacing": 0.25,
    "columnspacing": 1.0,
    "borderpad": 0.1,
    "borderaxespad": 0.2,
}
