"""Reproducible splits of data: the seed is a hash of the data."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from workbench._format import percent
from workbench.scores.sample import Scores, ScoresError, random_mask


def split(scores: Scores, share: float, which: int = 0) -> tuple[Scores, Scores]:
    """Two parts of the scores: a first one with this share of each side, and the rest.

    Parameters
    ----------
    scores : Scores
    share : float
        Of the scores in the first part; each part gets at least 2 of P and of Q.
    which : int
        0, 1, …: different splits of the same scores.

    Returns
    -------
    first, rest : Scores

    Raises
    ------
    ScoresError
        Fewer than 4 scores on a side.

    Notes
    -----
    Who is in which part follows from a hash of the sorted scores, or of their counts, so that
    neither the order of the rows nor a seed can be chosen until a result looks good. The hash
    stands for a random number that is independent of the scores.
    """
    rng = hashed_generator(*scores.content, which=which)
    sizes = first_size(scores.n_p, share, "P"), first_size(scores.n_q, share, "Q")
    return scores.split_at_random(sizes, rng)


def hashed_generator(*arrays: NDArray[np.float64], which: int = 0) -> np.random.Generator:
    """A generator seeded by SHA-256 of the arrays; 0 and −0 are one value, and all NaN are."""
    digest = hashlib.sha256(str(which).encode())
    for x in arrays:
        digest.update(str(x.shape).encode())
        digest.update(np.where(np.isnan(x), np.nan, x + 0.0).astype("<f8").tobytes())
    return np.random.default_rng(int.from_bytes(digest.digest(), "big"))


def in_first(n: int, share: float, rng: np.random.Generator, side: str) -> NDArray[np.bool_]:
    """Random mask of the elements in the first part.

    Parameters
    ----------
    n, share, side
        As in `first_size`, as are the errors raised.
    rng : numpy.random.Generator
    """
    return random_mask(n, first_size(n, share, side), rng)


def first_size(n: int, share: float, side: str) -> int:
    """Number of elements in the first part.

    Parameters
    ----------
    n : int
        Number of elements.
    share : float
        Share of them in the first part; both parts have at least 2.
    side : str
        Name of the sample, for the message.

    Raises
    ------
    ScoresError
        Fewer than 4 elements.
    """
    if n < 4:
        raise ScoresError(
            f"side {side} has {n} scores, too few for two parts; a held-out bound needs at least 4 "
            "on each side"
        )
    return min(max(round(share * n), 2), n - 2)


def describe_split(share: float) -> str:
    """Words for a split with this share in the first part."""
    return f"{percent(share)} of the scores, chosen by a hash of all of them"
