"""Files of ranks: the rank of the true value among candidates is no score of a member."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.scores.layouts.senses import sense_of
from workbench.scores.refusals import quoted
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

#: What columns of ranks, and of the number of candidates, are called, without their numerals and
#: marks; the surest first.
_RANKS = ("rank", "ranks", "truerank", "rankoftruth")
_CANDIDATES = (
    "candidates", "ncandidates", "numcandidates", "numberofcandidates", "alternatives",
    "nalternatives", "values", "nvalues", "numvalues", "k",
)  # fmt: skip


@dataclass(frozen=True)
class RankColumns:
    """The columns of a file of ranks.

    Attributes
    ----------
    rank, candidates : str
        Columns of the ranks and of the numbers of candidates.
    """

    rank: str
    candidates: str


def rank_columns(table: DataTable) -> RankColumns | None:
    """The columns of ranks and of numbers of candidates of a table; None where it has not both.

    Parameters
    ----------
    table : DataTable
    """
    rank, candidates = named_as(table, _RANKS), named_as(table, _CANDIDATES)
    return RankColumns(rank, candidates) if rank and candidates else None


def rank_column(table: DataTable) -> str | None:
    """The column of ranks by its name, if there is one."""
    return named_as(table, _RANKS)


def ranks_in(table: DataTable) -> RankColumns | None:
    """The columns of a table of ranks; None where it has not both, or a column of memberships.

    Parameters
    ----------
    table : DataTable
    """
    labeled = any(sense_of(name) is not None for name in table.columns)
    return None if labeled else rank_columns(table)


def refuse_ranks(table: DataTable) -> None:
    """A ScoresError where a table has ranks among candidates and no column of memberships."""
    found = ranks_in(table)
    if found is None:
        return
    raise ScoresError(
        f"{table.label} has the ranks of true values among candidates (columns "
        f"{quoted(found.rank)} and {quoted(found.candidates)}), not scores of members and "
        "non-members; read it with wb.read_ranks(...), which wb.exposure takes, and on the command "
        "line with --ranks"
    )


def named_as(table: DataTable, names: tuple[str, ...]) -> str | None:
    """The column with one of some names, the surest first; None where two have the same.

    Parameters
    ----------
    table : DataTable
    names : tuple of str
        Letters alone, in lower case.
    """
    by_key: dict[str, list[str]] = {}
    for column in table.columns:
        by_key.setdefault(re.sub(r"[^a-z]", "", column.lower()), []).append(column)
    for name in names:
        if len(found := by_key.get(name, [])) == 1:
            return found[0]
    return None
