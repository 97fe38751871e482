"""Two-sided limits for both error rates at many thresholds at once.

The band of `workbench.bounds.simultaneous.band` bounds from below what attacks reach. To
refute a family of pairs, and to compare two score sets, one also needs upper bounds on what a score
reaches. Thresholds are order statistics of Q, and of P, at ranks on a geometric grid: in the sample
that gives the threshold the tail is a beta variable, in the other one the counts are binomial given
the threshold. All limits share one error budget.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv

from workbench.bounds.counts.binomial import clopper_pearson_lower, clopper_pearson_upper
from workbench.bounds.simultaneous.rank_band import rank_grid
from workbench.scores.sample import Scores


@dataclass(frozen=True, eq=False)
class RocLimits:
    """Two-sided limits of both error rates of threshold attacks, all valid together.

    Attributes
    ----------
    thresholds : ndarray, shape (J,)
        In score units times the direction: larger is more member-like.
    fpr_upper, fnr_upper : ndarray, shape (J,)
        One of the attacks "above t" and "at least t" has both error rates at most these.
    fpr_lower, fnr_lower : ndarray, shape (J,)
        One of them has both error rates at least these.

    Notes
    -----
    The two attacks differ on ties only. For continuous scores all four limits hold for one and
    the same pair of error rates. A trade-off function f that the attacks attain satisfies
    f(``fpr_upper``) ≤ ``fnr_upper`` and f(``fpr_lower``) ≥ ``fnr_lower``, since it decreases.
    """

    thresholds: NDArray[np.float64]
    fpr_upper: NDArray[np.float64]
    fnr_upper: NDArray[np.float64]
    fpr_lower: NDArray[np.float64]
    fnr_lower: NDArray[np.float64]

    def highest_fnr(self, fpr: NDArray[np.float64]) -> NDArray[np.float64]:
        """Upper limit of the false negative rate of the best attack with at most these FPRs."""
        within = self.fpr_upper[:, None] <= fpr
        return np.where(within, self.fnr_upper[:, None], 1.0).min(axis=0)

    def lowest_fnr(self, fpr: NDArray[np.float64]) -> NDArray[np.float64]:
        """Lower limit of the false negative rate of all thresholds with at most these FPRs."""
        within = self.fpr_lower[:, None] >= fpr
        return np.where(within, self.fnr_lower[:, None], 0.0).max(axis=0)


def roc_limits(scores: Scores, error: float) -> RocLimits:
    """Two-sided limits at about 4·log₂(n) thresholds, chosen by rank.

    Parameters
    ----------
    scores : Scores
    error : float
        Probability, at most, with which any upper limit fails; the same for the lower limits.

    Returns
    -------
    RocLimits

    Notes
    -----
    Guarantee: simultaneous, distribution-free, for independent scores; ties and non-finite
    outcomes included. With ties the mass strictly above an order statistic is stochastically
    smaller than the beta variable and the mass from it upwards larger, so each limit is taken for
    the attack that it holds for.
    """
    p, q = scores.samples.groups
    rank_q, rank_p = rank_grid(q.size), rank_grid(p.size)
    each = error / (2 * (rank_q.size + rank_p.size))
    # The rank_q-th largest of Q: Q above t is beta. The rank_p-th smallest of P: P below t is.
    at_q, at_p = q.at(q.size - rank_q), p.at(rank_p - 1)
    beta_q = rank_q, q.size - rank_q + 1
    beta_p = rank_p, p.size - rank_p + 1
    return RocLimits(
        thresholds=np.concatenate([at_q, at_p]),
        fpr_upper=np.concatenate(
            [betainccinv(*beta_q, each), clopper_pearson_upper(q.at_least(at_p), q.size, each)]
        ),
        fnr_upper=np.concatenate(
            [clopper_pearson_upper(p.up_to(at_q), p.size, each), betainccinv(*beta_p, each)]
        ),
        fpr_lower=np.concatenate(
            [betaincinv(*beta_q, each), clopper_pearson_lower(q.above(at_p), q.size, each)]
        ),
        fnr_lower=np.concatenate(
            [clopper_pearson_lower(p.below(at_q), p.size, each), betaincinv(*beta_p, each)]
        ),
    )


def two_outcome_limits(scores: Scores, low: float, error: float) -> RocLimits:
    """Two-sided limits for a score with two values, at its only threshold.

    Parameters
    ----------
    scores : Scores
    low : float
        The smaller of the two values.
    error : float
        As in `roc_limits`.

    Returns
    -------
    RocLimits
    """
    p, q = scores.samples.groups
    fnr, fpr = p.up_to(np.array([low])), q.above(np.array([low]))
    return RocLimits(
        thresholds=np.array([low]),
        fpr_upper=clopper_pearson_upper(fpr, q.size, error / 2),
        fnr_upper=clopper_pearson_upper(fnr, p.size, error / 2),
        fpr_lower=clopper_pearson_lower(fpr, q.size, error / 2),
        fnr_lower=clopper_pearson_lower(fnr, p.size, error / 2),
    )
