"""Charts of one attack's four counts: ε by every interval, and where the error rates may lie."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.counts.counts import Counts
from workbench.curves.error_rates import epsilon_of_point
from workbench.figures.kit import dot_rows
from workbench.figures.kit.layout import base_layout, label, vertical_line
from workbench.figures.kit.legend import HEADROOM, Entry, key, line

KEPT, APPROXIMATE = Entry("keeps its level", "good"), Entry("approximate", "warn")

CLAIM = Entry("allowed by the bound on ε", "good")
LIMITS = Entry("limits of both rates", "p", "dash", 1.5)


def intervals(bounds: Mapping[str, Bound], observed: float) -> dict[str, Any]:
    """A row an interval: its lower limit, and the upper one where there are two.

    Parameters
    ----------
    bounds : mapping
        Label -> bound on one and the same quantity.
    observed : float
        The quantity at the observed rates, without any allowance for chance.
    """
    low = np.array([bound.value for bound in bounds.values()])
    high = np.array([b.value if b.high is None else b.high for b in bounds.values()])
    roles = [_entry(bound).role for bound in bounds.values()]
    seen = [x for x in (*low, *high, observed) if math.isfinite(x)]
    reach = 1.1 * max([*seen, 0.1])
    shown = np.minimum(high, reach)
    first = next(iter(bounds.values()))
    marks = [dot_rows.mark(observed)] if math.isfinite(observed) else []
    told = [dot_rows.mark_name(observed, "observed", right=observed < 0.7 * reach)] if marks else []
    hover = [f"{name}: {bound.relation} {bound.rounded}" for name, bound in bounds.items()]
    return {
        "data": [dot_rows.dots("lower limit", low, low, shown, roles, hover)],
        "layout": base_layout(
            f"{first.symbol}, {percent(first.confidence or 0)} "
            f"{'two-sided' if first.high is not None else 'lower limits'}",
            "",
            summary="; ".join(hover) + ".",
            x={"range": [-0.02 * reach, reach]},
            y=dot_rows.axis(len(bounds)),
            shapes=marks,
            annotations=[*told, *dot_rows.names(list(bounds), roles, 14)],
            hovermode="closest",
            **dot_rows.size(len(bounds)),
        ),
    }


def error_rates(counts: Counts, limits: tuple[float, float], bound: Bound) -> dict[str, Any]:
    """Observed error rates, their upper limits, and the rates that the bound on ε still allows.

    Parameters
    ----------
    counts : Counts
    limits : (float, float)
        Upper limits of the false positive and the false negative rate, valid together.
    bound : Bound
        On ε.
    """
    fpr, fnr = counts.fp / counts.n_q, counts.fn / counts.n_p
    alpha = np.concatenate([[0.0], np.logspace(-6, -2, 80), np.linspace(0.0101, 1, 200)])
    delta, a = bound.delta or 0.0, math.exp(min(bound.value, 700))
    allowed = np.maximum.reduce([0 * alpha, 1 - delta - a * alpha, (1 - delta - alpha) / a])
    box_x, box_y = [0, limits[0], limits[0]], [limits[1], limits[1], 0]
    reach = min(1.0, 1.6 * max(*limits, 0.05))
    allowed = np.where(allowed <= reach, allowed, np.nan)  # above is the key
    return {
        "data": [
            line(CLAIM, alpha, allowed),
            line(LIMITS, box_x, box_y, hoverinfo="skip"),
            {
                "type": "scatter",
                "mode": "markers",
                "name": "observed rates",
                "x": [fpr],
                "y": [fnr],
                "marker": {"size": 9, "color": "@ink"},
                "cliponaxis": False,
            },
        ],
        "layout": base_layout(
            "false positive rate",
            "false negative rate",
            summary=f"False positive rate {plain(fpr)}, false negative rate {plain(fnr)}, "
            f"at most {plain(limits[0])} and {plain(limits[1])}. Every ε below {bound.rounded} "
            "would need larger error rates.",
            x={"range": [0, reach]},
            y={"range": [0, reach / (1 - HEADROOM)]},
            hovermode="closest",
            revision=reach,
            **_with_label(key([CLAIM, LIMITS]), label(fpr, fnr, "observed", "ink", yshift=-14)),
        ),
    }


def posterior(epsilon: ArrayLike, mass: ArrayLike, interval: Bound) -> dict[str, Any]:
    """Posterior probability that the attack shows at most ε, and the credible interval."""
    low, high = interval.value, interval.high if interval.high is not None else math.inf
    ends = [x for x in (low, high) if math.isfinite(x)]
    entry = Entry("posterior probability", "warn")
    return {
        "data": [line(entry, epsilon, mass)],
        "layout": base_layout(
            interval.symbol,
            "probability of at most this",
            summary=f"Bayesian region: {interval.symbol} {interval.relation} {interval.rounded}, "
            f"{percent(interval.confidence or 0)}, approximate.",
            x={"range": [float(np.min(epsilon)), float(np.max(epsilon))]},
            y={"range": [0, 1.02], "tickformat": ".0%"},
            shapes=[vertical_line(x, role="muted") for x in ends],
            annotations=[
                label(x, 1, round_safely(x, "nearest"), "muted", yref="paper", yanchor="top",
                      xanchor="left", xshift=3)
                for x in ends
            ],
        ),
    }  # fmt: skip


def misses(rates: ArrayLike, shares: Mapping[str, ArrayLike], allowed: float) -> dict[str, Any]:
    """How often each upper limit lies below the true rate, over true rates.

    Parameters
    ----------
    rates : array_like, shape (n,)
        True false positive rates.
    shares : mapping
        Label -> probability of a miss at each of them.
    allowed : float
    """
    styles = (("good", "solid"), ("warn", "solid"), ("fit", "dot"))
    entries = [Entry(name, *style, 1.5) for name, style in zip(shares, styles, strict=True)]
    top = 1.15 * max(allowed, *(float(np.max(share)) for share in shares.values()))
    worst = ", ".join(f"{name} {float(np.max(share)):.1%}" for name, share in shares.items())
    drawn = key(entries, columns=3)
    drawn["shapes"].append(dot_rows.across(allowed))
    return {
        "data": [line(e, rates, share) for e, share in zip(entries, shares.values(), strict=True)],
        "layout": base_layout(
            "true false positive rate",
            "misses",
            summary=f"Largest share of misses: {worst}; {percent(allowed)} are allowed.",
            x={"type": "log", "range": [float(np.log10(np.min(rates))), float(np.log10(0.5))]},
            y={"range": [0, top / (1 - HEADROOM / 2)], "tickformat": ".0%"},
            **drawn,
        ),
    }


def observed_epsilon(counts: Counts, delta: float) -> float:
    """ε at the observed error rates, as if they were the true ones."""
    return float(epsilon_of_point(counts.fp / counts.n_q, counts.fn / counts.n_p, delta))


def _entry(bound: Bound) -> Entry:
    return APPROXIMATE if bound.guarantee == "approximate" else KEPT


def _with_label(drawn: dict[str, Any], note: dict[str, Any]) -> dict[str, Any]:
    return {**drawn, "annotations": [*drawn["annotations"], note]}
