"""A trade-off curve beside a plot of your own: ``panel serve examples/panel_app.py``."""

import numpy as np
import panel as pn
from bokeh.plotting import figure

import workbench as wb

pn.extension()
scores = wb.example("gaussian")
view = wb.explore(scores, show="all")


def accused(threshold):
    """Your own plot: the members that an attack with this threshold finds."""
    plot = figure(height=360, sizing_mode="stretch_width", x_axis_label="score")
    for part, color in ((scores.p <= threshold, "silver"), (scores.p > threshold, "firebrick")):
        count, edges = np.histogram(scores.p[part], np.linspace(-4, 5, 46))
        plot.quad(top=count, bottom=0, left=edges[:-1], right=edges[1:], color=color)
    plot.title.text = f"{np.mean(scores.p > threshold):.1%} of members found"
    return plot


yours = pn.widgets.FloatSlider.from_param(view.param.threshold, name="Your threshold")
columns = "repeat(auto-fit, minmax(min(100%, 560px), 1fr))"
plots = pn.Column(
    view.charts["tradeoff"],
    pn.bind(accused, view.param.threshold),
    styles={"display": "grid", "grid-template-columns": columns},
    sizing_mode="stretch_width",
)
pn.Column(yours, plots, view.numbers["epsilon_here"], view).servable(title="My audit")
