"""How a batch of rows becomes scores with the group of each: `LabeledRows` and `TwoColumns`.

A group is a number, 0 or 1. Which of them is P may only be known when all labels were seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.scores.layouts.labels import LONGEST_LABEL, MOST_LABELS, spelling, text_of
from workbench.scores.layouts.layout import Layout
from workbench.scores.layouts.senses import member_label, why_open
from workbench.scores.ordered import Cells
from workbench.scores.refusals import called, listed, quoted
from workbench.scores.sample import ScoresError

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]

#: The group of P and the group of Q where they are known from the start.
P, Q = 1, 0

#: Scores, and the group of each or of all.
Part = tuple[Floats, NDArray[np.uint8] | int]


class Sides(Protocol):
    """Takes batches of a file apart."""

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns of scores."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns of labels."""

    def parts(self, batch: pa.RecordBatch) -> Iterator[Part]:
        """Scores of a batch with their groups."""

    def end(self) -> tuple[str, ...]:
        """Notes at the end of a file."""


class Groups:
    """Labels that were seen, and the group of each.

    Parameters
    ----------
    member_value : str, optional
        The label of P, if it was given: all others are of Q. Otherwise there may be two labels.
    name : str
        Of the column, which may say what its labels mean.
    where : str
        What messages call the table.
    """

    def __init__(self, member_value: str | None, name: str, where: str) -> None:
        self._member_value = member_value
        self._name = name
        self._where = f"{where}: the label column {name!r}"
        self._seen: dict[str, str] = {}

    @property
    def seen(self) -> tuple[str, ...]:
        """Labels in order of their first row."""
        return tuple(self._seen.values())

    def of(self, label: object) -> int:
        """The group of a label.

        Raises
        ------
        ScoresError
            An empty label, or too many different ones.
        """
        text = _normal(text_of(label))
        if not text or text == "nan":
            raise ScoresError(
                f"{self._where} is empty in some rows; say which group their scores are of, or "
                "remove the rows"
            )
        key = spelling(text)
        self._seen.setdefault(key, text)
        if self._member_value is not None:
            self._check_number(MOST_LABELS, "choose another column with member=")
            return P if key == spelling(self._member_value) else Q
        self._check_number(2, f"say which one is P with member_value={text!r}, or another")
        return list(self._seen).index(key)

    def _check_number(self, most: int, remedy: str) -> None:
        if len(self._seen) > most or any(len(key) > LONGEST_LABEL for key in self._seen):
            raise ScoresError(
                f"{self._where} holds more than {most} labels, {listed(self.seen)}; {remedy}"
            )

    def of_p(self) -> int:
        """The group that is P, after all rows.

        Raises
        ------
        ScoresError
            One label only, or two that do not say it.
        """
        labels = self.seen
        if self._member_value is not None:
            if spelling(self._member_value) not in self._seen:
                raise ScoresError(
                    f"no row of {self._where} holds {self._member_value!r}; its labels are "
                    f"{listed(labels)}"
                )
            return P
        if len(labels) == 1:
            raise ScoresError(
                f"{self._where} holds only {labels[0]!r}, so one group has no scores; give the "
                "file of the other group with path_q=, or choose another column with member="
            )
        value = member_label(list(labels), self._name)
        if value is None:
            raise ScoresError(
                f"{self._where} holds {listed(labels)}, {why_open(list(labels), self._name)}; say "
                "which one means 'in the data' with member_value=, for example "
                f"member_value={labels[0]!r}"
            )
        return labels.index(value)


