"""`RowReader`: finds the columns of the scores in the first rows, and takes the scores out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats
from workbench.scores.growing.batches import Batch
from workbench.scores.layouts.guess import guess_layout, numeric_columns
from workbench.scores.layouts.labels import labels_of, spelling, text_of
from workbench.scores.layouts.layout import Layout
from workbench.scores.ordered import Cells
from workbench.scores.parsing.cells import NAN_WORDS
from workbench.scores.parsing.frames import from_frame
from workbench.scores.refusals import quoted
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

#: Rows among which the columns are first looked for, and then twice as many, and so on: what is
#: found does not depend on how many were there when the file was first looked at.
FIRST_ROWS = 32

#: Rows that are kept while it is open where the scores are.
MOST_DOUBTED = 10**6


class RowReader:
    """Takes the scores out of rows, in their order.

    Parameters
    ----------
    name : str
        Of the file.
    given : mapping
        Arguments of `guess_layout`.

    Attributes
    ----------
    layout : Layout or None
        None until it is known.
    doubt : str
        Why it is not.
    left_out : int
        Rows that are no scores.
    first_left_out : str
        What is wrong with the first of them.
    """

    def __init__(self, name: str, given: Mapping[str, Any]):
        self._name, self._given = name, dict(given)
        self._kept: list[Batch] = []
        self._tried = FIRST_ROWS // 2
        self._labels: dict[Any, bool | None] = {}
        self._known: set[str] | None = None
        self.layout: Layout | None = None
        self.doubt, self.left_out, self.first_left_out = "", 0, ""

    def take(self, batch: Batch) -> tuple[Floats, Floats]:
        """The scores of P and of Q in further rows.

        Raises
        ------
        ScoresError
            It is still open where the scores are after a million rows.
        """
        if batch.bad:
            self._leave_out(len(batch.bad), batch.bad[0])
        if self.layout is not None:
            return self._scores(batch)
        self._kept.append(batch)
        self._find()
        if self.layout is None:
            return np.empty(0), np.empty(0)
        found = [self._scores(one) for one in self._kept]
        self._kept = []
        return np.concatenate([p for p, _ in found]), np.concatenate([q for _, q in found])

    def _find(self) -> None:
        """Look for the columns in the first 32 rows, 64, 128, and so on."""
        there = sum(batch.rows for batch in self._kept)
        if there < FIRST_ROWS:
            self.doubt = f"waits for {FIRST_ROWS} rows, from which it sees the columns"
        while self.layout is None and 2 * self._tried <= there:
            self._tried *= 2
            table = from_frame(self._first(self._tried), self._name)
            try:
                layout = guess_layout(table, **self._given)
            except ScoresError:
                self.doubt = _open_columns(self._tried, table)
                continue
            if layout.kind == "score and label" and self._given.get("member_value") is None:
                labels = labels_of(table, str(layout.member))
                if layout.member_value is None:
                    self.doubt = _open_labels(str(layout.member), labels)
                    continue
                self._known = {spelling(label) for label in labels}
            self.layout, self.doubt = layout, ""
        if self.layout is None and there > MOST_DOUBTED:
            raise ScoresError(f"{there:,} rows do not show where the scores are: {self.doubt}")

    def _first(self, rows: int) -> Any:
        import pandas as pd

        names = dict.fromkeys(name for batch in self._kept for name in batch.columns)
        parts = {
            name: [
                batch.columns.get(name, np.full(batch.rows, None, dtype=object))
                for batch in self._kept
            ]
            for name in names
        }
        columns = {}
        for name, cells in parts.items():
            kinds = {part.dtype for part in cells}
            mixed = len(kinds) > 1
            whole = np.concatenate([c.astype(object) for c in cells] if mixed else cells)
            columns[name] = pd.Series(_plain(whole[:rows]))
        return pd.DataFrame(columns)

    # -- scores ------------------------------------------------------------------------------------

    def _scores(self, batch: Batch) -> tuple[Floats, Floats]:
        layout = self.layout
        if layout is None:
            raise RuntimeError("the layout is not known")
        if layout.kind == "score and label":
            return self._by_label(batch, str(layout.score), str(layout.member))
        p, q = (_numbers(_column(batch, str(name))) for name in (layout.p, layout.q))
        wrong = p[1] | q[1]
        self._say(batch, wrong, "is no row of two numbers")
        return p[0][~wrong & ~p[2]], q[0][~wrong & ~q[2]]

    def _by_label(self, batch: Batch, score: str, member: str) -> tuple[Floats, Floats]:
        x, wrong, _ = _numbers(_column(batch, score))
        sides = [self._side(cell) for cell in _column(batch, member).tolist()]
        known = np.array([side is not None for side in sides], dtype=bool)
        is_p = np.array([side is True for side in sides], dtype=bool)
        self._say(batch, wrong, f"has no number as {quoted(score)}")
        self._say(batch, ~wrong & ~known, f"has no known label as {quoted(member)}")
        use = ~wrong & known
        return x[use & is_p], x[use & ~is_p]

    def _side(self, cell: Any) -> bool | None:
        """Whether a label is that of P; None for one that is not known."""
        try:
            return self._labels[cell]
        except (KeyError, TypeError):
            pass
        found = self._read_label(cell)
        if len(self._labels) < 1000 and cell == cell and not isinstance(cell, list | dict):
            self._labels[cell] = found
        return found

    def _read_label(self, cell: Any) -> bool | None:
        if cell is None or cell != cell or isinstance(cell, list | dict):
            return None
        number = _number(cell) if isinstance(cell, str) else None
        text = text_of(cell if number is None or math.isnan(number) else number)
        label = spelling(text)
        if not label or (self._known is not None and label not in self._known):
            return None
        value = None if self.layout is None else self.layout.member_value
        return label == spelling(str(value))

    def _say(self, batch: Batch, wrong: NDArray[np.bool_], what: str) -> None:
        if wrong.any():
            first = int(batch.places[int(wrong.argmax())])
            self._leave_out(int(wrong.sum()), f"{batch.where} {first} {what}")

    def _leave_out(self, count: int, first: str) -> None:
        self.left_out += count
        self.first_left_out = self.first_left_out or first


def _column(batch: Batch, name: str) -> Cells:
    """A column of a batch; empty cells where it lacks the column."""
    found = batch.columns.get(name)
    return np.full(batch.rows, None, dtype=object) if found is None else found


def _numbers(cells: Cells) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Cells as numbers, which of them are none, and which are empty."""
    nothing = np.zeros(cells.size, dtype=bool)
    if cells.dtype.kind in "iuf":
        with np.errstate(invalid="ignore"):  # a signaling NaN is NaN
            return cells.astype(np.float64), nothing, nothing
    if cells.dtype == bool:
        return np.full(cells.size, np.nan), ~nothing, nothing
    read = [None if cell is None else _number(cell) for cell in cells.tolist()]
    empty = np.array([cell is None for cell in cells.tolist()], dtype=bool)
    values = np.array([math.nan if x is None else x for x in read], dtype=np.float64)
    missing = np.array([x is None for x in read], dtype=bool)
    return values, missing & ~empty, empty


