"""Counts of members above order statistics of non-members, for all records of a table.

They are what `workbench.bounds.simultaneous.rank_tests` needs. Records with the same numbers of
models with and without them share their ranks, and equal counts share their tests: a table of
60,000 records has far fewer different tests than records. The counts are those of
`workbench.tables.bounds.counting`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc

from workbench.bounds.one_question.one_question import question_limit
from workbench.bounds.quantities import Epsilon
from workbench.bounds.simultaneous.rank_band import (
    RankBand,
    dense_weight,
    joint_p_value,
    level_at_grid,
    rank_grid,
)
from workbench.bounds.simultaneous.rank_tests import RankTests, invert, rank_tests
from workbench.curves.validation import Floats
from workbench.progress import Report, silent

#: What the incomplete beta functions may be off by, relatively.
_ROUND_OFF = 1e-6


@dataclass(frozen=True, eq=False)
class SizeGroup:
    """Records with ``n_p`` models with them and ``n_q`` without.

    Attributes
    ----------
    n_p, n_q : int
    ranks : ndarray of int, shape (J,)
        Ranks of Q, 1 for the most member-like: those of the band, and those of its dense grid
        where a record has large blocks of ties.
    records : ndarray of int, shape (K,)
        Columns of the table.
    counts : ndarray of int, shape (K, J)
        How many scores of P lie strictly above Q's score at each rank; 0 at ranks that a record
        does not use. Of the smallest unsigned type that holds `n_p`.
    """

    n_p: int
    n_q: int
    ranks: NDArray[np.int64]
    records: NDArray[np.intp]
    counts: NDArray[np.unsignedinteger[Any]]

    def p_values(self, epsilon: float, delta: float) -> Floats:
        """p-values of "the record is (ε, δ)-DP", shape (K,).

        The smallest p-value of all ranks is corrected for their number
        (`workbench.bounds.simultaneous.rank_band`).
        """
        rank, count, where = self._different()
        tests = self._all.of(rank).counted(count, self.n_p)
        p = tests.of_values(Epsilon(delta), np.full(tests.ranks.size, epsilon))
        return joint_p_value(p[where].min(axis=1), self.n_q)

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
        used = np.flatnonzero((self.counts[its] > 0) | (self._all.weight == 1))
        tests = self._all.of(used).counted(self.counts[its][used].astype(np.int64), self.n_p)
        ranks = RankBand(self.n_p, self.n_q, 1 - error, tests, sets_apart=True)
        return question_limit(ranks, Epsilon(delta))[0]

    def _limits(self, its: NDArray[np.intp], delta: float, error: float) -> Floats:
        question = Epsilon(delta)
        level = level_at_grid(1 - error, self.n_q)
        rank, count, where = self._different(its)
        possible = np.flatnonzero(self._least_p_values(rank, count) <= level)
        tests = self._all.of(rank[possible]).counted(count[possible], self.n_p)
        refuted = tests.of_values(question, np.zeros(possible.size)) <= level
        values = np.zeros(rank.size)
        if refuted.any():
            some = tests.of(np.flatnonzero(refuted))
            start = question.from_rates(
                some.ranks / (self.n_q + 1), 1 - some.counts / (self.n_p + 1)
            )
            values[possible[refuted]] = invert(
                question, lambda x, which: some.of(which).of_values(question, x), level, start / 2
            )
        return np.asarray(values[where].max(axis=1))

    def _different(
        self, its: NDArray[np.intp] | slice = slice(None)
    ) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.intp]]:
        """The different tests of some of the records, and which of them each record has.

        Returns
        -------
        rank, count : ndarray of int, shape (T,)
            Index of the rank, and the count.
        where : ndarray of int, shape (K, J)
        """
        counts = self.counts[its]
        codes = np.arange(self.ranks.size) * (self.n_p + 1) + counts
        codes, where = np.unique(codes, return_inverse=True)
        rank, count = np.divmod(codes, self.n_p + 1)
        return rank, count, where.reshape(counts.shape)

    def _least_p_values(self, rank: NDArray[np.intp], count: NDArray[np.int64]) -> Floats:
        """What the p-values of ε = 0, times the weights, are not below, shape (T,).

        With the notation of `workbench.bounds.simultaneous.rank_tests` they are upper bounds of
        Pr[W ≤ 1 − f(U)], where 1 − f(U) ≥ U. W and U are independent, and so W ≤ m ≤ U, which
        implies W ≤ U, has the probability Pr[W ≤ m] Pr[U ≥ m], for any m. It is cheap, and shows
        of nearly all tests that they refute nothing.
        """
        k, t = self.ranks[rank], np.maximum(count, 1)
        middle = (k / (self.n_q + 1) + t / (self.n_p + 1)) / 2
        least = betainc(t, self.n_p - t + 1, middle) * betaincc(k, self.n_q - k + 1, middle)
        return np.where(count > 0, least * self._all.weight[rank], 1.0) * (1 - _ROUND_OFF)

    @property
    def _all(self) -> RankTests:
        return _tests_at(tuple(self.ranks.tolist()), self.n_p, self.n_q)


@lru_cache(maxsize=256)
def _tests_at(ranks: tuple[int, ...], n_p: int, n_q: int) -> RankTests:
    """The tests at ranks, for counts of 0."""
    at, grid = np.array(ranks), rank_grid(n_q)
    weight = np.where(np.isin(at, grid), 1.0, dense_weight(n_q))
    return rank_tests(at, np.zeros_like(at), n_p, n_q, weight)


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

    def p_values(self, epsilon: float, delta: float, report: Report = silent) -> Floats:
        """p-values of "the record is (ε, δ)-DP", each valid by itself, shape (R,).

        1 for records that were not counted.
        """
        found = np.ones(self.auc.size)
        for i, group in enumerate(self.groups):
            report(i / len(self.groups), "testing each record")
            found[group.records] = group.p_values(epsilon, delta)
        return found
