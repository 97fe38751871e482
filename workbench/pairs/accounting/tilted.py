"""Small δ of a composition, from exponentially tilted privacy loss distributions.

The convolution of `pld` has round-off of about 1e-16 of its largest mass in every entry, which
hides δ below about 1e-11. Tilting moves the tail into view: with M = Σ p_i e^{θ l_i} over the
masses p_i of one step at its losses l_i, the masses p_i e^{θ l_i}/M are a distribution, and its
k-fold convolution T gives that of p as M^k e^{−θ s} T(s), so that::

    δ(ε) = M^k Σ_{s > ε} T(s) e^{−θ s} (1 − e^{ε−s}) + 1 − (1 − p_∞)^k

p_∞ being the mass of infinite loss. With steps of several kinds, the powers are products over them,
of one θ. What may be missing or wrong in T, a mass of η in all, adds at
most M^k e^{−θ ε} η/(1 + θ), since e^{−θ x}(1 − e^{−x}) ≤ 1/(1 + θ) for x ≥ 0; that is counted
against privacy. At the best θ this is η times a Chernoff bound of δ. Any θ > 0 gives an upper
limit, and the smallest of several holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from workbench.curves.validation import Floats, quiet
from workbench.pairs.accounting import pld
from workbench.pairs.outcomes import log_difference

#: Largest number of grid points of a tilted composition, and how many standard deviations they are
#: at least.
_MOST_POINTS, _DEVIATIONS = 4 * pld.MOST_POINTS, 16


@dataclass(frozen=True, eq=False)
class TiltedTail:
    """One direction of a composition, seen with one θ.

    Attributes
    ----------
    theta, width : float
    first : int
        The total losses of the grid are ``(first + i)·width``, none below 0.
    log_mass, log_discounted : ndarray, shape (n + 1,)
        Logs of the sums of T(s) e^{−θ s} and of T(s) e^{−(θ+1) s} over the losses from each on.
    log_scale, log_noise, log_infinite : float
        Logs of M^k, of η/(1 + θ), and of the mass of infinite loss.
    """

    theta: float
    width: float
    first: int
    log_mass: Floats
    log_discounted: Floats
    log_scale: float
    log_noise: float
    log_infinite: float

    @quiet()
    def log_hockey_stick(self, epsilon: Floats) -> Floats:
        """Log of the upper limit of the hockey-stick divergence, for ε ≥ 0."""
        i = self._up_to(epsilon)
        seen = log_difference(self.log_mass[i], epsilon + self.log_discounted[i])
        tail = np.logaddexp(seen, self.log_noise - self.theta * epsilon)
        return np.logaddexp(self.log_scale + tail, self.log_infinite)

    def _up_to(self, epsilon: Floats) -> NDArray[np.int64]:
        """How many losses of the grid are at most each ε."""
        last = self.log_mass.size - 1
        i = np.clip(np.floor(epsilon / self.width) - self.first + 1, 0, last).astype(np.int64)
        i -= self.width * (self.first + i - 1) > epsilon  # the quotient was rounded up
        i += self.width * (self.first + i) <= epsilon  # or down
        return np.clip(i, 0, last)


class TiltedStep(NamedTuple):
    """One direction of equal steps: masses at the losses ``(first + i)·width``, k times.

    ``infinite`` is the mass of infinite loss in one of them.
    """

    first: int
    masses: Floats
    infinite: float
    k: int


@quiet()
def tilted_tail(width: float, steps: Sequence[TiltedStep], theta: float) -> TiltedTail | None:
    """The composition of steps on one grid of losses; None where it is too wide.

    Parameters
    ----------
    width : float
    steps : sequence of TiltedStep
    theta : float
        Above 0.
    """
    tilted, log_scale, variance = [], 0.0, 0.0
    for one in steps:
        index = np.arange(one.masses.size)
        log_tilted = np.log(one.masses) + theta * width * (one.first + index)
        log_moment = float(logsumexp(log_tilted))
        masses = np.exp(log_tilted - log_moment)
        mean = masses @ index
        variance += one.k * (masses @ (index - mean) ** 2)
        tilted.append((masses, one.first, one.k))
        # With the round-off of the moment, which is taken to the k-th power.
        log_scale += one.k * log_moment + 4 * one.k * math.ulp(abs(log_moment) + masses.size)
    if _DEVIATIONS * math.sqrt(variance) > _MOST_POINTS:
        return None
    start, total, noise = pld.convolve(tilted)
    start, total = max(start, 0), total[max(-start, 0) :]
    loss: Floats = width * np.arange(start, start + total.size, dtype=float)
    log_total = np.log(total) - theta * loss
    return TiltedTail(
        theta,
        width,
        start,
        _log_sums_from(log_total),
        _log_sums_from(log_total - loss),
        log_scale,
        math.log(noise) - math.log1p(theta),
        float(np.log(pld.any_infinite([(one.infinite, one.k) for one in steps]))),
    )


def _log_sums_from(log_terms: Floats) -> Floats:
    """Logs of the sums over all terms from each on, and of the empty one."""
    return np.append(np.logaddexp.accumulate(log_terms[::-1])[::-1], -np.inf)
