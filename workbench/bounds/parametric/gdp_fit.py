"""Estimates of μ of Gaussian differential privacy from scores or curves, by four methods."""

from __future__ import annotations

from typing import Any, Literal

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.counts.threshold import error_rates
from workbench.bounds.parametric.binormal_fit import METHOD as BY_LIKELIHOOD
from workbench.bounds.parametric.binormal_fit import binormal_fit
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.curves.gdp import mu_from_total_variation
from workbench.estimators.histogram import Histogram, histogram
from workbench.estimators.range_bias import mu_without_leak
from workbench.estimators.roc import Roc, roc
from workbench.scores.sample import Scores

METHODS = {
    "tv": "GDP from TV",
    "threshold": "GDP at a threshold",
    "range": "GDP over a range",
    "likelihood": BY_LIKELIHOOD,
}

#: Method -> the argument that it needs, and the one that only it takes.
_NEEDS = {"threshold": "threshold", "range": "floor"}
_TAKES = {**_NEEDS, "likelihood": "confidence"}


def gdp_fit(
    source: Any,
    method: Literal["tv", "threshold", "range", "likelihood"] = "tv",
    *,
    threshold: float | None = None,
    floor: float | None = None,
    confidence: float | None = None,
) -> Bound:
    """Estimate of the μ whose Gaussian trade-off curve fits scores, a curve or a pair.

    Parameters
    ----------
    source : Scores, Histogram, Roc, TradeoffBand, TradeoffCurve or a pair
        Scores are first counted: by the default histogram for "tv", by the empirical receiver
        operating curve for "range".
    method : {"tv", "threshold", "range", "likelihood"}
        "tv": μ = 2Φ⁻¹((1 + TV)/2). "threshold": Φ⁻¹(1−FPR) − Φ⁻¹(FNR) at ``threshold``
        (scores only). "range": the largest local μ over the points of the curve whose *both*
        error rates are at least ``floor``; of scores its note says how large that is if nothing
        leaks. "likelihood": the likeliest μ by the ranks of the scores, which no increasing
        function of the score changes (scores only); see `binormal_fit`.
    threshold : float, optional
        In score units.
    floor : float, optional
        In (0, 0.5); a tight μ means nothing without it.
    confidence : float, optional
        Of the interval in the note of "likelihood"; 0.95 by default.

    Returns
    -------
    Bound
        An estimate with family "Gaussian"; from a band, a simultaneous lower bound that needs no
        family, since every pair that is μ-GDP has at most that TV and those local μ.

    Raises
    ------
    ValueError
        A missing or superfluous threshold, floor or confidence; other sources than scores where
        these are needed.
    TypeError
        A source without the curve that the method needs.

    References
    ----------
    Koskela & Mohammadi (2024), §5 ("tv", "range"); Nasr et al. (2023) ("threshold"); Dorfman &
    Alf (1969) and Metz, Herman & Shen (1998) ("likelihood").

    Examples
    --------
    >>> print(wb.gdp_fit(wb.GaussianPair(0.7), "range", floor=1e-3))
    μ ≈ 0.700 (estimate, if the pair is Gaussian, no samples)
    """
    _checks.one_of(method, "method", METHODS)
    given = {"threshold": threshold, "floor": floor, "confidence": confidence}
    for name, value in given.items():
        if value is None and _NEEDS.get(method) == name:
            raise ValueError(f"method={method!r} needs {name}=")
        if value is not None and _TAKES.get(method) != name:
            raise ValueError(f"method={method!r} takes no {name}=, got {value!r}")
    if method in ("threshold", "likelihood") and not isinstance(source, Scores):
        raise ValueError(f"method={method!r} needs Scores, got {type(source).__name__}")
    if method == "likelihood":
        return binormal_fit(source, 0.95 if confidence is None else confidence).estimate
    if method == "threshold":
        threshold = _checks.number(threshold, "threshold")
        rates = error_rates(source, threshold)
        return _fit(source, float(rates.mu), method, threshold=threshold)
    if isinstance(source, Scores):
        source = histogram(source) if method == "tv" else roc(source)
    asked = "total_variation" if method == "tv" else "gdp_mu"
    if not isinstance(source, Histogram | Roc | TradeoffBand) and not hasattr(source, asked):
        raise TypeError(
            f"source must be Scores, a Histogram, Roc, band, curve or pair for method={method!r}, "
            f"got {_checks.shown(source)}"
        )
    curve = source.curve if isinstance(source, Histogram | Roc | TradeoffBand) else source
    if method == "tv":
        tv = source.total_variation
        tv = tv().value if isinstance(source, TradeoffBand) else float(tv)
        return _fit(source, float(mu_from_total_variation(tv)), method)
    floor = _checks.open_unit(floor, "floor", "such as 1e-3")
    note = None
    if isinstance(source, Roc):
        without = mu_without_leak(source.scores.n_p, source.scores.n_q, floor)
        note = (
            f"The largest of many values: without a leak it is about {without:.2f} on average for "
            "this many scores."
        )
    return _fit(source, float(curve.gdp_mu(floor=floor)), method, note=note)


def _fit(
    source: Any,
    mu: float,
    method: str,
    threshold: float | None = None,
    note: str | None = None,
) -> Bound:
    from_band = isinstance(source, TradeoffBand)
    fit: dict[str, Any] = {
        "quantity": "mu",
        "guarantee": "simultaneous" if from_band else "estimate",
        "confidence": source.confidence if from_band else None,
        "family": None if from_band else "Gaussian",
        "method": METHODS[method],
        "threshold": threshold,
        "note": note,
    }
    scores = source if isinstance(source, Scores) else getattr(source, "scores", None)
    if scores is None:
        return Bound(value=max(mu, 0.0), assumption="no samples", n_p=0, n_q=0, **fit)
    return Bound.of_scores(scores, max(mu, 0.0), **fit)
