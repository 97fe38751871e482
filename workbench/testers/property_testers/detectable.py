"""Power of testers: the smallest leak that a bet on two means detects."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from workbench._roots import smallest_step
from workbench.curves.validation import Floats
from workbench.testers.property_testers.mean_bets import Bet, Shares

#: Of a detection. Each of two sums, or counts, is taken at a quantile of half the rest.
POWER = 0.8

#: Largest leak beyond the claim that is considered, and relative accuracy of the smallest.
_LARGEST, _ACCURACY = 600.0, 5e-3


def wins(bet: Bet, theta: float, u: Shares, v: Shares, n_p: int, n_q: int) -> bool:
    """Whether the bet refutes θ with probability at least 80%.

    The sum of each group is taken at its 10% quantile.

    Parameters
    ----------
    bet : Bet
    theta : float
    u, v : (ndarray, ndarray)
        Values and their probabilities, under P and under Q.
    n_p, n_q : int
    """
    if theta >= bet.top:
        return False
    won = _bad_sum(bet.won(u[0]), u[1], n_p)
    return won + _bad_sum(bet.kept(v[0], theta), v[1], n_q) >= bet.needed


def _bad_sum(gains: Floats, probabilities: Floats, n: int) -> float:
    """The 10% quantile of the sum of n gains."""
    from scipy.stats import binom

    bad = (1 - POWER) / 2
    if gains.size == 2:
        low, high = sorted(zip(gains, probabilities, strict=True))
        count = binom.ppf(bad, n, high[1])
        return float(count * high[0] + (n - count) * low[0])
    mean = float(gains @ probabilities)
    variance = float((gains - mean) ** 2 @ probabilities)
    return n * mean + float(ndtri(bad)) * float(np.sqrt(n * variance))


def least(own: float, refuted: Callable[[float], bool]) -> float:
    """Smallest refuted parameter above the claim's own, ``inf`` if none is.

    Parameters
    ----------
    own : float
    refuted : callable
        Whether a parameter is refuted; monotone.
    """
    return own + smallest_step(lambda step: refuted(own + step), 0.1, _LARGEST, _ACCURACY)
