"""Figures of the workbench as `plotly.graph_objects.Figure`, for programs that know plotly.

`plotly_figure` paints the color roles of a figure, and gives it what the pages draw around their
charts: a title, plotly's own legend in place of the key, and a ground. `from_plotly` finds the
roles again, also after ``update_layout``, so that matplotlib can draw the figure for print.
`PlotlyFigures` are the charts of a page by name, each drawn when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, get_args

from workbench import _checks
from workbench._names import did_you_mean
from workbench.figures.kit.layout import PARTS
from workbench.figures.kit.legend import CHARACTER, SAMPLE
from workbench.figures.kit.theme import DARK, FONT, LIGHT, paint
from workbench.figures.kit.types import Figure, Label, Layout, Part, Read, Shape, Trace
from workbench.figures.paper.keys import KeyEntry, entries, is_of_key
from workbench.figures.paper.look import PRINT
from workbench.software.extras import require

if TYPE_CHECKING:
    import plotly.graph_objects as go

Theme = Literal["light", "dark", "print"]
THEMES: tuple[str, ...] = get_args(Theme)

PALETTES = {"light": LIGHT, "dark": DARK, "print": PRINT}

#: Colors of curves that somebody adds, in their order.
COLORWAY = ("p", "q", "good", "fit", "bad", "ink")

#: Pixels: height of a title, of a row of the legend, gap beside the axes, and the width for which
#: rows of a legend above the chart are counted.
TITLE, ROW, GAP, WIDTH = 36, 21, 8, 520

#: Height of a chart with rows, relative to that on a page.
TALLER = 1.2

#: Characters in a line of a long label.
LINE_OF_LABEL = 60

#: Where this module keeps its own in ``layout.meta``, and how it marks samples of the legend.
OWN, SAMPLE_OF_KEY = "workbench", "key"

#: A color that `paint` made of a role with an opacity.
_RGBA = re.compile(r"^rgba\((\d+), ?(\d+), ?(\d+), ?([\d.]+)\)$")


def plotly_figure(figure: Read, theme: Theme = "light", title: str = "") -> go.Figure:
    """A figure as plotly's, with colors in place of roles, a title and a legend.

    Parameters
    ----------
    figure : dict
        In plotly's format with colors as roles, as the functions of `workbench.figures` return and
        an audit keeps them. Its numbers are shown as they are.
    theme : {"light", "dark", "print"}
        Its colors: for light pages, for dark ones, or those of `save_figure`.
    title : str
        Above the chart.

    Returns
    -------
    plotly.graph_objects.Figure
        Validated by plotly. ``layout.meta["summary"]`` describes it in a sentence.

    Raises
    ------
    MissingPackage
        Plotly is not installed.
    ValueError
        Another theme, or something that is no figure of the workbench.

    Examples
    --------
    >>> audit = wb.audit(wb.Counts(tp=40, fp=12, tn=48, fn=20))
    >>> first = audit.figures[0]
    >>> wb.plotly_figure(first.figure, title=first.title).layout.title.text
    'ε by every interval'
    """
    if not _is_figure(figure):
        raise ValueError(
            "a figure of the workbench is a dict with data and layout, such as those of an audit; "
            f"got {_checks.shown(figure)}"
        )
    _checks.instance(title, str, "title", "a text")
    palette = PALETTES[_checks.one_of(theme, "theme", THEMES)]
    require("plotly", "figures for plotly need")
    import plotly.graph_objects as go

    painted = paint(figure, palette)
    layout: Layout = painted["layout"]
    rows = entries(layout)
    own = {"theme": theme, "key": _key_of(layout), "height": layout.get("height")}
    layout["meta"] = {**layout["meta"], OWN: own}
    layout["shapes"] = [one for one in layout["shapes"] if not is_of_key(one)]
    layout["annotations"] = [_wrapped(one) for one in layout["annotations"] if not is_of_key(one)]
    layout |= {
        "template": {},
        "colorway": [palette[role] for role in COLORWAY],
        "paper_bgcolor": palette["paper"],
        "plot_bgcolor": palette["paper"],
        "margin": {**layout["margin"], "r": 24, "t": layout["margin"]["t"] + GAP},
    }
    for name in ("xaxis", "yaxis"):
        layout[name] = {**layout[name], "automargin": True}
    room = 0
    if title:
        room += TITLE
        layout["title"] = _title(title, palette)
    traces: list[Trace] = painted["data"]
    if rows:
        above, legend = _legend(rows, palette)
        layout |= {"showlegend": True, "legend": legend}
        traces = _with_samples(traces, rows)
        room += above
    layout["margin"]["t"] += room
    if "height" in layout:  # of rows, which need room for their labels
        layout["height"] = round(TALLER * layout["height"]) + room + GAP
    return go.Figure(data=traces, layout=layout)


def from_plotly(figure: go.Figure) -> Figure:
    """A figure of `plotly_figure`, as it is now, as a dict with colors as roles again.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        A figure that the workbench did not make, or one with traces other than curves and points.
    """
    layout = figure.layout.to_plotly_json()
    meta = layout.get("meta")
    if not isinstance(meta, Mapping) or OWN not in meta:
        raise ValueError(
            "this figure of plotly is not one of the workbench's, such as one of view.figures; "
            "write it by its own method write_image"
        )
    palette = PALETTES[meta[OWN]["theme"]]
    roles = {color: role for role, color in reversed(palette.items())}
    traces = [trace.to_plotly_json() for trace in figure.data if trace.meta != SAMPLE_OF_KEY]
    drawn = [_drawable(trace, i, palette) for i, trace in enumerate(traces)]
    plain: Figure = _with_roles({"data": drawn, "layout": {**layout, "meta": {}}}, roles)
    kept: Layout = plain["layout"]
    key: Part = _with_roles(meta[OWN]["key"], roles)
    kept["shapes"] = [*map(_drawable_shape, kept.get("shapes", ())), *key["shapes"]]
    kept["annotations"] = [*map(_drawable_label, kept.get("annotations", ())), *key["annotations"]]
    kept["meta"] = {name: value for name, value in meta.items() if name != OWN}
    for name in ("xaxis", "yaxis"):
        kept[name].setdefault("title", {}).setdefault("text", "")
    if meta[OWN]["height"] is not None:
        kept["height"] = meta[OWN]["height"]
    return {"data": plain["data"], "layout": {one: kept[one] for one in _KEPT if one in kept}}


class PlotlyFigures(Mapping[str, Any]):
    """The charts of a page by name, as `plotly.graph_objects.Figure`.

    A chart is drawn, in the present state of the page, when it is asked for.

    Parameters
    ----------
    charts : mapping of str to (str, callable)
        Name -> title, and what makes the figure.
    theme : {"light", "dark", "print"}

    Examples
    --------
    >>> figures = wb.explore(wb.example("gaussian")).figures
    >>> "tradeoff" in figures
    True
    >>> figures.theme("dark")["tradeoff"].layout.title.text
    'Trade-off curve'
    """

    def __init__(
        self, charts: Mapping[str, tuple[str, Callable[[], Figure]]], theme: Theme = "light"
    ):
        self._charts = dict(charts)
        self._theme: Theme = theme

    def theme(self, theme: Theme) -> PlotlyFigures:
        """The same charts in other colors.

        Parameters
        ----------
        theme : {"light", "dark", "print"}
            Its colors: for light pages, for dark ones, or those of `save_figure`.
        """
        _checks.one_of(theme, "theme", THEMES)
        return PlotlyFigures(self._charts, theme)

    def __getitem__(self, name: str) -> go.Figure:
        """The chart of this name.

        Raises
        ------
        KeyError
            There is none of this name; the message names those like it.
        MissingPackage
            Plotly is not installed.
        """
        if name not in self._charts:
            hint = did_you_mean(name, self._charts) or f"; there are {', '.join(self._charts)}"
            raise KeyError(f"no chart {name!r}{hint}")
        require("plotly", "view.figures needs")
        title, draw = self._charts[name]
        return plotly_figure(draw(), self._theme, title)

    def __iter__(self) -> Iterator[str]:
        return iter(self._charts)

    def __len__(self) -> int:
        return len(self._charts)

    def __contains__(self, name: object) -> bool:
        return name in self._charts  # Mapping would draw it

    def __repr__(self) -> str:
        return f"PlotlyFigures({', '.join(self._charts)})"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._charts)


def _is_figure(figure: Any) -> bool:
    """Whether something is what `workbench.figures.kit.layout.chart` makes."""
    if not isinstance(figure, Mapping) or not {"data", "layout"} <= figure.keys():
        return False
    layout = figure["layout"]
    return isinstance(layout, Mapping) and {*PARTS, "meta"} <= layout.keys()


# -- the legend ----------------------------------------------------------------------------------


def _key_of(layout: Read) -> dict[str, list[Part]]:
    """The shapes and the annotations of a key."""
    return {part: [one for one in layout[part] if is_of_key(one)] for part in PARTS[-2:]}


def _legend(rows: list[KeyEntry], palette: Read) -> tuple[int, Part]:
    """The height that a legend takes above the chart, and the legend in place of a key.

    It stands in the corner that the chart leaves free for its key, or above the chart where the
    key has several columns, since plotly's legend has one.
    """
    look: Part = {
        "font": {"family": FONT, "size": 12, "color": palette["ink"]},
        "bgcolor": paint("@paper/.75", dict(palette)),
        "borderwidth": 0,
        "traceorder": "normal",
        "tracegroupgap": 0,
    }
    if len({row.left for row in rows}) == 1:
        low = rows[0].low
        corner = {"x": 1, "xanchor": "right", "y": int(not low)}
        return 0, look | corner | {"yanchor": "bottom" if low else "top"}
    widths = [SAMPLE + 2 * GAP + 10 + CHARACTER * len(row.name) for row in rows]
    per_row = max(1, int(WIDTH // max(widths)))
    above = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"}
    return ROW * -(-len(rows) // per_row), look | above


def _with_samples(traces: list[Trace], rows: list[KeyEntry]) -> list[Trace]:
    """The traces, of which those that a key names are in the legend, and samples of the others."""
    shown = [{**trace, "showlegend": False} for trace in traces]
    samples: list[Trace] = []
    for rank, row in enumerate(rows):
        named = [trace for trace in shown if trace["name"] == row.name]
        for trace in named:
            trace["legendgroup"] = row.name
        own: Trace | None = next((one for one in named if _looks_like(one, row)), None)
        if own is None:
            own = {
                "type": "scatter",
                "mode": "lines",
                "name": row.name,
                "x": [None],
                "y": [None],
                "line": row.stroke,
                "hoverinfo": "skip",
                "meta": SAMPLE_OF_KEY,
                **({"legendgroup": row.name} if named else {}),
            }
            samples.append(own)
        own |= {"showlegend": True, "legendrank": 1 + rank}
    return [*shown, *samples]


def _looks_like(trace: Trace, row: KeyEntry) -> bool:
    """Whether a trace in the legend looks as its row of the key does."""
    line = trace.get("line")
    if line is None:  # points
        return bool(trace["marker"]["color"] == row.stroke["color"])
    return all(line.get(name) == row.stroke[name] for name in ("color", "dash", "width"))


def _wrapped(note: Label) -> Label:
    """A label whose long text has several lines."""
    if len(note["text"]) <= LINE_OF_LABEL or "<" in note["text"]:
        return note
    return {**note, "text": "<br>".join(wrap(note["text"], LINE_OF_LABEL))}


def _title(text: str, palette: Read) -> Part:
    return {
        "text": text.replace("<", "‹").replace(">", "›"),
        "font": {"family": FONT, "size": 15, "color": palette["ink"]},
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 12},
    }


# -- back to roles -------------------------------------------------------------------------------

#: What print takes of a layout.
_KEPT = (*PARTS, "hovermode", "height", "meta", "uirevision")

#: Looks of what somebody added without saying them.
_LINE: Part = {"color": "@ink", "width": 2, "dash": "solid"}


def _with_roles(part: Any, roles: Mapping[str, str]) -> Any:
    """A part of a figure with the roles of its colors."""
    if isinstance(part, dict):
        return {key: _with_roles(value, roles) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_with_roles(value, roles) for value in part]
    if not isinstance(part, str):
        return part
    if found := _RGBA.match(part):
        solid = "#" + "".join(f"{int(found[i]):02X}" for i in (1, 2, 3))
        opacity = float(found[4])
        return f"@{roles[solid]}/{opacity:g}" if solid in roles and opacity < 1 else part
    return f"@{roles[part]}" if part in roles else part


def _drawable(trace: Trace, index: int, palette: Read) -> Trace:
    """A trace with the properties that print needs, also of one that somebody added."""
    if trace.get("type", "scatter") != "scatter":
        raise ValueError(
            f"figures for papers have curves and points, and this one has a trace of type "
            f"{trace['type']!r}; write it by its own method write_image"
        )
    mode = trace.get("mode") or "lines"
    color = palette[COLORWAY[index % len(COLORWAY)]]
    made = {"name": "", **trace, "mode": mode.replace("+text", "").replace("text", "markers")}
    if "lines" in mode or "line" in trace:
        made["line"] = {**_LINE, "color": color} | trace.get("line", {})
    if "markers" in made["mode"]:
        marker = {"size": 6, "color": made.get("line", {}).get("color", color)}
        made["marker"] = marker | trace.get("marker", {})
    return made


def _drawable_shape(shape: Shape) -> Shape:
    made = {**shape, "line": {**_LINE, **shape.get("line", {})}}
    return made | {one: "paper" for one in ("xref", "yref") if "domain" in str(made.get(one))}


def _drawable_label(note: Label) -> Label:
    text = str(note.get("text", "")).replace("<br>", " ")
    made = {**note, "text": text, "font": {"size": 12, "color": "@ink"} | note.get("font", {})}
    return made | {one: "paper" for one in ("xref", "yref") if "domain" in str(made.get(one))}
