"""Records in the order of their limits: lower limit and estimate of each, one row for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench._format import round_safely
from workbench.figures.kit.axes import axis, bare_axis
from workbench.figures.kit.layout import chart, empty, margins
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import LEFT, Mark, Style, box, label, markers, whiskers
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Figure

LIMIT = Style("lower limit, valid simultaneously", "good", "solid", 4)
ESTIMATE = Style("estimate", "muted", "solid", 1.5)

#: Characters of a row's name, and pixels: of a row, and of the margin that holds the names.
LONGEST, ROW, NAMES = 24, 18, 152

#: Rows above the first one, which hold the key, and below the last one.
ABOVE, BELOW = 3.2, 0.8

MARGIN = margins(left=NAMES)


@dataclass(frozen=True)
class Row:
    """A record of the ranking.

    Attributes
    ----------
    rank : int
        From 1.
    name : str
        Of the record, with what is known of it.
    limit, estimate : float
        Lower limit and estimate of ε.
    """

    rank: int
    name: str
    limit: float
    estimate: float


def ranking(rows: Sequence[Row], selected: int, reach: float) -> Figure:
    """Records with their lower limits and their estimates.

    Parameters
    ----------
    rows : sequence of Row
    selected : int
        Rank of the record in view.
    reach : float
        End of the axis of ε; estimates beyond it are not drawn.
    """
    if not rows:
        return empty("No record of this choice can be ranked.")
    limits = np.array([row.limit for row in rows])
    estimates = np.array([row.estimate for row in rows])
    ends = np.minimum(np.fmax(limits, estimates), reach)
    roles = [LIMIT.role if row.limit > 0 else "muted" for row in rows]
    names = [plain_name(f"{row.rank:,} · {row.name}", LONGEST) for row in rows]
    hover = [
        f"{row.rank:,} · {plain_name(row.name, 80)}: ε ≥ {round_safely(row.limit, 'down')}, "
        f"estimate {round_safely(row.estimate, 'nearest')}"
        for row in rows
    ]
    chosen = [k for k, row in enumerate(rows) if row.rank == selected]
    low = -0.02 * reach
    marks: list[Mark] = [box((low, reach), (k - 0.5, k + 0.5), "p", opacity=0.1) for k in chosen]
    marks.append(whiskers("lower limit", limits, limits, ends, roles, hover))
    inside = np.flatnonzero(estimates <= reach)
    if inside.size:
        marks.append(
            markers(
                ESTIMATE,
                estimates[inside],
                inside,
                size=8,
                symbol="circle-open",
                outline="muted",
                outline_width=1.5,
                hover="",
            )
        )
    marks += [
        label(LEFT, k, name, "p" if k in chosen else "ink", ha="right", dx=-8, size=11, veil=None)
        for k, name in enumerate(names)
    ]
    first = rows[0]
    return chart(
        [*marks, key([LIMIT, ESTIMATE])],
        axis("ε", low, reach),
        bare_axis(len(rows) - 1 + BELOW, -ABOVE),
        summary=f"{len(rows)} records; the first is {names[0]} with ε at least "
        f"{round_safely(first.limit, 'down')}.",
        closest=True,
        margin=MARGIN,
        height=max(300, round((len(rows) - 1 + ABOVE + BELOW) * ROW + MARGIN["t"] + MARGIN["b"])),
    )
