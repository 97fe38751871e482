"""Labels of rows: their spellings, and labels of clusters; `senses` has what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.layouts.senses import vocabulary
from workbench.scores.ordered import Cells
from workbench.scores.table import DataTable

#: Words for columns whose values name what several rows may share.
SHARED = vocabulary("subject user patient person client speaker author run seed cluster")

#: A column with more values holds no labels.
MOST_LABELS = 20

#: So many cells are looked at one by one: importing pandas, which is faster, takes longer.
_FEW = 100_000

#: Characters of a label.
LONGEST_LABEL = 200


def text_of(label: object) -> str:
    """A label as text: 1.0 and 1 are '1', True is 'true'."""
    if isinstance(label, bool | np.bool_):
        return str(bool(label)).lower()
    if isinstance(label, int | np.integer):
        return str(int(label))
    if isinstance(label, float | np.floating):
        return f"{label:.15g}"
    return str(label).strip()


def spelling(label: str) -> str:
    """A label in the form in which spellings are compared."""
    return label.casefold()


def factorized(cells: Cells) -> tuple[NDArray[np.intp], Cells]:
    """For each cell the index of its value (−1 where it is empty), and the values."""
    if cells.size > _FEW:
        import pandas as pd

        index, values = pd.factorize(cells)
        return index, np.asarray(values)
    places: dict[Any, int] = {}
    found = [
        -1 if cell is None or cell != cell else places.setdefault(cell, len(places))
        for cell in cells.tolist()
    ]
    return np.array(found, dtype=np.intp), np.array(list(places), dtype=cells.dtype)


def distinct(labels: Iterable[object]) -> dict[str, None]:
    """Labels as text, in order, each spelling once."""
    spelled: dict[str, str] = {}
    for label in labels:
        spelled.setdefault(spelling(text_of(label)), text_of(label))
    return dict.fromkeys(sorted(spelled.values()))


def labels_of(table: DataTable, name: str) -> list[str]:
    """The labels of a column as text; none if it has too many different values for labels.

    Parameters
    ----------
    table : DataTable
    name : str
        Of the column.
    """
    known = table.known_codes
    # The first cells spare scores a pass over all of them.
    if name not in known and not _are_labels(factorized(table.column(name)[:1000])[1]):
        known[name] = None
    if name in known and known[name] is None:
        return []
    values = codes_of(table, name)[1]
    return list(distinct(values)) if _are_labels(values) else []


def _are_labels(values: Cells) -> bool:
    return values.size <= MOST_LABELS and all(len(text_of(v)) <= LONGEST_LABEL for v in values)


def codes_of(table: DataTable, name: str) -> tuple[NDArray[np.intp] | NDArray[np.int8], Cells]:
    """As `factorized`, of a column of a table, which keeps it where there are few values."""
    known = table.known_codes.get(name)
    if known is not None:
        return known
    index, values = factorized(table.column(name))
    few = values.size <= MOST_LABELS
    table.known_codes[name] = (index.astype(np.int8), values) if few else None
    return index, values


def words_of(name: str) -> frozenset[str]:
    """The words of a name in lower case; "non-member" is one word."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return frozenset(re.findall(r"[a-z0-9]+", re.sub(r"\bnon[\W_]*(?=member)", "non", apart)))


def shared_columns(table: DataTable) -> list[tuple[str, int]]:
    """Columns whose names suggest that rows share a subject or run, and how many values each has.

    Only columns in which values repeat are listed.
    """
    found = []
    for name, cells in table.columns.items():
        if words_of(name) & SHARED:
            different = len(factorized(cells)[1])
            if 2 < different < cells.size:
                found.append((name, different))
    return found
