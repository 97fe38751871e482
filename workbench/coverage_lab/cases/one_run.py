"""Canaries of one training run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from workbench.bounds.lower_bounds import Guarantee
from workbench.coverage_lab.cases.case import SimulatedCase, exceeds
from workbench.curves.validation import Floats
from workbench.onerun.run import OneRun
from workbench.onerun.scored.bound import one_run_score_bound
from workbench.onerun.scored.independence import canary_independence
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.scores.chance import BITS

#: Guarantees of bounds from scores.
GUARANTEES: tuple[Guarantee, ...] = ("simultaneous", "one question", "held-out")

#: p-values below this are counted.
_SMALL = 0.05


@dataclass(frozen=True)
class Scored:
    """Bounds from the scores of canaries, at the edge of a claim.

    Attributes
    ----------
    canaries : int
    included : float
        Probability.
    rate : float
        Probability of the larger of two scores that say nothing.
    epsilon, delta : float
        Of randomized response, in place of these scores.
    """

    canaries: int
    included: float
    rate: float = 0.0
    epsilon: float = 0.0
    delta: float = 0.0

    def run(self, rng: np.random.Generator) -> OneRun | None:
        """A run; None where there are no two canaries in, or no two out."""
        member = rng.random(self.canaries) < self.included
        if self.epsilon:
            pair = RandomizedResponsePair(self.epsilon, self.delta)
            draws = (
                pair.draw_p(self.canaries, rng), pair.draw_q(self.canaries, rng),
            )  # fmt: skip
            scores = np.where(member, *draws)
        else:
            scores = (rng.random(self.canaries) < self.rate).astype(float)
        if not 2 <= member.sum() <= self.canaries - 2:
            return None
        return OneRun(scores, member, seed=int(rng.integers(2**BITS)))

    def __call__(self, rng: np.random.Generator) -> tuple[bool, ...]:
        run = self.run(rng)
        if run is None:
            return (False,) * len(GUARANTEES)
        return tuple(
            exceeds(
                partial(one_run_score_bound, run, delta=self.delta, guarantee=guarantee),
                self.epsilon,
            )
            for guarantee in GUARANTEES
        )


@dataclass(frozen=True)
class Independent:
    """p-values of the test whether canaries depend on each other; they do not.

    Attributes
    ----------
    canaries : int
    draw : callable
        (generator, size) -> scores.
    """

    canaries: int
    draw: Callable[[np.random.Generator, int], Floats]

    def __call__(self, rng: np.random.Generator) -> tuple[bool, ...]:
        member = rng.random(self.canaries) < 0.5
        run = OneRun(self.draw(rng, self.canaries), member, seed=int(rng.integers(2**BITS)))
        p = canary_independence(run, permutations=399).p_value
        return (p is not None and p < _SMALL,)


def _of_two(rng: np.random.Generator, n: int) -> Floats:
    return (rng.random(n) < 0.1).astype(float)


def _of_three(rng: np.random.Generator, n: int) -> Floats:
    return rng.integers(0, 3, n).astype(float)


def _cauchy(rng: np.random.Generator, n: int) -> Floats:
    return np.asarray(rng.standard_cauchy(n))


def _scored(name: str, about: str, drawn: Scored) -> SimulatedCase:
    return SimulatedCase(
        f"one run, {name}", f"{drawn.canaries} canaries, {about}.", GUARANTEES, drawn
    )


def _independent(name: str, drawn: Independent) -> SimulatedCase:
    about = f"{drawn.canaries} independent canaries; p-values below 5% are counted."
    return SimulatedCase(f"canary independence, {name}", about, ("p-value",), drawn)


ONE_RUN = (
    _scored("a tenth in", "nothing leaks", Scored(50, 0.1, 0.03)),
    _scored("half in", "randomized response, ε = 1", Scored(50, 0.5, epsilon=1.0)),
    _scored(
        "half in, δ > 0", "randomized response, ε = 1, δ = 0.05",
        Scored(50, 0.5, epsilon=1.0, delta=0.05),
    ),
    _independent("two values", Independent(20, _of_two)),
    _independent("three values", Independent(50, _of_three)),
    _independent("Cauchy", Independent(50, _cauchy)),
)  # fmt: skip
