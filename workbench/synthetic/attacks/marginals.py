"""Marginals, and random conjunctive queries: cells that the synthetic table has too often."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.synthetic.encoding import Encoded

#: Marginals that are asked, at most, and columns of one of them.
MARGINALS, ORDER = 300, 4

#: Bins of an ordered column, and categories that are not pooled into one.
_BINS, _COMMON = 8, 15


def query_scores(encoded: Encoded) -> NDArray[np.float64]:
    """How much more often than expected the synthetic table has the cells of each record.

    Half of the N records of a cell are in training, give or take the coins. If a record of the cell
    is in, one more of them is expected. For a generator that reproduces the marginal, with m
    synthetic rows to T records of training, the log likelihood ratio of "in" against "out" is
    proportional to t/N − 1/2, where t is the number of synthetic rows in the cell times T/m. That
    is the statistic of Homer et al. (2008) for each cell of a marginal (Sankararaman et al. 2009;
    Dwork et al. 2015). It is added over the marginals of one and two columns, and over random ones
    of three and four (the random queries of Houssiau et al. 2022). A marginal that the generator
    does not follow counts less: its terms are divided by their mean square over what the coins and
    the sampling explain.

    Parameters
    ----------
    encoded : Encoded

    Returns
    -------
    ndarray of float, shape (records, 4)
        Of marginals of one, two, three and four columns: sums of the terms, whose total is the
        score. Rows without a marginal of that many columns are 0.
    """
    pool, synthetic, sizes = _cells(encoded)
    scores = np.zeros((len(encoded.pool), ORDER))
    for columns in marginals(len(sizes)):
        of_pool, of_synthetic, size = _joint(pool, synthetic, sizes, columns)
        scores[:, len(columns) - 1] += _terms(of_pool, of_synthetic, size)
    return scores


def marginals(columns: int) -> list[tuple[int, ...]]:
    """Sets of columns whose joint frequencies are asked, the same for all tables of this width.

    All of one and of two columns come first, and are a random part if they are too many; a third
    of the marginals, at least, has three or four.
    """
    chance = np.random.default_rng(36)
    found: list[tuple[int, ...]] = []
    for order in range(1, min(ORDER, columns) + 1):
        left = MARGINALS - len(found)
        room = left if order == ORDER else left // 2
        every = list(combinations(range(columns), order)) if columns <= 40 else None
        if every is not None and len(every) <= room:
            found += every
        elif every is not None:
            found += [every[i] for i in np.sort(chance.choice(len(every), room, replace=False))]
        else:
            drawn = {
                tuple(sorted(map(int, chance.choice(columns, order, replace=False))))
                for _ in range(room)
            }
            found += sorted(drawn)
    return found


def _terms(pool: NDArray[np.int64], synthetic: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """The terms of one marginal for the records of the pool."""
    of_pool = np.bincount(pool, minlength=size)
    here = of_pool > 0
    expected = of_pool[here] / 2
    training = len(pool) / 2
    scale = training / len(synthetic)
    found = np.bincount(synthetic, minlength=size)[here] * scale
    variance = expected * (0.5 + scale)
    excess = max(float(np.mean((found - expected) ** 2 / variance)), 1.0)
    term = np.zeros(size)
    term[here] = (found - expected) / variance / excess
    return term[pool]


def _cells(
    encoded: Encoded,
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]], list[int]]:
    """Each column as few cells: bins of ordered columns, the most common categories."""
    pool, synthetic, sizes = [], [], []
    for j in range(encoded.pool.numbers.shape[1]):
        values = encoded.pool.numbers[:, j]
        inner = np.linspace(0, 1, _BINS + 1)[1:-1]
        edges = np.unique(np.quantile(values, inner, method="inverted_cdf"))
        pool.append(np.searchsorted(edges, values))
        synthetic.append(np.searchsorted(edges, encoded.synthetic.numbers[:, j]))
        sizes.append(len(edges) + 1)
    for j, size in enumerate(encoded.sizes):
        count = np.bincount(encoded.pool.codes[:, j], minlength=size)
        rank = np.empty(size, np.int64)
        rank[np.argsort(-count, kind="stable")] = np.arange(size)
        place = np.minimum(rank, _COMMON)
        pool.append(place[encoded.pool.codes[:, j]])
        synthetic.append(place[encoded.synthetic.codes[:, j]])
        sizes.append(min(size, _COMMON + 1))
    return pool, synthetic, sizes


def _joint(
    pool: list[NDArray[np.int64]],
    synthetic: list[NDArray[np.int64]],
    sizes: list[int],
    columns: tuple[int, ...],
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """The cell of each row in the marginal of some columns, and the number of cells."""
    of_pool, of_synthetic, total = pool[columns[0]], synthetic[columns[0]], sizes[columns[0]]
    for column in columns[1:]:
        of_pool = of_pool * sizes[column] + pool[column]
        of_synthetic = of_synthetic * sizes[column] + synthetic[column]
        total *= sizes[column]
    return of_pool, of_synthetic, total
