"""Plain estimates as bounds with the guarantee "estimate", which promises nothing."""

from __future__ import annotations

from workbench.bounds.bound import Bound
from workbench.estimators.histogram import Histogram
from workbench.estimators.roc import Roc
from workbench.scores.sample import Scores


def total_variation_estimate(histogram: Histogram) -> Bound:
    """Total variation distance of the two histograms, an estimate that is biased upward.

    References
    ----------
    Koskela & Mohammadi (2024), Algorithm 2 at ε = 0.
    """
    return _estimate(histogram.scores, "total variation", histogram.total_variation, "histogram")


def auc_estimate(roc: Roc) -> Bound:
    """Area under the ROC curve of the threshold attacks, as an estimate."""
    return _estimate(roc.scores, "auc", roc.auc, "Mann–Whitney")


def _estimate(scores: Scores, quantity: str, value: float, method: str) -> Bound:
    return Bound.of_scores(scores, value, quantity=quantity, guarantee="estimate", method=method)
