"""`read_ranks`: ranks of true values among candidates from a file."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import numpy as np

from workbench import _checks
from workbench.onerun.ranks.ranks import Ranks
from workbench.onerun.read import id_column
from workbench.scores.layouts.folders import run_file
from workbench.scores.layouts.ranked import rank_column, rank_columns
from workbench.scores.layouts.repeats import rows_of
from workbench.scores.parsing.source import read_table
from workbench.scores.refusals import listed, quoted
from workbench.scores.sample import ScoresError

if TYPE_CHECKING:
    import pandas as pd

    from workbench.scores.table import DataTable

log = logging.getLogger(__name__)


def read_ranks(
    path: str | os.PathLike[str] | pd.DataFrame,
    *,
    rank: str | None = None,
    candidates: str | None = None,
    values: int | None = None,
    id: str | None = None,
    rows: str | None = None,
    name: str | None = None,
    trusted: bool = False,
) -> Ranks:
    """Ranks of the true values of m canaries among their candidates, read from a file.

    The formats are those of `read_scores`, with one row for each canary. Columns are recognized by
    their names, and the choice is logged (logger ``workbench.onerun.ranks.read``).

    Parameters
    ----------
    path : path or DataFrame
        A file, or the folder of a training run.
    rank, candidates : str, optional
        Columns of the ranks, 1 for the most likely, and of the number of candidates, the true one
        included; by default those called "rank", and "candidates", "values" or "k".
    values : int, optional
        The number of candidates, where no column has it.
    id : str, optional
        Column that names the canaries; one called "id" or "canary" is recognized. Repeated names
        raise.
    rows : str, optional
        The rows that are used, as of `read_scores`, such as ``"candidates=1000"``.
    name : str, optional
        Shown in titles; the file's name by default.
    trusted : bool
        As in `read_scores`.

    Returns
    -------
    Ranks

    Raises
    ------
    ScoresError
        The file cannot be read, has no column of ranks or no number of candidates, or several
        numbers; ranks that are no ranks among so many.
    """
    table = read_table(run_file(path), trusted=trusted)
    return ranks_of_table(
        table, rank=rank, candidates=candidates, values=values, id=id, rows=rows, name=name
    )


def ranks_of_table(
    table: DataTable,
    *,
    rank: str | None = None,
    candidates: str | None = None,
    values: int | None = None,
    id: str | None = None,
    rows: str | None = None,
    name: str | None = None,
) -> Ranks:
    """As `read_ranks`, from a table that was read before.

    Parameters
    ----------
    table : DataTable
    rank, candidates, values, id, rows, name
        As in `read_ranks`.
    """
    if values is not None and candidates is not None:
        raise ValueError(
            f"give either values= or candidates=, not both; got values={_checks.shown(values)} and "
            f"candidates={candidates!r}"
        )
    table = rows_of(table, rows)
    known = rank_columns(table)
    rank = rank or (known.rank if known else rank_column(table))
    if rank is None:
        raise ScoresError(
            f"{table.label} has no column called 'rank', only {listed(list(table.columns))}; name "
            "the column of ranks with rank="
        )
    if values is None:
        candidates = candidates or (known.candidates if known else None)
        if candidates is None:
            raise ScoresError(
                f"{table.label} has no column called 'candidates' beside {quoted(rank)}; give the "
                "number of candidates of each canary with values=, or name its column with "
                "candidates="
            )
        values = _one_number(table, candidates)
    found = id_column(table, taken=(rank, candidates)) if id is None else id
    said = f"candidates {quoted(candidates)}" if candidates else f"{values} candidates"
    named = f"; canaries are named by {quoted(found)}" if found else ""
    log.info("%s: ranks %s, %s%s", table.label, quoted(rank), said, named)
    return Ranks(
        table.numbers(rank),  # type: ignore[arg-type]
        values,
        ids=table.column(found) if found else None,
        name=table.name if name is None else name,
    )


def _one_number(table: DataTable, column: str) -> int:
    """The number of candidates, the same in each row."""
    cells = table.numbers(column)
    different = np.unique(cells)
    if different.size > 1:
        raise ScoresError(
            f"{table.label} has canaries with {different[0]:g} to {different[-1]:g} candidates "
            f"(column {quoted(column)}); a bound is for one number: choose rows, before any bound "
            f"is seen, with rows='{column}={different[-1]:.0f}'"
        )
    if not cells.size:
        raise ScoresError(f"{table.label} has no rows; check that the file was written")
    if not (cells[0] >= 2 and cells[0] == np.floor(cells[0])):
        raise ScoresError(
            f"{table.label} has {cells[0]:g} candidates (column {quoted(column)}); a rank is among "
            "a whole number of at least 2, the true one included"
        )
    return int(cells[0])
