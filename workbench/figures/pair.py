"""Charts of a pair's own curves: μ at every error rate, and the profile beside its tight μ's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench._format import percent, plain, round_safely
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.figures.kit.dot_rows import across
from workbench.figures.kit.layout import base_layout, delta_axis, label, power_of_ten, vertical_line
from workbench.figures.kit.legend import HEADROOM, Entry, key, line
from workbench.figures.scores import BAND, LEAST_DELTA, drawable, round_up
from workbench.pairs.base import Pair
from workbench.pairs.gdp_tangent import Meeting

TRUTH = Entry("truth", "ink", "dash", 1.5)
ABOVE = Entry("truth", "ink", width=2.5)
TIGHT = Entry("Gaussian, tight μ", "fit", "dashdot")

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
) -> dict[str, Any]:
    """Local μ of the symmetrised curve over log₁₀ α, and the tight μ of the range that is left.

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
    # It ends under the key.
    floor = vertical_line(log_floor, name="floor", role="muted") | {"y1": 1 - HEADROOM}
    right = log_floor < LEAST_LOG_ALPHA / 2
    floor_name = label(
        log_floor,
        0,
        f"floor {plain(10**log_floor)}",
        "muted",
        name="floor",
        yref="paper",
        yanchor="bottom",
        xanchor="left" if right else "right",
        xshift=6 if right else -6,
    )
    data, entries = [line(BAND, log_alpha, certified)], [BAND]
    top = max(1.0, float(certified.max(initial=0.0)))
    told = "The pair's own curve is hidden."
    if truth is not None:
        inside = log_alpha >= log_floor
        left, rest = np.where(inside, np.nan, truth), np.where(inside, truth, np.nan)
        data += [
            line(TRUTH, log_alpha, left),
            line(ABOVE, log_alpha, rest),
            line(TIGHT, [LEAST_LOG_ALPHA, 0], [tight, tight]),
        ]
        entries += [ABOVE, TIGHT]
        top = max(top, float(truth.max(initial=0.0)), tight)
        told = (
            f"With both error rates at least {plain(10**log_floor)} the tight μ is "
            f"{round_safely(tight, 'nearest', 4)}."
        )
    drawn = key(entries, columns=min(2, len(entries)))
    if truth is not None and limit is not None and limit <= 1.6 * top:
        top = max(top, limit)
        drawn["shapes"].append(across(limit))
        drawn["shapes"][-1]["line"] = {"color": "@muted", "width": 1, "dash": "dot"}
        drawn["annotations"].append(
            label(0, limit, f"1/σ = {round_safely(limit, 'nearest')}, the limit for α → 0",
                  "muted", xref="paper", xanchor="left", yanchor="bottom", xshift=4)
        )  # fmt: skip
    drawn["shapes"].append(floor)
    drawn["annotations"].append(floor_name)
    top = round_up(top / (1 - HEADROOM))
    powers = range(LEAST_LOG_ALPHA, 1, 2)
    return {
        "data": data,
        "layout": base_layout(
            "false positive rate α",
            "local μ(α)",
            summary=f"Local μ at every false positive rate. {told} The simultaneous curve is what "
            f"these samples show of it with {percent(confidence)} confidence.",
            x={
                "range": [LEAST_LOG_ALPHA, 0],
                "tickvals": list(powers),
                "ticktext": [power_of_ten(k) for k in powers],
            },
            y={"range": [0, top]},
            hovermode="closest",
            revision=top,
            **drawn,
        ),
    }


def profile_of_truth(
    pair: Pair | None, band: TradeoffBand, delta: float, tight: float, meeting: Meeting | None
) -> dict[str, Any]:
    """The pair's profile, the Gaussian's with the tight μ, and where they meet (HIST Fig. 13).

    Parameters
    ----------
    pair : Pair or None
        None hides the truth.
    band : TradeoffBand
        Its curve is the certified one.
    delta : float
        What ε is asked for.
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
    data, entries = [line(BAND, band.curve.epsilon(by_delta), by_delta)], [BAND]
    annotations, told = [], "The pair's own curve is hidden."
    if pair is not None:
        gaussian = np.exp(np.asarray(gaussian_log_profile(tight, epsilon)))
        data += [
            line(TRUTH, epsilon, drawable(pair.profile(epsilon))),
            line(TIGHT, epsilon, drawable(gaussian)),
        ]
        entries += [TRUTH, TIGHT]
        told = f"Gaussian profile of the tight μ, {round_safely(tight, 'nearest', 4)}."
        if meeting is not None and meeting.delta:
            near = meeting.epsilon < 0.6 * most
            verb = "touch" if meeting.tangent else "cross"
            at = round_safely(meeting.epsilon, "nearest") if meeting.epsilon > 1e-9 else "0"
            data.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": f"where they {verb}",
                    "x": [meeting.epsilon],
                    "y": [meeting.delta],
                    "cliponaxis": False,
                    "marker": dict(size=11, color="@fit", line={"width": 2, "color": "@paper"}),
                }
            )
            annotations.append(
                label(
                    meeting.epsilon,
                    math.log10(meeting.delta),
                    f"they {verb} at ε = {at}",
                    "fit",
                    # Profiles fall, so that above right and below left there is room.
                    xanchor="left" if near else "right",
                    yanchor="bottom" if near else "top",
                    xshift=6 if near else -6,
                    yshift=4 if near else -4,
                )
            )
            told += (
                f" It {verb}es the pair's profile at ε = {at}, "
                f"δ = {round_safely(meeting.delta, 'nearest')}."
            )
    drawn = key(entries, columns=min(2, len(entries)))
    drawn["annotations"] += annotations
    return {
        "data": data,
        "layout": base_layout(
            "ε",
            "δ",
            summary=f"Privacy profile. {told} The simultaneous curve holds with "
            f"{percent(band.confidence)} confidence.",
            x={"range": [0, most]},
            y=delta_axis(low),
            hovermode="closest",
            revision=(most, low),
            **drawn,
        ),
    }
