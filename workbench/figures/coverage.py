"""Charts of the coverage lab: how often methods claim too much, and how much they claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.bounds.result import percent, plain
from workbench.coverage_lab.lab import Coverage
from workbench.coverage_lab.methods import METHODS
from workbench.figures.layout import base_layout, empty, label

#: Least share of false claims to which the axis reaches, as a multiple of the nominal one.
REACH = 2.5


def waiting() -> dict[str, Any]:
    """An empty chart that says what it waits for."""
    return empty("Press Run to simulate.")


def false_claims(results: Sequence[Coverage]) -> dict[str, Any]:
    """A dot a method: its share of false claims with limits, and the share that is allowed."""
    nominal = results[0].nominal
    low, high = np.array([r.interval for r in results]).T
    rates = np.array([r.rate for r in results])
    rows = np.arange(len(results))
    line = {"color": "@ink", "width": 1.5, "dash": "dash"}
    allowed = {"type": "line", "x0": nominal, "x1": nominal, "y0": 0, "y1": 1, "yref": "paper"}
    failing = [_label(r) for r in results if r.fails]
    reach = max(REACH * nominal, 1.08 * float(high.max()))
    told = f"Above the allowed {percent(nominal)}: {', '.join(failing) or 'none'}."
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "markers",
                "name": "share of false claims",
                "x": rates,
                "y": rows,
                "customdata": [_label(r) for r in results],
                "hovertemplate": "%{customdata}: %{x:.2%}<extra></extra>",
                "cliponaxis": False,
                "marker": {"size": 9, "color": [f"@{_role(r)}" for r in results]},
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": high - rates,
                    "arrayminus": rates - low,
                    "color": "@muted",
                    "thickness": 1.5,
                    "width": 0,
                },
            }
        ],
        "layout": base_layout(
            f"false claims among {results[0].reps:,} replicates (with 95 % limits)",
            "",
            summary=f"Share of replicates in which a bound exceeded the truth. {told}",
            x={
                "range": [-0.01 * reach, reach],
                "tickformat": ".0%" if high.max() > 0.05 or nominal >= 0.02 else ".1%",
            },
            y=_rows_axis(len(results)),
            shapes=[{**allowed, "line": line}],
            annotations=[
                label(nominal, 1, f"allowed: {percent(nominal)}", "ink", yref="paper",
                      xanchor="left", yanchor="top", xshift=4),
                *_row_labels(results, 6),
            ],
            hovermode="closest",
            margin={"l": 16, "r": 16, "t": 8, "b": 44},
        ),
    }  # fmt: skip


def tightness(results: Sequence[Coverage]) -> dict[str, Any]:
    """The bounds of every method, median and 5 to 95 %, as shares of the truth."""
    shown = [r for r in results if _scale(r) is not None]
    if not shown:
        return empty("The truth is infinite: every bound is below it.")
    scales = np.array([_scale(r) for r in shown], dtype=float)
    low, median, high = (
        np.array([r.quantile([0.05, 0.5, 0.95]) for r in shown]) / scales[:, None]
    ).T
    rows = np.arange(len(shown))
    no_leak = shown[0].truth == 0
    axis = "bound, 5 % · median · 95 %" if no_leak else "bound / truth, 5 % · median · 95 %"
    truth = 0.0 if no_leak else 1.0
    best = shown[int(np.argmax(np.where([r.claims for r in shown], median, -1)))]
    line = {"color": "@ink", "width": 1.5, "dash": "dash"}
    mark = {"type": "line", "x0": truth, "x1": truth, "y0": 0, "y1": 1, "yref": "paper"}
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "markers",
                "name": "median bound" if no_leak else "median bound as a share of the truth",
                "x": median,
                "y": rows,
                "customdata": [
                    f"{_label(r)}: {r.quantity} ≥ {plain(float(r.quantile(0.5)))}" for r in shown
                ],
                "hovertemplate": "%{customdata}<extra></extra>",
                "cliponaxis": False,
                "marker": {"size": 9, "color": [f"@{_role(r)}" for r in shown]},
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": high - median,
                    "arrayminus": median - low,
                    "color": "@muted",
                    "thickness": 1.5,
                    "width": 0,
                },
            }
        ],
        "layout": base_layout(
            axis,
            "",
            summary="How much each method claims"
            + ("." if no_leak else f" of the truth; most, of those that hold: {_label(best)}, "
               f"median {float(median[shown.index(best)]):.0%}."),
            x={"range": [-0.02, max(1.1, 1.05 * float(high.max()))] if not no_leak
               else [-0.02, max(0.5, 1.1 * float(high.max()))],
               **({} if no_leak else {"tickformat": ".0%"})},
            y=_rows_axis(len(shown)),
            shapes=[{**mark, "line": line}],
            annotations=[
                label(truth, 1, "truth", "ink", yref="paper", yanchor="top",
                      xanchor="left" if no_leak else "right", xshift=4 if no_leak else -4),
                *_row_labels(shown, 14),
            ],
            hovermode="closest",
            margin={"l": 16, "r": 16, "t": 8, "b": 44},
        ),
    }  # fmt: skip


def _scale(result: Coverage) -> float | None:
    """What the values are divided by; None where the truth is no scale."""
    if result.truth == 0:
        return 1.0
    return result.truth if math.isfinite(result.truth) else None


def _role(result: Coverage) -> str:
    if result.fails:
        return "bad"
    return "good" if result.claims else "muted"


def _label(result: Coverage) -> str:
    method = METHODS.get(result.method)
    return method.label if method else result.method


def _rows_axis(count: int) -> dict[str, Any]:
    return {
        "range": [count - 0.5, -0.75],
        "showticklabels": False,
        "showgrid": False,
        "showline": False,
        "ticks": "",
        "fixedrange": True,
    }


def _row_labels(results: Sequence[Coverage], shift: float) -> list[dict[str, Any]]:
    """Each method's name above its dot, from the left edge, where a phone has room for it."""
    return [
        label(0, row, _label(r), _role(r), xref="paper", xanchor="left", yanchor="bottom",
              xshift=shift, yshift=5, bgcolor="@paper/.6")
        for row, r in enumerate(results)
    ]  # fmt: skip
