"""Two score sets side by side: bands of their receiver operating curves, and who leaks more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from workbench.bounds.simultaneous.compare import VERDICTS, Comparison
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import (
    BOTTOM,
    LEFT,
    TOP,
    Mark,
    Style,
    band,
    label,
    line,
    rule,
    steps,
)
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Axis, Figure

A, B = Style("A", "p"), Style("B", "q", "dash")
ZERO = Style("", "ink", "dash", 1)


def bands(comparison: Comparison) -> Figure:
    """True positive rate against false positive rate, both bands, on logarithmic rates."""
    c = comparison
    low = max(min(_least(c.a_lower), _least(c.b_lower)) / 2, 1e-5)
    names = [
        replace(style, name=": ".join(filter(None, (style.name, plain_name(scores.name, 60)))))
        for style, scores in ((A, c.a), (B, c.b))
    ]
    return chart(
        [
            _band(A, c.fpr, c.a_lower, c.a_upper, low),
            _band(B, c.fpr, c.b_lower, c.b_upper, low),
            # Above the diagonal, where all curves are, that corner is free.
            key(names, low=True),
        ],
        _rates("false positive rate", c.fpr[0]),
        _rates("true positive rate", low),
        summary=c.explain(),
        revision=(c.fpr[0], low),
        closest=True,
    )


def verdicts(comparison: Comparison) -> Figure:
    """The gap between the limits: above 0, A leaks more; below 0, B does."""
    c = comparison
    a_ahead, b_ahead = c.a_lower - c.b_upper, c.a_upper - c.b_lower
    top = max(0.1, 1.3 * float(np.abs([a_ahead, b_ahead]).max()))
    least = Style("smallest difference of true positive rates, A − B", "ink", width=1)
    most = Style("largest difference of true positive rates, A − B", "ink", width=1)
    texts = [VERDICTS[int(v)] for v in c.verdict]
    a_more, b_more = Style("A leaks more", "p", width=3), Style("B leaks more", "q", width=3)
    return chart(
        [
            band(
                line(least, c.fpr, a_ahead, hover=""),
                line(most, c.fpr, b_ahead, hover="{value}", values=texts),
                "muted",
                0.2,
            ),
            line(a_more, c.fpr, np.where(c.verdict > 0, a_ahead, np.nan), hover=""),
            line(b_more, c.fpr, np.where(c.verdict < 0, b_ahead, np.nan), hover=""),
            rule(ZERO, y=0),
            label(LEFT, TOP, a_more.name, "p", ha="left", va="top", dx=4, dy=-4, veil=None),
            label(LEFT, BOTTOM, b_more.name, "q", ha="left", va="bottom", dx=4, dy=4, veil=None),
        ],
        _rates("false positive rate", c.fpr[0]),
        axis("difference of true positive rates, A − B", -top, top),
        summary=c.explain(),
    )


def _band(style: Style, x: Any, lower: Any, upper: Any, least: float) -> Mark:
    """Between two rates the lower limit of the first holds, and the upper one of the second."""
    most, worst = (
        Style(f"{style.name}, {word}", style.role, style.dash, 1.5)
        for word in ("at most", "at least")
    )
    return band(
        steps(most, x, np.maximum(upper, least / 10), until=True),
        steps(worst, x, np.maximum(lower, least / 10)),
        style.role,
        0.15,
    )


def _rates(title: str, least: float) -> Axis:
    """A logarithmic axis of rates up to 1, with a tick per power of ten."""
    return axis(title, float(np.log10(least)), 0, log=True, step=1)


def _least(values: Any) -> float:
    found = values[values > 0]
    return float(found.min()) if found.size else 1e-3
