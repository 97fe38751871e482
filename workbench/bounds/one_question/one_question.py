"""A lower bound on one quantity that was fixed in advance, over all thresholds at once.

A question is a quantity with its arguments, such as ε at δ = 1e-5, or μ. Its curves f_θ are
trade-off functions that fall as θ grows: the pair's value is at most θ exactly if its trade-off
function lies on or above f_θ. The band (`workbench.bounds.simultaneous.rank_band`) refutes f_θ
where a count T_k reaches

    t_k(θ) = min{t : p_k(f_θ; t) ≤ c},

and the largest refuted value, S = max{θ : T_k ≥ t_k(θ) for some rank k}, is the band's bound. Its
level c pays for every f at once. Where the question is fixed, S is just a statistic, whose
distribution under the edge of each hypothesis is known:

    p(θ) = Pr[S' ≥ S | f_θ] = Pr[T'_k ≥ t_k(S) for some rank k | f_θ],

with S fixed and S' that of new scores (`workbench.bounds.one_question.crossing`). If the pair's
trade-off function lies on or above f_θ, counts are jointly at most those under f_θ, so
p(θ) is a p-value of "the value is at most θ". It grows with θ, so the values with
p(θ) ≤ 1 − confidence are those up to a lower limit. S itself is one of them, because the level c
keeps the confidence under every f: the limit is never below the band's. Where the band refutes
nothing, S = 0 and the smallest p-value of f_0 over all ranks takes the place of c, as the
order in which such samples count as evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from workbench.bounds.bound import Bound
from workbench.bounds.one_question.crossing import Crossing
from workbench.bounds.quantities import Question
from workbench.bounds.simultaneous.band import TIES, tradeoff_band
from workbench.bounds.simultaneous.rank_band import RankBand
from workbench.bounds.simultaneous.rank_tests import Which, invert, largest_refuted
from workbench.curves.validation import Floats, quiet
from workbench.scores.sample import Scores

METHOD = "order-statistic test of one question"


def one_question_bound(scores: Scores, question: Question, confidence: float = 0.95) -> Bound:
    """Lower bound on one quantity that was fixed before the scores were seen.

    Parameters
    ----------
    scores : Scores
    question : Question
        Such as `Epsilon(1e-5)`, `Mu()`, `TotalVariation()` or `Delta(1)`.
    confidence : float
        In (0.5, 1).

    Returns
    -------
    Bound
        0 where nothing is shown. Never below the band's.

    Raises
    ------
    ValueError
        ``confidence`` outside (0.5, 1).

    Notes
    -----
    Guarantee: one question, distribution-free, for independent scores; ties, any sample
    sizes and non-finite outcomes included. Valid for one quantity, with its arguments and its
    confidence fixed before the scores were seen; a second one spends the same error
    probability again. Source: the workbench's own; proof in
    `workbench.bounds.one_question.one_question`.
    """
    band = tradeoff_band(scores, confidence)
    value, rank = largest_value(band.ranks, question)
    shown = value > 0 and rank is not None
    coins = TIES if band.ties_broken and shown else None
    return Bound.of_scores(
        scores,
        value,
        quantity=question.quantity,
        guarantee="held-out" if scores.held_out else "one question",
        method=METHOD,
        confidence=band.confidence,
        at=question.at,
        threshold=float(band.thresholds[rank]) if shown else None,
        note=" ".join(filter(None, (scores.held_out, coins))) or None,
        recompute=partial(one_question_bound, scores, question),
    )


def largest_value(ranks: RankBand, question: Question) -> tuple[float, int | None]:
    """The lower limit of a question, and the index of the rank that speaks for it most.

    Parameters
    ----------
    ranks : RankBand
    question : Question

    Returns
    -------
    (float, int or None)
        0 and None where nothing is shown.
    """
    refuted, rank = ranks.largest_refuted(question)
    level = ranks.level
    if refuted == 0:
        p_values = ranks.tests.of_values(question, np.zeros(ranks.tests.ranks.size))
        rank = int(np.argmin(p_values))
        level = max(float(p_values[rank]), level)
    if level >= 1 - ranks.confidence:
        return 0.0, None
    curve = partial(question.curve, refuted)
    event = Crossing(ranks.tests.ranks, limits_of_counts(ranks, curve, level), ranks.n_p, ranks.n_q)

    def p_value(values: Floats, _: Which) -> Floats:
        return np.array([event.probability(partial(question.curve, v)) for v in values.tolist()])

    start = np.array([1.07 * refuted])
    value = float(invert(question, p_value, 1 - ranks.confidence, start)[0])
    # The band's own proof covers its value where the cells' error does not.
    value = max(value, refuted)
    return value, rank if value > 0 else None


def claim_p_value(ranks: RankBand, tradeoff: Callable[[Floats], Floats]) -> float:
    """P-value of one claim that was fixed before the scores were seen.

    Parameters
    ----------
    ranks : RankBand
    tradeoff : callable
        The claim: the pair's trade-off function lies on or above it.

    Returns
    -------
    float
        The probability, at most, that some rank would give a smaller p-value than the smallest one
        here, if the claim were true.
    """
    least = float(ranks.tests.p_values(np.asarray(tradeoff(ranks.tests.alpha))).min())
    if least >= 1:
        return 1.0
    limits = limits_of_counts(ranks, tradeoff, least)
    return Crossing(ranks.tests.ranks, limits, ranks.n_p, ranks.n_q).probability(tradeoff)


def limits_of_counts(
    ranks: RankBand, tradeoff: Callable[[Floats], Floats], level: float
) -> NDArray[np.int64]:
    """The smallest count at each rank that refutes a trade-off function, shape (J,).

    Parameters
    ----------
    ranks : RankBand
    tradeoff : callable
    level : float
        Of each test.

    Returns
    -------
    ndarray of int, shape (J,)
        n_p + 1 where no count does.
    """
    tests, n_p = ranks.tests, ranks.n_p
    fnr = np.asarray(tradeoff(tests.alpha))

    def p_values(counts: NDArray[Any], which: Which) -> Floats:
        return tests.of(which).counted(counts, n_p).p_values(fnr[which])

    def of_log_odds(x: Floats, which: Which) -> Floats:
        # A count may be any real number in between, and evidence falls as x grows.
        return p_values((n_p + 1) * expit(-x), which)

    # Where the noise of both samples is split evenly: a good guess, in logits.
    z = -float(ndtri(level)) / np.sqrt(2)
    with quiet():
        rate = np.clip(1 - tradeoff(tests.quantile(np.array([z]))[:, 0]), 1 / n_p, 1 - 1 / n_p)
    spread = 1 / np.sqrt(n_p * rate * (1 - rate))
    every = np.arange(tests.ranks.size)
    ends = -np.log(n_p), np.log(n_p)
    start = np.clip(-(logit(rate) + z * spread), *ends)
    found = largest_refuted(of_log_odds, level, start, 0.2 * spread, ends)
    limits = np.clip(np.ceil((n_p + 1) * expit(-found) - 1e-9), 1, n_p).astype(np.int64)
    refutes = p_values(limits.astype(float), every) <= level
    limits[~refutes] = n_p + 1
    # The search may end one or more counts short.
    going = every[refutes & (limits > 1)]
    while going.size:
        less = p_values(limits[going] - 1.0, going) <= level
        limits[going[less]] -= 1
        going = going[less]
        going = going[limits[going] > 1]
    return limits
