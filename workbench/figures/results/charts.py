"""Charts of single results, for their methods ``plot`` and ``figure`` and for `save_figure`.

Charts of one kind have the same axes, so that a band, an observed curve and a known pair can be
drawn over each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial, singledispatch
from typing import Any

import numpy as np

from workbench import _checks
from workbench._format import percent, plain
from workbench.audits.series.audit_series import AuditSeries
from workbench.bounds.anytime.anytime import AnytimePath
from workbench.bounds.anytime.monitoring import EvidencePath
from workbench.bounds.parametric.checks import FamilyCheck
from workbench.bounds.power.verdict import Verdict
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.bounds.simultaneous.compare import Comparison
from workbench.coverage_lab.lab import Coverage
from workbench.curves.tradeoff import TradeoffCurve
from workbench.estimators.histogram import Histogram
from workbench.estimators.roc import Roc, roc
from workbench.figures import compare, coverage, family
from workbench.figures import risk as risks
from workbench.figures.kit import log_n_axis
from workbench.figures.kit.axes import (
    LEAST_COMPOSED_DELTA,
    axis,
    delta_axis,
    positive,
    powers_of_ten,
)
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import Style, histogram, line, markers
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.scales import ALPHA
from workbench.figures.kit.types import Figure
from workbench.figures.mechanism import neighbors, search
from workbench.figures.one_run import audit as one_run
from workbench.figures.records.distribution import distribution
from workbench.figures.scores.curves import BAND, HISTOGRAM, MEMBERS, NON_MEMBERS, OBSERVED
from workbench.figures.scores.refutation import CLAIM, REFUTING, lens
from workbench.figures.series import series_chart
from workbench.figures.training.arriving import arriving
from workbench.figures.watch import ANYTIME, EVIDENCE, X_TITLE
from workbench.following.evidence import ClaimEvidence
from workbench.onerun.per_bit import BitErrorCurves, HypotheticalLimits
from workbench.onerun.run import OneRun
from workbench.onerun.tuning import Tuning
from workbench.pairs.base import Pair
from workbench.risks.plain_words import ends_in_words
from workbench.risks.risk import Risk
from workbench.tables.bounds.each_record import RecordLimits
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.mechanism_audit import MechanismAudit

#: Kind -> what makes the chart; the first is the default.
Charts = Mapping[str, Callable[[], Figure]]

CURVE = Style("trade-off curve", "ink")
KNOWN = Style("", "ink", "dash", 1.5)

#: Kind -> title of the chart.
TITLES = {
    "tradeoff": "Trade-off curve",
    "profile": "Privacy profile",
    "density": "Score densities",
    "roc": "Receiver operating curve",
    "local mu": "Local μ at every false positive rate",
    "bands": "True positive rate: lower and upper limits",
    "verdicts": "Difference of the true positive rates",
    "refutation": "Where the claim fails",
    "bound": "Bound as scores arrive",
    "evidence": "Evidence against the claim",
    "bounds": "Lower bounds by audit",
    "fit": "Trade-off curve on normal quantile axes",
    "false claims": "False claims",
    "scores": "Scores of both groups",
    "limit": "How the exact limit is found",
    "information": "Information per guess",
    "rules": "Tuning the number of guesses",
    "records": "How many records leak",
    "trials": "Lower bound of each trial",
    "detectable": "Smallest detectable leak by tester",
    "datasets": "Neighboring datasets",
    "success": "Success of an attacker",
}

#: Largest ε of a profile that has no end.
MOST = 10.0


def figure_of(result: Any, kind: str | None = None) -> Figure:
    """The chart of a result as a figure of the workbench.

    Parameters
    ----------
    result : object
        One with a ``plot`` method.
    kind : str, optional
        See `workbench._plot.plot`.

    Raises
    ------
    ValueError
        A result without a chart, or another kind.
    """
    return _charts(result)[kind_of(result, kind)]()


def kind_of(result: Any, kind: str | None = None) -> str:
    """The kind that is asked for, or the default."""
    charts = _charts(result)
    return next(iter(charts)) if kind is None else _checks.one_of(kind, "kind", charts)


def kinds(result: Any) -> tuple[str, ...]:
    """The kinds of charts that a result has; the first is the default."""
    return tuple(_charts(result))


# -- kinds of charts -----------------------------------------------------------------------------


def tradeoff(style: Style, alpha: Any, beta: Any) -> Figure:
    """A trade-off curve."""
    return chart(
        [line(style, alpha, beta), key([style])],
        axis("false positive rate", 0, 1),
        axis("false negative rate", 0, 1),
        summary=f"Trade-off between the two error rates: {style.name}.",
    )


def profile(style: Style, delta: Callable[[Any], Any], epsilon: Callable[[Any], Any]) -> Figure:
    """A privacy profile δ(ε).

    Parameters
    ----------
    style : Style
    delta, epsilon : callable
        δ at ε, and ε at δ.
    """
    low = round(math.log10(LEAST_COMPOSED_DELTA))  # of any pair, compositions too
    by_delta = np.logspace(low, 0, 201)[:-1]
    ends = np.asarray(epsilon(by_delta), dtype=float)
    reached = np.isfinite(ends)
    most = max(float(ends[reached].max(initial=0.0)), 0.1 if reached.all() else MOST)
    by_epsilon = np.linspace(0, most, 201)
    # Both grids: a certified profile ends in a drop, others have a plateau.
    on_curve = reached & (ends > 0)  # above the total variation ε is 0
    x = np.concatenate([by_epsilon, ends[on_curve]])
    y = np.concatenate([np.asarray(delta(by_epsilon), dtype=float), by_delta[on_curve]])
    order = np.lexsort((-y, x))
    return chart(
        [line(style, x[order], positive(y[order])), key([style])],
        axis("ε", 0, 1.02 * most),
        delta_axis(low),
        summary=f"Privacy profile: {style.name}.",
    )


def _density(h: Histogram) -> Figure:
    width = np.diff(h.edges)
    p, q = (counts[: h.bins] / width for counts in (h.p, h.q))
    top = max(float(p.max()), float(q.max())) / (1 - HEADROOM)
    return chart(
        [histogram(NON_MEMBERS, h.edges, q), histogram(MEMBERS, h.edges, p),
         key([MEMBERS, NON_MEMBERS])],
        axis("score", float(h.edges[0]), float(h.edges[-1])),
        axis("density", 0, top),
        summary=f"Histograms of {h.scores.n_p} member and {h.scores.n_q} non-member scores.",
    )  # fmt: skip


def _roc(roc: Roc) -> Figure:
    fpr, tpr = roc.false_positives / roc.scores.n_q, roc.true_positives / roc.scores.n_p
    if fpr.size > 2000:
        kept = np.unique(np.searchsorted(fpr, ALPHA).clip(0, fpr.size - 1))
        fpr, tpr = fpr[kept], tpr[kept]
    style = Style(f"observed (AUC {roc.auc:.3f})", OBSERVED.role)
    return chart(
        [line(style, fpr, tpr), key([style], low=True)],
        axis("false positive rate", 0, 1),
        axis("true positive rate", 0, 1),
        summary=f"Receiver operating curve with an AUC of {roc.auc:.3f}.",
    )


def _local_mu(pair: Pair, style: Style) -> Figure:
    powers = np.linspace(-8, math.log10(0.5), 201)
    values = np.asarray(pair.local_mu(10.0**powers), dtype=float)
    top = max(0.1, float(np.nanmax(values[np.isfinite(values)], initial=0.0)))
    return chart(
        [line(style, powers, values), key([style])],
        axis("false positive rate α", -8, 0, ticks=powers_of_ten(range(-8, 1, 2), log=False)),
        axis("local μ(α)", 0, top / (1 - HEADROOM)),
        summary=f"Local μ at every false positive rate: {style.name}.",
    )


def _judged(result: Verdict) -> Figure:
    """The claim's trade-off curve beside those of the scores, and the refuting point."""
    band = tradeoff_band(result.scores, result.confidence)
    alpha = np.unique(np.append(ALPHA, band.curve.alpha))
    observed = roc(result.scores).curve
    certified = Style(f"{BAND.name}, {percent(result.confidence)}", BAND.role)
    claimed = Style(f"claim: {plain_name(result.claimed)}", CLAIM.role, CLAIM.dash, CLAIM.width)
    drawn = [
        line(OBSERVED, ALPHA, observed.tradeoff(ALPHA, symmetric=False)),
        line(certified, band.curve.alpha, band.curve.beta),
        line(claimed, alpha, np.asarray(result.claim.min_tradeoff(alpha), dtype=float)),
    ]
    styles = [OBSERVED, certified, claimed]
    if result.refuted and result.witness is not None:
        at = [result.witness.fpr_upper], [result.witness.fnr_upper]
        drawn.append(markers(REFUTING, *at, size=12, symbol="diamond"))
        styles.append(REFUTING)
    return chart(
        [*drawn, key(styles)],
        axis("false positive rate", 0, 1),
        axis("false negative rate", 0, 1),
        summary=f"Trade-off curves of the scores and of the claim {plain_name(result.claimed)}: "
        f"{result.verdict} ({', '.join(result.terms)}).",
    )


