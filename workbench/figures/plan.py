"""Charts of a planned audit: power and distribution of its bound against the sample size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from workbench._format import percent, plain, round_safely
from workbench.bounds.power.plan_results import BoundDistribution, Power, SampleSize
from workbench.curves.validation import Floats
from workbench.figures.kit import log_n_axis
from workbench.figures.kit.axes import axis, round_up
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import Mark, Style, band, label, markers, rule
from workbench.figures.kit.types import Figure

#: Color of each method, in all charts.
STYLES = {
    "pointwise": Style("fixed threshold", "p", "solid", 2),
    "simultaneous": Style("simultaneous", "good", "solid", 2.5),
    "one question": Style("one question", "good", "solid", 2.5),
    "held-out": Style("held-out", "fit", "solid", 2.5),
    "anytime": Style("anytime", "warn", "solid", 2.5),
}
TRUTH = Style("truth", "ink", "dash", 1.5)

#: Points of a smooth curve, and a power that counts as 0.
POINTS, CERTAIN = 81, 1e-4

_NORMAL = NormalDist()

X_TITLE = "scores per group"

#: A truth beyond this multiple of the bounds is not drawn; the summary states it.
FAR = 4


def power_curves(
    curves: Mapping[str, Sequence[Power]],
    needed: Mapping[str, SampleSize],
    wanted: float,
    n: int,
    log_n: float,
    span: tuple[float, float],
    claim: float,
) -> Figure:
    """Power against n, by method: the probability that the bound exceeds the claim.

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
    drawn: list[Mark] = []
    for method, powers in curves.items():
        hover = "{y:.1%} at {value:,} {name}"
        drawn.append(log_n_axis.curve(STYLES[method], *_smooth(powers), hover=hover))
    parts = {method: f"{n.n:,} per group, {STYLES[method].name}" for method, n in needed.items()}
    for method, size in needed.items():
        style = Style(parts[method], STYLES[method].role)
        drawn.append(markers(style, [math.log10(size.n)], [wanted], hover=style.name))
    drawn += [
        key([STYLES[method] for method in curves], low=True),
        *log_n_axis.level(wanted, "wanted power"),
    ]
    for method, size in needed.items():
        first = size.n < max(other.n for other in needed.values())
        ha, dx = ("right", -6) if first else ("left", 6)
        drawn.append(
            label(math.log10(size.n), wanted, f"{size.n:,}", STYLES[method].role, ha=ha, va="top",
                  dx=dx, dy=-6)
        )  # fmt: skip
    shares = {share: f"{share:.0%}" for share in (0, 0.2, 0.4, 0.6, 0.8, 1)}
    return chart(
        [*drawn, *log_n_axis.handle(log_n, "log_n", f"n = {n:,}", span)],
        log_n_axis.axis(X_TITLE, *span),
        axis(f"power to show ε > {plain(claim)}", 0, 1.12, ticks=shares),
        summary=f"Probability that the bound exceeds ε = {plain(claim)}, by scores per group. "
        + (f"{percent(wanted)} needs {' or '.join(parts.values())}." if parts else ""),
        closest=True,
        revision=span,
    )


def bounds(
    found: Mapping[str, Sequence[BoundDistribution]],
    truth: float,
    target: float,
    n: int,
    log_n: float,
    span: tuple[float, float],
) -> Figure:
    """Median, 10% and 90% quantiles of the bound against n, by method, and the truth.

    Parameters
    ----------
    found : mapping
        Method -> distributions of its bound.
    truth, target : float
    n, log_n, span
        As in `power_curves`.
    """
    top = 0.1
    drawn: list[Mark] = []
    for method, distributions in found.items():
        style = STYLES[method]
        ordered = sorted(distributions, key=lambda one: one.n_p)
        sizes = [one.n_p for one in ordered]
        low, median, high = np.array([one.quantile([0.1, 0.5, 0.9]) for one in ordered]).T
        top = max(top, float(high.max()))
        edge = replace(style, width=0)
        low_edge, high_edge = (log_n_axis.curve(edge, sizes, y, hover="") for y in (low, high))
        drawn += [
            band(low_edge, high_edge, style.role, 0.16),
            log_n_axis.curve(style, sizes, median),
        ]
    near = truth <= FAR * top
    top = round_up(1.05 * max(top, truth if near else 0.0))
    styles = [STYLES[method] for method in found] + ([TRUTH] if near else [])
    drawn.append(key(styles, columns=min(2, len(styles))))
    if near:
        drawn.append(rule(TRUTH, y=truth))
    if target < top:
        drawn += log_n_axis.level(target, f"target: {plain(target)}")
    last = {m: max(each, key=lambda one: one.n_p) for m, each in found.items()}
    parts = [
        f"{STYLES[m].name} {round_safely(float(one.quantile(0.5)), 'down')} at {one.n_p:,}"
        for m, one in last.items()
    ]
    return chart(
        [*drawn, *log_n_axis.handle(log_n, "log_n", f"n = {n:,}", span, 1 - HEADROOM)],
        log_n_axis.axis(X_TITLE, *span),
        axis("bound on ε", 0, top / (1 - HEADROOM)),
        summary=f"Median bound on ε: {', '.join(parts)}. The truth is "
        f"{round_safely(truth, 'nearest')}.",
        revision=(*span, top),
    )


def _smooth(powers: Sequence[Power]) -> tuple[Floats, Floats]:
    """A curve through the powers, whose normal quantile is nearly straight in log n."""
    ordered = sorted(powers, key=lambda power: power.n_p)
    logs = np.log10([power.n_p for power in ordered])
    z = [_NORMAL.inv_cdf(min(max(p.value, CERTAIN), 1 - CERTAIN)) for p in ordered]
    fine = np.linspace(logs[0], logs[-1], POINTS)
    return 10**fine, np.array([_NORMAL.cdf(each) for each in np.interp(fine, logs, z)])