def _number(cell: Any) -> float | None:
    """A cell as a number; None where it is none."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int | float):
        try:
            return float(cell)
        except OverflowError:
            return math.inf if cell > 0 else -math.inf
    text = str(cell).strip()
    if text.lower() in NAN_WORDS:
        return math.nan
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _plain(cells: Cells) -> Cells:
    """Objects that are all numbers or None as floats; everything else as it is."""
    if cells.dtype == object and all(type(c) in (int, float, type(None)) for c in cells):
        return np.array([_number(c) if c is not None else math.nan for c in cells], dtype=float)
    return cells


def _open_columns(rows: int, table: DataTable) -> str:
    numbers = set(numeric_columns(table))
    kinds = [f"{quoted(c)} ({'numbers' if c in numbers else 'text'})" for c in table.columns]
    more = f" and {len(kinds) - 12} more" if len(kinds) > 12 else ""
    return (
        f"the first {rows:,} rows do not show which columns hold the scores and the labels: "
        f"{', '.join(kinds[:12])}{more}; name score and member, or p and q"
    )


def _open_labels(member: str, labels: list[str]) -> str:
    if len(labels) < 2:
        return f"all rows so far have the same label as {quoted(member)}"
    listed = ", ".join(map(quoted, labels))
    return (
        f"the labels as {quoted(member)} are {listed}; say which one means 'in the data' with "
        "member_value"
    )
