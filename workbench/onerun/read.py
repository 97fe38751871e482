"""`read_one_run`: canaries of one run from a file."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.onerun.guesses import DESIGNS
from workbench.onerun.run import OneRun
from workbench.scores.layouts.apply import members
from workbench.scores.layouts.direction import doubt_of_direction
from workbench.scores.layouts.folders import run_file
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.layouts.layout import Layout
from workbench.scores.layouts.repeats import repeats_in, rows_of
from workbench.scores.parsing.source import read_table
from workbench.scores.sample import ScoresError
from workbench.scores.statement import ScoreStatement

if TYPE_CHECKING:
    import pandas as pd

    from workbench.scores.table import DataTable

log = logging.getLogger(__name__)

_ID_NAMES = ("id", "ids", "canary", "canaryid", "canaries")


def read_one_run(
    path: str | os.PathLike[str] | pd.DataFrame,
    *,
    score: str | None = None,
    included: str | None = None,
    included_value: object = None,
    id: str | None = None,
    rows: str | None = None,
    larger_is_member: bool | None = None,
    design: str | None = None,
    name: str | None = None,
    seed: int | np.random.Generator | None = None,
    trusted: bool = False,
) -> OneRun:
    """Scores and inclusions of m canaries, read from a file.

    The formats are those of `read_scores`. Columns are recognized by their names, and the choice
    is logged (logger ``workbench.onerun.read``).

    Parameters
    ----------
    path : path or DataFrame
        A file, or the folder of a training run.
    score, included : str, optional
        Columns of the scores and of the inclusions: 1 and 0, true and false, in and out.
    included_value : optional
        The label of "in", if it is another.
    id : str, optional
        Column that names the canaries; one called "id" or "canary" is recognized. Repeated names
        raise.
    rows : str, optional
        The rows that are used, as of `read_scores`.
    larger_is_member : bool, optional
        As in `OneRun`; by default what the file states, else True.
    design : {"fair-coins", "fixed-half", "fixed-size", "matched-pairs", "given"}, optional
        As in `OneRun`; by default what the file states, else "fair-coins".
    name : str, optional
        Shown in titles; the file's name by default.
    seed : int or numpy.random.Generator, optional
        As in `OneRun`.
    trusted : bool
        As in `read_scores`.

    Returns
    -------
    OneRun

    Raises
    ------
    ScoresError
        The file cannot be read, the columns are ambiguous, or the canaries cannot be audited.
    """
    return one_run_of_table(
        read_table(run_file(path), trusted=trusted),
        score=score,
        included=included,
        included_value=included_value,
        id=id,
        rows=rows,
        larger_is_member=larger_is_member,
        design=design,
        name=name,
        seed=seed,
    )


def one_run_of_table(
    table: DataTable,
    *,
    score: str | None = None,
    included: str | None = None,
    included_value: object = None,
    id: str | None = None,
    rows: str | None = None,
    larger_is_member: bool | None = None,
    design: str | None = None,
    name: str | None = None,
    seed: int | np.random.Generator | None = None,
) -> OneRun:
    """As `read_one_run`, from a table that was read before.

    Parameters
    ----------
    table : Table
    score, included, included_value, id, rows, larger_is_member, design, name, seed
        As in `read_one_run`.
    """
    statement = ScoreStatement.of([table])
    with _called_as_here():
        table = rows_of(table, rows)
        layout = guess_layout(table, score=score, member=included, member_value=included_value)
    if layout.kind != "score and label":
        raise ScoresError(
            f"{table.label} has the scores of both sides in columns of their own ({layout.p!r}, "
            f"{layout.q!r}); one run needs one row for each canary: a column of scores, and one of "
            "1 (in) and 0 (out). For two columns use wb.read_scores"
        )
    with _called_as_here():
        was_in = _included(table, layout)
    repeats = repeats_in([table], layout)
    if repeats is not None:
        raise ScoresError(
            f"{repeats.why}. Each canary has one coin and one score: keep one row of each"
            + (f", with rows='{repeats.key}={repeats.values[0]}'" if repeats.key else "")
        )
    found = id_column(table, taken=(layout.score, layout.member)) if id is None else id
    names = f"; canaries are named by '{found}'" if found else ""
    log.info("%s: %s%s", table.label, layout.describe(), names)
    doubt = doubt_of_direction(layout.columns, [table.name])
    if doubt and statement.stated_direction(larger_is_member) is None:
        log.warning("%s: %s", table.label, doubt)
    if statement.describe():
        log.info("%s: %s", table.label, statement.describe())
    return OneRun(
        table.numbers(str(layout.score)),
        was_in,
        larger_is_member=statement.direction(larger_is_member),
        ids=table.column(found) if found else None,
        design=design or statement.design or DESIGNS[0],
        name=statement.name or table.name if name is None else name,
        seed=seed,
    )


def _included(table: DataTable, layout: Layout) -> NDArray[np.bool_]:
    column = table.column(str(layout.member))
    if column.size and (column == column[0]).all():
        raise ScoresError(
            f"{table.label}: all {column.size} canaries have {layout.member} = {column[0]}, so "
            "nothing can be guessed; each must be put in by its own fair coin"
        )
    return members(table, layout)


@contextmanager
def _called_as_here() -> Iterator[None]:
    """Let refusals of the layout name the arguments of this reader."""
    try:
        yield
    except ScoresError as error:
        text = (
            str(error).replace("member_value=", "included_value=").replace("member=", "included=")
        )
        raise ScoresError(text) from None


def id_column(table: DataTable, taken: tuple[str | None, ...]) -> str | None:
    """The column that is called an id, if there is one.

    Parameters
    ----------
    table : DataTable
    taken : tuple of str
        Columns that are something else.
    """
    free = [c for c in table.columns if c not in taken]
    found = [c for c in free if re.sub(r"[^a-z]", "", c.lower()) in _ID_NAMES]
    return found[0] if len(found) == 1 else None
