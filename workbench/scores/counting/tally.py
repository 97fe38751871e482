"""`GridTally`: counts of scores in the cells of a grid, while rows arrive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.scores.counting.counted import MOST_FIRST
from workbench.scores.counting.grid import BLOCK, Floats, Grid, Integers, Room


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

    @property
    def firsts(self) -> GroupCounts:
        """The first scores alone."""
        return GroupCounts(self.keys[:0], self.counts[:, :0], np.empty(0), self.first)

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
    """Counts that grow.

    Parameters
    ----------
    grid : Grid
    most : int
        First scores of each group that are kept.
    """

    def __init__(self, grid: Grid, most: int = MOST_FIRST) -> None:
        self._grid = grid
        self._room = Room(BLOCK)
        self._found = np.empty(BLOCK), np.empty(BLOCK, bool)
        # The two groups of a cell lie side by side.
        self._counts = np.zeros(2 * grid.size, np.int64)
        self._first = np.empty(most), np.empty(most)
        self._kept = [0, 0]
        self._most = most
        #: The one score of each cell that is not empty; not needed once a cell has a second one.
        self._exact: Floats | None = np.zeros(grid.size)
        self._exact[-1] = np.nan

    def add(self, x: Floats, groups: NDArray[np.uint8] | int) -> None:
        """Count scores.

        Parameters
        ----------
        x : ndarray of float, shape (n,)
        groups : ndarray of uint8, shape (n,), or int
            0 or 1 for each score, or for all.
        """
        for start in range(0, x.size, BLOCK):  # what is between stays in the cache
            part = slice(start, start + BLOCK)
            of_part = groups if isinstance(groups, int) else groups[part]
            self._keep(x[part], of_part)
            keys = self._grid.keys_of_block(x[part], self._room)
            if self._exact is not None:
                self._compare(x[part], keys, self._exact)
            np.left_shift(keys, 1, out=keys)
            np.add(keys, of_part, out=keys)
            # Counted in the table itself: what np.bincount returns is as large as the table.
            np.add.at(self._counts, keys, 1)

    def _compare(self, x: Floats, keys: Integers, exact: Floats) -> None:
        """Whether each cell still holds one value, with scores that are not yet counted."""
        if not self._differ(x, keys, exact).any():
            return
        empty = ~self._counts.reshape(-1, 2)[keys].any(axis=1)
        exact[keys[empty]] = x[empty] + 0.0  # -0.0 is 0.0
        if self._differ(x, keys, exact).any():
            self._exact = None

    def _differ(self, x: Floats, keys: Integers, exact: Floats) -> NDArray[np.bool_]:
        """Which scores are not the one of their cell; the cell of NaN holds nothing else."""
        found, other = self._found[0][: x.size], self._found[1][: x.size]
        exact.take(keys, out=found, mode="clip")  # which writes to the array itself
        np.not_equal(found, x, out=other)
        if other.any():
            other &= ~np.isnan(x)
        return other

    def _keep(self, x: Floats, groups: NDArray[np.uint8] | int) -> None:
        """Keep the first scores of each group."""
        for group in (0, 1) if not isinstance(groups, int) else (groups,):
            kept = self._kept[group]
            if kept < self._most:
                part = x if isinstance(groups, int) else x[groups == group]
                part = part[: self._most - kept]
                self._first[group][kept : kept + part.size] = part
                self._kept[group] += part.size

    @property
    def kept(self) -> int:
        """Number of first scores of both groups."""
        return sum(self._kept)

    def result(self) -> GroupCounts:
        """The counts so far."""
        counts = self._counts.reshape(-1, 2).T
        keys = np.flatnonzero(counts[0] | counts[1])
        first, second = (x[:n] for x, n in zip(self._first, self._kept, strict=True))
        exact = None if self._exact is None else self._exact[keys]
        return GroupCounts(keys, counts[:, keys], exact, (first, second))
