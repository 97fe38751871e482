"""Score tables as the columns that a workspace keeps, and back: `columns_of`, `table_of_columns`.

Scores, memberships, names and attributes are one column each; arrays of more dimensions are kept
flat, and their shapes are in the source of the data set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from workbench.scores.ordered import Cells
from workbench.scores.table import DataTable
from workbench.tables.table import ScoreTable
from workbench.workspaces.errors import WorkspaceError

#: Columns of every table, and what the name of a column of attributes begins with.
SCORES, MEMBER, PRESENT = "scores", "member", "present"
RECORD, MODEL, ATTRIBUTE = "record", "model", "attribute "


def columns_of(table: ScoreTable) -> tuple[DataTable, ...]:
    """The columns of a score table; those of one length are together."""
    about_records: dict[str, Cells] = {}
    flat: dict[str, Cells] = {
        SCORES: table.scores.reshape(-1),
        MEMBER: table.member.reshape(-1).view(np.uint8),
    }
    if table.records is not None:
        about_records[RECORD] = _plain(table.records)
    if table.present is not None:
        flat[PRESENT] = table.present.reshape(-1).view(np.uint8)
    for name, values in table.attributes.items():
        if values.ndim == 1:
            about_records[ATTRIBUTE + name] = _plain(values)
        else:
            flat[ATTRIBUTE + name] = _plain(values.reshape(-1))
    parts = [{name: column} for name, column in flat.items()]
    if about_records:
        parts.append(about_records)
    if table.models is not None:
        parts.append({MODEL: _plain(table.models)})
    return tuple(
        DataTable(table.name, columns, "arrays", notes=table.notes if SCORES in columns else ())
        for columns in parts
    )


def shapes_of(table: ScoreTable) -> dict[str, tuple[int, ...]]:
    """The shapes of the columns that are kept flat, by their names."""
    images = {n: v.shape for n, v in table.attributes.items() if v.ndim > 1}
    return {SCORES: table.scores.shape, **{ATTRIBUTE + n: shape for n, shape in images.items()}}


def table_of_columns(
    kept: Sequence[DataTable], shapes: Mapping[str, Sequence[int]], **meaning: Any
) -> ScoreTable:
    """The score table of its columns.

    Parameters
    ----------
    kept : sequence of DataTable
        From `columns_of`.
    shapes : mapping of str to sequence of int
        From `shapes_of`.
    **meaning
        Other arguments of `ScoreTable`.

    Raises
    ------
    WorkspaceError
        Columns that are missing, or of other lengths.
    """
    columns = {name: cells for one in kept for name, cells in one.columns.items()}
    try:
        shape = tuple(shapes[SCORES])
        scores = columns[SCORES].reshape(shape)
        member = columns[MEMBER].reshape(shape[:2]).astype(bool)
        present = columns.get(PRESENT)
        attributes = {
            name.removeprefix(ATTRIBUTE): cells.reshape(tuple(shapes.get(name, cells.shape)))
            for name, cells in columns.items()
            if name.startswith(ATTRIBUTE)
        }
    except (KeyError, ValueError, TypeError) as error:
        raise WorkspaceError(f"these are not the columns of a score table: {error}") from error
    first = next(one for one in kept if SCORES in one.columns)
    return ScoreTable(
        scores,
        member,
        records=columns.get(RECORD),
        models=columns.get(MODEL),
        present=None if present is None else present.reshape(shape[:2]).astype(bool),
        attributes=attributes,
        name=first.name,
        notes=first.notes,
        **meaning,
    )


def _plain(values: Cells) -> Cells:
    """A column as numbers, true and false, or text."""
    return values if values.dtype.kind in "biuf" else _text(values)


def _text(values: Cells) -> Cells:
    texts = [None if cell is None else str(cell) for cell in values.tolist()]
    column = np.empty(len(texts), dtype=object)
    column[:] = texts
    return column
