"""Columns of long and wide tables: which is which, and labels and names as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.layouts.labels import factorized, in_label, labels_of, spelling, text_of
from workbench.scores.refusals import listed, quoted
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable
from workbench.tables.layouts import words
from workbench.tables.layouts.base import FoundTable, Stated


def columns_of(table: DataTable, stated: Stated) -> dict[str, str]:
    """The columns of "scores", "member", "model" and "record" of a table in long form.

    Parameters
    ----------
    table : DataTable
        All rows, or some.
    stated : Stated

    Raises
    ------
    ScoresError
        One of them cannot be found.
    """
    given = {
        "scores": (stated.scores, words.SCORES),
        "member": (stated.member, words.MEMBERS),
        "model": (stated.model, words.MODELS),
        "record": (stated.record, words.RECORDS),
    }
    taken: dict[str, str] = {}
    for what, (named, group) in given.items():
        there = [name for name in table.columns if name not in taken.values()]
        found = words.chosen(named, there, group, what, table.label)
        if found is None:
            raise ScoresError(
                f"{table.label} has no column for the {what} of a row that can be found; "
                f"name it with {what}=. It has {listed(table.columns)}"
            )
        taken[what] = found
    return taken


def found_table(
    taken: dict[str, str],
    values: NDArray[Any],
    member: NDArray[np.bool_],
    present: NDArray[np.bool_],
    names: dict[str, NDArray[Any]],
    attributes: dict[str, NDArray[Any]],
    notes: list[str],
) -> FoundTable:
    """The table of rows in long form.

    Parameters
    ----------
    taken : dict of str to str
        As of `columns_of`.
    values, member, present : ndarray, shape (models, records)
    names : dict of str to ndarray
        Of "models" and "records".
    attributes : dict of str to ndarray
    notes : list of str
    """
    rows = int(present.sum())
    if missing := present.size - rows:
        notes = [
            *notes,
            f"{missing} of {present.size} pairs of model and record have no row: they are "
            "missing, neither in nor out",
        ]
    is_loss = words.is_of(taken["scores"], words.LOSSES)
    if is_loss:
        notes = [*notes, words.losses_note(taken["scores"])]
    return FoundTable(
        values,
        member,
        f"{rows} rows; " + ", ".join(f"{w} = column '{c}'" for w, c in taken.items()),
        records=names["records"],
        models=names["models"],
        attributes=attributes,
        present=present if missing else None,
        larger_is_member=not is_loss,
        notes=tuple(notes),
    )


def memberships(table: DataTable, name: str) -> NDArray[np.bool_]:
    """A column of labels as memberships: 1 and 0, true and false, "in" and "out", …

    Parameters
    ----------
    table : DataTable
    name : str
        Of the column.

    Raises
    ------
    ScoresError
        Empty cells, more than two labels, or none of the two that means "in".
    """
    cells = table.column(name)
    if cells.dtype == bool:
        return cells
    index, values = factorized(cells)
    if (index < 0).any():
        raise ScoresError(
            f"{table.label}, {table.place(int((index < 0).argmax()))}: column {quoted(name)} is "
            "empty; say of every score whether the model was trained on the record"
        )
    texts = [spelling(text_of(value)) for value in values]
    if set(texts) <= {"0", "1"}:
        return np.array([text == "1" for text in texts], dtype=bool)[index]
    labels = labels_of(table, name)
    member = in_label(labels)
    if member is None:
        raise ScoresError(
            f"column {quoted(name)} of {table.label} should say which rows are of members; it "
            f"holds {listed(labels or texts[:5])}. Write 1 for members and 0 for the others"
        )
    return np.array([text == spelling(member) for text in texts], dtype=bool)[index]


def names(table: DataTable, name: str) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """For each row the number of its name, and the names: numbers ascending, texts as they come.

    Parameters
    ----------
    table : DataTable
    name : str
        Of the column.

    Raises
    ------
    ScoresError
        Empty cells.
    """
    cells = table.column(name)
    index, values = factorized(cells)
    if (index < 0).any():
        raise ScoresError(
            f"{table.label}, {table.place(int((index < 0).argmax()))}: column {quoted(name)} is "
            "empty; name the model and the record of every score"
        )
    if values.dtype.kind == "f" and (values == np.floor(values)).all():
        values = values.astype(np.int64)
    if values.dtype.kind in "iu":
        order = np.argsort(values)
        ranks = np.empty_like(order)
        ranks[order] = np.arange(order.size)
        return ranks[index], values[order]
    return index, values.astype(str) if values.dtype == object else values


def check_filled(models: int, records: int, filled: int, where: str) -> None:
    """Refuse a table that would be larger than what it is made of by far.

    Parameters
    ----------
    models, records, filled : int
        Their numbers, and that of the cells that have a value.
    where : str
        What messages call the place of the table.

    Raises
    ------
    ScoresError
        Hardly any cell would be filled.
    """
    cells = models * records
    if cells > 10**6 + 100 * filled:
        raise ScoresError(
            f"{where} would be a table of {models} models and {records} records, {cells} cells of "
            f"which {filled} are filled; check which columns name the models and the records"
        )
