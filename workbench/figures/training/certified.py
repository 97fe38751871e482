"""The certified trade-off curve of all models, beside what the training claims."""

from __future__ import annotations

from workbench._format import percent, round_safely
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.estimators.roc import Roc
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import Style, band, line
from workbench.figures.kit.scales import ALPHA
from workbench.figures.kit.types import Figure
from workbench.pairs.base import Pair

OBSERVED = Style("observed", "p")
CERTIFIED = Style("simultaneous", "good")
CLAIM = Style("claim", "ink", "dash", 1.5)
HEURISTIC = Style("last iterate, heuristic", "muted", "dot", 1.5)
NO_LEAK = Style("no leak", "muted", "solid", 1)

#: Points of the observed curve at most.
POINTS = 2000


def tradeoff(
    roc: Roc, certified: TradeoffBand, claim: Pair | None, heuristic: Pair | None
) -> Figure:
    """Trade-off curves: observed, certified, and of the references.

    Parameters
    ----------
    roc : Roc
    certified : TradeoffBand
    claim, heuristic : Pair, optional
        Of the accountant, and the last-iterate pair.
    """
    drawn = [
        band(
            line(NO_LEAK, [0, 1], [1, 0], hover=""),
            line(CERTIFIED, certified.curve.alpha, certified.curve.beta),
            "good",
            0.08,
        )
    ]
    styles = [OBSERVED, CERTIFIED]
    for style, pair in ((CLAIM, claim), (HEURISTIC, heuristic)):
        if pair is not None:
            drawn.append(line(style, ALPHA, pair.tradeoff(ALPHA)))
            styles.append(style)
    curve = roc.curve
    observed = (curve.alpha, curve.beta)
    if curve.alpha.size > POINTS:
        observed = (ALPHA, curve.tradeoff(ALPHA, symmetric=False))
    variation = certified.total_variation()
    return chart(
        [*drawn, line(OBSERVED, *observed), key([*styles, NO_LEAK])],
        axis("false positive rate", 0, 1),
        axis("false negative rate", 0, 1.02),
        summary=f"Trade-off between the two error rates. With {percent(certified.confidence)} "
        f"confidence some attack has a sum below {round_safely(1 - variation.value, 'up')}; "
        "without a leak the sum is 1. Where the certified curve lies below that of the claim, the "
        "claim is refuted.",
        closest=True,
        revision="unit square",
    )
