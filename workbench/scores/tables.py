"""Tables: the columns of a score file, whatever its format, before anyone says what they mean.

Nothing is ever unpickled. Text is UTF-8 (or UTF-16 with its mark), cells may use decimal commas
when the separator is not a comma, and an empty cell is not the same as the text ``nan``.
"""

from __future__ import annotations

import csv
import difflib
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.sample import ScoresError

if TYPE_CHECKING:
    import pandas as pd

    Source = str | os.PathLike[str] | bytes | pd.DataFrame

NAN_WORDS = ("nan", "na", "n/a", "#n/a", "<na>", "null", "none")

_PICKLED = (".pkl", ".pickle", ".pt", ".pth", ".joblib")
_SPREADSHEETS = (".xlsx", ".xls", ".ods")
_SAMPLE_BYTES = 65_536


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns as they came from one file, array archive or DataFrame.

    Parameters
    ----------
    name : str
        The file's name without its extension; "" where there is none.
    columns : mapping of str to ndarray, each 1-d
        Numbers or booleans, or text as an object array with None in empty cells. All have
        ``rows`` entries, or their own length where ``rows`` is None.
    format : str
        "csv", "tsv", "parquet", "feather", "npy", "npz", "json" or "DataFrame".
    notes : tuple of str
        What a reader should be told about how the file was read.
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
    """

    name: str
    columns: Mapping[str, NDArray[Any]]
    format: str
    notes: tuple[str, ...] = ()
    rows: int | None = None
    filled: Mapping[str, int] = field(default_factory=dict)
    unusable: Mapping[str, str] = field(default_factory=dict)
    first_row: int | None = None
    blank_rows: tuple[int, ...] = ()
    decimal_comma: bool = False

    @property
    def label(self) -> str:
        """How messages call the table."""
        return f"'{self.name}' ({self.format})" if self.name else f"the {self.format}"

    def place(self, index: int) -> str:
        """Where entry ``index`` stands, as a person would look it up."""
        if self.first_row is None:
            return f"entry {index} (counted from 0)"
        row = self.first_row + index
        for blank in self.blank_rows:
            row += blank <= row
        return f"row {row}"

    def column(self, name: str) -> NDArray[Any]:
        """The column of that name.

        Raises
        ------
        ScoresError
            No such column (close matches are named), or one that cannot hold scores.
        """
        if name in self.columns:
            return self.columns[name]
        if name in self.unusable:
            raise ScoresError(f"{name!r} of {self.label} {self.unusable[name]}")
        names = [*self.columns, *self.unusable]
        close = difflib.get_close_matches(name, names, n=3)
        hint = f"; did you mean {listed(close)}?" if close else ""
        raise ScoresError(f"{self.label} has no column {name!r}, only {listed(names)}{hint}")

    def numbers(self, name: str) -> NDArray[np.float64]:
        """The column of that name as floats; empty cells are NaN.

        Raises
        ------
        ScoresError
            No such column, or text among the numbers (row, column and text are named).
        """
        cells = self.column(name)
        if cells.dtype != object:
            return cells.astype(np.float64)
        values, wrong = parse_numbers(cells, self.decimal_comma)
        if wrong.any():
            index = int(wrong.argmax())
            more = int(wrong.sum()) - 1
            comma = "; decimal points and commas must not be mixed" if "," in cells[index] else ""
            raise ScoresError(
                f"{self.label}, {self.place(index)}, column {name!r}: {cells[index]!r} is not a "
                f"number{f' ({more} more like it)' if more else ''}{comma}; correct or remove it "
                "(write nan for a missing score), or choose another column"
            )
        return values


def read_table(source: Source, filename: str | None = None) -> Table:
    """Read the columns of a score file.

    Parameters
    ----------
    source : path, bytes, str or DataFrame
        A path, the content of a file, or a DataFrame. A string is text when ``filename`` is given
        or when it holds a line break, and a path otherwise.
    filename : str, optional
        Name of the file that the content came from; its extension decides the format. Without it
        the format is recognised from the first bytes.

    Raises
    ------
    ScoresError
        The file is missing, empty, damaged, of an unknown or refused kind, or no table.
    """
    if not isinstance(source, str | os.PathLike | bytes):
        return _from_frame(source, filename or "")
    if isinstance(source, bytes):
        data = source
    elif isinstance(source, str) and (filename is not None or "\n" in source):
        data = source.encode()
    else:
        path = Path(source)
        filename = path.name
        _reader(filename)  # refuse a kind before reading what may be gigabytes
        data = _content(path)
    reader = _reader(filename) if filename else _recognised(data)
    filename = filename or ""
    if not data:
        raise ScoresError(
            f"{_called(filename)} is empty (0 bytes); check that it was written and closed"
        )
    return reader(data, filename)


def listed(names: Iterable[Any]) -> str:
    """Names in quotes, at most twelve of them."""
    names = list(names)
    shown = ", ".join(repr(str(n)) for n in names[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "") or "none"


def parse_numbers(
    cells: NDArray[Any], decimal_comma: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Text cells as numbers, and which of them are neither numbers, empty nor a word for NaN.

    Parameters
    ----------
    cells : ndarray of object, shape (n,)
        Text, None where empty.
    decimal_comma : bool
        Read ``1,5`` as 1.5, unless other cells write decimal points.

    Returns
    -------
    values, wrong : ndarray of float, ndarray of bool, shape (n,)
    """
    import pandas as pd

    text = pd.Series(cells, dtype="str").str.strip()
    values = pd.to_numeric(text, errors="coerce").to_numpy(dtype=np.float64).copy()
    unread = np.flatnonzero(np.isnan(values) & text.notna().to_numpy())
    words = text.iloc[unread]
    if decimal_comma and not text.str.contains(".", regex=False).any():
        values[unread] = pd.to_numeric(words.str.replace(",", "."), errors="coerce")
    wrong = np.zeros(values.size, dtype=bool)
    wrong[unread] = np.isnan(values[unread]) & ~words.str.lower().isin(NAN_WORDS).to_numpy()
    return values, wrong


