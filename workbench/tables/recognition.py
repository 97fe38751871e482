"""`is_score_table`: whether a folder or file is a score table, from names and headers alone."""

from __future__ import annotations

import csv
import os
from pathlib import Path

from workbench.scores.refusals import check_parser
from workbench.scores.sample import ScoresError
from workbench.tables.layouts.place import TablePlace
from workbench.tables.layouts.registry import LAYOUTS, recognizes
from workbench.tables.layouts.vulnerability_matrix import VulnerabilityMatrix

#: Bytes of a text file in which its header ends.
_HEADER = 2**20


def is_score_table(path: str | os.PathLike[str]) -> bool:
    """Whether a folder or file is a score table of a known layout.

    Parameters
    ----------
    path : path
        Of a table, its header is read and no row: it may be of any size.

    Raises
    ------
    ScoresError
        There is nothing of that name.
    """
    place = TablePlace(path, trusted=True)
    if place.is_table:
        names = _column_names(Path(path))
        if not names:
            return False
        import pandas as pd

        place = TablePlace(pd.DataFrame([[0.0] * len(names)], columns=names), trusted=True)
    layouts = (k for k, one in LAYOUTS.items() if not isinstance(one, VulnerabilityMatrix))
    try:
        return any(recognizes(name, place) for name in layouts)
    except (ScoresError, OSError):
        return False


def _column_names(path: Path) -> list[str]:
    """The names of the columns of a file; [] where it has no header that can be read alone."""
    suffix = path.suffix.lower()
    try:
        if suffix in (".csv", ".tsv", ".txt"):
            return _header(path)
        if suffix in (".parquet", ".feather"):
            check_parser(path.name)
            import pyarrow as pa
            from pyarrow import dataset

            try:
                found = dataset.dataset(path, format=suffix[1:]).schema.names
            except pa.ArrowException:
                return []
            return list(dict.fromkeys(found))
    except (OSError, UnicodeError, ValueError, csv.Error):
        return []
    return []


def _header(path: Path) -> list[str]:
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        first = file.readline(_HEADER).strip("\r\n")
    delimiter = max(",\t;", key=first.count)
    names = next(csv.reader([first], delimiter=delimiter), [])
    return list(dict.fromkeys(name.strip() for name in names))
