"""Pooled scores of all records: an average over records, from rows that are not independent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.band import tradeoff_band
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
    sign = 1 if table.larger_is_member else -1
    outside = ~table.member if table.present is None else table.present & ~table.member
    return Scores(
        sign * table.matrix[table.member].astype(np.float64),
        sign * table.matrix[outside].astype(np.float64),
        larger_is_member=table.larger_is_member,
        sampling="one run",
        name=f"{table.name}, pooled" if table.name else "pooled",
    )


def pooled_bound(table: Tabulated, delta: float, confidence: float = 0.95) -> Bound:
    """Lower bound on ε of the pooled scores. See `ScoreTable.pooled`."""
    found = tradeoff_band(pooled_scores(table), confidence).epsilon(delta)
    return replace(
        found,
        method="order-statistic band of pooled scores",
        assumption=AVERAGE,
        note=" ".join(filter(None, [_NOTE, found.note])),
        recompute=lambda level: pooled_bound(table, delta, level),
    )
