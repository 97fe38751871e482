"""Figures as SVG pictures, for where no widget lives: exports, readers, reopened notebooks.

The part of plotly's vocabulary that `workbench.figures` uses is drawn: lines and steps, fills,
markers with horizontal error bars, linear and logarithmic axes, lines and rectangles as shapes,
annotations. A test compares the two. No browser and no plotting library is needed; a picture takes
milliseconds and a few kilobytes.
"""

from __future__ import annotations

import base64
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench._markup import escape_html as escape
from workbench.figures.kit.axes import corners
from workbench.figures.kit.theme import LIGHT, paint
from workbench.figures.kit.types import Figure, Label, Part, Shape, Trace

#: Pixels; the height is that of a layout which names none.
WIDTH, HEIGHT = 520, 300

#: Labeled ticks on an axis, about.
TICKS = 6

#: Points closer than this many pixels to the last one drawn are left out.
CLOSE = 0.8

#: Keys that a picture leaves out, with all below them: those of a chart that reacts to people, and
#: styles of the house, which it takes from the palette.
LEFT_OUT = (
    *(f"data.{key}" for key in ("customdata", "hoverinfo", "hovertemplate", "name", "type")),
    *(f"data.error_x.{key}" for key in ("symmetric", "type", "width")),
    *(f"layout.{key}" for key in ("font", "hoverlabel", "hovermode", "showlegend", "uirevision")),
    *(f"layout.{key}" for key in ("meta.optional", "paper_bgcolor", "plot_bgcolor", "shapes.name")),
    *(f"layout.annotations.{key}" for key in ("align", "name", "showarrow")),
    *(
        f"layout.{axis}axis.{key}"
        for axis in "xy"
        for key in (
            *("exponentformat", "fixedrange", "gridcolor", "linecolor", "rangemode", "showline"),
            *("tickcolor", "tickfont", "ticklen", "tickmode", "ticks", "title.font"),
            *("title.standoff", "zeroline"),
        )
    ),
)

