"""The level of held-out bounds, given the ranks that the first part of the scores chose.

Whatever the first part is, the rest is tested at `RANKS` ranks at most. Its level at given ranks is
that of `workbench.coverage_lab.exact.orders` for distinct scores, and at most that with ties, which
can only hide some of the cuts. Over the choice of ranks the level is an average of these, and the
largest one bounds it. That the rest does not depend on the choice is what `average_level` looks at:
it runs the whole method on all count tables of two values, with random numbers of its own for each
of them.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.held_out.held_out import RANKS, held_out_bound
from workbench.bounds.one_question.one_question import QuestionTest
from workbench.bounds.quantities import Question
from workbench.bounds.simultaneous.rank_band import RankBand
from workbench.bounds.simultaneous.rank_tests import rank_tests
from workbench.coverage_lab.exact.methods import CONFIDENCE
from workbench.coverage_lab.exact.orders import level_of_blocks, level_of_equal
from workbench.coverage_lab.exact.tables import binomial, least_false
from workbench.curves.validation import Floats
from workbench.scores.counting.counted import CountedScores
from workbench.scores.sample import ScoresError

#: Choices of ranks that are looked at, at most.
CHOICES = 60


def level_at_worst_ranks(
    sizes: tuple[int, int], question: Question, truth: float
) -> tuple[float, tuple[int, ...]]:
    """The largest level over choices of ranks, and the ranks.

    Parameters
    ----------
    sizes : (int, int)
        Scores of P and of Q in the rest.
    question : Question
    truth : float
        Of ε at δ = 0, or 0.

    Returns
    -------
    level : float
    ranks : tuple of int

    Notes
    -----
    With many scores, every choice out of `CHOICES` evenly spaced ones is looked at.
    """
    every = list(combinations(range(1, sizes[1] + 1), RANKS))
    found = []
    for ranks in every[:: -(-len(every) // CHOICES)]:
        limits = limits_at(np.array(ranks), sizes, question, truth)
        if truth:
            odds = 1 / (1 + np.exp(-truth))
            level = level_of_blocks(limits, sizes[0], odds, 1 - odds)
        else:
            level = level_of_equal(limits, sizes[0])
        found.append((level, ranks))
    return max(found)


def limits_at(
    ranks: NDArray[np.int64], sizes: tuple[int, int], question: Question, truth: float
) -> NDArray[np.int64]:
    """The least counts at the ranks that make the bound false, none at others, shape (n_q,).

    Parameters
    ----------
    ranks : ndarray of int
    sizes : (int, int)
    question : Question
    truth : float
    """
    n_p, n_q = sizes

    def is_false(count: int, place: int) -> bool:
        counts = np.where(np.arange(ranks.size) >= place, count, 0)
        band = RankBand(n_p, n_q, CONFIDENCE, rank_tests(ranks, counts, n_p, n_q))
        return QuestionTest.of(band, question).lower_limit(CONFIDENCE) > truth

    limits = np.full(n_q, n_p + 1)
    limits[ranks - 1] = least_false(is_false, n_p, range(ranks.size))
    return limits


def average_level(
    sizes: tuple[int, int], question: Question, rates: Floats, seeds: int
) -> tuple[Floats, Floats]:
    """Level of the whole method if P = Q with two values, averaged over its random numbers.

    Parameters
    ----------
    sizes : (int, int)
    question : Question
    rates : ndarray, shape (k,)
        Probabilities of the larger value.
    seeds : int
        Random numbers for each count table.

    Returns
    -------
    level, error : ndarray, shape (k,)
        With its standard error.
    """
    n_p, n_q = sizes
    share = np.zeros((n_p + 1, n_q + 1))
    for a in range(n_p + 1):
        for b in range(n_q + 1):
            numbers = np.random.default_rng([a, b, n_p, n_q]).integers(2**32, size=seeds)
            share[a, b] = np.mean([_is_false(a, b, sizes, question, int(x)) for x in numbers])
    of_p = binomial(np.arange(n_p + 1), n_p, rates[:, None])
    of_q = binomial(np.arange(n_q + 1), n_q, rates[:, None])
    level = np.einsum("ka,kb,ab->k", of_p, of_q, share)
    variance = np.einsum("ka,kb,ab->k", of_p**2, of_q**2, share * (1 - share) / seeds)
    return level, np.sqrt(variance)


def _is_false(a: int, b: int, sizes: tuple[int, int], question: Question, seed: int) -> bool:
    n_p, n_q = sizes
    try:
        scores = CountedScores([0, 1], [n_p - a, a], [n_q - b, b], seed=seed)
        return held_out_bound(scores, question, CONFIDENCE).value > 0
    except ScoresError:  # one value only
        return False
