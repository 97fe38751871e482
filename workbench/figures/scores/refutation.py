"""Where scores contradict a claim: the trade-off curve around the refuting point, magnified."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from workbench._format import percent, plain, round_safely
from workbench.bounds.power.verdict import RefutingPoint
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.curves.validation import Floats
from workbench.estimators.roc import Roc
from workbench.figures.kit.axes import axis, round_up
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import Style, label, line, markers
from workbench.figures.kit.types import Figure

OBSERVED = Style("observed", "p")
BAND = Style("simultaneous", "good")
CLAIM = Style("your claim", "ink", "dash", 1.5)
REFUTING = Style("refuting point", "bad")
GAP = Style("beyond the claim", "bad", "solid", 3)

#: Points of a curve.
POINTS = 121

#: Ticks of an axis, about.
TICKS = 6

#: The lens is as wide as the claim's curve takes to rise by this many times the gap.
GAPS = 4


def lens(
    point: RefutingPoint | None,
    claimed: Callable[[Floats], Floats] | None,
    roc: Roc,
    band: TradeoffBand,
) -> Figure:
    """Trade-off curves around the refuting point, where the claim's curve crosses them.

    Parameters
    ----------
    point : RefutingPoint or None
        None draws nothing: no claim is refuted.
    claimed : callable or None
        The claim's trade-off function.
    roc : Roc
    band : TradeoffBand
    """
    if point is None or claimed is None:
        return empty("The scores refute no claim here.", optional=True)
    fpr, fnr, gap = point.fpr_upper, point.fnr_upper, point.claimed_fnr - point.fnr_upper
    low, high = _window(fpr, gap, claimed)
    alpha = np.union1d(np.linspace(low, high, POINTS), fpr)
    curves = {
        BAND: np.asarray(band.curve.tradeoff(alpha, symmetric=False)),
        CLAIM: np.asarray(claimed(alpha)),
        OBSERVED: np.asarray(roc.curve.tradeoff(alpha, symmetric=False)),
    }
    observed = float(curves[OBSERVED][alpha == fpr][0])
    ends = curves[CLAIM][[0, -1]].tolist()
    least, most = _reach([max(observed, fnr - 2 * max(gap, 0.0)), fnr, point.claimed_fnr, *ends])
    shown = round_safely(1 - fnr, "down")
    allowed = round_safely(1 - point.claimed_fnr, "up")
    drawn = [line(style, alpha, beta) for style, beta in curves.items()]
    if gap > 0:
        drawn += [
            line(GAP, [fpr, fpr], [fnr, point.claimed_fnr], hover=""),
            label(fpr, point.claimed_fnr, f"allowed: {allowed}", "ink", ha="right", dx=-8, dy=-4),
        ]
    drawn += [
        markers(REFUTING, [fpr], [fnr], size=12, symbol="diamond"),
        label(fpr, fnr, f"found: ≥ {shown} of members", "bad", ha="left", va="bottom", dx=8, dy=2),
        key([OBSERVED, BAND, CLAIM, REFUTING]),
    ]
    return chart(
        drawn,
        axis("false positive rate (magnified)", low, high, ticks=_ticks(low, high)),
        axis("false negative rate (magnified)", least, most, ticks=_ticks(least, most)),
        summary=f"The trade-off curve around the threshold {plain(point.threshold)}, magnified. "
        f"With {percent(band.confidence)} confidence some attack with a false positive rate of "
        f"{round_safely(fpr, 'up')} finds at least {shown} of the members; the claim allows "
        f"{allowed}.",
        closest=True,
        revision=(low, high, least, most),
    )


def _window(fpr: float, gap: float, claimed: Callable[[Floats], Floats]) -> tuple[float, float]:
    """False positive rates around the point, as many as the gap to the claim can be seen among."""
    widest = min(fpr, 1 - fpr) or 1.0
    before, here = np.asarray(claimed(np.array([0.9 * fpr, fpr]))).tolist()
    slope = (before - here) / (0.1 * fpr) if fpr > 0 else 0.0
    wide = GAPS * gap / slope if gap > 0 and slope > 0 else widest / 2
    wide = min(max(wide, widest / 10), widest)
    return max(fpr - wide, 0.0), min(fpr + wide, 1.0)


def _reach(rates: list[float]) -> tuple[float, float]:
    """The rates, with room for the key above."""
    low, high = min(rates), max(rates)
    room = max(high - low, 1e-12)
    return low - 0.1 * room, high + 0.5 * room


def _ticks(low: float, high: float) -> dict[float, str]:
    """Ticks at round rates from 0 to 1 that differ in the digits that they show."""
    step = round_up((high - low) / TICKS)
    digits = max(0, math.ceil(-math.log10(step)) + 1)
    places = np.arange(
        math.ceil(max(low, 0.0) / step), math.floor(min(high, 1.0) / step + 1e-9) + 1
    )
    return {k * step: f"{k * step:.{digits}f}" for k in places.tolist()}
