"""`Neighborhoods`: how near each record is to synthetic records, and to others of the pool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.synthetic.attacks.neighbors import nearest
from workbench.synthetic.encoding import Encoded, EncodedRows

#: Different neighbors of a record in each table.
NEIGHBORS = 8

#: A difference of one column is at most so much: one changed cell must not hide a copy.
_MOST = 2.0


@dataclass(frozen=True, eq=False)
class Near:
    """The nearest different rows of each record in one table.

    Attributes
    ----------
    distances : ndarray of float32, shape (records, k)
        In ascending order; infinite where there are fewer rows.
    times : ndarray of int, shape (records, k)
        How often the table has that row.
    """

    distances: NDArray[np.float32]
    times: NDArray[np.int64]

    def mean(self, count: int) -> NDArray[np.float64]:
        """Mean distance to the `count` nearest rows, equal ones among them, shape (records,).

        Parameters
        ----------
        count : int
        """
        before = np.cumsum(self.times, axis=1) - self.times
        used = np.clip(count - before, 0, self.times)
        known = np.where(used, self.distances, 0).astype(float)
        return np.asarray((known * used).sum(axis=1) / np.maximum(used.sum(axis=1), 1))

    def weight(self, width: float) -> NDArray[np.float64]:
        """Number of rows, each with the weight exp(−distance/width), shape (records,).

        Parameters
        ----------
        width : float
        """
        return np.asarray((self.times * np.exp(-self.distances.astype(float) / width)).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Neighborhoods:
    """The nearest synthetic records of each record, and the nearest others of the pool.

    A distance is a sum over columns: the difference in standard deviations, at most 2, and 1 for
    another category (Gower 1971, with other scales). No memberships are in it: a record is compared
    with all others of the pool, members or not, and not with itself. Equal records have equal
    results, whatever the order of rows.

    Attributes
    ----------
    synthetic, pool : Near
    """

    synthetic: Near
    pool: Near

    @classmethod
    def of(cls, encoded: Encoded) -> Neighborhoods:
        """The neighborhoods of an encoded pool.

        Parameters
        ----------
        encoded : Encoded
        """
        records, times, place = _distinct(encoded.pool)
        made, made_times, _ = _distinct(encoded.synthetic)
        points = encoded.vectors(records)
        found = nearest(points, encoded.vectors(made), min(NEIGHBORS, len(made)))
        synthetic = _sorted(_distances(records, made, found), _times(made_times, found))
        found = nearest(points, points, min(NEIGHBORS + 1, len(records)))
        others = _times(times, found) - (found == np.arange(len(records))[:, None])
        pool = _sorted(_distances(records, records, found), others)
        return cls(*(Near(one.distances[place], one.times[place]) for one in (synthetic, pool)))

    @property
    def spacing(self) -> float:
        """Median distance of a record to the nearest different one; 1 where all are equal."""
        near = self.pool.distances
        apart = np.where(near > 0, near, np.inf).min(axis=1)
        known = apart[np.isfinite(apart)]
        return float(np.median(known)) if known.size else 1.0


def _distinct(rows: EncodedRows) -> tuple[EncodedRows, NDArray[np.int64], NDArray[np.intp]]:
    """Rows once each in the order of their hashes, how often they occur, and which is which."""
    _, first, place, times = np.unique(
        rows.keys, return_index=True, return_inverse=True, return_counts=True
    )
    return rows.take(first), times, place


def _times(times: NDArray[np.int64], found: NDArray[np.intp]) -> NDArray[np.int64]:
    """How often the table has the rows that were found."""
    return np.where(found < 0, 0, times[found])


def _distances(
    records: EncodedRows, others: EncodedRows, found: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Distances of records to those that were found for them, shape (records, k)."""
    total = np.zeros(found.shape, np.float32)
    for j in range(records.numbers.shape[1]):
        apart = np.abs(records.numbers[:, j, None] - others.numbers[found, j])
        total += np.minimum(apart, np.float32(_MOST))
    for j in range(records.codes.shape[1]):
        total += records.codes[:, j, None] != others.codes[found, j]
    return total


def _sorted(distances: NDArray[np.float32], times: NDArray[np.int64]) -> Near:
    """The nearest first; rows that the table has no more of are infinitely far."""
    distances = np.where(times > 0, distances, np.float32(np.inf))
    order = np.argsort(distances, axis=1, kind="stable")[:, :NEIGHBORS]
    return Near(np.take_along_axis(distances, order, 1), np.take_along_axis(times, order, 1))
