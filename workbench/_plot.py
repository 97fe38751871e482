"""`plot` and `figure`: methods of results with charts, and their picture in a notebook."""

from __future__ import annotations

import logging
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from matplotlib.axes import Axes

#: ``"module:callable"`` that draws; on a higher floor.
_PLOT = "workbench.figures.paper.results:plot"
_FIGURE = "workbench.figures.results.doors:figure"
_PICTURE = "workbench.figures.results.doors:picture"

log = logging.getLogger(__name__)


def plot(self: Any, ax: Axes | None = None, kind: str | None = None, **style: Any) -> Axes:
    """Plot on matplotlib's axes, also over what they already show.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, optional
        By default those of a new figure of pyplot.
    kind : str, optional
        "tradeoff" or "profile" for trade-off curves, bands, receiver operating curves,
        histograms and pairs; also "roc" for receiver operating curves, and "density", the
        default, for histograms; "local mu" for pairs. Other results have one chart.
    **style
        Properties of the curves, as of `matplotlib.lines.Line2D`: ``label``, ``color``, ….

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    MissingPackage
        Matplotlib is not installed.
    ValueError
        Another kind.
    """
    axes: Axes = resolve_name(_PLOT)(self, ax, kind, style)
    return axes


def figure(
    self: Any,
    other: Any = None,
    kind: str | None = None,
    theme: Literal["light", "dark", "print"] = "light",
) -> go.Figure:
    """The chart as plotly's figure, for ``update_layout``, ``write_html``, Dash, Streamlit, ….

    Parameters
    ----------
    other : result or list of results, optional
        Drawn over it: results with a chart over the same axes, such as another histogram, or a
        pair over a band.
    kind : str, optional
        As of ``plot``.
    theme : {"light", "dark", "print"}
        Its colors: for light pages, for dark ones, or those of `save_figure`.

    Returns
    -------
    plotly.graph_objects.Figure
        With colors, title, legend and what a pointer shows. `save_figure` takes it, too.

    Raises
    ------
    MissingPackage
        Plotly is not installed.
    ValueError
        Another kind or theme, or another result over other axes.
    """
    made: go.Figure = resolve_name(_FIGURE)(self, other, kind, theme)
    return made


def beside(words: str, result: Any) -> str:
    """Words of a result, as HTML, and beside them a small picture of its chart.

    The words alone where no picture can be drawn.

    Parameters
    ----------
    words : str
    result : object
        One with a ``plot`` method.
    """
    try:
        picture = resolve_name(_PICTURE)(result)
    except Exception as error:  # a result is shown in any case
        log.debug("no picture of %s: %s", type(result).__name__, error)
        return words
    if not picture:
        return words
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start">'
        f"<div>{words}</div><div>{picture}</div></div>"
    )
