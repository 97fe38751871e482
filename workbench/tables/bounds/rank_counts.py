"""Counts of members above order statistics of non-members, for all records of a table.

They are what `workbench.bounds.simultaneous.rank_tests` needs. Records with the same numbers of
models with and without them share their ranks, and equal counts share their tests: a table of
60,000 records has far fewer different tests than records.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.one_question.one_question import QuestionTest
from workbench.bounds.quantities import Epsilon
from workbench.bounds.simultaneous.rank_band import RankBand, rank_grid
from workbench.bounds.simultaneous.rank_tests import RankTests, invert, rank_tests
from workbench.curves.validation import Floats
from workbench.progress import Report, silent
from workbench.scores.sample import ScoresError
from workbench.tables.bounds.tabulated import Tabulated

#: Cells of the table that are sorted at a time.
_AT_A_TIME = 2**22

#: Ranks that a grid has at most, for any number of models.
_MOST_RANKS = 128


@dataclass(frozen=True, eq=False)
class SizeGroup:
    """Records with ``n_p`` models with them and ``n_q`` without.

    Attributes
    ----------
    n_p, n_q : int
    ranks : ndarray of int, shape (J,)
        Ranks of Q, 1 for the most member-like.
    records : ndarray of int, shape (K,)
        Columns of the table.
    counts : ndarray of int, shape (K, J)
        How many scores of P lie above each rank of Q; ties are in a random order.
    """

    n_p: int
    n_q: int
    ranks: NDArray[np.int64]
    records: NDArray[np.intp]
    counts: NDArray[np.int64]

    def p_values(self, epsilon: float, delta: float) -> Floats:
        """p-values of "the record is (ε, δ)-DP", shape (K,).

        The smallest of J p-values at J ranks, p, has the level 1 − (1 − p)^J
        (`workbench.bounds.simultaneous.rank_band`).
        """
        tests, where = self._tests()
        p = tests.of_values(Epsilon(delta), np.full(tests.ranks.size, epsilon))
        least = np.minimum(p[where].min(axis=1), 1 - 1e-16)
        return np.asarray(-np.expm1(self.ranks.size * np.log1p(-least)))

    def limits(self, delta: float, errors: Floats) -> Floats:
        """Lower limits on ε, shape (K,).

        Parameters
        ----------
        delta : float
        errors : ndarray, shape (K,)
            Probability, at most, with which each of them exceeds the truth.
        """
        found = np.zeros(self.records.size)
        for error in np.unique(errors[errors > 0]):
            its = np.flatnonzero(errors == error)
            found[its] = self._limits(its, delta, float(error))
        return found

    def limit(self, record: int, delta: float, error: float) -> float:
        """Lower limit on ε of one record, sharper than that of `limits` and valid with it.

        ε at δ is the one question that is asked of each record
        (`workbench.bounds.one_question.one_question`).

        Parameters
        ----------
        record : int
            Column of the table.
        delta : float
        error : float
            As of `limits`.
        """
        its = int(np.flatnonzero(self.records == record)[0])
        tests = _tests_at_ranks(self.n_p, self.n_q).counted(self.counts[its], self.n_p)
        ranks = RankBand(self.n_p, self.n_q, 1 - error, tests)
        return QuestionTest.of(ranks, Epsilon(delta)).lower_limit(1 - error)

    def _limits(self, its: NDArray[np.intp], delta: float, error: float) -> Floats:
        question = Epsilon(delta)
        level = -math.expm1(math.log1p(-error) / self.ranks.size)
        tests, where = self._tests(its)
        refuted = tests.of_values(question, np.zeros(tests.ranks.size)) <= level
        values = np.zeros(tests.ranks.size)
        if refuted.any():
            some = tests.of(np.flatnonzero(refuted))
            start = question.from_rates(
                some.ranks / (self.n_q + 1), 1 - some.counts / (self.n_p + 1)
            )
            values[refuted] = invert(
                question, lambda x, which: some.of(which).of_values(question, x), level, start / 2
            )
        return np.asarray(values[where].max(axis=1))

    def _tests(self, its: NDArray[np.intp] | slice = slice(None)) -> tuple[RankTests, NDArray[Any]]:
        """The different tests of some of the records, and which of them each record has."""
        counts = self.counts[its]
        codes = np.arange(self.ranks.size) * (self.n_p + 1) + counts
        codes, where = np.unique(codes, return_inverse=True)
        rank, count = np.divmod(codes, self.n_p + 1)
        return _tests_at_ranks(self.n_p, self.n_q).of(rank).counted(count, self.n_p), where.reshape(
            counts.shape
        )


@lru_cache(maxsize=256)
def _tests_at_ranks(n_p: int, n_q: int) -> RankTests:
    """The tests at all ranks, for counts of 0."""
    ranks = rank_grid(n_q)
    return rank_tests(ranks, np.zeros_like(ranks), n_p, n_q)


@dataclass(frozen=True, eq=False)
class RankCounts:
    """The counts of all auditable records, and the area under each record's ROC curve.

    Attributes
    ----------
    groups : tuple of SizeGroup
    auc : ndarray, shape (R,)
        Share of the pairs of a score of P and one of Q that are in the right order; NaN for
        records that are not auditable.
    """

    groups: tuple[SizeGroup, ...]
    auc: Floats

    def group_of(self, record: int) -> SizeGroup:
        """The group of an auditable record."""
        return next(group for group in self.groups if record in group.records)

    def p_values(self, epsilon: float, delta: float) -> Floats:
        """p-values of "the record is (ε, δ)-DP", each valid by itself, shape (R,).

        1 for records that were not counted.
        """
        found = np.ones(self.auc.size)
        for group in self.groups:
            found[group.records] = group.p_values(epsilon, delta)
        return found


def rank_counts(
    table: Tabulated,
    report: Report = silent,
    models: NDArray[np.bool_] | None = None,
    records: NDArray[np.intp] | None = None,
) -> RankCounts:
    """Counts of members above ranks of non-members, for each record.

    Parameters
    ----------
    table : ScoreTable
    report : Report
        Told the share that is done.
    models : ndarray of bool, shape (M,), optional
        The models used; all by default.
    records : ndarray of int, shape (K,), optional
        The columns that are counted, if they are auditable; all by default.

    Raises
    ------
    ScoresError
        No record is auditable.

    Notes
    -----
    Ties are broken by one random order of the models, which a hash of the table gives: a tie is
    then in a random order for every record, which is an attack with coins of its own.
    """
    order = np.argsort(table.digests, kind="stable")
    if models is not None:
        order = order[models[order]]
    auc = np.full(table.n_records, np.nan)
    columns = np.flatnonzero(table.auditable)
    if records is not None:
        columns = records[table.auditable[records]]
    elif not columns.size:
        raise ScoresError(
            f"none of the {table.n_records} records is in at least two of the {table.n_models} "
            "models and out of two others, so there is nothing to compare"
        )
    n_p, n_q, counts = (
        np.zeros((columns.size, *more), np.int64) for more in ((), (), (_MOST_RANKS,))
    )
    step = max(_AT_A_TIME // order.size, 1)
    for start in range(0, columns.size, step):
        report(start / columns.size, "sorting the scores of each record")
        part = slice(start, start + step)
        q, above = _members_above(table, order, columns[part])
        n_p[part], n_q[part] = above.max(axis=1), q.sum(axis=1)
        at_q, first = above[q], np.cumsum(n_q[part]) - n_q[part]
        pairs = n_p[part] * n_q[part]
        right = np.add.reduceat(np.append(at_q, 0), first)
        auc[columns[part]] = np.where(pairs > 0, right / np.maximum(pairs, 1), np.nan)
        for n in np.unique(n_q[part][pairs > 0]):
            its, ranks = np.flatnonzero(n_q[part] == n), rank_grid(int(n))
            counts[start + its, : ranks.size] = at_q[first[its][:, None] + ranks - 1]
    groups = []
    compared = (n_p > 0) & (n_q > 0)
    for p, q in np.unique(np.stack([n_p, n_q], axis=1)[compared], axis=0).tolist():
        its, ranks = np.flatnonzero((n_p == p) & (n_q == q)), rank_grid(q)
        groups.append(SizeGroup(p, q, ranks, columns[its], counts[its, : ranks.size]))
    return RankCounts(tuple(groups), auc)


def _members_above(
    table: Tabulated, order: NDArray[np.intp], columns: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The scores of some records from the most member-like on, shape (K, M).

    Returns
    -------
    q : ndarray of bool
        Whether it is one of Q.
    above : ndarray of int
        How many of P come before it, or are it.
    """
    scores = np.ascontiguousarray(table.matrix[:, columns][order].T)
    member = table.member[:, columns][order].T
    descending = np.argsort(scores, axis=1, kind="stable")[:, ::-1]
    p = np.take_along_axis(member, descending, axis=1)
    q = ~p
    if table.present is not None:
        q &= np.take_along_axis(table.present[:, columns][order].T, descending, axis=1)
    return q, np.cumsum(p, axis=1, dtype=np.int64)