DASHES = {"dot": "2 2", "dash": "6 4", "dashdot": "6 3 2 3"}
#: Corners of markers, in units of half their size.
CORNERS = {
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    "triangle-up": ((0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
    "x": ((-0.9, -0.9), (0, 0), (0.9, -0.9), (0, 0), (0.9, 0.9), (0, 0), (-0.9, 0.9), (0, 0)),
    "line-ns": ((0, -1.4), (0, 1.4)),
}
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_HEIGHTS = {"top": 0.85, "middle": 0.35, "bottom": -0.25}  # from the anchor to the base line, in em


@dataclass(frozen=True)
class Axis:
    """An axis: converts data to pixels, and has the ticks.

    Attributes
    ----------
    given : dict
        The axis of a plotly layout.
    start, end : float
        Pixels of its ends.
    """

    given: Part
    start: float
    end: float

    @property
    def log(self) -> bool:
        """True if the range is in powers of ten."""
        return self.given.get("type") == "log"

    def __call__(self, values: Any) -> NDArray[np.float64]:
        """Pixels of data; NaN for data that have no logarithm."""
        values = np.asarray(values, dtype=float)
        if self.log:
            values = np.log10(np.where(values > 0, values, np.nan))
        return self.place(values)

    def place(self, values: Any) -> NDArray[np.float64]:
        """Pixels of values in the unit of the range, which on a logarithmic axis is the power."""
        low, high = self.given["range"]
        share = (np.asarray(values, dtype=float) - low) / (high - low)
        return np.asarray(self.start + share * (self.end - self.start))

    def share(self, values: Any) -> NDArray[np.float64]:
        """Pixels of fractions of the axis, which plotly calls "paper"."""
        return np.asarray(self.start + np.asarray(values, dtype=float) * (self.end - self.start))

    def ticks(self) -> list[tuple[float, str]]:
        """Pixels and texts of the labeled ticks."""
        if not (self.given.get("visible", True) and self.given.get("showticklabels", True)):
            return []
        if "tickvals" in self.given:
            values = np.asarray(self.given["tickvals"], dtype=float)
            texts = self.given.get("ticktext") or [self._text(value) for value in values.tolist()]
            return list(zip(self(values).tolist(), texts, strict=True))
        low, high = self.given["range"]
        step = self.given.get("dtick") or _nice((high - low) / self.given.get("nticks", TICKS))
        first = self.given.get("tick0", 0)
        count = np.arange(
            math.ceil((low - first) / step - 1e-9), math.floor((high - first) / step + 1e-9) + 1
        )
        values = first + step * count
        places = max(0, -math.floor(math.log10(step)))
        texts = [self._text(value, places) for value in values.tolist()]
        if self.log:
            texts = [f"10<sup>{text}</sup>" for text in texts]
        return list(zip(self.place(values).tolist(), texts, strict=True))

    def _text(self, value: float, places: int | None = None) -> str:
        """A value as the text of a tick; with ``places`` decimals, or as few as it needs."""
        plain = "g" if places is None else f".{places}f"
        return format(value + 0.0, self.given.get("tickformat", plain)).replace("-", "−")


def svg(figure: Figure, palette: dict[str, str] = LIGHT) -> str:
    """A figure as an ``<svg>`` element, with its summary as the accessible name.

    Parameters
    ----------
    figure : dict
        A plotly dict with colors as roles, as the functions of `workbench.figures` return.
    palette : dict
        Role -> color.
    """
    painted = paint(figure, palette)
    layout = painted["layout"]
    margin, height = layout["margin"], layout.get("height", HEIGHT)
    x = Axis(layout["xaxis"], margin["l"], WIDTH - margin["r"])
    y = Axis(layout["yaxis"], height - margin["b"], margin["t"])
    inside = f'x="{x.start}" y="{y.end}" width="{x.end - x.start}" height="{y.start - y.end}"'
    summary = escape(layout["meta"]["summary"])
    clipped, unclipped = _traces(painted["data"], x, y)
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img" aria-label="{summary}" '
            f'font-family="system-ui, sans-serif">',
            f'<rect width="100%" height="100%" fill="{palette["paper"]}"/>',
            f'<clipPath id="inside"><rect {inside}/></clipPath>',
            *_axes(x, y, palette),
            '<g clip-path="url(#inside)">',
            *(_shape(shape, x, y) for shape in layout["shapes"] if _below(shape)),
            *clipped,
            *(_shape(shape, x, y) for shape in layout["shapes"] if not _below(shape)),
            "</g>",
            *unclipped,
            *(_annotation(note, x, y, palette) for note in layout["annotations"]),
            "</svg>",
        ]
    )


def image(figure: Figure, width: int | None = None) -> str:
    """A figure as an ``<img>`` element, in which nothing can reach the document.

    Parameters
    ----------
    figure : dict
        As of `svg`.
    width : int, optional
        In pixels.
    """
    drawn = base64.b64encode(svg(figure).encode("utf-8", "replace")).decode("ascii")
    summary = escape(str(figure["layout"]["meta"]["summary"]))
    wide = "" if width is None else f' width="{width}"'
    return f'<img src="data:image/svg+xml;base64,{drawn}" alt="{summary}"{wide}>'


