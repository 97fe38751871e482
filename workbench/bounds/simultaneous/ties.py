"""Cuts between blocks of equal scores: what can be counted without chance."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.simultaneous.rank_band import dense_grid, rank_grid
from workbench.scores.sample import Scores

#: A block of ties is large if it has this share of the scores of Q.
LARGE = 0.02


def strictly_above(scores: Scores, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many scores of P lie strictly above Q's score at each rank, shape (J,).

    Parameters
    ----------
    scores : Scores
    ranks : ndarray of int, shape (J,)
        From 1 (the most member-like) to n_q.
    """
    p, q = scores.samples.groups
    return np.asarray(p.above(q.at(q.size - ranks)))


def large_blocks(scores: Scores) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The large blocks of equal scores of Q: how many scores of Q and of P lie above each.

    Returns
    -------
    of_q, of_p : ndarray of int, shape (k,)
    """
    p, q = scores.samples.groups
    least = max(math.ceil(LARGE * q.size), 2)
    # A block of this size holds two scores that are half as many places apart.
    some = q.at(np.arange(0, q.size, least // 2))
    again = (some[1:] == some[:-1]) | (np.isnan(some[1:]) & np.isnan(some[:-1]))
    values = np.unique(some[1:][again])
    values = values[q.up_to(values) - q.below(values) >= least]
    return np.asarray(q.above(values)), np.asarray(p.above(values))


def ranks_in_ties(scores: Scores) -> NDArray[np.int64]:
    """The first rank of the dense grid in each large block of equal scores of Q.

    Ranks of the grid of the band are left out.
    """
    _, q = scores.samples.groups
    before, _ = large_blocks(scores)
    dense = dense_grid(q.size)
    ranks = dense[np.searchsorted(dense, before + 1)]
    in_block = q.at(q.size - ranks) == q.at(q.size - before - 1)
    return np.setdiff1d(ranks[in_block], rank_grid(q.size))
