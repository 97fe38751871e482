"""`DataTable`: the columns of a data file of any format, before a layout gives them a meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.ordered import Cells
from workbench.scores.parsing.cells import parse_numbers
from workbench.scores.refusals import ScoresError, did_you_mean, listed, quoted, remedy_for

if TYPE_CHECKING:
    import pandas as pd

_DECISIONS = (
    ": these are an attack's decisions, not scores; count them and use wb.epsilon_from_counts or "
    "the page Counts, or write them as 1 and 0"
)


@dataclass(frozen=True, eq=False)
class DataTable:
    """Named columns as they came from one file, array archive or DataFrame.

    Parameters
    ----------
    name : str
        The file's name without its extension; "" where there is none.
    columns : mapping of str to ndarray, each 1-d
        Numbers or booleans, or text as an object array with None in empty cells. All have
        ``rows`` entries, or their own length where ``rows`` is None.
    format : str
        "csv", "tsv", "parquet", "feather", "arrow", "npy", "npz", "json" or "DataFrame".
    notes : tuple of str
        Remarks on how the file was read.
    rows : int or None
        Number of rows; None for separate arrays (npz, a json object of arrays).
    filled : mapping of str to int
        For each column the number of cells up to its last non-empty one. Empty cells after it
        may be no scores at all, but the mark of a shorter column.
    unusable : mapping of str to str
        Entries that cannot be a column, with the reason: a 2-d array, complex numbers.
    first_row : int or None
        Number of the first data row as a person counts in the file (2 below a header); None for
        formats without visible rows.
    blank_rows : tuple of int
        Numbers of the blank lines that were skipped, ascending.
    decimal_comma : bool
        Whether text such as ``1,5`` may be a number.
    statement : mapping
        What a file that the workbench wrote states of its scores; see `ScoreStatement`.
    """

    name: str
    columns: Mapping[str, Cells]
    format: str
    notes: tuple[str, ...] = ()
    rows: int | None = None
    filled: Mapping[str, int] = field(default_factory=dict)
    unusable: Mapping[str, str] = field(default_factory=dict)
    first_row: int | None = None
    blank_rows: tuple[int, ...] = ()
    decimal_comma: bool = False
    statement: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def known_codes(self) -> dict[str, tuple[NDArray[np.int8], Cells] | None]:
        """What `codes_of` found: a byte for each cell, None for a column of too many values."""
        return {}

    @property
    def label(self) -> str:
        """The table's name for messages."""
        return f"'{self.name}' ({self.format})" if self.name else f"the {self.format}"

    def place(self, index: int) -> str:
        """The place of an entry for messages: its row in the file, or its index."""
        if self.first_row is None:
            return f"entry {index} (counted from 0)"
        row = self.first_row + index
        for blank in self.blank_rows:
            row += blank <= row
        return f"row {row}"

    def to_frame(self) -> pd.DataFrame:
        """One row for each row of the table.

        Raises
        ------
        ScoresError
            Its columns have lengths of their own.
        """
        import pandas as pd

        if self.rows is None:
            raise ScoresError(
                f"{self.label} has columns of different lengths; write it as csv or parquet"
            )
        return pd.DataFrame({name: pd.Series(cells) for name, cells in self.columns.items()})

    def column(self, name: str) -> Cells:
        """The column of that name.

        Raises
        ------
        ScoresError
            No such column (close matches are named), or one that cannot hold scores.
        """
        if name in self.columns:
            return self.columns[name]
        if name in self.unusable:
            raise ScoresError(f"{quoted(name)} of {self.label} {self.unusable[name]}")
        names = [*self.columns, *self.unusable]
        hint = did_you_mean(name, names)
        raise ScoresError(f"{self.label} has no column {quoted(name)}, only {listed(names)}{hint}")

    def numbers(self, name: str) -> NDArray[np.float64]:
        """The column of that name as floats; empty cells are NaN.

        Raises
        ------
        ScoresError
            No such column, text among the numbers (row, column and text are named), or true and
            false.
        """
        cells = self.column(name)
        if cells.dtype == bool:
            raise ScoresError(f"column {name!r} of {self.label} holds true and false{_DECISIONS}")
        if cells.dtype != object:
            with np.errstate(invalid="ignore"):  # a signalling NaN is NaN
                return cells.astype(np.float64)
        values, wrong = parse_numbers(cells, self.decimal_comma)
        if wrong.any():
            index = int(wrong.argmax())
            more = int(wrong.sum()) - 1
            remedy = remedy_for(cells[index])
            if {str(cell).casefold() for cell in cells[wrong]} <= {"true", "false"}:
                remedy = _DECISIONS + remedy
            raise ScoresError(
                f"{self.label}, {self.place(index)}, column {quoted(name)}: {quoted(cells[index])} "
                f"is not a number{f' ({more} more like it)' if more else ''}{remedy}, or choose "
                "another column"
            )
        return values


def is_unnamed(name: str) -> bool:
    """Whether a column has no name of its own: numbered by a reader, numpy or pandas."""
    return re.fullmatch(r"(column |arr_|f)?\d+", name) is not None


def notes_on_ends(filled: Mapping[str, int], rows: int) -> tuple[str, ...]:
    """Notes on the columns that end before the last row.

    Parameters
    ----------
    filled : mapping of str to int
        As of `DataTable`.
    rows : int
    """
    return tuple(
        f"column {quoted(c)} ends with {rows - n} empty cell{'s' * (rows - n > 1)}"
        for c, n in filled.items()
        if n < rows
    )


def notes_on_unusable(unusable: Mapping[str, str]) -> tuple[str, ...]:
    """Notes on the entries that cannot be a column."""
    return tuple(f"{quoted(key)} left out: it {reason}" for key, reason in unusable.items())


def notes_on_huge(names: Iterable[str]) -> tuple[str, ...]:
    """Notes on the columns with integers that 64 bits do not hold."""
    return tuple(
        f"column {quoted(c)} holds integers beyond 2^63: as scores they are floats of 16 digits"
        for c in names
    )
