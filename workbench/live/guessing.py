"""What is concluded from the canaries at one look: `FairCoins` or `LikeSamples`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.lower_bounds import epsilon_lower_bound, mu_lower_bound
from workbench.onerun.bound import one_run_bound, one_run_mu_bound
from workbench.onerun.guesses import Guesses
from workbench.onerun.run import OneRun

#: Share of the canaries that are guessed by default: near the best for μ from 1 to 3.
GUESSED = 0.2


class CanaryReading(ABC):
    """Bounds from the canaries at one look.

    Parameters
    ----------
    guesses : int
        How many canaries are guessed, half of them as in, by those bounds that guess.
    """

    #: `Bound.assumption`.
    assumption: ClassVar[str]

    def __init__(self, guesses: int):
        self.guesses = guesses

    @abstractmethod
    def epsilon(self, run: OneRun, delta: float, confidence: float) -> Bound:
        """Lower bound on ε at δ."""

    @abstractmethod
    def mu(self, run: OneRun, confidence: float) -> Bound:
        """Lower bound on μ."""


class FairCoins(CanaryReading):
    """Guesses who is in: valid however the canaries influence each other's scores.

    "sharp" of `one_run_bound` for ε, and Mahloujifar et al. (2024) for μ.
    """

    assumption = "independent fair coins"

    def epsilon(self, run: OneRun, delta: float, confidence: float) -> Bound:
        """See `CanaryReading`."""
        return one_run_bound(self._guessed(run), delta=delta, confidence=confidence, method="sharp")

    def mu(self, run: OneRun, confidence: float) -> Bound:
        """See `CanaryReading`."""
        return one_run_mu_bound(self._guessed(run), confidence=confidence, method="fdp")

    def _guessed(self, run: OneRun) -> Guesses:
        half = self.guesses // 2
        return run.guess(k_in=half, k_out=self.guesses - half)


class LikeSamples(CanaryReading):
    """The simultaneous band: valid if the canaries of the run behave like independent ones."""

    assumption = "one run"

    def epsilon(self, run: OneRun, delta: float, confidence: float) -> Bound:
        """See `CanaryReading`."""
        return epsilon_lower_bound(run.as_scores(), delta, confidence)

    def mu(self, run: OneRun, confidence: float) -> Bound:
        """See `CanaryReading`."""
        return mu_lower_bound(run.as_scores(), confidence)


#: Assumption -> bounds that need no other one.
READINGS: dict[str, type[CanaryReading]] = {
    kind.assumption: kind for kind in (FairCoins, LikeSamples)
}


def reading(assumption: str, canaries: int, guesses: int | None) -> CanaryReading:
    """The bounds that need only this assumption.

    Parameters
    ----------
    assumption : {"independent fair coins", "one run"}
    canaries : int
        Number of canaries.
    guesses : int, optional
        From 2 to the number of canaries; a fifth of them by default.
    """
    _checks.one_of(assumption, "assumption", tuple(READINGS))
    number = max(round(GUESSED * canaries), 2) if guesses is None else guesses
    number = _checks.count(number, "guesses", least=2)
    if number > canaries:
        raise ValueError(f"guesses must be at most the {canaries} canaries, got {number}")
    return READINGS[assumption](number)