def _path(style: Style, n: Any, values: Any, title: str, ticks: Any = None) -> Figure:
    n, values = np.asarray(n), np.asarray(values, dtype=float)
    n, values = n[n > 0], values[n > 0]
    ends = (math.log10(n[0]), math.log10(n[-1])) if n.size else (0.0, 1.0)
    low, top = min(0.0, float(values.min(initial=0.0))), max(0.1, float(values.max(initial=0.0)))
    return chart(
        [log_n_axis.curve(style, n, values, stepped=True), key([style])],
        log_n_axis.axis(X_TITLE, ends[0], max(ends[1], ends[0] + 0.1)),
        axis(title, low, top / (1 - HEADROOM), ticks=ticks and ticks(low, top)),
        summary=f"{title[:1].upper()}{title[1:]} against the rows seen.",
    )


def _powers(low: float, top: float) -> dict[float, str]:
    step = max(1, math.ceil((top - low) / 8))
    first = step * math.ceil(low / step)
    return powers_of_ten(range(first, math.floor(top) + 1, step), log=False)


# -- charts of each result -----------------------------------------------------------------------


@singledispatch
def _charts(result: Any) -> Charts:
    raise ValueError(
        f"there is no chart of {type(result).__name__}; give a figure, such as one of "
        "view.figures, or a result with a plot method"
    )


