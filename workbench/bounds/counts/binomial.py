"""One-sided confidence limits for a binomial proportion, and for an order statistic's tail."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincc, betainccinv, betaincinv, ndtri

from workbench import _checks
from workbench._roots import smallest_integers

#: An upper limit for a proportion, of successes, trials and error.
Limit = Callable[[ArrayLike, ArrayLike, float], NDArray[np.float64]]

#: Steps toward the count at which a limit reaches a rate; whole counts are then compared.
NEWTON_STEPS = 4


def _checked(
    k: ArrayLike, n: ArrayLike, error: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Counts as floats, and the error probability."""
    if not 0 <= (x := _checks.real(error, "error")) <= 1:
        raise ValueError(f"error must lie in [0, 1], got {_checks.shown(error)}; 0.05 is one")
    return _checks.array(k, "k"), _checks.array(n, "n"), x


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
    k, n, error = _checked(k, n, error)
    # A beta parameter of 0 gives NaN: ask for a harmless quantile there and overwrite it.
    limit = betainccinv(k + 1, np.where(k < n, n - k, 1), error)
    return np.where(k < n, limit, 1.0)


def clopper_pearson_lower(k: ArrayLike, n: ArrayLike, error: float) -> NDArray[np.float64]:
    """Lower limit for a proportion: `clopper_pearson_upper` of the failures, subtracted from 1.

    Parameters
    ----------
    k, n, error
        As in `clopper_pearson_upper`.

    Returns
    -------
    ndarray
        0 where k = 0.
    """
    k, n, error = _checked(k, n, error)
    limit = betaincinv(np.where(k > 0, k, 1), n - k + 1, error)
    return np.where(k > 0, limit, 0.0)


def jeffreys_upper(k: ArrayLike, n: ArrayLike, error: float) -> NDArray[np.float64]:
    """Upper quantile of the posterior Beta(k + ½, n − k + ½); 1 where k = n.

    Approximate: at n = 100 it lies below the truth up to 16.2% of the time instead of 5%.

    Parameters
    ----------
    k, n, error
        As in `clopper_pearson_upper`.

    References
    ----------
    Brown, Cai & DasGupta (2001), who set the limit to 1 where k = n.
    """
    k, n, error = _checked(k, n, error)
    return np.where(k < n, betainccinv(k + 0.5, n - k + 0.5, error), 1.0)


def jeffreys_lower(k: ArrayLike, n: ArrayLike, error: float) -> NDArray[np.float64]:
    """Lower quantile of the posterior Beta(k + ½, n − k + ½); 0 where k = 0.

    Parameters
    ----------
    k, n, error
        As in `clopper_pearson_upper`.
    """
    k, n, error = _checked(k, n, error)
    return np.where(k > 0, betaincinv(k + 0.5, n - k + 0.5, error), 0.0)


def wilson_upper(k: ArrayLike, n: ArrayLike, error: float) -> NDArray[np.float64]:
    """The largest rate that the normal score test does not reject; 1 where k = n.

    Approximate: at n = 100 it lies below the truth up to 20.0% of the time instead of 5%.

    Parameters
    ----------
    k, n, error
        As in `clopper_pearson_upper`.

    References
    ----------
    Wilson (1927).
    """
    k, n, error = _checked(k, n, error)
    z2 = ndtri(error) ** 2
    spread = np.sqrt(z2 * (k * (n - k) / n + z2 / 4))
    return np.where(k < n, np.minimum((k + z2 / 2 + spread) / (n + z2), 1.0), 1.0)


def wilson_lower(k: ArrayLike, n: ArrayLike, error: float) -> NDArray[np.float64]:
    """The smallest rate that the normal score test does not reject; 0 where k = 0.

    Parameters
    ----------
    k, n, error
        As in `clopper_pearson_upper`.
    """
    k, n, error = _checked(k, n, error)
    z2 = ndtri(error) ** 2
    spread = np.sqrt(z2 * (k * (n - k) / n + z2 / 4))
    # k²/(…) is (k + z²/2 − spread)/(n + z²) without the cancellation.
    return np.where(k > 0, k * k / (n * (k + z2 / 2 + spread)), 0.0)


def order_statistic_tail_upper(rank: ArrayLike, n: int, error: float) -> NDArray[np.float64]:
    """Upper limit for the mass strictly above the ``rank``-th largest of ``n`` samples.

    Parameters
    ----------
    rank : array_like of int
        1 is the largest.
    n : int
        Samples.
    error : float
        Probability with which the limit may lie below the truth, at most.

    Notes
    -----
    That mass is Beta(rank, n − rank + 1) for a continuous distribution and stochastically smaller
    with ties, so the limit holds with probability at least ``1 - error`` for any distribution.
    """
    k, samples, error = _checked(rank, n, error)
    return np.asarray(betainccinv(k, samples - k + 1, error), dtype=np.float64)


def miss_probability(rate: ArrayLike, limit: Limit, n: int, error: float) -> NDArray[np.float64]:
    """Probability that an upper limit lies below the true rate.

    Parameters
    ----------
    rate : array_like
        True rates, strictly between 0 and 1.
    limit : callable
        ``limit(k, n, error)``, non-decreasing in the successes k, and 1 after n of them.
    n : int
        Trials.
    error : float
        The nominal probability, passed to ``limit``.

    Returns
    -------
    ndarray, the shape of ``rate``
        Pr[limit(K, n, error) < rate], K binomial; exact. The limit is computed for a few counts
        near each rate, however large n is.

    Examples
    --------
    >>> limit = wb.binomial.wilson_upper
    >>> wb.binomial.miss_probability(0.001, limit, n=100, error=0.05).round(3)
    np.float64(0.0)
    """
    rate, error = _checks.array(rate, "rate"), _checks.open_unit(error, "error")
    n = _checks.count(n, "n", least=1)
    _checks.function(limit, "limit", "a function such as wb.binomial.clopper_pearson_upper")

    def misses(k: NDArray[np.float64]) -> NDArray[np.bool_]:
        asked, where = np.unique(np.maximum(k, 0.0), return_inverse=True)
        return (k < 0) | (limit(asked, n, error)[where.reshape(k.shape)] < rate)

    # A success raises the limit by about 1/n: near the count at which it reaches the rate.
    k = n * rate
    for _ in range(NEWTON_STEPS):
        k = np.clip(k - n * (limit(k, n, error) - rate), 0, n)
    low, high = np.maximum(np.floor(k) - 1, -1), np.minimum(np.ceil(k) + 1, n)
    low = np.where(misses(low), low, -1.0)
    high = np.where(misses(high), float(n), high)
    # ``low`` misses, ``high`` does not.
    low = smallest_integers(lambda k: ~misses(k), low, high) - 1
    return np.where(low >= 0, betaincc(np.maximum(low, 0) + 1, n - np.maximum(low, 0), rate), 0.0)
