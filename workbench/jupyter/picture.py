"""A figure as an SVG picture, for where no widget lives: exports, readers, reopened notebooks.

It draws the part of plotly's vocabulary that `workbench.figures` uses, with matplotlib, and nothing
more: lines and steps, fills, markers, axes, straight shapes and annotations.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.figures.theme import LIGHT, paint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 5.2, 3.0  # inches
_POINT = 72 / 96  # plotly's pixels in matplotlib's points
_DASHES = {"solid": "-", "dot": ":", "dash": "--", "dashdot": "-."}


def svg(figure: dict[str, Any], palette: dict[str, str] = LIGHT) -> str:
    """The figure as an ``<svg>`` element, its summary as the accessible name.

    Parameters
    ----------
    figure : dict
        As `workbench.figures` make it, colours as roles.
    palette : dict
        Role -> colour.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    painted = paint(figure, palette)
    style: Any = {
        "svg.fonttype": "none",  # text stays text: searchable, and small
        "font.family": "sans-serif",
        "path.simplify_threshold": 0.5,
    }
    with mpl.rc_context(style):
        canvas = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        axes = canvas.add_subplot()
        _traces(axes, painted["data"])
        _axes(axes, painted["layout"], palette)
        for shape in painted["layout"]["shapes"]:
            _shape(axes, shape)
        for annotation in painted["layout"]["annotations"]:
            _annotation(axes, annotation)
        buffer = io.StringIO()
        canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    summary = figure["layout"]["meta"]["summary"].replace('"', "'")
    # One name for every copy of the ids, so that pictures beside each other do not mix.
    return text.replace("<svg", f'<svg role="img" aria-label="{summary}"', 1)


def _traces(axes: Axes, traces: list[dict[str, Any]]) -> None:
    below = None
    for trace in traces:
        x, y = np.asarray(trace["x"], dtype=float), np.asarray(trace["y"], dtype=float)
        line, marker = trace.get("line", {}), trace.get("marker", {})
        step = line.get("shape") == "hv"
        if trace.get("fill") == "tozeroy":
            axes.fill_between(
                x, y, 0, step="post" if step else None, lw=0, **_colour(trace["fillcolor"])
            )
        elif trace.get("fill") == "tonexty" and below is not None:
            _between(axes, below, (x, y), trace["fillcolor"])
        if "lines" in trace["mode"]:
            axes.plot(
                x,
                y,
                drawstyle="steps-post" if step else "default",
                linestyle=_DASHES[line.get("dash", "solid")],
                linewidth=line["width"] * _POINT,
                **_colour(line["color"]),
            )
        if "markers" in trace["mode"]:
            axes.plot(
                x, y, "o", markersize=marker["size"] * _POINT * 0.8, **_colour(marker["color"])
            )
        below = x, y


def _between(axes: Axes, first: Any, second: Any, colour: str) -> None:
    """Plotly's fill from one trace to the one before, which need not share its x."""
    keep = [np.isfinite(x) & np.isfinite(y) for x, y in (first, second)]
    (x0, y0), (x1, y1) = ((x[k], y[k]) for (x, y), k in zip((first, second), keep, strict=True))
    axes.fill(np.r_[x0, x1[::-1]], np.r_[y0, y1[::-1]], lw=0, **_colour(colour))


def _axes(axes: Axes, layout: dict[str, Any], palette: dict[str, str]) -> None:
    for name, axis, limit in (
        ("xaxis", axes.xaxis, axes.set_xlim),
        ("yaxis", axes.yaxis, axes.set_ylim),
    ):
        given = layout[name]
        log = given.get("type") == "log"
        if log:
            (axes.set_xscale if name == "xaxis" else axes.set_yscale)("log")
            axis.set_minor_locator(_no_ticks())
        limit(*(10 ** np.asarray(given["range"], float) if log else given["range"]))
        if "tickvals" in given:
            axis.set_ticks(given["tickvals"], [_plain(t) for t in given["ticktext"]])
        axis.set_label_text(given["title"]["text"], size=9, color=palette["muted"])
    axes.tick_params(labelsize=8, colors=palette["muted"])
    axes.grid(color=palette["grid"], linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(palette["line"])


def _shape(axes: Axes, shape: dict[str, Any]) -> None:
    paper_x, paper_y = shape.get("xref") == "paper", shape.get("yref") == "paper"
    line = shape["line"]
    style = {
        "linewidth": line["width"] * _POINT,
        "linestyle": _DASHES[line.get("dash", "solid")],
        **_colour(line["color"]),
    }
    if shape.get("xsizemode") == "pixel":
        axes.annotate(
            "",
            xy=(shape["x0"] * _POINT, shape["y0"] * _POINT),
            xytext=(shape["x1"] * _POINT, shape["y1"] * _POINT),
            xycoords=_offset(axes),
            textcoords=_offset(axes),
            arrowprops={"arrowstyle": "-", "shrinkA": 0, "shrinkB": 0, **style},
        )
    elif paper_y:
        axes.axvline(shape["x0"], **style)
    elif paper_x:
        axes.axhline(shape["y0"], **style)
    else:
        axes.plot([shape["x0"], shape["x1"]], [shape["y0"], shape["y1"]], **style)


def _annotation(axes: Axes, annotation: dict[str, Any]) -> None:
    paper = (annotation.get("xref") == "paper", annotation.get("yref") == "paper")
    y = annotation["y"]
    if not paper[1] and axes.get_yscale() == "log":
        y = 10**y
    units = {(True, True): "axes fraction", (False, False): "data"}
    coordinates = units.get(paper, (axes.get_xaxis_transform()))
    axes.annotate(
        _plain(annotation["text"]),
        xy=(annotation["x"], y),
        xycoords=coordinates,
        xytext=(
            annotation.get("xshift", 0) * _POINT,
            annotation.get("yshift", 0) * _POINT,
        ),
        textcoords="offset points",
        ha=annotation.get("xanchor", "center"),
        va=annotation.get("yanchor", "middle").replace("middle", "center"),
        size=annotation["font"]["size"] * _POINT,
        **_colour(annotation["font"]["color"]),
    )


def _offset(axes: Axes) -> Any:
    """Points from the upper right corner of the axes, plotly's anchor for keys."""
    from matplotlib.text import OffsetFrom

    return OffsetFrom(axes.patch, (1, 1), "points")


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _plain(text: str) -> str:
    """Plotly's markup as matplotlib's: superscripts only."""
    return re.sub(r"<sup>(.*?)</sup>", r"$^{\1}$", text)


def _colour(text: str) -> dict[str, Any]:
    match = re.match(r"rgba\((\d+),(\d+),(\d+),([\d.]+)\)", text)
    if match is None:
        return {"color": text}
    red, green, blue, alpha = match.groups()
    return {"color": (int(red) / 255, int(green) / 255, int(blue) / 255), "alpha": float(alpha)}