def _of_curve(style: Style, curve: Any, alpha: Any = None, beta: Any = None) -> Charts:
    """Charts of what has a trade-off function and a profile."""
    alpha = ALPHA if alpha is None or np.size(alpha) > 2000 else alpha
    if beta is None or np.size(beta) != np.size(alpha):
        beta = curve.tradeoff(alpha, symmetric=False)
    return {
        "tradeoff": partial(tradeoff, style, alpha, beta),
        "profile": partial(profile, style, curve.profile, curve.epsilon),
    }


@_charts.register
def _(result: TradeoffCurve) -> Charts:
    return _of_curve(CURVE, result, result.alpha, result.beta)


@_charts.register
def _(result: TradeoffBand) -> Charts:
    style = Style(f"{BAND.name}, {percent(result.confidence)}", BAND.role)
    return _of_curve(style, result.curve, result.curve.alpha, result.curve.beta)


@_charts.register
def _(result: Histogram) -> Charts:
    curve = result.curve
    return {
        "density": partial(_density, result),
        **_of_curve(HISTOGRAM, curve, curve.alpha, curve.beta),
    }


@_charts.register
def _(result: Roc) -> Charts:
    curve = result.curve
    return {"roc": partial(_roc, result), **_of_curve(OBSERVED, curve, curve.alpha, curve.beta)}


@_charts.register
def _(result: Pair) -> Charts:
    style = Style(result.name, KNOWN.role, KNOWN.dash, KNOWN.width)
    return {**_of_curve(style, result), "local mu": partial(_local_mu, result, style)}


@_charts.register
def _(result: Comparison) -> Charts:
    return {"bands": partial(compare.bands, result), "verdicts": partial(compare.verdicts, result)}


@_charts.register
def _(result: AnytimePath) -> Charts:
    bound = result.bound
    at = f" at δ = {plain(bound.delta)}" if bound.delta is not None else ""
    title = f"bound on {bound.symbol.split(' at ')[0]}{at}"
    return {"bound": partial(_path, ANYTIME, result.n_p, result.values, title)}


@_charts.register(EvidencePath)
@_charts.register(ClaimEvidence)
def _(result: EvidencePath | ClaimEvidence) -> Charts:
    powers = result.log / math.log(10)
    return {"evidence": partial(_path, EVIDENCE, result.n, powers, "e-value", _powers)}


@_charts.register
def _(result: AuditSeries) -> Charts:
    return {"bounds": partial(series_chart, result.audits, result.name)}


@_charts.register
def _(result: Verdict) -> Charts:
    charts: dict[str, Callable[[], Figure]] = {"tradeoff": partial(_judged, result)}
    if result.refuted and result.witness is not None:
        charts["refutation"] = lambda: lens(
            result.witness,
            result.claim.min_tradeoff,
            roc(result.scores),
            tradeoff_band(result.scores, result.confidence),
        )
    return charts


@_charts.register
def _(result: FamilyCheck) -> Charts:
    return {"fit": lambda: family.probit_tradeoff(result, roc(result.scores))}


@_charts.register
def _(result: Coverage) -> Charts:
    return {"false claims": partial(coverage.false_claims, [result])}


@_charts.register
def _(result: OneRun) -> Charts:
    member = result.included
    return {"scores": partial(arriving, result.scores[member], result.scores[~member])}


@_charts.register
def _(result: Tuning) -> Charts:
    return {"rules": partial(one_run.tuning, result, None)}


@_charts.register
def _(result: HypotheticalLimits) -> Charts:
    return {"limit": partial(one_run.hypothetical, result)}


@_charts.register
def _(result: BitErrorCurves) -> Charts:
    if not (result.leak.size and result.prior.size):
        raise ValueError("there is no chart of no members, or of no priors")
    return {"information": partial(one_run.bit_errors, result)}


@_charts.register
def _(result: RecordLimits) -> Charts:
    known = np.isfinite(result.values)
    limits, estimates = result.values[known], result.estimates[known]
    return {"records": partial(distribution, limits, estimates, 0.0, result.table.n_records)}


@_charts.register
def _(result: MechanismAudit) -> Charts:
    return {
        "trials": partial(search.trials, result),
        "detectable": partial(search.detectable, result),
    }


@_charts.register
def _(result: Neighbors) -> Charts:
    return {"datasets": partial(neighbors.datasets, result)}


@_charts.register
def _(result: Risk) -> Charts:
    return {"success": partial(risks.success, result.curve(), result, *ends_in_words(result))}
