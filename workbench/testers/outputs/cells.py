"""`table_of`: the cells of outputs of any shape, each with the path that leads to it.

Numbers are cells of numbers, strings cells of text. Names are those of Enums, of truth values, of
None, and of other objects by what they print as. Entries of a dictionary are at ``['key']``, of a
list, tuple or array at ``[0]``, fields of a named tuple or a dataclass at ``.field``; members of a
set at ``has 'member'``. Where the length may vary it is a number at ``len``. A DataFrame has a cell
at ``['column']['row']`` for each label of a row; rows that are only numbered are labelled by their
columns of text.
"""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from enum import Enum
from typing import Any

import numpy as np

from workbench import _checks
from workbench.testers.outputs.table import (
    LENGTH,
    MOST_CHARACTERS,
    MOST_PATHS,
    NAME,
    NUMBER,
    TEXT,
    OutputsError,
    OutputTable,
)

#: How deep outputs may be nested.
_DEPTH = 20


def table_of(runs: Iterable[Any], name: str = "outputs") -> OutputTable:
    """Outputs as a table of cells.

    Parameters
    ----------
    runs : iterable
        The output of each run.
    name : str
        What error messages call them.

    Raises
    ------
    OutputsError
        More than `MOST_PATHS` different paths, too long a text or a key, outputs that contain
        themselves, or an object without a name that is the same in every run.
    """
    cells = _Cells(name)
    for run in runs:
        cells.add(run)
    return cells.table()


