"""Charts in the style of the notebooks, as SVG."""

from __future__ import annotations

import io
from pathlib import Path

from benchmarks.papers.item import Chart

STYLE = Path(__file__).parents[2] / "notebooks" / "workbench.mplstyle"
#: Colors of P and of Q, and of what both are compared with.
P, Q, REFERENCE, THIRD = "#0B63B5", "#B4530A", "#1A1D21", "#1B7F3B"


def svg(chart: Chart) -> str:
    """The chart as an SVG document."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    with plt.style.context(STYLE):
        most = 2 if chart.columns == 4 else 3
        rows, columns = -(-chart.columns // most), min(chart.columns, most)
        size = (chart.width * columns, 3.4 * rows)
        figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
        for unused in axes.flat[chart.columns :]:
            unused.remove()
        try:
            chart.draw(list(axes.flat[: chart.columns]))
            written = io.StringIO()
            figure.savefig(written, format="svg", metadata={"Date": None})
        finally:
            plt.close(figure)
    return written.getvalue()
