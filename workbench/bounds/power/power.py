"""Power of the simultaneous band: the probability that it refutes a claim.

At each rank of Q the band refutes a claim from some count T_k ≥ c_k on. These critical counts
belong to the claim and the sample sizes alone. For a mechanism with trade-off function f, whose
outcomes the attacker orders by their likelihood ratio with ties broken at random, T_k is the number
of n_p uniform variables below 1 − f(U_k), U_k being the k-th smallest of n_q others. Hence

    the claim is refuted  ⇔  R_{c_k} < 1 − f(U_k) at some rank k,

R_i being the i-th smallest of the n_p. U and R do not depend on f: they are drawn once, and the
probability of refuting *any* mechanism is a mean over them, which rises as f falls. Its standard
error is at most 0.008; nothing else is approximate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._roots import smallest_step
from workbench.bounds.simultaneous.rank_band import level_at_grid, rank_grid
from workbench.bounds.simultaneous.rank_tests import rank_tests
from workbench.bounds.simultaneous.refuting_counts import refuting_counts
from workbench.curves.validation import Floats

#: f(α), elementwise.
Tradeoff = Callable[[Floats], Floats]

#: Sets of order statistics.
_DRAWS = 4000

#: Scores per group beyond which no sample size is looked for.
MOST_SCORES = 10**9

#: Parameters between which the least detectable mechanism is looked for, and how exactly.
_SMALLEST, _LARGEST, _PRECISION = 0.01, 1e6, 3e-4


@dataclass(frozen=True)
class Mechanisms:
    """A family of mechanisms that leak more as its parameter grows.

    Attributes
    ----------
    name : str
        "randomized response".
    symbol : str
        Of the parameter, such as "ε".
    claimed : float
        The parameter at which the family just meets the claim.
    curve : callable
        (parameter, α) -> f(α).
    """

    name: str
    symbol: str
    claimed: float
    curve: Callable[[float, Floats], Floats]

    def at(self, parameter: float) -> Tradeoff:
        """The trade-off function of one of them."""
        return partial(self.curve, parameter)


@dataclass(frozen=True, eq=False)
class Detector:
    """Simulated refutations of a claim at given sample sizes. Made by `detector`.

    Attributes
    ----------
    critical : ndarray of int, shape (J,)
        Counts of P above each rank of Q from which on the claim is refuted; n_p + 1 for none.
    fpr : ndarray, shape (draws, J)
        U_k.
    tpr : ndarray, shape (draws, J)
        R at the critical counts, infinite where there is none.
    """

    critical: NDArray[np.int64]
    fpr: Floats
    tpr: Floats

    @property
    def draws(self) -> int:
        """Simulated sets of order statistics."""
        return self.fpr.shape[0]

    def power(self, tradeoff: Tradeoff) -> float:
        """Probability that a mechanism with this trade-off function is refuted."""
        return float(np.mean(np.any(1 - tradeoff(self.fpr) > self.tpr, axis=1)))

    def least(self, family: Mechanisms, wanted: float) -> float:
        """The smallest parameter at which a family is refuted with a wanted probability.

        Returns
        -------
        float
            Rounded up; infinite where no parameter is refuted so often.
        """

        def enough(x: float) -> bool:
            return self.power(family.at(x)) >= wanted

        if np.all(np.isinf(self.tpr)):
            return math.inf
        return smallest_step(enough, max(family.claimed, _SMALLEST), _LARGEST, _PRECISION)


def detector(
    claimed: Tradeoff, n_p: int, n_q: int, confidence: float, seed: int | np.random.Generator
) -> Detector:
    """The critical counts of a claim, with drawn order statistics to compute the power from.

    Parameters
    ----------
    claimed : callable
        The claimed trade-off function, α -> f(α), elementwise.
    n_p, n_q : int
    confidence : float
        Of the band.
    seed : int or numpy.random.Generator

    Returns
    -------
    Detector
    """
    return simulated(critical_counts(claimed, n_p, n_q, confidence), n_p, n_q, seed)


def simulated(
    critical: NDArray[np.int64], n_p: int, n_q: int, seed: int | np.random.Generator
) -> Detector:
    """Critical counts with drawn order statistics to compute the power from.

    Parameters
    ----------
    critical : ndarray of int, shape (J,)
        As of `Detector`, at the ranks of the band.
    n_p, n_q : int
    seed : int or numpy.random.Generator
    """
    rng, ranks = _checks.random(seed), rank_grid(n_q)
    fpr = order_statistics(ranks, n_q, _DRAWS, rng)
    which, back = np.unique(np.minimum(critical, n_p), return_inverse=True)
    tpr = order_statistics(which, n_p, _DRAWS, rng)[:, back]
    return Detector(critical, fpr, np.where(critical > n_p, np.inf, tpr))


def critical_counts(claimed: Tradeoff, n_p: int, n_q: int, confidence: float) -> NDArray[np.int64]:
    """The smallest counts of P above each rank of Q that refute a claim.

    Parameters
    ----------
    claimed : callable
        The claimed trade-off function, α -> f(α), elementwise.
    n_p, n_q : int
    confidence : float
        Of the band.

    Returns
    -------
    ndarray of int, shape (J,)
        n_p + 1 where no count refutes.
    """
    ranks = rank_grid(n_q)
    tests = rank_tests(ranks, np.ones_like(ranks), n_p, n_q)
    return refuting_counts(tests, n_p, claimed, level_at_grid(confidence, n_q))


def scores_needed(
    claimed: Tradeoff,
    actual: Tradeoff,
    wanted: float,
    sizes: tuple[int, int],
    confidence: float,
    seed: int | np.random.Generator,
) -> tuple[int, int] | None:
    """Sample sizes with which a claim is refuted with a wanted probability.

    Parameters
    ----------
    claimed, actual : callable
        Trade-off functions of the claim and of the mechanism.
    wanted : float
        The probability.
    sizes : (int, int)
        n_p and n_q that do not suffice.
    confidence : float
        Of the band.
    seed : int or numpy.random.Generator

    Returns
    -------
    (int, int) or None
        n_p and n_q in the ratio of ``sizes``, known to 5%; None beyond `MOST_SCORES`.
    """

    def at(scale: float) -> tuple[int, int]:
        n_p, n_q = (math.ceil(n * scale) for n in sizes)
        return n_p, n_q

    def enough(scale: float) -> bool:
        return detector(claimed, *at(scale), confidence, seed).power(actual) >= wanted

    most = MOST_SCORES / max(sizes)
    low, high = 1.0, 4.0
    while not enough(min(high, most)):
        if high >= most:
            return None
        low, high = high, 4 * high
    high = min(high, most)
    while high > 1.05 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return at(high)


def order_statistics(
    ranks: NDArray[np.int64], n: int, draws: int, rng: np.random.Generator
) -> Floats:
    """Drawn order statistics of n uniform variables.

    Parameters
    ----------
    ranks : ndarray of int, shape (J,)
        Ascending; 1 is the smallest variable.
    n, draws : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (draws, J)
    """
    gaps = rng.standard_gamma(np.diff(ranks, prepend=0), (draws, ranks.size)).cumsum(axis=1)
    return gaps / (gaps[:, -1:] + rng.standard_gamma(n + 1 - ranks[-1], (draws, 1)))
