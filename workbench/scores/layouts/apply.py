"""Scores from tables by a layout: `scores_from_tables` and its steps."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.scores.layouts.guess import guess_layout
from workbench.scores.layouts.labels import (
    LONGEST_LABEL,
    MOST_LABELS,
    codes_of,
    distinct,
    factorized,
    spelling,
    text_of,
)
from workbench.scores.layouts.layout import Layout
from workbench.scores.layouts.repeats import repeats_in, rows_of
from workbench.scores.layouts.senses import why_open
from workbench.scores.layouts.tools import recognized
from workbench.scores.ordered import Cells
from workbench.scores.refusals import listed
from workbench.scores.sample import Scores, ScoresError
from workbench.scores.table import DataTable

Clusters = tuple[Cells, Cells] | None

log = logging.getLogger(__name__)


def scores_from_tables(
    tables: Sequence[DataTable],
    layout: Layout | None = None,
    *,
    larger_is_member: bool | None = None,
    sampling: str = "unknown",
    cluster_rule: str = "mean",
    nonfinite: str = "keep",
    name: str | None = None,
    seed: int | np.random.Generator | None = None,
) -> tuple[Scores, Layout]:
    """The scores in one table, or in one table per group, and where they were found.

    Parameters
    ----------
    tables : sequence of DataTable
        One, or that of P and that of Q.
    layout : Layout, optional
        Guessed from the names of the columns by default.
    larger_is_member, sampling, cluster_rule, nonfinite
        As in `Scores`.
    name : str, optional
        The name of the first table by default.
    seed : int or numpy.random.Generator, optional
        As in `Scores`.

    Returns
    -------
    scores : Scores
    layout : Layout

    Raises
    ------
    ScoresError
        The layout is in doubt or does not suit the tables, or the scores cannot be audited; rows
        of several models, or of one record, are not independent and ``sampling`` states nothing.
    """
    layout = guess_layout(*tables) if layout is None else layout
    known = recognized(tables)
    if known is not None and known.refusal and sampling == "unknown" and layout.cluster is None:
        raise ScoresError(known.refusal)
    if sampling == "unknown" and layout.cluster is None:
        found = repeats_in(tables, layout)
        if found is not None:
            raise ScoresError(found.refusal)
    p, q, clusters = apply_layout(tables[0], layout, *tables[1:])
    scores = Scores(
        p,
        q,
        larger_is_member=larger_is_member,  # type: ignore[arg-type]
        sampling=sampling,
        clusters=clusters,
        cluster_rule=cluster_rule,
        nonfinite=nonfinite,
        name=tables[0].name if name is None else name,
        seed=seed,
    )
    return scores, layout


def apply_layout(
    table: DataTable, layout: Layout, table_q: DataTable | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], Clusters]:
    """The scores of P and Q, and the labels of their clusters, by a layout.

    Parameters
    ----------
    table : DataTable
        The table, or that of P.
    layout : Layout
    table_q : DataTable, optional
        The table of Q, where the layout has one file per group.

    Returns
    -------
    p, q : ndarray of float, shape (n_p,), (n_q,)
        Non-finite scores included, empty cells as NaN. Empty cells at the end of one of two
        columns mark a shorter column and are no scores.
    clusters : pair of ndarray, shape (n_p,), (n_q,), or None
        Labels of the scores that belong together.

    Raises
    ------
    ScoresError
        Text among the numbers, labels that do not make two sides, sizes that do not match.
    """
    table = rows_of(table, layout.rows)
    table_q = None if table_q is None else rows_of(table_q, layout.rows)
    if layout.kind == "score and label":
        return _by_label(table, layout)
    p_name, q_name = str(layout.p), str(layout.q)
    if layout.kind == "one file per group":
        if table_q is None:
            raise ScoresError("this layout has one file per group: the file of Q is missing")
        p, q = table.numbers(p_name), table_q.numbers(q_name)
    else:
        table_q = table
        n_p, n_q = _lengths(table, p_name, q_name)
        p, q = table.numbers(p_name)[:n_p], table.numbers(q_name)[:n_q]
    if layout.cluster is None:
        return p, q, None
    return (
        p,
        q,
        (
            _clusters(table, layout, slice(p.size), p.size, "in"),
            _clusters(table_q, layout, slice(q.size), q.size, "out"),
        ),
    )


def _lengths(table: DataTable, p: str, q: str) -> tuple[int, int]:
    """Lengths of two columns without the empty cells that fill up the shorter one."""
    n_p, n_q = table.column(p).size, table.column(q).size
    if table.rows is None:
        return n_p, n_q
    short = [n - table.filled[c] for c, n in ((p, n_p), (q, n_q))]
    if all(short):
        raise ScoresError(
            f"{table.label}: columns {p!r} and {q!r} both end with empty cells ({short[0]} and "
            f"{short[1]} of {table.rows}), so it is open whether these are missing scores or "
            "shorter columns; write nan where a score is missing, save each side in a file of its "
            "own, or pass the arrays to wb.Scores"
        )
    if any(short) and table.format not in ("csv", "tsv"):
        log.warning(
            "%s: column %r is taken as shorter, without its %d empty cells at the end; if these "
            "were NaN scores, pass the arrays to wb.Scores",
            *(table.label, p if short[0] else q, sum(short)),
        )
    return n_p - short[0], n_q - short[1]


def _by_label(
    table: DataTable, layout: Layout
) -> tuple[NDArray[np.float64], NDArray[np.float64], Clusters]:
    x = table.numbers(str(layout.score))
    is_p = members(table, layout)
    if x.size != is_p.size:
        raise ScoresError(
            f"{table.label}: {layout.score!r} has {x.size} scores but {layout.member!r} has "
            f"{is_p.size} labels; give one label a score"
        )
    if layout.cluster is None:
        return x[is_p], x[~is_p], None
    return (
        x[is_p],
        x[~is_p],
        (
            _clusters(table, layout, is_p, x.size, "in"),
            _clusters(table, layout, ~is_p, x.size, "out"),
        ),
    )


def members(table: DataTable, layout: Layout) -> NDArray[np.bool_]:
    """Which rows of a table with a column of labels belong to P.

    Parameters
    ----------
    table : DataTable
    layout : Layout
        Of the kind "score and label".

    Returns
    -------
    ndarray of bool, shape (rows,)

    Raises
    ------
    ScoresError
        Empty labels, or labels that do not make two sides.
    """
    member, member_value = str(layout.member), layout.member_value
    index, labels = codes_of(table, member)
    if (index < 0).any():
        raise ScoresError(
            f"{table.label}, {table.place(int((index < 0).argmax()))}: the label column {member!r} "
            "is empty; say which side the score is on, or remove the row"
        )
    shown = list(distinct(labels))
    if len(shown) > MOST_LABELS:
        raise ScoresError(
            f"{table.label}: {member!r} has {len(shown)} different values, so it cannot say which "
            "side a row is on; choose another column with member="
        )
    if len(shown) == 1:
        raise ScoresError(
            f"{table.label}: the label column {member!r} holds only {shown[0]!r}, so one side has "
            "no scores; give the file of the other side with path_q=, or choose another column "
            "with member="
        )
    if member_value is None:
        raise ScoresError(
            f"{table.label}: the label column {member!r} holds {len(shown)} labels, "
            f"{listed(shown)}, {why_open(shown, member)}; say which one means 'in the data' with "
            f"member_value=, for example member_value={shown[0]!r} (all other rows become Q)"
        )
    of_p = np.array([spelling(text_of(label)) == spelling(member_value) for label in labels])
    if not of_p.any():
        raise ScoresError(
            f"{table.label}: no row of {member!r} holds {member_value!r}; its labels are "
            f"{listed(shown)}"
        )
    return np.asarray(of_p[index])


def _example(labels: list[str]) -> str:
    return "1" if "1" in labels else labels[0]


def _clusters(
    table: DataTable, layout: Layout, rows: NDArray[np.bool_] | slice, size: int, side: str
) -> Cells:
    name = str(layout.cluster)
    cells = table.column(name)
    if table.rows is None and cells.size != size:
        raise ScoresError(
            f"{table.label}: the cluster column {name!r} has {cells.size} entries for {size} "
            "scores; give one a score"
        )
    index, labels = factorized(cells)
    if (index[rows] < 0).any():
        first = int(np.flatnonzero(index < 0)[0])
        raise ScoresError(
            f"{table.label}, {table.place(first)}: the cluster column {name!r} is empty; every "
            "score needs its cluster"
        )
    texts = [text_of(label) for label in labels]
    longest = max(map(len, texts), default=0)
    if longest > LONGEST_LABEL:  # every score gets a copy of its label, as long as the longest
        raise ScoresError(
            f"{table.label}: the cluster column {name!r} holds a label of {longest} characters, "
            f"more than {LONGEST_LABEL}; number the clusters, or choose another column"
        )
    if name in layout.columns:  # the copies of a score, which the other side may have by chance
        texts = [f"{side} {text}" for text in texts]
    return np.array(texts)[index[rows]]
