"""`table_of_rows`: a table in long form from a large file, or from the parts in a folder."""

from __future__ import annotations

from pathlib import Path

from workbench.progress import Report
from workbench.scores.counting.part_files import Parts
from workbench.scores.counting.row_sources import UnreadError
from workbench.scores.refusals import called, listed
from workbench.tables.in_parts.growing import GrowingTable
from workbench.tables.layouts.base import FoundTable, Stated
from workbench.tables.layouts.columns import columns_of, found_table


def columns_of_parts(path: Path) -> list[str]:
    """The names of the columns of a large file, or of the parts in a folder."""
    return list(Parts.of(path).sample().columns)


def table_of_rows(path: Path, stated: Stated, report: Report) -> FoundTable:
    """The table of a large file, or of the parts in a folder, in one pass.

    Raises
    ------
    ScoresError
        A column is missing, or the rows do not make a table.
    """
    parts = Parts.of(path)
    sample = parts.sample()
    taken = columns_of(sample, stated)
    table = GrowingTable(taken, stated.member_value)
    notes = [*parts.notes]
    if others := [name for name in sample.columns if name not in taken.values()]:
        notes.append(f"not used: {listed(others)}, since the rows are read a batch at a time")
    for i, source in enumerate(parts.sources):
        name, before = source.path.name, table.rows
        try:
            for batch, share in source.batches(table.numbers, table.names):
                done = (i + share) / len(parts.sources)
                table.add(batch, name, done)
                report(done, f"{table.rows:,} rows")
        except UnreadError as error:
            used = table.rows - before
            notes.append(f"{error}: {f'{used:,} rows before that were' if used else 'nothing was'} "
                         "used")  # fmt: skip
        size = source.path.stat().st_size if source.path.exists() else 0
        if size != source.size:
            notes.append(
                f"{called(name)} changed while it was read, from {source.size:,} to {size:,} "
                "bytes: what it held at the beginning was used"
            )
    values, member, present, names = table.result()
    return found_table(taken, values, member, present, names, {}, notes)
