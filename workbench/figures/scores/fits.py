"""Charts of estimates: residuals of a fitted μ, and the total variation by bin width."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.parametric.residuals import LocalMu
from workbench.curves.validation import Floats
from workbench.estimators.bin_widths import BinWidthCurve
from workbench.estimators.histogram import Histogram
from workbench.figures.compared import Compared
from workbench.figures.kit.axes import axis, gaps
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import Mark, Share, Style, band, line, markers, rule
from workbench.figures.kit.types import Figure

OBSERVED = Style("observed", "p")
LIMITS = Style("two-sided limits", "good", "solid", 1)
FIT = Style("GDP fit", "fit", "dashdot")

PLAIN = Style("plain", "p", "dot")
CROSS_FITTED = Style("cross-fitted", "p")
CERTIFIED = Style("certified", "good")
TRUTH = Style("truth", "ink", "dash", 1.5)
CHOSEN = Style("chosen bins", "ink")

#: False positive rates with a tick on a probit axis.
TICKS = (1e-4, 0.01, 0.1, 0.5, 0.9, 0.99)

#: Ranges that are named one by one.
MOST_RANGES = 2

#: An axis begins at 0 if the least value is below this share of the largest one.
SMALL = 0.4

#: Share of the limits that the chart shows.
SHOWN = 0.7

_NORMAL = NormalDist()
_probit = np.vectorize(_NORMAL.inv_cdf, otypes=[float])
_normal = np.vectorize(_NORMAL.cdf, otypes=[float])


def residuals(
    fit: Bound, local: LocalMu, distance: float, compared: Sequence[Compared] = ()
) -> Figure:
    """Local μ less the fitted one: of the data, of their limits, of the claim and references.

    Parameters
    ----------
    fit : Bound
        Fitted μ.
    local : LocalMu
    distance : float
        Between the observed and the fitted curve, along both error rates.
    compared : sequence of Compared
        The claim and references.
    """
    mu = fit.value if math.isfinite(fit.value) else 0.0
    fpr, observed = local.observed
    limits = (local.fpr_of_lower, local.lower - mu), (local.fpr_of_upper, local.upper - mu)
    reach = _reach(limits[0][1], limits[1][1], observed - mu)
    lower, upper = (_limit(fpr, limit, reach) for fpr, limit in limits)
    drawn = [
        band(lower, upper, "good", 0.12),
        rule(FIT, y=0.0),
    ]
    styles = [OBSERVED, FIT, LIMITS]
    edge = -_NORMAL.inv_cdf(0.5 / (local.roc.scores.n_q + 1))
    along = np.linspace(-edge, edge, 101)
    for one in compared:
        promised = np.asarray(one.pair.local_mu(_normal(along))) - mu
        drawn.append(line(one.style, along, gaps(promised)))
        styles.append(one.style)
    drawn += [line(OBSERVED, _probit(fpr), observed - mu, hover=""), key(styles, columns=2)]
    ticks = {x: plain(rate) for rate in TICKS if abs(x := _NORMAL.inv_cdf(rate)) <= edge}
    return chart(
        drawn,
        axis("false positive rate", -edge, edge, ticks=ticks, turned=0),
        axis("local μ − fitted μ", -reach, reach / (1 - 2 * HEADROOM)),
        summary=f"{_where_it_fits(fit, local)} Observed and fitted curve are "
        f"{round_safely(distance, 'up', 2)} apart along both error rates (regret).",
        revision=(edge, reach),
    )


def tv_by_bin_width(
    curve: BinWidthCurve, h: Histogram, chosen: float, certified: Bound, truth: float | None
) -> Figure:
    """Total variation by bin width: plain and cross-fitted estimate, certified bound, truth.

    Parameters
    ----------
    curve : BinWidthCurve
        At ε = 0.
    h : Histogram
        Of the chosen bins.
    chosen : float
        Their width, or the median of their widths, as a line to drag.
    certified : Bound
        Simultaneous lower bound on the total variation.
    truth : float, optional
        Where it is known.
    """
    estimate = h.total_variation
    low, high = float(curve.widths.min()), float(curve.widths.max())
    ends = [min(low, chosen), max(high, chosen)]
    drawn = [
        band(
            line(CROSS_FITTED, curve.widths, curve.cross_fitted),
            line(PLAIN, curve.widths, curve.plain),
            "p",
            0.1,
        ),
        rule(CERTIFIED, y=certified.value),
    ]
    styles, known = [PLAIN, CROSS_FITTED, CERTIFIED], ""
    if truth is not None:
        drawn.append(rule(TRUTH, y=truth))
        styles.append(TRUTH)
        known = f" The true one is {round_safely(truth, 'nearest')}."
    drawn += [
        rule(CHOSEN, x=chosen, end=Share(1 - HEADROOM), drag="bin width"),
        markers(CHOSEN, [chosen], [estimate], size=9),
        key(styles, columns=2),
    ]
    levels = [certified.value, estimate, certified.value if truth is None else truth]
    top = max(0.05, float(curve.plain.max()), *levels)
    bottom = min(float(curve.cross_fitted.min()), *levels)
    bottom = min(1.1 * bottom, 0.0) if bottom < SMALL * top else bottom - 0.1 * (top - bottom)
    best = curve.best
    of = "of equal probability" if h.rule == "quantile" else f"{plain(chosen)} wide"
    return chart(
        drawn,
        axis(
            "bin width (score)",
            *(math.log10(end) for end in ends),
            log=True,
            ticks={x: plain(x) for x in _round_numbers(*ends)},
        ),
        axis("total variation", bottom, bottom + (top - bottom) / (1 - HEADROOM)),
        summary=f"Total variation by bin width. The {h.bins} chosen bins, {of}, give "
        f"{round_safely(estimate, 'nearest')}. The cross-fitted estimate is largest at width "
        f"{plain(float(curve.widths[best]))}, where it is "
        f"{round_safely(float(curve.cross_fitted[best]), 'nearest')} and the plain one "
        f"{round_safely(float(curve.plain[best]), 'nearest')}. Certified: at least "
        f"{certified.rounded}.{known}",
        closest=True,
        revision=(*ends, bottom, top),
    )


def _round_numbers(low: float, high: float) -> list[float]:
    """Ticks between two numbers: powers of ten, and multiples of them where these are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1,) if high > 1000 * low else (1, 3) if high > 30 * low else (1, 2, 5)
    found = [float(f"{factor}e{power}") for power in powers for factor in factors]
    return [x for x in found if low <= x <= high]


