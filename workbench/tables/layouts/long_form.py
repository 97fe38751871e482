"""Long form: a row for each model and record, with its score and membership."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.progress import Report
from workbench.scores.counting.large import COUNTABLE, countable, is_large
from workbench.scores.refusals import quoted
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable
from workbench.tables.in_parts.in_process import columns_in_process, rows_in_process
from workbench.tables.layouts import words
from workbench.tables.layouts.base import FoundTable, Stated
from workbench.tables.layouts.columns import (
    check_filled,
    columns_of,
    found_table,
    memberships,
    names,
)
from workbench.tables.layouts.place import TablePlace


class LongForm:
    """Columns of models, records, scores and memberships.

    A large file, and the parts in a folder, are read a batch of rows at a time.
    """

    name = "long"
    about = (
        "long form (csv, tsv, parquet, feather, json, DataFrame, or a folder of parts): a row for "
        "each model and record, with columns such as model, record, score, member"
    )

    def recognizes(self, place: TablePlace) -> bool:
        """Whether a table has a column of models, one of records and one of memberships."""
        if _is_in_parts(place):
            columns = columns_in_process(place.path, place.trusted)
        elif place.is_table:
            columns = list(place.table().columns)
        else:
            return False
        wanted = (words.is_model, words.is_record, words.is_member)
        return all(any(map(belongs, columns)) for belongs in wanted)

    def read(self, place: TablePlace, stated: Stated, report: Report) -> FoundTable:
        """The table, with NaN where there is no row."""
        if _is_in_parts(place):
            return rows_in_process(place.path, stated, report, place.trusted)
        report(0.0, "reading the rows")
        table = place.table()
        taken = columns_of(table, stated)
        report(0.4, "finding models and records")
        rows, models = names(table, taken["model"])
        columns, records = names(table, taken["record"])
        inside = memberships(table, taken["member"], stated.member_value)
        scores = table.numbers(taken["scores"])
        check_filled(models.size, records.size, rows.size, table.label)
        cells = rows * records.size + columns
        _check_once(table, cells, rows, columns, models, records)
        report(0.7, "placing the scores")
        values = np.full(models.size * records.size, np.nan)
        member, present = np.zeros((2, values.size), dtype=bool)
        values[cells], member[cells], present[cells] = scores, inside, True
        attributes, notes = _attributes(table, taken, columns, records.size)
        report(1.0)
        shape = (models.size, records.size)
        return found_table(
            taken,
            values.reshape(shape),
            member.reshape(shape),
            present.reshape(shape),
            {"models": models, "records": records},
            attributes,
            notes,
        )


def _is_in_parts(place: TablePlace) -> bool:
    """Whether a table is read a batch of rows at a time."""
    if place.is_folder:
        return any(Path(name).suffix.lower() in COUNTABLE for name in place.entries)
    return place.path.is_file() and is_large(place.path) and bool(countable(place.path))


def _check_once(
    table: DataTable,
    cells: NDArray[Any],
    rows: NDArray[Any],
    columns: NDArray[Any],
    models: NDArray[Any],
    records: NDArray[Any],
) -> None:
    """Refuse two rows of one model and record."""
    seen = np.zeros(models.size * records.size, dtype=bool)
    seen[cells] = True
    if int(seen.sum()) == cells.size:
        return
    times = np.bincount(cells)
    i = int((times[cells] > 1).argmax())
    j = int(np.flatnonzero(cells == cells[i])[1])
    raise ScoresError(
        f"{table.label}: model {models[rows[i]]} and record {records[columns[i]]} have "
        f"{int(times[cells[i]])} rows, at {table.place(i)} and {table.place(j)}, and "
        f"{int((times > 1).sum())} pairs have more than one. Give each pair once: average several "
        "augmentations, or save them as an array (models, records, augmentations)"
    )


def _attributes(
    table: DataTable, taken: dict[str, str], columns: NDArray[Any], records: int
) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """The columns that have one value for each record, and a note on the others."""
    first = np.zeros(records, dtype=np.intp)
    first[columns[::-1]] = np.arange(columns.size)[::-1]
    found, other = {}, []
    for name, cells in table.columns.items():
        if name in taken.values():
            continue
        of_record = cells[first]
        if (cells == of_record[columns]).all():
            found[name] = of_record
        else:
            other.append(name)
    if not other:
        return found, []
    return found, [f"not used: {', '.join(map(quoted, other))}, which differ within a record"]
