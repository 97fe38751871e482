"""Rows of text files to which lines are appended: csv, tsv, and one JSON object per line."""

from __future__ import annotations

import csv
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from workbench import _json
from workbench.scores.growing.batches import Batch, GrowingRows, SourceChanged
from workbench.scores.parsing.text import Dialect, dialect_of
from workbench.scores.sample import ScoresError

#: Bytes that are read at once, and bytes at the beginning and before the end of what was read that
#: are compared at every look.
PIECE, COMPARED = 8 * 2**20, 4096

#: Lines that show separator and header of a text file. It waits for them, so that what it finds
#: does not depend on how many had been written when it was first looked at.
FIRST_LINES = 33

UNFINISHED = "the last line is not complete"

#: Characters of a line that is not complete.
LONGEST_LINE = 2**20

_BOM = b"\xef\xbb\xbf"


class AppendedFile(GrowingRows):
    """A file to which bytes are appended, each of which is read once.

    Attributes
    ----------
    offset : int
        Bytes that were used.
    """

    def __init__(self, path: Path):
        super().__init__(path)
        self.offset = 0
        self._last_status: tuple[int, ...] = ()
        self._head = self._tail = b""

    def more(self, most: int = PIECE) -> bytes | None:
        """Bytes after those that were used, None if nothing has changed since the last look.

        The caller says by `use` how many of them it has used.

        Raises
        ------
        SourceChanged
            The file is shorter than what was used, or begins otherwise.
        """
        with self.reachable(used=bool(self.offset)):
            status = self.path.stat()
            now = (status.st_ino, status.st_size, status.st_mtime_ns, self.offset)
            if now == self._last_status:
                return None
            require_file(status)
            self.waits, self._last_status = "", ()
            with open(self.path, "rb") as file:
                self._require_same(file)
                file.seek(self.offset)
                found = file.read(most)
            if self.offset + len(found) >= status.st_size:
                self._last_status = now
            return found
        return b""

    def use(self, used: bytes) -> None:
        """Count these bytes, which `more` began with, as used."""
        self.offset += len(used)
        self._head = (self._head + used[:COMPARED])[:COMPARED]
        self._tail = (self._tail + used[-COMPARED:])[-COMPARED:]

    def _require_same(self, file: BinaryIO) -> None:
        size = file.seek(0, 2)
        if size < self.offset:
            raise SourceChanged(
                f"the file became shorter, from at least {self.offset:,} to {size:,} bytes: it was "
                "cut off or begun anew"
            )
        file.seek(0)
        same = file.read(len(self._head)) == self._head
        file.seek(self.offset - len(self._tail))
        if not same or file.read(len(self._tail)) != self._tail:
            raise SourceChanged("the file was replaced by another one, or rewritten")


def require_file(status: os.stat_result) -> None:
    """Refuse what is no regular file: reading it might never end (ScoresError)."""
    if not stat.S_ISREG(status.st_mode):
        raise ScoresError("it is a folder, a pipe or a device, and no file; give a file")


class LineFormat(Protocol):
    """How lines are rows."""

    def begins(self, lines: Sequence[str]) -> int | None:
        """How many of the first lines are no rows, None if more lines are needed to know."""

    def batch(self, lines: Sequence[str], places: Sequence[int], where: str) -> Batch:
        """The rows in these lines."""


class CsvLines:
    """Lines of separated cells.

    Parameters
    ----------
    name : str
        Of the file.
    first_lines : int
        Lines that are needed to find the separator and the header.
    """

    def __init__(self, name: str, first_lines: int = FIRST_LINES):
        self._name, self._first = name, first_lines
        self._dialect: Dialect | None = None

    def begins(self, lines: Sequence[str]) -> int | None:
        """How many of the first lines are no rows, None if more lines are needed to know."""
        if len(lines) < self._first:
            return None
        text = "\n".join(lines[: max(self._first, FIRST_LINES)]) + "\n"
        self._dialect = dialect_of(text.encode(), self._name)
        return self._dialect.first_row - 1

    def batch(self, lines: Sequence[str], places: Sequence[int], where: str) -> Batch:
        """The rows in these lines."""
        if self._dialect is None:
            raise RuntimeError("the header was not read")
        names, separator = self._dialect.names, self._dialect.separator
        kept, at, bad = [], [], []
        for line, place in zip(lines, places, strict=True):
            cells = line.split() if separator == r"\s+" else _cells(line, separator or "\t")
            if cells is None or len(cells) != len(names):
                found = "is no line of a table" if cells is None else f"has {len(cells)} cells"
                bad.append(f"{where} {place} {found}, where {len(names)} are expected")
                continue
            kept.append(cells)
            at.append(place)
        columns = {name: _objects([row[i] or None for row in kept]) for i, name in enumerate(names)}
        return Batch(columns, np.array(at, dtype=np.int64), tuple(bad), where)