class LabeledRows:
    """A column of scores and one of labels.

    Parameters
    ----------
    layout : Layout
        Of the kind "score and label".
    groups : Groups
    filename : str
        For messages.
    """

    def __init__(self, layout: Layout, groups: Groups, filename: str) -> None:
        self.numbers = (str(layout.score),)
        self.labels = (str(layout.member),)
        self._groups = groups
        self._filename = filename
        self._known: dict[float, int] = {}  # group of each number that is a label

    def parts(self, batch: pa.RecordBatch) -> Iterator[Part]:
        """All scores, and the group of each."""
        groups = self._group_of_each(batch.column(1))
        yield scores_of(batch.column(0), self.numbers[0], self._filename), groups

    def end(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def _group_of_each(self, column: pa.Array) -> NDArray[np.uint8]:
        from pyarrow import types

        if column.null_count:
            self._groups.of("")
        if types.is_boolean(column.type):
            return self._of_numbers(_truth_values(column), np.bool_)
        if types.is_integer(column.type) or types.is_floating(column.type):
            cells = column.to_numpy(zero_copy_only=False)
            return self._of_numbers(cells, cells.dtype.type)
        if not types.is_dictionary(column.type):
            column = column.dictionary_encode()
        values = column.dictionary
        used = column.indices.to_numpy(zero_copy_only=False)
        is_used = np.zeros(len(values), bool)
        is_used[used] = True
        groups = np.zeros(len(values), np.uint8)
        for i in np.flatnonzero(is_used).tolist():
            label = values[i].as_py()
            groups[i] = self._groups.of("" if label is None else label)
        return groups[used]

    def _of_numbers(self, cells: Cells, kind: type) -> NDArray[np.uint8]:
        """The group of each number; the usual case, two known ones, takes three steps."""
        found = np.zeros(cells.size, np.uint8)
        known = np.zeros(cells.size, bool)
        for value, group in self._known.items():
            same = cells == value
            known |= same
            if group:
                found |= same.view(np.uint8)
        if not known.all():
            new, first = np.unique(cells[~known], return_index=True)
            if new.size > MOST_LABELS:
                new = new[np.argsort(first)][: MOST_LABELS + 1]
            for value in new:
                self._known[value.item()] = self._groups.of(kind(value))
            return self._of_numbers(cells, kind)
        return found


class TwoColumns:
    """One column of scores for each group; the shorter one ends with empty cells.

    Parameters
    ----------
    layout : Layout
        Of the kind "two columns".
    filename : str
        For messages.
    """

    labels: tuple[str, ...] = ()

    def __init__(self, layout: Layout, filename: str) -> None:
        self.numbers = (str(layout.p), str(layout.q))
        self._filename = filename
        self._empty = {P: 0, Q: 0}  # cells without a score since the last score

    def parts(self, batch: pa.RecordBatch) -> Iterator[Part]:
        """Scores of both columns without the empty cells that may be at the end."""
        for group, column, name in zip((P, Q), batch.columns, self.numbers, strict=True):
            if column.null_count == len(column):
                self._empty[group] += len(column)
                continue
            x = scores_of(column, name, self._filename)
            if self._empty[group]:
                yield np.full(self._empty[group], np.nan), group
            filled = x.size
            if column.null_count:
                empty = column.is_null().to_numpy(zero_copy_only=False)
                filled -= int(np.argmin(empty[::-1]))
            self._empty[group] = x.size - filled
            yield x[:filled], group

    def end(self) -> tuple[str, ...]:
        """The number of empty cells at the end of one column.

        Raises
        ------
        ScoresError
            Both columns end with empty cells.
        """
        empty, self._empty = self._empty, {P: 0, Q: 0}
        if all(empty.values()):
            raise ScoresError(
                f"{called(self._filename)}: columns {self.numbers[0]!r} and {self.numbers[1]!r} "
                f"both end with empty cells ({empty[P]} and {empty[Q]}), so it is open whether "
                "these are missing scores or shorter columns; write nan where a score is missing"
            )
        return tuple(
            f"column {quoted(name)} of {called(self._filename)} is taken as shorter, without its "
            f"{empty[group]:,} empty cells at the end"
            for group, name in zip((P, Q), self.numbers, strict=True)
            if empty[group]
        )


class OneColumn:
    """A file of the scores of one group.

    Parameters
    ----------
    name : str
        Of the column.
    group : int
    filename : str
        For messages.
    """

    labels: tuple[str, ...] = ()

    def __init__(self, name: str, group: int, filename: str) -> None:
        self.numbers = (name,)
        self._group = group
        self._filename = filename

    def parts(self, batch: pa.RecordBatch) -> Iterator[Part]:
        """All scores."""
        yield scores_of(batch.column(0), self.numbers[0], self._filename), self._group

    def end(self) -> tuple[str, ...]:
        """Nothing."""
        return ()


def scores_of(column: pa.Array, name: str, filename: str) -> Floats:
    """A column of a batch as floats; empty cells are NaN.

    Parameters
    ----------
    column : pyarrow.Array
    name, filename : str
        For messages.

    Raises
    ------
    ScoresError
        Text among the numbers, true and false, or no numbers.
    """
    import pyarrow as pa
    from pyarrow import compute, types

    if types.is_boolean(column.type):
        raise ScoresError(
            f"column {name!r} of {called(filename)} holds true and false: these are an attack's "
            "decisions, not scores; count them and use wb.epsilon_from_counts or the page Counts"
        )
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not types.is_float64(column.type):
        try:
            # Integers beyond 2^53 become the nearest float, as in memory.
            column = compute.cast(column, pa.float64(), safe=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ScoresError(
                f"column {name!r} of {called(filename)} holds {column.type}, not only numbers "
                f"({error}); correct it, or choose another column"
            ) from error
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _truth_values(column: pa.Array) -> NDArray[np.uint8]:
    """A column of truth values without empty cells as 1 and 0, a fifth of the work of Arrow's."""
    start, size = column.offset, len(column)
    packed = np.frombuffer(column.buffers()[1], np.uint8)[start // 8 : (start + size + 7) // 8]
    return np.unpackbits(packed, bitorder="little")[start % 8 :][:size]


def _normal(label: str) -> str:
    """A label, where it is a number in the one way to write it."""
    try:
        return text_of(float(label))
    except ValueError:
        return label
