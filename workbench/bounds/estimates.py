"""Plain estimates as bounds with the guarantee "estimate", which promises nothing."""

from __future__ import annotations

from dataclasses import replace

from workbench.bounds.bound import Bound
from workbench.estimators.histogram import Histogram
from workbench.estimators.roc import Roc
from workbench.scores.sample import Scores


def total_variation_estimate(histogram: Histogram) -> Bound:
    """Total variation distance of the two histograms, as an estimate.

    References
    ----------
    Koskela & Mohammadi (2024), Algorithm 2 at ε = 0.
    """
    return _estimate(histogram.scores, "total variation", histogram.total_variation, "histogram")


def checked_against(estimate: Bound, certified: Bound) -> Bound:
    """The estimate, marked as not valid where a valid lower bound shows that it is too small.

    Parameters
    ----------
    estimate : Bound
        Of a histogram.
    certified : Bound
        A lower bound on the same quantity, from the same scores.

    Raises
    ------
    ValueError
        Two quantities.
    """
    if (estimate.quantity, estimate.at) != (certified.quantity, certified.at):
        raise ValueError(f"{certified.symbol} is no bound on {estimate.symbol}; give one that is")
    if certified.void or certified.guarantee == "estimate" or estimate.value >= certified.value:
        return estimate
    reason = f"below the certified lower bound {certified.rounded}: the bins are too coarse"
    return replace(estimate, void=reason)


def auc_estimate(roc: Roc) -> Bound:
    """Area under the ROC curve of the threshold attacks, as an estimate."""
    return _estimate(roc.scores, "auc", roc.auc, "Mann–Whitney")


def _estimate(scores: Scores, quantity: str, value: float, method: str) -> Bound:
    return Bound.of_scores(scores, value, quantity=quantity, guarantee="estimate", method=method)
