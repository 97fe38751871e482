"""Secrets of many values: ranks of the true ones, of mechanisms at the edge of their claims.

Ranks and counts are drawn from their law directly, which is known for each mechanism:

- *k-ary randomized response*, each canary on its own: the true value is first with probability
  (e^ε + (K−1)δ)/(e^ε + K − 1), and any other rank is as likely as the next.
- *The worst mechanism*, all canaries together: the number of true values that are first has the law
  of `workbench.onerun.steinke` that reaches the sharp limit at the count which just refutes ε.
- *Gaussian noise* on a one-hot vector, whose entry is a: the true value scores N(a, 1), and each
  other one N(0, 1), so that its rank is 1 + Bin(K − 1, P[N(0, 1) > score]). Replacing a value moves
  the vector by a·√2, and the mechanism is (a·√2)-GDP for it, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import binom

from workbench.bounds.bound import Bound
from workbench.coverage_lab.cases.case import SimulatedCase, exceeds
from workbench.coverage_lab.lab import EXCESS_ROUND_OFF
from workbench.onerun.bound import any_number_bound, one_run_bound
from workbench.onerun.ranks.exposure import exposure
from workbench.onerun.ranks.law import ExposureSum
from workbench.onerun.ranks.ranks import Ranks
from workbench.onerun.steinke import sharp_p_value
from workbench.pairs.gaussian import GaussianPair

#: Mechanisms.
RESPONSE, WORST, GAUSSIAN = "k-ary randomized response", "the worst mechanism", "Gaussian"

#: What is tried on all of them, and what is tried besides at δ = 0 and of the Gaussian.
OF_TOPS, AT_ZERO, OF_GAUSSIAN = "several tops", "sum", "fdp, Gaussian"
ALWAYS = ("sharp", "any number", "fdp", OF_TOPS)

_CONFIDENCE, _REPLICATES = 0.95, 2000


@dataclass(frozen=True)
class Secrets:
    """Bounds from the ranks of secrets, under a mechanism at the edge.

    Attributes
    ----------
    values, canaries : int
    mechanism : str
    epsilon, delta : float
        What the mechanism is for replacing one value by another; of the Gaussian, ε is that at δ.
    shift : float
        a, of the Gaussian.
    """

    values: int
    canaries: int
    mechanism: str
    epsilon: float
    delta: float
    shift: float = 0.0

    @property
    def methods(self) -> tuple[str, ...]:
        """What is tried."""
        if self.delta == 0:
            return *ALWAYS, AT_ZERO
        return (*ALWAYS, OF_GAUSSIAN) if self.mechanism == GAUSSIAN else ALWAYS

    @property
    def tops(self) -> tuple[int, ...]:
        """Numbers of first candidates, of which the largest bound is taken."""
        return tops_of(self.values)

    def ranks(self, rng: np.random.Generator) -> Ranks:
        """The ranks of all canaries."""
        k, m = self.values, self.canaries
        if self.mechanism == GAUSSIAN:
            above = ndtr(-rng.normal(self.shift, 1.0, m))
            return Ranks(1 + rng.binomial(k - 1, above), k)
        if self.mechanism == WORST:
            law = worst_law(k, m, self.epsilon, self.delta)
            first = np.arange(m) < rng.choice(m + 1, p=law)
        else:
            odds = math.exp(self.epsilon)
            first = rng.random(m) < (odds + (k - 1) * self.delta) / (odds + k - 1)
        return Ranks(np.where(first, 1, rng.integers(2, k + 1, m)), k)

    def __call__(self, rng: np.random.Generator) -> tuple[bool, ...]:
        ranks = self.ranks(rng)
        right = int((ranks.ranks == 1).sum())
        # All bounds rise with the count, so that each is computed for a few counts alone.
        found = dict.fromkeys(self.methods, False)
        for method in set(found) - {OF_TOPS, AT_ZERO}:
            found[method] = right >= self.least(method)
        found[OF_TOPS] = any(
            int((ranks.ranks <= top).sum()) >= self.least(OF_TOPS, top) for top in self.tops
        )
        if AT_ZERO in found:
            total = ExposureSum(self.values, self.canaries).of(ranks.ranks)
            found[AT_ZERO] = total >= least_false_sum(self.values, self.canaries, self.epsilon)
        return tuple(found.values())

    def least(self, method: str, top: int = 1) -> int:
        """The least count of right guesses of which a method claims more than the truth."""
        return least_false(method, self.values, self.canaries, top, self.delta, self.epsilon)


@lru_cache(maxsize=4096)
def least_false(
    method: str, values: int, canaries: int, top: int, delta: float, truth: float
) -> int:
    """The least count of right guesses of which a method claims more than the truth.

    Parameters
    ----------
    method : str
        One of `ALWAYS`, or `OF_GAUSSIAN`.
    values, canaries, top : int
    delta, truth : float
    """
    several = len(tops_of(values))

    def bound(correct: int) -> Bound:
        ranks = Ranks([1] * correct + [values] * (canaries - correct), values)  # type: ignore[arg-type]
        if method == OF_TOPS:
            each = 1 - (1 - _CONFIDENCE) / several
            return exposure(ranks, delta=delta, top=top, confidence=each).bound
        if method == ALWAYS[1]:
            return any_number_bound(ranks.guesses(), delta, _CONFIDENCE)
        name, _, family = method.partition(", ")
        assumed = family.lower() or None
        return one_run_bound(
            ranks.guesses(), delta=delta, confidence=_CONFIDENCE, method=name, family=assumed
        )

    low, high = 0, canaries + 1  # low does not
    while high - low > 1:
        middle = (low + high) // 2
        false = exceeds(lambda c=middle: bound(c), truth)  # type: ignore[misc]
        low, high = (low, middle) if false else (middle, high)
    return high


def tops_of(values: int) -> tuple[int, ...]:
    """Three numbers of first candidates, where there are so many.

    Parameters
    ----------
    values : int
    """
    return tuple(sorted({1, max(values // 10, 1), max(values // 2, 1)}))


@lru_cache
def least_false_sum(values: int, canaries: int, truth: float) -> int:
    """The least sum of exposures whose bound exceeds the truth; it rises with the sum.

    Parameters
    ----------
    values, canaries : int
    truth : float
    """
    law = ExposureSum(values, canaries)
    low, high = 0, canaries * law.limits.size + 1  # low does not
    while high - low > 1:
        middle = (low + high) // 2
        false = law.epsilon(middle, 1 - _CONFIDENCE) > truth + EXCESS_ROUND_OFF
        low, high = (low, middle) if false else (middle, high)
    return high


@lru_cache
def worst_law(values: int, canaries: int, epsilon: float, delta: float) -> NDArray[np.float64]:
    """P[k right guesses] of the mechanism that most often reaches the count which just refutes ε.

    Parameters
    ----------
    values, canaries : int
    epsilon, delta : float
    """
    m, of_epsilon = canaries, epsilon - math.log(values - 1)
    c = least_false("sharp", values, canaries, 1, delta, epsilon)
    masses = binom.pmf(np.arange(m + 1), m, 1 / (1 + math.exp(-of_epsilon)))
    tail = float(masses[c:].sum())
    reached = sharp_p_value(m, m, c, of_epsilon, delta)
    jump = np.where(np.arange(m + 1) >= c, reached / tail, (1 - reached) / (1 - tail))
    law = np.asarray(masses * jump)
    return np.asarray(law / law.sum())


#: Numbers of values, with an ε at which about a third is guessed, and a shift of the Gaussian.
_VALUES = {2: (1.0, 0.8), 10: (2.0, 1.0), 1000: (6.0, 2.5), 10**6: (13.0, 4.5)}

_CANARIES, _DELTA = (50, 1000), 1e-5


def _secrets() -> Iterator[Secrets]:
    for k, (epsilon, shift) in _VALUES.items():
        gaussian = float(GaussianPair(shift * math.sqrt(2)).epsilon(_DELTA))
        for m in _CANARIES:
            yield Secrets(k, m, RESPONSE, epsilon, 0.0)
            yield Secrets(k, m, RESPONSE, epsilon, _DELTA)
            yield Secrets(k, m, WORST, epsilon, _DELTA)
            yield Secrets(k, m, GAUSSIAN, gaussian, _DELTA, shift)


def _case(drawn: Secrets) -> SimulatedCase:
    return SimulatedCase(
        f"secrets, {drawn.values:,} values, {drawn.canaries} canaries, {drawn.mechanism}, "
        f"δ = {drawn.delta:g}",
        f"{drawn.canaries} secrets, each one of {drawn.values:,} values, {drawn.mechanism}, "
        f"ε = {drawn.epsilon:.4g} for replacing one value by another.",
        drawn.methods,
        drawn,
        reps=_REPLICATES,
    )


VALUES = tuple(map(_case, _secrets()))
