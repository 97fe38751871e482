"""Tables as messages, and back, checked because the process that sends them is not trusted.

Nothing is unpickled, and every size, index and name is checked before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.processes.messages import WrongAnswer
from workbench.scores.parsing.limits import is_unicode
from workbench.scores.sample import ScoresError
from workbench.scores.statement import ScoreStatement
from workbench.scores.table import DataTable

#: Characters of a cell: the program would take several times as much memory to speak of it.
MOST_CELL = 10**6

_NUMBERS = frozenset(
    ["bool", "float16", "float32", "float64"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
_FORMATS = frozenset(["csv", "tsv", "parquet", "feather", "arrow", "npy", "npz", "json"])


def to_message(table: DataTable) -> dict[str, Any]:
    """A table as `workbench.processes.messages.packed` takes it; its name stays behind.

    Raises
    ------
    ScoresError
        A cell holds text that cannot be written as UTF-8.
    """
    return {
        "kind": "table",
        "columns": {
            name: cells if cells.dtype.name in _NUMBERS else _texts_of(name, cells)
            for name, cells in table.columns.items()
        },
        "blank_rows": np.array(table.blank_rows, dtype=np.int64),
        "format": table.format,
        "notes": table.notes,
        "rows": table.rows,
        "filled": dict(table.filled),
        "unusable": dict(table.unusable),
        "first_row": table.first_row,
        "decimal_comma": table.decimal_comma,
        "statement": dict(table.statement),
    }


def from_message(message: Mapping[str, Any], name: str) -> DataTable:
    """The table of a message, which may say anything (WrongAnswer where it is none)."""
    try:
        return _table(message, name)
    except WrongAnswer:
        raise
    except (ValueError, TypeError, KeyError, OverflowError, AttributeError) as error:
        raise WrongAnswer(str(error)) from error


def _table(header: Mapping[str, Any], name: str) -> DataTable:
    _check(all(map(is_unicode, header["columns"])), "a name")
    columns = {
        column: _cells_of(cells) if isinstance(cells, dict) else _numbers(cells)
        for column, cells in header["columns"].items()
    }
    rows, filled, unusable = header["rows"], header["filled"], header["unusable"]
    _check(rows is None or _is_count(rows), "rows")
    _check(rows is None or all(x.size == rows for x in columns.values()), "unequal columns")
    _check(set(columns) <= set(filled), "columns without an end")
    for column, end in filled.items():
        most = columns[column].size if column in columns else rows
        _check(_is_count(end) and (most is None or end <= most), "the end of a column")
    _check(not set(unusable) & set(columns), "a column that is none")
    texts = [*header["notes"], *unusable, *unusable.values()]
    _check(all(isinstance(text, str) and is_unicode(text) for text in texts), "a note")
    _check(header["format"] in _FORMATS, "the format")
    _check(header["first_row"] is None or _is_count(header["first_row"]), "the first row")
    return DataTable(
        name=name,
        columns=columns,
        format=header["format"],
        notes=tuple(header["notes"]),
        rows=rows,
        filled=dict(filled),
        unusable=dict(unusable),
        first_row=header["first_row"],
        blank_rows=tuple(_numbers(header["blank_rows"], "int64").tolist()),
        decimal_comma=header["decimal_comma"] is True,
        statement=ScoreStatement.from_dict(header["statement"]).to_dict(),
    )


def _texts_of(name: str, cells: NDArray[Any]) -> dict[str, Any]:
    """Which of the distinct texts each cell holds (−1: empty), their lengths, and the texts."""
    import pandas as pd

    codes, texts = pd.factorize(cells)
    try:
        content = "".join(texts).encode()
    except UnicodeEncodeError:
        raise ScoresError(
            f"column {name!r} holds text that is no valid Unicode (unpaired surrogates); correct it"
        ) from None
    lengths = np.fromiter(map(len, texts), np.int64, count=len(texts))
    if lengths.max(initial=0) > MOST_CELL:
        raise ScoresError(
            f"column {name!r} holds a text of {lengths.max():,} characters; check that the file is "
            "what its name says, or save the scores alone"
        )
    return {"codes": codes.astype(np.int32), "lengths": lengths, "texts": content}


def _cells_of(texts: Mapping[str, Any]) -> NDArray[Any]:
    codes, lengths = _numbers(texts["codes"], "int32"), _numbers(texts["lengths"], "int64")
    content = _numbers(texts["texts"], "uint8").tobytes().decode()
    _check(bool((lengths >= 0).all() and (lengths <= len(content)).all()), "the length of a text")
    ends = np.cumsum(lengths).tolist()
    _check((ends[-1] if ends else 0) == len(content), "the lengths of texts")
    _check(bool((codes >= -1).all() and (codes < lengths.size).all()), "the number of a text")
    cells = np.empty(lengths.size + 1, dtype=object)  # None at the end, which -1 means
    cells[:-1] = [content[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return cells[codes]


def _numbers(cells: Any, kind: str = "") -> NDArray[Any]:
    _check(isinstance(cells, np.ndarray) and cells.ndim == 1, "a column")
    _check(cells.dtype.name == kind if kind else cells.dtype.name in _NUMBERS, "its type")
    return cells


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _check(right: bool, what: str) -> None:
    if not right:
        raise WrongAnswer(f"wrong in an answer: {what}")