def _limit(fpr: Floats, limit: Floats, reach: float) -> Mark:
    """A line of limits; infinite ones lie beyond the chart."""
    shown = (fpr > 0) & (fpr < 1)
    return line(
        LIMITS, _probit(fpr[shown]), np.clip(limit[shown], -20 * reach, 20 * reach), hover=""
    )


def _reach(lower: Floats, upper: Floats, observed: Floats) -> float:
    """Half the height of the chart: most of the limits, and of the data."""
    ends = np.abs(np.concatenate([lower[np.isfinite(lower)], upper[np.isfinite(upper)]]))
    if not ends.size:
        return 1.0
    most = float(np.quantile(np.abs(observed), 0.9)) if observed.size else 0.0
    return max(0.05, 1.05 * float(np.quantile(ends, SHOWN)), 1.05 * most)


def _where_it_fits(fit: Bound, local: LocalMu) -> str:
    level, start = percent(local.confidence), f"Residuals of μ ≈ {fit.rounded}."
    if not math.isfinite(fit.value):
        return f"{start} There are none from an infinite μ: drawn is the local μ itself."
    more, less = local.outside(fit.value, "above"), local.outside(fit.value, "below")
    parts = [
        f"{word} at false positive rates {_ranges(found)}"
        for word, found in (("more", more), ("less", less))
        if found
    ]
    if not parts:
        return (
            f"{start} One μ describes the whole curve within the two-sided {level} limits, which "
            "does not show that the pair is Gaussian."
        )
    return (
        f"{start} With {level} confidence these scores leak {' and '.join(parts)} than a Gaussian "
        "pair with this μ."
    )


def _ranges(found: list[tuple[float, float]]) -> str:
    if len(found) > MOST_RANGES:  # limits of many thresholds, some of them just wide enough
        return f"between {plain(found[0][0])} and {plain(found[-1][1])}"
    return ", ".join(_range(low, high) for low, high in found)


def _range(low: float, high: float) -> str:
    if low == high:
        return f"near {plain(low)}"
    if low == 0:
        return f"up to {plain(high)}"
    return f"from {plain(low)} on" if high == 1 else f"from {plain(low)} to {plain(high)}"
