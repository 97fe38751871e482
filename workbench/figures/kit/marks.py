"""The vocabulary of charts: a chart consists of the marks below, and of nothing else.

========== ==========================================================================
Verb       Meaning
========== ==========================================================================
line       A curve through points; NaN or None interrupts it.
steps      A step function.
band       The area between two curves, and the curves.
histogram  A density over bins as one outline, filled down to zero.
bars       One bar per outcome, left or right of the outcome's place.
markers    Points.
targets    Invisible points at which a pointer finds a text.
whiskers   Points with horizontal error bars.
rule       A straight line at one x or one y, across the chart or between two ends.
box        A rectangle, filled or framed.
label      A text.
key        Names of curves beside a sample of each; see `workbench.figures.kit.legend`.
========== ==========================================================================

Each verb returns a `Mark`, and `workbench.figures.kit.layout.chart` puts marks and axes together.
The dict that results is in plotly's format, which both front ends and the SVG renderer read. A
renderer for another library needs to draw no more than what these verbs emit.

Styles. A `Style` is a name, a color role, a dash and a width. Roles are the keys of
`workbench.figures.kit.theme.palette`: "p", "q", "good", "warn", "bad", "fit", "ink", "muted", and
so on; "p/.25" has an opacity. Dashes are "solid", "dash", "dot" and "dashdot".

Places. Coordinates are in units of the axes, on logarithmic axes, too. A `Share` is a fraction of
the chart's width or height instead: ``LEFT``, ``RIGHT``, ``BOTTOM``, ``TOP`` are its ends.

Pointers. ``hover`` is what a pointer shows at a point: None for the coordinates, "" for nothing, or
a template such as "{x:.3g}: {y:.1%}", in which ``{value}`` stands for the point's entry of
``values``, and a final "{name}" for the name of the mark. Renderers without a pointer ignore it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench.figures.kit.types import Part

#: Half the width of a pair of `bars`.
BAR = 0.4


@dataclass(frozen=True)
class Style:
    """How a curve, a rule or a point looks, and what it is called.

    Attributes
    ----------
    name : str
        As in the chart's key.
    role : str
        Color role.
    dash : {"solid", "dash", "dot", "dashdot"}
    width : float
        Of the line in pixels; 0 draws none.
    """

    name: str
    role: str
    dash: str = "solid"
    width: float = 2


class Share(float):
    """A fraction of the chart's width, from the left, or of its height, from the bottom."""


LEFT = BOTTOM = Share(0)
RIGHT = TOP = Share(1)


@dataclass(frozen=True)
class Mark:
    """What a verb returns: parts of a chart that belong together.

    Attributes
    ----------
    verb : str
        Name of the verb.
    traces, shapes, labels : tuple of dict
        Plotly's traces, shapes and annotations. Only the kit reads them.
    """

    verb: str
    traces: tuple[Part, ...] = ()
    shapes: tuple[Part, ...] = ()
    labels: tuple[Part, ...] = ()


def line(
    style: Style,
    x: ArrayLike,
    y: ArrayLike,
    *,
    hover: str | None = None,
    values: Any = None,
    dots: float | None = None,
) -> Mark:
    """A curve through points.

    Parameters
    ----------
    style : Style
    x, y : array_like, shape (n,)
    hover, values : optional
        See the module's docstring.
    dots : float, optional
        Diameter in pixels of a dot at every point; none by default.
    """
    return Mark("line", (_curve(style, x, y, hover, values, dots),))


def steps(
    style: Style,
    x: ArrayLike,
    y: ArrayLike,
    *,
    until: bool = False,
    hover: str | None = None,
    values: Any = None,
) -> Mark:
    """A step function.

    Parameters
    ----------
    style : Style
    x, y : array_like, shape (n,)
        Each value holds from its x up to the next one.
    until : bool
        Each value holds from the previous x up to its own instead.
    hover, values : optional
        See the module's docstring.
    """
    heights = np.asarray(y, dtype=float)
    if until:
        heights = np.append(heights[1:], heights[-1])
    return Mark("steps", (_stepped(_curve(style, x, heights, hover, values)),))


def band(first: Mark, second: Mark, role: str, opacity: float) -> Mark:
    """The area between two curves, and the curves.

    Parameters
    ----------
    first, second : Mark
        From `line` or `steps`.
    role : str
        Color role of the area.
    opacity : float
    """
    (a,), (b,) = first.traces, second.traces
    return Mark("band", (a, {**b, "fill": "tonexty", "fillcolor": f"@{role}/{opacity}"}))


