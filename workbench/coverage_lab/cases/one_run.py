"""Canaries of one training run, and runs in which a random part of the records was in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.coverage_lab.cases.case import SimulatedCase, exceeds
from workbench.curves.validation import Floats
from workbench.onerun.bound import one_run_bound
from workbench.onerun.guesses import Ends
from workbench.onerun.half.matching import matched_pairs
from workbench.onerun.run import OneRun
from workbench.onerun.scored.bound import one_run_score_bound
from workbench.onerun.scored.independence import canary_independence
from workbench.onerun.simulate import SharedGaussian
from workbench.onerun.tuning import tune_one_run
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.scores.chance import BITS

#: Guarantees of bounds from scores.
GUARANTEES = ("simultaneous", "one question", "held-out")

#: What is tried on pairs of a random part: a rule fixed in advance, and the best of several.
OF_PAIRS = ("steinke", "sharp", "fdp", "corrected for tuning", "tuned on a part")

#: Replicates of runs with a random part.
_REPEATED = 4000

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
                lambda g=guarantee: one_run_score_bound(run, delta=self.delta, guarantee=g),  # type: ignore[misc]
                self.epsilon,
            )
            for guarantee in GUARANTEES
        )


@dataclass(frozen=True)
class RandomPart:
    """Bounds from matched pairs of one run in which a random part of the records was in.

    Attributes
    ----------
    members, held_out : int
    scores : callable
        (generator, inclusions) -> scores, of one model: those of all records at once.
    epsilon, delta : float
        The truth, for substituting a record.
    rule : Ends
        Fixed in advance.
    """

    members: int
    held_out: int
    scores: Callable[[np.random.Generator, NDArray[np.bool_]], Floats]
    epsilon: float
    delta: float
    rule: Ends

    def run(self, rng: np.random.Generator) -> OneRun:
        """A run."""
        member = rng.permutation(np.repeat([True, False], (self.members, self.held_out)))
        design = "fixed-half" if self.members == self.held_out else "fixed-size"
        scores = self.scores(rng, member)
        return OneRun(scores, member, design=design, seed=int(rng.integers(2**BITS)))

    def __call__(self, rng: np.random.Generator) -> tuple[bool, ...]:
        pairs = matched_pairs(self.run(rng))
        guesses = pairs.guess(**self.rule.arguments)
        alone = [
            exceeds(lambda m=m: one_run_bound(guesses, delta=self.delta, method=m), self.epsilon)  # type: ignore[misc]
            for m in OF_PAIRS[:3]
        ]
        tuned = tune_one_run(pairs, delta=self.delta, method="sharp")
        best = [tuned.simultaneous, tuned.held_out]
        return (*alone, *(b is not None and exceeds(lambda b=b: b, self.epsilon) for b in best))  # type: ignore[misc]


@dataclass(frozen=True)
class SharedModel:
    """Scores of one model, which answers for each record by randomized response.

    A record's score is its answer, moved by those of its neighbors and by noise that all records
    have in common. With a probability all answers are true at once.

    Attributes
    ----------
    odds : float
        Log-odds of a true answer; substituting a record changes two answers, so ε is twice this.
    revealed : float
        Probability that all answers are true.
    noise : float
        Of what moves the scores without hiding the answers; 0 for two values.
    """

    odds: float
    revealed: float = 0.0
    noise: float = 0.3

    def __call__(self, rng: np.random.Generator, member: NDArray[np.bool_]) -> Floats:
        true = rng.random(member.size) < 1 / (1 + np.exp(-self.odds))
        if rng.random() < self.revealed:
            true = np.ones(member.size, bool)
        answers = np.where(true, member, ~member).astype(float)
        if not self.noise:
            return answers
        common = np.sin(rng.normal() * np.arange(member.size))
        neighbors = (np.roll(answers, 1) + np.roll(answers, -1)) / 2 - 0.5
        return answers + self.noise * (common + neighbors) / 2


@dataclass(frozen=True)
class InterferingSum:
    """Scores of `SharedGaussian`, whose records share coordinates and a direction.

    Attributes
    ----------
    of : SharedGaussian
    """

    of: SharedGaussian

    def __call__(self, rng: np.random.Generator, member: NDArray[np.bool_]) -> Floats:
        return self.of.draw(member[None], rng)[0]


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
        return (canary_independence(run, permutations=399).p_value < _SMALL,)  # type: ignore[operator]


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


def _part(name: str, about: str, drawn: RandomPart) -> SimulatedCase:
    sizes = f"{drawn.members} members and {drawn.held_out} held-out records of one model"
    return SimulatedCase(
        f"random part, {name}", f"{sizes}, {about}.", OF_PAIRS, drawn, reps=_REPEATED
    )


_INTERFERING = SharedGaussian(1.0, 80, 0.1)


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
    _part(
        "interfering", "randomized response, ε = 1 for substitution, scores depend on each other",
        RandomPart(100, 100, SharedModel(0.5), 1.0, 0.0, Ends(16, 16)),
    ),
    _part(
        "interfering, δ > 0", "as before, and all revealed with probability δ = 0.02",
        RandomPart(100, 100, SharedModel(0.5, 0.02), 1.0, 0.02, Ends(16, 16)),
    ),
    _part(
        "sizes differ", "randomized response, ε = 1 for substitution, scores depend on each other",
        RandomPart(70, 130, SharedModel(0.5), 1.0, 0.0, Ends(8, 8)),
    ),
    _part(
        "two values", "nothing leaks",
        RandomPart(50, 50, SharedModel(0.0, noise=0), 0.0, 0.0, Ends(25, 25)),
    ),
    _part(
        "noisy sum", "Gaussian, μ = 1, cosine ±0.1, 80 coordinates",
        RandomPart(
            100, 100, InterferingSum(_INTERFERING),
            float(_INTERFERING.substituted.epsilon(1e-3)), 1e-3, Ends(25, 25),
        ),
    ),
    _independent("two values", Independent(20, _of_two)),
    _independent("three values", Independent(50, _of_three)),
    _independent("Cauchy", Independent(50, _cauchy)),
)  # fmt: skip
