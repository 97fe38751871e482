"""Two score sets side by side: bands of their receiver operating curves, and who leaks more."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.bounds.simultaneous.compare import VERDICTS, Comparison
from workbench.figures.kit.layout import base_layout
from workbench.figures.kit.legend import Entry, key, stairs

A, B = Entry("A", "p"), Entry("B", "q", "dash")


def bands(comparison: Comparison) -> dict[str, Any]:
    """True positive rate against false positive rate, both bands, on logarithmic rates."""
    c = comparison
    low = max(min(_least(c.a_lower), _least(c.b_lower)) / 2, 1e-5)
    names = [
        Entry(f"{side.text}: {scores.name}" if scores.name else side.text, side.role, side.dash)
        for side, scores in ((A, c.a), (B, c.b))
    ]
    return {
        "data": [
            *_band(A, c.fpr, c.a_lower, c.a_upper, low),
            *_band(B, c.fpr, c.b_lower, c.b_upper, low),
        ],
        "layout": base_layout(
            "false positive rate",
            "true positive rate",
            summary=c.explain(),
            x=_rates(c.fpr[0]),
            y=_rates(low),
            revision=(c.fpr[0], low),
            hovermode="closest",
            # Above the diagonal, where all curves are, that corner is free.
            **key(names, low=True),
        ),
    }


def verdicts(comparison: Comparison) -> dict[str, Any]:
    """The gap between the limits: above 0, A leaks more; below 0, B does."""
    c = comparison
    a_ahead, b_ahead = c.a_lower - c.b_upper, c.a_upper - c.b_lower
    zero = {"color": "@ink", "width": 1, "dash": "dash"}
    text = [VERDICTS[int(v)] for v in c.verdict]
    shape = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 0, "line": zero}
    top = max(0.1, 1.3 * float(np.abs([a_ahead, b_ahead]).max()))
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "lines",
                "name": "least difference of true positive rates, A − B",
                "x": c.fpr,
                "y": a_ahead,
                "line": {"color": "@ink", "width": 1},
                "hoverinfo": "skip",
            },
            {
                "type": "scatter",
                "mode": "lines",
                "name": "largest difference of true positive rates, A − B",
                "x": c.fpr,
                "y": b_ahead,
                "line": {"color": "@ink", "width": 1},
                "fill": "tonexty",
                "fillcolor": "@muted/.2",
                "customdata": text,
                "hovertemplate": "%{customdata}<extra></extra>",
            },
            _where("A leaks more", "p", c.fpr, np.where(c.verdict > 0, a_ahead, np.nan)),
            _where("B leaks more", "q", c.fpr, np.where(c.verdict < 0, b_ahead, np.nan)),
        ],
        "layout": base_layout(
            "false positive rate",
            "difference of true positive rates, A − B",
            summary=c.explain(),
            x=_rates(c.fpr[0]),
            y={"range": [-top, top]},
            shapes=[shape],
            **{
                "annotations": [
                    _side("A leaks more", "p", 1, "top", -4),
                    _side("B leaks more", "q", 0, "bottom", 4),
                ]
            },
        ),
    }


def _band(entry: Entry, x: Any, lower: Any, upper: Any, least: float) -> list[dict[str, Any]]:
    """Between two rates the lower limit of the first holds, and the upper one of the second."""
    most, worst = (
        Entry(f"{entry.text}, {word}", entry.role, entry.dash, 1.5)
        for word in ("at most", "at least")
    )
    return [
        stairs(most, x, np.maximum(upper, least / 10), until=True),
        stairs(
            worst,
            x,
            np.maximum(lower, least / 10),
            fill="tonexty",
            fillcolor=f"@{entry.role}/.15",
        ),
    ]


def _rates(least: float) -> dict[str, Any]:
    """A logarithmic axis of rates, with a tick a power of ten."""
    return {"type": "log", "range": [float(np.log10(least)), 0], "dtick": 1}


def _where(name: str, role: str, x: Any, y: Any) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": y,
        "line": {"color": f"@{role}", "width": 3},
        "hoverinfo": "skip",
    }


def _side(text: str, role: str, y: float, anchor: str, shift: float) -> dict[str, Any]:
    return {
        "text": text, "x": 0, "y": y, "xref": "paper", "yref": "paper", "xanchor": "left",
        "yanchor": anchor, "xshift": 4, "yshift": shift, "showarrow": False,
        "font": {"size": 12, "color": f"@{role}"},
    }  # fmt: skip


def _least(values: Any) -> float:
    positive = values[values > 0]
    return float(positive.min()) if positive.size else 1e-3
