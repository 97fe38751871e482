"""`Parts`: the files of a path that are counted together, a file or the parts in a folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from workbench.scores.counting.binary_rows import ArrowRowFile, ParquetRowFile
from workbench.scores.counting.large import countable
from workbench.scores.counting.row_sources import RowFile
from workbench.scores.counting.text_rows import TextRowFile
from workbench.scores.parsing.source import file_size
from workbench.scores.refusals import called, check_parser, listed
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

#: How the files that can be counted are opened, by extension.
OPENERS: dict[str, Callable[[Path], RowFile]] = {
    ".parquet": ParquetRowFile.of,
    ".feather": ArrowRowFile.of,
    ".arrow": ArrowRowFile.of,
    ".csv": TextRowFile.of,
    ".tsv": TextRowFile.of,
    ".txt": TextRowFile.of,
}

#: Parts of a folder of which rows are looked at for the layout and the grid.
_SAMPLED_PARTS = 5


@dataclass(frozen=True)
class Parts:
    """The files of a path, in order.

    Parameters
    ----------
    sources : tuple of RowFile
    notes : tuple of str
        Files that are left out, and gaps in their numbers.
    """

    sources: tuple[RowFile, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: Path) -> Parts:
        """A file, or the parts in a folder and its folders."""
        check_parser(path.name)
        if not path.is_dir():
            return cls((_source_of(path),))
        files = countable(path)
        kinds = sorted({_family(file) for file in files})
        if len(kinds) > 1:
            raise ScoresError(
                f"the folder '{path}' holds files of several kinds, {listed(kinds)}; keep the "
                "parts of one data set in a folder of their own"
            )
        sources, notes = [], list(_gaps(files))
        for file in files:
            try:
                sources.append(_source_of(file))
            except ScoresError as error:
                notes.append(f"{called(file.name)} was not used: {error}")
        if not sources:
            reasons = f": {'; '.join(notes)}" if notes else ""
            raise ScoresError(
                f"the folder '{path}' holds no part that can be read, of the kinds "
                f"{', '.join(OPENERS)}{reasons}"
            )
        return cls(tuple(sources), tuple(notes))

    def sample(self) -> DataTable:
        """Rows from several parts, of those that have the columns of the first."""
        last = len(self.sources) - 1
        places = sorted({last * i // (_SAMPLED_PARTS - 1) for i in range(_SAMPLED_PARTS)})
        tables: list[DataTable] = []
        refused: list[ScoresError] = []
        for i in places:
            try:
                tables.append(self.sources[i].sample())
            except ScoresError as error:
                refused.append(error)
        if not tables:
            raise refused[0]
        return _joined(tables)


def _source_of(path: Path) -> RowFile:
    opener = OPENERS.get(path.suffix.lower())
    if opener is None:
        raise ScoresError(
            f"'{path.name}' cannot be read in parts, as files that are larger than memory are; "
            f"save it as one of {', '.join(OPENERS)}"
        )
    try:
        if file_size(path) == 0:
            raise ScoresError(
                f"{called(path.name)} is empty (0 bytes); check that it was written and closed"
            )
        return opener(path)
    except OSError as error:
        raise ScoresError(f"'{path}' cannot be read: {error.strerror or error}") from error


def _family(file: Path) -> str:
    kind = file.suffix.lower()
    return {".feather": ".arrow", ".tsv": ".csv", ".txt": ".csv"}.get(kind, kind)


def _gaps(files: Sequence[Path]) -> list[str]:
    """Notes on the numbers that are missing among numbered parts."""
    found: dict[tuple[Path, str, str], list[int]] = {}
    for file in files:
        of_many = re.fullmatch(r"(.*?)(\d+)-of-(\d+)(.*)", file.name)
        numbered = re.fullmatch(r"(part[-_.]?)(\d+)(.*)", file.name)
        if of_many:
            key = (file.parent, of_many[1], of_many[3])
            found.setdefault(key, []).append(int(of_many[2]))
        elif numbered:
            found.setdefault((file.parent, numbered[1], ""), []).append(int(numbered[2]))
    notes = []
    for (_, stem, many), numbers in found.items():
        least, most = (0, int(many) - 1) if many else (min(numbers), max(numbers))
        if many and min(numbers) == 1 and max(numbers) == int(many):
            least, most = 1, int(many)
        if most - least < 10**6 and (missing := set(range(least, most + 1)) - set(numbers)):
            notes.append(f"parts of '{stem}…' are missing: {listed(sorted(missing))}")
    return notes


def _joined(tables: Sequence[DataTable]) -> DataTable:
    """Rows of several tables, of those with the columns of the first."""
    first = tables[0]
    kinds = {name: cells.dtype.kind for name, cells in first.columns.items()}
    alike = [t for t in tables if {n: c.dtype.kind for n, c in t.columns.items()} == kinds]
    columns = {n: np.concatenate([t.columns[n] for t in alike]) for n in first.columns}
    rows = sum(t.rows or 0 for t in alike)
    return replace(first, columns=columns, rows=rows, filled=dict.fromkeys(columns, rows))
