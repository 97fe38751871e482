"""Labels from a file of their own, beside the scores: `with_labels`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.scores.layouts.labels import labels_of, text_of, words_of
from workbench.scores.layouts.senses import FROM_LABELS, are_sides, sense_of, vocabulary
from workbench.scores.refusals import listed, quoted
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable, is_unnamed

#: Words for files and columns of labels.
LABEL_WORDS = vocabulary(
    "label labels member members membership memberships ismember keep bit bits mask included"
)

#: What the note on the file of the labels begins with.
LABELS_FROM = "labels from "

#: Names of columns that tell which record a row is of.
_IDS = vocabulary("id ids index idx record records recordid sampleindex")

#: Columns without a name of their own.
_NAMELESS = "array"


def with_labels(
    table: DataTable, labels: DataTable, member: str | None = None
) -> tuple[DataTable, str]:
    """A table with the labels of another one as a further column.

    The rows of both must be in the same order. A column that tells the records apart, where both
    tables have one, is compared; otherwise the order is an assumption, and a note says so.

    Parameters
    ----------
    table : DataTable
        The scores.
    labels : DataTable
    member : str, optional
        The column of labels, by its name in their file or in the result; found by default.

    Returns
    -------
    table : DataTable
    member : str
        The column of labels in it.

    Raises
    ------
    ScoresError
        Another number of labels than of scores, or records in another order.
    """
    given = member is not None and member in labels.columns
    source = str(member) if given else _label_column(labels)
    cells = labels.columns[source]
    sizes = {name: column.size for name, column in table.columns.items()}
    if cells.size not in sizes.values():
        counts = " or ".join(f"{size:,}" for size in sorted(set(sizes.values()))) or "no"
        raise ScoresError(
            f"{table.label} has {counts} scores, but {labels.label} has {cells.size:,} labels, so "
            "they do not belong together; nothing was used. Give the labels of the same rows, one "
            "per score"
        )
    order = _order(table, labels)
    named = labels.name if sense_of(labels.name) is not None else "labels"  # as "is_test.npy"
    name = _free(named if _is_nameless(source) else source, table)
    if member not in (None, source, name):
        labels.column(str(member))  # which refuses it and names the columns that there are
    kept = {c: column for c, column in table.columns.items() if column.size == cells.size}
    renamed = {("scores" if _is_nameless(c) and len(kept) == 1 else c): c for c in kept}
    columns = {new: kept[old] for new, old in renamed.items()} | {name: cells}
    filled = {new: table.filled.get(old, cells.size) for new, old in renamed.items()}
    other = {c: f"has {n:,} entries for {cells.size:,} labels" for c, n in sizes.items()}
    joined = replace(
        table,
        columns=columns,
        rows=cells.size,
        filled=filled | {name: labels.filled.get(source, cells.size)},
        notes=(*table.notes, f"{LABELS_FROM}{labels.label}, {order}", *labels.notes),
        unusable={**table.unusable, **{c: why for c, why in other.items() if c not in kept}},
    )
    return joined, name


def labels_among(tables: Sequence[DataTable], named: bool = True) -> int | None:
    """The index of the one of two tables that holds labels and no scores; None if neither does.

    Parameters
    ----------
    tables : sequence of DataTable
    named : bool
        Whether the name of its file or column has to say so, too.
    """
    found = [i for i, table in enumerate(tables) if _holds_labels(table, named)]
    return found[0] if len(tables) == 2 and len(found) == 1 else None


def _holds_labels(table: DataTable, named: bool) -> bool:
    """Whether the only column besides identifiers has two labels, and a name that says so."""
    own = [name for name in table.columns if not _is_id(name)]
    if len(own) != 1 or table.unusable or not are_sides(labels_of(table, own[0])):
        return False
    return not named or any(_is_label_name(name) for name in (own[0], table.name))


def _is_label_name(name: str) -> bool:
    """Whether a name is that of labels; "in" and "test" may be of the scores of one side."""
    words = words_of(name)
    return bool(words & LABEL_WORDS) or (sense_of(name) is not None and "is" in words)


def _label_column(labels: DataTable) -> str:
    own = [name for name in labels.columns if not _is_id(name)] or list(labels.columns)
    if len(own) == 1:
        return own[0]
    named = [name for name in own if labels_of(labels, name)]
    for tier in (
        [name for name in named if sense_of(name) is not None],
        [name for name in named if words_of(name) & LABEL_WORDS],
    ):
        if len(tier) == 1:
            return tier[0]
    raise ScoresError(
        f"it is open which column of {labels.label} holds the labels: {listed(labels.columns)}; "
        "name it with member="
    )


def _order(table: DataTable, labels: DataTable) -> str:
    """What is known of the order of both; ScoresError if it is not the same."""
    for name in table.columns:
        if _is_id(name) and name in labels.columns:
            one, two = table.columns[name], labels.columns[name]
            pairs = () if np.array_equal(one, two) else zip(one, two, strict=False)
            differ = [i for i, (a, b) in enumerate(pairs) if text_of(a) != text_of(b)]
            if differ or one.size != two.size:
                where = f" (first at {table.place(differ[0])})" if differ else ""
                raise ScoresError(
                    f"the column {quoted(name)} of {table.label} and of {labels.label} is not the "
                    f"same{where}, so their rows are of other records; sort both by {quoted(name)}"
                )
            return f"in the same order by the column {quoted(name)} of both"
    return (
        "on the assumption that their order is that of the scores, which nothing in the files shows"
    )


def _is_id(name: str) -> bool:
    return "".join(sorted(words_of(name))) in _IDS or "".join(name.lower().split("_")) in _IDS


def _is_nameless(name: str) -> bool:
    return name == _NAMELESS or is_unnamed(name)


def _free(name: str, table: DataTable) -> str:
    """The name, or a longer one where the table has a column of it."""
    while name in table.columns or name in table.unusable:
        name += FROM_LABELS
    return name
