"""`overlaid`: the same chart of several results over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import Mark, Style
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Axis, Figure, Part, Read
from workbench.figures.paper.keys import entries, is_of_key

#: Dashes that tell curves of one color apart.
DASHES = ("solid", "dash", "dot", "dashdot")

#: Rows of a key that fit into the corner of a chart.
MOST_ROWS = 3


def overlaid(figures: Sequence[Read], names: Sequence[str]) -> Figure:
    """Several figures over the same axes as one, in which no two curves look the same.

    Parameters
    ----------
    figures : sequence of dict
        With keys, as `workbench.figures.results.charts.figure_of` returns them.
    names : sequence of str
        Of the results, where they have one: they tell curves of the same name apart.

    Returns
    -------
    dict
        The curves as they were, with another dash where their look is taken; of the first figure
        also areas, rules and labels. The axes are widened to what all show.

    Raises
    ------
    ValueError
        Figures over other axes.
    """
    first = figures[0]["layout"]
    for other in figures[1:]:
        if _kinds(other["layout"]) != _kinds(first):
            raise ValueError(
                f"the other result has a chart over {_named(other['layout'])}, and this one over "
                f"{_named(first)}; give a kind that both have"
            )
    shown: dict[tuple[str, str], str] = {}  # color and dash -> name
    marks: list[Mark] = []
    styles: list[Style] = []
    for number, (figure, name) in enumerate(zip(figures, names, strict=True)):
        renamed: dict[str, Style] = {}
        for row in entries(figure["layout"]):
            style = _free(row.name, row.stroke, shown, name or f"{number + 1}")
            renamed[row.name] = style
            styles.append(style)
        for trace in figure["data"]:
            marks.append(Mark("line", (_restyled(trace, renamed.get(trace["name"]), number),)))
    layouts = [figure["layout"] for figure in figures]
    x, y = (_widened([one[axis] for one in layouts]) for axis in ("xaxis", "yaxis"))
    kept = [part for part in first["shapes"] if not is_of_key(part)]
    notes = [part for part in first["annotations"] if not is_of_key(part)]
    low = any(row.low for row in entries(first))
    made = chart(
        [*marks, key(styles, columns=1 if len(styles) <= MOST_ROWS else 2, low=low)],
        x,
        y,
        summary=" ".join(one["meta"]["summary"] for one in layouts),
        revision=first.get("uirevision", "keep"),
        closest=first.get("hovermode") == "closest",
        margin=first["margin"],
        height=first.get("height"),
    )
    made["layout"]["shapes"] = [*kept, *made["layout"]["shapes"]]
    made["layout"]["annotations"] = [*notes, *made["layout"]["annotations"]]
    return made


def _free(name: str, stroke: Read, shown: dict[tuple[str, str], str], owner: str) -> Style:
    """A style with a look and a name that are not taken yet."""
    color = stroke["color"]
    free = [dash for dash in (stroke["dash"], *DASHES) if (color, dash) not in shown]
    dash = free[0] if free else stroke["dash"]
    if name in shown.values():
        name = f"{name}, {plain_name(owner)}"
    shown[color, dash] = name
    return Style(name, color.removeprefix("@"), dash, stroke["width"])


def _restyled(trace: Part, style: Style | None, number: int) -> Part:
    """A trace in the style of its row of the key; of later figures without the area below."""
    made = dict(trace)
    if number:
        made = {one: value for one, value in made.items() if one not in ("fill", "fillcolor")}
    if style is not None:
        made["name"] = style.name
        if "line" in made:
            made["line"] = {**made["line"], "dash": style.dash}
    return made


def _kinds(layout: Read) -> list[Any]:
    return [
        (layout[axis].get("type"), layout[axis]["title"]["text"]) for axis in ("xaxis", "yaxis")
    ]


def _named(layout: Read) -> str:
    x, y = (layout[axis]["title"]["text"] for axis in ("xaxis", "yaxis"))
    return f"{x!r} and {y!r}"


def _widened(axes: Sequence[Axis]) -> Axis:
    """The first axis, from the lowest end to the highest."""
    ranges = [one["range"] for one in axes if "range" in one]
    if not ranges:
        return dict(axes[0])
    low, high = min(one[0] for one in ranges), max(one[1] for one in ranges)
    return {**axes[0], "range": [low, high]}
