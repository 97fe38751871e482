"""`open_sources`: the tables of score files, of a file of labels, or of a tool's folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.scores.layouts.folders import arrow_files, files_of, find_files, sidecars
from workbench.scores.layouts.joined import labels_among, with_labels
from workbench.scores.ordered import Cells
from workbench.scores.parsing.compressed import ARCHIVE, archived_folder
from workbench.scores.parsing.limits import GB, LIMITS, TRUSTED
from workbench.scores.parsing.source import read_table
from workbench.scores.refusals import IF_TRUSTED, listed
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

if TYPE_CHECKING:
    from workbench.scores.parsing.source import Source

#: The name of SACRO-ML's report, and the arrays of its runs that hold scores and labels.
REPORT, RECORDS = "report.json", ("member_prob", "score", "member")


@dataclass(frozen=True)
class Opened:
    """The tables of score files, before a layout gives their columns a meaning.

    Attributes
    ----------
    tables : tuple of DataTable
        One, or that of P and that of Q.
    files : tuple of str
        Names of the files that were read; with a file of labels, there are two for one table.
    member : str, optional
        The column of the labels that came from a file of their own.
    """

    tables: tuple[DataTable, ...]
    files: tuple[str, ...] = ()
    member: str | None = None


def open_sources(
    path: Source,
    path_q: Source | None = None,
    path_labels: Source | None = None,
    *,
    member: str | None = None,
    trusted: bool = False,
) -> Opened:
    """The tables of score files, with the labels of a file of their own, or those in a folder.

    Parameters
    ----------
    path : path, bytes, str or DataFrame
        As of `read_table`, or a folder that a public tool wrote.
    path_q : path, bytes, str or DataFrame, optional
        The file of Q.
    path_labels : path, bytes, str or DataFrame, optional
        The file of the labels.
    member : str, optional
        The column of labels in their file.
    trusted : bool
        As of `read_table`.

    Raises
    ------
    ScoresError
        As of `read_table`; a folder without scores that are recognized, or with several to choose
        from; labels that do not belong to the scores; a file of labels in place of that of Q.
    """
    if path_q is not None and path_labels is not None:
        raise ScoresError(
            "path_q= and path_labels= exclude each other: with one file per group, the files say "
            "which scores are of members"
        )
    if path_q is None and path_labels is None and _is_archive(path):
        with archived_folder(Path(path), TRUSTED if trusted else LIMITS) as folder:  # type: ignore[arg-type]
            return _opened(path if folder is None else folder, member=member, trusted=trusted)
    return _opened(path, path_q, path_labels, member=member, trusted=trusted)


def _opened(
    path: Source,
    path_q: Source | None = None,
    path_labels: Source | None = None,
    *,
    member: str | None,
    trusted: bool,
) -> Opened:
    if path_q is None and path_labels is None and _is_folder(path):
        found = files_of(Path(path))  # type: ignore[arg-type]
        path, path_q, path_labels = found.path, found.path_q, found.path_labels
    sources = [source for source in (path, path_q, path_labels) if source is not None]
    tables = [_read(source, trusted) for source in sources]
    names = tuple(
        _name(source) or table.name for source, table in zip(sources, tables, strict=True)
    )
    if path_labels is not None:
        return joined(tables, names, member)
    if labels_among(tables) is not None:
        label = tables[labels_among(tables) or 0].label
        raise ScoresError(
            f"{label} holds labels, not the scores of a group; give it with path_labels="
        )
    return Opened(tuple(tables), names)


def joined(tables: Sequence[DataTable], files: Sequence[str], member: str | None = None) -> Opened:
    """A table of scores and one of labels as one.

    Parameters
    ----------
    tables : sequence of DataTable
        The scores and the labels.
    files : sequence of str
        The names of their files.
    member : str, optional
        The column of labels.
    """
    scores, labels = tables
    table, name = with_labels(scores, labels, member)
    return Opened((table,), tuple(files), name)


def is_of_tool(folder: Path) -> bool:
    """Whether `open_sources` opens the folder, or refuses it with what has to be chosen."""
    try:
        return find_files(folder) is not None
    except ScoresError:
        return True


def _is_folder(source: Any) -> bool:
    if not isinstance(source, str | os.PathLike) or "\n" in os.fsdecode(source):
        return False
    return os.path.isdir(source)


def _is_archive(source: Any) -> bool:
    if not isinstance(source, str | os.PathLike) or "\n" in os.fsdecode(source):
        return False
    return os.fsdecode(source).lower().endswith(ARCHIVE) and os.path.isfile(source)


def _name(source: Any) -> str:
    return Path(source).name if isinstance(source, str | os.PathLike) else ""


def _read(source: Source, trusted: bool) -> DataTable:
    """The table of a file, of a folder of arrow files, or of a report and what is beside it."""
    if _is_folder(source):
        folder = Path(source)  # type: ignore[arg-type]
        shards = arrow_files(folder)
        if shards:
            return _stacked(_parts(shards, trusted), folder.name)
    table = read_table(source, trusted=trusted)
    if _name(source) == REPORT and not table.columns:
        return _with_sidecars(table, Path(source), trusted)  # type: ignore[arg-type]
    return table


def _parts(paths: Sequence[Path], trusted: bool) -> list[DataTable]:
    """The tables of the parts of a data set, which together keep to the limits of one file."""
    tables, held = [], 0
    limits = TRUSTED if trusted else LIMITS
    most = limits.memory_for(sum(path.stat().st_size for path in paths))
    for path in paths:
        tables.append(read_table(path, trusted=trusted))
        held += sum(cells.nbytes for cells in tables[-1].columns.values())
        if held > most:
            raise ScoresError(
                f"the {len(paths)} arrow files of '{path.parent}' need more than {most / GB:.3g} "
                f"GB of memory; save the scores alone. {IF_TRUSTED}"
            )
    return tables


def _stacked(tables: Sequence[DataTable], name: str) -> DataTable:
    """Tables with the same columns, one below the other."""
    first = tables[0]
    for table in tables[1:]:
        if set(table.columns) != set(first.columns):
            raise ScoresError(
                f"{table.label} has the columns {listed(table.columns)} and {first.label} has "
                f"{listed(first.columns)}, so they are no parts of one data set"
            )
    sizes = [table.rows or 0 for table in tables]
    columns, filled = {}, {}
    for column in first.columns:
        cells = [table.columns[column] for table in tables]
        if any(x.dtype == object for x in cells):
            cells = [x.astype(object) for x in cells]
        columns[column] = np.concatenate(cells)
        ends = [table.filled[column] for table in tables]
        last = max((i for i, end in enumerate(ends) if end), default=0)
        filled[column] = sum(sizes[:last]) + ends[last]
    files = f"{len(tables)} arrow file{'s' * (len(tables) > 1)}"
    return replace(
        first,
        name=name,
        columns=columns,
        rows=sum(sizes),
        filled=filled,
        notes=(*dict.fromkeys(note for table in tables for note in table.notes), files),
    )


def _with_sidecars(report: DataTable, path: Path, trusted: bool) -> DataTable:
    """The scores of the runs of a report, from the files beside it."""
    files = sidecars(path)
    if not files:
        raise ScoresError(
            f"{report.label} holds no scores of records, and there is no file such as "
            "'lira_individual_0a1b2c3d_instance_0.npz' beside it; repeat the attack with "
            "report_individual=True, or copy that file"
        )
    columns: dict[str, Cells] = {}
    for run, file in files.items():
        table = read_table(file, trusted=trusted)
        found = {f"{run}.{name}": table.columns.get(name) for name in RECORDS}
        columns |= {name: cells for name, cells in found.items() if cells is not None}
    return replace(
        report,
        columns=columns,
        filled={name: cells.size for name, cells in columns.items()},
        notes=(f"read from {listed(file.name for file in files.values())} beside the report",),
        unusable={},
    )
