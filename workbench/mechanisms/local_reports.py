"""RAPPOR: reports of single values through a Bloom filter and randomized response.

A value sets four bits of twenty, by four hash functions; each bit is then randomized. Neighbors
substitute a record, which changes at most eight bits. Source: Erlingsson, Pihur, Korolova (2014).
"""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked, vector

#: Hash functions, and bits of the filter.
HASHES, BITS = 4, 20

#: Share f of bits that the first stage of `rappor` replaces by coins.
REPLACED = 0.25


@checked
def rappor_one_time(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int8]:
    """The bits of the filter, each replaced by a fair coin with probability f: ε-DP.

    The claim holds with f = 2/(1 + e^(ε/8)), exactly where two values share no bit.

    Parameters
    ----------
    dataset : array_like, shape (records,), of integers
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.

    Returns
    -------
    ndarray, shape (size, 20·records)
    """
    lie = 1 / (1 + math.exp(min(epsilon, 700) / (2 * HASHES)))
    return _flipped(dataset, size, rng, lie)


@checked
def rappor(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int8]:
    """A report by both stages: coins with probability ¼, then a flip of each bit; ε-DP.

    The claim is about one report, and holds: the chance of the flips is such that both stages
    together leave a wrong bit with probability 1/(1 + e^(ε/8)), or 1/8 if that is less.

    Parameters
    ----------
    dataset : array_like, shape (records,), of integers
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.

    Returns
    -------
    ndarray, shape (size, 20·records)
    """
    coin = REPLACED / 2
    lie = max(coin, 1 / (1 + math.exp(min(epsilon, 700) / (2 * HASHES))))
    lasting = _flipped(dataset, size, rng, coin)
    flip = rng.random(lasting.shape) < (lie - coin) / (1 - 2 * coin)
    return (lasting ^ flip).astype(np.int8)


def bits_of(value: int) -> NDArray[np.int8]:
    """The Bloom filter of a value, shape (20,)."""
    filled = np.zeros(BITS, np.int8)
    for i in range(HASHES):
        digest = blake2b(f"{i}:{value}".encode(), digest_size=8).digest()
        filled[int.from_bytes(digest, "big") % BITS] = 1
    return filled


def _flipped(dataset: Any, size: int, rng: np.random.Generator, lie: float) -> NDArray[np.int8]:
    filters = [bits_of(int(value)) for value in vector(dataset)]
    bits = np.concatenate([np.zeros(0, np.int8), *filters])
    return (bits ^ (rng.random((size, len(bits))) < lie)).astype(np.int8)
