"""`AuditPlan`: the base class of the ways to compute the power of a bound for a known pair."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from workbench import _checks
from workbench.bounds.power.best_threshold import BestThreshold, smallest_size
from workbench.bounds.power.plan_results import Power, SampleSize
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair


@dataclass(frozen=True)
class AuditPlan(ABC):
    """Audits of a known pair by one kind of bound.

    A new way of planning is a subclass and an entry in `workbench.bounds.power.sample_size`.

    Attributes
    ----------
    pair : Pair
        The truth.
    delta, confidence : float
    seed : int
        The same for all sample sizes.
    guarantee : str
        Of the bound.
    """

    pair: Pair
    delta: float
    confidence: float
    seed: int
    guarantee: str

    #: Where the search for a sample size starts, as a multiple of what the best threshold needs.
    start: ClassVar[float]
    #: A sample size is known up to this factor.
    precision: ClassVar[float]
    #: Scores per group beyond which nothing is planned.
    most: ClassVar[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", _checks.delta(self.delta))
        object.__setattr__(self, "confidence", _checks.confidence(self.confidence))

    @abstractmethod
    def power(self, claim: float, n_p: int, n_q: int) -> Power:
        """Probability that the bound exceeds a claimed ε.

        Parameters
        ----------
        claim : float
            The claimed ε.
        n_p, n_q : int
        """

    @abstractmethod
    def values(self, n_p: int, n_q: int, reps: int) -> Floats:
        """Bounds on ε of simulated audits.

        Returns
        -------
        ndarray, shape (reps,)
        """

    @property
    def truth(self) -> float:
        """The pair's ε at δ."""
        return float(self.pair.epsilon(self.delta))

    @property
    def best_threshold(self) -> BestThreshold:
        """The threshold that suits the pair best."""
        return BestThreshold(self.pair, self.delta, self.confidence)

    def samples_needed(self, claim: float, wanted: float) -> SampleSize:
        """Scores per group with which the bound exceeds a claimed ε with a wanted probability.

        Parameters
        ----------
        claim : float
            The claimed ε, below the truth.
        wanted : float
            In (0, 1).

        Raises
        ------
        ValueError
            More than `most` scores per group are needed.
        """
        n = smallest_size(
            lambda n: self.power(claim, n, n).value >= wanted,
            math.ceil(self.start * self.best_threshold.scores_needed(claim, wanted)),
            self.precision,
            self.most,
        )
        return SampleSize(n, self.power(claim, n, n), wanted)

    def _power(
        self, value: float, error: float, how: str, claim: float, n_p: int, n_q: int
    ) -> Power:
        """A result with this plan's settings."""
        return Power(
            value=value,
            standard_error=error,
            pair=self.pair,
            guarantee=self.guarantee,
            claim_epsilon=claim,
            delta=self.delta,
            confidence=self.confidence,
            n_p=n_p,
            n_q=n_q,
            how=how,
        )

    def _simulated(
        self, share: float, drawn: int, what: str, claim: float, n_p: int, n_q: int
    ) -> Power:
        """A share of simulations as a result."""
        error = math.sqrt(share * (1 - share) / drawn)
        return self._power(share, error, f"{drawn:,} simulated {what}", claim, n_p, n_q)
