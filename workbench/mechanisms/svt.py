"""The sparse vector technique: seven algorithms from the literature; three are private.

A stream of queries is compared with a threshold; after c answers "above" the algorithm stops. They
are Algorithms 1 to 6 of Lyu, Su, Li (2017), "Understanding the sparse vector technique for
differential privacy", with the noise as printed there, and one for counts that move together.

Records are users, columns are questions answered 0 or 1; query i counts the users with a 1 in
column i, in order. Neighbors substitute a user, which moves each count by at most Δ = 1, some up
and others down. The threshold is public.

Outputs have one row for each run and one column for each query: 1 above, 0 below, −1 after the
stop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked, column_sums


@checked
def svt1(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 1,
    threshold: float = 3.0,
) -> NDArray[np.int8]:
    """Threshold noise Lap(2/ε), drawn once; query noise Lap(4c/ε); stops after c above: ε-DP.

    The claim holds: all answers "below" together cost ε/2 through the threshold, each "above"
    ε/(2c).

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
    return _compare(
        dataset, size, rng, threshold, rho=2 / epsilon, nu=4 * answers / epsilon, c=answers
    )


@checked
def svt2(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 2,
    threshold: float = 3.0,
) -> NDArray[np.int8]:
    """Threshold noise Lap(2c/ε), drawn anew after each above; query noise Lap(4c/ε); stops: ε-DP.

    The claim holds, with more noise than Algorithm 1: it is c runs that stop after one, at ε/c each
    (Dwork and Roth, 2014).

    Parameters
    ----------
    dataset, size, rng, epsilon, answers, threshold
        As of `svt1`.
    """
    rho, nu = 2 * answers / epsilon, 4 * answers / epsilon
    return _compare(dataset, size, rng, threshold, rho=rho, nu=nu, c=answers, anew=True)


@checked
def svt3(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 1,
    threshold: float = 3.0,
) -> NDArray[np.float64]:
    """Algorithm 1 with query noise Lap(2c/ε), releasing the noisy count instead of "above".

    Claims ε-DP, and is not ε-DP for any ε (Roth, 2011): a low count above shows that the noisy
    threshold was lower still, and then every "below" before it reveals its own count. Outputs are
    the noisy counts above, NaN below and after stopping.

    Parameters
    ----------
    dataset, size, rng, epsilon, answers, threshold
        As of `svt1`.
    """
    noisy, state, _ = compare(
        dataset, size, rng, threshold, rho=2 / epsilon, nu=2 * answers / epsilon, c=answers
    )
    return np.where(state == 1, noisy, np.nan)


@checked
def svt4(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 1,
    threshold: float = 3.0,
) -> NDArray[np.int8]:
    """Threshold noise Lap(4/ε), query noise Lap(4/(3ε)), stops after c above: claims ε-DP.

    It is (1 + 6c)/4 · ε-DP (Lee and Clifton, 2014): the query noise does not grow with c, and is
    that for counts that all change in the same direction.

    Parameters
    ----------
    dataset, size, rng, epsilon, answers, threshold
        As of `svt1`.
    """
    return _compare(dataset, size, rng, threshold, rho=4 / epsilon, nu=4 / (3 * epsilon), c=answers)


@checked
def svt5(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    threshold: float = 3.0,
) -> NDArray[np.int8]:
    """Threshold noise Lap(2/ε), no query noise, never stops: claims ε-DP.

    It is not ε-DP for any ε (Stoddard, Chen, Machanavajjhala, 2014): a count below with a smaller
    one above never happens, so that the order of two counts is revealed.

    Parameters
    ----------
    dataset, size, rng, epsilon, threshold
        As of `svt1`.
    """
    return _compare(dataset, size, rng, threshold, rho=2 / epsilon, nu=0.0)


@checked
def svt6(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    threshold: float = 3.0,
) -> NDArray[np.int8]:
    """Threshold noise Lap(2/ε), query noise Lap(2/ε), never stops: claims ε-DP.

    It is not ε-DP for any ε (Chen et al., 2015): k queries, half of which increase and half
    decrease, leak at least k·ε/4.

    Parameters
    ----------
    dataset, size, rng, epsilon, threshold
        As of `svt1`.
    """
    return _compare(dataset, size, rng, threshold, rho=2 / epsilon, nu=2 / epsilon)


@checked
def svt_monotone(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    answers: int = 1,
    threshold: float = 3.0,
) -> NDArray[np.int8]:
    """Algorithm 1 with query noise Lap(2c/ε): ε-DP for neighbors that add a user.

    The claim holds, since all counts that change move in the same direction (Lyu, Su, Li, 2017,
    §4.3). With neighbors that substitute a user it does not.

    Parameters
    ----------
    dataset, size, rng, epsilon, answers, threshold
        As of `svt1`.
    """
    return _compare(
        dataset, size, rng, threshold, rho=2 / epsilon, nu=2 * answers / epsilon, c=answers
    )


def _compare(*args: Any, **options: Any) -> NDArray[np.int8]:
    return compare(*args, **options)[1]


def compare(
    dataset: Any,
    size: int,
    rng: np.random.Generator,
    threshold: float,
    *,
    rho: float,
    nu: float,
    c: float = np.inf,
    anew: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.int8], NDArray[np.float64]]:
    """Noisy counts; 1 above, 0 below, −1 stopped; both (size, queries); and the last threshold."""
    counts = column_sums(dataset)
    noisy = counts + rng.laplace(0, nu, (size, len(counts)))
    state = np.empty(noisy.shape, dtype=np.int8)
    noisy_threshold = threshold + rng.laplace(0, rho, size)
    left = np.full(size, float(c))
    for i in range(len(counts)):
        above = noisy[:, i] >= noisy_threshold
        state[:, i] = np.where(left > 0, above, -1)
        left -= above
        if anew:
            fresh = threshold + rng.laplace(0, rho, size)
            noisy_threshold = np.where(above, fresh, noisy_threshold)
    return noisy, state, noisy_threshold
