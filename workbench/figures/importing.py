"""The chart of the import step: all scores together, whatever their group."""

from __future__ import annotations

from typing import Any

from workbench.curves.validation import Floats
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart
from workbench.figures.kit.marks import Style, histogram

ALL = Style("all scores", "ink")

#: In pixels: what was found is said below the chart.
HEIGHT = 180


def all_scores(edges: Floats, counts: Floats) -> dict[str, Any]:
    """The histogram of the scores of both groups together.

    Parameters
    ----------
    edges : ndarray, shape (bins + 1,)
    counts : ndarray, shape (bins,)
    """
    share = counts / counts.sum()
    return chart(
        [histogram(ALL, edges, share)],
        axis("score", float(edges[0]), float(edges[-1])),
        axis("share", 0, 1.1 * float(share.max())),
        summary=f"Histogram of {counts.sum():.0f} scores of both groups together, from "
        f"{edges[0]:.4g} to {edges[-1]:.4g}.",
        revision=(float(edges[0]), float(edges[-1])),
        height=HEIGHT,
    )
