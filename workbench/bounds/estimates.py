"""Plain estimates as results: numbers that say that they promise nothing."""

from __future__ import annotations

from workbench.bounds.bound import Bound
from workbench.estimators.histogram import Histogram
from workbench.estimators.roc import Roc
from workbench.scores.sample import Scores


def total_variation_estimate(histogram: Histogram) -> Bound:
    """TV of the two histograms; biased upward."""
    return _estimate(histogram.scores, "total variation", histogram.total_variation, "histogram")


def auc_estimate(roc: Roc) -> Bound:
    """AUC of the threshold attacks on these samples."""
    return _estimate(roc.scores, "auc", roc.auc, "Mann–Whitney")


def _estimate(scores: Scores, quantity: str, value: float, method: str) -> Bound:
    return Bound.of_scores(scores, value, quantity=quantity, guarantee="estimate", method=method)
