"""`check_layout`: whether files of a layout are read, and files of others left alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from workbench import _checks
from workbench.progress import silent
from workbench.scores.files import read_scores
from workbench.scores.layouts.tools import OTHER_TOOLS, TOOLS, Recognized, Tool
from workbench.scores.opening import open_sources
from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.tables.layouts.base import FoundTable, Stated, TableLayout
from workbench.tables.layouts.place import TablePlace
from workbench.tables.layouts.registry import LAYOUTS
from workbench.tables.read import read_score_table
from workbench.tables.table import ScoreTable
from workbench.testing.failure import Properties

#: What a layout that is not installed is called while it is checked.
_TRIED = "layout-under-check"

#: Tables that nobody's layout should take for its own.
_FOREIGN = (
    {"score": np.arange(6.0), "member": np.arange(6) % 2},
    {"in": np.arange(6.0), "out": np.arange(6.0)},
    {"a": np.arange(6.0)},
)


def check_layout(
    layout: Tool | TableLayout,
    file: str | os.PathLike[str],
    file_q: str | os.PathLike[str] | None = None,
    *,
    expected: Scores | ScoreTable | None = None,
) -> None:
    """Nothing, if a layout reads its files, and leaves those of others alone.

    Parameters
    ----------
    layout : Tool or TableLayout
        Of files of scores, such as `workbench.LabeledScores`, or of score tables.
    file, file_q : path
        A file, or the files of P and of Q, of this layout; or the folder of a score table.
    expected : Scores or ScoreTable, optional
        What is in them.

    Raises
    ------
    CheckFailure
        The first property that fails: the files are recognized, with columns that they have and
        words on what is known, `read_scores` or `read_score_table` reads what is expected, and
        other tables are not recognized.
    """
    path, other = Path(file), None if file_q is None else Path(file_q)
    if callable(getattr(layout, "recognize", None)):
        _check_tool(layout, path, other, expected)  # type: ignore[arg-type]
    else:
        _check_table_layout(layout, path, expected)  # type: ignore[arg-type]


def _check_tool(tool: Tool, path: Path, path_q: Path | None, expected: Any) -> None:
    demand = Properties(f"the layout {getattr(tool, 'tool', type(tool).__name__)!r}")
    opened = open_sources(path, path_q)
    known = tool.recognize(opened.tables)
    demand.demand(
        isinstance(known, Recognized),
        "it recognizes its files",
        f"got {known!r} for {', '.join(opened.tables[0].columns)}",
    )
    _check_known(known, opened.tables, demand)
    for columns in _FOREIGN:
        foreign = DataTable("nothing", dict(columns), "csv")
        demand.demand(
            tool.recognize([foreign]) is None,
            "it leaves tables of others alone",
            f"it takes one with the columns {', '.join(columns)}",
        )
    if tool in TOOLS or tool in OTHER_TOOLS.others.values():
        scores = read_scores(path, path_q=path_q)
    else:
        with OTHER_TOOLS.trying(_TRIED, tool):
            scores = read_scores(path, path_q=path_q)
    if expected is not None:
        wanted = _checks.instance(expected, Scores, "expected", "wb.Scores")
        for side in ("p", "q"):
            found, stated = (np.sort(getattr(one, side)) for one in (scores, wanted))
            demand.demand(
                np.array_equal(found, stated),
                f"the scores of {side.upper()} are read as expected",
                f"{found.size} are read, {stated.size} expected; the first are {found[:3]} and "
                f"{stated[:3]}",
            )


def _check_known(known: Any, tables: Any, demand: Properties) -> None:
    demand.demand(
        known.tool.strip() and known.columns, "it names the tool and by what it is recognized"
    )
    demand.demand(
        all(isinstance(text, str) and text.strip() for text in known.remarks),
        "its remarks are sentences",
        f"got {known.remarks!r}",
    )
    demand.demand(known.describe().endswith("."), "it says what is known, as sentences")
    demand.demand(
        bool(known.labeled) != (known.sides is not None),
        "it names columns of labels, or the columns of both sides, and not both",
        f"labeled = {dict(known.labeled)!r}, sides = {known.sides!r}",
    )
    named = [*known.labeled, *known.labeled.values()] if known.labeled else []
    places = [(one, tables[0]) for one in named]
    if known.sides is not None:
        places += list(zip(known.sides, [tables[0], tables[-1]], strict=True))
    for column, table in places:
        demand.demand(
            column in table.columns,
            "the columns that it names are there",
            f"{column!r} is not among {', '.join(table.columns)}",
        )


def _check_table_layout(layout: TableLayout, path: Path, expected: Any) -> None:
    demand = Properties(f"the layout {getattr(layout, 'name', type(layout).__name__)!r}")
    demand.demand(layout.about.strip(), "it says who writes it, and its parts")
    place = TablePlace(path, trusted=False)
    demand.demand(layout.recognizes(place) is True, "it recognizes its files", f"{path}")
    found = layout.read(place, Stated(), silent)
    demand.demand(isinstance(found, FoundTable), "it gives a wb.FoundTable", f"got {found!r}")
    demand.demand(found.how.strip(), "it says where values and memberships were found")
    table: Any
    if LAYOUTS.ours.get(layout.name) is layout or layout in LAYOUTS.others.values():
        table = read_score_table(path, layout=layout.name)
    else:
        with LAYOUTS.trying(layout.name, layout):
            table = read_score_table(path, layout=layout.name)
    if expected is not None:
        wanted = _checks.instance(expected, ScoreTable, "expected", "a wb.ScoreTable")
        demand.demand(
            np.array_equal(table.scores, wanted.scores, equal_nan=True)
            and np.array_equal(table.member, wanted.member),
            "the table is read as expected",
            f"shapes {table.scores.shape} and {wanted.scores.shape}",
        )