def histogram(
    style: Style,
    edges: ArrayLike,
    heights: ArrayLike,
    *,
    opacity: float = 0.12,
    hover: str | None = None,
    values: Any = None,
) -> Mark:
    """A density over bins as one outline, filled down to zero.

    Parameters
    ----------
    style : Style
    edges : array_like, shape (n + 1,)
    heights : array_like, shape (n,)
    opacity : float
        Of the area; 0 leaves it empty.
    hover, values : optional
        See the module's docstring; a value for each edge.

    Notes
    -----
    A browser draws one path in a third of the time that bars take.
    """
    heights = np.asarray(heights, dtype=float)
    outline = np.append(heights, heights[-1:])
    return Mark(
        "histogram",
        (_filled(_stepped(_curve(style, edges, outline, hover, values)), style, opacity),),
    )


def bars(
    style: Style, heights: ArrayLike, names: Sequence[str], side: int, *, opacity: float = 0.5
) -> Mark:
    """One bar per outcome, at x = 0, 1, 2, …; one path that returns to zero between bars.

    Parameters
    ----------
    style : Style
    heights : array_like, shape (n,)
    names : sequence of str
        Of the outcomes, for the pointer.
    side : {-1, 1}
        Left or right of the outcome's place, so that two sets of bars fit.
    opacity : float
    """
    heights = np.asarray(heights, dtype=float)[:, None]
    x = np.arange(heights.size)[:, None] + side * BAR * np.array([0.0, 0.0, 1.0, 1.0])
    y = heights * np.array([0.0, 1.0, 1.0, 0.0])
    order = slice(None) if side > 0 else slice(None, None, -1)
    hover = f"{{value}}, {style.name}: {{y:.2%}}"
    values = [name for name in names for _ in range(4)]
    path = _curve(style, x[:, order].ravel(), y.ravel(), hover, values)
    return Mark("bars", (_filled(path, style, opacity),))


def markers(
    style: Style,
    x: ArrayLike,
    y: ArrayLike,
    *,
    size: float = 10,
    symbol: str | Sequence[str] = "circle",
    outline: str | None = "paper",
    outline_width: float = 2,
    hover: str | None = None,
    values: Any = None,
) -> Mark:
    """Points, drawn whole also at the edge of the chart.

    Parameters
    ----------
    style : Style
        Its name and color role.
    x, y : array_like, shape (n,)
    size : float
        Diameter in pixels.
    symbol : str or sequence of str
        "circle", "square", "diamond", "triangle-up", "x", "line-ns"; with "-open" for the outline
        alone. One for all points, or one per point.
    outline : str, optional
        Color role of the outline; None draws none.
    outline_width : float
        In pixels.
    hover, values : optional
        See the module's docstring.
    """
    marker: Part = {"size": size, "color": f"@{style.role}"}
    if symbol != "circle":
        marker["symbol"] = symbol
    if outline is not None:
        marker["line"] = {"width": outline_width, "color": f"@{outline}"}
    return Mark("markers", (_points(style.name, x, y, marker, hover, values),))


def targets(name: str, x: ArrayLike, y: ArrayLike, hover: str, values: Any) -> Mark:
    """Invisible points at which a pointer finds a text.

    Parameters
    ----------
    name : str
    x, y : array_like, shape (n,)
    hover, values
        See the module's docstring.
    """
    marker = {"size": 12, "color": "rgba(0,0,0,0)"}
    return Mark("targets", (_points(name, x, y, marker, hover, values),))


def whiskers(
    name: str,
    x: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    roles: Sequence[str],
    hover: Sequence[str],
) -> Mark:
    """Points in rows y = 0, 1, 2, …, with horizontal error bars.

    Parameters
    ----------
    name : str
    x, low, high : array_like, shape (n,)
        The points, and the ends of their bars.
    roles : sequence of str
        Color role of each point.
    hover : sequence of str
        What a pointer shows at each point.
    """
    x, low, high = (np.asarray(values, dtype=float) for values in (x, low, high))
    marker = {"size": 9, "color": [f"@{role}" for role in roles]}
    points = _points(name, x, np.arange(x.size), marker, "{value}", list(hover))
    points["error_x"] = {
        "type": "data",
        "symmetric": False,
        "array": high - x,
        "arrayminus": x - low,
        "color": "@muted",
        "thickness": 1.5,
        "width": 0,
    }
    return Mark("whiskers", (points,))


def rule(
    style: Style,
    *,
    x: float | None = None,
    y: float | None = None,
    start: float = BOTTOM,
    end: float = TOP,
    drag: str | None = None,
    behind: bool = False,
) -> Mark:
    """A straight line at one x (upright) or at one y (level).

    Parameters
    ----------
    style : Style
    x, y : float
        One of the two.
    start, end : float
        Where it begins and ends: two `Share` of the chart, all of it by default, or two
        coordinates.
    drag : str, optional
        Name by which an upright rule can be dragged; see `Item.drag
        <workbench.pages.core.page.Item>`. A `label` of the same name moves with it.
    behind : bool
        Whether curves and points are drawn over it.
    """
    if (x is None) == (y is None):
        raise ValueError(f"a rule has one place, got x={x!r} and y={y!r}; give x or y")
    at, along = ("x", "y") if y is None else ("y", "x")
    place = x if y is None else y
    shape: Part = {
        "type": "line",
        f"{at}0": place,
        f"{at}1": place,
        f"{along}0": _plain(start),
        f"{along}1": _plain(end),
        "line": _stroke(style),
    }
    if isinstance(end, Share):
        shape[f"{along}ref"] = "paper"
    if drag:
        shape["name"] = drag
    if behind:
        shape["layer"] = "below"
    return Mark("rule", shapes=(shape,))


