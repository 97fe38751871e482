"""Figures as files for papers: SVG, PDF and PNG of a column's width."""

from __future__ import annotations

import io
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench import _checks
from workbench.figures.kit.types import Read
from workbench.figures.paper.draw import place
from workbench.figures.paper.keys import move_below
from workbench.figures.paper.labels import settle, wrap
from workbench.figures.paper.look import FONTS, PER_PIXEL, SIZE, settings
from workbench.figures.plotly_figures import from_plotly
from workbench.figures.results.charts import figure_of
from workbench.software.extras import require

#: Kinds of files.
KINDS = ("svg", "pdf", "png")

#: Inches: a column of a two-column paper; the narrowest and the widest figure.
WIDTH, NARROW, WIDE = 3.3, 2.0, 20.0

#: Height of a chart of that width, in inches, and how much it grows with the width.
HEIGHT, GROWTH = 2.25, 0.7

#: Length of a title in one line, as a share of the page's width or height.
ALONG = 0.82

#: Of PNG files.
DOTS_PER_INCH = 600

#: Matplotlib's settings and its cache of fonts belong to the process.
_LOCK = threading.Lock()


def figure_bytes(
    figure: Read,
    kind: str,
    title: str = "",
    width: float = WIDTH,
    family: str = "serif",
) -> bytes:
    """A figure as a file for a paper, in letters of 8 points.

    Parameters
    ----------
    figure : dict
        In plotly's format with colors as roles, as the functions of `workbench.figures` return.
    kind : {"svg", "pdf", "png"}
        PDF has its fonts embedded as TrueType, SVG has its letters as outlines, and PNG has 600
        dots per inch.
    title : str
        Above the chart; none by default, since a paper has captions.
    width : float
        In inches.
    family : {"serif", "sans"}

    Returns
    -------
    bytes
        The same for the same figure.

    Raises
    ------
    MissingPackage
        Matplotlib is not installed.
    ValueError
        Another kind or family; a width below 2 or above 20 inches.
    """
    _checks.one_of(kind, "kind", KINDS)
    _checks.instance(title, str, "title", "a text")
    _checks.one_of(family, "family", FONTS)
    if not isinstance(figure, Mapping) or not {"data", "layout"} <= figure.keys():
        raise ValueError(
            f"a figure is a dict with data and layout, such as one of view.figures; got "
            f"{_checks.shown(figure)}"
        )
    width = _checks.number(width, "width")
    if not NARROW <= width <= WIDE:
        raise ValueError(
            f"width is in inches, from {NARROW:g} to {WIDE:g}, got {width!r}; a column has 3.3"
        )
    require("matplotlib", "figures for papers need")
    import matplotlib as mpl

    with _LOCK, mpl.rc_context():
        mpl.rcdefaults()  # whatever the user has chosen for the screen
        chosen: Any = settings(family)
        mpl.rcParams.update(chosen)
        return _saved(figure, kind, title, width)


def _saved(figure: Read, kind: str, title: str, width: float) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = figure["layout"]
    given = layout.get("height")
    height = given * SIZE * PER_PIXEL / 72 if given else HEIGHT * (width / WIDTH) ** GROWTH
    engine = ConstrainedLayoutEngine(w_pad=0.02, h_pad=0.03)
    page = Figure(figsize=(width, height), layout=engine, dpi=288)
    FigureCanvasAgg(page)
    ax = page.add_subplot()
    place(figure, ax)
    across, up = page.bbox.width, page.bbox.height
    heading = ax.set_title("", fontsize=9, loc="left")
    wrap(heading, title, ALONG * across)
    wrap(ax.xaxis.label, layout["xaxis"]["title"]["text"], ALONG * across)
    wrap(ax.yaxis.label, layout["yaxis"]["title"]["text"], ALONG * up)
    page.draw_without_rendering()
    # The titles begin at the axes, or are centered on them, which are not the middle of the page.
    middle = ax.get_window_extent()
    wrap(heading, title, min(ALONG * across, across - middle.x0))
    beside = min(middle.x0 + middle.x1, 2 * across - middle.x0 - middle.x1)
    wrap(ax.xaxis.label, layout["xaxis"]["title"]["text"], min(ALONG * across, beside))
    move_below(ax)
    page.draw_without_rendering()
    page.set_layout_engine("none")
    settle(ax)
    made = io.BytesIO()
    summary = layout["meta"]["summary"]
    metadata = {
        "svg": {"Date": None, "Title": title or summary, "Description": summary},
        "pdf": {"CreationDate": None, "Title": title or summary, "Subject": summary},
        "png": {"Description": summary},
    }[kind]
    page.savefig(made, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return made.getvalue()


def save_figure(
    figure: Any, path: str | Path, title: str = "", width: float = WIDTH, family: str = "serif"
) -> Path:
    """Write a chart or a result as a figure for a paper.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure, dict or object
        A figure of the workbench, such as one of ``view.figures``, also after ``update_layout``; or
        a result that has a ``plot`` method, such as a `TradeoffBand`. The theme of the figure does
        not matter, nor does its title.
    path : str or pathlib.Path
        Its ending chooses the kind of file: ``.svg``, ``.pdf`` or ``.png``.
    title : str
        Above the chart; none by default, since a paper has captions.
    width : float
        In inches, from 2 to 20.
    family : {"serif", "sans"}

    Returns
    -------
    pathlib.Path
        Of the file.

    Raises
    ------
    MissingPackage
        Matplotlib is not installed.
    ValueError
        Another ending or family, a width out of range, or an object without a chart.

    Notes
    -----
    Letters have 8 points at any width. PDF has its fonts embedded as TrueType, SVG has its letters
    as outlines, and PNG has 600 dots per inch. Curves differ in lightness or dash, so that they can
    be told apart in gray.

    Examples
    --------
    >>> band = wb.tradeoff_band(wb.example("gaussian"))
    >>> wb.save_figure(band, "band.pdf")  # doctest: +SKIP
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise ValueError(f"path must end in .svg, .pdf or .png, got {str(path)!r}")
    if type(figure).__module__.startswith("plotly."):
        drawn: Read = from_plotly(figure)
    else:
        drawn = figure if isinstance(figure, Mapping) else figure_of(figure)
    path.write_bytes(figure_bytes(drawn, kind, title, width, family))
    return path
