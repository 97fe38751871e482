"""Counting: randomized response, a count with geometric noise, and the histogram."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked, vector


@checked
def randomized_response(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int8]:
    """Randomized response: each bit, flipped with probability 1/(1 + e^ε); ε-DP.

    The claim holds exactly, for neighbors that substitute a record.

    Parameters
    ----------
    dataset : array_like, shape (records,), of bits
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.

    Returns
    -------
    ndarray, shape (size, records)
    """
    return _flipped(dataset, size, rng, 1 / (1 + math.exp(min(epsilon, 700))))


@checked
def randomized_response_coin(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int8]:
    """Each bit, replaced by a fair coin with probability 1/(1 + e^ε); claims ε-DP.

    It is log(1 + 2e^ε)-DP: half of the time the coin is the true bit.

    Parameters
    ----------
    dataset : array_like, shape (records,), of bits
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.

    Returns
    -------
    ndarray, shape (size, records)
    """
    return _flipped(dataset, size, rng, 0.5 / (1 + math.exp(min(epsilon, 700))))


def _flipped(dataset: Any, size: int, rng: np.random.Generator, chance: float) -> NDArray[np.int8]:
    bits = vector(dataset).astype(bool)
    return (bits ^ (rng.random((size, len(bits))) < chance)).astype(np.int8)


@checked
def noisy_histogram(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, bins: int = 4
) -> NDArray[np.float64]:
    """Counts of equal bins of [0, 1], each + Lap(1/ε): ε-DP for neighbors that add a record.

    The claim holds exactly: a record changes one count by 1.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.
    bins : int
        Number of bins.

    Returns
    -------
    ndarray, shape (size, bins)
    """
    counts = _counts(dataset, bins)
    return counts + rng.laplace(0, 1 / epsilon, (size, bins))


@checked
def noisy_histogram_empty_bins(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, bins: int = 4
) -> NDArray[np.float64]:
    """As `noisy_histogram`, with empty bins left at 0: claims ε-DP.

    It is not ε-DP for any ε: a record alone in its bin changes an exact 0.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.
    bins : int
        Number of bins.

    Returns
    -------
    ndarray, shape (size, bins)
    """
    counts = _counts(dataset, bins)
    return np.where(counts == 0, 0.0, counts + rng.laplace(0, 1 / epsilon, (size, bins)))


@checked
def noisy_histogram_inverted(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, bins: int = 4
) -> NDArray[np.float64]:
    """Counts of equal bins of [0, 1], each + Lap(ε) instead of Lap(1/ε): claims ε-DP.

    It is 1/ε-DP (Ding et al., 2018, Algorithm 10).

    Parameters
    ----------
    dataset, size, rng, epsilon, bins
        As of `noisy_histogram`.
    """
    return _counts(dataset, bins) + rng.laplace(0, epsilon, (size, bins))


@checked
def truncated_geometric(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int64]:
    """The number of ones plus two-sided geometric noise, clamped to [0, records]: ε-DP.

    The claim holds exactly, for neighbors that substitute a record; all arithmetic is in integers
    (Ghosh, Roughgarden, Sundararajan, 2009). GeoSample of Balcer and Vadhan (2018) has this law
    with ε = log(1 + 2^−k).

    Parameters
    ----------
    dataset : array_like, shape (records,), of bits
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.

    Returns
    -------
    ndarray, shape (size,)
    """
    bits = vector(dataset).astype(bool)
    stop = -math.expm1(-min(epsilon, 700))
    noise = rng.geometric(stop, size) - rng.geometric(stop, size)
    return np.clip(np.count_nonzero(bits) + noise, 0, len(bits))


def _counts(dataset: Any, bins: int) -> NDArray[np.int64]:
    return np.histogram(np.clip(vector(dataset), 0, 1), bins=bins, range=(0, 1))[0]
