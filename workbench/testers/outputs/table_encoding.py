"""`fit_encoding`: what turns outputs into the arrays that testers take.

Plain arrays of numbers or strings stay as they are. Of an `OutputTable` the paths, the texts and
the names that occur in the *fitting part* of both sides become columns; so the encoding of fresh
outputs is a fixed function of them, post-processing, and no guarantee depends on it. A path or a
word that the fitting part does not show is "other".

- Outputs without numbers are arrays of strings: a column for each path, "absent" where there is
  nothing.
- Outputs with numbers are arrays of floats: for each path a column that is 1 where it appears, if
  it does not always; its number, NaN where it has none; and a number for each of its words, in the
  order of their log-ratio on the fitting part.
- Columns that never vary on the fitting part are left out. Paths that occur in a single run of it
  are counted together; so are those of the least evidence beyond `MOST_COLUMNS` of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.testers.outputs.table import LENGTH, NAME, NUMBER, TEXT, OutputTable

#: Paths at most that have columns of their own.
MOST_COLUMNS = 100

#: Different words of a path at most that are told apart, the most frequent ones.
MOST_WORDS = 1_000

#: What stands in a column of words where there is none, or none that is known.
ABSENT, OTHER = "absent", "other value"

#: A word: its kind (`TEXT` or `NAME`) and itself.
Word = tuple[int, str]


@dataclass(frozen=True, eq=False)
class PlainEncoding:
    """The encoding of plain arrays: none.

    Attributes
    ----------
    columns : int
        0 for outputs that are one number or string.
    text : bool
        Whether they are strings.
    """

    columns: int
    text: bool

    def __call__(self, outputs: OutputTable | NDArray[Any]) -> NDArray[Any]:
        """The outputs; of a table what it has in these columns, and NaN or "absent" elsewhere."""
        if not isinstance(outputs, OutputTable):
            return outputs
        cells = _Cells.of(outputs)
        parts = [self._column(path, cells) for path in self.names]
        return np.column_stack(parts) if self.columns else parts[0]

    def _column(self, path: str, cells: _Cells) -> NDArray[Any]:
        row, kind, value = cells.at(path)
        if self.text:
            known = np.array([*cells.words, ABSENT])
            code = np.full(cells.runs, len(cells.words))
            code[row[kind == TEXT]] = value[kind == TEXT].astype(np.int64)
            return known[code]
        truth = {"True": 1.0, "False": 0.0}
        meant = np.array([*(truth.get(word, np.nan) for word in cells.words), np.nan])
        numbers = np.full(cells.runs, np.nan)
        said = kind != NUMBER
        numbers[row[said]] = meant[value[said].astype(np.int64)]
        numbers[row[~said]] = value[~said]
        return numbers

    @property
    def names(self) -> tuple[str, ...]:
        """The path of each column."""
        return tuple(f"[{j}]" for j in range(self.columns)) or ("",)

    def word(self, column: int, value: Any) -> str | None:
        """What a value of a column stands for; None for itself."""
        return None


@dataclass(frozen=True)
class Column:
    """One column of encoded outputs.

    Attributes
    ----------
    path : str
    holds : {"appears", "number", "word", "other keys"}
    words : tuple of (int, str)
        Known words of the path, in the order of their numbers, which begin at 1.
    """

    path: str
    holds: str
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, eq=False)
class TableEncoding:
    """The encoding of tables, fitted on some.

    Attributes
    ----------
    columns : tuple of Column
    text : bool
        Whether encoded outputs are strings.
    paths : tuple of str
        Those with columns of their own; all others are other keys.
    """

    columns: tuple[Column, ...]
    text: bool
    paths: tuple[str, ...]

    def __call__(self, outputs: OutputTable | NDArray[Any]) -> NDArray[Any]:
        """Outputs as an array of floats or strings, shape (n,) or (n, columns)."""
        cells = _Cells.of(as_table(outputs))
        if not self.columns:
            return np.zeros(cells.runs)
        parts = [self._encoded(column, cells) for column in self.columns]
        return parts[0] if len(parts) == 1 else np.column_stack(parts)

    def _encoded(self, column: Column, cells: _Cells) -> NDArray[Any]:
        if column.holds == "other keys":
            return cells.count_of_others(self.paths)
        row, kind, value = cells.at(column.path)
        if column.holds == "appears":
            there = np.zeros(cells.runs)
            there[row] = 1
            return there
        if column.holds == "number":
            numbers = np.full(cells.runs, np.nan)
            numbers[row[kind == NUMBER]] = value[kind == NUMBER]
            return numbers
        said = kind != NUMBER
        code = np.zeros(cells.runs, np.int64)
        code[row[said]] = self._numbers(column, cells.words, kind[said], value[said])
        if not self.text:
            return code.astype(float)
        known = [ABSENT, *(_shown(word, column.words) for word in column.words), OTHER]
        return np.array(known)[code]

    @staticmethod
    def _numbers(
        column: Column, words: Sequence[str], kind: NDArray[Any], value: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Numbers of words: those of known ones from 1, and the next for any other."""
        number = {word: i + 1 for i, word in enumerate(column.words)}
        other = len(column.words) + 1
        table = np.full((NAME + 1, len(words)), other, np.int64)
        place = {word: i for i, word in enumerate(words)}
        for (of, word), i in number.items():
            if word in place:
                table[of, place[word]] = i
        return table[kind, value.astype(np.int64)]

    @property
    def names(self) -> tuple[str, ...]:
        """The path of each column."""
        return tuple(column.path for column in self.columns) or ("",)

    def word(self, column: int, value: Any) -> str | None:
        """What a value of a column stands for; None for itself."""
        if not self.columns:
            return None
        one = self.columns[column]
        if self.text or one.holds == "other keys":
            return None
        if one.holds == "appears":
            return "appears" if value else ABSENT
        if one.holds == "number":
            return None
        code = int(value)
        if code == 0:
            return "no word"
        return OTHER if code > len(one.words) else _shown(one.words[code - 1], one.words)


