"""Readers of text files: csv, tsv and their relatives.

Text is UTF-8 (or UTF-16 with its mark); separator, header and decimal mark are found from the first
lines. Cells may use decimal commas when the separator is not a comma.
"""

from __future__ import annotations

import codecs
import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workbench.scores.parsing.cells import NAN_WORDS, filled_lengths
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.parsing.text_columns import TextColumns, text_columns
from workbench.scores.refusals import called, quoted
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable, is_unnamed, notes_on_ends, notes_on_huge

_SAMPLE_BYTES = 2**20

#: Bytes that are searched for blank lines at a time: what is between stays in the cache.
_BLOCK = 2**17


@dataclass(frozen=True)
class Dialect:
    r"""How a text file writes its table.

    Parameters
    ----------
    separator : str or None
        ``\s+`` for spaces, None for one column.
    header : list of str or None
    names : list of str
        Of the columns.
    first_row : int
        Number of the first line of data, counted from 1.
    decimal_comma : bool
    """

    separator: str | None
    header: list[str] | None
    names: list[str]
    first_row: int
    decimal_comma: bool

    @property
    def several(self) -> bool:
        """Whether there is more than one column."""
        return len(self.names) > 1


def read_text(data: bytes, filename: str, limits: ReadLimits, kind: str = "csv") -> DataTable:
    """The table of a text file, whose separator is found; ``kind`` is what messages call it."""
    data = utf8(data, filename)
    dialect = dialect_of(data, filename)
    limits.check_names(called(filename), dialect.names)
    _check_marks(data, dialect.separator, filename)
    commas = dialect.separator != ","
    found = _parsed(data, dialect, commas, filename)
    filled = filled_lengths(found.empty)
    rows = max(filled.values())
    if rows == 0:
        below = "no rows" if dialect.header is None else "a header but no rows below it"
        raise ScoresError(f"{called(filename)} has {below}; check that the scores were written")
    if dialect.header is not None and any(filled[c] for c in dialect.names[len(dialect.header) :]):
        raise ScoresError(
            f"{called(filename)} has {len(dialect.header)} names in its header but "
            f"{len(dialect.names)} cells in the first row below; name every column"
        )
    filled = {c: n for c, n in filled.items() if n or not is_unnamed(c)}
    notes = [] if dialect.header is not None else ["no header row: columns are numbered"]
    if rows < found.rows and dialect.several:
        notes.append(f"left out empty rows at the end: {found.rows - rows}")
    huge = [c for c in found.huge if c in filled]
    return DataTable(
        name=Path(filename).stem,
        columns={c: found.columns[c][:rows] for c in filled},
        format=kind,
        notes=(*notes, *notes_on_ends(filled, rows), *notes_on_huge(huge)),
        rows=rows,
        filled=filled,
        first_row=dialect.first_row,
        blank_rows=_blank_rows(data, dialect.first_row) if dialect.several else (),
        decimal_comma=commas,
    )


def utf8(data: bytes, filename: str) -> bytes:
    """The text as UTF-8 without a byte-order mark.

    Parameters
    ----------
    data : bytes
    filename : str
        For messages.

    Raises
    ------
    ScoresError
        The content is not text.
    """
    if data.isascii():
        return data
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-16" if wide else "utf-8")
    except UnicodeDecodeError as error:
        raise ScoresError(
            f"{called(filename)} is not UTF-8 text (byte {error.start}); save it as 'CSV UTF-8', "
            "or give it the extension of its true format"
        ) from error
    return text.encode() if wide else data


def dialect_of(data: bytes, filename: str) -> Dialect:
    """How a text writes its table, by its first lines.

    Parameters
    ----------
    data : bytes
        UTF-8, or the beginning of it.
    filename : str
        For messages.

    Raises
    ------
    ScoresError
        It has no lines, a line of more than 1 MiB, or names of rows that blanks separate.
    """
    sample = data[:_SAMPLE_BYTES].decode("utf-8", errors="ignore").splitlines()
    if len(data) > _SAMPLE_BYTES and len(sample) > 1:
        sample = sample[:-1]
    if len(data) > _SAMPLE_BYTES and len(sample) == 1:
        raise ScoresError(
            f"{called(filename)} begins with a line of more than {_SAMPLE_BYTES:,} bytes; "
            "scores stand one below the other, so swap rows and columns"
        )
    start = next((i for i, line in enumerate(sample) if line.strip()), None)
    if start is None:
        raise ScoresError(f"{called(filename)} holds nothing but blank lines")
    start = _after_comments(sample, start)
    lines = [line for line in sample[start:] if line.strip()]
    separator = _separator(lines)
    _check_row_names(lines, separator, filename)
    first, *second = _cells(lines[:2], separator)
    header = first if _is_header(first, second[0] if second else []) else None
    return Dialect(
        separator=separator,
        header=header,
        names=_column_names(header or [], max(map(len, (first, *second)))),
        first_row=start + 1 + (header is not None),
        decimal_comma=separator != "," and _writes_commas(lines),
    )


