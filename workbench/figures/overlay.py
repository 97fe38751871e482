"""`overlay`: the curves of the same chart of several audits in one chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import Mark, Style
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Axis, Figure, Part, Read

#: Color of each audit; further ones begin again.
ROLES = ("p", "q", "good", "fit", "bad", "ink")

#: Rows that the key may have.
_MOST_ROWS = 8


def can_overlay(figures: Sequence[Read]) -> bool:
    """Whether figures have curves over the same axes.

    Parameters
    ----------
    figures : sequence of dict
        As `overlay` takes.
    """
    axes = [_kinds(figure["layout"]) for figure in figures]
    return all(map(_curves, figures)) and all(one == axes[0] for one in axes)


def overlay(figures: Sequence[Read], names: Sequence[str]) -> Figure:
    """The curves of several figures in one chart, in one color per figure.

    Dashes tell the curves of one figure apart, as they did there. Curves that all figures share,
    such as that of no leak, are drawn once, in gray. Areas, rules and points are left out.

    Parameters
    ----------
    figures : sequence of dict
        In plotly's format with colors as roles, over the same axes.
    names : sequence of str
        Names of the figures.

    Returns
    -------
    dict
        A chart over the axes of the first, widened to what the others show.
    """
    curves = [_curves(figure) for figure in figures]
    shared = [one for one in curves[0] if all(_has(others, one) for others in curves[1:])]
    marks = [Mark("line", ({**one, "line": {**one["line"], "color": "@muted"}},)) for one in shared]
    styles = []
    for number, (name, own) in enumerate(zip(names, curves, strict=True)):
        role, called = ROLES[number % len(ROLES)], plain_name(name)
        styles.append(Style(called, role))
        for one in own:
            if not _has(shared, one):
                marks.append(Mark("line", (_painted(one, role, called),)))
    dashes = {plain_name(one.get("name", "")): one["line"] for own in curves for one in own}
    told = {"no leak", *(plain_name(one.get("name", "")) for one in shared)}
    styles += [
        Style(name, "muted", line.get("dash", "solid"))
        for name, line in dashes.items()
        if name not in told
    ]
    first = figures[0]["layout"]
    x, y = (_widened([figure["layout"][axis] for figure in figures]) for axis in ("xaxis", "yaxis"))
    return chart(
        [*marks, key(styles[:_MOST_ROWS])],
        x,
        y,
        summary=f"The same chart of {len(figures)} audits: {', '.join(map(plain_name, names))}.",
        revision=first.get("uirevision", "keep"),
        closest=first.get("hovermode") == "closest",
        margin=first["margin"],
        height=first.get("height"),
    )


def _curves(figure: Read) -> list[Part]:
    """The curves of a figure that have a name and at least two points."""
    return [
        dict(trace)
        for trace in figure["data"]
        if "lines" in str(trace.get("mode", ""))
        and trace.get("name")
        and isinstance(trace.get("line"), Mapping)
        and trace["line"].get("width", 2)
        and np.size(trace.get("x")) > 1
    ]


def _painted(curve: Part, role: str, name: str) -> Part:
    """A curve in another color, without the area below it."""
    rest = {one: value for one, value in curve.items() if one not in ("fill", "fillcolor")}
    if isinstance(rest.get("marker"), Mapping):
        rest["marker"] = {**rest["marker"], "color": f"@{role}"}
    return {
        **rest,
        "name": f"{name}: {plain_name(curve['name'])}",
        "line": {**curve["line"], "color": f"@{role}"},
    }


def _has(curves: Iterable[Part], one: Part) -> bool:
    return any(
        other["name"] == one["name"]
        and all(np.array_equal(_points(other[a]), _points(one[a]), equal_nan=True) for a in "xy")
        for other in curves
    )


def _points(values: Any) -> Any:
    return np.asarray([np.nan if one is None else one for one in values], dtype=float)


def _kinds(layout: Read) -> list[Any]:
    axes = (layout["xaxis"], layout["yaxis"])
    return [(one.get("type"), one.get("title", {}).get("text"), "range" in one) for one in axes]


def _widened(axes: Sequence[Axis]) -> Axis:
    """The first axis, from the lowest end to the highest."""
    ends = np.array([one["range"] for one in axes], dtype=float)
    if np.all(ends[:, 0] < ends[:, 1]):
        return {**axes[0], "range": [float(ends[:, 0].min()), float(ends[:, 1].max())]}
    return dict(axes[0])
