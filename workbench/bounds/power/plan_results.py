"""Results of planning: `Power`, `SampleSize` and `BoundDistribution`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench._format import format_result, percent, plain
from workbench._frames import to_frame
from workbench.curves.validation import Floats, rates
from workbench.pairs.base import Pair


@dataclass(frozen=True, eq=False, repr=False)
class BoundDistribution:
    """Distribution of a lower bound on ε over audits of a known pair. See `plan_distribution`.

    Attributes
    ----------
    pair : Pair
        The truth.
    guarantee : str
        Of the bound.
    n_p, n_q : int
    delta, confidence : float
    values : ndarray, shape (reps,)
        Bounds of simulated audits, ascending.
    truth : float
        The pair's ε at δ.
    """

    pair: Pair
    guarantee: str
    n_p: int
    n_q: int
    delta: float
    confidence: float
    values: Floats
    truth: float

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    def quantile(self, level: ArrayLike) -> Any:
        """Quantiles of the bound, in the shape of ``level``."""
        return np.quantile(self.values, rates(level, "level"))

    def __repr__(self) -> str:
        low, median, high = self.quantile([0.1, 0.5, 0.9])
        return (
            f"BoundDistribution({self.guarantee} on {self.pair.name}, n_p={self.n_p}, "
            f"n_q={self.n_q}: ε ≥ {low:.3g}, {median:.3g}, {high:.3g} (10%, median, 90%), "
            f"truth {self.truth:.3g})"
        )


@dataclass(frozen=True, repr=False)
class Power:
    """Probability that a lower bound exceeds a claimed ε. See `power`.

    Attributes
    ----------
    value : float
    standard_error : float
        Of the simulation; 0 where nothing was simulated.
    pair : Pair
        The truth.
    guarantee : str
        Of the bound.
    claim_epsilon, delta, confidence : float
    n_p, n_q : int
    how : str
        "exact", or the number of simulations.
    """

    value: float
    standard_error: float
    pair: Pair
    guarantee: str
    claim_epsilon: float
    delta: float
    confidence: float
    n_p: int
    n_q: int
    how: str

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        """The power by a format of numbers, such as ``".1%"``; the text for other formats."""
        return format_result(self, self.value, spec)

    def __repr__(self) -> str:
        return (
            f"Power({percent(round(self.value, 3))} to show more than ε = "
            f"{plain(self.claim_epsilon)} at δ = {plain(self.delta)}; {self.guarantee}, "
            f"{percent(self.confidence)}, n_p={self.n_p}, n_q={self.n_q}, {self.pair.name}, "
            f"{self.how})"
        )


@dataclass(frozen=True, repr=False)
class SampleSize:
    """Scores per group with which a bound exceeds a claim often enough. See `samples_needed`.

    Attributes
    ----------
    n : int
        Scores per group.
    power : Power
        The power with n scores per group.
    wanted : float
        The power that was asked for.
    """

    n: int
    power: Power
    wanted: float

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    def __int__(self) -> int:
        return self.n

    def __format__(self, spec: str) -> str:
        """The size by a format of whole numbers, such as ``","``; the text without one."""
        return format(self.n, spec) if spec else str(self)

    def __repr__(self) -> str:
        return f"SampleSize({self.n:,} scores per group for {percent(self.wanted)}; {self.power!r})"
