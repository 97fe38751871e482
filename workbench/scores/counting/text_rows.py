"""Batches of rows from text files: csv, tsv and their relatives."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from workbench.scores.counting.row_sources import RowFile, UnreadError, require_columns
from workbench.scores.parsing.cells import NAN_WORDS
from workbench.scores.parsing.formats import kind_of_name, parse
from workbench.scores.parsing.limits import LIMITS, MB
from workbench.scores.parsing.text import Dialect, dialect_of
from workbench.scores.refusals import called
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

if TYPE_CHECKING:
    import pyarrow as pa

    from workbench.scores.counting.row_sources import Batches

#: Bytes that are parsed at a time; no line may be longer.
_BLOCK = 4 * MB

#: Bytes that are looked at in each of several places: more than `dialect_of` looks at.
_GLANCE = 2 * 2**20

#: Words for NaN, other than nan itself, in the spellings of pandas and of R.
_NAN_WORDS = tuple(
    spelled
    for word in NAN_WORDS
    if word != "nan"
    for spelled in dict.fromkeys((word, word.upper(), word.capitalize()))
)


@dataclass(frozen=True)
class TextRowFile:
    """A text file.

    Its last line may be incomplete, if the file is being written: it is used only if the file
    did not grow while the lines before it were read.

    Parameters
    ----------
    path : Path
    size : int
    dialect : Dialect
    complete : int
        Bytes up to the end of the last line that has one.
    """

    path: Path
    size: int
    dialect: Dialect
    complete: int
    rows: int | None = None

    @classmethod
    def of(cls, path: Path) -> TextRowFile:
        """A file, by its first and its last bytes."""
        size = path.stat().st_size
        start, end = _bytes(path, 0, _GLANCE), _bytes(path, max(size - _BLOCK, 0), _BLOCK)
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise ScoresError(
                f"{called(path.name)} is UTF-16 text, which is only read as a whole; save it as "
                "'CSV UTF-8', or as parquet"
            )
        dialect = dialect_of(start.removeprefix(codecs.BOM_UTF8), path.name)
        if b"\n" not in end:
            if size > _BLOCK:
                raise _long_line(path)
            return cls(path, size, dialect, 0)
        return cls(path, size, dialect, size - len(end) + end.rindex(b"\n") + 1)

    def sample(self) -> DataTable:
        """Rows from the beginning, the middle and the end."""
        head = _bytes(self.path, 0, min(_GLANCE, self.complete or self.size))
        if len(head) >= self.complete:
            return self._table(head)
        head = _lines(head, first=True)
        more = head
        for place in (self.complete // 2, self.complete - _GLANCE):
            if place > len(more):
                more += _lines(_bytes(self.path, place, _GLANCE), first=False)
        table = self._table(head)
        with suppress(ScoresError):  # what is wrong there is found again, with its row
            several = self._table(more)
            if _kinds(several) == _kinds(table):
                return several
        return table

    def _table(self, text: bytes) -> DataTable:
        return parse(text, kind_of_name(self.path.name), self.path.name, LIMITS)

    def batches(self, numbers: Sequence[str], labels: Sequence[str]) -> Batches:
        """Batches of rows in order; see `RowFile.batches`."""
        require_columns((*numbers, *labels), self.dialect.names, self.path)
        with open(self.path, "rb") as file:
            part = _FirstBytes(file, self.complete)
            if self.complete:
                try:
                    for batch in self._parsed(part, numbers, labels, self.dialect.first_row - 1):
                        yield batch, part.position / self.size
                except ScoresError:
                    if not part.missing:  # otherwise it is about the line that was cut off
                        raise
            if part.missing:
                raise UnreadError(
                    f"{called(self.path.name)} was cut off while it was read: it had "
                    f"{self.size:,} bytes, now it has {self.path.stat().st_size:,}"
                )
        if self.complete < self.size:
            yield from self._last_line(numbers, labels)

    def _last_line(self, numbers: Sequence[str], labels: Sequence[str]) -> Batches:
        """A last line without an end, unless it is being written."""
        line = _bytes(self.path, self.complete, self.size - self.complete)
        if self.path.stat().st_size != self.size:
            raise UnreadError(f"the last line of {called(self.path.name)} was being written")
        if not line.strip():
            return
        skipped = 0 if self.complete else self.dialect.first_row - 1
        try:
            for batch in self._parsed(io.BytesIO(line), numbers, labels, skipped):
                yield batch, 1.0
        except ScoresError as error:
            if not self.complete:
                raise
            raise UnreadError(f"the last line is incomplete ({error})") from error

    def _parsed(
        self,
        source: BinaryIO | io.RawIOBase,
        numbers: Sequence[str],
        labels: Sequence[str],
        skipped: int,
    ) -> Iterator[pa.RecordBatch]:
        """Batches of text, without its first lines."""
        import pyarrow as pa
        from pyarrow import csv

        dialect = self.dialect
        # Of two columns of scores the shorter one ends with empty cells, which are no words.
        words = _NAN_WORDS if len(numbers) == 1 else ()
        types = dict.fromkeys(numbers, pa.float64()) | dict.fromkeys(labels, pa.string())
        try:
            yield from csv.open_csv(
                source,
                csv.ReadOptions(block_size=_BLOCK, column_names=dialect.names, skip_rows=skipped),
                csv.ParseOptions(delimiter=_delimiter(dialect), ignore_empty_lines=dialect.several),
                csv.ConvertOptions(
                    include_columns=[*numbers, *labels],
                    column_types=types,
                    null_values=["", *words],
                    strings_can_be_null=False,
                    decimal_point="," if dialect.decimal_comma else ".",
                ),
            )
        except pa.ArrowInvalid as error:
            if "straddling" in str(error):
                raise _long_line(self.path) from error
            raise ScoresError(
                f"{called(self.path.name)}: {str(error)[:300]}; correct or remove that line "
                "(write nan for a missing score)"
            ) from error

    def pieces(self, most: int) -> Sequence[RowFile]:
        """The file, which is read as a whole."""
        return [self]


class _FirstBytes(io.RawIOBase):
    """The first bytes of a file, which may grow or be cut off meanwhile.

    Parameters
    ----------
    file : binary file
    size : int
        Number of the bytes.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self.position = 0
        self.missing = False

    def readable(self) -> bool:
        return True

    def read(self, n: int = -1) -> bytes:
        left = self._size - self.position
        wanted = left if n < 0 else min(n, left)
        data = self._file.read(wanted)
        self.position += len(data)
        self.missing |= len(data) < wanted
        return data


def _kinds(table: DataTable) -> dict[str, str]:
    return {name: cells.dtype.kind for name, cells in table.columns.items()}


def _bytes(path: Path, start: int, size: int) -> bytes:
    with open(path, "rb") as file:
        file.seek(start)
        return file.read(size)


def _lines(data: bytes, first: bool) -> bytes:
    """The whole lines of a cut; the first one is whole at the beginning of a file only."""
    begins = 0 if first else data.find(b"\n") + 1
    return data[begins : data.rfind(b"\n") + 1]


def _delimiter(dialect: Dialect) -> str:
    """What stands between columns; one space where there are spaces, as numpy writes them."""
    if dialect.separator is None:
        return "\t"
    return " " if dialect.separator == r"\s+" else dialect.separator


def _long_line(path: Path) -> ScoresError:
    return ScoresError(
        f"{called(path.name)} has a line of more than {_BLOCK / MB:g} MB; scores stand one below "
        "the other: check that it is what its name says"
    )