def box(
    x: tuple[float, float],
    y: tuple[float, float],
    role: str,
    *,
    opacity: float | None = None,
) -> Mark:
    """A rectangle, filled behind the curves or framed above them.

    Parameters
    ----------
    x, y : (float, float)
        Its ends.
    role : str
        Color role.
    opacity : float, optional
        Of the area; None draws the frame alone.
    """
    shape: Part = {"type": "rect", "x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1]}
    if opacity is None:
        shape["line"] = {"color": f"@{role}", "width": 2}
    else:
        shape |= {"layer": "below", "line": {"width": 0, "color": "@line"}}
        shape["fillcolor"] = f"@{role}" if opacity >= 0.995 else f"@{role}/{opacity:.2f}"
    return Mark("box", shapes=(shape,))


def label(
    x: float,
    y: float,
    text: str,
    role: str,
    *,
    ha: str = "center",
    va: str = "middle",
    dx: float = 0,
    dy: float = 0,
    size: float = 12,
    veil: float | None = 0.75,
    drag: str | None = None,
) -> Mark:
    """A text, such as a curve's name beside it in its color.

    Parameters
    ----------
    x, y : float
        Coordinates, or a `Share` of the chart.
    text : str
    role : str
        Color role.
    ha, va : str
        Which part of the text stands there: "left", "center" or "right", and "top", "middle" or
        "bottom".
    dx, dy : float
        Pixels to the right and upward.
    size : float
        Of the letters, in pixels.
    veil : float, optional
        Opacity of the paper behind the text, which keeps it legible; None for no paper.
    drag : str, optional
        Name of the draggable `rule` with which it moves.
    """
    note: Part = {
        "x": _plain(x),
        "y": _plain(y),
        "text": text,
        "showarrow": False,
        "font": {"size": size, "color": f"@{role}"},
        "xanchor": ha,
        "yanchor": va,
    }
    for name, value in (("x", x), ("y", y)):
        if isinstance(value, Share):
            note[f"{name}ref"] = "paper"
    if dx:
        note["xshift"] = dx
    if dy:
        note["yshift"] = dy
    if veil is not None:
        note["bgcolor"] = f"@paper/{veil}"
    if drag:
        note["name"] = drag
    return Mark("label", labels=(note,))


def _curve(
    style: Style,
    x: ArrayLike,
    y: ArrayLike,
    hover: str | None,
    values: Any = None,
    dots: float | None = None,
) -> Part:
    trace: Part = {
        "type": "scatter",
        "mode": "lines" if dots is None else "lines+markers",
        "name": style.name,
        "x": x,
        "y": y,
        "line": _stroke(style),
    }
    if dots is not None:
        trace["marker"] = {"size": dots, "color": f"@{style.role}"}
    return trace | _hover(style.name, hover, values)


def _points(name: str, x: Any, y: Any, marker: Part, hover: str | None, values: Any) -> Part:
    trace: Part = {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": x,
        "y": y,
        "cliponaxis": False,
        "marker": marker,
    }
    return trace | _hover(name, hover, values)


def _stepped(trace: Part) -> Part:
    return {**trace, "line": {**trace["line"], "shape": "hv"}}


def _filled(trace: Part, style: Style, opacity: float) -> Part:
    more = {"fill": "tozeroy", "fillcolor": f"@{style.role}/{opacity}"} if opacity else {}
    return {**trace, **more}


def _stroke(style: Style) -> Part:
    return {"color": f"@{style.role}", "width": style.width, "dash": style.dash}


def _plain(place: float) -> float:
    """A `Share` as the number that it is."""
    return float(place) if isinstance(place, Share) else place


def _hover(name: str, hover: str | None, values: Any) -> Part:
    if hover is None:
        return {}
    if not hover:
        return {"hoverinfo": "skip"}
    beside = name if hover.endswith("{name}") else ""
    words = hover.removesuffix("{name}").rstrip().replace("{value", "{customdata")
    template = re.sub(r"\{(?=x|y|customdata)", "%{", words)
    more = {} if values is None else {"customdata": values}
    return {**more, "hovertemplate": f"{template}<extra>{beside}</extra>"}
