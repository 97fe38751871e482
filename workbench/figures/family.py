"""Scores against a family of pairs: densities, error rates on normal paper, privacy profiles."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench._format import percent, plain, round_safely
from workbench.bounds.parametric.estimators import NormalScores
from workbench.bounds.parametric.parametric import FamilyCheck
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.estimators.histogram import Histogram
from workbench.estimators.roc import Roc
from workbench.figures.kit.layout import base_layout, delta_axis, label, vertical_line
from workbench.figures.kit.legend import HEADROOM, Entry, key, line, stairs
from workbench.figures.scores import LEAST_DELTA, drawable, round_up, steps
from workbench.pairs.base import Pair

Floats = NDArray[np.float64]

MEMBERS = Entry("members (P)", "p")
NON_MEMBERS = Entry("non-members (Q)", "q")
FITTED = Entry("fitted family", "fit", "dash")
PAIR = Entry("fitted pair", "fit", "dashdot")
OBSERVED = Entry("observed", "p", "solid", 2.5)
BAND = Entry("any pair, two-sided", "good", "solid", 1)
NO_LEAK = Entry("no leak", "muted", "solid", 1)
IF_FAMILY = Entry("if of the family, at least", "fit")
REFUTED = Entry("if of the family (refuted)", "fit", "dot")
ANY_PAIR = Entry("any pair, at least", "good")

#: Rates with a tick on normal paper, as far apart as a phone needs them.
TICKS = (1e-6, 1e-4, 0.01, 0.1, 0.5, 0.9, 0.99)

#: Points at which densities are drawn, and values of δ at which profiles are.
POINTS, DELTAS = 201, 61

WHERE = "contradiction"

_NORMAL = NormalDist()
_quantile = np.vectorize(_NORMAL.inv_cdf, otypes=[float])


def densities(h: Histogram, check: FamilyCheck | None) -> dict[str, Any]:
    """Histograms of both sides, and the densities that the fitted member of the family expects.

    Without a check, where no member of the family gives such scores, the histograms alone.
    """
    width = np.diff(h.edges)
    p, q = (counts[: h.bins] / width for counts in (h.p, h.q))
    top = max(float(p.max()), float(q.max()))
    data = [
        steps(NON_MEMBERS.text, "q", h.edges, q),
        steps(MEMBERS.text, "p", h.edges, p),
    ]
    shown = [float(h.edges[0]), float(h.edges[-1])]
    entries, place, words = [MEMBERS, NON_MEMBERS], None, ""
    if check is not None:
        expected = _expected(h, check)
        data += expected
        entries.append(FITTED)
        top = max([top, *(float(np.max(trace["y"])) for trace in expected)])
        words = " " + check.verdict
        if check.threshold is not None and math.isfinite(check.threshold):
            shown = [min(shown[0], check.threshold), max(shown[1], check.threshold)]
            place = check.threshold
    drawn = key(entries, columns=2)
    if place is not None:
        drawn["shapes"].append(vertical_line(place, role="bad") | {"y1": 1 - HEADROOM})
        drawn["annotations"].append(
            _where(place, 1 - HEADROOM, place < sum(shown) / 2, yref="paper", yanchor="bottom")
        )
    margin = 0.02 * (shown[1] - shown[0])
    return {
        "data": data,
        "layout": base_layout(
            "score",
            "density",
            summary=f"Histograms of {h.scores.n_p} member and {h.scores.n_q} non-member scores, "
            f"with what the fitted family expects.{words}",
            x={"range": [shown[0] - margin, shown[1] + margin]},
            y={"range": [0, top / (1 - HEADROOM)], "rangemode": "tozero"},
            revision=tuple(shown),
            **drawn,
        ),
    }


def normal_paper(check: FamilyCheck, roc: Roc) -> dict[str, Any]:
    """Both error rates on scales on which a Gaussian pair is a straight line of slope −1."""
    s = check.scores
    # Rates below half an observation are off the paper.
    least = max(TICKS[0] / 2, 0.5 / max(s.n_p, s.n_q))
    edge = -_NORMAL.inv_cdf(least)
    beyond = least / 10

    def place(rate: ArrayLike) -> Floats:
        """Rates of 0 and 1, which have no place, just off the paper."""
        return _quantile(np.clip(rate, beyond, 1 - beyond))

    fpr, fnr = _thinned(roc)
    x = place(check.fpr)
    drawn = key([OBSERVED, BAND, PAIR, NO_LEAK])
    data = [
        # The lower edge holds up to each of its rates, the upper one from each of them.
        stairs(BAND, x, place(check.fnr_lower), until=True, hoverinfo="skip"),
        stairs(
            BAND, x, place(check.fnr_upper), hoverinfo="skip", fill="tonexty", fillcolor="@good/.12"
        ),
        line(NO_LEAK, [-edge, edge], [edge, -edge], hoverinfo="skip"),
        line(PAIR, x, place(check.fnr_fitted), hoverinfo="skip"),
        line(
            OBSERVED,
            place(fpr),
            place(fnr),
            customdata=np.column_stack([fpr, fnr]).tolist(),
            hovertemplate="false positives %{customdata[0]:.3g}<br>"
            "false negatives %{customdata[1]:.3g}<extra></extra>",
        ),
    ]
    if check.fpr_there is not None and check.fnr_there is not None:
        there = np.clip(place([check.fpr_there, check.fnr_there]), -edge, edge).tolist()
        drawn["annotations"].append(
            _where(there[0], there[1], there[0] < 0, yanchor="bottom", yshift=2)
        )
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": WHERE,
                "x": [there[0]],
                "y": [there[1]],
                "cliponaxis": False,
                "hovertemplate": f"at threshold {check.threshold:.4g}<extra>{WHERE}</extra>",
                "marker": {"size": 12, "symbol": "diamond", "color": "@bad",
                           "line": {"width": 2, "color": "@paper"}},
            }
        )  # fmt: skip
    values = [rate for rate in TICKS if rate >= least]
    axis = {
        "range": [-edge, edge],
        "tickvals": _quantile(values).tolist(),
        "ticktext": [_tick(v) for v in values],
        "tickangle": 0,
    }
    return {
        "data": data,
        "layout": base_layout(
            "false positive rate, as Φ⁻¹",
            "false negative rate, as Φ⁻¹",
            summary=f"Error rates on normal paper. {check.verdict}",
            x=axis,
            y=axis,
            hovermode="closest",
            revision=edge,
            **drawn,
        ),
    }


def profile(band: TradeoffBand, delta: float, member: Pair | None, refuted: bool) -> dict[str, Any]:
    """δ(ε): the lower bound for any pair, and that of the family, which is the ``member``'s own."""
    low = min(math.log10(LEAST_DELTA), math.log10(delta) - 1)
    # By δ, since the curves end in vertical drops that no grid of ε would show.
    deltas = np.union1d(np.logspace(low, 0, DELTAS)[:-1], delta)
    certified = np.array([band.epsilon(d).value for d in deltas])
    curves = {ANY_PAIR: (certified, band.total_variation().value)}
    if member is not None:
        of_family = REFUTED if refuted else IF_FAMILY
        curves[of_family] = np.asarray(member.epsilon(deltas)), member.total_variation
    dots = {entry: float(epsilon[deltas == delta][0]) for entry, (epsilon, _) in curves.items()}
    most = round_up(1.2 * max(1.0, *dots.values()))
    told = (f"{entry.text}: ε = {round_safely(dot, 'down')}" for entry, dot in dots.items())
    traces = []
    for entry, (epsilon, total) in curves.items():
        shown = deltas < total
        # At ε = 0 the profile is the total variation.
        at = drawable([*deltas[shown], total])
        traces.append(line(entry, np.append(epsilon[shown], 0.0), at))
    traces += [
        {
            "type": "scatter",
            "mode": "markers",
            "name": f"ε at δ, {entry.text}",
            "x": [value],
            "y": [delta],
            "marker": {"size": 10, "color": f"@{entry.role}",
                       "line": {"width": 2, "color": "@paper"}},
        }
        for entry, value in dots.items()
    ]  # fmt: skip
    drawn = key(list(curves))
    here = {"color": "@muted", "width": 1, "dash": "dash"}
    drawn["shapes"].append(
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": delta, "y1": delta, "line": here}
    )
    drawn["annotations"].append(
        label(1, math.log10(delta), f"δ = {plain(delta)}", "muted", xref="paper", xanchor="right",
              yanchor="top")
    )  # fmt: skip
    return {
        "data": traces,
        "layout": base_layout(
            "ε",
            "δ",
            summary=f"Privacy profile. At δ = {plain(delta)}, with {percent(band.confidence)} "
            f"confidence: {'; '.join(told)}.",
            x={"range": [0, most]},
            y=delta_axis(low),
            hovermode="closest",
            revision=(most, low),
            **drawn,
        ),
    }


