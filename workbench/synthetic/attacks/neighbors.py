"""The nearest rows of a table, for many rows: inverted lists in NumPy.

The points are divided into cells by a few steps of k-means, and a query is compared with the points
of the cells whose centers are nearest (Jégou, Douze and Schmid 2011). Below 6144 points, all are
compared, and the result is exact. Above, a true neighbor may be missed now and then, which costs an
attack power and no bound its validity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Points in a cell, about, and cells that a query asks.
_CELL, _PROBES = 1024, 5

#: Entries of a block of distances.
_BLOCK = 1 << 22


def nearest(queries: NDArray[np.float32], points: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Places of the k nearest points of each query.

    Parameters
    ----------
    queries, points : ndarray of float32, shapes (q, width) and (m, width)
    k : int
        At most m.

    Returns
    -------
    ndarray of int, shape (q, k)
        In no particular order; −1 where the cells that were asked have fewer points, which have one
        at least.
    """
    cells = max(len(points) // _CELL, 1)
    centers = points.mean(axis=0, keepdims=True) if cells <= _PROBES else _centers(points, cells)
    # Cells without points are left out, so that every query finds some.
    used, cell_of = np.unique(_closest(points, centers, 1)[:, 0], return_inverse=True)
    centers, members = centers[used], _members(cell_of, len(used))
    asked = _closest(queries, centers, min(_PROBES, len(centers)))
    best = np.full((len(queries), k), np.inf, np.float32)
    place = np.full((len(queries), k), -1, np.int64)
    # The nearest cell of each query first: few points of the others are nearer than what it had.
    for turn in range(asked.shape[1]):
        for inside, asking in zip(members, _members(asked[:, turn], len(centers)), strict=True):
            for some in _blocks(asking, len(inside)):
                _improve(best, place, some, inside, queries, points)
    return place


def _members(cells: NDArray[np.int64], count: int) -> list[NDArray[np.int64]]:
    """The places of each cell."""
    order = np.argsort(cells, kind="stable")
    return np.split(order, np.searchsorted(cells[order], np.arange(1, count)))


def _blocks(rows: NDArray[np.int64], width: int) -> list[NDArray[np.int64]]:
    if not width:
        return []
    size = max(_BLOCK // width, 1)
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _improve(
    best: NDArray[np.float32],
    place: NDArray[np.int64],
    rows: NDArray[np.int64],
    inside: NDArray[np.int64],
    queries: NDArray[np.float32],
    points: NDArray[np.float32],
) -> None:
    """Merge the points of a cell into the best of some queries."""
    cell = points[inside]
    # Squared distances without the square of the query, which changes no order.
    far = queries[rows] @ (-2 * cell.T)
    far += np.einsum("ij,ij->i", cell, cell)
    for _ in range(min(best.shape[1], len(inside))):
        row = np.arange(len(rows))
        first, worst = far.argmin(axis=1), best[rows].argmax(axis=1)
        found = far[row, first]
        better = found < best[rows, worst]
        if not better.any():
            return
        if not better.all():
            rows, first, worst, found = rows[better], first[better], worst[better], found[better]
            far, row = far[better], np.arange(len(rows))
        best[rows, worst], place[rows, worst] = found, inside[first]
        far[row, first] = np.inf


def _centers(points: NDArray[np.float32], cells: int) -> NDArray[np.float32]:
    """Centers of cells: evenly spaced points, then two steps of k-means."""
    centers = points[np.linspace(0, len(points) - 1, cells).astype(int)]
    for _ in range(2):
        of = _closest(points, centers, 1)[:, 0]
        count = np.bincount(of, minlength=cells)
        for j in range(points.shape[1]):
            total = np.bincount(of, weights=points[:, j], minlength=cells)
            centers[:, j] = np.where(count, total / np.maximum(count, 1), centers[:, j])
    return centers


def _closest(
    points: NDArray[np.float32], centers: NDArray[np.float32], k: int
) -> NDArray[np.int64]:
    """The k nearest centers of each point, the nearest first."""
    found = np.empty((len(points), k), np.int64)
    squares = np.einsum("ij,ij->i", centers, centers)
    for some in _blocks(np.arange(len(points)), len(centers)):
        far = points[some] @ (-2 * centers.T) + squares
        for turn in range(k):
            found[some, turn] = first = far.argmin(axis=1)
            far[np.arange(len(some)), first] = np.inf
    return found
