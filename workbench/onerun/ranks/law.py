"""How small the ranks of true values can be under ε-DP, and the exact tail of their exposures.

**The law.** Each canary has one of K values, drawn uniformly and independently, and the mechanism
is ε-DP for replacing one value by another. Given what was released and the values of all other
canaries, the probabilities of two values of a canary differ by a factor of at most e^ε. Its j first
candidates are set by what was released, so the true value is among them with a probability of at
most

    F(j) = j e^ε/(j e^ε + K − j),

for every j at once. Adding canaries one after the other, the ranks are stochastically not smaller
than independent draws from F, jointly. So every statistic that falls as ranks rise has at most the
tail that it has under these draws: the number of ranks up to j (a binomial, and a mechanism reaches
it), and the sum of the exposures (K = 2: reached; else no mechanism has F(j) for all j at once, and
the limit is safe and not sharp). ∎

The argument needs δ = 0: at δ > 0 conditional probabilities may be anything with a small
probability. The number of ranks up to one j that was fixed in advance has a sharp limit then, in
`workbench.onerun.steinke`.

**Sums.** Exposures are rounded down to a unit, an eighth of a bit where the sum has not too many
values. A rounded exposure is at least t units where the rank is at most J(t), a number that is
computed once and used for the data and for the law alike, so the tail is exact for what is summed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from workbench.curves.validation import Floats, quiet
from workbench.onerun.steinke import epsilon_refuted

#: Units of a bit, and values of a sum, at most.
_UNITS, _LONGEST = 8, 2**20

#: More than the round-off of a sum of this many probabilities, for each canary.
_ROUND_OFF = 1e-14


def within(values: int, top: NDArray[np.int64] | int, epsilon: float) -> Floats:
    """F(j): the largest probability of a rank of at most j under ε-DP.

    Parameters
    ----------
    values : int
    top : int or ndarray of int
        j, from 1 to ``values``.
    epsilon : float
    """
    j = np.asarray(top, float)
    with np.errstate(divide="ignore"):
        return np.asarray(expit(np.log(j) - np.log(values - j) + epsilon))


@dataclass(frozen=True)
class ExposureSum:
    """The sum of exposures, rounded down to units, and its largest tail under ε-DP.

    Parameters
    ----------
    values : int
        K.
    canaries : int
        m.
    """

    values: int
    canaries: int

    @cached_property
    def limits(self) -> NDArray[np.int64]:
        """J(t): the largest rank with an exposure of at least t units, for t from 1."""
        bits = float(np.log2(self.values))
        units = min(_UNITS, _LONGEST / (self.canaries * bits))
        most = max(int(units * bits), 1)
        ranks = np.floor(self.values * np.exp2(-np.arange(1, most + 1) / units))
        return np.clip(ranks, 1, self.values - 1).astype(np.int64)

    def of(self, ranks: NDArray[np.int64]) -> int:
        """The sum of some ranks, in units.

        Parameters
        ----------
        ranks : ndarray of int, shape (m,)
        """
        rising = self.limits[::-1]
        return int((rising.size - np.searchsorted(rising, ranks, side="left")).sum())

    @quiet()
    def p_value(self, total: int, epsilon: float) -> float:
        """The largest probability of at least this sum under ε-DP, as by the law.

        Parameters
        ----------
        total : int
        epsilon : float
        """
        if total <= 0:
            return 1.0
        reaches = np.r_[1.0, within(self.values, self.limits, epsilon), 0.0]
        masses = -np.diff(reaches)
        size = 2 ** (self.canaries * self.limits.size).bit_length()
        sums = np.fft.irfft(np.fft.rfft(masses, size) ** self.canaries, size)
        tail = float(np.sum(sums[total : self.canaries * self.limits.size + 1]))
        return min(max(tail, 0.0) + _ROUND_OFF * self.canaries, 1.0)

    def epsilon(self, total: int, error: float) -> float:
        """The largest ε at which so large a sum has a probability of at most ``error``; 0 if none.

        Parameters
        ----------
        total : int
        error : float
            One minus the confidence.
        """

        def p_value(m: int, guesses: int, correct: int, epsilon: float, delta: float) -> float:
            return self.p_value(correct, epsilon)

        m = self.canaries
        return epsilon_refuted(
            p_value, canaries=m, guesses=m, correct=total, delta=0.0, error=error
        )
