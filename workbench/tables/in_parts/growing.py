"""`GrowingTable`: scores and memberships while rows of models and records arrive."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.counting.sides import scores_of
from workbench.scores.layouts.labels import spelling, text_of
from workbench.scores.refusals import called, listed, quoted
from workbench.scores.sample import ScoresError
from workbench.tables.in_parts.identifiers import Identifiers
from workbench.tables.layouts.columns import member_of

#: The mark of a pair of model and record that had no row yet.
_ABSENT = 255

#: Labels that a column of memberships may have.
_LABELS = 2


class GrowingTable:
    """A table of the rows that arrived.

    Parameters
    ----------
    columns : mapping of str to str
        Columns of "scores", "member", "model" and "record".
    member_value : optional
        The label of members, as a person states it.
    """

    def __init__(self, columns: dict[str, str], member_value: object = None) -> None:
        self._columns = columns
        self._member_value = member_value
        self.models = Identifiers(columns["model"])
        self.records = Identifiers(columns["record"])
        self._labels: dict[str, int] = {}
        self._values = np.full((1, 1), np.nan)
        self._marks = np.full((1, 1), _ABSENT, dtype=np.uint8)
        self.rows = 0

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns of numbers."""
        return (self._columns["scores"],)

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of names and labels."""
        return tuple(self._columns[what] for what in ("model", "record", "member"))

    def add(self, batch: Any, filename: str, share: float) -> None:
        """Take a batch of rows.

        Parameters
        ----------
        batch : pyarrow.RecordBatch
            Of the columns `numbers` and `names`.
        filename : str
            For messages.
        share : float
            The share of all rows that this batch ends, for an estimate of how many there are.

        Raises
        ------
        ScoresError
            Two rows of one model and record; text among the scores; other labels than two; far
            more pairs of models and records than rows.
        """
        column = {what: batch.column(name) for what, name in self._columns.items()}
        x = scores_of(column["scores"], self._columns["scores"], filename)
        rows = self.models.of(column["model"], filename)
        columns = self.records.of(column["record"], filename)
        marks = self._marks_of(column["member"], filename)
        self.rows += x.size
        self._make_room(filename, share)
        again = self._marks[rows, columns] != _ABSENT
        if again.any():
            i = int(again.argmax())
            raise ScoresError(
                f"{called(filename)}: model {self.models.name(int(rows[i]))} and record "
                f"{self.records.name(int(columns[i]))} have more than one row; give each pair once"
            )
        self._values[rows, columns] = x
        self._marks[rows, columns] = marks

    def result(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, NDArray[Any]]]:
        """Scores, memberships and which there are, shape (models, records), and their names.

        Raises
        ------
        ScoresError
            Two rows of one model and record in one batch; no label means "in".
        """
        m, r = len(self.models), len(self.records)
        values, marks = self._values[:m, :r], self._marks[:m, :r]
        there = int((marks != _ABSENT).sum())
        if there < self.rows:
            raise ScoresError(
                f"{self.rows - there} rows are of a model and record that had one before; give "
                "each pair once"
            )
        by_model, models = self.models.ordered()
        by_record, records = self.records.ordered()
        if by_model is not None:
            values, marks = values[by_model], marks[by_model]
        if by_record is not None:
            values, marks = values[:, by_record], marks[:, by_record]
        inside = self._member_marks()[np.minimum(marks, len(self._labels))]
        return values, inside, marks != _ABSENT, {"models": models, "records": records}

    def _marks_of(self, column: Any, filename: str) -> NDArray[np.uint8]:
        """The number of the label of each row."""
        from pyarrow import types

        coded = column if types.is_dictionary(column.type) else column.dictionary_encode()
        labels = [text_of(label) for label in coded.dictionary.to_pylist()]
        if coded.null_count or coded.dictionary.null_count or "" in labels:
            raise ScoresError(
                f"column {quoted(self._columns['member'])} of {called(filename)} has empty cells; "
                "say of every score whether the model was trained on the record"
            )
        own = np.empty(max(len(labels), 1), dtype=np.uint8)
        for i, label in enumerate(labels):
            own[i] = self._labels.setdefault(spelling(label), len(self._labels))
            if len(self._labels) > _LABELS:
                raise ScoresError(
                    f"column {quoted(self._columns['member'])} of {called(filename)} should say "
                    f"which rows are of members; it holds {listed(self._labels)}. Write 1 for "
                    "members and 0 for the others"
                )
        return np.asarray(own[coded.indices.to_numpy(zero_copy_only=False)])

    def _member_marks(self) -> NDArray[np.bool_]:
        """Whether each label means "in"; False at the end, for what has no row."""
        name = self._columns["member"]
        labels = np.array(list(self._labels), dtype=object)
        known = member_of(labels, name, self._member_value, f"column {quoted(name)} of the table")
        return np.append(known, False)

    def _make_room(self, filename: str, share: float) -> None:
        """Make the table larger where models or records are new."""
        m, r = len(self.models), len(self.records)
        expected = self.rows / max(share, 1e-3)
        if m * r > 10**6 + 100 * expected:
            raise ScoresError(
                f"{called(filename)} would be a table of {m} models and {r} records, with about "
                f"{expected:.3g} rows; check which columns name the models and the records"
            )
        rows, columns = self._marks.shape
        if m <= rows and r <= columns:
            return
        shape = (max(m, 2 * rows) if m > rows else rows, max(r, 2 * columns) if r > columns
                 else columns)  # fmt: skip
        values, marks = np.full(shape, np.nan), np.full(shape, _ABSENT, dtype=np.uint8)
        values[:rows, :columns], marks[:rows, :columns] = self._values, self._marks
        self._values, self._marks = values, marks
