"""The SHA-256 of the content of tables, whatever the format of the file they came from.

The hash is over the columns in the order of their names, each with its name and its cells:

- numbers as floats of 64 bits, with one NaN and one zero; empty cells are NaN. Integers that no
  float holds exactly are taken as text, so that identifiers stay apart;
- text as it is, with empty cells apart from empty text. Text that is numbers throughout is already
  numbers when a file was read;
- true and false as the text ``True`` and ``False``.

Empty cells that end a column are left out, because a shorter column of a csv file has them and
an array of its own has not. Names of files, notes and formats do not count. The order of the
columns does not count; that of two tables does: members come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from workbench import _json
from workbench.scores.ordered import Cells
from workbench.scores.sample import Scores
from workbench.scores.table import DataTable

#: Cells that are hashed at a time.
BLOCK = 2**16

_KNOWN: WeakKeyDictionary[DataTable, bytes] = WeakKeyDictionary()


def content_hash(tables: Sequence[DataTable]) -> str:
    """The SHA-256 of the content of tables, as 64 hexadecimal digits."""
    whole = sha256(b"workbench tables 1")
    for table in tables:
        whole.update(_table_hash(table))
    return whole.hexdigest()


def _table_hash(table: DataTable) -> bytes:
    """The hash of one table, which does not change: it is computed once."""
    known = _KNOWN.get(table)
    if known is None:
        known = _KNOWN[table] = _hash(table)
    return known


def _hash(table: DataTable) -> bytes:
    found = sha256()
    for name in sorted(table.columns):
        cells = table.columns[name]
        if table.rows is not None:
            cells = cells[: table.filled.get(name, cells.size)]
        if cells.dtype.kind == "f" or (cells.dtype.kind in "iu" and _exact(cells)):
            kind, size = "numbers", 8 * cells.size
            parts: Iterable[Any] = map(_numbers, _blocks(cells))
        else:
            kind, parts = "text", _text(cells)
            size = sum(map(len, parts))
        head = _json.dumps_ascii([name, kind, size])
        found.update(f"{len(head)}:{head}".encode())
        for part in parts:
            found.update(part)
    return found.digest()


def _blocks(cells: Cells) -> Iterator[Cells]:
    """The cells in parts: to copy or write all at once would keep the interpreter from others."""
    return (cells[at : at + BLOCK] for at in range(0, cells.size, BLOCK))


def _numbers(cells: Cells) -> Any:
    with np.errstate(invalid="ignore"):  # a signalling NaN is NaN
        numbers = cells.astype("<f8") + 0.0  # −0 becomes 0
    numbers[np.isnan(numbers)] = np.nan
    return numbers


def _exact(cells: Cells) -> bool:
    """Whether all integers are floats."""
    return cells.size == 0 or bool(cells.max() <= 2**53 and cells.min() >= -(2**53))


def _text(cells: Cells) -> list[bytes]:
    """The cells as a list in JSON."""
    plain = cells.dtype.kind not in "iub"
    blocks = ((block if plain else block.astype(str)).tolist() for block in _blocks(cells))
    inner = [_json.dumps_ascii(block)[1:-1].encode() for block in blocks]
    return [b"[", *(part for k, one in enumerate(inner) for part in (b", " * (k > 0), one)), b"]"]


def table_of_scores(scores: Scores) -> DataTable:
    """The `Samples.arrays` as a table: ``p`` and ``q``, or values, counts and first rows."""
    columns = scores.samples.arrays
    return DataTable(
        name=scores.name,
        columns=columns,
        format="arrays",
        notes=scores.notes,
        filled={name: cells.size for name, cells in columns.items()},
    )
