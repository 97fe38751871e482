"""Held-out bounds: tuned on one part of the scores, measured on the rest.

The first part chooses a few ranks of Q's scores, and the rest is tested at these only
(`workbench.bounds.simultaneous.rank_tests`), so that the error probability is shared over `RANKS`
ranks instead of all. A rank is a threshold without a nuisance parameter: the false positive rate
above the k-th most member-like score of Q has a known distribution, whatever the scores are. The
first part chooses the ranks for one quantity; the tests at these ranks are combined as those of one
question (`workbench.bounds.one_question.one_question`).

A number that was drawn once for the scores decides which part is which
(`workbench.bounds.random_split`). Several splits follow from it independently, and are combined as
exchangeable p-values: twice the least of the medians of the first 1, 2, …, K of them is a p-value
whatever their dependence (Gasparin, Wang & Ramdas 2025): where it is at most α, half of the first k
are at most α/2 for some k, which by Markov's inequality for exchangeable variables has a
probability of at most α. The best split cannot be selected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.bounds.held_out.ordering import likelihood_ratio
from workbench.bounds.one_question.one_question import QuestionTest
from workbench.bounds.quantities import Question
from workbench.bounds.random_split import describe_split, second_split, split
from workbench.bounds.simultaneous.rank_band import RankBand, level_of_each, rank_grid
from workbench.bounds.simultaneous.rank_tests import (
    RankTests,
    Which,
    invert,
    perfect_p_value,
    rank_tests,
)
from workbench.bounds.simultaneous.ties import large_blocks, strictly_above
from workbench.curves.validation import Floats
from workbench.scores.sample import Scores, ScoresError, require_scores

METHODS = {
    "threshold": "held-out thresholds",
    "likelihood-ratio": "held-out likelihood ratio",
}

#: Splits, at most; each takes a moment.
MOST_SPLITS = 10_000

#: Share of the scores that choose; the rest are measured.
SHARE = 0.2

#: By how many standard deviations a chosen rank lies inside a block of ties.
_MARGIN = 1.5

#: Number of ranks tested. One is often chosen badly; more cost more than they gain.
RANKS = 3


def held_out_bound(
    scores: Scores,
    question: Question,
    confidence: float = 0.95,
    ordering: str = "threshold",
    splits: int = 1,
) -> Bound:
    """Lower bound on a quantity, from thresholds chosen on another part of the scores.

    Parameters
    ----------
    scores : Scores
    question : Question
        ε at δ, δ at ε, μ or total variation.
    confidence : float
    ordering : {"threshold", "likelihood-ratio"}
        Thresholds of the scores as they are, or of a likelihood ratio learned on the first part.
    splits : int
        Number of splits that are combined.

    Returns
    -------
    Bound
        With the threshold where one split of thresholds was used.

    Raises
    ------
    ScoresError
        Too few scores for a split whose rest could show anything; the message says how many
        would suffice.
    ValueError
        An argument out of range.

    Notes
    -----
    Guarantee: held-out, distribution-free, for independent scores; ties included.

    References
    ----------
    Esary, Proschan & Walkup (1967); Gasparin, Wang & Ramdas (2025).
    """
    require_scores(scores)
    confidence = _checks.confidence(confidence)
    _checks.one_of(ordering, "ordering", METHODS)
    splits = _checks.count(splits, "splits", 1, MOST_SPLITS)
    _enough(scores, confidence, splits)
    parts = [_Part.of(scores, question, confidence, ordering, which) for which in range(splits)]
    if splits == 1:
        value = parts[0].test.lower_limit(confidence)
    else:

        def p_values(values: Floats, _: Which) -> Floats:
            of_split = [[part.test.p_value(v) for part in parts] for v in values.tolist()]
            return np.array([_of_exchangeable(np.array(p)) for p in of_split])

        start = np.array([np.median([part.expected for part in parts])])
        value = float(invert(question, p_values, 1 - confidence, start)[0])
    part = describe_split(SHARE, scores.chance)
    note = f"Ranks were chosen on {part}, and tested on the others."
    if splits > 1:
        note += f" {splits} splits, combined as exchangeable p-values."
    # A threshold that people can use: one split, and in their own units.
    usable = splits == 1 and ordering == "threshold" and value > 0
    threshold, direction = parts[0].witness(question, value) if usable else (None, None)
    return Bound.of_scores(
        scores,
        value,
        quantity=question.quantity,
        guarantee="held-out",
        method=METHODS[ordering],
        confidence=confidence,
        threshold=threshold,
        direction=direction,
        note=note,
        void=second_split(scores),
        seed=scores.chance,
        at=question.at,
        recompute=lambda level: held_out_bound(scores, question, level, ordering, splits),
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """One split: the ranks that its first part chose, and their test on the rest."""

    rest: Scores
    tests: RankTests
    test: QuestionTest
    expected: float

    @classmethod
    def of(
        cls, scores: Scores, question: Question, confidence: float, ordering: str, which: int
    ) -> _Part:
        first, rest = split(scores, SHARE, which)
        if ordering == "likelihood-ratio":
            rule = likelihood_ratio(first)
            first, rest = first.rescored(rule, ""), rest.rescored(rule, "")
        ranks, expected = _favored(first, rest.n_p, rest.n_q, question, confidence)
        counts = strictly_above(rest, ranks)
        tests = rank_tests(ranks, counts, rest.n_p, rest.n_q)
        band = RankBand(rest.n_p, rest.n_q, confidence, tests)
        return cls(rest, tests, QuestionTest.of(band, question), expected)

    def witness(self, question: Question, value: float) -> tuple[float, str | None]:
        """The threshold that refutes most, and the direction that it speaks for."""
        tests, rest = self.tests, self.rest
        i = int(np.argmin(tests.of_values(question, np.full(tests.ranks.size, value))))
        threshold = float(rest.samples.most_member_like_q(tests.ranks[i]))
        if question.quantity != "epsilon":
            return threshold, None
        fpr, fnr = tests.ranks[i] / rest.n_q, 1 - tests.counts[i] / rest.n_p
        return threshold, "P‖Q" if fpr <= fnr else "Q‖P"


def _favored(
    first: Scores, n_p: int, n_q: int, question: Question, confidence: float
) -> tuple[NDArray[np.int64], float]:
    """Ranks where the rest would refute most if it were like the first part, and how much."""
    grid = rank_grid(n_q)
    fpr = grid / (n_q + 1)
    alike = np.clip(np.ceil(fpr * (first.n_q + 1)), 1, first.n_q).astype(int)
    above = strictly_above(first, alike)
    more, above_more = _ranks_after_cuts(first, n_q)
    fpr, above = np.append(fpr, more / (n_q + 1)), np.append(above, above_more)
    grid = np.append(grid, more)
    # A count between the observed and that of guessing: the first part is small.
    counts = np.rint((above + fpr) / (first.n_p + 1) * n_p).astype(int)
    tests = rank_tests(grid, counts, n_p, n_q)
    values = invert(
        question,
        lambda x, which: tests.of(which).of_values(question, x),
        level_of_each(confidence, RANKS),
        np.full(grid.size, 0.1),
    )
    at_nothing = tests.of_values(question, np.zeros(grid.size))
    best = np.lexsort((-at_nothing, values))
    chosen = dict.fromkeys(grid[best[::-1]].tolist())
    return np.sort(list(chosen)[:RANKS]), float(values[best[-1]])


def _ranks_after_cuts(first: Scores, n_q: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ranks of the rest that likely lie just inside the large blocks of ties of the first part.

    Returns
    -------
    ranks : ndarray of int, shape (k,)
        A rank before the block has no part in what lies above the block.
    above : ndarray of int, shape (k,)
        Scores of P above each block, in the first part.
    """
    before, above = large_blocks(first)
    share = (before + 0.5) / (first.n_q + 1)
    noise = np.sqrt(share * (1 - share) * (1 / first.n_q + 1 / n_q))
    ranks = np.ceil((share + _MARGIN * noise) * n_q).astype(np.int64) + 1
    inside = ranks <= n_q
    return ranks[inside], above[inside]


def _of_exchangeable(p: Floats) -> float:
    """The p-value of exchangeable p-values; of a single one, itself."""
    if p.size == 1:
        return float(p[0])
    # The lower median of the first k, for every k.
    medians = [np.sort(p[:k])[(k - 1) // 2] for k in range(1, p.size + 1)]
    return min(2 * float(min(medians)), 1.0)


def _enough(scores: Scores, confidence: float, splits: int) -> None:
    """Whether a perfect attack on the rest would refute anything."""

    def could_show(n_p: int, n_q: int) -> bool:
        rest = [n - min(max(round(SHARE * n), 2), n - 2) for n in (n_p, n_q)]
        p = RANKS * perfect_p_value(*rest)
        return min(n_p, n_q) >= 4 and _of_exchangeable(np.full(splits, p)) <= 1 - confidence

    if not could_show(scores.n_p, scores.n_q):
        needed = next(n for n in range(4, 10**4) if could_show(n, n))
        raise ScoresError(
            f"{scores.n_p} + {scores.n_q} scores are too few for a held-out bound at "
            f"{percent(confidence)}: with two parts not even a perfect attack would show. At least "
            f"{needed} on each side would do, or guarantee='simultaneous'"
        )
