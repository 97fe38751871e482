"""Exposure: the bits that a score gives away about which of k candidates was used in training.

A canary has *rank* r among k candidates if r − 1 of the others score more member-like, and the
*exposure* log₂ k − log₂ r (Carlini, Liu, Erlingsson, Kos and Song 2019, Definition 3): 0 for the
last, log₂ k for the first. By Abel's summation, for every distribution of the rank,

    E[exposure] = Σ_{r=1}^{k−1} P[rank ≤ r] · log₂(1 + 1/r).                                    (1)

**What a trade-off function allows.** Let the canary be drawn uniformly from the k candidates and
inserted, and let the mechanism be f-DP for adding one record. The r candidates that score highest
are a function of the output. Without the canary the output does not depend on which one was drawn,
so that it is among them with probability r/k. "It is among them" is a test with false positive rate
r/k; with the canary inserted it is met with probability at most 1 − f(r/k), whatever the scores of
the candidates have to do with each other. Hence by (1)

    E[exposure] ≤ Σ_{r=1}^{k−1} (1 − f(r/k)) · log₂(1 + 1/r).                                   (2)

**What a trade-off curve gives.** Let T(u) be the true positive rate of a score at false positive
rate u, ties broken at random, and let the k − 1 others score as independent non-members do. Given
the rate U at which the canary is flagged, whose distribution function is T, the number of others
above it is binomial, Bin(k − 1, U). With g(u) = E log₂(1 + Bin(k − 1, u)), which rises from 0 to
log₂ k, integration by parts gives

    E[exposure] = log₂ k − E g(U) = ∫₀¹ T(u) dg(u).                                             (3)

It is linear in T, and a lower limit of T gives one of it. For k = 2, g(u) = u, and it is the AUC.
Without a leak T(u) = u, the rank is uniform, and (3) is log₂ k − log₂(k!)/k, which tends to
log₂ e = 1.44 bits: that much exposure shows nothing. (3) is at most (2), as P[rank ≤ r] is the mean
of T over Beta(r, k − r), whose mean is r/k, and 1 − f ≥ T is concave.

By log(1 + n) = ∫₀^∞ (1 − e^{−sn}) e^{−s}/s ds, valid for every n ≥ 0,

    g(u) = ∫₀^∞ (1 − (1 − u(1 − e^{−s}))^{k−1}) e^{−s}/s ds / log 2,

a smooth integral over log s, which the trapezoidal rule finds to round-off.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from workbench import _checks
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats, Values, shaped

#: The most candidates.
MOST_CANDIDATES = 10**9

#: False positive rates at which true positive rates are needed: dense at small ones.
RATES = np.concatenate([[0.0], np.geomspace(1e-12, 1, 1200)])

#: Ranks up to this one are summed singly, larger ones in blocks that are as fine.
SINGLY = 256

#: Stands for the log of 0, of which no power is NaN.
_LEAST_LOG = -1e9

#: log s of the integral of g.
_LOG_S = np.arange(-52.0, 4.0, 0.25)


def exposure_of_rank(rank: ArrayLike, k: int) -> Values:
    """Exposure of a candidate by its rank among k, log₂ k − log₂ rank, in bits.

    Parameters
    ----------
    rank : array_like
        From 1, the most member-like, to k; half ranks of ties are allowed.
    k : int
        Number of candidates, the canary among them.

    Returns
    -------
    float or ndarray

    Raises
    ------
    ValueError
        A rank outside [1, k], or a k outside [1, 10⁹].

    References
    ----------
    Carlini, Liu, Erlingsson, Kos and Song (2019), "The Secret Sharer", Definition 3.

    Examples
    --------
    >>> wb.curves.exposure_of_rank([1, 4, 1024], 1024)
    array([10.,  8.,  0.])
    """
    k = _checks.count(k, "k", 1, MOST_CANDIDATES)
    ranks = _checks.array(rank, "rank")
    if (wrong := ~((ranks >= 1) & (ranks <= k))).any():
        raise ValueError(
            f"rank must be from 1 to k = {k}, got {ranks[wrong].ravel()[0]:g}; the first rank is 1"
        )
    return shaped(np.log2(k) - np.log2(ranks))


def expected_exposure(tradeoff: Any, k: int) -> float:
    """Mean exposure, in bits, of a canary among k − 1 independent non-members.

    Parameters
    ----------
    tradeoff : pair or TradeoffCurve
        Its false negative rates at each false positive rate, not symmetrized: the record in is
        what is detected. The attack is the best one, by the likelihood ratio.
    k : int
        Number of candidates, the canary among them.

    Returns
    -------
    float
        In [0, log₂ k], with an error below 0.001 bits.

    Notes
    -----
    The docstring of the module has the proof. A curve that lies above the trade-off function, as
    the curve of a band does, gives a lower limit with the band's guarantee.

    Raises
    ------
    ValueError
        A k outside [1, 10⁹].
    TypeError
        Something without false negative rates.

    Examples
    --------
    >>> round(wb.curves.expected_exposure(wb.GaussianPair(1), 2), 3)  # the AUC
    0.76
    >>> round(wb.curves.expected_exposure(wb.GaussianPair(0), 1000), 2)
    1.44
    """
    k = _checks.count(k, "k", 1, MOST_CANDIDATES)
    tpr = true_positive_rates(tradeoff)
    return float(mean_exposures((tpr[:-1] + tpr[1:]) / 2, (k,))[0])


def exposure_limit(tradeoff: Any, k: int) -> float:
    """Largest mean exposure, in bits, of a canary among k that a trade-off function allows.

    It holds for every attack, also where the scores of candidates depend on each other.

    Parameters
    ----------
    tradeoff : pair, claim or curve
        Anything with ``tradeoff(alpha)``: f of the mechanism for adding one record.
    k : int
        Number of candidates, from which the canary is drawn uniformly.

    Returns
    -------
    float
        An upper limit in [0, log₂ k]; beyond k = 257 up to 0.006 bits above that of formula (2).

    Notes
    -----
    The docstring of the module has the proof.

    Raises
    ------
    ValueError
        A k outside [1, 10⁹].
    TypeError
        Something without ``tradeoff``.

    Examples
    --------
    >>> round(wb.curves.exposure_limit(wb.ApproxDP(1, 1e-5), 1000), 3)
    2.626
    >>> round(wb.curves.expected_exposure(wb.RandomizedResponsePair(1, 1e-5), 1000), 3)
    2.624
    """
    k = _checks.count(k, "k", 1, MOST_CANDIDATES)
    f = getattr(tradeoff, "tradeoff", None)
    if not callable(f):
        raise TypeError(
            "tradeoff must be a pair, claim or curve, which have tradeoff(alpha), such as "
            f"wb.GaussianPair(1); got {_checks.shown(tradeoff)}"
        )
    return float(exposure_limits(f, (k,))[0])


def without_leak(k: ArrayLike) -> Values:
    """Mean exposure of a canary that was not used, log₂ k − log₂(k!)/k.

    Parameters
    ----------
    k : array_like
        Numbers of candidates.
    """
    k = np.asarray(k, dtype=float)
    return shaped(np.log2(k) - gammaln(k + 1) / (k * np.log(2)))


def mean_exposures(within: Floats, ks: tuple[int, ...]) -> Floats:
    """Mean exposures by formula (3), shape (len(ks),).

    Parameters
    ----------
    within : ndarray
        T between neighboring `RATES`: its means give the integral, its values at the lower of both
        a sum that is never above it.
    ks : tuple of int
        Numbers of candidates.
    """
    return np.asarray(np.clip(_gains(ks) @ within, 0.0, np.log2(ks)))


def exposure_limits(f: Callable[[Floats], Any], ks: tuple[int, ...]) -> Floats:
    """Limits by formula (2), shape (len(ks),).

    Parameters
    ----------
    f : callable
        Trade-off function.
    ks : tuple of int
        Numbers of candidates.
    """
    # Blocks of ranks from one end to the next; 1 − f at their last rank is the largest.
    ends = [_block_ends(k) for k in ks]
    rates = np.concatenate([one[1:] / k for one, k in zip(ends, ks, strict=True)])
    allowed = np.clip(1 - np.asarray(f(rates), dtype=float), 0.0, 1.0)
    found, start = [], 0
    for one in ends:
        weights = np.diff(np.log2(one + 1))
        found.append(float(weights @ allowed[start : start + weights.size]))
        start += weights.size
    return np.minimum(found, np.log2(ks))


@lru_cache(maxsize=64)
def _block_ends(k: int) -> Floats:
    """Last ranks of blocks, from 0 to k − 1: single ranks first, then in proportion to the rank."""
    single = np.arange(min(SINGLY, k - 1) + 1, dtype=float)
    if k - 1 <= SINGLY:
        return single
    more = np.floor(np.geomspace(SINGLY, k - 1, int(SINGLY * np.log((k - 1) / SINGLY)) + 2))
    more[-1] = k - 1
    return np.unique(np.concatenate([single, more]))


@lru_cache(maxsize=32)
def _gains(ks: tuple[int, ...]) -> Floats:
    """G at each of `RATES` less that at the one before, a row for each k."""
    s = np.exp(_LOG_S)
    weight = np.exp(-s) * (_LOG_S[1] - _LOG_S[0]) / np.log(2)
    with np.errstate(divide="ignore"):
        log_rest = np.maximum(np.log1p(-RATES[:, None] * -np.expm1(-s)), _LEAST_LOG)
    return np.array([np.diff(-np.expm1((k - 1) * log_rest) @ weight) for k in ks])


def true_positive_rates(tradeoff: Any) -> Floats:
    """T at `RATES`, of a pair or a curve that is not symmetrized."""
    if isinstance(tradeoff, TradeoffCurve):
        return np.asarray(1 - np.interp(RATES, tradeoff.alpha, tradeoff.beta))
    if callable(rates := getattr(tradeoff, "log_rates", None)):
        return np.exp(np.asarray(rates(RATES)[1]))
    raise TypeError(
        "tradeoff must be a pair or a TradeoffCurve, such as wb.GaussianPair(1) or "
        f"wb.roc(scores).curve; got {_checks.shown(tradeoff)}"
    )
