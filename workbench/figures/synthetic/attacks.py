"""Attacks side by side: the bound of each, and which one was chosen before measuring."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart
from workbench.figures.kit.marks import whiskers
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Figure
from workbench.figures.one_run.reference import ReferenceValue

#: Characters of the name of an attack, which must fit on a phone.
LONGEST = 36


@dataclass(frozen=True)
class AttackRow:
    """An attack as the chart shows it.

    Attributes
    ----------
    name : str
        What people call it.
    bound : Bound
    chosen : bool
        Whether the learning share chose it.
    """

    name: str
    bound: Bound
    chosen: bool


def attacks(rows: Sequence[AttackRow], claim: ReferenceValue | None) -> Figure:
    """One row per attack, from 0 to its lower bound on ε.

    Parameters
    ----------
    rows : sequence of AttackRow
    claim : ReferenceValue, optional
        What was promised.
    """
    values = np.array([row.bound.value for row in rows])
    seen = [v for v in values if math.isfinite(v)]
    seen += [claim.epsilon] if claim and math.isfinite(claim.epsilon) else []
    reach = 1.12 * max([*seen, 0.1])
    shown = np.minimum(values, reach)
    roles = [_role(row) for row in rows]
    texts = [
        f"{'chosen · ' if row.chosen else ''}{row.bound.rounded} · {plain_name(row.name, LONGEST)}"
        for row in rows
    ]
    hover = [f"{row.name}: ε ≥ {row.bound.rounded}{_said(row)}" for row in rows]
    compared = []
    if claim and math.isfinite(claim.epsilon):
        compared = dot_rows.compared_with(claim.epsilon, claim.name, claim.epsilon < 0.7 * reach)
    first = rows[0].bound
    return chart(
        [
            whiskers("lower bound on ε", shown, 0 * shown, shown, roles, hover),
            *compared,
            *dot_rows.names(texts, roles, 14),
        ],
        axis(f"{first.symbol}, at least ({percent(first.confidence or 0)})", -0.02 * reach, reach),
        dot_rows.axis(len(rows)),
        summary="; ".join(hover) + ".",
        closest=True,
        **dot_rows.size(len(rows)),
    )


def _role(row: AttackRow) -> str:
    if row.bound.void:
        return "warn"
    return "good" if row.chosen else "muted"


def _said(row: AttackRow) -> str:
    if row.chosen:
        return " (chosen before measuring)"
    return " (estimate)"
