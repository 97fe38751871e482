"""Columns of long and wide tables: which is which, and labels and names as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.layouts.labels import factorized, text_of
from workbench.scores.layouts.senses import member_label, why_open
from workbench.scores.ordered import sealed
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
        "scores": (stated.scores, words.is_scores),
        "member": (stated.member, words.is_member),
        "model": (stated.model, words.is_model),
        "record": (stated.record, words.is_record),
    }
    taken: dict[str, str] = {}
    for what, (named, belongs) in given.items():
        there = [name for name in table.columns if name not in taken.values()]
        found = words.chosen(named, there, belongs, what, table.label)
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
    is_loss = words.is_losses(taken["scores"])
    if is_loss:
        notes = [*notes, words.losses_note(taken["scores"])]
    return FoundTable(
        sealed(values),
        sealed(member),
        f"{rows} rows; " + ", ".join(f"{w} = column '{c}'" for w, c in taken.items()),
        records=names["records"],
        models=names["models"],
        attributes=attributes,
        present=sealed(present) if missing else None,
        larger_is_member=not is_loss,
        notes=tuple(notes),
    )


def memberships(
    table: DataTable, name: str, stated: object = None, *, named: str | None = None
) -> NDArray[np.bool_]:
    """A column of labels as memberships: 1 and 0, true and false, "in" and "out", …

    Parameters
    ----------
    table : DataTable
    name : str
        Of the column: it says whether a 1 means "in" or, as "is_test" does, "not in".
    stated : optional
        The label of members, as a person states it.
    named : str, optional
        The part of its name that says so.

    Raises
    ------
    ScoresError
        Empty cells, more than two labels, or none of the two that certainly means "in".
    """
    index, values = factorized(table.column(name))
    where = f"column {quoted(name)} of {table.label}"
    if (index < 0).any():
        raise ScoresError(
            f"{table.label}, {table.place(int((index < 0).argmax()))}: column {quoted(name)} is "
            "empty; say of every score whether the model was trained on the record"
        )
    return member_of(values, name if named is None else named, stated, where)[index]


def member_of(values: NDArray[Any], name: str, stated: object, where: str) -> NDArray[np.bool_]:
    """Which of the different labels of a column or an array mean that a record was in.

    Parameters
    ----------
    values : ndarray
        The labels.
    name : str
        Of the column or the array.
    stated : optional
        The label of members, as a person states it.
    where : str
        What messages call it.

    Raises
    ------
    ScoresError
        It is not certain.
    """
    texts = [text_of(value) for value in values]
    keys = [text.casefold() for text in texts]
    if stated is not None:
        wanted = text_of(stated).casefold()
        if wanted not in keys and len(keys) > 1:
            raise ScoresError(
                f"no cell of {where} holds {text_of(stated)!r}; it holds {listed(texts)}"
            )
        return np.array([key == wanted for key in keys], dtype=bool)
    labels = list(dict.fromkeys(texts))
    # A column of zeros alone has the labels 0 and 1, too.
    pairs = (("0", "1"), ("false", "true"))
    both = next((list(pair) for pair in pairs if len(labels) == 1 and labels[0] in pair), labels)
    member = member_label(both, name)
    if member is None:
        raise ScoresError(
            f"{where} should say which scores are of members; it holds {listed(sorted(texts))}"
            + (f", {why_open(texts, name)}" if len(texts) == 2 else "")
            + ". State the label of members with member_value="
        )
    return np.array([key == member.casefold() for key in keys], dtype=bool)


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
