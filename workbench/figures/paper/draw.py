"""Figures on matplotlib's axes: curves, areas, points, rules, labels, axes.

The part of plotly's vocabulary that `workbench.figures.kit` uses is drawn; a test compares the
curves with those of the screen.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.figures.kit.axes import corners
from workbench.figures.kit.theme import paint
from workbench.figures.kit.types import Axis, Read, Trace
from workbench.figures.paper.keys import entries, is_of_key, put_key
from workbench.figures.paper.labels import make_room, settle
from workbench.figures.paper.look import DASHES, PER_PIXEL, PRINT, dashes, kind_of, of_letters, rgba
from workbench.figures.paper.texts import written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Symbol on the screen -> that of matplotlib, and its size relative to a circle's.
SYMBOLS = {
    "circle": ("o", 1.0),
    "square": ("s", 0.9),
    "diamond": ("D", 0.9),
    "triangle-up": ("^", 1.1),
    "x": ("x", 0.8),
    "line-ns": ("|", 1.4),
}

#: Order of drawing, from below.
GRID, BEHIND, AREA, CURVE, SHAPE, POINT, TEXT = 0.2, 0.5, 1, 2, 3, 4, 5

#: Widths of lines and diameters of points, relative to the letters, are smaller in print.
LINE, DOT = 0.85, 0.85

#: Between a label and its place, in heights of letters.
GAP = 0.12

#: Ticks that are chosen here, at most.
TICKS = 6

#: Share of an axis by which a label may stand beyond its end; others belong to another zoom.
BEYOND = 0.02


def draw(figure: Read, ax: Axes) -> Axes:
    """Draw a figure of the workbench on matplotlib's axes.

    Parameters
    ----------
    figure : dict
        In plotly's format with colors as roles, as the functions of `workbench.figures` return.
    ax : matplotlib.axes.Axes
        Letters, lines and points have the scale of matplotlib's setting ``font.size``.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.
    """
    place(figure, ax)
    settle(ax)
    return ax


def place(figure: Read, ax: Axes) -> None:
    """Draw a figure, with labels where the screen has them.

    Parameters
    ----------
    figure, ax
        As of `draw`; the axes may still change their size.
    """
    import matplotlib as mpl

    painted = paint(figure, PRINT)
    pen = _Pen(ax, painted, float(mpl.rcParams["font.size"]))
    pen.axes()
    pen.traces()
    pen.shapes()
    pen.labels()
    put_key(ax, entries(painted["layout"]), pen.line_style, pen.size)
    make_room(ax)


class _Pen:
    """Draws the parts of one figure on one pair of axes."""

    def __init__(self, ax: Axes, painted: dict[str, Any], size: float):
        self.ax, self.size = ax, size
        self.unit = size * PER_PIXEL
        self.data, self.layout = painted["data"], painted["layout"]
        # A sample in the key may stand for curves of several colors: it keeps its dash.
        self.dash = dashes(
            t["line"] for t in self.data if "lines" in t["mode"] and t["line"]["width"]
        )

    def line_style(self, stroke: Read) -> dict[str, Any]:
        """A stroke as arguments of matplotlib's lines."""
        own: str = stroke.get("dash", "solid")
        dash = DASHES[self.dash.get(kind_of(stroke), own)]
        return {
            "color": rgba(stroke["color"]),
            "linewidth": stroke["width"] * self.unit * LINE,
            "linestyle": (0, dash) if dash else "solid",
            "dash_capstyle": "butt",
            "solid_joinstyle": "round" if not dash else "miter",
        }

    # -- axes -------------------------------------------------------------------------------------

    def axes(self) -> None:
        ax, layout = self.ax, self.layout
        for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
            given = layout[f"{name}axis"]
            low, high = given.get("range", (0, 1))
            if given.get("type") == "log":
                getattr(ax, f"set_{name}scale")("log", nonpositive="mask")
                low, high = 10.0**low, 10.0**high
            getattr(ax, f"set_{name}lim")(low, high)
            axis.label.set(text=written(given["title"]["text"]), fontsize=self.size)
            axis.labelpad = 0.3 * self.size
            axis.label.set_color(rgba(PRINT["ink"]))
            self._ticks(axis, given)
        ax.set_facecolor("none")
        for side, name in (("left", "y"), ("bottom", "x"), ("right", ""), ("top", "")):
            shown = bool(name) and layout[f"{name}axis"].get("showline", True)
            ax.spines[side].set_visible(shown)
            ax.spines[side].set(linewidth=0.07 * self.size, color=rgba(PRINT["line"]))
        if not all(layout[f"{name}axis"].get("visible", True) for name in "xy"):
            ax.set_axis_off()

    def _ticks(self, axis: Any, given: Axis) -> None:
        from matplotlib import ticker

        minor = ticker.NullLocator()
        if not given.get("showticklabels", True):
            axis.set_major_locator(ticker.NullLocator())
        elif "tickvals" in given:
            places = np.asarray(given["tickvals"], dtype=float)
            texts = given.get("ticktext") or [_number(v, given) for v in places.tolist()]
            axis.set_ticks(places, labels=[written(text) for text in texts])
        elif given.get("type") == "log":
            axis.set_major_locator(ticker.LogLocator(numticks=given.get("nticks", TICKS)))
            axis.set_major_formatter(ticker.LogFormatterMathtext())
        else:
            step = given.get("dtick")
            most = given.get("nticks", TICKS)
            axis.set_major_locator(
                ticker.MultipleLocator(step, given.get("tick0", 0))
                if step
                else ticker.MaxNLocator(most, steps=[1, 2, 5, 10])
            )
            axis.set_major_formatter(
                ticker.FuncFormatter(lambda value, _: _number(value, given))
                if "tickformat" in given
                else ticker.ScalarFormatter(useMathText=True)
            )
        axis.set_minor_locator(minor)
        line = {"length": 0.3 * self.size, "width": 0.07 * self.size}
        axis.set_tick_params(
            which="major",
            direction="out",
            color=rgba(PRINT["line"]),
            labelcolor=rgba(PRINT["ink"]),
            labelsize=0.92 * self.size,
            pad=0.25 * self.size,
            **line,
        )
        if angle := given.get("tickangle"):
            for label in axis.get_ticklabels():
                label.set(rotation=-angle, rotation_mode="anchor", ha="right")
        if given.get("showgrid", True) and given.get("showticklabels", True):
            axis.grid(color=rgba(PRINT["grid"]), linewidth=0.06 * self.size, linestyle="solid")
        else:
            axis.grid(False)
        self.ax.set_axisbelow(True)

    # -- traces -----------------------------------------------------------------------------------

    def traces(self) -> None:
        before: NDArray[np.float64] = np.empty((0, 2))
        for trace in self.data:
            points = np.column_stack([_floats(trace["x"]), _floats(trace["y"])])
            stepped = trace.get("line", {}).get("shape") == "hv"
            outline = corners(points) if stepped else points
            outline = outline[np.isfinite(outline).all(axis=1)]
            if trace.get("fill") == "tozeroy" and len(outline):
                ends = [[outline[0, 0], 0.0]], [[outline[-1, 0], 0.0]]
                self._area(np.vstack([ends[0], outline, ends[1]]), trace["fillcolor"])
            elif trace.get("fill") == "tonexty":
                self._area(np.vstack([outline, before[::-1]]), trace["fillcolor"])
            if "lines" in trace["mode"] and trace["line"]["width"]:
                self.ax.plot(
                    points[:, 0],
                    points[:, 1],
                    drawstyle="steps-post" if stepped else "default",
                    label=_named(trace),
                    zorder=CURVE,
                    clip_on=trace.get("cliponaxis", True),
                    **self.line_style(trace["line"]),
                )
            if "error_x" in trace:
                self._error_bars(trace, points)
            if "markers" in trace["mode"]:
                self._points(trace, points)
            before = outline

    def _area(self, around: NDArray[np.float64], color: str) -> None:
        (area,) = self.ax.fill(around[:, 0], around[:, 1], facecolor=rgba(color), zorder=AREA)
        area.set(linewidth=0, edgecolor="none", label="_area")

    def _error_bars(self, trace: Trace, points: NDArray[np.float64]) -> None:
        bars = trace["error_x"]
        self.ax.hlines(
            points[:, 1],
            points[:, 0] - _floats(bars["arrayminus"]),
            points[:, 0] + _floats(bars["array"]),
            colors=[rgba(bars["color"])],
            linewidth=bars["thickness"] * self.unit,
            zorder=CURVE,
        )

    def _points(self, trace: Trace, points: NDArray[np.float64]) -> None:
        marker, count = trace["marker"], len(points)
        given = marker["color"]
        colors = [rgba(c) for c in ([given] * count if isinstance(given, str) else given)]
        if not any(color[3] for color in colors):
            return  # they only catch the pointer
        sizes = np.broadcast_to(np.asarray(marker["size"], dtype=float), count)
        symbols = np.broadcast_to(np.asarray(marker.get("symbol", "circle")), count)
        outline = marker.get("line", {})
        whole = not trace.get("cliponaxis", True)
        shown = self._inside(points) if whole else np.isfinite(points).all(axis=1)
        for symbol in dict.fromkeys(symbols.tolist()):
            own = np.flatnonzero((symbols == symbol) & shown)
            shape, scale = SYMBOLS[symbol.removesuffix("-open")]
            style: dict[str, Any] = {}
            if shape in "x|":
                style = {"color": [colors[i] for i in own]}
                style["linewidths"] = max(outline.get("width", 2), 1.5) * self.unit
            elif symbol.endswith("-open"):
                style = {"facecolors": "none", "edgecolors": [colors[i] for i in own]}
                style["linewidths"] = outline.get("width", 1.5) * self.unit
            else:
                style = {"facecolors": [colors[i] for i in own], "linewidths": 0}
                if "color" in outline:
                    style["edgecolors"] = [rgba(outline["color"])]
                    style["linewidths"] = outline["width"] * self.unit * 0.6
            self.ax.scatter(
                points[own, 0],
                points[own, 1],
                s=(sizes[own] * scale * self.unit * DOT) ** 2,
                marker=shape,
                label=_named(trace),
                clip_on=not whole,
                zorder=POINT if whole else CURVE,
                **style,
            )

    def _inside(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether points lie on the chart, or a round-off beside it."""
        inside = np.asarray(np.isfinite(points).all(axis=1))
        for column, name in enumerate("xy"):
            low, high = sorted(self.layout[f"{name}axis"].get("range", (0, 1)))
            values = points[:, column]
            if self._is_log(name):
                values = np.log10(np.where(values > 0, values, np.nan))
            slack = 1e-6 * (high - low)
            inside &= (values >= low - slack) & (values <= high + slack)
        return inside

    def _is_log(self, name: str) -> bool:
        return bool(self.layout[f"{name}axis"].get("type") == "log")

    # -- shapes and labels ------------------------------------------------------------------------

    def shapes(self) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Rectangle
        from matplotlib.transforms import blended_transform_factory

        ax = self.ax
        for shape in self.layout["shapes"]:
            if is_of_key(shape):
                continue
            place = blended_transform_factory(
                *(ax.transAxes if shape.get(f"{n}ref") == "paper" else ax.transData for n in "xy")
            )
            x, y = ([shape[f"{n}0"], shape[f"{n}1"]] for n in "xy")
            order = BEHIND if shape.get("layer") == "below" else SHAPE
            stroke = shape["line"]
            if shape["type"] == "line":
                made: Any = Line2D(x, y, transform=place, **self.line_style(stroke))
            else:
                fill = shape.get("fillcolor")
                made = Rectangle(
                    (x[0], y[0]),
                    x[1] - x[0],
                    y[1] - y[0],
                    transform=place,
                    facecolor=rgba(fill) if fill else "none",
                    edgecolor=rgba(stroke["color"]) if stroke["width"] else "none",
                    linewidth=stroke["width"] * self.unit,
                )
            made.set(zorder=order, label="_shape")
            ax.add_artist(made)
            made.set_clip_path(ax.patch)
            made.set_in_layout(False)

    def labels(self) -> None:
        for note in self.layout["annotations"]:
            if is_of_key(note):
                continue
            place, units = [], []
            for name in "xy":
                if note.get(f"{name}ref") == "paper":
                    place.append(note[name])
                    units.append("axes fraction")
                    continue
                low, high = sorted(self.layout[f"{name}axis"].get("range", (0, 1)))
                slack = BEYOND * (high - low)
                if not low - slack <= note[name] <= high + slack:
                    break
                at = min(max(note[name], low), high)
                place.append(10.0**at if self._is_log(name) else at)
                units.append("data")
            if len(place) < 2:
                continue
            anchor = note.get("yanchor", "middle")
            up = note.get("yshift", 0) * self.unit
            if not up:  # a serif's letters fill their line
                up = {"top": -GAP, "bottom": GAP}.get(anchor, 0) * self.size
            made = self.ax.annotate(
                written(note["text"]),
                (place[0], place[1]),
                xycoords=(units[0], units[1]),
                xytext=(note.get("xshift", 0) * self.unit, up),
                textcoords="offset points",
                ha=note.get("xanchor", "center"),
                va={"middle": "center"}.get(anchor, anchor),
                fontsize=max(note["font"]["size"] * self.unit, 0.85 * self.size),
                color=of_letters(note["font"]["color"]),
                annotation_clip=False,
                zorder=TEXT,
            )
            made.set_in_layout(False)
            if veil := note.get("bgcolor"):
                made.set_bbox({"facecolor": rgba(veil), "edgecolor": "none", "pad": 0})


def _named(trace: Trace) -> str:
    return trace["name"] or "_curve"


def _floats(values: Any) -> NDArray[np.float64]:
    return np.asarray(values, dtype=float)


def _number(value: float, given: Axis) -> str:
    """A value as the text of a tick."""
    if math.isclose(value, 0, abs_tol=1e-12):
        value = 0.0
    return format(value, given.get("tickformat", "g")).replace("-", "−")
