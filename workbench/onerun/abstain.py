"""Limits from the errors on the r most certain of n independent bits (Xiang et al. 2025).

If the canaries do not influence each other, each score is a noisy bit, at least as noisy as one
that a mechanism with trade-off function f sends. Whoever may guess r of n such bits, by any rule
whatever, makes stochastically fewest errors by guessing the r with the most certain posterior. The
rank of the last of them splits a uniform sample: with W ~ Beta(n − r, r + 1), the r are a sample of
the outcomes above the certainty quantile W, and each is wrong with probability ḡ(W), the family's
guess error on the share 1 − W. So (arXiv 2509.08704)::

    P[errors ≤ u] ≤ E_W[ P[Binomial(r, ḡ(W)) ≤ u] ]

with equality for the optimal guesses. With r = n, W = 0 and ḡ is the bit error.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaincc, betaincinv, ndtr, ndtri

from workbench.curves.validation import Floats
from workbench.pairs.families.base import Family

#: Nodes in standard normal units. The trapezoidal rule is exact to round-off for the smooth
#: integrands of this kind.
_NODES = np.arange(-6.5, 6.51, 0.25)
_WEIGHTS = np.exp(-(_NODES**2) / 2)
_WEIGHTS /= _WEIGHTS.sum()

#: What quadrature may lack; added to the p-value.
_SLACK = 1e-9


def p_value(family: Family, leak: float, canaries: int, guesses: int, errors: int) -> float:
    """Largest P[at most ``errors`` wrong] of independent bits with at most this leak.

    References
    ----------
    Xiang et al. (2025), arXiv 2509.08704.
    """
    shares, weights = _shares(canaries, guesses)
    return _p_value(family, leak, shares, weights, guesses, errors)


def largest_refuted(
    family: Family, *, canaries: int, guesses: int, errors: int, error: float
) -> float:
    """Largest leak whose p-value is at most ``error``, rounded down; 0 if none, or ``inf``.

    Parameters
    ----------
    family : Family
    canaries, guesses, errors : int
        Canaries in all, those guessed, and those guessed wrongly.
    error : float
        One minus the confidence.

    References
    ----------
    Xiang et al. (2025), arXiv 2509.08704.
    """
    from scipy.optimize import brentq

    shares, weights = _shares(canaries, guesses)

    def excess(leak: float) -> float:
        # In this scale p-values are nearly linear in the leak.
        p = _p_value(family, leak, shares, weights, guesses, errors)
        return float(ndtri(min(p, 1 - 1e-9)) - ndtri(error))

    if errors == guesses or excess(0.0) > 0:
        return 0.0
    low, high = 0.0, min(1.0, family.largest)
    while excess(high) <= 0:
        if high == family.largest:
            return math.inf
        low, high = high, min(2 * high, family.largest)
    root = float(brentq(excess, low, high, xtol=1e-7))
    return max(root - 1e-7, 0.0)


def _p_value(
    family: Family, leak: float, shares: Floats, weights: Floats, guesses: int, errors: int
) -> float:
    if errors == guesses:
        return 1.0
    wrong = family.guess_error(leak, shares)
    return float(weights @ betaincc(errors + 1, guesses - errors, wrong)) + _SLACK


def _shares(canaries: int, guesses: int) -> tuple[Floats, Floats]:
    """Values of 1 − W and their weights."""
    if guesses == canaries:
        return np.ones(1), np.ones(1)
    return betaincinv(guesses + 1, canaries - guesses, ndtr(_NODES)), _WEIGHTS
