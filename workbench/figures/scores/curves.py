"""Charts of two score samples: histograms, trade-off curve, privacy profile, μ by threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.counts.threshold import ErrorRates
from workbench.bounds.power.verdict import RefutingPoint
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.curves.validation import Floats
from workbench.estimators.histogram import Histogram
from workbench.estimators.roc import Roc
from workbench.figures.compared import POINTS, Compared
from workbench.figures.kit.axes import (
    LEAST_DELTA,
    axis,
    delta_axis,
    gaps,
    positive,
    round_up,
)
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import (
    LEFT,
    TOP,
    Mark,
    Share,
    Style,
    histogram,
    label,
    line,
    markers,
    rule,
)
from workbench.figures.kit.marks import band as area
from workbench.figures.kit.scales import (
    LINEAR,
    LINEAR_RATES,
    RATES_HOVER,
    RateAxes,
    Scale,
    per_length,
)
from workbench.figures.kit.types import Figure

MEMBERS = Style("members (P)", "p")
NON_MEMBERS = Style("non-members (Q)", "q")
OBSERVED = Style("observed", "p")
HISTOGRAM = Style("histogram", "p", "dot")
BAND = Style("simultaneous", "good")
FIT = Style("GDP fit", "fit", "dashdot")
POINTWISE = Style("pointwise limit", "p", "solid", 1)
NO_LEAK = Style("no leak", "muted", "solid", 1)
THRESHOLD = Style("threshold", "ink")
HERE = Style("", "muted", "dash", 1)
REFUTING = Style("refuting point", "bad")

#: Height of the line at the refuting threshold, in shares of a chart's: below the keys.
REFUTED_HEIGHT = 0.7

#: Width of a label in shares of a chart's.
LABEL_WIDTH = 0.2


def histograms(
    h: Histogram,
    threshold: float,
    reach: tuple[float, float],
    scale: Scale = LINEAR,
    refuting: RefutingPoint | None = None,
) -> Figure:
    """Histograms of both groups, and the threshold as a line to drag.

    Parameters
    ----------
    h : Histogram
    threshold : float
    reach : (float, float)
        Least and largest threshold; the chart shows all of it, and on a linear scale all bins.
    scale : Scale
        Of the axis; densities are relative to it.
    refuting : RefutingPoint, optional
        Where the scores contradict a claim.
    """
    shown = reach
    if scale is LINEAR:
        shown = min(reach[0], float(h.edges[0])), max(reach[1], float(h.edges[-1]))
    edges, lengths = scale.bins(h.edges, *shown)
    p, q = (per_length(counts[: h.bins], lengths) for counts in (h.p, h.q))
    hover: dict[str, Any] = {} if scale.hover is None else {"hover": scale.hover, "values": h.edges}
    top = 1.18 * max(float(p.max()), float(q.max()))
    unknown = h.p_counts.size > h.bins
    nan = f" NaN: {h.p_counts[-1]} members, {h.q_counts[-1]} non-members." if unknown else ""
    member_side = ">" if h.scores.larger_is_member else "<"
    along = np.append(0.0, np.cumsum(lengths))
    p_right = float(along[:-1] @ h.p[: h.bins]) >= float(along[:-1] @ h.q[: h.bins])
    at = scale.held(threshold, *shown)
    ha, dx = ("left", 6) if scale.share(threshold, *shown) < 0.5 else ("right", -6)
    words = f"member: score {member_side} {threshold:.4g}"
    return chart(
        [
            histogram(NON_MEMBERS, edges, q, **hover),
            histogram(MEMBERS, edges, p, **hover),
            *refuting_rule(refuting, scale, *shown, height=0.07),
            rule(THRESHOLD, x=at, drag="threshold"),
            label(at, TOP, words, "ink", ha=ha, va="top", dx=dx, drag="threshold"),
            _flank_label(MEMBERS, edges, along, p, p_right, scale),
            _flank_label(NON_MEMBERS, edges, along, q, not p_right, scale),
        ],
        scale.axis("score", *shown),
        axis(scale.density, 0, top),
        summary=f"Histograms of {h.scores.n_p} member and {h.scores.n_q} non-member scores "
        f"in {h.bins} bins, with the threshold at {threshold:.4g}; scores {member_side} "
        f"threshold are flagged as members.{nan}{_refuted_at(refuting)}",
        revision=(*shown, scale.name),
    )


def tradeoff(
    roc: Roc,
    h: Histogram,
    band: TradeoffBand,
    at_threshold: ErrorRates,
    fit: Bound,
    compared: Sequence[Compared] = (),
    on: RateAxes = LINEAR_RATES,
    refuting: RefutingPoint | None = None,
) -> Figure:
    """Trade-off curves: observed, of the histogram, certified, fitted, claimed, and of references.

    Parameters
    ----------
    roc : Roc
    h : Histogram
    band : TradeoffBand
        Gives the certified curve.
    at_threshold : ErrorRates
        Error rates at the threshold in view.
    fit : Bound
        Fitted μ.
    compared : sequence of Compared
        The claim and references.
    on : RateAxes
        The axes.
    refuting : RefutingPoint, optional
        Where the scores contradict a claim.
    """
    fpr, fnr = float(at_threshold.fpr), float(at_threshold.fnr)
    alpha = on.alpha
    x, y = on.held(fpr, fnr)
    drawn = [
        area(
            line(NO_LEAK, *on.no_leak, hover=""),
            _rates_line(BAND, on, *on.rates(band.curve)),
            "good",
            0.08,
        ),
        _rates_line(HISTOGRAM, on, *on.rates(h.curve)),
        _rates_line(FIT, on, alpha, _gaussian(fit, alpha)),
    ]
    styles = [OBSERVED, HISTOGRAM, BAND, FIT]
    for one in compared:
        drawn.append(_rates_line(one.style, on, alpha, one.tradeoff(alpha)))
        styles.append(one.style)
    drawn += [
        _rates_line(OBSERVED, on, *on.rates(roc.curve)),
        markers(Style("at the threshold", "ink"), [x], [y], size=11),
        *_refuting_marker(refuting, on),
        key([*styles, NO_LEAK], low=on.low_key),
    ]
    tv = band.total_variation()
    return chart(
        drawn,
        *on.axes(),
        summary=f"Trade-off between the two error rates. At the threshold they are {fpr:.3g} "
        f"and {fnr:.3g}. With {percent(band.confidence)} confidence some attack has a "
        f"sum below {round_safely(1 - tv.value, 'up')}; without a leak the sum is 1."
        f"{_refuted_at(refuting)}",
        closest=True,
        revision=on.name,
    )


def profile(
    h: Histogram,
    band: TradeoffBand,
    certified: Bound,
    fit: Bound,
    compared: Sequence[Compared] = (),
) -> Figure:
    """Privacy profiles δ(ε): of the histogram, certified, fitted, claimed, and of references.

    Parameters
    ----------
    h : Histogram
    band : TradeoffBand
        Gives the certified profile.
    certified : Bound
        The certified ε that is marked, at its δ.
    fit : Bound
        Fitted μ.
    compared : sequence of Compared
        The claim and references.
    """
    delta = certified.delta or 0.0
    most = round_up(max([1.0, 1.35 * certified.value, *_epsilons(compared, delta)]))
    epsilon = np.linspace(0, most, POINTS)
    low = min(math.log10(LEAST_DELTA), math.log10(delta) - 1)
    # By δ, since the certified curve ends in a vertical drop that no grid of ε would show.
    certified_delta = np.logspace(low, 0, 201)[:-1]
    # The bound at the asked δ is sharper than the curve, and holds at every smaller δ as well.
    shown = np.where(certified_delta <= delta * (1 + 1e-9), certified.value, 0.0)
    certified_epsilon = np.maximum(band.curve.epsilon(certified_delta), shown)
    drawn = [
        line(HISTOGRAM, epsilon, positive(h.profile(epsilon))),
        line(FIT, epsilon, positive(_gaussian_profile(fit, epsilon))),
        line(BAND, certified_epsilon, certified_delta),
    ]
    styles, promised = [HISTOGRAM, BAND, FIT], ""
    for one in compared:
        drawn.append(line(one.style, *one.profile(most, low, delta)))
        styles.append(one.style)
        at_delta = round_safely(one.epsilon(delta), "nearest")
        promised += f"; {one.words} ε = {at_delta}"
    drawn += [
        markers(Style("certified ε at δ", "good"), [certified.value], [delta]),
        key(styles, columns=2),
        rule(HERE, y=delta),
        label(LEFT, delta, f"δ = {plain(delta)}", "muted", ha="left", va="top"),
    ]
    return chart(
        drawn,
        axis("ε", 0, most),
        delta_axis(low),
        summary=f"Privacy profile. At δ = {plain(delta)} every ε below {certified.rounded} is "
        f"refuted with {percent(band.confidence)} confidence{promised}.",
        closest=True,
        revision=(most, low),
    )


def mu_at_thresholds(
    rates: ErrorRates,
    band: TradeoffBand | None,
    threshold: float,
    compared: Sequence[Compared] = (),
    scale: Scale = LINEAR,
    refuting: RefutingPoint | None = None,
) -> Figure:
    """μ that each threshold alone implies, with pointwise and simultaneous lower limits.

    Parameters
    ----------
    rates : ErrorRates
        At every threshold.
    band : TradeoffBand, optional
        None where its thresholds are not on this score.
    threshold : float
        The one in view, as a line to drag.
    compared : sequence of Compared
        The claim and references.
    scale : Scale
        Of the axis of thresholds.
    refuting : RefutingPoint, optional
        Where the scores contradict a claim.
    """
    # Where all or none are flagged there is no attack; drawn at 0, it would lie beyond a gap.
    attacks = ((rates.fpr > 0) | (rates.fnr < 1)) & ((rates.fpr < 1) | (rates.fnr > 0))
    t, observed = rates.thresholds, np.where(attacks, gaps(rates.mu), np.nan)
    lower = np.where(np.isnan(observed), np.nan, gaps(rates.mu_lower))
    x = scale.place(t)
    hover: dict[str, Any] = {} if scale.hover is None else {"hover": scale.hover, "values": t}
    drawn = [
        area(line(POINTWISE, x, lower, **hover), line(OBSERVED, x, observed, **hover), "p", 0.14)
    ]
    styles = [OBSERVED, POINTWISE]
    tops, parts = [1.0, float(np.nanmax(observed, initial=0.0))], ""
    if band is not None:
        inside = (band.thresholds >= t[0]) & (band.thresholds <= t[-1])
        at = scale.place(band.thresholds[inside])
        drawn.append(line(BAND, at, band.mu_lower[inside], dots=6))
        styles.append(BAND)
        best = band.mu()
        tops.append(2 * best.value)
        parts = (
            f"Over all thresholds at once, every μ below {best.rounded} is refuted with "
            f"{percent(band.confidence)} confidence; "
        )
    for one in compared:
        promised = gaps(one.local_mu(rates.fpr))
        drawn.append(line(one.style, x, promised, **hover))
        styles.append(one.style)
        tops.append(float(np.nanmax(promised, initial=0.0)))
    top = max(tops) / (1 - HEADROOM)
    span = float(t[0]), float(t[-1])
    return chart(
        [
            *drawn,
            *refuting_rule(refuting, scale, *span, height=REFUTED_HEIGHT),
            key(styles, columns=2),
            rule(THRESHOLD, x=scale.held(threshold, *span), drag="threshold"),
        ],
        scale.axis("threshold (score)" if scale is LINEAR else "threshold", *span),
        axis("μ", min(-0.25, -0.1 * top), top),
        summary=f"GDP parameter μ that each threshold alone implies. {parts}the pointwise "
        f"limits hold only for a threshold fixed in advance.{_refuted_at(refuting)}",
        closest=True,
        revision=(*span, top, scale.name),
    )


def refuting_rule(
    point: RefutingPoint | None, scale: Scale, low: float, high: float, height: float
) -> tuple[Mark, ...]:
    """A line at the threshold at which scores contradict a claim most; nothing without one.

    Parameters
    ----------
    point : RefutingPoint or None
    scale : Scale
    low, high : float
        Scores at the ends of the axis.
    height : float
        Of its name, in shares of the chart's.
    """
    if point is None:
        return ()
    at = scale.held(point.threshold, low, high)
    side = ("left", 6) if scale.share(point.threshold, low, high) < 0.5 else ("right", -6)
    return (
        rule(REFUTING, x=at, end=Share(REFUTED_HEIGHT)),
        label(at, Share(height), "claim refuted here", "bad", ha=side[0], dx=side[1]),
    )


def _rates_line(style: Style, on: RateAxes, fpr: Floats, fnr: Floats) -> Mark:
    """A trade-off curve through points."""
    if not on.hovers:
        return line(style, *on.points(fpr, fnr))
    return line(
        style, *on.points(fpr, fnr), hover=RATES_HOVER, values=np.stack([fpr, fnr], 1).tolist()
    )


def _refuting_marker(point: RefutingPoint | None, on: RateAxes) -> tuple[Mark, ...]:
    """The refuting point with its name, beside it."""
    if point is None:
        return ()
    x, y = on.held(point.fpr_upper, point.fnr_upper)
    return (
        markers(REFUTING, [x], [y], size=12, symbol="diamond"),
        label(x, y, "claim refuted here", "bad", ha="left", va="bottom", dx=8, dy=2),
    )


def _refuted_at(point: RefutingPoint | None) -> str:
    if point is None:
        return ""
    return " It is marked where the scores refute the claim most clearly."


def _flank_label(
    style: Style, edges: Floats, along: Floats, density: Floats, right: bool, scale: Scale
) -> Mark:
    """A label on the outer flank of a histogram, where the other one is low."""
    width = float(along[-1]) * LABEL_WIDTH
    mass = np.cumsum(density * np.diff(along))
    i = int(np.searchsorted(mass, (0.8 if right else 0.2) * mass[-1]))
    x = float(along[i] + along[i + 1]) / 2
    if not 0 <= x + (width if right else -width) <= along[-1]:
        right = not right  # no room on the outer flank
    reach = width if right else -width
    under = (along[1:] > min(x, x + reach)) & (along[:-1] < max(x, x + reach))
    ha, dx = ("left", 8) if right else ("right", -8)
    top = float(density[under].max())
    at = scale.middle(float(edges[i]), float(edges[i + 1]))
    return label(at, top, style.name, style.role, ha=ha, va="bottom", dx=dx)


def _gaussian(fit: Bound, alpha: Floats) -> Floats:
    from workbench.curves.gdp import gaussian_tradeoff

    if math.isinf(fit.value):  # histograms that do not overlap
        return np.where(alpha > 0, 0.0, 1.0)
    return np.asarray(gaussian_tradeoff(fit.value, alpha))


def _gaussian_profile(fit: Bound, epsilon: Floats) -> Floats:
    from workbench.curves.gdp import gaussian_log_profile

    if math.isinf(fit.value):
        return np.ones_like(epsilon)
    return np.exp(np.asarray(gaussian_log_profile(fit.value, epsilon)))


def _epsilons(compared: Sequence[Compared], delta: float) -> list[float]:
    found = [one.epsilon(delta) for one in compared]
    return [1.15 * epsilon for epsilon in found if math.isfinite(epsilon)]
