"""Choosing one of several: report noisy max, and the median by the exponential mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked, column_sums, vector


@checked
def noisy_max(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int64]:
    """The column with the largest count + Lap(1/ε): ε-DP for neighbors that add a record.

    The claim holds: a record adds at most 1 to each count, and never reduces one (Dwork and Roth,
    2014, Claim 3.9).

    Parameters
    ----------
    dataset : array_like, shape (records, columns), of bits
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.

    Returns
    -------
    ndarray, shape (size,)
    """
    counts = column_sums(dataset)
    return np.argmax(counts + rng.laplace(0, 1 / epsilon, (size, len(counts))), axis=1)


@checked
def noisy_max_value(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """The largest count + Lap(1/ε) itself, rather than its column: claims ε-DP.

    It is at most columns·ε-DP: a low largest count reveals that all counts are low.

    Parameters
    ----------
    dataset : array_like, shape (records, columns), of bits
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.

    Returns
    -------
    ndarray, shape (size,)
    """
    counts = column_sums(dataset)
    return (counts + rng.laplace(0, 1 / epsilon, (size, len(counts)))).max(axis=1)


@checked
def median(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 0.5,
) -> NDArray[np.float64]:
    """A point of [0, 1] with density ∝ exp(−ε·|rank − n/2| / (2·sensitivity)).

    ε-DP with sensitivity ½, that of |rank − n/2| when a record is added (Smith, 2011; one
    quantile of Gillenwater, Joseph, Kulesza, 2021). With sensitivity ¼ it is 2ε-DP.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.
    sensitivity : float

    Returns
    -------
    ndarray, shape (size,)
    """
    x = np.sort(np.clip(vector(dataset), 0, 1))
    ends = np.concatenate([[0.0], x, [1.0]])
    rank = np.arange(len(x) + 1)
    weights = np.diff(ends) * np.exp(-epsilon * np.abs(rank - len(x) / 2) / (2 * sensitivity))
    chosen = rng.choice(len(weights), size, p=weights / weights.sum())
    return rng.uniform(ends[chosen], ends[chosen + 1])
