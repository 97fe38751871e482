"""`rank_counts`: the counts of `workbench.tables.bounds.rank_counts`, from the sorted scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.simultaneous.rank_band import dense_grid, rank_grid
from workbench.bounds.simultaneous.ties import LARGE
from workbench.curves.validation import Floats
from workbench.progress import Report, silent
from workbench.scores.sample import ScoresError
from workbench.tables.bounds.rank_counts import RankCounts, SizeGroup
from workbench.tables.bounds.tabulated import Tabulated

#: Cells of the table that are sorted at a time.
_AT_A_TIME = 2**20


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
            # Whether a score differs from the one before.
            new = np.ones((tied.size, models.size), bool)
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
