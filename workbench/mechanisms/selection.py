"""Choosing one of several: report noisy max, and the median by the exponential mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import column_sums, vector


def noisy_max(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int64]:
    """The column with the largest count + Lap(1/ε): ε-DP for neighbors that add a record.

    It holds: a record adds to each count at most 1, and never takes away (Dwork and Roth, 2014,
    Claim 3.9).
    """
    counts = column_sums(dataset)
    return np.argmax(counts + rng.laplace(0, 1 / epsilon, (size, len(counts))), axis=1)


def noisy_max_value(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """The largest count + Lap(1/ε) itself, rather than its column: claims ε-DP.

    It has columns·ε at most: that the largest is low tells that all of them are.
    """
    counts = column_sums(dataset)
    return (counts + rng.laplace(0, 1 / epsilon, (size, len(counts)))).max(axis=1)


def median(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 0.5,
) -> NDArray[np.float64]:
    """A point of [0, 1] with density ∝ exp(−ε·|rank − n/2| / (2·sensitivity)).

    ε-DP with the sensitivity of ½ that |rank − n/2| has when a record is added (Smith, 2011; one
    quantile of Gillenwater, Joseph, Kulesza, 2021). With a sensitivity of ¼ it has 2ε.
    """
    x = np.sort(np.clip(vector(dataset), 0, 1))
    ends = np.concatenate([[0.0], x, [1.0]])
    rank = np.arange(len(x) + 1)
    weights = np.diff(ends) * np.exp(-epsilon * np.abs(rank - len(x) / 2) / (2 * sensitivity))
    chosen = rng.choice(len(weights), size, p=weights / weights.sum())
    return rng.uniform(ends[chosen], ends[chosen + 1])
