"""`GridTally`: counts of scores in the cells of a grid, while rows arrive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.scores.counting.counted import MOST_FIRST
from workbench.scores.counting.grid import BLOCK, Floats, Grid, Integers


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """Numbers of scores of two groups in the cells of a grid.

    Parameters
    ----------
    keys : ndarray of int, shape (k,)
        Cells that hold scores, ascending.
    counts : ndarray of int, shape (2, k)
        Scores of each group in each cell.
    exact : ndarray of float, shape (k,), or None
        The one value of the scores in each cell; None where a cell holds several.
    first : pair of ndarray
        The first scores of each group, at most `MOST_FIRST`.
    """

    keys: Integers
    counts: Integers
    exact: Floats | None
    first: tuple[Floats, Floats]

    @property
    def rows(self) -> int:
        """Number of scores."""
        return int(self.counts.sum())

    def swapped(self) -> GroupCounts:
        """The same with the groups exchanged."""
        return GroupCounts(self.keys, self.counts[::-1], self.exact, self.first[::-1])

    def __add__(self, other: GroupCounts) -> GroupCounts:
        """Counts of the scores of both, those of the other after these."""
        keys, place = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        here, there = place[: self.keys.size], place[self.keys.size :]
        counts = np.zeros((2, keys.size), np.int64)
        counts[:, here] += self.counts
        counts[:, there] += other.counts
        exact = None
        if self.exact is not None and other.exact is not None:
            exact = np.empty(keys.size)
            exact[there] = other.exact
            both = np.isin(here, there)
            if np.array_equal(exact[here[both]], self.exact[both], equal_nan=True):
                exact[here] = self.exact
            else:
                exact = None
        p, q = (
            np.concatenate([a, b])[:MOST_FIRST]
            for a, b in zip(self.first, other.first, strict=True)
        )
        return GroupCounts(keys, counts, exact, (p, q))


class GridTally:
    """Counts that grow."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._counts = np.zeros(2 * grid.size, np.int64)
        self._first: tuple[list[Floats], list[Floats]] = ([], [])
        self._kept = [0, 0]
        #: The first score of each cell, NaN for none; not needed once a cell has a second one.
        self._exact: Floats | None = np.full(grid.size, np.nan)

    def add(self, x: Floats, groups: NDArray[np.uint8] | int) -> None:
        """Count scores.

        Parameters
        ----------
        x : ndarray of float, shape (n,)
        groups : ndarray of uint8, shape (n,), or int
            0 or 1 for each score, or for all.
        """
        self._keep(x, groups)
        for start in range(0, x.size, BLOCK):  # what is between stays in the cache
            part = slice(start, start + BLOCK)
            keys = self._grid.keys(x[part])
            if self._exact is not None:
                self._compare(x[part], keys)
            of_part = groups if isinstance(groups, int) else groups[part]
            keys += np.multiply(of_part, self._grid.size, dtype=np.int64)
            # Counted in the table itself: what np.bincount returns is as large as the table.
            np.add.at(self._counts, keys, 1)

    def _compare(self, x: Floats, keys: Integers) -> None:
        """Whether each cell still holds one value."""
        exact = self._exact
        if exact is None:
            return
        new = np.flatnonzero(exact[keys] != x)
        if not new.size:
            return
        x, keys = x[new], keys[new]
        number = ~np.isnan(x)  # the cell of NaN holds nothing else
        x, keys = x[number], keys[number]
        empty = np.isnan(exact[keys])
        exact[keys[empty]] = x[empty] + 0.0  # -0.0 is 0.0
        if not np.array_equal(exact[keys], x):
            self._exact = None

    def _keep(self, x: Floats, groups: NDArray[np.uint8] | int) -> None:
        for group in (0, 1):
            left = MOST_FIRST - self._kept[group]
            if left > 0:
                part = x if isinstance(groups, int) else x[groups == group]
                if isinstance(groups, int) and groups != group:
                    continue
                self._first[group].append(np.array(part[:left]))
                self._kept[group] += self._first[group][-1].size

    def result(self) -> GroupCounts:
        """The counts so far."""
        counts = self._counts.reshape(2, -1)
        keys = np.flatnonzero(counts.any(axis=0))
        first = [np.concatenate(rows) if rows else np.empty(0) for rows in self._first]
        exact = None if self._exact is None else self._exact[keys]
        return GroupCounts(keys, counts[:, keys], exact, (first[0], first[1]))
