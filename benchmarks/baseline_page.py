"""The page most people would write: every move counts all scores again and builds new figures.

python -m benchmarks.baseline_page PORT
"""

from __future__ import annotations

import sys

import numpy as np
import panel as pn
import panel_material_ui as pmui
import plotly.graph_objects as go

N = 500_000


def app() -> pmui.Page:
    rng = np.random.default_rng(0)
    p, q = rng.normal(1, 1, N), rng.normal(0, 1, N)
    slider = pmui.FloatSlider(label="Threshold", value=0.5, start=-4, end=5, step=0.05)
    panes = [pn.pane.Plotly(height=300, sizing_mode="stretch_width") for _ in range(4)]

    def draw(threshold: float) -> None:
        edges = np.linspace(-5, 6, 101)
        counts = [np.histogram(side, edges)[0] / N for side in (p, q)]
        fnr, tnr = (np.concatenate([[0], np.cumsum(side)]) for side in counts)
        epsilon = np.linspace(0, 5, 201)
        delta = [np.maximum(counts[0] - np.exp(e) * counts[1], 0).sum() for e in epsilon]
        centers = (edges[1:] + edges[:-1]) / 2
        figures = [
            go.Figure([go.Bar(x=centers, y=counts[0]), go.Bar(x=centers, y=counts[1])]),
            go.Figure(go.Scatter(x=1 - tnr, y=fnr)),
            go.Figure(go.Scatter(x=epsilon, y=delta)),
            go.Figure(go.Scatter(x=edges, y=fnr - tnr)),
        ]
        for pane, figure in zip(panes, figures, strict=True):
            figure.update_layout(title=f"at {threshold:.2f}", barmode="overlay")
            figure.add_vline(x=threshold, name="threshold")
            pane.object = figure

    draw(slider.value)
    slider.param.watch(lambda event: draw(event.new), "value")
    return pmui.Page(title="Baseline", sidebar=[slider], main=[pmui.Grid(*panes)])


if __name__ == "__main__":
    pn.extension("plotly")
    pn.serve(app, port=int(sys.argv[1]), show=False, verbose=False)
