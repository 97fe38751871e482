"""Members above an order statistic of non-members, ties broken at random.

A score with few values puts most ranks inside a tie, where "strictly above" is a smaller set than
its rank says and shows little. An attacker may break ties with a coin of his own: a randomized
attack is an attack, it reaches all points between the corners of the receiver operating curve, and
with coins no two scores are equal, so that every rank is sharp.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.hash_split import hashed_generator
from workbench.scores.sample import Scores


def counts_above(scores: Scores, ranks: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
    """How many of P lie above the rank-th most member-like score of Q.

    Parameters
    ----------
    scores : Scores
    ranks : ndarray of int, shape (J,)
        From 1 (the most member-like) to n_q.

    Returns
    -------
    counts : ndarray of int, shape (J,)
    broken : bool
        Whether there were ties between P and Q to break.

    Notes
    -----
    The coins follow from a hash of the counts, so that nobody can throw them again. Within a tie
    of a scores of Q and b of P, the place of Q's j-th coin is Beta(j, a − j + 1), and those of P
    beyond it are binomial; the next rank in the same tie goes on from there.
    """
    ranks, back = np.unique(ranks, return_inverse=True)
    p, q = scores.groups
    value = q.at(q.size - ranks)
    above = p.above(value)
    tied = p.at_least(value) - above
    if not tied.any():
        return above[back], False
    q_above = q.above(value)
    q_tied = q.at_least(value) - q_above
    rng = hashed_generator(*(x.astype(float) for x in (above, tied, q_above, q_tied)))
    return (above + won(ranks - q_above, q_above, tied, q_tied, rng))[back], True


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
