"""Groups of records, such as classes: the largest limit of each, and how many exceed ε₀."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench._format import plain, round_safely
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis, round_up
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.marks import whiskers
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Figure


@dataclass(frozen=True)
class RecordGroup:
    """A group of records.

    Attributes
    ----------
    name : str
    records, exceeding : int
        Its records, and how many of them exceed ε₀ at least.
    largest : float
        The largest lower limit of its records.
    """

    name: str
    records: int
    exceeding: int
    largest: float


def groups(found: Sequence[RecordGroup], asked: float, attribute: str, more: int = 0) -> Figure:
    """One row for each group: the largest lower limit, and the number of records above ε₀.

    Parameters
    ----------
    found : sequence of RecordGroup
    asked : float
        ε₀.
    attribute : str
        What the records are grouped by.
    more : int
        Groups that are not among them.
    """
    if not found:
        return empty("Choose an attribute to group the records by.")
    largest = np.array([group.largest for group in found])
    reach = round_up(1.1 * max(asked, 0.5, *largest))
    names = [
        f"{plain_name(g.name)}: {g.exceeding:,} of {g.records:,} exceed {plain(asked)}, "
        f"worst ≥ {round_safely(g.largest, 'down')}"
        for g in found
    ]
    roles = ["good" if group.largest > 0 else "muted" for group in found]
    rest = f" {more:,} smaller groups are not shown." if more else ""
    return chart(
        [
            whiskers("worst record", largest, np.zeros(largest.size), largest, roles, names),
            *dot_rows.names(names, roles, 14),
            *dot_rows.compared_with(asked, "ε₀", right=asked < 0.7 * reach),
        ],
        axis(f"ε of the worst record by {plain_name(attribute)}", -0.02 * reach, reach),
        dot_rows.axis(len(found)),
        summary="; ".join(names) + "." + rest,
        closest=True,
        **dot_rows.size(len(found)),
    )