def mostly_numbers(cells: NDArray[Any], decimal_comma: bool = False) -> bool:
    """Whether at least half of the first thousand non-empty text cells are numbers."""
    head = cells[:1000]
    _, wrong = parse_numbers(head, decimal_comma)
    filled = sum(cell is not None for cell in head)
    return 0 < filled >= 2 * int(wrong.sum())


# -- which reader ---------------------------------------------------------------------------------


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        folder = path.parent
        near = [p.name for p in folder.iterdir()] if folder.is_dir() else []
        close = difflib.get_close_matches(path.name, near, n=3)
        hint = f"; did you mean {listed(close)}?" if close else f" (looked in {folder.absolute()})"
        raise ScoresError(f"there is no file '{path}'{hint}") from None
    except OSError as error:
        raise ScoresError(f"'{path}' cannot be read: {error.strerror}") from error


def _reader(filename: str) -> Callable[[bytes, str], Table]:
    suffix = Path(filename).suffix.lower()
    if suffix in _READERS:
        return _READERS[suffix]
    if suffix in _PICKLED:
        raise ScoresError(f"'{filename}' {_refused_pickle(filename)}")
    if suffix in _SPREADSHEETS:
        raise ScoresError(f"'{filename}' is a spreadsheet: save the sheet as csv and read that")
    raise ScoresError(
        f"'{filename}' has {f'the unknown extension {suffix!r}' if suffix else 'no extension'}; "
        f"these can be read: {', '.join(_READERS)}"
    )


def _recognised(data: bytes) -> Callable[[bytes, str], Table]:
    """The reader of content that came without a file name."""
    for magic, reader in (
        (b"PAR1", _read_parquet),
        (b"ARROW1", _read_feather),
        (b"FEA1", _read_feather),
        (b"\x93NUMPY", _read_npy),
        (b"PK", _read_npz),
        (b"\x80", _read_npy),  # a pickle, which that reader refuses with the remedy
    ):
        if data.startswith(magic):
            return reader
    return _read_json if data.lstrip()[:1] in (b"{", b"[") else _read_csv


