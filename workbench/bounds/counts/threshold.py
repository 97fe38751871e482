"""Error rates and lower bounds at one threshold that was chosen before the data were seen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._frames import to_frame
from workbench.bounds.bound import Bound
from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.bounds.counts.counts import Counts
from workbench.bounds.quantities import Epsilon, Mu, Question
from workbench.curves.error_rates import mu_of_point
from workbench.estimators.direction import direction_doubt
from workbench.scores.sample import Scores, require_scores


@dataclass(frozen=True, eq=False)
class ErrorRates:
    """Both error rates at given thresholds, with one-sided Clopper–Pearson upper limits.

    Attributes
    ----------
    thresholds, fpr, fnr, fpr_upper, fnr_upper : ndarray, all of one shape
        Observed rates, and upper limits that hold *together* at any one threshold chosen before
        the scores were seen: each takes half of the error probability.
    confidence : float
        Of both limits together.
    """

    thresholds: NDArray[np.float64]
    fpr: NDArray[np.float64]
    fnr: NDArray[np.float64]
    fpr_upper: NDArray[np.float64]
    fnr_upper: NDArray[np.float64]
    confidence: float

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)

    @property
    def mu(self) -> NDArray[np.float64]:
        """Observed Φ⁻¹(1−FPR) − Φ⁻¹(FNR); ±inf where a rate is 0 or 1."""
        return np.asarray(mu_of_point(self.fpr, self.fnr))

    @property
    def mu_lower(self) -> NDArray[np.float64]:
        """Pointwise lower limit of μ at each threshold; may be negative."""
        return np.asarray(mu_of_point(self.fpr_upper, self.fnr_upper))

    def epsilon_lower(self, delta: float) -> NDArray[np.float64]:
        """Pointwise lower limit of ε at each threshold.

        Parameters
        ----------
        delta : float
            In [0, 1).
        """
        return Epsilon(delta).from_rates(self.fpr_upper, self.fnr_upper)


def error_rates(scores: Scores, thresholds: ArrayLike, confidence: float = 0.95) -> ErrorRates:
    """Observed error rates at thresholds, and their pointwise limits.

    Parameters
    ----------
    scores : Scores
    thresholds : array_like
        In score units.
    confidence : float
        In (0.5, 1), of both limits at one threshold together.

    Returns
    -------
    ErrorRates

    Raises
    ------
    ValueError
        A confidence out of range, thresholds that are not numbers.

    Notes
    -----
    Guarantee: pointwise; it holds at any one of the thresholds that was chosen before the scores
    were seen.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(1000, seed=0)
    >>> rates = wb.error_rates(scores, [0, 1, 2])
    >>> rates.epsilon_lower(delta=1e-5).shape
    (3,)
    """
    require_scores(scores)
    confidence = _checks.confidence(confidence)
    thresholds = _checks.array(thresholds, "thresholds")
    tp, fp = scores.tail_counts(thresholds)
    fn = scores.n_p - tp
    error = (1 - confidence) / 2
    return ErrorRates(
        thresholds=thresholds,
        fpr=np.asarray(fp / scores.n_q),
        fnr=np.asarray(fn / scores.n_p),
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
    """Lower bound on ε at δ from the error rates at one threshold.

    Parameters
    ----------
    scores : Scores
    threshold : float
        In score units, not chosen with these scores in view.
    delta : float
        In [0, 1).
    confidence : float
        In (0.5, 1).
    interval : str
        As in `workbench.epsilon_from_counts`: pointwise for "clopper-pearson" and "joint",
        approximate for the others.

    References
    ----------
    Kairouz, Oh & Viswanath (2015); Nasr et al. (2023).
    """
    return question_at_threshold(scores, threshold, Epsilon(delta), confidence, interval)


def mu_at_threshold(
    scores: Scores,
    threshold: float,
    confidence: float = 0.95,
    interval: str = "clopper-pearson",
) -> Bound:
    """Lower bound on μ from the error rates at one threshold.

    It refutes every smaller μ and does not assume that the pair is Gaussian.

    Parameters
    ----------
    scores, threshold, confidence, interval
        As in `epsilon_at_threshold`.

    References
    ----------
    Nasr et al. (2023).
    """
    return question_at_threshold(scores, threshold, Mu(), confidence, interval)


def question_at_threshold(
    scores: Scores, threshold: float, question: Question, confidence: float, interval: str
) -> Bound:
    """Lower bound on a quantity from the error rates at one threshold.

    Parameters
    ----------
    scores, threshold, confidence, interval
        As in `epsilon_at_threshold`.
    question : Question
    """
    threshold = _checks.number(threshold, "threshold")
    found = Counts.at_threshold(scores, threshold).bound(
        question,
        confidence,
        interval,
        assumption=scores.assumption,
        threshold=threshold,
        discarded=scores.discarded,
    )
    note = " ".join(filter(None, (found.note, direction_doubt(scores)))) or None
    return replace(found, note=note).unless_given()
