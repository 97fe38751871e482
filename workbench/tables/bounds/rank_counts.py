"""Counts of members above order statistics of non-members, for all records of a table.

They are what `workbench.bounds.simultaneous.rank_tests` needs. Records with the same numbers of
models with and without them share their ranks, and equal counts share their tests: a table of
60,000 records has far fewer different tests than records.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc

from workbench.bounds.one_question.one_question import question_limit
from workbench.bounds.quantities import Epsilon
from workbench.bounds.simultaneous.rank_band import (
    RankBand,
    dense_grid,
    dense_weight,
    joint_p_value,
    level_at_grid,
    rank_grid,
)
from workbench.bounds.simultaneous.rank_tests import RankTests, invert, rank_tests
from workbench.bounds.simultaneous.ties import LARGE
from workbench.curves.validation import Floats
from workbench.progress import Report, silent
from workbench.scores.sample import ScoresError
from workbench.tables.bounds.tabulated import Tabulated

#: What the incomplete beta functions may be off by, relatively.
_ROUND_OFF = 1e-6

#: Cells of the table that are sorted at a time.
_AT_A_TIME = 2**20


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


def rank_counts(
    table: Tabulated,
    report: Report = silent,
    models: NDArray[np.bool_] | None = None,
    records: NDArray[np.intp] | None = None,
) -> RankCounts:
    """Counts of members above ranks of non-members, for each record.

    Those of all models and records are computed at the first call, and kept by the table.

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
    Counts are those of cuts between blocks of equal scores, for which no order of ties is needed.
    """
    everything = models is None and records is None
    if everything and table.kept.counts is not None:
        return table.kept.counts
    chosen = np.arange(table.n_models) if models is None else np.flatnonzero(models)
    auc = np.full(table.n_records, np.nan)
    columns = np.flatnonzero(table.auditable)
    if records is not None:
        columns = records[table.auditable[records]]
    elif not columns.size:
        raise ScoresError(
            f"none of the {table.n_records} records is in at least two of the {table.n_models} "
            "models and out of two others, so there is nothing to compare"
        )
    found: dict[tuple[int, int], list[_Counted]] = {}
    step = max(_AT_A_TIME // chosen.size, 1)
    for start in range(0, columns.size, step):
        report(start / columns.size, "sorting the scores of each record")
        part = columns[start : start + step]
        ordered = _Ordered.of(table, chosen, part)
        auc[part] = ordered.auc
        for sizes, its in ordered.by_size():
            found.setdefault(sizes, []).append(ordered.counted(its, part[its]))
    groups = [_joined(*sizes, parts) for sizes, parts in sorted(found.items())]
    counts = RankCounts(tuple(groups), auc)
    if everything:
        table.kept.counts = counts
    return counts


@dataclass(frozen=True, eq=False)
class _Counted:
    """Records of one size, and their counts at the ranks of the grid and of the dense grid."""

    records: NDArray[np.intp]
    at_grid: NDArray[np.unsignedinteger[Any]]
    at_dense: NDArray[np.unsignedinteger[Any]]


def _joined(n_p: int, n_q: int, parts: list[_Counted]) -> SizeGroup:
    ranks, dense = rank_grid(n_q), dense_grid(n_q)
    records = np.concatenate([part.records for part in parts])
    counts = np.concatenate([part.at_grid for part in parts])
    more = np.concatenate([part.at_dense for part in parts])
    used = np.flatnonzero(more.any(axis=0))
    ranks, counts = np.append(ranks, dense[used]), np.append(counts, more[:, used], axis=1)
    order = np.argsort(ranks)
    return SizeGroup(n_p, n_q, ranks[order], records, counts[:, order])


@dataclass(frozen=True, eq=False)
class _Ordered:
    """The scores of Q of K records in ascending order, one record after the other.

    Attributes
    ----------
    n_p, n_q : ndarray of int, shape (K,)
        Numbers of scores of P and of Q.
    up_to : ndarray of int, shape (sum of n_q,)
        How many of P do not lie above each score of Q; of the smallest type that holds them.
    equal : ndarray of int, shape (K,)
        Number of pairs of a score of P and an equal one of Q.
    blocks : mapping of int to ndarray of int, shape (n_q,)
        Of records with equal scores: the same number for equal scores of Q.
    """

    n_p: NDArray[np.int64]
    n_q: NDArray[np.int64]
    up_to: NDArray[np.unsignedinteger[Any]]
    equal: NDArray[np.int64]
    blocks: dict[int, NDArray[np.intp]]

    @classmethod
    def of(cls, table: Tabulated, models: NDArray[np.intp], columns: NDArray[np.intp]) -> _Ordered:
        scores = np.ascontiguousarray(_cells(table.matrix, models, columns).T)
        p = np.ascontiguousarray(_cells(table.member, models, columns).T)
        order = np.argsort(scores, axis=1)  # in any order within a block of equal scores
        p = np.take_along_axis(p, order, axis=1)
        q = ~p
        if table.present is not None:
            here = np.ascontiguousarray(_cells(table.present, models, columns).T)
            q &= np.take_along_axis(here, order, axis=1)
        so_far = np.cumsum(p, axis=1, dtype=np.min_scalar_type(models.size))
        n_p, n_q = so_far[:, -1].astype(np.int64), np.count_nonzero(q, axis=1).astype(np.int64)
        x = np.sort(scores, axis=1)
        same = x[:, 1:] == x[:, :-1]
        if np.isnan(x[:, -1]).any():  # NaN comes last
            same |= np.isnan(x[:, :-1])
        equal, blocks = np.zeros(n_p.size, np.int64), {}
        tied = np.flatnonzero(same.any(axis=1))
        if tied.size:
            new = np.ones(
                (tied.size, models.size), bool
            )  # a score that differs from the one before
            new[:, 1:] = ~same[tied]
            first, last = _ends_of_blocks(new)
            below = np.take_along_axis(so_far[tied] - p[tied], first, axis=1)
            so_far[tied] = np.take_along_axis(so_far[tied], last, axis=1)
            equal[tied] = np.where(q[tied], so_far[tied] - below, 0).sum(axis=1, dtype=np.int64)
            blocks = {k: first[i][q[k]] for i, k in enumerate(tied.tolist())}
        return cls(n_p, n_q, so_far.ravel()[np.flatnonzero(q)], equal, blocks)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the scores of each record begin in `up_to`."""
        return np.cumsum(self.n_q) - self.n_q

    @property
    def auc(self) -> Floats:
        """Share of the pairs in the right order, ties counting half, shape (K,)."""
        pairs = self.n_p * self.n_q
        wrong, some = np.zeros(pairs.size, np.int64), np.flatnonzero(self.n_q)
        if some.size:
            wrong[some] = np.add.reduceat(self.up_to, self.starts[some], dtype=np.int64)
        right = pairs - wrong + self.equal / 2
        return np.where(pairs > 0, right / np.maximum(pairs, 1), np.nan)

    def by_size(self) -> Iterator[tuple[tuple[int, int], NDArray[np.intp]]]:
        """Numbers of scores of P and of Q, and the records with these, where both have some."""
        sizes = np.stack([self.n_p, self.n_q], axis=1)
        for n_p, n_q in np.unique(sizes[(sizes > 0).all(axis=1)], axis=0).tolist():
            yield (n_p, n_q), np.flatnonzero((sizes == (n_p, n_q)).all(axis=1))

    def counted(self, its: NDArray[np.intp], records: NDArray[np.intp]) -> _Counted:
        """Counts of some records, all with the same numbers of scores."""
        n_p, n_q = int(self.n_p[its[0]]), int(self.n_q[its[0]])
        grid, dense, end = rank_grid(n_q), dense_grid(n_q), self.starts[its][:, None] + n_q
        held = np.min_scalar_type(n_p)
        at_grid = n_p - self.up_to[end - grid].astype(np.int64)
        at_dense = np.zeros((its.size, dense.size), held)
        tied = np.flatnonzero([k in self.blocks for k in its.tolist()])
        if tied.size:
            at_q = n_p - self.up_to[end[tied] - np.arange(1, n_q + 1)].astype(np.int64)
            block = np.stack([self.blocks[k][::-1] for k in its[tied].tolist()])
            at_dense[tied] = _in_large_blocks(at_q, block, dense)
        return _Counted(records, at_grid.astype(held), at_dense)