Encoding = PlainEncoding | TableEncoding


def fit_encoding(p: OutputTable | NDArray[Any], q: OutputTable | NDArray[Any]) -> Encoding:
    """The encoding of outputs, fitted on some that are not measured.

    Parameters
    ----------
    p, q : array or OutputTable
        The fitting part of each side.
    """
    if isinstance(p, np.ndarray) and isinstance(q, np.ndarray):
        return PlainEncoding(p.shape[1] if p.ndim == 2 else 0, p.dtype.kind in "US")
    tables = as_table(p), as_table(q)
    n_p = len(tables[0])
    cells = _Cells.of(OutputTable.joined(tables))
    known = [path for path in cells.paths if cells.at(path)[0].size > 1 or cells.runs <= 2]
    text = not any((cells.at(path)[1] == NUMBER).any() for path in known if not is_length(path))
    if text:  # lengths follow from what is absent
        known = [path for path in known if not is_length(path)] or known
        text = not any((cells.at(path)[1] == NUMBER).any() for path in known)
    columns = {path: _columns_of(path, cells, n_p, text) for path in known}
    varying = [path for path in known if columns[path]]
    if len(varying) > MOST_COLUMNS:
        evidence = np.array([_evidence(path, cells, n_p) for path in varying])
        kept = np.sort(np.argsort(-evidence, kind="stable")[:MOST_COLUMNS])
        varying = [varying[i] for i in kept]
    constant = [path for path in known if not columns[path]]
    paths = (*varying, *constant, *(path for path in cells.paths if is_length(path)))
    found = [column for path in varying for column in columns[path]]
    others = cells.count_of_others(paths)
    if not text and others.size and others.min() < others.max():
        found.append(Column("other keys", "other keys"))
    return TableEncoding(tuple(found), text and bool(found), paths)


