"""Choosing one of several: report noisy max, and quantiles by the exponential mechanism.

Counts of `noisy_max` and `noisy_max_value` belong to neighbors that add a record, where all that
change move in one direction. Where a record is substituted, some go up and others down, and the
noise is doubled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked, column_sums, vector
from workbench.mechanisms.floating_point import on_grid


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
    return np.argmax(_noisy(dataset, size, rng.laplace, 1 / epsilon), axis=1)


@checked
def noisy_max_both_ways(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int64]:
    """The column with the largest count + Lap(2/ε): ε-DP for neighbors that substitute a record.

    The claim holds: each count moves by at most 1, in either direction (Ding et al., 2018,
    Algorithm 5).

    Parameters
    ----------
    dataset, size, rng, epsilon
        As of `noisy_max`.
    """
    return np.argmax(_noisy(dataset, size, rng.laplace, 2 / epsilon), axis=1)


@checked
def noisy_max_exponential(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int64]:
    """The column with the largest count + Exp(2/ε): ε-DP for neighbors that substitute a record.

    The claim holds (Ding et al., 2018, Algorithm 6). The noise has an exponential distribution of
    mean 2/ε.

    Parameters
    ----------
    dataset, size, rng, epsilon
        As of `noisy_max`.
    """
    return np.argmax(_exponential(dataset, size, rng, 2 / epsilon), axis=1)


@checked
def noisy_max_gumbel(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int64]:
    """The column with the largest count + Gumbel(2/ε): ε-DP for neighbors that substitute a record.

    The claim holds: it is the exponential mechanism, whose utility is the count (McSherry and
    Talwar, 2007).

    Parameters
    ----------
    dataset, size, rng, epsilon
        As of `noisy_max`.
    """
    return np.argmax(_noisy(dataset, size, rng.gumbel, 2 / epsilon), axis=1)


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
    return _noisy(dataset, size, rng.laplace, 1 / epsilon).max(axis=1)


@checked
def noisy_max_value_both_ways(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """The largest count + Lap(2/ε) itself, for neighbors that substitute a record: claims ε-DP.

    It is at most columns·ε/2-DP (Ding et al., 2018, Algorithm 7).

    Parameters
    ----------
    dataset, size, rng, epsilon
        As of `noisy_max_value`.
    """
    return on_grid(_noisy(dataset, size, rng.laplace, 2 / epsilon).max(axis=1))


@checked
def noisy_max_value_exponential(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """The largest count + Exp(2/ε) itself: claims ε-DP.

    It is not ε-DP for any ε: no output is below the largest count (Ding et al., 2018, Algorithm 8).

    Parameters
    ----------
    dataset, size, rng, epsilon
        As of `noisy_max_value`.
    """
    return on_grid(_exponential(dataset, size, rng, 2 / epsilon).max(axis=1))


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


#: The quantiles of `joint_quantiles`.
QUARTILES = (0.25, 0.5, 0.75)


@checked
def joint_quantiles(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """The three quartiles at once, by one exponential mechanism: ε-DP for neighbors that add one.

    Increasing triples of points of [0, 1] have density ∝ exp(−ε·u/(2Δ)), where u = Σ |nⱼ − n/4|
    compares the numbers of records between them with quarters, and Δ = 2·(1 − 1/4) is its
    sensitivity (Gillenwater, Joseph, Kulesza, 2021). With one quantile, ½, it is `median`. The
    claim holds. Triples are enumerated, so that it takes at most 60 records.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.

    Returns
    -------
    ndarray, shape (size, 3)

    Raises
    ------
    ValueError
        More than 60 records.
    """
    x = np.sort(np.clip(vector(dataset), 0, 1))
    if len(x) > _MOST_RECORDS:
        raise ValueError(f"the dataset must have at most {_MOST_RECORDS} records; got {len(x)}")
    ends, chosen, weights = joint_law(x, epsilon)
    intervals = chosen[rng.choice(len(chosen), size, p=weights)]
    return np.sort(rng.uniform(ends[intervals], ends[intervals + 1]), axis=1)


def joint_law(
    x: NDArray[np.float64], epsilon: float
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Ends of the intervals between records, all triples of intervals, and their probabilities."""
    ends = np.concatenate([[0.0], x, [1.0]])
    triples = np.array(list(combinations_with_replacement(range(len(x) + 1), len(QUARTILES))))
    between = np.diff(triples, axis=1, prepend=0, append=len(x))
    parts = np.diff((0.0, *QUARTILES, 1.0))
    utility = -np.abs(between - parts * len(x)).sum(axis=1)
    repeats = [math.prod(map(math.factorial, np.bincount(t))) for t in triples]
    volume = np.diff(ends)[triples].prod(axis=1) / repeats
    weights = volume * np.exp(epsilon * (utility - utility.max()) / (4 * (1 - parts.min())))
    return ends, triples, weights / weights.sum()


#: Records of `joint_quantiles`: there are about records³/6 triples.
_MOST_RECORDS = 60


def _noisy(
    dataset: Any, size: int, draw: Callable[..., NDArray[np.float64]], scale: float
) -> NDArray[np.float64]:
    counts = column_sums(dataset)
    return counts + draw(0, scale, (size, len(counts)))


def _exponential(
    dataset: Any, size: int, rng: np.random.Generator, scale: float
) -> NDArray[np.float64]:
    counts = column_sums(dataset)
    return counts + rng.exponential(scale, (size, len(counts)))
