"""Charts of two score samples: histograms, trade-off curve, privacy profile, μ by threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.counts.threshold import ErrorRates
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.curves.validation import Floats
from workbench.estimators.histogram import Histogram
from workbench.estimators.roc import Roc
from workbench.figures.compared import Compared
from workbench.figures.kit.axes import (
    LEAST_DELTA,
    axis,
    delta_axis,
    gaps,
    positive,
    round_up,
    visible_profile,
)
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import (
    LEFT,
    TOP,
    Mark,
    Style,
    histogram,
    label,
    line,
    markers,
    rule,
)
from workbench.figures.kit.marks import band as area
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

#: False positive rates at which smooth curves are drawn: dense at both ends.
ALPHA = np.unique(np.concatenate([np.logspace(-6, -1, 60), np.linspace(0, 1, 161)]))

#: Width of a label in shares of a chart's.
LABEL_WIDTH = 0.2


def histograms(h: Histogram, threshold: float, reach: tuple[float, float]) -> Figure:
    """Histograms of both groups, and the threshold as a line to drag.

    Parameters
    ----------
    h : Histogram
    threshold : float
    reach : (float, float)
        Least and largest threshold; the chart shows all of it, and all bins.
    """
    width = np.diff(h.edges)
    p, q = (counts[: h.bins] / width for counts in (h.p, h.q))
    top = 1.18 * max(float(p.max()), float(q.max()))
    unknown = h.p_counts.size > h.bins
    nan = f" NaN: {h.p_counts[-1]} members, {h.q_counts[-1]} non-members." if unknown else ""
    member_side = ">" if h.scores.larger_is_member else "<"
    shown = [min(reach[0], float(h.edges[0])), max(reach[1], float(h.edges[-1]))]
    p_right = float(h.edges[:-1] @ h.p[: h.bins]) >= float(h.edges[:-1] @ h.q[: h.bins])
    on_left = threshold < (h.edges[0] + h.edges[-1]) / 2
    ha, dx = ("left", 6) if on_left else ("right", -6)
    words = f"member: score {member_side} {threshold:.4g}"
    return chart(
        [
            histogram(NON_MEMBERS, h.edges, q),
            histogram(MEMBERS, h.edges, p),
            rule(THRESHOLD, x=threshold, drag="threshold"),
            label(threshold, TOP, words, "ink", ha=ha, va="top", dx=dx, drag="threshold"),
            _flank_label(MEMBERS, h.edges, p, right=p_right),
            _flank_label(NON_MEMBERS, h.edges, q, right=not p_right),
        ],
        axis("score", *shown),
        axis("density", 0, top),
        summary=f"Histograms of {h.scores.n_p} member and {h.scores.n_q} non-member scores "
        f"in {h.bins} bins, with the threshold at {threshold:.4g}; scores {member_side} "
        f"threshold are flagged as members.{nan}",
        revision=tuple(shown),
    )


def tradeoff(
    roc: Roc,
    h: Histogram,
    band: TradeoffBand,
    at_threshold: ErrorRates,
    fit: Bound,
    compared: Sequence[Compared] = (),
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
    """
    fpr, fnr = float(at_threshold.fpr), float(at_threshold.fnr)
    certified = band.curve
    drawn = [
        area(
            line(NO_LEAK, [0, 1], [1, 0], hover=""),
            line(BAND, certified.alpha, certified.beta),
            "good",
            0.08,
        ),
        line(HISTOGRAM, *_unsymmetric(h.curve)),
        line(FIT, ALPHA, _gaussian(fit, ALPHA)),
    ]
    styles = [OBSERVED, HISTOGRAM, BAND, FIT]
    for one in compared:
        drawn.append(line(one.style, ALPHA, one.tradeoff(ALPHA)))
        styles.append(one.style)
    drawn += [
        line(OBSERVED, *_unsymmetric(roc.curve)),
        markers(Style("at the threshold", "ink"), [fpr], [fnr], size=11),
        key([*styles, NO_LEAK]),
    ]
    tv = band.total_variation()
    return chart(
        drawn,
        axis("false positive rate", 0, 1),
        axis("false negative rate", 0, 1.02),
        summary=f"Trade-off between the two error rates. At the threshold they are {fpr:.3g} "
        f"and {fnr:.3g}. With {percent(band.confidence)} confidence some attack has a "
        f"sum below {round_safely(1 - tv.value, 'up')}; without a leak the sum is 1.",
        closest=True,
        revision="unit square",
    )


