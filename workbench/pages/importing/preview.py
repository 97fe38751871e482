"""Columns of a table in words: what each holds, with its first values."""

from __future__ import annotations

from itertools import islice
from typing import Any

from numpy.typing import NDArray

from workbench.scores.layouts.guess import numeric_columns
from workbench.scores.layouts.labels import labels_of
from workbench.scores.table import DataTable

#: Columns that are described, and values of each.
MOST_COLUMNS, VALUES = 12, 3

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
