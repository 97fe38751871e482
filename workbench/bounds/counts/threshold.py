"""Limits at one threshold that was chosen before the data were seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.bounds.counts.counts import Counts
from workbench.bounds.counts.intervals import bound
from workbench.bounds.quantities import Epsilon, Mu, Question
from workbench.curves.error_rates import mu_of_point
from workbench.scores.sample import Scores, require_scores


@dataclass(frozen=True, eq=False)
class ErrorRates:
    """Both error rates at given thresholds, with one-sided Clopper–Pearson upper limits.

    Attributes
    ----------
    thresholds, fpr, fnr, fpr_upper, fnr_upper : ndarray, all of one shape
        Observed rates, and limits that hold *together* at any one threshold chosen beforehand:
        each takes half of the error probability.
    """

    thresholds: NDArray[np.float64]
    fpr: NDArray[np.float64]
    fnr: NDArray[np.float64]
    fpr_upper: NDArray[np.float64]
    fnr_upper: NDArray[np.float64]
    confidence: float

    @property
    def mu(self) -> NDArray[np.float64]:
        """Observed Φ⁻¹(1−FPR) − Φ⁻¹(FNR); ±inf where a rate is 0 or 1 (HIST eq. 3.1)."""
        return np.asarray(mu_of_point(self.fpr, self.fnr))

    @property
    def mu_lower(self) -> NDArray[np.float64]:
        """Pointwise lower limit of μ at each threshold; may be negative."""
        return np.asarray(mu_of_point(self.fpr_upper, self.fnr_upper))


def error_rates(scores: Scores, thresholds: ArrayLike, confidence: float = 0.95) -> ErrorRates:
    """Observed error rates at thresholds, and their pointwise limits.

    Guarantee: pointwise; at any one of the thresholds, if it was chosen beforehand.
    """
    require_scores(scores)
    confidence = _checks.confidence(confidence)
    thresholds = _checks.array(thresholds, "thresholds")
    tp, fp = scores.tail_counts(thresholds)
    fn = scores.n_p - tp
    error = (1 - confidence) / 2
    return ErrorRates(
        thresholds=thresholds,
        fpr=fp / scores.n_q,
        fnr=fn / scores.n_p,
        fpr_upper=clopper_pearson_upper(fp, scores.n_q, error),
        fnr_upper=clopper_pearson_upper(fn, scores.n_p, error),
        confidence=confidence,
    )


def epsilon_at_threshold(
    scores: Scores,
    threshold: float,
    delta: float,
    confidence: float = 0.95,
    interval: str = "clopper-pearson",
) -> Bound:
    """Lower bound on ε from the error rates at one threshold.

    Guarantee: pointwise for "clopper-pearson" and "exact", approximate for the other intervals of
    `workbench.bounds.counts.from_counts`; the threshold must not have been chosen with these data
    in view. Source: KAIROUZ15 and NASR23.
    """
    return _at_threshold(scores, threshold, Epsilon(delta), confidence, interval)


def mu_at_threshold(
    scores: Scores,
    threshold: float,
    confidence: float = 0.95,
    interval: str = "clopper-pearson",
) -> Bound:
    """Lower bound on μ at one threshold: Φ⁻¹(1−ᾱ) − Φ⁻¹(β̄) (NASR23, HIST §3).

    Guarantee as in `epsilon_at_threshold`; it refutes every smaller μ without assuming a Gaussian.
    """
    return _at_threshold(scores, threshold, Mu(), confidence, interval)


def _at_threshold(
    scores: Scores, threshold: float, question: Question, confidence: float, interval: str
) -> Bound:
    threshold = _checks.number(threshold, "threshold")
    return bound(
        Counts.at_threshold(scores, threshold),
        question,
        confidence,
        interval,
        assumption=scores.assumption,
        threshold=threshold,
        discarded=scores.discarded,
    )
