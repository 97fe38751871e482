"""The chart of a live audit: the anytime bound as it grew, and the claim."""

from __future__ import annotations

import math

import numpy as np

from workbench._format import plain, round_safely
from workbench.figures.kit import log_n_axis
from workbench.figures.kit.axes import axis, round_up
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import Style, rule
from workbench.figures.kit.types import Figure
from workbench.live.state import LiveState

BOUND = Style("anytime bound", "good", "solid", 2.5)
CLAIMED = Style("claim", "bad", "dash", 1.5)

#: A claim beyond this multiple of the bound is not drawn; the summary states it.
FAR = 20


def growth(state: LiveState) -> Figure:
    """The bound on ε against the runs or steps so far."""
    seen = state.n > 0
    n, values = state.n[seen], state.values[seen]
    if not n.size:
        return empty(f"no bound yet: {state.seen:,} {state.unit}")
    now = max(float(state.seen), float(n[-1]))
    n, values = np.append(n, now), np.append(values, values[-1])
    top, claimed = max(0.1, float(values[-1])), state.claimed
    near = claimed is not None and claimed <= FAR * top
    top = round_up(max(top, claimed if near and claimed is not None else 0.0) * 1.05)
    # Ends at powers of two, so that the axis seldom moves.
    low = math.log10(2) * math.floor(math.log2(max(n[0], 1)))
    high = math.log10(2) * max(math.ceil(math.log2(now)), math.floor(math.log2(n[0])) + 3)
    styles = [BOUND, *([CLAIMED] if near else [])]
    marks = [
        log_n_axis.curve(BOUND, n, values, stepped=True),
        key(styles, columns=len(styles)),
        *([rule(CLAIMED, y=claimed)] if near else []),
    ]
    limit = f", and the claim allows {round_safely(claimed, 'nearest')}" if claimed else ""
    return chart(
        marks,
        log_n_axis.axis(state.unit, low, high),
        axis(f"bound on ε at δ = {plain(state.epsilon.delta or 0)}", 0, top / (1 - HEADROOM)),
        summary=f"After {state.seen:,} {state.unit}, ε is at least {state.epsilon.rounded}{limit}.",
        revision=(low, high, top),
    )
