"""The house layout of a chart: margins, fonts, axes and direct labels, in one place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from workbench.figures.kit.legend import HEADROOM
from workbench.figures.kit.theme import FONT


def base_layout(
    x_title: str,
    y_title: str,
    *,
    summary: str,
    x: Mapping[str, Any] | None = None,
    y: Mapping[str, Any] | None = None,
    revision: Any = "keep",
    shapes: list[dict[str, Any]] | None = None,
    annotations: list[dict[str, Any]] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A plotly layout in the house style, with colors as roles.

    Parameters
    ----------
    x_title, y_title : str
        Titles of the axes.
    summary : str
        What the chart shows, in one sentence; read aloud by screen readers.
    x, y : mapping, optional
        More attributes of the axes, such as ``{"range": [0, 1]}`` or ``{"type": "log"}``.
    revision : optional
        A person's zoom is kept while this stays the same: pass what the axes' extent rests on.
    shapes, annotations : list of dict, optional
        Lines and labels; see `vertical_line` and `label`.
    **more
        Further attributes of the layout.
    """
    return {
        "margin": {"l": 56, "r": 16, "t": 8, "b": 44},
        "font": {"family": FONT, "size": 12, "color": "@ink"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "hovermode": "x",
        "hoverlabel": {"bgcolor": "@paper", "bordercolor": "@line", "font": {"size": 12}},
        "uirevision": revision,
        "xaxis": _axis(x_title, x or {}),
        "yaxis": _axis(y_title, y or {}),
        "shapes": shapes or [],
        "annotations": annotations or [],
        "meta": {"summary": summary},
        **more,
    }


def empty(words: str) -> dict[str, Any]:
    """A chart that shows nothing yet, and says why."""
    bare = {"visible": False, "range": [0, 1]}
    note = label(0.5, 0.5, words, "muted", font={"size": 14, "color": "@muted"})
    return {
        "data": [],
        "layout": base_layout("", "", summary=words, x=bare, y=bare, annotations=[note]),
    }


def delta_axis(low: float) -> dict[str, Any]:
    """A logarithmic y axis of δ from 10^``low`` to 1, with room for a key above it."""
    powers = range(0, math.floor(low) - 1, -2)
    return {
        "type": "log",
        "range": [low, -low * HEADROOM / (1 - HEADROOM)],
        "tickvals": [10.0**k for k in powers],
        "ticktext": [power_of_ten(k) for k in powers],
    }


def power_of_ten(k: int) -> str:
    """10^k as the text of a tick."""
    return f"10<sup>{k}</sup>".replace("-", "−") if k else "1"


def vertical_line(x: float, name: str | None = None, role: str = "ink") -> dict[str, Any]:
    """A line from the bottom to the top of a chart; named, it can be dragged (`Item.drag`)."""
    line = {"color": f"@{role}", "width": 2}
    shape = {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}
    return shape | ({"name": name} if name else {})


def label(x: float, y: float, text: str, role: str, **more: Any) -> dict[str, Any]:
    """A curve's name beside it, in its color, on a veil of paper that keeps it legible.

    A label with the ``name`` of a draggable line moves with it.
    """
    return {
        "x": x,
        "y": y,
        "text": text,
        "showarrow": False,
        "font": {"size": 12, "color": f"@{role}"},
        "bgcolor": "@paper/.75",
        **more,
    }


def _axis(title: str, more: Mapping[str, Any]) -> dict[str, Any]:
    # Plotly writes powers of ten a quarter larger than it was told.
    size = 9 if more.get("type") == "log" else 11
    return {
        "title": {"text": title, "font": {"size": 12, "color": "@muted"}, "standoff": 8},
        "tickfont": {"size": size, "color": "@muted"},
        "gridcolor": "@grid",
        "linecolor": "@line",
        "zeroline": False,
        "showline": True,
        "ticks": "outside",
        "tickcolor": "@line",
        "ticklen": 4,
        "exponentformat": "power",
        **more,
    }
