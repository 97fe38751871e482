"""The charts of the import step: scores whatever their group, and columns to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from workbench.curves.validation import Floats
from workbench.figures.kit.axes import axis, bare_axis
from workbench.figures.kit.layout import chart, margins
from workbench.figures.kit.marks import LEFT, Mark, Style, band, histogram, label, line, rule, steps
from workbench.figures.kit.types import Figure

ALL = Style("all scores", "ink")

#: The floor of a histogram, and what parts two rows.
BASE = Style("", "grid", width=1)

#: Of a row in pixels; where its floor is and how high its histogram, as shares of it.
ROW, FLOOR, HISTOGRAM = 76, 0.95, 0.38

#: In pixels: what was found is said below the chart.
HEIGHT = 180


class Preview(Protocol):
    """What is shown of a column."""

    @property
    def name(self) -> str:
        """Of the column."""

    @property
    def shares(self) -> Floats:
        """Of its values in bins of equal width."""

    def describe(self) -> str:
        """The range and the number of different values."""


def all_scores(edges: Floats, counts: Floats) -> Figure:
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


def columns(previews: Sequence[Preview]) -> Figure:
    """Columns that may hold the scores, a small histogram and a line of text each.

    Parameters
    ----------
    previews : sequence of Preview
        From the first row on; each has its own horizontal scale.
    """
    marks: list[Mark] = []
    for row, preview in enumerate(previews):
        edges = np.linspace(0, 1, preview.shares.size + 1)
        most = max(float(preview.shares.max()), 1e-9)
        heights = row + FLOOR - HISTOGRAM * np.append(preview.shares, 0) / most
        floor = np.full(edges.size, row + FLOOR)
        marks += [
            band(
                line(BASE, edges, floor, hover=""), steps(ALL, edges, heights, hover=""), "ink", 0.2
            ),
            label(LEFT, row, preview.name, "ink", ha="left", va="top", dx=4, dy=-2),
            label(LEFT, row, preview.describe(), "muted", ha="left", va="top", dx=4, dy=-18),
            rule(BASE, y=row + 1),
        ]
    names = "; ".join(f"{one.name}: {one.describe()}" for one in previews)
    return chart(
        marks,
        bare_axis(0, 1),
        bare_axis(len(previews), 0),
        summary=f"Columns that may hold the scores. {names}.",
        revision=len(previews),
        margin=margins(left=16, bottom=8),
        height=max(HEIGHT, 16 + ROW * len(previews)),
    )
