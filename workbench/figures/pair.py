"""Charts of a known pair: local μ at every error rate, and its privacy profile."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench._format import percent, plain, round_safely
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.figures.kit.axes import (
    LEAST_DELTA,
    axis,
    delta_axis,
    positive,
    powers_of_ten,
    round_up,
    visible_profile,
)
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import BOTTOM, LEFT, Share, Style, label, line, markers, rule
from workbench.figures.kit.types import Figure
from workbench.figures.scores.curves import BAND
from workbench.pairs.base import Pair
from workbench.pairs.gdp_tangent import Meeting

TRUTH = Style("truth", "ink", "dash", 1.5)
ABOVE = Style("truth", "ink", width=2.5)
TIGHT = Style("Gaussian, tight μ", "fit", "dashdot")
FLOOR = Style("", "muted")
LIMIT = Style("", "muted", "dot", 1)

#: log₁₀ of the smallest false positive rate on the chart.
LEAST_LOG_ALPHA = -12


def mu_at_rates(
    log_alpha: NDArray[np.float64],
    truth: NDArray[np.float64] | None,
    certified: NDArray[np.float64],
    confidence: float,
    log_floor: float,
    tight: float,
    limit: float | None,
) -> Figure:
    """Local μ of the symmetrized curve over log₁₀ α, and the tight μ of the range that is left.

    Parameters
    ----------
    log_alpha : ndarray
        Up to where both rates are the same; the mirror image has the same μ.
    truth : ndarray or None
        Local μ of the pair; None hides it, and all that follows from it.
    certified : ndarray
        Local μ of the simultaneous band's curve.
    confidence : float
        Of the band.
    log_floor : float
        The floor, as a line to drag.
    tight : float
        Largest local μ with both rates at least the floor.
    limit : float, optional
        Where local μ goes as α → 0, if that is known.
    """
    drawn, styles = [line(BAND, log_alpha, certified)], [BAND]
    top = max(1.0, float(certified.max(initial=0.0)))
    parts = "The true curve is hidden."
    if truth is not None:
        inside = log_alpha >= log_floor
        left, rest = np.where(inside, np.nan, truth), np.where(inside, truth, np.nan)
        drawn += [
            line(TRUTH, log_alpha, left),
            line(ABOVE, log_alpha, rest),
            line(TIGHT, [LEAST_LOG_ALPHA, 0], [tight, tight]),
        ]
        styles += [ABOVE, TIGHT]
        top = max(top, float(truth.max(initial=0.0)), tight)
        parts = (
            f"With both error rates at least {plain(10**log_floor)} the tight μ is "
            f"{round_safely(tight, 'nearest', 4)}."
        )
    drawn.append(key(styles, columns=min(2, len(styles))))
    if truth is not None and limit is not None and limit <= 1.6 * top:
        top = max(top, limit)
        words = f"1/σ = {round_safely(limit, 'nearest')}, the limit for α → 0"
        drawn += [
            rule(LIMIT, y=limit),
            label(LEFT, limit, words, "muted", ha="left", va="bottom", dx=4),
        ]
    side = ("left", 6) if log_floor < LEAST_LOG_ALPHA / 2 else ("right", -6)
    drawn += [
        # It ends under the key.
        rule(FLOOR, x=log_floor, end=Share(1 - HEADROOM), drag="floor"),
        label(log_floor, BOTTOM, f"floor {plain(10**log_floor)}", "muted", ha=side[0],
              va="bottom", dx=side[1], drag="floor"),
    ]  # fmt: skip
    top = round_up(top / (1 - HEADROOM))
    ticks = powers_of_ten(range(LEAST_LOG_ALPHA, 1, 2), log=False)
    return chart(
        drawn,
        axis("false positive rate α", LEAST_LOG_ALPHA, 0, ticks=ticks),
        axis("local μ(α)", 0, top),
        summary=f"Local μ at every false positive rate. {parts} The simultaneous curve is what "
        f"these samples show of it with {percent(confidence)} confidence.",
        closest=True,
        revision=top,
    )


def profile_of_truth(
    pair: Pair | None, band: TradeoffBand, delta: float, tight: float, meeting: Meeting | None
) -> Figure:
    """The pair's profile, that of the Gaussian pair with the tight μ, and where they meet.

    Parameters
    ----------
    pair : Pair or None
        None hides the truth.
    band : TradeoffBand
        Its curve is the certified one.
    delta : float
        Where the certified ε is read.
    tight : float
        The tight μ.
    meeting : Meeting or None
        None where the whole curve lies below the floor.
    """
    from workbench.curves.gdp import gaussian_log_profile

    certified = band.epsilon(delta)
    reach = [1.0, 1.35 * certified.value]
    low = min(math.log10(LEAST_DELTA), math.log10(delta) - 1)
    if pair is not None:
        reach += [1.15 * e for e in [float(pair.epsilon(delta))] if math.isfinite(e)]
        if meeting is not None:
            reach.append(1.3 * meeting.epsilon)
            low = min(low, math.floor(math.log10(meeting.delta)) - 1 if meeting.delta else low)
    most = round_up(max(reach))
    epsilon = np.linspace(0, most, 201)
    by_delta = np.logspace(low, 0, 201)[:-1]
    drawn, styles = [line(BAND, band.curve.epsilon(by_delta), by_delta)], [BAND]
    notes, parts = [], "The true curve is hidden."
    if pair is not None:
        gaussian = np.exp(np.asarray(gaussian_log_profile(tight, epsilon)))
        drawn += [
            line(TRUTH, *visible_profile(pair, epsilon, low, delta)),
            line(TIGHT, epsilon, positive(gaussian)),
        ]
        styles += [TRUTH, TIGHT]
        parts = f"Gaussian profile of the tight μ, {round_safely(tight, 'nearest', 4)}."
        if meeting is not None and meeting.delta:
            near = meeting.epsilon < 0.6 * most
            verb = "touch" if meeting.tangent else "cross"
            at = round_safely(meeting.epsilon, "nearest") if meeting.epsilon > 1e-9 else "0"
            met = Style(f"where they {verb}", "fit")
            drawn.append(markers(met, [meeting.epsilon], [meeting.delta], size=11))
            # Profiles fall, so that above right and below left there is room.
            ha, va, away = ("left", "bottom", 1) if near else ("right", "top", -1)
            notes.append(
                label(meeting.epsilon, meeting.delta, f"they {verb} at ε = {at}", "fit",
                      ha=ha, va=va, dx=6 * away, dy=4 * away)
            )  # fmt: skip
            parts += (
                f" It {verb}es the pair's profile at ε = {at}, "
                f"δ = {round_safely(meeting.delta, 'nearest')}."
            )
    return chart(
        [*drawn, key(styles, columns=min(2, len(styles))), *notes],
        axis("ε", 0, most),
        delta_axis(low),
        summary=f"Privacy profile. {parts} The simultaneous curve holds with "
        f"{percent(band.confidence)} confidence.",
        closest=True,
        revision=(most, low),
    )
