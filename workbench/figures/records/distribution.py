"""How many records exceed each ε: simultaneous lower limits beside the estimates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench._format import plain
from workbench.curves.validation import Floats
from workbench.figures.kit.axes import axis, round_up
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import TOP, Mark, Style, label, rule, steps
from workbench.figures.kit.types import Figure

SHOWN = Style("lower limit on the number, at all ε at once", "good", "solid", 2.5)
ESTIMATED = Style("estimates, no guarantee", "muted", "dash", 1.5)
ASKED = Style("", "ink", "dot", 1.5)

#: Height of a count of 0 on the axis of counts, and room below the ticks.
_NONE = 0.7


def distribution(limits: Floats, estimates: Floats, asked: float, records: int) -> Figure:
    """Number of records whose ε exceeds each value.

    Parameters
    ----------
    limits, estimates : ndarray, shape (K,)
        Simultaneous lower limits on ε of the records in view, and estimates.
    asked : float
        The ε₀ of the page.
    records : int
        Records in view, those that cannot be audited included.
    """
    finite = estimates[np.isfinite(estimates)]
    reach = reach_of(limits, finite, asked)
    shown = steps(SHOWN, *_exceeding(limits, reach), hover="{y:,} records: ε ≥ {x:.3g}{name}")
    guessed = steps(ESTIMATED, *_exceeding(finite, reach), hover="{y:,}: ε = {x:.3g}{name}")
    count = int((limits > asked).sum())
    drawn: list[Mark] = [guessed, shown, rule(ASKED, x=asked, drag="epsilon")]
    words = f"{count:,} of {records:,} records exceed ε = {plain(asked)}"
    right = asked < 0.5 * reach
    drawn.append(
        label(
            asked,
            TOP,
            f"at least {count:,} record{'s' * (count != 1)}",
            SHOWN.role if count else "muted",
            va="top",
            ha="left" if right else "right",
            dx=6 if right else -6,
            dy=-44,
            size=13,
            drag="epsilon",
        )
    )
    top = math.log10(max(records, 1)) or 1.0
    ticks = {1.0: "1"} | {10.0**k: f"{10**k:,}" for k in range(1, math.ceil(top) + 1)}
    ticks = {_NONE: "0"} | {at: text for at, text in ticks.items() if at <= records}
    low = math.log10(_NONE) - 0.06 * top
    return chart(
        [*drawn, key([SHOWN, ESTIMATED])],
        axis("ε", 0, reach),
        axis("records above ε", low, low + (top - low) / 0.78, log=True, ticks=ticks),
        summary=f"With all limits together at least {words}.",
        revision=(reach, records),
    )


def reach_of(limits: Floats, estimates: Floats, asked: float) -> float:
    """End of the axis of ε: twice the largest limit, so that a few wild estimates stay outside.

    Parameters
    ----------
    limits, estimates : ndarray, shape (K,)
        Without NaN.
    asked : float
        The ε₀ of the page.
    """
    usual = float(np.quantile(estimates, 0.9)) if estimates.size else 0.0
    return round_up(max(1.0, 1.25 * asked, 2 * float(limits.max(initial=0.0)), usual))


def _exceeding(values: Floats, reach: float) -> tuple[Floats, NDArray[Any]]:
    """Values of ε from 0 to the end of the axis, and how many records exceed each."""
    above = np.sort(values[values > 0])
    at, first = np.unique(above, return_index=True)
    counts = np.append(above.size - first, 0)
    x, y = np.append(0.0, at), np.maximum(counts, _NONE).astype(float)
    inside = x < reach
    return np.append(x[inside], reach), np.append(y[inside], y[inside][-1])
