"""`plot`: the method of results with charts, which matplotlib draws."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: ``"module:callable"`` that plots; on a higher floor.
_PLOT = "workbench.figures.paper.results:plot"


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
