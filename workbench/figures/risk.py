"""Chart of an attacker's success: what is shown, what is promised, and the space between."""

from __future__ import annotations

import math

import numpy as np

from workbench.curves.validation import Floats
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart, margins
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import TOP, Mark, Style, band, label, line, markers, rule
from workbench.figures.kit.types import Figure
from workbench.risks.plain_words import baseline_words
from workbench.risks.risk import Risk, RiskCurve

GUESSING = Style("guessing alone", "muted", "dot", 1.5)
PROMISED = Style("promised: at most", "p", "solid", 2.5)
SHOWN = Style("shown: at least", "bad", "dash", 2.5)
CHOSEN = Style("", "muted")

#: log₁₀ of the least baseline of the chart, and the opacity of the space between both ends.
LEAST, BETWEEN = -6, 0.1

#: Room of the axes beyond "always", which has a text.
ROOM = 0.15

#: Powers of ten with a tick.
TICKS = {0.0: "always"} | {float(-k): f"1 in {10**k:,}" for k in range(1, -LEAST + 1)}


def baselines(points: int) -> Floats:
    """Baselines of the chart's curves, evenly in the logarithm.

    Parameters
    ----------
    points : int
    """
    return np.logspace(LEAST, 0, points)


def success(curve: RiskCurve, risk: Risk, shown: str, promised: str) -> Figure:
    """An attacker's success at every baseline, both on logarithmic scales.

    Parameters
    ----------
    curve : RiskCurve
        Both ends at many baselines.
    risk : Risk
        At the chosen baseline, a line to drag.
    shown, promised : str
        Both ends there in a few words; "" for one that there is not.
    """
    x = np.log10(curve.baseline)
    guessing = line(GUESSING, x, x, hover="")
    least = _limit(SHOWN, x, curve.at_least, "at least")
    most = _limit(PROMISED, x, curve.at_most, "at most")
    drawn: list[Mark] = [guessing]
    if shown and promised:
        drawn.append(band(least, most, PROMISED.role, BETWEEN))
    elif shown or promised:
        limit, style = (least, SHOWN) if shown else (most, PROMISED)
        drawn = [band(guessing, limit, style.role, BETWEEN)]
    at = math.log10(risk.baseline)
    ends = ((PROMISED, risk.success.at_most, promised), (SHOWN, risk.success.at_least, shown))
    for style, reached, words in ends:
        if words and reached:
            drawn += _marked(at, reached, style, words)
    words = baseline_words(risk.baseline)
    side, away = ("right", -6) if at > LEAST / 2 else ("left", 6)
    drawn += [
        rule(CHOSEN, x=at, drag="baseline"),
        label(at, TOP, words, "muted", ha=side, va="top", dx=away, drag="baseline"),
        key([*(style for style, _, words in ends if words), GUESSING], low=True),
    ]
    some = {k: text for k, text in TICKS.items() if k % 2 == 0}
    return chart(
        drawn,
        axis("right without the release", LEAST, ROOM, ticks=some),
        axis("right with the release", LEAST, 2 * ROOM, ticks=TICKS),
        summary=_summary(shown, promised),
        margin=margins(left=96),
        closest=True,
    )


def _limit(style: Style, x: Floats, rates: Floats, side: str) -> Mark:
    """One of both ends at all baselines; a gap where there is nothing to draw."""
    drawn = np.log10(np.where(rates > 0, rates, np.nan))
    texts = [f"{100 * rate:.3g}%" for rate in rates.tolist()]
    return line(style, x, drawn, hover=f"right {side} {{value}} of the times", values=texts)


def _marked(at: float, reached: float, style: Style, words: str) -> list[Mark]:
    """One of both ends at the chosen baseline, and what it says: away from the rising curves."""
    y = max(math.log10(reached), LEAST)
    if style is PROMISED:
        ha, va, dx, dy = ("right", "bottom", -8, 2) if at > LEAST + 2 else ("left", "bottom", 8, 24)
    else:
        ha, va, dx, dy = ("left", "top", 8, -2) if at < -1.5 else ("right", "top", -8, -24)
    return [
        label(at, y, words, style.role, ha=ha, va=va, dx=dx, dy=dy),
        markers(style, [at], [y], hover=""),
    ]


def _summary(shown: str, promised: str) -> str:
    ends = (f"promised is {promised}" if promised else "", f"shown is {shown}" if shown else "")
    found = " and ".join(filter(None, ends)) or "nothing is promised or shown"
    return (
        "How often an attacker is right with the release, by how often without it. At the chosen "
        f"baseline, {found}."
    )
