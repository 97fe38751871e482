"""What an attack on a synthetic table looks at: typed columns of it and of the pool.

A `ThreatView` has no memberships, so that no attack can look at one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench._names import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

    from workbench.synthetic.tables import SyntheticTables

Floats32 = NDArray[np.float32]

#: Code of a missing category, and microseconds of a day.
_MISSING, _DAY = -1.0, 86_400e6

#: Cells of a table of distances that are computed at once.
_CELLS = 2**20


@dataclass(frozen=True, eq=False)
class Values:
    """One column of the pool and of the synthetic table.

    Attributes
    ----------
    name : str
    kind : str
        As of the column.
    pool, synthetic : ndarray of float64, shape (n,), (s,)
        Numbers, or days since 1970, NaN where missing; or codes of categories, −1 where missing.
    categories : tuple, optional
        Names of the categories; None of numbers and dates.
    """

    name: str
    kind: str
    pool: NDArray[np.float64]
    synthetic: NDArray[np.float64]
    categories: tuple[Any, ...] | None = None

    @property
    def ordered(self) -> bool:
        """Whether the values are numbers or dates."""
        return self.categories is None

    def is_missing(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which values are missing."""
        return np.isnan(values) if self.ordered else values == _MISSING

    def equal(self, rows: NDArray[np.intp], synthetic: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether rows of the pool are equal to synthetic rows, one by one, in this column.

        Parameters
        ----------
        rows, synthetic : ndarray of int, shape (m,)
        """
        a, b = self.pool[rows], self.synthetic[synthetic]
        return (a == b) | (np.isnan(a) & np.isnan(b))

    def misses(self, value: float) -> bool:
        """Whether one value is missing."""
        return math.isnan(value) if self.ordered else value == _MISSING

    def text(self, value: float) -> str:
        """A value in words."""
        if self.misses(value):
            return "missing"
        if self.categories is not None:
            return str(self.categories[int(value)])
        if self.kind == "date":
            moment = np.datetime64(round(value * _DAY), "us")
            return str(moment.astype("datetime64[D]" if value.is_integer() else "datetime64[s]"))
        return f"{value:.10g}"

    @property
    def spread(self) -> float:
        """Largest minus smallest value of both tables; 0 of constant columns."""
        known = np.concatenate([self.pool, self.synthetic])
        known = known[~np.isnan(known)]
        return float(known.max() - known.min()) if known.size else 0.0

    @cached_property
    def _scaled(self) -> tuple[Floats32, Floats32]:
        """The pool and the synthetic table as shares of the range of both, or codes."""
        both = self.pool, self.synthetic
        if self.ordered:
            # Halves, since the range of two floats may be more than a float.
            known = np.concatenate(both) / 2
            known = known[~np.isnan(known)]
            low, high = (known.min(), known.max()) if known.size else (0.0, 0.0)
            spread = high - low if high > low else np.inf
            both = (self.pool / 2 - low) / spread, (self.synthetic / 2 - low) / spread
        pool, synthetic = (side.astype(np.float32) for side in both)
        return pool, synthetic

    def distances(self, of_pool: NDArray[np.intp]) -> Floats32:
        """Distances from rows of the pool to all synthetic rows by this column.

        They are |a − b| as a share of the column's range, or 0 and 1 of categories. Two missing
        values are equal; a missing and a known one are at distance 1.

        Returns
        -------
        ndarray of float32, shape (rows, synthetic rows)
        """
        pool, synthetic = self._scaled
        return self._between(pool[of_pool], synthetic)

    def distances_of_synthetic(self, rows: NDArray[np.intp]) -> Floats32:
        """Distances from synthetic rows to all rows of the pool, as `distances`."""
        pool, synthetic = self._scaled
        return self._between(synthetic[rows], pool)

    def _between(self, a: Floats32, b: Floats32) -> Floats32:
        if not self.ordered:
            return (a[:, None] != b[None, :]).astype(np.float32)
        found = a[:, None] - b[None, :]
        np.abs(found, out=found)
        miss_a, miss_b = np.isnan(a), np.isnan(b)
        if miss_a.any() or miss_b.any():
            found[miss_a], found[:, miss_b] = 1.0, 1.0
            found[np.ix_(miss_a, miss_b)] = 0.0
        return found


@dataclass(frozen=True, eq=False)
class ThreatView:
    """The synthetic table and the pool, the rows of training table and holdout in a random order.

    Attributes
    ----------
    columns : tuple of Values
    unit : ndarray of int, shape (n,)
        A number for each row of the pool: rows of one unit (a person) have the same.
    """

    columns: tuple[Values, ...]
    unit: NDArray[np.int64]

    @classmethod
    def of(cls, tables: SyntheticTables) -> ThreatView:
        """What attacks see of three tables: all but the memberships."""
        columns = tuple(
            _values(one.name, one.kind, tables.pool[one.name], tables.synthetic[one.name])
            for one in tables.used
        )
        return cls(columns, tables.canary)

    @property
    def pool_size(self) -> int:
        """Rows of the pool."""
        return int(self.unit.size)

    @property
    def synthetic_size(self) -> int:
        """Rows of the synthetic table."""
        return int(self.columns[0].synthetic.size) if self.columns else 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def named(self, names: Sequence[str], argument: str) -> tuple[Values, ...]:
        """Columns by name.

        Raises
        ------
        ValueError
            A name that no column has.
        """
        found = {column.name: column for column in self.columns}
        for name in names:
            if name not in found:
                hint = did_you_mean(str(name), list(found), repr)
                known = ", ".join(map(repr, found))
                raise ValueError(
                    f"{argument} names {name!r}, which is no column that is compared"
                    + (hint or f"; they are {known}")
                )
        return tuple(found[name] for name in names)

    def sample(self, most: int, chance: np.random.Generator) -> NDArray[np.intp]:
        """Rows of the pool that are attacked: all, or a random part of whole units.

        Parameters
        ----------
        most : int
            About so many rows, at most.
        chance : numpy.random.Generator
        """
        if self.pool_size <= most:
            return np.arange(self.pool_size)
        units = int(self.unit.max()) + 1
        kept = max(int(most * units / self.pool_size), 2)
        chosen = np.zeros(units, bool)
        chosen[chance.choice(units, kept, replace=False)] = True
        return np.flatnonzero(chosen[self.unit])


def nearest(
    columns: Sequence[Values], rows: NDArray[np.intp], neighbors: int
) -> tuple[NDArray[np.intp], Floats32]:
    """The nearest synthetic rows of rows of the pool, the nearest first.

    Parameters
    ----------
    columns : sequence of Values
        Whose distances are added up (Gower 1971).
    rows : ndarray of int, shape (m,)
        Of the pool.
    neighbors : int

    Returns
    -------
    places : ndarray of int, shape (m, neighbors)
        Of equally near rows, the first ones.
    distances : ndarray of float32, shape (m, neighbors)
    """
    places = np.zeros((rows.size, neighbors), np.intp)
    found = np.zeros((rows.size, neighbors), np.float32)
    for part, total in _in_parts(columns, rows):
        if neighbors == 1:
            first = total.argmin(axis=1)[:, None]
        else:
            first = np.argsort(total, axis=1, kind="stable")[:, :neighbors]
        places[part], found[part] = first, np.take_along_axis(total, first, axis=1)
    return places, found


def nearest_without(
    columns: Sequence[Values], rows: NDArray[np.intp], left_out: Sequence[int]
) -> NDArray[np.intp]:
    """The nearest synthetic row by all columns but one, for several of them.

    Parameters
    ----------
    columns : sequence of Values
    rows : ndarray of int, shape (m,)
        Of the pool.
    left_out : sequence of int, length c
        Places of the columns that are left out, one at a time.

    Returns
    -------
    ndarray of int, shape (m, c)
    """
    places = np.zeros((rows.size, len(left_out)), np.intp)
    for part, total in _in_parts(columns, rows):
        for j, place in enumerate(left_out):
            column = columns[place]
            places[part, j] = (total - column.distances(rows[part])).argmin(axis=1)
    return places


def nearest_two_of_pool(
    columns: Sequence[Values], synthetic: NDArray[np.intp], unit: NDArray[np.int64]
) -> tuple[NDArray[np.intp], Floats32, Floats32]:
    """The nearest row of the pool of some synthetic rows, and how far the next unit's is.

    Parameters
    ----------
    columns : sequence of Values
    synthetic : ndarray of int, shape (m,)
        Synthetic rows.
    unit : ndarray of int, shape (n,)
        Of the rows of the pool.

    Returns
    -------
    nearest : ndarray of int, shape (m,)
    distance, next_distance : ndarray of float32, shape (m,)
        The second one is ∞ where the pool has one unit.
    """
    place = np.zeros(synthetic.size, np.intp)
    first = np.zeros(synthetic.size, np.float32)
    second = np.full(synthetic.size, np.inf, np.float32)
    step = max(_CELLS // max(unit.size, 1), 1)
    for start in range(0, synthetic.size, step):
        part = slice(start, start + step)
        total = np.zeros((synthetic[part].size, unit.size), np.float32)
        for column in columns:
            total += column.distances_of_synthetic(synthetic[part])
        at = total.argmin(axis=1)
        place[part] = at
        first[part] = total[np.arange(at.size), at]
        total[unit[None, :] == unit[at][:, None]] = np.inf
        second[part] = total.min(axis=1)
    return place, first, second


def _in_parts(
    columns: Sequence[Values], rows: NDArray[np.intp]
) -> Iterator[tuple[slice, Floats32]]:
    """Distances from some rows of the pool at a time to all synthetic rows."""
    size = columns[0].synthetic.size
    step = max(_CELLS // max(size, 1), 1)
    for start in range(0, rows.size, step):
        part = slice(start, start + step)
        total = np.zeros((rows[part].size, size), np.float32)
        for column in columns:
            total += column.distances(rows[part])
        yield part, total


def _values(name: str, kind: str, pool: pd.Series, synthetic: pd.Series) -> Values:
    """A column of tables that were read."""
    if isinstance(pool.dtype, _categorical()):
        a, b = (side.cat.codes.to_numpy().astype(np.float64) for side in (pool, synthetic))
        return Values(name, kind, a, b, categories=tuple(pool.cat.categories))
    if kind == "date":
        return Values(name, kind, _days(pool), _days(synthetic))
    return Values(name, kind, pool.to_numpy(np.float64), synthetic.to_numpy(np.float64))


def _categorical() -> type:
    import pandas as pd

    return pd.CategoricalDtype


def _days(dates: pd.Series) -> NDArray[np.float64]:
    found = dates.to_numpy("datetime64[us]")
    days = found.astype(np.int64) / _DAY
    return np.where(np.isnat(found), np.nan, days)
