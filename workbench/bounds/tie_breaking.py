"""Members above an order statistic of non-members, ties broken at random.

Held-out bounds test a few ranks, and a rank inside a block of equal scores has no cut of its own.
An attacker may break ties with a coin: a randomized attack is an attack, it reaches all points
between the corners of the receiver operating characteristic, and with coins no two scores are
equal, so that every rank is sharp. The coins follow from the number that the data set was given
(`workbench.scores.chance`), as the split into two parts does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.scores.sample import Scores


def counts_above(
    scores: Scores, ranks: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """How many of P lie above the rank-th most member-like score of Q, shape (J,).

    Parameters
    ----------
    scores : Scores
    ranks : ndarray of int, shape (J,)
        From 1 (the most member-like) to n_q.
    rng : numpy.random.Generator
        Source of the coins.

    Notes
    -----
    Within a tie of a scores of Q and b of P, the place of Q's j-th coin is Beta(j, a − j + 1), and
    those of P beyond it are binomial; the next rank in the same tie goes on from there.
    """
    ranks, back = np.unique(ranks, return_inverse=True)
    p, q = scores.groups
    value = q.at(q.size - ranks)
    above = p.above(value)
    tied = p.at_least(value) - above
    if not tied.any():
        return np.asarray(above[back])
    q_above = q.above(value)
    q_tied = q.at_least(value) - q_above
    return np.asarray((above + won(ranks - q_above, q_above, tied, q_tied, rng))[back])


def won(
    place: NDArray[np.int64],
    tie: NDArray[np.int64],
    p_tied: NDArray[np.int64],
    q_tied: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """How many of P's tied scores come before the place-th of Q's, all in a random order.

    Parameters
    ----------
    place : ndarray of int, shape (J,)
        Ascending within each tie, from 1.
    tie : ndarray, shape (J,)
        The same for places in the same tie; these stand together.
    p_tied, q_tied : ndarray of int, shape (J,)
        Scores in that tie.
    rng : numpy.random.Generator
    """
    counts, before, so_far = np.zeros_like(place), 0, 0
    for i in np.flatnonzero(p_tied):
        if i == 0 or tie[i] != tie[i - 1]:
            before, so_far = 0, 0
        gap = rng.beta(place[i] - before, q_tied[i] - place[i] + 1)
        so_far += int(rng.binomial(p_tied[i] - so_far, gap))
        before, counts[i] = int(place[i]), so_far
    return counts
