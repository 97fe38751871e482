"""Columns of a table in words and as small histograms, whatever the groups of their rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.layouts.guess import numeric_columns
from workbench.scores.layouts.labels import labels_of
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

#: Columns that are described, and values of each.
MOST_COLUMNS, VALUES = 12, 3

#: Bins of the histogram of a column, and values that it is made of at most.
BINS, MOST_LOOKED_AT = 40, 10**6

#: Labels that are listed, and characters of a text.
MOST_LABELS, LONGEST = 4, 24


def table_words(table: DataTable, file: str) -> str:
    """The size of a table and its columns.

    Parameters
    ----------
    table : DataTable
    file : str
        What people call it.
    """
    numeric = set(numeric_columns(table))
    columns = [
        f"“{_cut(name)}” ({_holds(table, name, name in numeric)})"
        for name in islice(table.columns, MOST_COLUMNS)
    ]
    columns += [f"“{_cut(name)}” ({why})" for name, why in islice(table.unusable.items(), 3)]
    more = len(table.columns) + len(table.unusable) - len(columns)
    rest = f" and {more} more" if more > 0 else ""
    rows = f", {table.rows:,} rows" if table.rows is not None else ""
    return f"File “{file}”{rows}. Columns: {', '.join(columns)}{rest}."


def _holds(table: DataTable, name: str, numeric: bool) -> str:
    cells = table.columns[name]
    labels = labels_of(table, name)
    if 1 < len(labels) <= min(MOST_LABELS, cells.size / 2):
        return f"labels {', '.join(map(_cut, labels))}"
    kind = "numbers" if numeric else "text"
    size = f"{cells.size:,} " if table.rows is None else ""
    return f"{size}{kind}: {', '.join(_first(cells))}{', …' if cells.size > VALUES else ''}"


def _first(cells: NDArray[Any]) -> list[str]:
    shown = []
    for cell in cells[:VALUES].tolist():
        if cell is None:
            shown.append("empty")
        else:
            shown.append(f"{cell:.4g}" if isinstance(cell, float) else _cut(str(cell)))
    return shown


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


@dataclass(frozen=True)
class ColumnPreview:
    """What a column of numbers holds, whatever the groups of its rows.

    Attributes
    ----------
    name : str
    low, high : float
        The least and the largest finite value; NaN if there is none.
    shares : ndarray of float, shape (bins,)
        Of the finite values in bins of equal width.
    different, odd : int
        Different values, and values that are not finite, among those looked at.
    """

    name: str
    low: float
    high: float
    shares: NDArray[np.float64]
    different: int
    odd: int

    @classmethod
    def of(cls, table: DataTable, name: str) -> ColumnPreview:
        """The preview of a column."""
        try:
            values = table.numbers(name)
        except ScoresError:  # a stray word, which is refused when the column is chosen
            values = np.zeros(0)
        values = values[:: max(1, values.size // MOST_LOOKED_AT)]
        finite = values[np.isfinite(values)]
        if not finite.size:
            return cls(name, np.nan, np.nan, np.zeros(BINS), 0, values.size)
        low, high = float(finite.min()), float(finite.max())
        wide = math.isfinite(high - low) and high > low
        counts = np.histogram(finite, BINS, (low, high))[0] if wide else np.eye(BINS)[BINS // 2]
        shares = counts / counts.sum()
        return cls(name, low, high, shares, np.unique(finite).size, values.size - finite.size)

    def describe(self) -> str:
        """The range and the number of different values."""
        if np.isnan(self.low):
            return "no finite numbers"
        odd = f", {self.odd:,} not finite" if self.odd else ""
        return f"{self.low:.4g} to {self.high:.4g}, {self.different:,} different values{odd}"