def _after_comments(sample: list[str], start: int) -> int:
    """The first line that is no comment, or the last comment where it has the names of columns."""
    end = start
    while end < len(sample) and sample[end].startswith("#"):
        end += 1
    if end == start or end == len(sample):
        return start
    last, below = sample[end - 1].lstrip("# "), sample[end]
    separator = _separator([below])
    if separator is None:
        return end - 1
    cells = [len(line.split(None if separator == r"\s+" else separator)) for line in (last, below)]
    return end - 1 if cells[0] == cells[1] else end


def _check_row_names(lines: list[str], separator: str | None, filename: str) -> None:
    """Refuse what R's ``write.table`` writes by default: one name less than there are columns."""
    first, *below = (len(line.split()) for line in lines[:3])
    if separator is None and first > 1 and below and set(below) == {first + 1}:
        raise ScoresError(
            f"{called(filename)} has {first} names and rows of {first + 1} cells, separated by "
            "blanks, as write.table of R writes them with names of rows; write it with "
            "write.csv(x, file, row.names = FALSE)"
        )


def _parsed(data: bytes, dialect: Dialect, commas: bool, filename: str) -> TextColumns:
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
    }
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
        options["float_precision"] = "round_trip"  # newer ones read the nearest number anyhow
    try:
        return text_columns(data, options, commas)
    except pd.errors.ParserError as error:
        if "out of memory" in str(error):
            raise MemoryError from error
        raise ScoresError(f"{called(filename)} is no regular table: {_explained(error)}") from error


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
    names = [name.lstrip("# ").strip('"') for name in header] + [""] * (width - len(header))
    return [name or f"column {i}" for i, name in enumerate(names, 1)]


def _writes_commas(lines: list[str]) -> bool:
    text = "\n".join(lines)
    return bool(re.search(r"\d,\d", text)) and not re.search(r"\d\.\d", text)


def _check_marks(data: bytes, separator: str | None, filename: str) -> None:
    """Refuse numbers with decimal points beside numbers with decimal commas.

    Where both occur, ``1.234`` may as well be a thousand and more.
    """
    if separator in (None, ",") or b"," not in data or b"." not in data:
        return
    between = rb" \t" if separator == r"\s+" else (separator or "").encode()
    point, comma = (_marked(data, mark, between) for mark in (b".", b","))
    if point and comma:
        raise ScoresError(
            f"{called(filename)} writes both {quoted(point.decode())} and "
            f"{quoted(comma.decode())}, so it is open which mark is the decimal one; decimal "
            "points and commas must not be mixed: write every number with one mark, and without "
            "marks between thousands"
        )


def _marked(data: bytes, mark: bytes, between: bytes) -> bytes | None:
    """The first cell that is a number with a decimal mark; only lines with one are looked at."""
    mark = re.escape(mark)
    number = rb"[+-]?\d*%s\d+(?:[eE][+-]?\d+)?" % mark
    cell = re.compile(rb'(?:^|[%s"\r\n]) *(%s) *(?=[%s"\r\n]|$)' % (between, number, between))
    marked, place = re.compile(rb"%s\d" % mark), 0
    while at := marked.search(data, place):
        place = data.find(b"\n", at.end()) + 1 or len(data)
        if found := cell.search(data, max(data.rfind(b"\n", 0, at.start()), 0), place):
            return found[1]
    return None


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
    if not _has_indented(data):
        return ()
    rows: list[int] = []
    row, counted = 1, 0
    for blank in re.finditer(rb"^[ \t]*\r?\n", data, re.MULTILINE):
        row += data.count(b"\n", counted, blank.start())
        counted = blank.start()
        if row >= first_row:
            rows.append(row)
    return tuple(rows)


def _has_indented(data: bytes) -> bool:
    """Whether a line begins with white space, as each blank line does.

    This takes a thirtieth of the time in which blank lines are numbered.
    """
    if data[:1] <= b" ":
        return True
    text = np.frombuffer(data, np.uint8)
    for start in range(0, text.size, _BLOCK):
        block = text[start : start + _BLOCK + 1]
        if ((block[:-1] == ord("\n")) & (block[1:] <= ord(" "))).any():
            return True
    return False