def _refused_pickle(filename: str) -> str:
    stem, suffix = Path(filename).stem, Path(filename).suffix.lower()
    load = {
        ".pt": f"import torch; scores = torch.load('{filename}', weights_only=True)",
        ".pth": f"import torch; scores = torch.load('{filename}', weights_only=True)",
        ".joblib": f"import joblib; scores = joblib.load('{filename}')",
        ".npy": f"scores = np.load('{filename}', allow_pickle=True).item()",
        ".npz": f"scores = np.load('{filename}', allow_pickle=True)",
    }.get(suffix, f"import pickle; scores = pickle.load(open('{filename}', 'rb'))")
    return (
        "holds pickled objects, and unpickling runs whatever code a file carries, so it is "
        "refused. If you trust the file, convert it in your own Python:\n"
        "    import numpy as np\n"
        f"    {load}\n"
        f"    np.savez('{stem or 'scores'}-plain.npz', p=np.asarray(scores['in'], float), "
        "q=np.asarray(scores['out'], float))"
    )


# -- text -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Dialect:
    """How a text file writes its table."""

    separator: str | None
    header: list[str] | None
    names: list[str]
    first_row: int
    decimal_comma: bool

    @property
    def several(self) -> bool:
        return len(self.names) > 1


def _read_csv(data: bytes, filename: str, kind: str = "csv") -> Table:
    data = _utf8(data, filename)
    dialect = _dialect(data, filename)
    frame = _parsed(data, dialect, filename)
    filled = _filled({c: frame[c].isna().to_numpy() for c in dialect.names})
    rows = max(filled.values())
    if rows == 0:
        below = "no rows" if dialect.header is None else "a header but no rows below it"
        raise ScoresError(f"{_called(filename)} has {below}; check that the scores were written")
    if dialect.header is not None and any(filled[c] for c in dialect.names[len(dialect.header) :]):
        raise ScoresError(
            f"{_called(filename)} has {len(dialect.header)} names in its header but "
            f"{len(dialect.names)} cells in the first row below; name every column"
        )
    filled = {c: n for c, n in filled.items() if n or not is_unnamed(c)}
    commas = dialect.separator != ","
    notes = [] if dialect.header is not None else ["no header row: columns are numbered"]
    if rows < len(frame) and dialect.several:
        notes.append(f"left out empty rows at the end: {len(frame) - rows}")
    return Table(
        name=Path(filename).stem,
        columns={c: _tidy(frame[c].iloc[:rows], commas) for c in filled},
        format=kind,
        notes=(*notes, *_notes_on_ends(filled, rows)),
        rows=rows,
        filled=filled,
        first_row=dialect.first_row,
        blank_rows=_blank_rows(data, dialect.first_row) if dialect.several else (),
        decimal_comma=commas,
    )


def _read_tsv(data: bytes, filename: str) -> Table:
    return _read_csv(data, filename, "tsv")


