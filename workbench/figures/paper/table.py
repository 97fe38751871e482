"""The data of a chart as csv, as the page offers them below each chart."""

from __future__ import annotations

import math
from typing import Any

from workbench._markup import csv_cell
from workbench.figures.kit.types import Read
from workbench.figures.paper.texts import plain


def figure_csv(figure: Read) -> str:
    """The named curves and points of a figure as csv, one row per point.

    Parameters
    ----------
    figure : dict
        In plotly's format, as the functions of `workbench.figures` return.

    Returns
    -------
    str
        The columns are ``curve`` and the titles of both axes; "x" and "y" for those without.
        A place where a curve is interrupted has empty cells.
    """
    layout = figure["layout"]
    titles = {name: _text(layout[f"{name}axis"]["title"]["text"]) or name for name in "xy"}
    lines = [f"curve,{titles['x']},{titles['y']}"]
    for trace in figure["data"]:
        if name := trace["name"]:
            for x, y in zip(trace["x"], trace["y"], strict=True):
                lines.append(f"{_text(name)},{_cell(x)},{_cell(y)}")
    return "\n".join([*lines, ""])


def _text(text: str) -> str:
    return csv_cell(plain(text))


def _cell(value: Any) -> str:
    """A coordinate with all its digits; empty where a curve is interrupted."""
    if value is None or math.isnan(value):
        return ""
    return repr(float(value)).removesuffix(".0")
