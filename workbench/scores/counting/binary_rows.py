"""Batches of rows from parquet files, and from files and streams of Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.scores.counting.row_sources import (
    BATCH,
    SAMPLED,
    RowFile,
    UnreadError,
    cut_off,
    plain_columns,
    require_columns,
)
from workbench.scores.parsing.frames import from_arrow
from workbench.scores.parsing.limits import LIMITS, MB
from workbench.scores.refusals import called, damage_refused
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

    from workbench.scores.counting.row_sources import Batches

#: Bytes of an Arrow file for one batch on average, from which it is mapped instead of read: a
#: batch is read as a whole.
_LARGE_BATCH = 64 * MB

#: The last bytes of a stream: a message without content.
_END = b"\xff\xff\xff\xff\x00\x00\x00\x00"


@dataclass(frozen=True)
class ParquetRowFile:
    """A parquet file, or some of its row groups.

    Parameters
    ----------
    path : Path
    size : int
    groups : tuple of int
        Numbers of the row groups.
    rows : int
        In these.
    """

    path: Path
    size: int
    groups: tuple[int, ...]
    rows: int

    @classmethod
    def of(cls, path: Path) -> ParquetRowFile:
        """A file with all of its row groups."""
        with damage_refused(path.name, ".parquet"):
            about = _parquet(path).metadata
        return cls(path, path.stat().st_size, tuple(range(about.num_row_groups)), about.num_rows)

    def sample(self) -> DataTable:
        """Some rows of the first, the middle and the last row group."""
        with damage_refused(self.path.name, ".parquet"):
            file = _parquet(self.path)
            columns = plain_columns(file.schema_arrow)
            found = []
            last = len(self.groups) - 1
            for i in sorted({0, last // 2, last} if self.groups else ()):
                rows = file.iter_batches(SAMPLED, row_groups=[self.groups[i]], columns=columns)
                found += [batch for batch in [next(rows, None)] if batch is not None]
            return _table_of(found, self.path, "parquet")

    def batches(self, numbers: Sequence[str], labels: Sequence[str]) -> Batches:
        """Batches of rows in order; see `RowFile.batches`."""
        with cut_off(self.path):
            file = _parquet(self.path)
        columns = [*numbers, *labels]
        require_columns(columns, file.schema_arrow.names, self.path)
        done = 0
        with cut_off(self.path):
            for batch in file.iter_batches(BATCH, row_groups=self.groups, columns=columns):
                done += batch.num_rows
                yield batch, done / self.rows
        if done < self.rows:  # a reader takes the end of the file for that of a column
            raise UnreadError(
                f"{called(self.path.name)} was cut off: of {self.rows:,} rows {done:,} are left"
            )

    def pieces(self, most: int) -> Sequence[RowFile]:
        """Runs of row groups."""
        about = _parquet(self.path).metadata
        n = max(1, min(most, len(self.groups)))
        cuts = [len(self.groups) * i // n for i in range(n + 1)]
        runs = [self.groups[a:b] for a, b in pairwise(cuts)]
        return [
            ParquetRowFile(self.path, self.size, run, sum(about.row_group(i).num_rows for i in run))
            for run in runs
        ]


def _parquet(path: Path) -> parquet.ParquetFile:
    from pyarrow import parquet

    # Not mapped: the process would end if another one cut the file off. Not read ahead: a row
    # group may be as large as the file.
    return parquet.ParquetFile(path, pre_buffer=False, buffer_size=MB)


@dataclass(frozen=True)
class ArrowRowFile:
    """A file or a stream of Arrow batches; feather files are such files.

    A file without its end, which lists the batches, is read as a stream.

    Parameters
    ----------
    path : Path
    size : int
    listed : bool
        Whether the batches are listed at the end.
    begins : int
        Byte at which the stream begins.
    """

    path: Path
    size: int
    listed: bool
    begins: int
    rows: int | None = None

    @classmethod
    def of(cls, path: Path) -> ArrowRowFile:
        """A file as its first and last bytes say."""
        size = path.stat().st_size
        with open(path, "rb") as file:
            start = file.read(6)
            file.seek(max(size - 6, 0))
            end = file.read(6)
        if start.startswith(b"FEA1"):
            raise ScoresError(
                f"{called(path.name)} is in the first version of feather, which can only be read "
                "as a whole; write it again with a current pyarrow, or as parquet"
            )
        whole = start == b"ARROW1"
        return cls(path, size, whole and end == start and size > 12, 8 if whole else 0)

    def sample(self) -> DataTable:
        """Some rows of the first batches, and of the middle and the last one where listed."""
        import pyarrow as pa

        with damage_refused(self.path.name, ".arrow"):
            if self.listed:
                file = pa.ipc.open_file(self._source(1))
                last = file.num_record_batches - 1
                wanted = sorted({0, last // 2, last} if last >= 0 else ())
                found = [file.get_batch(i).slice(0, SAMPLED) for i in wanted]
            else:
                found = []
                with suppress(pa.ArrowInvalid, OSError):  # cut off: there may be batches before
                    for batch in self._stream(None):
                        found.append(batch.slice(0, SAMPLED))
                        if sum(part.num_rows for part in found) >= SAMPLED:
                            break
            plain = [batch.select(plain_columns(batch.schema)) for batch in found]
            return _table_of(plain, self.path, "arrow")

    def batches(self, numbers: Sequence[str], labels: Sequence[str]) -> Batches:
        """Batches of rows in order; see `RowFile.batches`."""
        columns = [*numbers, *labels]
        with cut_off(self.path):
            for batch, share in self._listed(columns) if self.listed else self._streamed(columns):
                batch.validate(full=True)
                batch = batch.select(columns)  # they come in the order of the file
                for start in range(0, batch.num_rows, BATCH):
                    yield batch.slice(start, BATCH), share
        if not self.listed and not self._ends():
            # A reader takes what is cut off between two batches for a whole.
            raise UnreadError(
                f"{called(self.path.name)} is cut off: the mark of its end is missing"
            )

    def _ends(self) -> bool:
        """Whether the stream ends with its mark, not the list of batches of a file."""
        with open(self.path, "rb") as file:
            file.seek(max(self.size - len(_END), 0))
            return file.read(len(_END)) == _END

    def _listed(self, columns: Sequence[str]) -> Batches:
        import pyarrow as pa

        file = pa.ipc.open_file(self._source(1))
        options = _only(columns, file.schema, self.path)
        n = file.num_record_batches
        file = pa.ipc.open_file(self._source(n), options=options)
        for i in range(n):
            yield file.get_batch(i), (i + 1) / n

    def _streamed(self, columns: Sequence[str]) -> Batches:
        source = self._source(0)
        for batch in self._stream(columns, source):
            yield batch, source.tell() / max(self.size, 1)

    def _stream(
        self, columns: Sequence[str] | None, source: pa.NativeFile | None = None
    ) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        source = self._source(0) if source is None else source
        source.seek(self.begins)
        stream = pa.ipc.open_stream(source)
        if columns is not None:
            options = _only(columns, stream.schema, self.path)
            source.seek(self.begins)
            stream = pa.ipc.open_stream(source, options=options)
        yield from stream

    def _source(self, batches: int) -> pa.NativeFile:
        """The file; mapped where its batches are so large that memory would not hold one."""
        import pyarrow as pa

        large = batches > 0 and self.size / batches > _LARGE_BATCH
        return pa.memory_map(str(self.path)) if large else pa.OSFile(str(self.path))

    def pieces(self, most: int) -> Sequence[RowFile]:
        """The file, which is read as a whole."""
        return [self]


def _only(columns: Sequence[str], schema: pa.Schema, path: Path) -> pa.ipc.IpcReadOptions:
    """Options to read some columns."""
    import pyarrow as pa

    require_columns(columns, schema.names, path)
    return pa.ipc.IpcReadOptions(
        included_fields=[schema.get_field_index(name) for name in columns], use_threads=False
    )


def _table_of(batches: list[pa.RecordBatch], path: Path, kind: str) -> DataTable:
    import pyarrow as pa

    batches = [batch for batch in batches if batch.num_rows]
    if not batches:
        raise ScoresError(f"{called(path.name)} has no rows")
    return from_arrow(pa.Table.from_batches(batches), path.name, kind, LIMITS)
