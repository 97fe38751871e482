"""`OutputTable`: outputs of any shape as cells, each at a path and a number or a text.

It is what crosses the border of a process, is hashed and compared. Nothing is fitted here; what the
testers see is made by `workbench.testers.outputs.table_encoding`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Kinds of cells: a number; a text; a name (of an Enum, a truth value, None or another object).
NUMBER, TEXT, NAME = 0, 1, 2

#: Different paths at most, and characters of a path or a text.
MOST_PATHS, MOST_CHARACTERS = 2_000, 1_000

#: Path of the length of a list, a dictionary or another collection.
LENGTH = "len"


class OutputsError(ValueError):
    """Outputs that cannot be tested; the message says what to return instead."""


@dataclass(frozen=True, eq=False)
class OutputTable:
    """Outputs of any shape, one row for each run.

    Attributes
    ----------
    starts : ndarray of int64, shape (runs + 1,)
        The cells of run i are those from ``starts[i]`` to ``starts[i + 1]``.
    path : ndarray of int32, shape (cells,)
        Index into ``paths``, at most once in each run. Where a path has no cell it is absent.
    kind : ndarray of uint8, shape (cells,)
        `NUMBER`, `TEXT` or `NAME`.
    value : ndarray of float64, shape (cells,)
        The number, or an index into ``words``.
    paths : tuple of str
        Such as ``['group A']``, ``.count``, ``[2]``; "" is the output itself.
    words : tuple of str
        Texts and names.
    """

    starts: NDArray[np.int64]
    path: NDArray[np.int32]
    kind: NDArray[np.uint8]
    value: NDArray[np.float64]
    paths: tuple[str, ...]
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, rows: slice | NDArray[Any]) -> OutputTable:
        """The table of some runs, in this order."""
        rows = np.arange(len(self))[rows]
        sizes = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        shift = np.repeat(self.starts[rows] - starts[:-1], sizes)
        cells = np.arange(starts[-1]) + shift
        return OutputTable(
            starts, self.path[cells], self.kind[cells], self.value[cells], self.paths, self.words
        )

    @property
    def row(self) -> NDArray[np.int64]:
        """The run of each cell, shape (cells,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def first(self) -> NDArray[np.float64]:
        """The first number or word of each run, words numbered as they occur; NaN for no cell."""
        values = np.full(len(self), np.nan)
        there = np.diff(self.starts) > 0
        values[there] = self.value[self.starts[:-1][there]]
        return values

    @classmethod
    def joined(cls, tables: Sequence[OutputTable]) -> OutputTable:
        """All runs of several tables, in this order."""
        paths, words = (
            tuple(dict.fromkeys(each for table in tables for each in getattr(table, name)))
            for name in ("paths", "words")
        )
        moved = [table.renumbered(paths, words) for table in tables]
        ends = np.cumsum([0, *(table.path.size for table in moved)])
        starts = [table.starts[:-1] + end for table, end in zip(moved, ends, strict=False)]
        return cls(
            np.concatenate([*starts, ends[-1:]]).astype(np.int64),
            np.concatenate([table.path for table in moved]),
            np.concatenate([table.kind for table in moved]),
            np.concatenate([table.value for table in moved]),
            paths,
            words,
        )

    def renumbered(self, paths: Sequence[str], words: Sequence[str]) -> OutputTable:
        """The same cells with other lists of paths and words, which have all of these."""
        number = {each: i for i, each in enumerate(paths)}
        path = np.array([number[each] for each in self.paths], np.int32)
        number = {each: i for i, each in enumerate(words)}
        word = np.array([number[each] for each in self.words], float)
        value, said = self.value.copy(), self.kind != NUMBER
        value[said] = word[self.value[said].astype(np.int64)]
        moved = path[self.path] if path.size else self.path
        return OutputTable(self.starts, moved, self.kind, value, tuple(paths), tuple(words))

    @classmethod
    def of_array(cls, x: NDArray[Any]) -> OutputTable:
        """A table of a plain array of numbers or texts, with the cells that lists of them have."""
        columns = x.reshape(len(x), -1)
        n, d = columns.shape
        said: tuple[str, ...] = ()
        kind = NUMBER
        if x.dtype.kind in "US":
            if x.dtype.kind == "S":
                columns = np.char.decode(columns, "latin-1")
            words, code = np.unique(columns, return_inverse=True)
            columns, kind, said = code.reshape(n, d), TEXT, tuple(words.tolist())
        elif x.dtype.kind == "b":
            kind, said = NAME, ("False", "True")
        kinds = np.full((n, d), kind, np.uint8)
        paths: tuple[str, ...] = ("",)
        if x.ndim == 2:
            paths = (*(f"[{j}]" for j in range(d)), LENGTH)
            columns = np.column_stack([columns, np.full(n, d)])
            kinds = np.column_stack([kinds, np.full(n, NUMBER, np.uint8)])
        width = len(paths)
        return cls(
            np.arange(n + 1, dtype=np.int64) * width,
            np.tile(np.arange(width, dtype=np.int32), n),
            kinds.reshape(-1),
            columns.astype(float).reshape(-1),
            paths,
            said,
        )

    @cached_property
    def row_keys(self) -> NDArray[np.uint64]:
        """Hash of each run, shape (n,); equal for equal outputs, also of different tables."""
        path, word = (_hashes(each) for each in (self.paths, self.words))
        number = self.value + 0.0
        number[np.isnan(number)] = np.nan
        key = number.view(np.uint64).copy()
        said = self.kind != NUMBER
        key[said] = word[self.value[said].astype(np.int64)]
        if key.size:
            key = mixed(mixed(path[self.path] + self.kind) ^ key)
        total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(key, dtype=np.uint64)])
        return np.asarray(total[self.starts[1:]] - total[self.starts[:-1]])

    def parts(self) -> Iterable[bytes]:
        """What a hash of the table is made of."""
        for array in (self.starts, self.path, self.kind, self.value):
            yield np.ascontiguousarray(array).tobytes()
        for texts in (self.paths, self.words):
            yield repr(texts).encode("utf-8", "backslashreplace")

    # -- between processes ------------------------------------------------------------------------

    def message(self) -> dict[str, Any]:
        """The table as a part of a message (`workbench.processes.messages`)."""
        return {
            "starts": self.starts,
            "path": self.path,
            "kind": self.kind,
            "value": self.value,
            "paths": _packed(self.paths),
            "words": _packed(self.words),
        }

    @classmethod
    def received(cls, message: Mapping[str, Any]) -> OutputTable:
        """The table of a message, which may say anything.

        Raises
        ------
        ValueError
            It is no table.
        """
        starts, path, kind, value = (
            _array(message, name, of)
            for name, of in (
                ("starts", np.int64), ("path", np.int32), ("kind", np.uint8), ("value", np.float64)
            )
        )  # fmt: skip
        paths, words = _unpacked(message.get("paths")), _unpacked(message.get("words"))
        same = path.size == kind.size == value.size
        said = value[kind != NUMBER] if same else value
        fits = (
            same
            and starts.size > 0
            and starts[0] == 0
            and starts[-1] == path.size
            and bool((np.diff(starts) >= 0).all())
            and bool((kind <= NAME).all())
            and bool(((path >= 0) & (path < len(paths))).all())
            and bool(((said >= 0) & (said < len(words)) & (said == np.floor(said))).all())
            and len(set(paths)) == len(paths) <= MOST_PATHS
        )
        if not fits:
            raise ValueError("no table of outputs: its parts do not match")
        table = cls(starts, path, kind, value, paths, words)
        places = table.row * len(paths) + path
        if np.unique(places).size != places.size:
            raise ValueError("no table of outputs: a path occurs twice in a run")
        return table


def mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finalizer: every bit of the key moves half of the bits."""
    z = keys + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _hashes(texts: Sequence[str]) -> NDArray[np.uint64]:
    """A hash of each text that is the same in every process."""
    digests = (
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(b"".join(digests), np.uint64)


def _array(message: Mapping[str, Any], name: str, kind: Any) -> NDArray[Any]:
    found = message.get(name)
    if not (isinstance(found, np.ndarray) and found.dtype == kind and found.ndim == 1):
        raise ValueError(f"no table of outputs: {name} is wrong")
    return found


def _packed(texts: Sequence[str]) -> dict[str, Any]:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return {"bytes": b"".join(encoded), "sizes": np.array([len(x) for x in encoded], np.int64)}


def _unpacked(message: Any) -> tuple[str, ...]:
    try:
        data, sizes = bytes(message["bytes"]), message["sizes"]
        if sizes.dtype != np.int64 or sizes.min(initial=0) < 0 or int(sizes.sum()) != len(data):
            raise ValueError
        ends = np.cumsum(sizes)
        parts = zip(ends - sizes, ends, strict=True)
        return tuple(data[a:b].decode("utf-8", "surrogatepass") for a, b in parts)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ValueError("no table of outputs: its texts are wrong") from None
