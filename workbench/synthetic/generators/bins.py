"""`ColumnBins`: cells of a column that are known before any table is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.table_columns import Integer, Numeric, TableColumn

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ColumnBins:
    """The cells of a column: one for each category, or intervals of equal width, and one more.

    The last cell is that of missing values and of everything that the column does not hold, so that
    every value has a cell: an error would depend on the table. Numbers outside the bounds are in
    the first or last interval.

    Parameters
    ----------
    column : TableColumn
    bins : int
        Intervals of numbers, at most; whole numbers have no more than they have values.
    """

    column: TableColumn
    bins: int

    @property
    def is_number(self) -> bool:
        """Whether the cells are intervals."""
        return isinstance(self.column, Numeric | Integer)

    @property
    def proper(self) -> int:
        """Number of cells, without the last."""
        return int(min(self.column.count, self.bins) if self.is_number else self.column.count)

    @property
    def count(self) -> int:
        """Number of cells."""
        return self.proper + 1

    def cells(self, values: pd.Series[Any]) -> NDArray[np.intp]:
        """The cell of each value, from 0 to ``count`` − 1."""
        import pandas as pd

        if not self.is_number:
            known = {value: i for i, value in enumerate(self.column.values)}  # type: ignore[attr-defined]
            last = self.proper
            found = [known.get(value, last) for value in values.tolist()]
            return np.array(found, dtype=np.intp)
        numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        inner = self._edges[1:-1]
        return np.where(np.isnan(numbers), self.proper, np.searchsorted(inner, numbers, "right"))

    def values(self, cells: NDArray[np.intp], rng: np.random.Generator) -> pd.Series[Any]:
        """A value for each cell, uniform in its interval.

        Parameters
        ----------
        cells : ndarray of int
        rng : numpy.random.Generator
        """
        missing = cells == self.proper
        if not self.is_number:
            listed = self.column.values  # type: ignore[attr-defined]
            return self.column.series([*map((*listed, None).__getitem__, cells.tolist())])
        inside = np.minimum(cells, self.proper - 1)
        low, high = self._edges[inside], self._edges[inside + 1]
        drawn = rng.uniform(low, high)
        if isinstance(self.column, Integer):
            drawn = np.clip(np.floor(drawn), self.column.low, self.column.high)
            return self.column.series(
                [None if gone else int(x) for x, gone in zip(drawn, missing, strict=True)]
            )
        return self.column.series(
            [None if gone else x for x, gone in zip(drawn.tolist(), missing, strict=True)]
        )

    @property
    def _edges(self) -> NDArray[np.float64]:
        """Ends of the intervals, ascending; those of whole numbers are whole."""
        whole = isinstance(self.column, Integer)
        low, high = float(self.column.low), float(self.column.high) + whole  # type: ignore[attr-defined]
        edges = np.linspace(low, high, self.proper + 1)
        return np.ceil(edges) if whole else edges
