"""`SimulatedCase`: data that are drawn many times, and methods that may claim too much of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.bound import Bound
from workbench.coverage_lab.lab import EXCESS_ROUND_OFF
from workbench.parallel import map_in_processes
from workbench.progress import silent
from workbench.scores.sample import ScoresError

#: Replicates in one task of a pool.
CHUNK = 50

#: Whether each method claims too much of freshly drawn data.
Replicate = Callable[[np.random.Generator], tuple[bool, ...]]


@dataclass(frozen=True)
class SimulatedCase:
    """Data that are drawn many times, and what is claimed of them.

    Attributes
    ----------
    name : str
    about : str
        The data and the truth.
    methods : tuple of str
        What is tried on the same data; false claims of each are counted by themselves.
    replicate : callable
        Draws data and says which methods claim too much.
    reps : int
        Replicates of a full measurement.
    unclaimed : tuple of str
        Methods without a guarantee, which are measured to show what they do.
    """

    name: str
    about: str
    methods: tuple[str, ...]
    replicate: Replicate
    reps: int = 1000
    unclaimed: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaseResult:
    """False claims of one method in one case.

    Attributes
    ----------
    case, method : str
    claims : bool
        Whether the method states that it keeps its level here.
    reps, false : int
        Replicates, and those with a false claim.
    """

    case: str
    method: str
    claims: bool
    reps: int
    false: int

    @property
    def rate(self) -> float:
        """Share of the replicates with a false claim."""
        return self.false / self.reps

    @property
    def p_value(self) -> float:
        """p-value of the exact binomial test that at most 5% are false."""
        from scipy.special import bdtrc

        return float(bdtrc(self.false - 1, self.reps, 0.05)) if self.false else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**vars(self), "rate": self.rate, "p_value": float(f"{self.p_value:.6g}")}


def count_false(
    case: SimulatedCase, reps: int, seed: int = 0, executor: Executor | None = None
) -> tuple[CaseResult, ...]:
    """False claims of each method of a case.

    Parameters
    ----------
    case : SimulatedCase
    reps : int
        Replicates. Each has random numbers of its own, whoever computes it.
    seed : int
    executor : Executor, optional
        A pool of processes by default.
    """
    chunks = [range(i, min(i + CHUNK, reps)) for i in range(0, reps, CHUNK)]
    found = np.zeros(len(case.methods), dtype=np.int64)
    for _, false in map_in_processes(partial(_chunk, case, seed), chunks, silent, executor):
        found += false
    return tuple(
        CaseResult(case.name, method, method not in case.unclaimed, reps, int(false))
        for method, false in zip(case.methods, found, strict=True)
    )


def _chunk(case: SimulatedCase, seed: int, chunk: range) -> NDArray[np.int64]:
    own = zlib.crc32(case.name.encode())
    drawn = [case.replicate(np.random.default_rng([seed, own, i])) for i in chunk]
    return np.asarray(np.sum(drawn, axis=0, dtype=np.int64))


def exceeds(compute: Callable[[], Bound], truth: float) -> bool:
    """Whether a bound exceeds the truth; refused data and void bounds claim nothing."""
    try:
        bound = compute()
    except ScoresError:
        return False
    return bound.void is None and bound.value > truth + EXCESS_ROUND_OFF
