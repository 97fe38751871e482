"""Charts of a planned audit: what its bound will show, and how likely, for a number of scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from workbench._format import percent, plain, round_safely
from workbench.bounds.power.plan_results import BoundDistribution, Power, SampleSize
from workbench.curves.elementwise import Floats
from workbench.figures.kit import log_n_axis
from workbench.figures.kit.layout import base_layout, label
from workbench.figures.kit.legend import HEADROOM, Entry, key
from workbench.figures.scores import round_up

#: Color of each method, in all charts.
STYLES = {
    "pointwise": Entry("known threshold", "p", "solid", 2),
    "simultaneous": Entry("simultaneous", "good", "solid", 2.5),
    "held-out": Entry("held-out", "fit", "solid", 2.5),
    "anytime": Entry("anytime", "warn", "solid", 2.5),
}
TRUTH = Entry("truth", "ink", "dash", 1.5)

#: Points of a smooth curve, and a chance that counts as none.
POINTS, CERTAIN = 81, 1e-4

_NORMAL = NormalDist()

X_TITLE = "scores a side"

#: A truth beyond this multiple of the bounds is told and not drawn.
FAR = 4


def power_curves(
    curves: Mapping[str, Sequence[Power]],
    needed: Mapping[str, SampleSize],
    wanted: float,
    n: int,
    log_n: float,
    span: tuple[float, float],
    claim: float,
) -> dict[str, Any]:
    """The chance that the bound exceeds the claim, over n, by method.

    Parameters
    ----------
    curves : mapping
        Method -> powers.
    needed : mapping
        Method -> the n that reaches the wanted power.
    wanted : float
    n : int
        That of the slider, and ``log_n`` where it stands.
    span : (float, float)
        Ends of the axis, in log₁₀.
    claim : float
        The ε to exceed.
    """
    drawn = key([STYLES[method] for method in curves], low=True)
    drawn["shapes"].append(log_n_axis.level(wanted))
    drawn["annotations"].append(
        label(0, wanted, "wanted", "muted", xref="paper", xanchor="left",
              yanchor="bottom", xshift=4)
    )  # fmt: skip
    data: list[dict[str, Any]] = []
    for method, powers in curves.items():
        style = STYLES[method]
        data.append(
            log_n_axis.curve(style, *_smooth(powers))
            | {"hovertemplate": f"%{{y:.1%}} at %{{customdata:,}}<extra>{style.text}</extra>"}
        )
    for method, size in needed.items():
        style = STYLES[method]
        data.append(_dot(style, size.n, wanted, f"{size.n:,} a side, {style.text}"))
        first = size.n < max(other.n for other in needed.values())
        drawn["annotations"].append(
            label(math.log10(size.n), wanted, f"{size.n:,}", style.role, yanchor="top", yshift=-6,
                  xanchor="right" if first else "left", xshift=-6 if first else 6)
        )  # fmt: skip
    mark, words = log_n_axis.marker(log_n, "log_n", f"n = {n:,}", span)
    told = [f"{size.n:,} a side, {STYLES[method].text}" for method, size in needed.items()]
    return {
        "data": data,
        "layout": base_layout(
            X_TITLE,
            f"chance to show more than ε = {plain(claim)}",
            summary=f"Chance that the bound exceeds ε = {plain(claim)}, over scores a side. "
            + (f"{percent(wanted)} needs {' or '.join(told)}." if told else ""),
            x=log_n_axis.axis(*span),
            y={"range": [0, 1.12], "tickformat": ".0%", "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1]},
            hovermode="closest",
            revision=span,
            shapes=[*drawn["shapes"], mark],
            annotations=[*drawn["annotations"], words],
        ),
    }


def bounds(
    found: Mapping[str, Sequence[BoundDistribution]],
    truth: float,
    target: float,
    n: int,
    log_n: float,
    span: tuple[float, float],
) -> dict[str, Any]:
    """Median and 10 to 90 % of the bound over n, by method, and the truth that it approaches.

    Parameters
    ----------
    found : mapping
        Method -> distributions of its bound.
    truth, target : float
    n, log_n, span
        As in `power_curves`.
    """
    top = 0.1
    data: list[dict[str, Any]] = []
    for method, distributions in found.items():
        style = STYLES[method]
        ordered = sorted(distributions, key=lambda one: one.n_p)
        sizes_ = [one.n_p for one in ordered]
        low, median, high = np.array([one.quantile([0.1, 0.5, 0.9]) for one in ordered]).T
        top = max(top, float(high.max()))
        thin = Entry(style.text, style.role, "solid", 0)
        data += [
            log_n_axis.curve(thin, sizes_, low, hoverinfo="skip", hovertemplate=None),
            log_n_axis.curve(
                thin,
                sizes_,
                high,
                hoverinfo="skip",
                hovertemplate=None,
                fill="tonexty",
                fillcolor=f"@{style.role}/.16",
            ),
            log_n_axis.curve(style, sizes_, median),
        ]
    near = truth <= FAR * top
    top = round_up(1.05 * max(top, truth if near else 0.0))
    entries = [STYLES[method] for method in found] + ([TRUTH] if near else [])
    drawn = key(entries, columns=min(2, len(entries)))
    if near:
        drawn["shapes"].append(log_n_axis.level(truth, "ink"))
    if target < top:
        drawn["shapes"].append(log_n_axis.level(target))
        drawn["annotations"].append(
            label(0, target, f"target: {plain(target)}", "muted", xref="paper", xanchor="left",
                  yanchor="bottom", xshift=4)
        )  # fmt: skip
    mark, words = log_n_axis.marker(log_n, "log_n", f"n = {n:,}", span, 1 - HEADROOM)
    last = {m: max(each, key=lambda one: one.n_p) for m, each in found.items()}
    told = [
        f"{STYLES[m].text} {round_safely(float(one.quantile(0.5)), 'down')} at {one.n_p:,}"
        for m, one in last.items()
    ]
    return {
        "data": data,
        "layout": base_layout(
            X_TITLE,
            "bound on ε",
            summary=f"Median bound on ε: {', '.join(told)}. The truth is "
            f"{round_safely(truth, 'nearest')}.",
            x=log_n_axis.axis(*span),
            y={"range": [0, top / (1 - HEADROOM)]},
            revision=(*span, top),
            shapes=[*drawn["shapes"], mark],
            annotations=[*drawn["annotations"], words],
        ),
    }


def _smooth(powers: Sequence[Power]) -> tuple[Floats, Floats]:
    """A curve through the powers, whose normal quantile is nearly straight in log n."""
    ordered = sorted(powers, key=lambda power: power.n_p)
    logs = np.log10([power.n_p for power in ordered])
    z = [_NORMAL.inv_cdf(min(max(p.value, CERTAIN), 1 - CERTAIN)) for p in ordered]
    fine = np.linspace(logs[0], logs[-1], POINTS)
    return 10**fine, np.array([_NORMAL.cdf(each) for each in np.interp(fine, logs, z)])


def _dot(style: Entry, n: int, y: float, text: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": text,
        "x": [math.log10(n)],
        "y": [y],
        "hovertemplate": f"{text}<extra></extra>",
        "marker": {"size": 10, "color": f"@{style.role}", "line": {"width": 2, "color": "@paper"}},
    }
