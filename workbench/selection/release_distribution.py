"""The distribution of the best run, from the base's masses in the order of the score.

If one run falls below a score with probability z, the best of all runs does with probability G(z).
So an outcome with mass m of one run, and mass z − m below it, is released with probability
G(z) − G(z − m) (Xiang, Wang and Wang 2024, Theorem 2). That map suffices for finitely many
outcomes, for blocks of the line, and for fine cells of any base pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, ndtr

from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import Floats, quiet
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.selection.runs import RunCount


@quiet()
def released(runs: RunCount, mass: Floats) -> Floats:
    """Masses of the release from masses of one run, both from the lowest score to the highest.

    Parameters
    ----------
    runs : RunCount
    mass : ndarray, shape (n,)
        Of outcomes of distinct scores; sums to 1.

    Returns
    -------
    ndarray, shape (n,)
        Sums to 1 less the probability that nothing is released.

    References
    ----------
    Xiang, Wang and Wang (2024), Theorem 2.
    """
    upto = np.cumsum(mass)
    above = np.append(np.cumsum(mass[:0:-1])[::-1], 0.0)
    # Near 1, the log of a sum comes from what is missing.
    log_upto = np.where(upto < 0.5, np.log(upto), np.log1p(-above))
    return np.where(mass > 0, np.exp(runs._log_increase(log_upto, np.log(mass))), 0.0)


@dataclass(frozen=True, eq=False)
class Rates:
    """Logs of the masses on either side of thresholds on the base's likelihood ratio.

    Attributes
    ----------
    q_below, q_above, p_below, p_above : ndarray, shape (n,)
        For increasing thresholds, the first below everything and the last above.
    """

    q_below: Floats
    q_above: Floats
    p_below: Floats
    p_above: Floats

    @quiet()
    def log_masses(self) -> tuple[Floats, Floats]:
        """Logs of P's and Q's mass between neighboring thresholds, each shape (n − 1,)."""
        return _between(self.p_below, self.p_above), _between(self.q_below, self.q_above)


def _between(log_below: Floats, log_above: Floats) -> Floats:
    below, above = np.exp(log_below), np.exp(log_above)
    return np.log(np.maximum(np.where(below[1:] < 0.5, np.diff(below), -np.diff(above)), 0.0))


@quiet()
def rates_at(base: Pair | TradeoffCurve, x: Floats) -> Rates:
    """Rates of a base pair at the false positive rates Φ(−x).

    Parameters
    ----------
    base : Pair or TradeoffCurve
        Whatever has a trade-off function T(Q→P).
    x : ndarray, shape (n,)
        Increasing, from −∞ to ∞. What P alone can have, at a false positive rate of 0, follows as
        one more threshold.
    """
    if isinstance(base, GaussianPair):
        rates = log_ndtr(x), log_ndtr(-x), log_ndtr(x - base.mu), log_ndtr(base.mu - x)
    else:
        alpha = ndtr(-x)
        if isinstance(base, Pair):
            log_fnr, log_tpr = (np.asarray(v) for v in base.log_rates(alpha))
        else:
            fnr = np.asarray(base.tradeoff(alpha, symmetric=False))
            log_fnr, log_tpr = np.log(fnr), np.log1p(-fnr)
        # Each log from the smaller of the two rates.
        log_tpr, log_fnr = (
            np.where(a > -0.5, np.log1p(-np.exp(b)), a)
            for a, b in ((log_tpr, log_fnr), (log_fnr, log_tpr))
        )
        rates = log_ndtr(x), log_ndtr(-x), log_fnr, log_tpr
    ends = 0.0, -np.inf, 0.0, -np.inf
    return Rates(*(np.append(rate, end) for rate, end in zip(rates, ends, strict=True)))


def thresholds(base: Pair | TradeoffCurve, cells: int = 160) -> Floats:
    """Thresholds for :func:`rates_at` over the range of floats, denser in the middle.

    Parameters
    ----------
    base : Pair or TradeoffCurve
    cells : int
        Number of finite thresholds.
    """
    if isinstance(base, GaussianPair):
        low, high, center = -38.0, 38.0 + base.mu, base.mu / 2
    else:
        # A false positive rate has no more digits near 1, and no less magnitude.
        low, high, center = -8.0, 37.5, 0.0
    width = 3.0 + center
    first, last = np.arcsinh((np.array([low, high]) - center) / width)
    inner = center + width * np.sinh(np.linspace(first, last, cells))
    return np.r_[-np.inf, inner, np.inf]