def _axes(x: Axis, y: Axis, palette: dict[str, str]) -> list[str]:
    grid = f'stroke="{palette["grid"]}"'
    muted = palette["muted"]
    parts = []
    across, along = (axis.given.get("showgrid", True) for axis in (x, y))
    for at, text in x.ticks():
        if across:
            parts.append(f'<path d="M{at:.1f} {y.start}V{y.end}" {grid}/>')
        parts.append(_turned(at, y.start + 16, text, x.given.get("tickangle", 0), muted, "middle"))
    for at, text in y.ticks():
        if along:
            parts.append(f'<path d="M{x.start} {at:.1f}H{x.end}" {grid}/>')
        parts.append(_turned(x.start - 6, at + 4, text, y.given.get("tickangle", 0), muted, "end"))
    parts.append(
        f'<path d="M{x.start} {y.end}V{y.start}H{x.end}" fill="none" stroke="{palette["line"]}"/>'
    )
    middle = (y.start + y.end) / 2
    parts.append(
        _text((x.start + x.end) / 2, y.start + 36, x.given["title"]["text"], 12, muted, "middle")
    )
    title = _text(14, middle, y.given["title"]["text"], 12, muted, "middle")
    parts.append(f'<g transform="rotate(-90 14 {middle})">{title}</g>')
    return parts


def _turned(x: float, y: float, text: str, angle: float, color: str, anchor: str) -> str:
    """The text of a tick, turned by degrees."""
    if not angle:
        return _text(x, y, text, 11, color, anchor)
    turned = _text(x, y, text, 11, color, "end" if angle < 0 else "start")
    return f'<g transform="rotate({angle:g} {x:.1f} {y:.1f})">{turned}</g>'


def _traces(traces: list[Trace], x: Axis, y: Axis) -> tuple[list[str], list[str]]:
    """Elements inside the axes, and those that may reach beyond them."""
    fills: list[str] = []
    inside: list[str] = []
    outside: list[str] = []
    before = np.empty((0, 2))
    for trace in traces:
        drawn = inside if trace.get("cliponaxis", True) else outside
        points = np.column_stack([x(trace["x"]), y(trace["y"])])
        line, marker = trace.get("line", {}), trace.get("marker", {})
        if line.get("shape") == "hv":
            points = corners(points)
        finite = points[np.isfinite(points).all(axis=1)]
        if trace.get("fill") == "tozeroy":
            base = float(y(0))
            around = np.vstack([[finite[0, 0], base], finite, [finite[-1, 0], base]])
            fills.append(f'<path d="{_path(around)}Z" fill="{trace["fillcolor"]}"/>')
        elif trace.get("fill") == "tonexty":
            around = np.vstack([finite, before[::-1]])
            fills.append(f'<path d="{_path(around)}Z" fill="{trace["fillcolor"]}"/>')
        if "lines" in trace["mode"]:
            drawn.append(f'<path d="{_path(points)}" fill="none" {_stroke(line)}/>')
        if "error_x" in trace:
            drawn += _error_bars(trace, x, points)
        if "markers" in trace["mode"]:
            sizes = np.broadcast_to(marker["size"], len(points))
            colors = marker["color"]
            colors = [colors] * len(points) if isinstance(colors, str) else colors
            outline = marker.get("line")
            symbols = np.broadcast_to(marker.get("symbol", "circle"), len(points))
            drawn += [
                _mark(px, py, size, symbol, color, outline)
                for (px, py), size, symbol, color in zip(
                    points, sizes, symbols.tolist(), colors, strict=True
                )
                if math.isfinite(px) and math.isfinite(py)
            ]
        before = finite
    return fills + inside, outside


def _mark(
    x: float, y: float, size: float, symbol: str, color: str, outline: dict[str, Any] | None
) -> str:
    """A marker with its outline; an open one is an outline in its color."""
    outline = outline or {}
    style = f'fill="{color}"' + (f" {_stroke(outline)}" if "color" in outline else "")
    if symbol.endswith("-open"):
        style = f'fill="none" {_stroke({"color": color, "width": outline.get("width", 1.5)})}'
    if (shape := symbol.removesuffix("-open")) == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size / 2:g}" {style}/>'
    corners = np.array([x, y]) + size / 2 * np.array(CORNERS[shape])
    return f'<path d="{_path(corners)}Z" {style}/>'


