"""Sums of numbers in [0, 1] with Laplace noise, of all records, and of all that came so far.

Records are in order. Neighbors substitute a record, which moves a sum by at most 1. Results are
rounded to multiples of 2⁻³⁰, since the digits of a float would give the exact sums away.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked, column_sums, vector
from workbench.mechanisms.floating_point import on_grid


@checked
def laplace_sum(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    noise_factor: float = 1.0,
) -> NDArray[np.float64]:
    """Σ + Lap(s/ε) with s = ``noise_factor``: claims ε-DP.

    The claim holds exactly with s = 1; otherwise it is ε/s-DP.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.
    noise_factor : float
        Factor s of the noise.

    Returns
    -------
    ndarray, shape (size,)
    """
    noise = rng.laplace(0, noise_factor / epsilon, size)
    return on_grid(np.clip(vector(dataset), 0, 1).sum() + noise)


@checked
def laplace_parallel(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    copies: int = 20,
) -> NDArray[np.float64]:
    """Σ with fresh noise Lap(copies/ε), several times: ε-DP.

    The claim holds exactly, by composition; an attack has to combine all columns.

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.
    copies : int
        How many times the sum is released.

    Returns
    -------
    ndarray, shape (size, copies)
    """
    total = np.clip(vector(dataset), 0, 1).sum()
    return on_grid(total + rng.laplace(0, copies / epsilon, (size, copies)))


@checked
def prefix_sum(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """All sums Σ_{i ≤ j} (xᵢ + Lap(1/ε)): ε-DP.

    The claim holds exactly: differences of the sums are the records, each with noise of its own,
    and one record changes (Wang, Ding, Wang, Kifer, Zhang, 2019).

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
    ndarray, shape (size, records)
    """
    x = np.clip(vector(dataset), 0, 1)
    return on_grid(np.cumsum(x + rng.laplace(0, 1 / epsilon, (size, len(x))), axis=1))


@checked
def prefix_sum_user(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Prefix sums of the counts of columns, each count + Lap(1/ε): claims ε-DP.

    It is columns·ε-DP: a user is in every column, not in one, so that all counts move at once.

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
    ndarray, shape (size, columns)
    """
    counts = column_sums(dataset)
    noise = rng.laplace(0, 1 / epsilon, (size, len(counts)))
    return on_grid(np.cumsum(counts + noise, axis=1))


@checked
def smart_sum(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, block: int = 3
) -> NDArray[np.float64]:
    """All prefix sums, with noise Lap(2/ε) on each record and on each total of a block: ε-DP.

    A sum adds the noisy totals of the blocks before it, and the noisy records since. The claim
    holds: a record is in one total and counts once by itself (Chan, Shi, Song, 2011).

    Parameters
    ----------
    dataset : array_like, shape (records,), values in [0, 1]
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.
    block : int
        Records of a block.

    Returns
    -------
    ndarray, shape (size, records)
    """
    return _by_blocks(dataset, size, rng, block, 2 / epsilon, 2 / epsilon)


@checked
def smart_sum_exact_totals(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, block: int = 3
) -> NDArray[np.float64]:
    """As `smart_sum`, with totals of blocks that have no noise: claims ε-DP.

    It is not ε-DP for any ε: the last sum of a block is exact (Wang, Ding, Kifer, Zhang, 2020).

    Parameters
    ----------
    dataset, size, rng, epsilon, block
        As of `smart_sum`.
    """
    return _by_blocks(dataset, size, rng, block, 2 / epsilon, 0.0)


def _by_blocks(
    dataset: Any, size: int, rng: np.random.Generator, block: int, single: float, total: float
) -> NDArray[np.float64]:
    x = np.clip(vector(dataset), 0, 1)
    noisy = x + rng.laplace(0, single, (size, len(x)))
    before, sums = np.zeros(size), np.empty((size, len(x)))
    for start in range(0, len(x), block):
        stop = start + block
        sums[:, start:stop] = before[:, None] + np.cumsum(noisy[:, start:stop], axis=1)
        if stop <= len(x):
            before = before + x[start:stop].sum() + rng.laplace(0, total, size)
            sums[:, stop - 1] = before
    return on_grid(sums)
