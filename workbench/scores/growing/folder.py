"""Rows of a folder to which files are added."""

from __future__ import annotations

import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.scores.growing.batches import Batch, GrowingRows
from workbench.scores.growing.columnar import columns_of
from workbench.scores.growing.lines import CsvLines, JsonLines, whole_lines
from workbench.scores.refusals import check_parser, quoted
from workbench.scores.sample import ScoresError

if TYPE_CHECKING:
    import pyarrow as pa

#: Seconds for which a part has not changed when it is taken to be complete, and after which one
#: that cannot be read is left out.
SETTLED, PATIENCE = 2.0, 60.0

#: What names of unfinished files begin or end with.
_HIDDEN, _UNFINISHED = (".", "_"), (".tmp", ".part", ".partial", ".crdownload", "~")


def _csv(path: Path) -> Batch:
    return whole_lines(path.read_bytes(), CsvLines(path.name, 1), f"line of {quoted(path.name)}")


def _json(path: Path) -> Batch:
    return whole_lines(path.read_bytes(), JsonLines(), f"line of {quoted(path.name)}")


def _parquet(path: Path) -> Batch:
    from pyarrow import parquet

    return _of_table(parquet.read_table(path, use_threads=False), path)


def _arrow(path: Path) -> Batch:
    from pyarrow import ipc

    with open(path, "rb") as file:
        closed = file.read(6) == b"ARROW1"
        file.seek(0)
        reader = ipc.open_file(file) if closed else ipc.open_stream(file)
        return _of_table(reader.read_all(), path)


def _of_table(table: pa.Table, path: Path) -> Batch:
    columns = columns_of(table.combine_chunks())
    where = f"row of {quoted(path.name)}"
    return Batch(columns, np.arange(1, table.num_rows + 1), where=where)


#: Extensions of parts that pyarrow reads.
_OF_PYARROW = (".parquet", ".arrow", ".arrows", ".feather")

#: How parts are read, by their extensions.
PARTS: dict[str, Callable[[Path], Batch]] = {
    ".csv": _csv, ".tsv": _csv, ".txt": _csv, ".jsonl": _json, ".ndjson": _json,
    ".parquet": _parquet, ".arrow": _arrow, ".arrows": _arrow, ".feather": _arrow,
}  # fmt: skip


class FolderRows(GrowingRows):
    """Rows of the files of a folder, in the order in which they were written.

    Parts are ordered by the time of their last change, and by name where it is the same. A part
    counts once it has not changed for two seconds. Earlier parts are waited for.
    """

    what = "folder"

    def __init__(self, path: Path):
        super().__init__(path)
        self._used: dict[str, tuple[int, int]] = {}
        self._last = (0, "")
        self._seen: dict[str, tuple[tuple[int, int], float]] = {}
        self._doubted: set[str] = set()

    def read(self) -> Batch | None:
        """See `GrowingRows`."""
        self.waits = ""
        for when, name, size in self._parts():
            known = self._used.get(name)
            if known is not None:
                self._compare(name, known, (size, when))
                continue
            now, before = time.monotonic(), self._seen.get(name)
            if before is None or before[0] != (size, when):
                self._seen[name] = before = ((size, when), now)
            if time.time() - when / 1e9 < SETTLED and now - before[1] < SETTLED:
                self.waits = f"{quoted(name)} is still being written"
                return None
            batch = self._part(name, when, now - before[1])
            if batch is None and self.waits:
                return None
            self._used[name] = (size, when)
            if (when, name) < self._last:
                self._note(f"{quoted(name)} is older than a part that was used before it")
            self._last = max(self._last, (when, name))
            if batch is not None and (batch.rows or batch.bad):
                return batch
        return None

    def _parts(self) -> list[tuple[int, str, int]]:
        found = []
        with self.reachable(used=bool(self._used)):
            for path in self.path.iterdir():
                if path.name.startswith(_HIDDEN) or path.name.lower().endswith(_UNFINISHED):
                    continue
                if path.suffix.lower() not in PARTS:
                    self._note(f"{quoted(path.name)} is left out: it is no score file")
                    continue
                try:
                    status = path.stat()
                except FileNotFoundError:  # renamed meanwhile
                    continue
                if not stat.S_ISREG(status.st_mode):
                    self._note(f"{quoted(path.name)} is left out: it is no file")
                    continue
                found.append((status.st_mtime_ns, path.name, status.st_size))
        return sorted(found)

    def _part(self, name: str, when: int, seen: float) -> Batch | None:
        path = self.path / name
        if path.suffix.lower() in _OF_PYARROW:
            check_parser(name)
        try:
            batch = PARTS[path.suffix.lower()](path)
        except (OSError, ValueError, KeyError, EOFError) as error:  # pyarrow's errors among them
            if time.time() - when / 1e9 < PATIENCE and seen < PATIENCE:
                self.waits = f"{quoted(name)} cannot be read yet: cut off, or still being written"
                return None
            why = str(error) if isinstance(error, ScoresError) else "it is cut off or damaged"
            self._note(f"{quoted(name)} is left out: {why}")
            return None
        missing = [column for column in self.needed or () if column not in batch.columns]
        if missing and batch.rows:
            self._note(f"{quoted(name)} is left out: it has no column {quoted(missing[0])}")
            return None
        return batch

    def _compare(self, name: str, before: tuple[int, int], now: tuple[int, int]) -> None:
        if before != now:
            self._used[name] = now
            self._note(f"{quoted(name)} changed after it was used; what was read of it stays")

    def _note(self, words: str) -> None:
        if words not in self._doubted:
            self._doubted.add(words)
            self.notes.append(words)
