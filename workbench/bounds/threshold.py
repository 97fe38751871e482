"""Limits at one threshold that was chosen before the data were seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import checks
from workbench.bounds.binomial import clopper_pearson_upper
from workbench.bounds.result import Bound
from workbench.curves.points import epsilon_of_point, mu_of_point
from workbench.scores.sample import Scores

METHOD = "Clopper–Pearson at a threshold"


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
    confidence = checks.confidence(confidence)
    thresholds = np.asarray(thresholds, dtype=float)
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
    scores: Scores, threshold: float, delta: float, confidence: float = 0.95
) -> Bound:
    """Pointwise lower bound on ε from the error rates at one threshold.

    Guarantee: pointwise; the threshold must not have been chosen with these data in view.
    Source: KAIROUZ15 and NASR23, the two limits sharing the error probability.
    """
    rates = error_rates(scores, checks.number(threshold, "threshold"), confidence)
    delta = checks.delta(delta)
    value = epsilon_of_point(rates.fpr_upper, rates.fnr_upper, delta)
    return _bound(scores, "epsilon", value, threshold, confidence, delta=delta)


def mu_at_threshold(scores: Scores, threshold: float, confidence: float = 0.95) -> Bound:
    """Pointwise lower bound on μ at one threshold: Φ⁻¹(1−ᾱ) − Φ⁻¹(β̄) (NASR23, HIST §3).

    Guarantee: pointwise; it refutes every smaller μ without assuming a Gaussian.
    """
    rates = error_rates(scores, checks.number(threshold, "threshold"), confidence)
    return _bound(scores, "mu", max(float(rates.mu_lower), 0.0), threshold, confidence)


def epsilon_from_counts(
    *, tp: int, fp: int, tn: int, fn: int, delta: float, confidence: float = 0.95
) -> Bound:
    """Lower bound on ε from the four counts of one attack, by Clopper–Pearson limits.

    Parameters
    ----------
    tp, fn : int
        Runs with the record that the attack called in, and out.
    fp, tn : int
        Runs without the record that the attack called in, and out.
    delta, confidence : float

    Raises
    ------
    ValueError
        Negative or fractional counts, a side without runs, δ or confidence out of range.

    Notes
    -----
    Guarantee: pointwise, for an attack fixed before these runs and runs that are independent.
    """
    counts = {"tp": tp, "fp": fp, "tn": tn, "fn": fn}
    for name, value in counts.items():
        counts[name] = checks.count(value, name)
    n_p, n_q = counts["tp"] + counts["fn"], counts["fp"] + counts["tn"]
    for side, n, names in (("with", n_p, "tp + fn"), ("without", n_q, "fp + tn")):
        if n == 0:
            raise ValueError(f"no runs {side} the record: {names} is 0; an audit needs both sides")
    confidence, delta = checks.confidence(confidence), checks.delta(delta)
    error = (1 - confidence) / 2
    alpha = clopper_pearson_upper(counts["fp"], n_q, error)
    beta = clopper_pearson_upper(counts["fn"], n_p, error)
    return Bound(
        quantity="epsilon",
        value=float(epsilon_of_point(alpha, beta, delta)),
        guarantee="pointwise",
        method=METHOD,
        assumption="if rows are independent",
        n_p=n_p,
        n_q=n_q,
        confidence=confidence,
        delta=delta,
    )


def _bound(
    scores: Scores, quantity: str, value: Any, threshold: float, confidence: float, **more: Any
) -> Bound:
    return Bound(
        quantity=quantity,
        value=float(value),
        guarantee="pointwise",
        method=METHOD,
        assumption=scores.assumption,
        n_p=scores.n_p,
        n_q=scores.n_q,
        confidence=confidence,
        threshold=float(threshold),
        discarded=scores.discarded,
        **more,
    )