def _cells(
    values: NDArray[Any], models: NDArray[np.intp], columns: NDArray[np.intp]
) -> NDArray[Any]:
    """Some rows and columns, a view if there is one."""
    if models.size == len(values):
        if columns.size and (np.diff(columns) == 1).all():
            return values[:, columns[0] : columns[-1] + 1]
        return values[:, columns]
    return values[np.ix_(models, columns)]


def _in_large_blocks(
    at_q: NDArray[Any], block: NDArray[np.intp], dense: NDArray[np.int64]
) -> NDArray[Any]:
    """Counts at the first rank of the dense grid in each large block; 0 at all other ranks."""
    n = at_q.shape[1]
    new = np.ones(block.shape, bool)
    new[:, 1:] = block[:, 1:] != block[:, :-1]
    first, last = _ends_of_blocks(new)
    large = last - first + 1 >= max(LARGE * n, 2)
    first_of_dense = np.append(0, dense[:-1]) <= first[:, dense - 1]
    used = large[:, dense - 1] & first_of_dense & ~np.isin(dense, rank_grid(n))
    return np.where(used, at_q[:, dense - 1], 0)


def _ends_of_blocks(new: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and last place of the block of each place, given where blocks begin."""
    at = np.arange(new.shape[1])
    first = np.maximum.accumulate(np.where(new, at, 0), axis=1)
    ends = np.ones(new.shape, bool)
    ends[:, :-1] = new[:, 1:]
    last = np.minimum.accumulate(np.where(ends, at, at[-1])[:, ::-1], axis=1)[:, ::-1]
    return first, last
