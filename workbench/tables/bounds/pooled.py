"""Pooled scores of all records: an average over records, from rows that are not independent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.progress import Report, part, silent
from workbench.scores.ordered import Floats, locked
from workbench.scores.sample import Scores
from workbench.tables.bounds.tabulated import Tabulated

#: Assumption of bounds from pooled scores.
AVERAGE = "average over records, one run"

_NOTE = (
    "It compares an average member with an average non-member. It bounds no single record, and the "
    "scores of one model are not independent."
)


def pooled_scores(table: Tabulated) -> Scores:
    """Scores of all records and models: P of members, Q of the others."""
    return _as_scores(table, *_sides(table))


def _sides(table: Tabulated, report: Report = silent) -> tuple[Floats, Floats]:
    """Scores of P and of Q, larger for members, a model after the other."""
    p, q = np.empty(int(table.n_in.sum())), np.empty(int(table.n_out.sum()))
    n_p = n_q = 0
    for m in range(table.n_models):
        report(m / table.n_models, "pooling the scores")
        row, inside = table.matrix[m], table.member[m]
        outside = ~inside if table.present is None else table.present[m] & ~inside
        of_p, of_q = row[inside], row[outside]
        p[n_p : n_p + of_p.size], q[n_q : n_q + of_q.size] = of_p, of_q
        n_p, n_q = n_p + of_p.size, n_q + of_q.size
    return p, q


def _as_scores(table: Tabulated, p: Floats, q: Floats) -> Scores:
    if not table.larger_is_member:
        np.negative(p, out=p), np.negative(q, out=q)
    return Scores(
        locked(p),
        locked(q),
        larger_is_member=table.larger_is_member,
        sampling="one run",
        name=f"{table.name}, pooled" if table.name else "pooled",
    )


def pooled_bound(
    table: Tabulated, delta: float, confidence: float = 0.95, progress: Report | None = None
) -> Bound:
    """Lower bound on ε of the pooled scores. See `ScoreTable.pooled`."""
    report = silent if progress is None else progress
    p, q = _sides(table, part(report, 0.0, 0.4))
    # Only their order matters. They are sorted where they are, for memory.
    for done, side in ((0.4, p), (0.6, q)):
        report(done, "sorting the pooled scores")
        side.sort()
    report(0.8, "bounding the pooled scores")
    scores = _as_scores(table, p, q)
    found = tradeoff_band(scores, confidence).epsilon(delta)
    report(1.0, "finished")
    return replace(
        found,
        method="order-statistic band of pooled scores",
        assumption=AVERAGE,
        note=" ".join(filter(None, [_NOTE, found.note])),
        recompute=lambda level: pooled_bound(table, delta, level),
    )