def _utf8(data: bytes, filename: str) -> bytes:
    """The text as UTF-8 without a byte-order mark."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ScoresError(
            f"{_called(filename)} is not UTF-8 text (byte {error.start}); save it as 'CSV UTF-8', "
            "or give it the extension of its true format"
        ) from error
    return data if encoding == "utf-8-sig" and data[:1] != b"\xef" else text.encode()


def _dialect(data: bytes, filename: str) -> _Dialect:
    sample = data[:_SAMPLE_BYTES].decode("utf-8", errors="ignore").splitlines()
    if len(data) > _SAMPLE_BYTES:
        sample = sample[:-1] or sample
    start = next((i for i, line in enumerate(sample) if line.strip()), None)
    if start is None:
        raise ScoresError(f"{_called(filename)} holds nothing but blank lines")
    lines = [line for line in sample[start:] if line.strip()]
    separator = _separator(lines)
    first, *second = _cells(lines[:2], separator)
    header = first if _is_header(first, second[0] if second else []) else None
    return _Dialect(
        separator=separator,
        header=header,
        names=_column_names(header or [], max(map(len, (first, *second)))),
        first_row=start + 1 + (header is not None),
        decimal_comma=separator != "," and _writes_commas(lines),
    )


def _parsed(data: bytes, dialect: _Dialect, filename: str) -> pd.DataFrame:
    import pandas as pd

    options: dict[str, Any] = {
        "sep": dialect.separator or "\t",
        "decimal": "," if dialect.decimal_comma else ".",
        "header": None,
        "names": dialect.names,
        "index_col": False,
        "skiprows": dialect.first_row - 1,
        # Blank lines are no rows, except where one column writes an empty cell that way.
        "skip_blank_lines": dialect.several,
        "skipinitialspace": True,
        "keep_default_na": False,  # the text nan is a score, an empty cell may be none
        "na_values": [""],
        "low_memory": False,
    }
    try:
        return pd.read_csv(io.BytesIO(data), **options)
    except pd.errors.EmptyDataError:
        return pd.DataFrame(columns=dialect.names)
    except pd.errors.ParserError as error:
        raise ScoresError(
            f"{_called(filename)} is no regular table: {_explained(error)}"
        ) from error


def _separator(lines: list[str]) -> str | None:
    r"""Tab, semicolon or comma by the first line, ``\s+`` for bare numbers, None for one column."""
    for separator in "\t;,":
        if separator in lines[0]:
            return separator
    spaced = [line.split() for line in lines[1:] or lines]
    if all(len(cells) == len(spaced[0]) > 1 and all(map(_is_number, cells)) for cells in spaced):
        return r"\s+"
    return None


def _cells(lines: list[str], separator: str | None) -> list[list[str]]:
    if separator == r"\s+":
        return [line.lstrip("# ").split() for line in lines]
    return [[c.strip() for c in row] for row in csv.reader(lines, delimiter=separator or "\t")]


def _is_header(first: list[str], second: list[str]) -> bool:
    """A row of names; also the bare 0, 1, … that pandas writes above floats without names."""
    if any(map(_is_number, first)):
        counted = first == [str(i) for i in range(len(first))]
        return counted and any("." in c for c in second)
    return any(first)


def _is_number(cell: str) -> bool:
    """A number as text, whichever decimal mark; nan and inf are numbers too."""
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return cell.strip().lower() in NAN_WORDS
    return True


def _column_names(header: list[str], width: int) -> list[str]:
    names: list[str] = []
    for i in range(width):
        name = header[i].lstrip("# ") if i < len(header) else ""
        name = name or f"column {i + 1}"
        while name in names:
            name += " (again)"
        names.append(name)
    return names


def is_unnamed(name: str) -> bool:
    """Whether a column has no name of its own: numbered by a reader, numpy or pandas."""
    return re.fullmatch(r"(column |arr_|f)?\d+", name) is not None


def _writes_commas(lines: list[str]) -> bool:
    text = "\n".join(lines)
    return bool(re.search(r"\d,\d", text)) and not re.search(r"\d\.\d", text)


def _explained(error: Exception) -> str:
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
    if not found:
        return str(error)
    wanted, line, saw = found.groups()
    return (
        f"row {line} has {saw} cells where {wanted} are expected; look for a stray separator or a "
        "missing quote there"
    )


def _blank_rows(data: bytes, first_row: int) -> tuple[int, ...]:
    """Numbers of the blank lines at or below the first data row."""
    if not re.search(rb"\n[ \t]*\r?\n", data):
        return ()
    lines = data.split(b"\n")
    return tuple(i for i, line in enumerate(lines[:-1], 1) if i >= first_row and not line.strip())


# -- arrays ---------------------------------------------------------------------------------------


def _read_npy(data: bytes, filename: str) -> Table:
    if data[:1] == b"\x80":
        raise ScoresError(f"{_called(filename)} {_refused_pickle(filename or 'scores.npy')}")
    if not data.startswith(b"\x93NUMPY"):
        raise ScoresError(f"{_called(filename)} is no npy file: write it with np.save")
    array = _load_numpy(data, filename, ".npy")
    if array.dtype.names:
        return _from_arrays({c: array[c] for c in array.dtype.names}, filename, "npy", array.size)
    unusable = _unusable(array)
    if unusable:
        raise ScoresError(f"{_called(filename)} {unusable}")
    return _from_arrays({"array": array}, filename, "npy", array.size)


def _read_npz(data: bytes, filename: str) -> Table:
    archive = _load_numpy(data, filename, ".npz")
    arrays = {
        key: _guarded(partial(archive.__getitem__, key), filename, ".npz") for key in archive.files
    }
    return _from_arrays(arrays, filename, "npz", None)


def _load_numpy(data: bytes, filename: str, suffix: str) -> Any:
    if suffix == ".npz" and not data.startswith(b"PK"):
        raise ScoresError(f"{_called(filename)} is no npz file: write it with np.savez")
    return _guarded(lambda: np.load(io.BytesIO(data), allow_pickle=False), filename, suffix)


def _guarded(load: Callable[[], Any], filename: str, suffix: str) -> Any:
    try:
        return load()
    except Exception as error:  # the parsers raise anything from SyntaxError on for damaged files
        if "allow_pickle" in str(error):
            raise ScoresError(
                f"{_called(filename)} {_refused_pickle(filename or 'scores' + suffix)}"
            ) from None
        raise ScoresError(
            f"{_called(filename)} is damaged, truncated or no {suffix[1:]} file ({error}); write "
            "or copy it again"
        ) from error


def _unusable(array: NDArray[Any]) -> str:
    """Why an array cannot be a column of scores or labels, "" when it can."""
    if array.ndim > 1:
        return (
            f"is {array.ndim}-dimensional, shape {array.shape}; scores are one number a run: save "
            "each side as its own 1-d array, e.g. np.savez('scores.npz', p=a[:, 0], q=a[:, 1]), or "
            "ravel it if every entry is a score"
        )
    if array.ndim == 0:
        return "is a single value, not an array of scores"
    if array.dtype.kind not in "biufSU":
        return f"holds {array.dtype}, not real numbers; save the scores as floats"
    return ""


def _from_arrays(
    arrays: Mapping[str, NDArray[Any]], filename: str, kind: str, rows: int | None
) -> Table:
    unusable = {key: reason for key, array in arrays.items() if (reason := _unusable(array))}
    columns = {key: _tidy(array) for key, array in arrays.items() if key not in unusable}
    return Table(
        name=Path(filename).stem,
        columns=columns,
        format=kind,
        notes=tuple(f"{key!r} left out: it {reason}" for key, reason in unusable.items()),
        rows=rows,
        filled={key: array.size for key, array in columns.items()},
        unusable=unusable,
    )


# -- json -----------------------------------------------------------------------------------------


def _read_json(data: bytes, filename: str) -> Table:
    try:
        content = json.loads(_utf8(data, filename))
    except json.JSONDecodeError as error:
        raise ScoresError(
            f"{_called(filename)} is not valid JSON: {error.msg} at line {error.lineno}, column "
            f"{error.colno}"
        ) from error
    lists, rows = _json_lists(content, filename)
    columns, unusable = {}, {}
    for key, values in lists.items():
        if not isinstance(values, list) or any(isinstance(v, list | dict) for v in values):
            unusable[key] = "is not a plain list; scores are one number a run"
        else:
            columns[key] = _tidy(_series(values))
    empty = {key: np.array([v is None for v in lists[key]], dtype=bool) for key in columns}
    filled = _filled(empty)
    return Table(
        name=Path(filename).stem,
        columns=columns,
        format="json",
        notes=tuple(f"{key!r} left out: it {reason}" for key, reason in unusable.items())
        + (_notes_on_ends(filled, rows) if rows is not None else ()),
        rows=rows,
        filled=filled,
        unusable=unusable,
    )


def _json_lists(content: Any, filename: str) -> tuple[dict[str, Any], int | None]:
    """The lists of a JSON document, and the number of rows where it has rows."""
    if isinstance(content, list) and content:
        if all(isinstance(record, dict) for record in content):
            keys = dict.fromkeys(key for record in content for key in record)
            return {key: [r.get(key) for r in content] for key in keys}, len(content)
        if not any(isinstance(value, list | dict) for value in content):
            return {"column 1": content}, len(content)
    if isinstance(content, dict) and content:
        if all(isinstance(column, dict) for column in content.values()):  # pandas' to_json
            index = dict.fromkeys(i for column in content.values() for i in column)
            return {k: [c.get(i) for i in index] for k, c in content.items()}, len(index)
        return content, None
    raise ScoresError(
        f"{_called(filename)} holds no scores that can be found; write an object of arrays, "
        '{"p": [...], "q": [...]}, or a list of records, [{"score": 0.5, "member": 1}, ...]'
    )


def _series(values: list[Any]) -> pd.Series[Any]:
    import pandas as pd

    numeric = all(v is None or type(v) in (int, float) for v in values)
    return pd.Series(values, dtype=np.float64 if numeric else object)


# -- frames ---------------------------------------------------------------------------------------


def _read_parquet(data: bytes, filename: str) -> Table:
    from pyarrow import parquet

    return _from_arrow(parquet.read_table, data, filename, "parquet")


def _read_feather(data: bytes, filename: str) -> Table:
    from pyarrow import feather

    return _from_arrow(feather.read_table, data, filename, "feather")


def _from_arrow(read: Callable[[Any], Any], data: bytes, filename: str, kind: str) -> Table:
    import pyarrow as pa

    def load() -> tuple[pd.DataFrame, dict[str, NDArray[np.bool_]]]:
        arrow = read(pa.BufferReader(data)).replace_schema_metadata()
        arrow = arrow.select([c for c in arrow.column_names if not c.startswith("__index_level_")])
        # A null is an empty cell, a NaN is a score: pandas would make them one.
        empty = {c: arrow[c].is_null().to_numpy() for c in arrow.column_names}
        return arrow.to_pandas(), empty

    frame, empty = _guarded(load, filename, f".{kind}")
    return _from_frame(frame, filename, kind, empty)


def _from_frame(
    frame: pd.DataFrame,
    filename: str,
    kind: str = "DataFrame",
    empty: Mapping[str, NDArray[np.bool_]] | None = None,
) -> Table:
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise ScoresError(
            f"cannot read scores from {type(frame).__name__}; give a path, the bytes or text of a "
            "file, or a DataFrame (arrays go straight into wb.Scores(p, q))"
        )
    names = [str(c) for c in frame.columns]
    if len(set(names)) < len(names):
        raise ScoresError(f"two columns have one name, rename one: {listed(names)}")
    if frame.empty:
        raise ScoresError(f"{_called(filename) if filename else f'the {kind}'} has no rows")
    series = {c: frame.iloc[:, i] for i, c in enumerate(names)}
    unusable = {
        c: f"holds {s.dtype}, not real numbers; save the scores as floats"
        for c, s in series.items()
        if s.dtype.kind in "cmM"
    }
    if empty is None:
        empty = {c: s.isna().to_numpy() for c, s in series.items()}
    filled = _filled(empty)
    return Table(
        name=Path(filename).stem,
        columns={c: _tidy(s) for c, s in series.items() if c not in unusable},
        format=kind,
        notes=_notes_on_ends(filled, len(frame)),
        rows=len(frame),
        filled=filled,
        unusable=unusable,
    )


# -- columns --------------------------------------------------------------------------------------


def _tidy(cells: pd.Series[Any] | NDArray[Any], decimal_comma: bool = False) -> NDArray[Any]:
    """Numbers or booleans as they are; text as numbers if all of it is, else as objects."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf":
        return cells
    import pandas as pd
    from pandas.api import types

    if isinstance(cells, np.ndarray):
        cells = pd.Series(np.char.decode(cells) if cells.dtype.kind == "S" else cells)
    whole = not cells.isna().any()
    if types.is_bool_dtype(cells.dtype) and whole:
        return cells.to_numpy(dtype=bool)
    if types.is_numeric_dtype(cells.dtype) and not types.is_bool_dtype(cells.dtype):
        return cells.to_numpy() if whole else cells.to_numpy(dtype=np.float64, na_value=np.nan)
    if cells.dtype == object:
        cells = cells.map(str, na_action="ignore")
    words = np.where(cells.isna().to_numpy(), np.array(None), cells.to_numpy(dtype=object))
    if not mostly_numbers(words, decimal_comma):
        return words
    values, wrong = parse_numbers(words, decimal_comma)
    return words if wrong.any() else values


def _filled(empty: Mapping[str, NDArray[np.bool_]]) -> dict[str, int]:
    """For each column the number of cells up to its last non-empty one."""
    filled = {}
    for name, blank in empty.items():
        tail = int(np.argmin(blank[::-1])) if not blank.all() else blank.size
        filled[name] = blank.size - tail
    return filled


def _notes_on_ends(filled: Mapping[str, int], rows: int) -> tuple[str, ...]:
    return tuple(
        f"column {c!r} ends with {rows - n} empty cell{'s' * (rows - n > 1)}"
        for c, n in filled.items()
        if n < rows
    )


def _called(filename: str) -> str:
    return f"'{filename}'" if filename else "the upload"


_READERS: dict[str, Callable[[bytes, str], Table]] = {
    ".csv": _read_csv,
    ".txt": _read_csv,
    ".tsv": _read_tsv,
    ".parquet": _read_parquet,
    ".feather": _read_feather,
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".json": _read_json,
}
EXTENSIONS = tuple(_READERS)
