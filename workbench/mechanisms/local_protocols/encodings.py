"""Reports of one of K values: itself or another one, as randomized bits, or as a set.

All are ε-DP for neighbors that substitute the value, exactly, and a report *supports* a value where
it is e^ε times as likely under it as under one that it does not support.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked, vector

#: e^700 is about the largest float.
_MOST = 700.0


def places(dataset: Any, values: int) -> NDArray[np.int64]:
    """The values of a dataset as whole numbers from 0 to K − 1, shape (records,)."""
    x = vector(dataset)
    if values < 2:
        raise ValueError(f"values must be at least 2, got {values}: one value is known beforehand")
    odd = ~((x >= 0) & (x < values) & (x == np.floor(x)))
    if odd.any():
        raise ValueError(
            f"this protocol takes whole numbers from 0 to {values - 1}, got {x[odd][0]:g}; state "
            "how many values there are by values="
        )
    return x.astype(np.int64)


@checked
def k_randomized_response(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, values: int = 10
) -> NDArray[np.int64]:
    """Each value with probability e^ε/(e^ε + K − 1), otherwise one of the others; ε-DP.

    Parameters
    ----------
    dataset : array_like, shape (records,), of whole numbers from 0 to K − 1
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.
    values : int
        K.

    Returns
    -------
    ndarray, shape (size, records)

    References
    ----------
    Kairouz, Bonawitz and Ramage (2016); generalized randomized response of Wang et al. (2017).
    """
    true = places(dataset, values)
    shape = size, true.size
    lies = rng.random(shape) * (math.exp(min(epsilon, _MOST)) + values - 1) < values - 1
    return np.where(lies, (true + rng.integers(1, values, shape)) % values, true)


@checked
def symmetric_unary_encoding(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, values: int = 10
) -> NDArray[np.int8]:
    """K bits, the value's set and the others not, each flipped with probability 1/(1 + e^{ε/2}).

    ε-DP: two values differ in two bits. It is the first stage of RAPPOR without a Bloom filter.

    Parameters
    ----------
    dataset, size, rng, epsilon, values
        As in `k_randomized_response`.

    Returns
    -------
    ndarray, shape (size, records·K)

    References
    ----------
    Erlingsson, Pihur and Korolova (2014); SUE of Wang, Blocki, Li and Jha (2017).
    """
    flip = 1 / (1 + math.exp(min(epsilon, _MOST) / 2))
    return _bits(places(dataset, values), size, rng, values, 1 - flip, flip)


@checked
def optimized_unary_encoding(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, values: int = 10
) -> NDArray[np.int8]:
    """K bits, the value's set with probability ½, each other one with 1/(e^ε + 1); ε-DP.

    Parameters
    ----------
    dataset, size, rng, epsilon, values
        As in `k_randomized_response`.

    Returns
    -------
    ndarray, shape (size, records·K)

    References
    ----------
    OUE of Wang, Blocki, Li and Jha (2017).
    """
    other = 1 / (1 + math.exp(min(epsilon, _MOST)))
    return _bits(places(dataset, values), size, rng, values, 0.5, other)


@checked
def unary_encoding_kept_bit(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, values: int = 10
) -> NDArray[np.int8]:
    """`optimized_unary_encoding`, where the value's bit keeps a chance of its own; claims ε-DP.

    All bits are set with probability 1/(e^ε + 1), and then the value's is set with probability ½
    *more*, not instead. It is log(e^ε + 2)-DP, which is worst for small ε: 1.55 in place of 1.

    Parameters
    ----------
    dataset, size, rng, epsilon, values
        As in `k_randomized_response`.

    Returns
    -------
    ndarray, shape (size, records·K)

    References
    ----------
    ``UEClient`` of pure-LDP before 1.2.0; found by Arcolezi and Gambs (2024).
    """
    other = 1 / (1 + math.exp(min(epsilon, _MOST)))
    return _bits(places(dataset, values), size, rng, values, 0.5 + 0.5 * other, other)


@checked
def subset_selection(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, values: int = 10
) -> NDArray[np.int8]:
    """A random set of ω values as K bits, with the true one more often than others; ε-DP.

    ω is K/(e^ε + 1), rounded, and at least 1; the true value is in the set with probability
    ωe^ε/(ωe^ε + K − ω), and the others are drawn uniformly.

    Parameters
    ----------
    dataset, size, rng, epsilon, values
        As in `k_randomized_response`.

    Returns
    -------
    ndarray, shape (size, records·K)

    References
    ----------
    Ye and Barg (2018); Wang et al. (2019).
    """
    true = places(dataset, values)
    odds = math.exp(min(epsilon, _MOST))
    chosen = subset_size(epsilon, values)
    keys = rng.random((size, true.size, values))
    inside = rng.random((size, true.size)) * (chosen * odds + values - chosen) < chosen * odds
    keys[:, np.arange(true.size), true] = np.where(inside, -1.0, 2.0)
    last = np.partition(keys, chosen - 1, axis=2)[:, :, chosen - 1 : chosen]
    return (keys <= last).astype(np.int8).reshape(size, -1)


def subset_size(epsilon: float, values: int) -> int:
    """ω: the number of values in a set of `subset_selection`."""
    return min(max(round(values / (math.exp(min(epsilon, _MOST)) + 1)), 1), values - 1)


def _bits(
    true: NDArray[np.int64],
    size: int,
    rng: np.random.Generator,
    values: int,
    own: float,
    other: float,
) -> NDArray[np.int8]:
    """Bits that are set with probability ``own`` for the true value and ``other`` for others."""
    u = rng.random((size, true.size, values))
    found = u < other
    at = np.arange(true.size)
    found[:, at, true] = u[:, at, true] < own
    return found.astype(np.int8).reshape(size, -1)
