"""Charts in the house style: marks and axes put together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.figures.kit.axes import hidden_axis
from workbench.figures.kit.marks import Mark, Share, label
from workbench.figures.kit.theme import FONT
from workbench.figures.kit.types import Axis, Figure, Layout, Part

Margins = Mapping[str, float]

#: What the layout of every chart has, besides its summary.
PARTS = ("margin", "xaxis", "yaxis", "shapes", "annotations")


def margins(left: float = 56, top: float = 8, bottom: float = 44) -> Margins:
    """Margins of a chart, in pixels, which hold ticks and titles of the axes."""
    return {"l": left, "r": 16, "t": top, "b": bottom}


def chart(
    marks: Iterable[Mark],
    x: Axis,
    y: Axis,
    *,
    summary: str,
    revision: Any = "keep",
    closest: bool = False,
    margin: Margins | None = None,
    height: float | None = None,
) -> Figure:
    """A chart as a dict in plotly's format, with colors as roles.

    Parameters
    ----------
    marks : iterable of Mark
        From the verbs in `workbench.figures.kit.marks`; later ones are drawn above earlier ones.
    x, y : Axis
        From `workbench.figures.kit.axes`.
    summary : str
        What the chart shows, in one sentence; screen readers read it aloud.
    revision : optional
        A zoom is kept while this stays the same: pass what the extent of the axes depends on.
    closest : bool
        Whether a pointer finds the closest point, not all points at its x.
    margin : optional
        From `margins`.
    height : float, optional
        In pixels; 300 by default.

    Raises
    ------
    TypeError
        Something that is not a mark.
    """
    traces: list[Part] = []
    shapes: list[Part] = []
    labels: list[Part] = []
    for mark in marks:
        if not isinstance(mark, Mark):
            raise TypeError(
                f"a chart consists of marks, got {type(mark).__name__}; "
                "use the verbs of workbench.figures.kit.marks"
            )
        traces += mark.traces
        shapes += mark.shapes
        labels += [_placed(note, x, y) for note in mark.labels]
    layout: Layout = {
        "margin": dict(margin or margins()),
        "font": {"family": FONT, "size": 12, "color": "@ink"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "hovermode": "closest" if closest else "x",
        "hoverlabel": {
            "bgcolor": "@paper",
            "bordercolor": "@line",
            "font": {"size": 12, "color": "@ink"},
        },
        "uirevision": revision,
        "xaxis": x,
        "yaxis": y,
        "shapes": shapes,
        "annotations": labels,
        "meta": {"summary": summary},
    }
    if height is not None:
        layout["height"] = height
    return {"data": traces, "layout": layout}


def empty(words: str, optional: bool = False) -> Figure:
    """A chart that shows nothing yet, and says why.

    Parameters
    ----------
    words : str
    optional : bool
        Whether a page does without the chart as long as it shows nothing.
    """
    note = label(Share(0.5), Share(0.5), words, "muted", size=14)
    made = chart([note], hidden_axis(), hidden_axis(), summary=words, margin=margins(left=16))
    if optional:
        made["layout"]["meta"]["optional"] = True
    return made


def _placed(note: Part, x: Axis, y: Axis) -> Part:
    """A label in the unit of the axes' ranges, which on a logarithmic axis is the exponent."""
    placed = dict(note)
    for name, along in (("x", x), ("y", y)):
        if along.get("type") == "log" and note.get(f"{name}ref") != "paper":
            placed[name] = math.log10(note[name])
    return placed
