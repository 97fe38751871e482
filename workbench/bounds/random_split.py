"""Splits of scores into two parts, by the chance that the data set was given."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench._format import percent
from workbench.scores.chance import Fingerprint, drawn_again, generator
from workbench.scores.sample import Scores, ScoresError

#: Why a bound from another split of the same scores is void.
SECOND_SPLIT = (
    "the same scores were split by another random number before, so this split is a second try"
)


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
    The split follows from `Scores.chance`, which was drawn once for these scores, whatever their
    units, their order and the way in which they are held.
    """
    sizes = first_size(scores.n_p, share, "P"), first_size(scores.n_q, share, "Q")
    return scores.split_at_random(sizes, generator(scores.chance, "split", which))


class GivenChance(Protocol):
    """Data that were given chance: `workbench.Scores` and `workbench.ScoreTable`."""

    @property
    def fingerprint(self) -> Fingerprint:
        """What the data are known by."""

    @property
    def chance(self) -> int:
        """The number from which splits follow."""


def second_split(data: GivenChance) -> str | None:
    """`SECOND_SPLIT` where the same data were split by another number before."""
    return SECOND_SPLIT if drawn_again(data.fingerprint, data.chance) else None


def in_first(n: int, share: float, rng: np.random.Generator, side: str) -> NDArray[np.bool_]:
    """Random mask of the elements in the first part.

    Parameters
    ----------
    n, share, side
        As in `first_size`, as are the errors raised.
    rng : numpy.random.Generator
    """
    mask = np.zeros(n, bool)
    mask[: first_size(n, share, side)] = True
    rng.shuffle(mask)
    return mask


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


def describe_split(share: float, seed: int) -> str:
    """Words for a split with this share in the first part.

    Parameters
    ----------
    share : float
    seed : int
        The random number from which the split follows.
    """
    return f"{percent(share)} of the scores, drawn at random (seed {seed})"
