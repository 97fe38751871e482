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

from workbench.coverage_lab.cases.case import SimulatedCase, exceeds
from workbench.coverage_lab.lab import EXCESS_ROUND_OFF
from workbench.onerun.bound import any_number_bound, one_run_bound
from workbench.onerun.guesses import Guesses
from workbench.onerun.ranks.exposure import exposure
from workbench.onerun.ranks.law import ExposureSum
from workbench.onerun.ranks.ranks import Ranks
from workbench.onerun.steinke import sharp_p_value
from workbench.pairs.gaussian import GaussianPair

#: Mechanisms.
RESPONSE, WORST, GAUSSIAN = "k-ary randomized response", "the worst mechanism", "Gaussian"

#: What is tried on all of them, and what is tried besides at δ = 0 and of the Gaussian.
ALWAYS, AT_ZERO, OF_GAUSSIAN = (
    ("sharp", "any number", "fdp", "several tops"),
    "sum",
    "fdp, Gaussian",
)

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
        """Three numbers of first candidates, where there are so many."""
        return tuple(sorted({1, max(self.values // 10, 1), max(self.values // 2, 1)}))

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
        ranks, truth = self.ranks(rng), self.epsilon
        guesses = ranks.guesses()
        of_tops = exceeds(lambda: exposure(ranks, delta=self.delta, top=self.tops).bound, truth)
        found = [
            *(false_claim(method, guesses, self.delta, truth) for method in ALWAYS[:-1]),
            of_tops,
        ]
        if AT_ZERO in self.methods:
            total = ExposureSum(self.values, self.canaries).of(ranks.ranks)
            found.append(total >= least_false_sum(self.values, self.canaries, truth))
        if OF_GAUSSIAN in self.methods:
            found.append(false_claim(OF_GAUSSIAN, guesses, self.delta, truth))
        return tuple(found)


@lru_cache(maxsize=4096)
def false_claim(method: str, guesses: Guesses, delta: float, truth: float) -> bool:
    """Whether a method claims more than the truth of some guesses.

    Parameters
    ----------
    method : str
        "any number", "sharp", "fdp" or "fdp, Gaussian".
    guesses : Guesses
    delta, truth : float
    """
    if method == ALWAYS[1]:
        return exceeds(lambda: any_number_bound(guesses, delta), truth)
    name, _, family = method.partition(", ")
    return exceeds(
        lambda: one_run_bound(guesses, delta=delta, method=name, family=family.lower() or None),
        truth,
    )


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
    refuting = (
        c
        for c in range(1, m + 1)
        if one_run_bound(
            _counts(values, m, c), delta=delta, method="sharp", confidence=_CONFIDENCE
        ).value
        > epsilon
    )
    c = next(refuting)
    masses = binom.pmf(np.arange(m + 1), m, 1 / (1 + math.exp(-of_epsilon)))
    tail = float(masses[c:].sum())
    reached = sharp_p_value(m, m, c, of_epsilon, delta)
    jump = np.where(np.arange(m + 1) >= c, reached / tail, (1 - reached) / (1 - tail))
    law = np.asarray(masses * jump)
    return np.asarray(law / law.sum())


def _counts(values: int, canaries: int, correct: int) -> Guesses:
    if values == 2:
        return Guesses(canaries, canaries, correct, design="matched-pairs")
    return Guesses(canaries, canaries, correct, values=values)


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
