"""Mixed columns as numbers: what distances and queries are computed from.

Nothing here knows a membership: scales come from the pool, which is unlabelled, and categories from
the pool and the synthetic table. Nothing depends on the order of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.synthetic.columns import AuditedColumn
from workbench.synthetic.tables import row_hashes

if TYPE_CHECKING:
    import pandas as pd

#: Scaled numbers are compressed beyond this many standard deviations from the median.
_LINEAR = 4.0

#: Share of the smallest and of the largest values that a scale is not computed from.
_TRIMMED = 0.01

#: Infinite differences count as this number of standard deviations.
_LARGEST = 1e300

#: Coordinates of `Encoded.vectors`, at most: of the numbers, and as many of the categories.
_WIDTH = 32

#: The random vectors of categories are the same for all tables.
_SEED = 36


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """The rows of one table as numbers.

    Attributes
    ----------
    numbers : ndarray of float32, shape (rows, ordered columns)
        In standard deviations from the median of the pool, compressed beyond four; 0 where missing.
    codes : ndarray of int32, shape (rows, columns of codes)
        The place of a category among all of its column. A missing value is a category of its own.
        An ordered column with missing values has a column here, of 1 where they are.
    keys : ndarray of uint64, shape (rows,)
        A hash of the cells, equal for equal rows.
    """

    numbers: NDArray[np.float32]
    codes: NDArray[np.int32]
    keys: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, rows: NDArray[np.intp] | slice) -> EncodedRows:
        """Some rows, in this order.

        Parameters
        ----------
        rows : ndarray of int, or slice
        """
        return EncodedRows(self.numbers[rows], self.codes[rows], self.keys[rows])


@dataclass(frozen=True, eq=False)
class Encoded:
    """The pool and the synthetic table as numbers.

    Attributes
    ----------
    pool, synthetic : EncodedRows
    sizes : tuple of int
        Number of categories of each column of codes.
    """

    pool: EncodedRows
    synthetic: EncodedRows
    sizes: tuple[int, ...]

    def vectors(self, rows: EncodedRows) -> NDArray[np.float32]:
        """Points whose squared Euclidean distances are near those of rows, shape (rows, width).

        A category is a unit vector divided by √2, so that two different ones are at distance 1.
        Where all of them need more than 32 coordinates, each is a random vector of that many, and
        distances are right to about 25% (Johnson and Lindenstrauss 1984). So are the numbers of
        more than 32 columns. Equal rows are at distance 0, near ones near.

        Parameters
        ----------
        rows : EncodedRows
            Of this encoding.
        """
        chance = np.random.default_rng(_SEED)
        numbers, codes = rows.numbers, rows.codes
        if numbers.shape[1] > _WIDTH:
            numbers = numbers @ _directions(chance, numbers.shape[1])
        total, half = sum(self.sizes), np.sqrt(np.float32(0.5))
        points = np.zeros((len(rows), min(total, _WIDTH)), np.float32)
        before = 0
        for j, size in enumerate(self.sizes):
            if total <= _WIDTH:
                points[np.arange(len(rows)), before + codes[:, j]] = half
                before += size
            else:
                points += (half * _directions(chance, size))[codes[:, j]]
        return np.ascontiguousarray(np.hstack([numbers, points]))


def _directions(chance: np.random.Generator, size: int) -> NDArray[np.float32]:
    """Random vectors of expected squared length 1."""
    return chance.standard_normal((size, _WIDTH), np.float32) / np.sqrt(np.float32(_WIDTH))


def encode(
    pool: pd.DataFrame, synthetic: pd.DataFrame, columns: Sequence[AuditedColumn]
) -> Encoded:
    """A pool and a synthetic table as numbers.

    Parameters
    ----------
    pool, synthetic : DataFrame
        As `SyntheticTables` has them: floats, dates, or categories that are the same in both.
    columns : sequence of AuditedColumn
        Those that are used.
    """
    n, both = len(pool), len(pool) + len(synthetic)
    numbers, codes, sizes = [], [], []
    for column in columns:
        parts = pool[column.name], synthetic[column.name]
        if column.is_ordered:
            values = np.concatenate([_days_or_numbers(part) for part in parts])
            numbers.append(_scaled(values, n))
            missing = np.isnan(values)
            if missing.any():
                codes.append(missing.astype(np.int32))
                sizes.append(2)
        else:
            found = np.concatenate([part.cat.codes.to_numpy(np.int32) for part in parts])
            known = len(parts[0].cat.categories)
            codes.append(np.where(found < 0, known, found).astype(np.int32))
            sizes.append(known + bool((found < 0).any()))
    all_numbers = np.stack(numbers, axis=1) if numbers else np.zeros((both, 0), np.float32)
    all_codes = np.stack(codes, axis=1) if codes else np.zeros((both, 0), np.int32)
    keys = np.concatenate([row_hashes(pool), row_hashes(synthetic)])
    rows = EncodedRows(all_numbers, all_codes, keys)
    return Encoded(rows.take(slice(n)), rows.take(slice(n, None)), tuple(sizes))


def _days_or_numbers(values: pd.Series) -> NDArray[np.float64]:
    """Ordered values as floats, NaN where missing."""
    if values.dtype.kind == "M":
        days = values.to_numpy("datetime64[us]").astype(np.int64) / 86_400e6
        return np.where(values.isna(), np.nan, days)
    return values.to_numpy(np.float64)


def _scaled(values: NDArray[np.float64], pool: int) -> NDArray[np.float32]:
    """Values from the median of the pool, in standard deviations of the pool.

    The largest and smallest values of the pool count as if they were less extreme. A column that
    does not vary in the pool tells no records of it apart, and is 0.
    """
    # Sorted, since sums of floats depend on their order.
    known = np.sort(values[:pool][~np.isnan(values[:pool])])
    if not known.size:
        return np.zeros(len(values), np.float32)
    low, center, high = np.quantile(known, [_TRIMMED, 0.5, 1 - _TRIMMED], method="inverted_cdf")
    spread = _spread(np.clip(known, low, high)) or _spread(known)
    if not spread:
        return np.zeros(len(values), np.float32)
    with np.errstate(over="ignore"):
        z = np.nan_to_num((values - center) / spread, nan=0.0, posinf=_LARGEST, neginf=-_LARGEST)
    beyond = np.log1p(np.maximum(np.abs(z) - _LINEAR, 0.0))
    return (np.sign(z) * (np.minimum(np.abs(z), _LINEAR) + beyond)).astype(np.float32)


def _spread(values: NDArray[np.float64]) -> float:
    """Standard deviation of values, whatever their size."""
    size = float(np.abs(values).max())
    return float(np.std(values / size)) * size if size else 0.0