class JsonLines:
    """Lines that are JSON objects."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def begins(self, lines: Sequence[str]) -> int | None:
        """How many of the first lines are no rows: none."""
        return 0

    def batch(self, lines: Sequence[str], places: Sequence[int], where: str) -> Batch:
        """The rows in these lines."""
        kept: list[dict[str, Any]] = []
        at, bad = [], []
        for line, place in zip(lines, places, strict=True):
            try:
                row = _json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                bad.append(f"{where} {place} is no JSON object")
                continue
            kept.append(row)
            at.append(place)
        self._names += [
            n for n in dict.fromkeys(n for r in kept for n in r) if n not in self._names
        ]
        columns = {name: _objects([row.get(name) for row in kept]) for name in self._names}
        return Batch(columns, np.array(at, dtype=np.int64), tuple(bad), where)


class LineRows(AppendedFile):
    """Rows of a text file to which lines are appended.

    A line counts once its end is written.
    """

    def __init__(self, path: Path, format: LineFormat):
        super().__init__(path)
        self._format = format
        self._first: list[str] | None = []  # the first lines, until the header is known
        self._line = 0

    def read(self) -> Batch | None:
        """See `GrowingRows`."""
        piece = self.more()
        if piece is None:
            return None
        end = piece.rfind(b"\n") + 1
        if not end:
            if len(piece) > LONGEST_LINE:
                raise ScoresError(
                    f"line {self._line + 1} has more than {LONGEST_LINE:,} bytes; scores stand one "
                    "below the other"
                )
            if piece:
                self.waits = UNFINISHED
            return None
        if end < len(piece) < PIECE:
            self.waits = UNFINISHED
        begins = not self.offset
        self.use(piece[:end])
        text = piece[:end].removeprefix(_BOM if begins else b"").decode("utf-8", "replace")
        if begins and text[:1] in ("\ufffd", "\x00"):
            raise ScoresError("the file is no UTF-8 text; write it as UTF-8")
        return self._rows(text.split("\n")[:-1])

    def _rows(self, lines: list[str]) -> Batch | None:
        skipped = 0
        if self._first is not None:
            self._first += lines
            begins = self._format.begins(self._first)
            if begins is None:
                self.waits = f"waits for {FIRST_LINES} lines, from which it sees the columns"
                return None
            lines, self._first, skipped = self._first, None, begins
        before, self._line = self._line, self._line + len(lines)
        return _batch(self._format, lines, skipped, before, "line")


def whole_lines(content: bytes, format: LineFormat, where: str) -> Batch:
    """The rows of a text that is complete.

    Parameters
    ----------
    content : bytes
    format : LineFormat
    where : str
        As of `Batch`.
    """
    lines = content.removeprefix(_BOM).decode("utf-8", "replace").splitlines()
    skipped = format.begins(lines) or 0
    return _batch(format, lines, skipped, 0, where)


def _batch(
    format: LineFormat, lines: Sequence[str], skipped: int, before: int, where: str
) -> Batch:
    """The rows in lines after the first ones, of which ``before`` lines were read earlier."""
    rows = [
        (before + i, line.rstrip("\r"))
        for i, line in enumerate(lines, 1)
        if i > skipped and line.strip()
    ]
    return format.batch([line for _, line in rows], [at for at, _ in rows], where)


def _cells(line: str, separator: str) -> list[str] | None:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, strict=True))]
    except (csv.Error, StopIteration):
        return None


def _objects(cells: list[Any]) -> Any:
    found = np.empty(len(cells), dtype=object)
    found[:] = cells
    return found
