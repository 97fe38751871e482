"""Scores against a parametric family: densities, error rates on probit axes, privacy profiles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from workbench._format import percent, plain, round_safely
from workbench.bounds.parametric.checks import FamilyCheck
from workbench.bounds.parametric.estimators import NormalScores
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.curves.validation import Floats
from workbench.estimators.histogram import Histogram
from workbench.estimators.roc import Roc
from workbench.figures.kit.axes import LEAST_DELTA, axis, delta_axis, positive, round_up
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import (
    RIGHT,
    Mark,
    Share,
    Style,
    band,
    histogram,
    label,
    line,
    markers,
    rule,
    steps,
)
from workbench.figures.kit.types import Figure
from workbench.pairs.base import Pair

MEMBERS = Style("members (P)", "p")
NON_MEMBERS = Style("non-members (Q)", "q")
FITTED = Style("fitted family", "fit", "dash")
PAIR = Style("fitted pair", "fit", "dashdot")
OBSERVED = Style("observed", "p", "solid", 2.5)
BAND = Style("any pair, two-sided band", "good", "solid", 1)
NO_LEAK = Style("no leak", "muted", "solid", 1)
IF_FAMILY = Style("lower bound, assuming the family", "fit")
REFUTED = Style("assuming the family (refuted)", "fit", "dot")
ANY_PAIR = Style("lower bound, any pair", "good")

#: Families against total variation, the chosen one first; and total variations, by how they are
#: known.
OF_FAMILY = (Style("", "fit"), Style("", "muted", "dash", 1.5))
KNOWN = {
    "bound": Style("TV lower bound", "good"),
    "estimate": Style("TV by histogram", "p"),
    "typed": Style("TV typed", "ink"),
}

#: What is known of ε at each.
RELATIONS = {"bound": "≥", "estimate": "≈", "typed": "="}

#: Rates with a tick on probit axes, as far apart as a phone needs them.
TICKS = (1e-6, 1e-4, 0.01, 0.1, 0.5, 0.9, 0.99)

#: Points at which densities are drawn, and values of δ at which profiles are.
POINTS, DELTAS = 201, 61

CONTRADICTION = Style("contradiction", "bad")
HERE = Style("", "muted", "dash", 1)

_NORMAL = NormalDist()
_quantile = np.vectorize(_NORMAL.inv_cdf, otypes=[float])


def densities(h: Histogram, check: FamilyCheck | None) -> Figure:
    """Histograms of both groups, and the densities of the fitted member of the family.

    Parameters
    ----------
    h : Histogram
    check : FamilyCheck or None
        None where no member of the family gives such scores: the histograms alone.
    """
    width = np.diff(h.edges)
    p, q = (counts[: h.bins] / width for counts in (h.p, h.q))
    top = max(float(p.max()), float(q.max()))
    drawn = [histogram(NON_MEMBERS, h.edges, q), histogram(MEMBERS, h.edges, p)]
    shown = [float(h.edges[0]), float(h.edges[-1])]
    styles, place, words = [MEMBERS, NON_MEMBERS], None, ""
    if check is not None:
        expected = _expected(h, check)
        top = max([top, *(float(np.max(density)) for _, density in expected)])
        drawn += [_density(x, density) for x, density in expected]
        styles.append(FITTED)
        words = " " + check.verdict
        if check.threshold is not None and math.isfinite(check.threshold):
            shown = [min(shown[0], check.threshold), max(shown[1], check.threshold)]
            place = check.threshold
    drawn.append(key(styles, columns=2))
    if place is not None:
        end = Share(1 - HEADROOM)
        drawn += [
            rule(CONTRADICTION, x=place, end=end),
            _where(place, end, place < sum(shown) / 2),
        ]
    margin = 0.02 * (shown[1] - shown[0])
    return chart(
        drawn,
        axis("score", shown[0] - margin, shown[1] + margin),
        axis("density", 0, top / (1 - HEADROOM)),
        summary=f"Histograms of {h.scores.n_p} member and {h.scores.n_q} non-member scores, "
        f"with the densities of the fitted family.{words}",
        revision=tuple(shown),
    )


def probit_tradeoff(check: FamilyCheck, roc: Roc) -> Figure:
    """Trade-off curve on probit axes, where that of a Gaussian pair is a line of slope −1.

    Parameters
    ----------
    check : FamilyCheck
        The band, and the fitted pair.
    roc : Roc
        Observed error rates.
    """
    s = check.scores
    # Rates below half an observation are off the chart.
    least = max(TICKS[0] / 2, 0.5 / max(s.n_p, s.n_q))
    edge = -_NORMAL.inv_cdf(least)
    beyond = least / 10

    def place(rate: ArrayLike) -> Floats:
        """Probits; those of 0 and 1, which are infinite, just off the chart."""
        return _quantile(np.clip(rate, beyond, 1 - beyond))

    fpr, fnr = _thinned(roc)
    x = place(check.fpr)
    drawn = [
        # The lower edge holds up to each of its rates, the upper one from each of them.
        band(
            steps(BAND, x, place(check.fnr_lower), until=True, hover=""),
            steps(BAND, x, place(check.fnr_upper), hover=""),
            "good",
            0.12,
        ),
        line(NO_LEAK, [-edge, edge], [edge, -edge], hover=""),
        line(PAIR, x, place(check.fnr_fitted), hover=""),
        line(
            OBSERVED,
            place(fpr),
            place(fnr),
            hover="false positives {value[0]:.3g}<br>false negatives {value[1]:.3g}",
            values=np.column_stack([fpr, fnr]).tolist(),
        ),
        key([OBSERVED, BAND, PAIR, NO_LEAK]),
    ]
    if check.fpr_there is not None and check.fnr_there is not None:
        there = np.clip(place([check.fpr_there, check.fnr_there]), -edge, edge).tolist()
        hover = f"at threshold {check.threshold:.4g} {{name}}"
        drawn += [
            markers(CONTRADICTION, there[:1], there[1:], size=12, symbol="diamond", hover=hover),
            _where(there[0], there[1], there[0] < 0, dy=2),
        ]
    ticks = {float(_quantile(rate)): _tick(rate) for rate in TICKS if rate >= least}
    return chart(
        drawn,
        axis("false positive rate (probit scale)", -edge, edge, ticks=ticks, turned=0),
        axis("false negative rate (probit scale)", -edge, edge, ticks=ticks, turned=0),
        summary=f"Error rates on probit axes. {check.verdict}",
        closest=True,
        revision=edge,
    )


def profile(band: TradeoffBand, delta: float, member: Pair | None, refuted: bool) -> Figure:
    """Privacy profiles δ(ε): lower bounds for any pair, and for a member of the family.

    Parameters
    ----------
    band : TradeoffBand
        Gives the bound for any pair.
    delta : float
        Where ε is marked.
    member : Pair, optional
        Gives the bound under the assumption of its family.
    refuted : bool
        Whether the scores refute the family.
    """
    low = min(math.log10(LEAST_DELTA), math.log10(delta) - 1)
    # By δ, since the curves end in vertical drops that no grid of ε would show.
    deltas = np.union1d(np.logspace(low, 0, DELTAS)[:-1], delta)
    certified = np.array([band.epsilon(d).value for d in deltas])
    curves = {ANY_PAIR: (certified, band.total_variation().value)}
    if member is not None:
        of_family = REFUTED if refuted else IF_FAMILY
        curves[of_family] = np.asarray(member.epsilon(deltas)), member.total_variation
    dots = {style: float(epsilon[deltas == delta][0]) for style, (epsilon, _) in curves.items()}
    most = round_up(1.2 * max(1.0, *dots.values()))
    parts = (f"{style.name}: ε = {round_safely(dot, 'down')}" for style, dot in dots.items())
    drawn = []
    for style, (epsilon, total) in curves.items():
        shown = deltas < total
        # At ε = 0 the profile is the total variation.
        at = positive([*deltas[shown], total])
        drawn.append(line(style, np.append(epsilon[shown], 0.0), at))
    drawn += [
        markers(Style(f"ε at δ, {style.name}", style.role), [value], [delta])
        for style, value in dots.items()
    ]
    drawn += [
        key(list(curves)),
        rule(HERE, y=delta),
        label(RIGHT, delta, f"δ = {plain(delta)}", "muted", ha="right", va="top"),
    ]
    return chart(
        drawn,
        axis("ε", 0, most),
        delta_axis(low),
        summary=f"Privacy profile. At δ = {plain(delta)}, with {percent(band.confidence)} "
        f"confidence: {'; '.join(parts)}.",
        closest=True,
        revision=(most, low),
    )


def epsilon_of_tv(
    curves: Sequence[tuple[str, Floats, Floats]],
    known: Mapping[str, tuple[float, float]],
    delta: float,
    reach: float,
    refuted: bool,
) -> Figure:
    """ε(δ) against the total variation in families, with what is known of the scores'.

    Parameters
    ----------
    curves : sequence of (str, ndarray, ndarray)
        Name of a family, total variations, and ε, infinite where there is no member; the chosen
        family first.
    known : mapping
        "bound", "estimate" and perhaps "typed" -> a total variation, and ε in the chosen family.
    delta : float
    reach : float
        End of the axis of total variations.
    refuted : bool
        Whether the scores refute the chosen family.
    """
    sure = [epsilon for name, (_, epsilon) in known.items() if name != "estimate"]
    most = max([1.0, *filter(math.isfinite, sure)])
    # An estimate of separated scores may lie anywhere.
    top = round_up(1.3 * max(most, min(known["estimate"][1], 4 * most)))
    drawn: list[Mark] = []
    styles, said = [], []
    for style, (name, along, curve) in zip(OF_FAMILY, curves, strict=False):
        styles.append(replace(style, name=name))
        drawn.append(line(styles[-1], along, np.where(curve <= top, curve, np.nan)))
    for name, (tv, epsilon) in known.items():
        style, side = KNOWN[name], "down" if name == "bound" else "nearest"
        void = " (refuted)" if name == "bound" and refuted else ""
        style = replace(style, name=f"{style.name}{void}")
        styles.append(style)
        if epsilon <= top:
            text = f"ε {RELATIONS[name]} {round_safely(epsilon, side)}{void}"
            # An estimate lies close above a bound, mostly.
            above = name == "estimate"
            ha, va, dx, dy = ("right", "bottom", -8, 2) if above else ("left", "top", 8, -2)
            drawn += [
                markers(style, [tv], [epsilon], size=10),
                label(tv, epsilon, text, style.role, ha=ha, va=va, dx=dx, dy=dy),
            ]
        member = f"ε = {round_safely(epsilon, side)}" if math.isfinite(epsilon) else "no member"
        said.append(f"{style.name} {round_safely(tv, side)}: {member}")
    return chart(
        [*drawn, key(styles, columns=2)],
        axis("total variation", 0, reach),
        axis(f"ε at δ = {plain(delta)}", 0, top / (1 - 1.5 * HEADROOM)),
        summary=f"ε at δ = {plain(delta)} against the total variation, if the pair is of the "
        f"family “{curves[0][0]}”. {'; '.join(said)}.",
        closest=True,
        revision=(reach, top),
    )


def _density(x: Floats, density: Floats) -> Mark:
    """A fitted density: at points, or over bins."""
    if x.size == density.size:
        return line(FITTED, x, density)
    return histogram(FITTED, x, density, opacity=0)


def _expected(h: Histogram, check: FamilyCheck) -> list[tuple[Floats, Floats]]:
    """Densities that the fitted member expects, with their points or with the bins' edges."""
    s = check.scores
    if isinstance(check.family, NormalScores):
        x = np.linspace(h.edges[0], h.edges[-1], POINTS)
        p, q = s.samples.moments()
        pooled = (p.size * p.variance + q.size * q.variance) / (p.size + q.size - 2)
        own = check.family.own_variances
        normals = (
            NormalDist(side.mean, math.sqrt(side.variance if own else pooled)) for side in (q, p)
        )
        return [(x, np.array([n.pdf(t) for t in x])) for n in normals]
    # The score's unit says nothing here. FPR + TPR above an edge increases along the fitted curve;
    # taken as it was seen, it says where on the curve the edge lies.
    above_p, above_q = s.tail_counts(h.edges)
    both = above_p / s.n_p + above_q / s.n_q
    fpr = np.interp(both, check.fpr + 1 - check.fnr_fitted, check.fpr)
    return [(h.edges, np.abs(np.diff(above)) / np.diff(h.edges)) for above in (fpr, both - fpr)]


def _thinned(roc: Roc) -> tuple[Floats, Floats]:
    """Observed error rates, thinned to what a chart can show."""
    fpr = roc.false_positives / roc.scores.n_q
    fnr = 1 - roc.true_positives / roc.scores.n_p
    if fpr.size > 2000:
        edge = _NORMAL.inv_cdf(1 - 0.5 / roc.scores.n_q)
        wanted = [_NORMAL.cdf(z) for z in np.linspace(-edge, edge, 1000)]
        keep = np.unique(np.clip(np.searchsorted(fpr, wanted), 0, fpr.size - 1))
        fpr, fnr = fpr[keep], fnr[keep]
    return fpr, fnr


def _where(x: float, y: float, right: bool, dy: float = 0) -> Mark:
    """Label at the largest contradiction, on the side that has room."""
    side = ("left", 6) if right else ("right", -6)
    return label(
        x, y, CONTRADICTION.name, CONTRADICTION.role, ha=side[0], va="bottom", dx=side[1], dy=dy
    )


def _tick(rate: float) -> str:
    if rate < 1e-3:
        return f"10<sup>−{round(-math.log10(rate))}</sup>"
    return f"{rate:g}"
