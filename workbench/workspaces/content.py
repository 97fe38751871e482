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

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.sample import Scores
from workbench.scores.table import DataTable


def content_hash(tables: Sequence[DataTable]) -> str:
    """The SHA-256 of the content of tables, as 64 hexadecimal digits."""
    whole = sha256(b"workbench tables 1")
    for table in tables:
        whole.update(_table_hash(table))
    return whole.hexdigest()


def _table_hash(table: DataTable) -> bytes:
    found = sha256()
    for name in sorted(table.columns):
        cells = table.columns[name]
        if table.rows is not None:
            cells = cells[: table.filled.get(name, cells.size)]
        kind, content = _canonical(cells)
        head = json.dumps([name, kind, len(content)])
        found.update(f"{len(head)}:{head}".encode())
        found.update(content)
    return found.digest()


def _canonical(cells: NDArray[Any]) -> tuple[str, bytes]:
    if cells.dtype.kind in "iu" and not _exact(cells):
        return "text", _text(cells.astype(str).tolist())
    if cells.dtype.kind in "iuf":
        with np.errstate(invalid="ignore"):  # a signalling NaN is NaN
            numbers = cells.astype("<f8") + 0.0  # −0 becomes 0
        numbers[np.isnan(numbers)] = np.nan
        return "numbers", numbers.tobytes()
    if cells.dtype.kind == "b":
        cells = cells.astype(str)
    return "text", _text(cells.tolist())


def _exact(cells: NDArray[Any]) -> bool:
    """Whether all integers are floats."""
    return cells.size == 0 or bool(cells.max() <= 2**53 and cells.min() >= -(2**53))


def _text(cells: list[str | None]) -> bytes:
    return json.dumps(cells).encode()


def table_of_scores(scores: Scores) -> DataTable:
    """The scores of P and of Q as two arrays of a table, ``p`` and ``q``."""
    return DataTable(
        name=scores.name,
        columns={"p": scores.p, "q": scores.q},
        format="arrays",
        filled={"p": scores.n_p, "q": scores.n_q},
    )
