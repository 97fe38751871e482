"""The four charts of a pair of score samples: histograms, trade-off, privacy profile, μ."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.counts.threshold import ErrorRates
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.estimators.histogram import Histogram
from workbench.estimators.roc import Roc
from workbench.figures.kit.layout import base_layout, delta_axis, label, vertical_line
from workbench.figures.kit.legend import HEADROOM, Entry, key, line
from workbench.pairs.base import Pair

OBSERVED = Entry("observed", "p")
HISTOGRAM = Entry("histogram", "p", "dot")
BAND = Entry("simultaneous", "good")
FIT = Entry("GDP fit", "fit", "dashdot")
REFERENCE = Entry("reference", "ink", "dash", 1.5)
POINTWISE = Entry("pointwise limit", "p", "solid", 1)
NO_LEAK = Entry("no leak", "muted", "solid", 1)

#: False positive rates at which smooth curves are drawn: dense at both ends.
ALPHA = np.unique(np.concatenate([np.logspace(-6, -1, 60), np.linspace(0, 1, 161)]))

#: Width of a label in shares of a chart's.
LABEL_WIDTH = 0.2

#: δ below this is off the chart.
LEAST_DELTA = 1e-8


def histograms(h: Histogram, threshold: float, reach: tuple[float, float]) -> dict[str, Any]:
    """Densities of both sides over the bins, and the threshold as a line to drag.

    The chart shows all bins and the whole ``reach`` of the threshold.
    """
    width = np.diff(h.edges)
    p, q = (counts[: h.bins] / width for counts in (h.p, h.q))
    top = 1.18 * max(float(p.max()), float(q.max()))
    unknown = h.p_counts.size > h.bins
    nan = f" NaN: {h.p_counts[-1]} members, {h.q_counts[-1]} non-members." if unknown else ""
    member_side = ">" if h.scores.larger_is_member else "<"
    shown = [min(reach[0], float(h.edges[0])), max(reach[1], float(h.edges[-1]))]
    p_right = float(h.edges[:-1] @ h.p[: h.bins]) >= float(h.edges[:-1] @ h.q[: h.bins])
    return {
        "data": [
            steps("non-members (Q)", "q", h.edges, q),
            steps("members (P)", "p", h.edges, p),
        ],
        "layout": base_layout(
            "score",
            "density",
            summary=f"Histograms of {h.scores.n_p} member and {h.scores.n_q} non-member scores "
            f"in {h.bins} bins, with the threshold at {threshold:.4g}; scores {member_side} "
            f"threshold are called members.{nan}",
            x={"range": shown},
            y={"range": [0, top], "rangemode": "tozero"},
            revision=tuple(shown),
            shapes=[vertical_line(threshold, name="threshold")],
            annotations=[
                label(
                    threshold,
                    1,
                    f"called member: score {member_side} {threshold:.4g}",
                    "ink",
                    name="threshold",
                    yref="paper",
                    yanchor="top",
                    xanchor=_side(threshold, h.edges),
                    xshift=6 if _side(threshold, h.edges) == "left" else -6,
                ),
                _density_label("members (P)", "p", h.edges, p, right=p_right),
                _density_label("non-members (Q)", "q", h.edges, q, right=not p_right),
            ],
        ),
    }


def tradeoff(
    roc: Roc,
    h: Histogram,
    band: TradeoffBand,
    at_threshold: ErrorRates,
    fit: Bound,
    reference: Pair | None,
) -> dict[str, Any]:
    """Error rates of every attack: observed, from the histogram, certified, fitted, promised."""
    fpr, fnr = float(at_threshold.fpr), float(at_threshold.fnr)
    certified = band.curve
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": NO_LEAK.text,
            "x": [0, 1],
            "y": [1, 0],
            "line": {"color": "@muted", "width": 1},
            "hoverinfo": "skip",
        },
        line(
            BAND,
            certified.alpha,
            certified.beta,
            fill="tonexty",
            fillcolor="@good/.08",
        ),
        line(HISTOGRAM, *_unsymmetric(h.curve)),
        line(FIT, ALPHA, _gaussian(fit, ALPHA)),
    ]
    entries = [OBSERVED, HISTOGRAM, BAND, FIT]
    if reference is not None:
        data.append(line(REFERENCE, ALPHA, reference.tradeoff(ALPHA, symmetric=False)))
        entries.append(REFERENCE)
    data += [
        line(OBSERVED, *_unsymmetric(roc.curve)),
        {
            "type": "scatter",
            "mode": "markers",
            "name": "at the threshold",
            "x": [fpr],
            "y": [fnr],
            "marker": {"size": 11, "color": "@ink", "line": {"width": 2, "color": "@paper"}},
        },
    ]
    tv = band.total_variation()
    drawn = key([*entries, NO_LEAK])
    return {
        "data": data,
        "layout": base_layout(
            "false positive rate",
            "false negative rate",
            summary=f"Trade-off between the two error rates. At the threshold they are {fpr:.3g} "
            f"and {fnr:.3g}. With {percent(band.confidence)} confidence some attack keeps their "
            f"sum below {round_safely(1 - tv.value, 'up')}; without a leak the sum is 1.",
            x={"range": [0, 1]},
            y={"range": [0, 1.02]},
            hovermode="closest",
            revision="unit square",
            **drawn,
        ),
    }


def profile(
    h: Histogram, band: TradeoffBand, delta: float, fit: Bound, reference: Pair | None
) -> dict[str, Any]:
    """δ as a function of ε: from the histogram, certified, from the fit, and promised."""
    certified = band.epsilon(delta)
    most = round_up(max([1.0, 1.35 * certified.value, *_reference_epsilon(reference, delta)]))
    epsilon = np.linspace(0, most, 201)
    low = min(math.log10(LEAST_DELTA), math.log10(delta) - 1)
    # By δ, since the certified curve ends in a vertical drop that no grid of ε would show.
    certified_delta = np.logspace(low, 0, 201)[:-1]
    # The bound at the asked δ is sharper than the curve, and holds at every smaller δ as well.
    shown = np.where(certified_delta <= delta * (1 + 1e-9), certified.value, 0.0)
    certified_epsilon = np.maximum(band.curve.epsilon(certified_delta), shown)
    data = [
        line(HISTOGRAM, epsilon, drawable(h.profile(epsilon))),
        line(FIT, epsilon, drawable(_gaussian_profile(fit, epsilon))),
        line(BAND, certified_epsilon, certified_delta),
    ]
    entries = [HISTOGRAM, BAND, FIT]
    if reference is not None:
        data.append(line(REFERENCE, epsilon, drawable(reference.profile(epsilon))))
        entries.append(REFERENCE)
    data.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": "certified ε at δ",
            "x": [certified.value],
            "y": [delta],
            "marker": {"size": 10, "color": "@good", "line": {"width": 2, "color": "@paper"}},
        }
    )
    drawn = key(entries, columns=2)
    drawn["shapes"].append(
        {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": delta,
            "y1": delta,
            "line": {"color": "@muted", "width": 1, "dash": "dash"},
        }
    )
    drawn["annotations"].append(
        label(0, math.log10(delta), f"δ = {plain(delta)}", "muted", xanchor="left", yanchor="top")
    )
    return {
        "data": data,
        "layout": base_layout(
            "ε",
            "δ",
            summary=f"Privacy profile. At δ = {plain(delta)} every ε below {certified.rounded} is "
            f"refuted with {percent(band.confidence)} confidence"
            + (
                f"; the reference {reference.name} promises "
                f"ε = {round_safely(float(reference.epsilon(delta)), 'nearest')}."
                if reference is not None
                else "."
            ),
            x={"range": [0, most]},
            y=delta_axis(low),
            hovermode="closest",
            revision=(most, low),
            **drawn,
        ),
    }


def mu_at_thresholds(
    rates: ErrorRates, band: TradeoffBand | None, threshold: float, reference: Pair | None
) -> dict[str, Any]:
    """μ that each threshold alone implies (HIST Fig. 1), with pointwise and simultaneous limits.

    ``band`` is None where its thresholds are not on this score.
    """
    t, observed = rates.thresholds, _gaps(rates.mu)
    lower = np.where(np.isnan(observed), np.nan, _gaps(rates.mu_lower))
    data = [
        line(POINTWISE, t, lower),
        line(OBSERVED, t, observed, fill="tonexty", fillcolor="@p/.14"),
    ]
    entries = [OBSERVED, POINTWISE]
    tops, told = [1.0, float(np.nanmax(observed, initial=0.0))], ""
    if band is not None:
        inside = (band.thresholds >= t[0]) & (band.thresholds <= t[-1])
        places, limits = band.thresholds[inside], band.mu_lower[inside]
        dots = {"mode": "lines+markers", "marker": {"size": 6, "color": "@good"}}
        data.append(line(BAND, places, limits, **dots))
        entries.append(BAND)
        best = band.mu()
        tops.append(2 * best.value)
        told = (
            f"Over all thresholds at once, every μ below {best.rounded} is refuted with "
            f"{percent(band.confidence)} confidence; "
        )
    if reference is not None:
        usable = (rates.fpr > 0) & (rates.fpr < 1)
        promised = np.full(t.shape, np.nan)
        promised[usable] = reference.local_mu(rates.fpr[usable])
        data.append(line(REFERENCE, t, _gaps(promised)))
        entries.append(REFERENCE)
        tops.append(float(np.nanmax(_gaps(promised), initial=0.0)))
    drawn = key(entries, columns=2)
    drawn["shapes"].append(vertical_line(threshold, name="threshold"))
    top = max(tops) / (1 - HEADROOM)
    return {
        "data": data,
        "layout": base_layout(
            "threshold (score)",
            "μ",
            summary=f"GDP parameter μ that each threshold alone implies. {told}the pointwise "
            "limits hold only for a threshold chosen beforehand.",
            x={"range": _span(t)},
            y={"range": [min(-0.25, -0.1 * top), top]},
            hovermode="closest",
            revision=(*_span(t), top),
            **drawn,
        ),
    }


# -- shared pieces -----------------------------------------------------------------------------


def steps(
    name: str, role: str, edges: NDArray[np.float64], density: NDArray[np.float64]
) -> dict[str, Any]:
    """One path instead of bars: a third of the time to draw."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": edges,
        "y": np.append(density, density[-1]),
        "line": {"color": f"@{role}", "width": 2, "shape": "hv"},
        "fill": "tozeroy",
        "fillcolor": f"@{role}/.12",
    }