def _error_bars(trace: Trace, x: Axis, points: NDArray[np.float64]) -> list[str]:
    bars, at = trace["error_x"], np.asarray(trace["x"], dtype=float)
    low, high = x(at - np.asarray(bars["arrayminus"])), x(at + np.asarray(bars["array"]))
    stroke = _stroke({"color": bars["color"], "width": bars["thickness"]})
    return [
        f'<path d="M{left:.1f} {py:.1f}H{right:.1f}" {stroke}/>'
        for left, right, py in zip(low, high, points[:, 1], strict=True)
        if math.isfinite(left) and math.isfinite(right)
    ]


def _below(shape: Shape) -> bool:
    """True if a shape lies below the traces."""
    return bool(shape.get("layer") == "below")


def _shape(shape: Shape, x: Axis, y: Axis) -> str:
    ends = []
    for axis, name in ((x, "x"), (y, "y")):
        given, paper = [shape[f"{name}0"], shape[f"{name}1"]], shape.get(f"{name}ref") == "paper"
        if shape.get(f"{name}sizemode") == "pixel":
            sign = 1 if name == "x" else -1
            ends.append(axis.share(shape[f"{name}anchor"]) + sign * np.asarray(given))
        else:
            ends.append(axis.share(given) if paper else axis(given))
    (x0, x1), (y0, y1) = ends
    if shape["type"] == "rect":
        place = f'x="{min(x0, x1):.1f}" y="{min(y0, y1):.1f}"'
        size = f'width="{abs(x1 - x0):.1f}" height="{abs(y1 - y0):.1f}"'
        fill = shape.get("fillcolor", "none")
        return f'<rect {place} {size} fill="{fill}" {_stroke(shape["line"])}/>'
    return f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" {_stroke(shape["line"])}/>'


def _annotation(note: Label, x: Axis, y: Axis, palette: dict[str, str]) -> str:
    px = x.share(note["x"]) if note.get("xref") == "paper" else x.place(note["x"])
    py = y.share(note["y"]) if note.get("yref") == "paper" else y.place(note["y"])
    size = note["font"]["size"]
    return _text(
        float(px) + note.get("xshift", 0),
        float(py) - note.get("yshift", 0) + size * _HEIGHTS[note.get("yanchor", "middle")],
        note["text"],
        size,
        note["font"]["color"],
        _ANCHORS[note.get("xanchor", "center")],
        halo=palette["paper"] if note.get("bgcolor") else None,
    )


def _text(
    x: float, y: float, text: str, size: float, color: str, anchor: str, halo: str | None = None
) -> str:
    """A line of text; of plotly's markup only superscripts are kept."""
    plain = escape(re.sub(r"<(?!/?sup>)[^>]*>", "", text))
    rise = f'<tspan dy="{-0.4 * size:g}" font-size="{0.75 * size:g}">'
    written = plain.replace("&lt;sup&gt;", rise).replace("&lt;/sup&gt;", "</tspan>")
    veil = f' stroke="{halo}" stroke-width="3" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{color}" '
        f'text-anchor="{anchor}"{veil}>{written}</text>'
    )


def _stroke(line: dict[str, Any]) -> str:
    dash = DASHES.get(line.get("dash", "solid"))
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{line["color"]}" stroke-width="{line["width"]:g}"{dashed}'


def _path(points: NDArray[np.float64]) -> str:
    """SVG path through points, interrupted at those that are not finite."""
    parts: list[str] = []
    last, pen = (math.inf, math.inf), "M"
    for i, (px, py) in enumerate(points.tolist()):
        if not (math.isfinite(px) and math.isfinite(py)):
            pen = "M"
            continue
        near = abs(px - last[0]) + abs(py - last[1]) < CLOSE
        if pen == "L" and near and i + 1 < len(points):
            continue
        parts.append(f"{pen}{px:.1f} {py:.1f}")
        last, pen = (px, py), "L"
    return "".join(parts)


def _nice(step: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is at least ``step``."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= step * (1 - 1e-9))
