"""Known-bad methods: the order of equal scores follows from a hash of the counts.

This is how ties were broken up to version 0.1. For scores with few values few count tables are
likely, so their coins are constants, and the error probability is whatever these constants make of
it.
"""

import hashlib

import numpy as np

from workbench.bounds.one_question.one_question import QuestionTest
from workbench.bounds.simultaneous.rank_band import RankBand, rank_grid
from workbench.bounds.simultaneous.rank_tests import rank_tests
from workbench.coverage_lab.exact.methods import CONFIDENCE, ExactMethod


def hashed_generator(*arrays):
    digest = hashlib.sha256(b"0")
    for x in arrays:
        digest.update(str(x.shape).encode())
        digest.update((x + 0.0).astype("<f8").tobytes())
    return np.random.default_rng(int.from_bytes(digest.digest(), "big"))


def counts_above(scores, ranks):
    """Members above each rank of the others, ties broken by the hashed coins."""
    p, q = scores.samples.groups
    value = q.at(q.size - ranks)
    above = p.above(value)
    tied = p.at_least(value) - above
    if not tied.any():
        return above
    q_above = q.above(value)
    q_tied = q.at_least(value) - q_above
    rng = hashed_generator(*(x.astype(float) for x in (above, tied, q_above, q_tied)))
    return above + won(ranks - q_above, q_above, tied, q_tied, rng)


def won(place, tie, p_tied, q_tied, rng):
    counts, before, so_far = np.zeros_like(place), 0, 0
    for i in np.flatnonzero(p_tied):
        if i == 0 or tie[i] != tie[i - 1]:
            before, so_far = 0, 0
        gap = rng.beta(place[i] - before, q_tied[i] - place[i] + 1)
        so_far += int(rng.binomial(p_tied[i] - so_far, gap))
        before, counts[i] = int(place[i]), so_far
    return counts


def band(scores):
    ranks = rank_grid(scores.n_q)
    tests = rank_tests(ranks, counts_above(scores, ranks), scores.n_p, scores.n_q)
    return RankBand(scores.n_p, scores.n_q, CONFIDENCE, tests)


HASHED_BAND = ExactMethod("hashed band", lambda s, question: band(s).largest_refuted(question)[0])
HASHED_QUESTION = ExactMethod(
    "hashed question",
    lambda s, question: QuestionTest.of(band(s), question).lower_limit(CONFIDENCE),
)