class _Cells:
    """Collects cells, run by run."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._paths: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._starts = [0]
        self._path: list[int] = []
        self._kind: list[int] = []
        self._value: list[float] = []

    def add(self, run: Any) -> None:
        self._walk(run, "", 0)
        self._starts.append(len(self._path))

    def table(self) -> OutputTable:
        return OutputTable(
            np.array(self._starts, np.int64),
            np.array(self._path, np.int32),
            np.array(self._kind, np.uint8),
            np.array(self._value, np.float64),
            tuple(self._paths),
            tuple(self._words),
        )

    def _walk(self, value: Any, path: str, depth: int) -> None:
        single = (value, "") if type(value) is float else _single(value)
        if single is None:
            self._walk_parts(value, path, depth)
        elif single[0] is not None:
            self._cell(path, NUMBER, single[0])
        else:
            self._word(path, TEXT if isinstance(value, str | bytes) else NAME, single[1])

    def _walk_parts(self, value: Any, path: str, depth: int) -> None:
        if depth > _DEPTH:
            raise OutputsError(
                f"{self._name} are nested more than {_DEPTH} deep; return fewer levels"
            )
        parts, length = self._parts(value)
        seen: dict[str, int] = {}
        count = 0
        for step, part in parts:
            count += 1
            again = seen.get(step, 0)
            seen[step] = again + 1
            place = f"{path}{step}" if not again else f"{path}{step}#{again + 1}"
            self._walk(part, place, depth + 1)
        if length:
            self._cell(f"{path}.{LENGTH}" if path else LENGTH, NUMBER, float(count))

    def _cell(self, path: str, kind: int, value: float) -> None:
        place = self._paths.get(path)
        if place is None:
            place = self._new_path(path)
        self._path.append(place)
        self._kind.append(kind)
        self._value.append(value)

    def _word(self, path: str, kind: int, word: str) -> None:
        number = self._words.get(word)
        if number is None:
            if len(word) > MOST_CHARACTERS:
                raise OutputsError(
                    f"{self._name} have a text of {len(word):,} characters, {_checks.shown(word)}; "
                    f"at most {MOST_CHARACTERS:,} are read. Return what matters of it, such as its "
                    "length or its words"
                )
            number = self._words[word] = len(self._words)
        self._cell(path, kind, float(number))

    def _new_path(self, path: str) -> int:
        if len(path) > MOST_CHARACTERS:
            raise OutputsError(
                f"{self._name} have a key of {len(path):,} characters, {_checks.shown(path)}; at "
                f"most {MOST_CHARACTERS:,} are read"
            )
        if len(self._paths) >= MOST_PATHS:
            raise OutputsError(
                f"{self._name} have more than {MOST_PATHS:,} different keys or places, such as "
                f"{_checks.shown(path)}; return those that matter, or a summary such as how many "
                "there are"
            )
        self._paths[path] = len(self._paths)
        return self._paths[path]

    def _parts(self, value: Any) -> tuple[Iterator[tuple[str, Any]], bool]:
        """The parts of a collection, each with its step, and whether its length may vary."""
        if isinstance(value, Mapping):
            return ((f"[{_key(key)}]", part) for key, part in value.items()), True
        if hasattr(value, "iloc"):
            return _of_frame(value), True
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return ((f".{f}", part) for f, part in zip(value._fields, value, strict=True)), False
        if dataclasses.is_dataclass(value):
            names = [each.name for each in dataclasses.fields(value)]
            return ((f".{each}", getattr(value, each)) for each in names), False
        if isinstance(value, numbers.Complex):
            return iter([(".real", value.real), (".imag", value.imag)]), False
        if isinstance(value, Set):
            return ((f" has {_key(member)}", True) for member in value), True
        if isinstance(value, np.void) and value.dtype.names:
            return ((f"['{each}']", value[each]) for each in value.dtype.names), False
        if not isinstance(value, Sequence) and hasattr(value, "__array__"):
            value = np.asarray(value)
            if value.ndim == 0:
                return iter([("", value.item())]), False
        if isinstance(value, Sequence | np.ndarray):
            if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
                value = value.tolist()
            return ((f"[{i}]", part) for i, part in enumerate(value)), True
        if isinstance(value, Iterator):
            return ((f"[{i}]", part) for i, part in enumerate(value)), True
        fields = {k: v for k, v in getattr(value, "__dict__", {}).items() if k[:1] != "_"}
        if fields and not isinstance(value, type) and not callable(value):
            return ((f".{k}", v) for k, v in fields.items()), False
        raise OutputsError(
            f"{self._name} have {_checks.shown(value)}, a {type(value).__name__}, which does not "
            "say the same of equal objects; return its values as numbers, texts, lists or a "
            "dictionary"
        )


def _single(value: Any) -> tuple[float | None, str] | None:
    """The number or the name of a value that has no parts; None if it has some."""
    if value is None:
        return None, "None"
    if isinstance(value, Enum):
        return None, value.name if isinstance(value.name, str) else str(value)
    if isinstance(value, bool | np.bool_):
        return None, str(bool(value))
    if isinstance(value, str):
        return None, str(value)
    if isinstance(value, bytes):
        return None, value.decode("latin-1")
    if isinstance(value, numbers.Real) or type(value).__name__ == "Decimal":
        return _float(value), ""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return None, str(value)
    return None if isinstance(value, numbers.Complex) else _named(value)


def _named(value: Any) -> tuple[None, str] | None:
    """What an object prints as, where it is one value and always prints the same."""
    if (
        isinstance(value, Mapping | Sequence | Set | Iterator | type)
        or dataclasses.is_dataclass(value)
        or callable(value)
        or hasattr(value, "__array__")
        or hasattr(value, "iloc")
        or type(value).__hash__ is None
        or type(value).__repr__ is object.__repr__
    ):
        return None
    said = str(value) if type(value).__str__ is not object.__str__ else repr(value)
    return None if f"{id(value):x}" in said.lower() else (None, said)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond every float
        return float("inf") if value > 0 else float("-inf")


def _key(key: Any) -> str:
    """A key as a path shows it: 'Smith', 3, RED, ('a', 1)."""
    if isinstance(key, Enum):
        return str(key.name)
    if isinstance(key, np.generic):
        key = key.item()
    if isinstance(key, tuple):
        return f"({', '.join(map(_key, key))})"
    if isinstance(key, str | int | float | bool | bytes | type(None)):
        return repr(key)
    if isinstance(key, frozenset):
        return "{" + ", ".join(sorted(map(_key, key))) + "}"
    said = _single(key)
    if said is None or said[0] is not None:
        return repr(key)
    return said[1]


def _of_frame(frame: Any) -> Iterator[tuple[str, Any]]:
    """The cells of a pandas Series or DataFrame."""
    labels = [_key(label) for label in frame.index]
    if not hasattr(frame, "columns"):
        yield from zip((f"[{label}]" for label in labels), frame.tolist(), strict=True)
        return
    columns = list(frame.columns)
    texts = [name for name in columns if _of_text(frame[name])]
    if type(frame.index).__name__ == "RangeIndex" and texts:
        rows = zip(*(frame[name].tolist() for name in texts), strict=True)
        labels = [_key(row[0] if len(row) == 1 else row) for row in rows]
        columns = [name for name in columns if name not in texts]
        if not columns:
            yield from ((f"[{label}]", True) for label in labels)
    for name in columns:
        step = _key(name)
        yield from zip(
            (f"[{step}][{label}]" for label in labels), frame[name].tolist(), strict=True
        )


def _of_text(column: Any) -> bool:
    return getattr(column.dtype, "kind", "O") in "OUS" or str(column.dtype) in ("str", "category")