def _expected(h: Histogram, check: FamilyCheck) -> list[dict[str, Any]]:
    """Densities over the bins that the fitted member expects."""
    s = check.scores
    if isinstance(check.family, NormalScores):
        x = np.linspace(h.edges[0], h.edges[-1], POINTS)
        deviation = math.sqrt((s.n_p * s.p.var() + s.n_q * s.q.var()) / (s.n_p + s.n_q - 2))
        normals = (NormalDist(float(side.mean()), deviation) for side in (s.q, s.p))
        return [line(FITTED, x, np.array([n.pdf(t) for t in x])) for n in normals]
    # The score's unit says nothing here. FPR + TPR above an edge increases along the fitted curve;
    # taken as it was seen, it says where on the curve the edge lies.
    above_p, above_q = s.tail_counts(h.edges)
    both = above_p / s.n_p + above_q / s.n_q
    fpr = np.interp(both, check.fpr + 1 - check.fnr_fitted, check.fpr)
    expected = []
    for above in (fpr, both - fpr):
        density = np.abs(np.diff(above)) / np.diff(h.edges)
        expected.append(stairs(FITTED, h.edges, np.append(density, density[-1])))
    return expected


def _thinned(roc: Roc) -> tuple[Floats, Floats]:
    """Observed error rates, no more of them than the paper can show."""
    fpr = roc.false_positives / roc.scores.n_q
    fnr = 1 - roc.true_positives / roc.scores.n_p
    if fpr.size > 2000:
        edge = _NORMAL.inv_cdf(1 - 0.5 / roc.scores.n_q)
        wanted = [_NORMAL.cdf(z) for z in np.linspace(-edge, edge, 1000)]
        keep = np.unique(np.clip(np.searchsorted(fpr, wanted), 0, fpr.size - 1))
        fpr, fnr = fpr[keep], fnr[keep]
    return fpr, fnr


def _where(x: float, y: float, right: bool, **more: Any) -> dict[str, Any]:
    """The name of the place of the largest contradiction, on the side that has room."""
    side = {"xanchor": "left", "xshift": 6} if right else {"xanchor": "right", "xshift": -6}
    return label(x, y, WHERE, "bad", **side, **more)


def _tick(rate: float) -> str:
    if rate < 1e-3:
        return f"10<sup>−{round(-math.log10(rate))}</sup>"
    return f"{rate:g}"