def _density_label(
    text: str, role: str, edges: NDArray[np.float64], density: NDArray[np.float64], right: bool
) -> dict[str, Any]:
    """A label on the outer flank of a histogram, where the other one is low."""
    width = float(edges[-1] - edges[0]) * LABEL_WIDTH
    mass = np.cumsum(density * np.diff(edges))
    i = int(np.searchsorted(mass, (0.8 if right else 0.2) * mass[-1]))
    x = float(edges[i] + edges[i + 1]) / 2
    if not edges[0] <= x + (width if right else -width) <= edges[-1]:
        right = not right  # no room on the outer flank
    reach = width if right else -width
    under = (edges[1:] > min(x, x + reach)) & (edges[:-1] < max(x, x + reach))
    return label(
        x,
        float(density[under].max()),
        text,
        role,
        xanchor="left" if right else "right",
        yanchor="bottom",
        xshift=8 if right else -8,
    )


def _side(x: float, edges: NDArray[np.float64]) -> str:
    return "left" if x < (edges[0] + edges[-1]) / 2 else "right"


def _span(edges: NDArray[np.float64]) -> list[float]:
    return [float(edges[0]), float(edges[-1])]


def _unsymmetric(curve: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Vertices as they are, thinned to what a chart can show."""
    if curve.alpha.size <= 2000:
        return curve.alpha, curve.beta
    return ALPHA, curve.tradeoff(ALPHA, symmetric=False)


def _gaussian(fit: Bound, alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    from workbench.curves.gdp import gaussian_tradeoff

    if math.isinf(fit.value):  # histograms that do not overlap
        return np.where(alpha > 0, 0.0, 1.0)
    return np.asarray(gaussian_tradeoff(fit.value, alpha))


def _gaussian_profile(fit: Bound, epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
    from workbench.curves.gdp import gaussian_log_profile

    if math.isinf(fit.value):
        return np.ones_like(epsilon)
    return np.exp(np.asarray(gaussian_log_profile(fit.value, epsilon)))


def drawable(delta: Any) -> NDArray[np.float64]:
    """δ on a log axis: zero is a gap."""
    delta = np.asarray(delta, dtype=float)
    return np.where(delta > 0, delta, np.nan)


def _gaps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Infinite values as gaps in a curve."""
    return np.where(np.isfinite(values), values, np.nan)


def _reference_epsilon(reference: Pair | None, delta: float) -> list[float]:
    if reference is None:
        return []
    epsilon = float(reference.epsilon(delta))
    return [1.15 * epsilon] if math.isfinite(epsilon) else []


def round_up(x: float) -> float:
    """The next of 1, 1.5, 2, 3, 4, 6, 8 times a power of ten: an axis that does not creep."""
    power = 10 ** math.floor(math.log10(x))
    return next(m * power for m in (1, 1.5, 2, 3, 4, 6, 8, 10) if x <= m * power * (1 + 1e-12))
