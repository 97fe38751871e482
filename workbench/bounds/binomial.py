"""Exact confidence limits for a binomial proportion, and for an order statistic's tail."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainccinv, betaincinv


def clopper_pearson_upper(k: ArrayLike, n: ArrayLike, error: float) -> NDArray[np.float64]:
    """Upper limit for a proportion after ``k`` successes in ``n`` trials.

    Parameters
    ----------
    k, n : array_like of int
        Successes and trials, 0 ≤ k ≤ n.
    error : float
        Probability with which the limit may lie below the truth, at most.

    Returns
    -------
    ndarray
        1 where k = n, for which the beta quantile has no value.

    References
    ----------
    Clopper & Pearson (1934).
    """
    k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
    # A beta parameter of 0 gives NaN: ask for a harmless quantile there and overwrite it.
    limit = betainccinv(k + 1, np.where(k < n, n - k, 1), error)
    return np.where(k < n, limit, 1.0)


def clopper_pearson_lower(k: ArrayLike, n: ArrayLike, error: float) -> NDArray[np.float64]:
    """Lower limit for a proportion; `clopper_pearson_upper` mirrored."""
    k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
    limit = betaincinv(np.where(k > 0, k, 1), n - k + 1, error)
    return np.where(k > 0, limit, 0.0)


def order_statistic_tail_upper(rank: ArrayLike, n: int, error: float) -> NDArray[np.float64]:
    """Upper limit for the mass strictly above the ``rank``-th largest of ``n`` samples.

    That mass is Beta(rank, n − rank + 1) for a continuous distribution and stochastically smaller
    with ties, so the limit holds with probability at least ``1 - error`` for any distribution.
    """
    rank = np.asarray(rank, dtype=float)
    return np.asarray(betainccinv(rank, n - rank + 1, error), dtype=np.float64)
