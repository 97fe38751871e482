"""Charts of results on matplotlib's axes, for their ``plot`` methods.

Charts of one kind have the same axes, so that a band, an observed curve and a known pair can be
plotted over each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench import _checks
from workbench.figures.paper.draw import place
from workbench.figures.paper.look import DASHES
from workbench.figures.results.charts import figure_of
from workbench.software.extras import require
from workbench.software.private_names import dash_lengths

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Properties by which a caller tells curves apart.
_LOOKS = {"color", "c", "linestyle", "ls", "dashes", "marker"}


def plot(result: Any, ax: Axes | None, kind: str | None, style: Mapping[str, Any]) -> Axes:
    """Plot a result; see `workbench._plot.plot`."""
    require("matplotlib", "figures for papers need")
    from matplotlib.axes import Axes

    figure = figure_of(result, kind)
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots()[1]
    _checks.instance(ax, Axes, "ax", "axes of matplotlib")
    before = _Before(ax)
    place(figure, ax)
    before.join(ax, dict(style))
    return ax


class _Before:
    """What axes showed before something was plotted over it."""

    def __init__(self, ax: Axes):
        self.limits = (ax.get_xlim(), ax.get_ylim()) if ax.has_data() else None
        self.artists = {*ax.lines, *ax.patches}
        legend = ax.get_legend()
        self.handles = [] if legend is None else legend.get_lines()
        self.names = [] if legend is None else [text.get_text() for text in legend.get_texts()]

    def join(self, ax: Axes, style: dict[str, Any]) -> None:
        """Give what is new its style, and join limits and legends of old and new."""
        from matplotlib.colors import to_rgba

        legend = ax.get_legend()
        handles = [] if legend is None else legend.get_lines()
        names = [] if legend is None else [text.get_text() for text in legend.get_texts()]
        name = style.pop("label", None)
        if name is not None and names:
            names[0] = str(name).replace("$", r"\$") if "$" in str(name) else str(name)
        curves = [one for one in ax.lines if one not in self.artists]
        if not style.keys() & _LOOKS and len(curves) == 1:
            style["linestyle"] = self._free_dash(ax, curves[0])
        for curve in [*curves, *handles]:
            curve.set(**style)
        if name is not None and curves:
            curves[0].set_label(name)
        if "color" in style:
            for area in set(ax.patches) - self.artists:
                area.set_facecolor(to_rgba(style["color"], to_rgba(area.get_facecolor())[3]))
        if self.limits is not None:
            for set_limits, old, new in (
                (ax.set_xlim, self.limits[0], ax.get_xlim()),
                (ax.set_ylim, self.limits[1], ax.get_ylim()),
            ):
                set_limits(min(*old, *new), max(*old, *new))
        if names:
            ax.legend(self.handles + handles, self.names + names, frameon=False, loc="best")

    def _free_dash(self, ax: Axes, curve: Any) -> Any:
        """The dash of a curve; another one where a curve of its color has the same."""
        from matplotlib.colors import same_color

        used = {
            dash_lengths(line)
            for line in ax.lines
            if line in self.artists and same_color(line.get_color(), curve.get_color())
        }
        own = dash_lengths(curve)
        free = (lengths for lengths in (own, *DASHES.values()) if lengths not in used)
        lengths = next(free, own)
        return (0, lengths) if lengths else "solid"