def profile(
    h: Histogram, band: TradeoffBand, delta: float, fit: Bound, compared: Sequence[Compared] = ()
) -> Figure:
    """Privacy profiles δ(ε): of the histogram, certified, fitted, claimed, and of references.

    Parameters
    ----------
    h : Histogram
    band : TradeoffBand
        Gives the certified profile.
    delta : float
        Where the certified ε is marked.
    fit : Bound
        Fitted μ.
    compared : sequence of Compared
        The claim and references.
    """
    certified = band.epsilon(delta)
    most = round_up(max([1.0, 1.35 * certified.value, *_epsilons(compared, delta)]))
    epsilon = np.linspace(0, most, 201)
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
        drawn.append(line(one.style, *visible_profile(one.pair, epsilon, low)))
        styles.append(one.style)
        at_delta = round_safely(float(one.pair.epsilon(delta)), "nearest")
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
    """
    # Where all or none are flagged there is no attack; drawn at 0, it would lie beyond a gap.
    attacks = ((rates.fpr > 0) | (rates.fnr < 1)) & ((rates.fpr < 1) | (rates.fnr > 0))
    t, observed = rates.thresholds, np.where(attacks, gaps(rates.mu), np.nan)
    lower = np.where(np.isnan(observed), np.nan, gaps(rates.mu_lower))
    drawn = [area(line(POINTWISE, t, lower), line(OBSERVED, t, observed), "p", 0.14)]
    styles = [OBSERVED, POINTWISE]
    tops, parts = [1.0, float(np.nanmax(observed, initial=0.0))], ""
    if band is not None:
        inside = (band.thresholds >= t[0]) & (band.thresholds <= t[-1])
        drawn.append(line(BAND, band.thresholds[inside], band.mu_lower[inside], dots=6))
        styles.append(BAND)
        best = band.mu()
        tops.append(2 * best.value)
        parts = (
            f"Over all thresholds at once, every μ below {best.rounded} is refuted with "
            f"{percent(band.confidence)} confidence; "
        )
    for one in compared:
        usable = (rates.fpr > 0) & (rates.fpr < 1)
        promised = np.full(t.shape, np.nan)
        promised[usable] = one.pair.local_mu(rates.fpr[usable])
        drawn.append(line(one.style, t, gaps(promised)))
        styles.append(one.style)
        tops.append(float(np.nanmax(gaps(promised), initial=0.0)))
    top = max(tops) / (1 - HEADROOM)
    span = float(t[0]), float(t[-1])
    return chart(
        [*drawn, key(styles, columns=2), rule(THRESHOLD, x=threshold, drag="threshold")],
        axis("threshold (score)", *span),
        axis("μ", min(-0.25, -0.1 * top), top),
        summary=f"GDP parameter μ that each threshold alone implies. {parts}the pointwise "
        "limits hold only for a threshold fixed in advance.",
        closest=True,
        revision=(*span, top),
    )


def _flank_label(style: Style, edges: Floats, density: Floats, right: bool) -> Mark:
    """A label on the outer flank of a histogram, where the other one is low."""
    width = float(edges[-1] - edges[0]) * LABEL_WIDTH
    mass = np.cumsum(density * np.diff(edges))
    i = int(np.searchsorted(mass, (0.8 if right else 0.2) * mass[-1]))
    x = float(edges[i] + edges[i + 1]) / 2
    if not edges[0] <= x + (width if right else -width) <= edges[-1]:
        right = not right  # no room on the outer flank
    reach = width if right else -width
    under = (edges[1:] > min(x, x + reach)) & (edges[:-1] < max(x, x + reach))
    ha, dx = ("left", 8) if right else ("right", -8)
    top = float(density[under].max())
    return label(x, top, style.name, style.role, ha=ha, va="bottom", dx=dx)


def _unsymmetric(curve: Any) -> tuple[Floats, Floats]:
    """Vertices as they are, thinned to what a chart can show."""
    if curve.alpha.size <= 2000:
        return curve.alpha, curve.beta
    return ALPHA, curve.tradeoff(ALPHA, symmetric=False)


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
    found = [float(one.pair.epsilon(delta)) for one in compared]
    return [1.15 * epsilon for epsilon in found if math.isfinite(epsilon)]
