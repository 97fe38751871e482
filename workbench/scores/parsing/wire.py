"""Tables as bytes, and back, checked because the process that sends them is not trusted.

Nothing is unpickled: a table is a header in JSON and the plain content of its columns, and every
size, index and name is checked before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _json
from workbench.scores.parsing.limits import is_unicode
from workbench.scores.sample import ScoresError
from workbench.scores.statement import ScoreStatement
from workbench.scores.table import DataTable

#: Characters of a cell: the program would take several times as much memory to speak of it.
MOST_CELL = 10**6

#: Bytes that a header may have.
MOST_HEADER = 32 * 10**6

_NUMBERS = frozenset(
    ["bool", "float16", "float32", "float64"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
_FORMATS = frozenset(["csv", "tsv", "parquet", "feather", "arrow", "npy", "npz", "json"])


class WrongAnswer(ValueError):  # noqa: N818
    """Bytes that are no table."""


def header_of(parts: Sequence[bytes | bytearray]) -> dict[str, Any]:
    """The header of an answer.

    Raises
    ------
    WrongAnswer
        It is none.
    """
    try:
        if len(parts[0]) > MOST_HEADER:
            raise WrongAnswer("a long header")
        header = _json.loads(bytes(parts[0]))
    except (ValueError, IndexError, RecursionError) as error:
        raise WrongAnswer(f"no header: {type(error).__name__}") from error
    if not isinstance(header, dict):
        raise WrongAnswer("no header")
    return header


def to_parts(table: DataTable) -> list[Any]:
    """A table as a header and buffers; its name stays behind.

    Raises
    ------
    ScoresError
        A cell holds text that cannot be written as UTF-8.
    """
    columns, buffers = [], []
    for name, cells in table.columns.items():
        if cells.dtype.name in _NUMBERS:
            columns.append([name, cells.dtype.name])
            buffers.append(np.ascontiguousarray(cells))
        else:
            columns.append([name, "text"])
            buffers += _text_parts(name, cells)
    header = {
        "kind": "table",
        "columns": columns,
        "format": table.format,
        "notes": table.notes,
        "rows": table.rows,
        "filled": dict(table.filled),
        "unusable": dict(table.unusable),
        "first_row": table.first_row,
        "decimal_comma": table.decimal_comma,
        "statement": dict(table.statement),
    }
    blank_rows = np.array(table.blank_rows, dtype=np.int64)
    return [_json.message(header), blank_rows, *buffers]


def from_parts(parts: Sequence[bytes | bytearray], name: str) -> DataTable:
    """The table of `to_parts`.

    Parameters
    ----------
    parts : sequence of bytes-like
        They may say anything.
    name : str
        The table's name.

    Raises
    ------
    WrongAnswer
        They are no table.
    """
    try:
        return _table(header_of(parts), iter(parts[1:]), name)
    except WrongAnswer:
        raise
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise WrongAnswer(str(error)) from error


def _table(header: Mapping[str, Any], buffers: Iterator[Any], name: str) -> DataTable:
    blank_rows = _array(_next(buffers), "int64")
    columns = {}
    for column, kind in header["columns"]:
        _check(isinstance(column, str) and is_unicode(column) and column not in columns, "a name")
        cells = _text_cells(buffers) if kind == "text" else _array(_next(buffers), kind)
        columns[column] = cells
    _check(next(buffers, None) is None, "parts left over")
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
        blank_rows=tuple(blank_rows.tolist()),
        decimal_comma=header["decimal_comma"] is True,
        statement=ScoreStatement.from_dict(header["statement"]).to_dict(),
    )


def _text_parts(name: str, cells: NDArray[Any]) -> list[Any]:
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
    return [codes.astype(np.int32), lengths, content]


def _text_cells(buffers: Iterator[Any]) -> NDArray[Any]:
    codes, lengths = _array(_next(buffers), "int32"), _array(_next(buffers), "int64")
    content = str(_next(buffers), "utf-8")
    _check(bool((lengths >= 0).all() and (lengths <= len(content)).all()), "the length of a text")
    ends = np.cumsum(lengths).tolist()
    _check((ends[-1] if ends else 0) == len(content), "the lengths of texts")
    _check(bool((codes >= -1).all() and (codes < lengths.size).all()), "the number of a text")
    texts = np.empty(lengths.size + 1, dtype=object)  # None at the end, which -1 means
    texts[:-1] = [content[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return texts[codes]


def _array(content: Any, dtype: Any) -> NDArray[Any]:
    _check(dtype in _NUMBERS, "the type of a column")
    array = np.frombuffer(content, dtype=dtype)
    if dtype == "bool":
        _check(bool((array.view(np.uint8) <= 1).all()), "a truth value")
    return array


def _next(buffers: Iterator[Any]) -> Any:
    content = next(buffers, None)
    _check(content is not None, "a part is missing")
    return content


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _check(right: bool, what: str) -> None:
    if not right:
        raise WrongAnswer(f"wrong in an answer: {what}")
