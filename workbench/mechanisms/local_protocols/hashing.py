"""Local hashing: a value is hashed to few numbers, and the number randomized."""

from __future__ import annotations

import math
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.datasets import checked
from workbench.mechanisms.local_protocols.encodings import places

#: Hash functions of which a user draws one.
FUNCTIONS = 64

#: Numbers that values are hashed to, at most.
_MOST_NUMBERS = 1000


@checked
def local_hashing(
    dataset: Any, size: int, rng: np.random.Generator, *, epsilon: float = 1.0, values: int = 10
) -> NDArray[np.int64]:
    """A random hash function and the value's hash of g numbers by randomized response; ε-DP.

    g is e^ε + 1, rounded. The function is one of 64; two values that no function maps to different
    numbers would be protected more.

    Parameters
    ----------
    dataset, size, rng, epsilon, values
        As in `k_randomized_response`.

    Returns
    -------
    ndarray, shape (size, 2·records)
        For each record the number of its function, and the report.

    References
    ----------
    OLH of Wang, Blocki, Li and Jha (2017).
    """
    true = places(dataset, values)
    numbers = hash_size(epsilon)
    shape = size, true.size
    which = rng.integers(FUNCTIONS, size=shape)
    hashed = hash_table(values, numbers)[which, true]
    lies = rng.random(shape) * (math.exp(min(epsilon, 700.0)) + numbers - 1) < numbers - 1
    told = np.where(lies, (hashed + rng.integers(1, numbers, shape)) % numbers, hashed)
    return np.stack([which, told], axis=2).reshape(size, -1)


def hash_size(epsilon: float) -> int:
    """g: how many numbers values are hashed to, from 2 to 1000."""
    return round(min(math.exp(min(epsilon, 700.0)) + 1, _MOST_NUMBERS))


@cache
def hash_table(values: int, numbers: int) -> NDArray[np.int64]:
    """The hash of each value by each function, shape (functions, K)."""
    digests = [
        [blake2b(f"{f}:{v}".encode(), digest_size=8).digest() for v in range(values)]
        for f in range(FUNCTIONS)
    ]
    found = np.array(
        [[int.from_bytes(one, "big") % numbers for one in row] for row in digests], np.int64
    )
    found.flags.writeable = False
    return found
