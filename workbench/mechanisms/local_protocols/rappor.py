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

#: Chance that a report flips a bit of the lasting filter, where several are sent.
FLIPPED = 0.25

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
    return _flipped(dataset, size, rng, _lie(epsilon))


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
    lie = max(coin, _lie(epsilon))
    lasting = _flipped(dataset, size, rng, coin)
    flip = rng.random(lasting.shape) < (lie - coin) / (1 - 2 * coin)
    return (lasting ^ flip).astype(np.int8)


@checked
def rappor_reports(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, reports: int = 3
) -> NDArray[np.int8]:
    """Several reports of one lasting filter, each of whose bits every report flips with ¼; ε-DP.

    The claim is about all reports together, however many: the filter is randomized for good, as in
    `rappor_one_time`, and reports look at nothing else (memoization).

    Parameters
    ----------
    dataset : array_like, shape (records,), of integers
    size : int
        Number of runs.
    rng : numpy.random.Generator
    epsilon : float
        The claim.
    reports : int
        Number of reports of each record.

    Returns
    -------
    ndarray, shape (size, reports·20·records)
    """
    lasting = _flipped(dataset, size, rng, _lie(epsilon))
    flips = rng.random((size, reports, lasting.shape[1])) < FLIPPED
    return (lasting[:, None] ^ flips).astype(np.int8).reshape(size, -1)


@checked
def rappor_reports_afresh(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, reports: int = 3
) -> NDArray[np.int8]:
    """Several reports, each by `rappor_one_time` from the true filter; claims ε-DP.

    Nothing lasts, so that coins average out: it is (reports · ε)-DP.

    Parameters
    ----------
    dataset, size, rng, epsilon, reports
        As in `rappor_reports`.

    Returns
    -------
    ndarray, shape (size, reports·20·records)
    """
    each = [_flipped(dataset, size, rng, _lie(epsilon)) for _ in range(reports)]
    return np.concatenate(each, axis=1)


def bits_of(value: int) -> NDArray[np.int8]:
    """The Bloom filter of a value, shape (20,)."""
    filled = np.zeros(BITS, np.int8)
    for i in range(HASHES):
        digest = blake2b(f"{i}:{value}".encode(), digest_size=8).digest()
        filled[int.from_bytes(digest, "big") % BITS] = 1
    return filled


def _lie(epsilon: float) -> float:
    """The chance of a wrong bit with which eight bits give ε."""
    return 1 / (1 + math.exp(min(epsilon, 700) / (2 * HASHES)))


def _flipped(dataset: Any, size: int, rng: np.random.Generator, lie: float) -> NDArray[np.int8]:
    values = vector(dataset)
    whole = np.isfinite(values) & (values == np.floor(values))
    if not whole.all():
        odd = values[~whole][0]
        raise ValueError(f"values must be whole numbers, got {odd:g}; number the values of users")
    filters = [bits_of(int(value)) for value in values]
    bits = np.concatenate([np.zeros(0, np.int8), *filters])
    return (bits ^ (rng.random((size, len(bits))) < lie)).astype(np.int8)
