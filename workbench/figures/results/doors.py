"""Charts of results for programs and notebooks: figures of plotly, and still pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.figures.kit.svg import image
from workbench.figures.plotly_figures import Theme, plotly_figure
from workbench.figures.results.charts import TITLES, figure_of, kind_of
from workbench.figures.results.overlaid import overlaid
from workbench.pairs.accounting.accounted import AccountedPair
from workbench.software.extras import require

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Pixels across a picture in a notebook.
WIDTH = 420


def figure(result: Any, other: Any, kind: str | None, theme: Theme) -> go.Figure:
    """The chart of a result as plotly's figure; see `workbench._plot.figure`."""
    require("plotly", "figure() needs")
    kind = kind_of(result, kind)
    made = figure_of(result, kind)
    if other is not None:
        others = list(other) if isinstance(other, list | tuple) else [other]
        if text := next((one for one in others if isinstance(one, str)), None):
            raise ValueError(f"other must be a result with a chart, got {text!r}; kind={text!r}?")
        results = [result, *others]
        made = overlaid([made, *(figure_of(one, kind) for one in others)], _names(results))
    return plotly_figure(made, theme, TITLES[kind])


def picture(result: Any) -> str:
    """A still picture of the chart of a result, as an ``<img>`` element.

    It is "" for compositions, whose curves may take seconds to compute.
    """
    if isinstance(result, AccountedPair):
        return ""
    return image(figure_of(result), WIDTH)


def _names(results: Sequence[Any]) -> list[str]:
    """Names of what results were computed from, as far as they differ."""
    names = [str(getattr(getattr(one, "scores", one), "name", "") or "") for one in results]
    return names if len(set(names)) == len(names) else [""] * len(names)
