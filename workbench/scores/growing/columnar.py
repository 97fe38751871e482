"""Rows of parquet files that are written anew with more rows, and of Arrow streams that grow."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.scores.growing.batches import Batch, GrowingRows, SourceChanged
from workbench.scores.growing.lines import AppendedFile, require_file
from workbench.scores.ordered import Cells
from workbench.scores.sample import ScoresError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

#: First bytes of an Arrow file, which is complete once it is closed.
_CLOSED = b"ARROW1"


def columns_of(table: pa.Table) -> dict[str, Cells]:
    """The columns of an Arrow table or record batch, as of `Batch`."""
    return {
        name: _cells(column) for name, column in zip(table.schema.names, table.columns, strict=True)
    }


def _cells(column: pa.ChunkedArray) -> Cells:
    import pyarrow as pa

    kind = column.type
    plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    if plain and not column.null_count:
        return np.asarray(
            column.to_numpy(zero_copy_only=False) if _one(column) else column.to_numpy()
        )
    found = np.empty(len(column), dtype=object)
    found[:] = column.to_pylist()
    return found


def _one(column: pa.ChunkedArray) -> bool:
    import pyarrow as pa

    return isinstance(column, pa.Array)


def _batch(columns: dict[str, Cells], first: int) -> Batch:
    rows = len(next(iter(columns.values()), ()))
    return Batch(columns, np.arange(first + 1, first + 1 + rows))


@dataclass(frozen=True)
class _Group:
    """A run of rows that was used: its statistics in the file, and digests of its columns."""

    described: tuple[Any, ...]
    rows: int
    digests: dict[str, bytes]


class RewrittenParquet(GrowingRows):
    """Rows of a parquet file that is written anew with more rows.

    Nothing can be appended to a parquet file. Its new rows count if the earlier ones are the same:
    row groups by their sizes and statistics in the file, and all others by their values.
    """

    def __init__(self, path: Path):
        super().__init__(path)
        self._used, self._groups = 0, list[_Group]()
        self._last_status: tuple[int, ...] = ()

    def read(self) -> Batch | None:
        """See `GrowingRows`."""
        from pyarrow import parquet

        status = None
        with self.reachable(used=bool(self._used)):
            status = self.path.stat()
        if status is None:
            self._last_status = ()
            return None
        now = (status.st_ino, status.st_size, status.st_mtime_ns)
        if now == self._last_status:
            return None
        require_file(status)
        try:
            with parquet.ParquetFile(self.path) as file:
                found = self._new(file)
        except SourceChanged:
            raise
        except (OSError, ValueError, KeyError, EOFError) as error:  # pyarrow's errors among them
            if isinstance(error, ScoresError):
                raise
            self.waits = "the file is cut off, or still being written"
            return None
        self._last_status, self.waits = now, ""
        return found

    def _new(self, file: parquet.ParquetFile) -> Batch | None:
        about = file.metadata
        if about.num_rows < self._used:
            raise SourceChanged(
                f"the file has fewer rows, {about.num_rows:,} where {self._used:,} were used: it "
                "was cut off or begun anew"
            )
        described = [
            _described(about.row_group(i), self.needed) for i in range(about.num_row_groups)
        ]
        names = list(self.needed or file.schema_arrow.names)
        same = 0
        for mine, theirs in zip(self._groups, described, strict=False):
            if mine.described != theirs:
                break
            same += 1
        start = sum(group.rows for group in self._groups[:same])
        rest = list(range(same, about.num_row_groups))
        if not rest:
            return None
        columns = columns_of(file.read_row_groups(rest, columns=names, use_threads=False))
        at = 0
        for group in self._groups[same:]:
            digests = _digests(columns, at, at + group.rows)
            if any(group.digests.get(name) != digests[name] for name in names):
                raise SourceChanged("rows of the file that were used have changed")
            at += group.rows
        self._groups[same:] = self._grouped(columns, about, described, same)
        new = {name: cells[at:] for name, cells in columns.items()}
        batch = _batch(new, start + at)
        self._used = int(about.num_rows)
        return batch if batch.rows else None

    def _grouped(
        self,
        columns: dict[str, Cells],
        about: parquet.FileMetaData,
        described: list[Any],
        same: int,
    ) -> Iterable[_Group]:
        at, found = 0, []
        for i in range(same, about.num_row_groups):
            rows = about.row_group(i).num_rows
            found.append(_Group(described[i], rows, _digests(columns, at, at + rows)))
            at += rows
        return found


def _described(group: parquet.RowGroupMetaData, needed: tuple[str, ...] | None) -> tuple[Any, ...]:
    """What a file says of a row group: rows, and the sizes and statistics of its columns."""
    found: list[Any] = [group.num_rows, needed]
    for i in range(group.num_columns):
        column = group.column(i)
        statistics = column.statistics
        ends = () if statistics is None or not statistics.has_min_max else (
            repr(statistics.min), repr(statistics.max), statistics.null_count
        )  # fmt: skip
        found.append((column.path_in_schema, column.total_compressed_size, ends))
    return tuple(found)


def _digests(columns: dict[str, Cells], start: int, stop: int) -> dict[str, bytes]:
    return {name: _digest(cells[start:stop]) for name, cells in columns.items()}


def _digest(cells: Cells) -> bytes:
    content = repr(cells.tolist()).encode() if cells.dtype == object else cells.tobytes()
    return hashlib.sha256(content).digest()


class ArrowStream(AppendedFile):
    """Rows of an Arrow stream (IPC) to which record batches are appended."""

    def __init__(self, path: Path):
        super().__init__(path)
        self._schema, self._rows, self._ended = None, 0, False

    def read(self) -> Batch | None:
        """See `GrowingRows`."""
        if self._ended:
            return None
        piece = self.more(2**28)
        if piece is None:
            return None
        if not self.offset and piece.startswith(_CLOSED):
            raise ScoresError(
                "an Arrow file is complete once it is closed; write the stream format "
                "(pyarrow.ipc.new_stream), or a folder of files"
            )
        batches, used = self._messages(piece)
        self.use(piece[:used])
        if used < len(piece) and not self._ended:
            self.waits = "the last record batch is not complete"
        if not batches:
            return None
        import pyarrow as pa

        columns = columns_of(pa.Table.from_batches(batches).combine_chunks())
        found = _batch(columns, self._rows)
        self._rows += found.rows
        return found

    def _messages(self, piece: bytes) -> tuple[list[pa.RecordBatch], int]:
        """The complete record batches at the beginning of a piece, and the bytes that they take."""
        import pyarrow as pa
        from pyarrow import ipc

        batches: list[pa.RecordBatch] = []
        reader, used = pa.BufferReader(piece), 0
        while used < len(piece):
            try:
                message = ipc.read_message(reader)
            except EOFError:
                self._ended = reader.tell() > used
                if self._ended:
                    self.notes.append("the writer has closed the stream")
                    used = reader.tell()
                break
            except (OSError, pa.ArrowInvalid):
                break  # not complete
            if message.type == "schema":
                self._schema = ipc.read_schema(message)
            elif message.type == "record batch" and self._schema is not None:
                batches.append(ipc.read_record_batch(message, self._schema))
            else:
                raise ScoresError(
                    f"the stream holds a {message.type}; write its columns as plain numbers and "
                    "text, not as categories"
                )
            used = reader.tell()
        return batches, used
