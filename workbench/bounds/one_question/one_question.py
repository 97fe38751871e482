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

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench._roots import turning_point
from workbench.bounds.bound import Bound
from workbench.bounds.counts.threshold import question_at_threshold
from workbench.bounds.one_question.crossing import LEAST, Crossing
from workbench.bounds.quantities import Question
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.bounds.simultaneous.rank_band import RankBand
from workbench.bounds.simultaneous.rank_tests import Which, invert
from workbench.bounds.simultaneous.refuting_counts import refuting_counts
from workbench.curves.validation import Floats
from workbench.scores.sample import Scores, require_scores

METHOD = "order-statistic test of one question"

#: Of the search for counts that exceed a value.
_HALVINGS = 12


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
    probability again. An attack that is known to answer yes or no (`Scores.yes_no`) has one
    threshold, and its bound is an exact test of both counts there. Source: the workbench's own;
    proof in `workbench.bounds.one_question.one_question`.
    """
    threshold = require_scores(scores).only_threshold
    if threshold is not None:
        return _yes_or_no(scores, threshold, question, confidence)
    band = tradeoff_band(scores, confidence)
    value, rank = question_limit(band.ranks, question)
    return Bound.of_scores(
        scores,
        value,
        quantity=question.quantity,
        guarantee="held-out" if scores.held_out else "one question",
        method=METHOD,
        confidence=band.confidence,
        at=question.at,
        threshold=None if rank is None else float(band.thresholds[rank]),
        note=scores.held_out or None,
        recompute=partial(one_question_bound, scores, question),
    )


def _yes_or_no(scores: Scores, threshold: float, question: Question, confidence: float) -> Bound:
    """The bound of an attack with two answers: one exact test at its only threshold."""
    found = question_at_threshold(scores, threshold, question, confidence, "joint")
    return replace(
        found,
        guarantee="held-out" if scores.held_out else "one question",
        recompute=partial(one_question_bound, scores, question),
    )


def question_limit(ranks: RankBand, question: Question) -> tuple[float, int | None]:
    """The lower limit of a question that was fixed in advance, and the rank that shows it.

    Parameters
    ----------
    ranks : RankBand
        Of the band.
    question : Question

    Returns
    -------
    value : float
    rank : int, optional
        An index; None where nothing is shown.
    """
    fixed = ranks.at_fixed_ranks()
    test = QuestionTest.of(fixed, question)
    value, rank = test.lower_limit(fixed.confidence), test.rank
    if rank is not None:
        rank = int(np.flatnonzero(ranks.fixed)[rank])
    of_band, its_rank = ranks.largest_refuted(question)
    if of_band > value:
        value, rank = of_band, its_rank
    return value, rank if value > 0 else None


@dataclass(frozen=True, eq=False)
class QuestionTest:
    """The p-values p(θ) of a question; see the module.

    Attributes
    ----------
    question : Question
    refuted : float
        S, the largest value that the ranks refute together at Šidák's level.
    rank : int, optional
        Index of the rank with the smallest p-value there.
    event : Crossing, optional
        That new samples speak against the question's values at least as much as these; None where
        all samples do.
    """

    question: Question
    refuted: float
    rank: int | None
    event: Crossing | None

    @classmethod
    def of(cls, ranks: RankBand, question: Question) -> QuestionTest:
        """The test at the ranks, which are ascending, and counts of a `RankBand`."""
        refuted, rank = ranks.largest_refuted(question)
        level = ranks.level
        if refuted == 0:
            at_nothing = ranks.tests.of_values(question, np.zeros(ranks.tests.ranks.size))
            rank = int(np.argmin(at_nothing))
            level = max(float(at_nothing[rank]), level)
        if level >= 1:
            return cls(question, 0.0, None, None)
        return cls(question, refuted, rank, _event(ranks, partial(question.curve, refuted), level))

    def p_value(self, value: float) -> float:
        """P-value of "the quantity is at most this value"; it grows with the value."""
        if self.event is None:
            return 1.0
        return self.event.probability(partial(self.question.curve, value))

    def lower_limit(self, confidence: float) -> float:
        """The largest value whose p-value is at most 1 − confidence; 0 where there is none.

        Parameters
        ----------
        confidence : float
            That of the ranks.
        """

        def p_values(values: Floats, _: Which) -> Floats:
            return np.array([self.p_value(value) for value in values.tolist()])

        start = np.array([1.07 * self.refuted])
        value = float(invert(self.question, p_values, 1 - confidence, start)[0])
        # Association proves the smaller one, which the width of the cells may hide.
        return max(value, self.refuted)


def exceeding_counts(ranks: RankBand, question: Question, value: float) -> NDArray[np.int64]:
    """The counts at each rank from which on the lower limit of a question exceeds a value.

    Parameters
    ----------
    ranks : RankBand
        Its counts do not matter.
    question : Question
    value : float

    Returns
    -------
    ndarray of int, shape (J,)
        n_p + 1 for none. The limit exceeds the value if a count is reached at some rank; it may
        with counts that are lower by what `_HALVINGS` leave of the search.
    """
    claimed = partial(question.curve, value)

    def rare(refuted: float) -> bool:
        event = _event(ranks, partial(question.curve, refuted), ranks.level)
        return event.probability(claimed) <= 1 - ranks.confidence

    if rare(0.0):
        # Samples in which the band refutes nothing are enough.
        return _largest_counts(ranks, partial(question.curve, 0.0), claimed)
    _, refuted = turning_point(lambda x: rare(float(x)), 0.0, value, _HALVINGS)
    curve = partial(question.curve, float(refuted))
    return refuting_counts(ranks.tests, ranks.n_p, curve, ranks.level)


def claim_counts(ranks: RankBand, tradeoff: Callable[[Floats], Floats]) -> NDArray[np.int64]:
    """The counts at each rank from which on `claim_p_value` is at most 1 − confidence.

    Parameters
    ----------
    ranks : RankBand
        Its counts do not matter.
    tradeoff : callable
        The claim.

    Returns
    -------
    ndarray of int, shape (J,)
        As of `exceeding_counts`.
    """
    return _largest_counts(ranks.at_fixed_ranks(), tradeoff, tradeoff)


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
    p_values = ranks.tests.p_values(np.asarray(tradeoff(ranks.tests.alpha)))
    of_band = ranks.joint_p_value(float(p_values.min()))
    least = float(p_values[ranks.fixed].min())
    if not LEAST <= least < 1:  # association bounds it, as it bounds the band's
        return of_band
    fixed = ranks.at_fixed_ranks()
    alone = _event(fixed, tradeoff, least).probability(tradeoff)
    # Where the fixed ranks have a share of the log of the confidence only.
    share = math.log(fixed.confidence) / math.log(ranks.confidence)
    return min(-math.expm1(math.log1p(-alone) / share) if alone < 1 else 1.0, of_band)


def _event(ranks: RankBand, tradeoff: Callable[[Floats], Floats], level: float) -> Crossing:
    """That new counts refute a trade-off function at some rank, each test being at a level."""
    limits = refuting_counts(ranks.tests, ranks.n_p, tradeoff, level)
    return Crossing(ranks.tests.ranks, limits, ranks.n_p, ranks.n_q, level)


def _largest_counts(
    ranks: RankBand, refuted: Callable[[Floats], Floats], claimed: Callable[[Floats], Floats]
) -> NDArray[np.int64]:
    """Counts that refute one function, each at the largest level that keeps that of a claim."""

    def frequent(log_level: float) -> bool:
        event = _event(ranks, refuted, math.exp(log_level))
        return event.probability(claimed) > 1 - ranks.confidence

    ends = math.log(ranks.level), math.log(1 - ranks.confidence)
    level, _ = turning_point(lambda x: frequent(float(x)), *ends, _HALVINGS)
    return refuting_counts(ranks.tests, ranks.n_p, refuted, math.exp(float(level)))
