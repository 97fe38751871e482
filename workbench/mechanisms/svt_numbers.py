"""Sparse vector algorithms that release numbers: fresh answers, gaps above the threshold, both.

Datasets, neighbors and queries are those of `workbench.mechanisms.svt`: a substituted user moves
each count by at most 1, some up and others down. Outputs have one row for each run and one column
for each query: the number that is released where the query is above, rounded to a multiple of 2⁻³⁰,
NaN below and after the stop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked, column_sums
from workbench.mechanisms.floating_point import on_grid
from workbench.mechanisms.svt import compare, svt3, svt4


@checked
def svt_numeric(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 1,
    threshold: float = 3.0,
) -> NDArray[np.float64]:
    """Threshold noise Lap(3/ε), query noise Lap(6c/ε), and above: the count + Lap(3c/ε); ε-DP.

    The claim holds: the released count has noise of its own, at ε/(3c) each (Wang, Ding, Wang,
    Kifer, Zhang, 2019).

    Parameters
    ----------
    dataset : array_like, shape (records, queries), of bits
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.
    answers : int
        Number c of answers "above" after which it stops.
    threshold : float

    Returns
    -------
    ndarray, shape (size, queries)
    """
    rho, nu = 3 / epsilon, 6 * answers / epsilon
    _, state, _ = compare(dataset, size, rng, threshold, rho=rho, nu=nu, c=answers)
    fresh = column_sums(dataset) + rng.laplace(0, 3 * answers / epsilon, state.shape)
    return _released(state == 1, fresh)


@checked
def svt_gap(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 1,
    threshold: float = 3.0,
) -> NDArray[np.float64]:
    """Algorithm 1 that releases by how much the noisy count exceeds the noisy threshold: ε-DP.

    The claim holds: the gap comes at no cost (Ding, Wang, Zhang, Kifer, 2019).

    Parameters
    ----------
    dataset, size, rng, epsilon, answers, threshold
        As of `svt_numeric`.
    """
    rho, nu = 2 / epsilon, 4 * answers / epsilon
    noisy, state, limit = compare(dataset, size, rng, threshold, rho=rho, nu=nu, c=answers)
    return _released(state == 1, noisy - limit[:, None])


@checked
def svt_gap_count(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 1,
    threshold: float = 3.0,
) -> NDArray[np.float64]:
    """Algorithm 1 that releases the noisy count itself, instead of the gap: claims ε-DP.

    It is not ε-DP for any ε, as `svt3`, with twice the query noise: a low count above shows that
    the noisy threshold was lower still (Wang, Ding, Kifer, Zhang, 2020).

    Parameters
    ----------
    dataset, size, rng, epsilon, answers, threshold
        As of `svt_numeric`.
    """
    rho, nu = 2 / epsilon, 4 * answers / epsilon
    noisy, state, _ = compare(dataset, size, rng, threshold, rho=rho, nu=nu, c=answers)
    return _released(state == 1, noisy)


@checked
def svt_adaptive(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 1,
    threshold: float = 3.0,
    margin: float = 16.0,
) -> NDArray[np.float64]:
    """Gaps above a noisy threshold, with noise Lap(8c/ε) where that is enough; ε-DP.

    The threshold has noise Lap(2/ε). A query whose count + Lap(8c/ε) exceeds it by ``margin`` costs
    ε/(4c); otherwise Lap(4c/ε) decides, at ε/(2c). It stops when less than ε/(2c) is left of ε/2:
    after c to 2c − 1 answers. The claim holds (Ding, Wang, Zhang, Kifer, 2019).

    Parameters
    ----------
    dataset, size, rng, epsilon, answers, threshold
        As of `svt_numeric`.
    margin : float
        By how much a count with the larger noise has to exceed the threshold.
    """
    return _adaptive(dataset, size, rng, epsilon, answers, threshold, margin, gap=True)


@checked
def svt_adaptive_count(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 1,
    threshold: float = 3.0,
    margin: float = 16.0,
) -> NDArray[np.float64]:
    """As `svt_adaptive`, with the noisy count instead of its gap in the first branch: claims ε-DP.

    It is not ε-DP for any ε: a low count shows that the noisy threshold was lower by ``margin``
    (Wang, Ding, Kifer, Zhang, 2020).

    Parameters
    ----------
    dataset, size, rng, epsilon, answers, threshold, margin
        As of `svt_adaptive`.
    """
    return _adaptive(dataset, size, rng, epsilon, answers, threshold, margin, gap=False)


@checked
def svt34_parallel(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 1,
    threshold: float = 3.0,
) -> NDArray[np.float64]:
    """`svt3` and `svt4` side by side, with ε/2 each: claims ε-DP.

    It is not ε-DP for any ε, since neither keeps its share (Bichsel, Steffen, Bogunovic, Vechev,
    2021).

    Parameters
    ----------
    dataset, size, rng, epsilon, answers, threshold
        As of `svt_numeric`.

    Returns
    -------
    ndarray, shape (size, 2·queries)
        The columns of `svt3`, then those of `svt4`.
    """
    half = epsilon / 2
    counts = svt3(dataset, size, rng, epsilon=half, answers=answers, threshold=threshold)
    states = svt4(dataset, size, rng, epsilon=half, answers=answers, threshold=threshold)
    return np.hstack([_released(~np.isnan(counts), counts), states])


def _released(above: NDArray[np.bool_], numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers where they are released, on the grid of `floating_point.on_grid`."""
    return np.where(above, on_grid(np.where(above, numbers, 0.0)), np.nan)


def _adaptive(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    epsilon: float,
    answers: int,
    threshold: float,
    margin: float,
    *,
    gap: bool,
) -> NDArray[np.float64]:
    counts = column_sums(dataset)
    limit = threshold + rng.laplace(0, 2 / epsilon, size)
    released = np.full((size, len(counts)), np.nan)
    left = np.full(size, 2 * answers)  # in units of ε/(4c)
    for i, count in enumerate(counts):
        coarse, fine = count + rng.laplace(0, 4 * answers / epsilon, (2, size)) * [[2], [1]]
        running, far = left >= 2, coarse - limit >= margin
        above = far | (fine >= limit)
        number = np.where(far, coarse - limit * gap, fine - limit)
        released[:, i] = _released(running & above, number)
        left -= running * (far + 2 * (above & ~far))
    return released
