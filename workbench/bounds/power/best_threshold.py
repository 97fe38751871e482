"""`BestThreshold`: the threshold at which Clopper–Pearson limits show most of a known pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.bounds.power.binomial_quantiles import binomial_quantile
from workbench.curves.error_rates import epsilon_of_point
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair

#: Scores per group beyond which no sample size is looked for.
MOST_EXACT = 10**9

#: False positive rates at which a threshold is looked for, per decade, and refined.
_PER_DECADE = 12


@dataclass(frozen=True)
class BestThreshold:
    """Thresholds of the best attack on a known pair, by the bound on ε that they give.

    Attributes
    ----------
    pair : Pair
    delta, confidence : float
    """

    pair: Pair
    delta: float
    confidence: float

    def fpr_for(self, claim: float, n_p: int, n_q: int) -> float:
        """False positive rate of the threshold that exceeds a claimed ε with the least luck.

        Parameters
        ----------
        claim : float
            The claimed ε.
        n_p, n_q : int
        """
        low, high = -4.0, 4.0
        best, _ = self.at_luck(low, n_p, n_q)
        while high - low > 0.1:
            middle = (low + high) / 2
            alpha, bound = self.at_luck(middle, n_p, n_q)
            low, high, best = (middle, high, alpha) if bound > claim else (low, middle, best)
        return best

    def at_luck(self, z: float, n_p: int, n_q: int) -> tuple[float, float]:
        """The largest bound after bad luck of z standard deviations.

        The bound at that threshold is lower with a probability of about 1 − Φ(z).

        Returns
        -------
        fpr, bound : float
            The threshold's false positive rate, and its bound on ε.
        """
        decades = math.log10(max(n_p, n_q)) + 1
        tail = np.logspace(-decades, math.log10(0.5), math.ceil(_PER_DECADE * decades))
        alpha = np.concatenate([tail, 1 - tail[-2::-1]])
        best = int(np.argmax(self._bounds(z, alpha, n_p, n_q)))
        near = alpha[max(best - 1, 0) : best + 2]
        alpha = np.append(np.linspace(near[0], near[-1], 2 * _PER_DECADE), alpha[best])
        bounds = self._bounds(z, alpha, n_p, n_q)
        best = int(np.argmax(bounds))
        return float(alpha[best]), float(bounds[best])

    def scores_needed(self, claim: float, wanted: float) -> int:
        """Scores per group that exceed a claimed ε with about a wanted probability.

        Parameters
        ----------
        claim : float
            The claimed ε.
        wanted : float
        """
        z = float(ndtri(wanted))
        return smallest_size(lambda n: self.at_luck(z, n, n)[1] > claim, 100, 1.02, MOST_EXACT)

    def fnr(self, alpha: Floats) -> Floats:
        """False negative rates of the best attack at false positive rates."""
        return np.asarray(self.pair.tradeoff(alpha, symmetric=False))

    def at_counts(self, fp: Floats, fn: Floats, n_p: int, n_q: int) -> Floats:
        """Lower bounds on ε from counts of false positives and false negatives.

        Parameters
        ----------
        fp, fn : ndarray
            Of the same shape, which is the result's.
        n_p, n_q : int
        """
        error = (1 - self.confidence) / 2
        fpr = clopper_pearson_upper(fp, n_q, error)
        fnr = clopper_pearson_upper(fn, n_p, error)
        return np.asarray(epsilon_of_point(fpr, fnr, self.delta))

    def _bounds(self, z: float, alpha: Floats, n_p: int, n_q: int) -> Floats:
        # Both counts share the bad luck.
        chance = float(ndtr(z / math.sqrt(2)))
        fp = binomial_quantile(chance, n_q, alpha)
        fn = binomial_quantile(chance, n_p, self.fnr(alpha))
        return self.at_counts(fp, fn, n_p, n_q)


def smallest_size(reached: Callable[[int], bool], start: int, precision: float, most: int) -> int:
    """Smallest sample size from which on a condition holds, up to a factor.

    Parameters
    ----------
    reached : callable
        n -> whether the condition holds; once true, true for all larger n.
    start : int
        Where the search starts.
    precision : float
        The result is at most this factor too large.
    most : int

    Raises
    ------
    ValueError
        The condition does not hold at ``most``.
    """
    low = high = min(max(start, 2), most)
    if reached(high):
        while low == high and low > 2:
            low = max(math.floor(low / 1.25), 2)
            if reached(low):
                high = low
        if low == high:
            return high
    else:
        while low == high:
            if high == most:
                raise too_many(most)
            high = min(math.ceil(1.25 * high), most)
            if not reached(high):
                low = high
    while high > precision * low and high - low > 1:
        middle = round(math.sqrt(low * high))
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def too_many(most: int) -> ValueError:
    """The error of a plan that needs more than so many scores per group."""
    return ValueError(
        f"more than {most:,} scores per group would be needed; lower the claimed ε or the power"
    )