def as_table(outputs: OutputTable | NDArray[Any]) -> OutputTable:
    """Outputs as a table, plain arrays included."""
    return outputs if isinstance(outputs, OutputTable) else OutputTable.of_array(outputs)


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of a table in the order of their paths."""

    runs: int
    paths: tuple[str, ...]
    words: tuple[str, ...]
    row: NDArray[np.int64]
    kind: NDArray[np.uint8]
    value: NDArray[np.float64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, table: OutputTable) -> _Cells:
        order = np.argsort(table.path, kind="stable")
        sizes = np.bincount(table.path, minlength=len(table.paths))
        return cls(
            len(table),
            table.paths,
            table.words,
            table.row[order],
            table.kind[order],
            table.value[order],
            np.concatenate([[0], np.cumsum(sizes)]),
        )

    @cached_property
    def _place(self) -> dict[str, int]:
        return {path: i for i, path in enumerate(self.paths)}

    def at(self, path: str) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.float64]]:
        """Rows, kinds and values of the cells at a path."""
        i = self._place.get(path)
        part = slice(0, 0) if i is None else slice(self.ends[i], self.ends[i + 1])
        return self.row[part], self.kind[part], self.value[part]

    def count_of_others(self, paths: Sequence[str]) -> NDArray[np.float64]:
        """Number of cells of each run at other paths than these."""
        own = set(paths)
        other = [self.at(path)[0] for path in self.paths if path not in own]
        rows = np.concatenate([np.empty(0, np.int64), *other])
        return np.bincount(rows, minlength=self.runs).astype(float)


def is_length(path: str) -> bool:
    """Whether a path is that of the length of a collection."""
    return path == LENGTH or path.endswith(f".{LENGTH}")


def _columns_of(path: str, cells: _Cells, n_p: int, text: bool) -> list[Column]:
    """The columns of a path that vary on the fitting part."""
    row, kind, value = cells.at(path)
    everywhere = row.size == cells.runs
    number, said = kind == NUMBER, kind != NUMBER
    words = _words(cells, row[said], kind[said], value[said], n_p)
    if text:
        column = Column(path, "word", words)
        return [] if everywhere and len(words) == 1 else [column]
    found = []
    if not everywhere:
        found.append(Column(path, "appears"))
    numbers = value[number]
    if numbers.size and (said.any() or _vary(numbers)):
        found.append(Column(path, "number"))
    if len(words) > 1 or (words and number.any()):
        found.append(Column(path, "word", words))
    return found


def _vary(numbers: NDArray[np.float64]) -> bool:
    odd = np.isnan(numbers)
    return bool(odd.any() != odd.all() or (not odd.all() and numbers.min() < numbers.max()))


def _words(
    cells: _Cells, row: NDArray[Any], kind: NDArray[Any], value: NDArray[Any], n_p: int
) -> tuple[Word, ...]:
    """The most frequent words of a path, by their log-ratio."""
    if not row.size:
        return ()
    code = kind.astype(np.int64) * len(cells.words) + value.astype(np.int64)
    known, which, counts = np.unique(code, return_inverse=True, return_counts=True)
    in_p = np.bincount(which[row < n_p], minlength=known.size)
    ratio = np.log((in_p + 0.5) / (counts - in_p + 0.5))
    kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_WORDS])
    kept = kept[np.argsort(ratio[kept], kind="stable")]
    return tuple(
        (int(known[i]) // len(cells.words), cells.words[int(known[i]) % len(cells.words)])
        for i in kept
    )


def _evidence(path: str, cells: _Cells, n_p: int) -> float:
    """How far both sides differ at a path, in standard errors: by appearance, words and numbers."""
    row, kind, value = cells.at(path)
    n_q = cells.runs - n_p
    of_p = row < n_p
    parts = [np.array([[of_p.sum(), (~of_p).sum()]])]
    said = kind != NUMBER
    if said.any():
        words, which = np.unique(value[said], return_inverse=True)
        parts.append(np.stack([
            np.bincount(which[of_p[said] == side], minlength=words.size) for side in (True, False)
        ], axis=1))  # fmt: skip
    numbers = value[~said]
    if numbers.size:
        order = np.argsort(numbers, kind="stable")
        below = np.cumsum(of_p[~said][order])
        parts.append(np.stack([below, np.arange(1, below.size + 1) - below], axis=1))
    counts = np.concatenate(parts)
    share = counts / np.array([max(n_p, 1), max(n_q, 1)])
    pooled = counts.sum(axis=1) / cells.runs
    spread = np.sqrt(np.maximum(pooled * (1 - pooled), 1 / cells.runs) * (1 / n_p + 1 / n_q))
    return float(np.max(np.abs(share[:, 0] - share[:, 1]) / spread))


def _shown(word: Word, words: Sequence[Word]) -> str:
    """A word as users know it: in quotes where a text reads as a name does, or as no word."""
    kind, text = word
    alike = (NAME if kind == TEXT else TEXT, text) in words
    return repr(text) if kind == TEXT and (alike or text in (ABSENT, OTHER)) else text
