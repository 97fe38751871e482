"""Rates of success on members and on held-out records, each with its exact limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench._format import percent
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis, bare_axis
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import LEFT, Mark, Style, label, whiskers
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Figure

MEMBERS = Style("members", "p", width=3)
HELD_OUT = Style("held-out records", "q", width=3)

#: Rows above the first point, for its name and the key.
ABOVE = 2.0

#: Characters of the name of a threat, which must fit on a phone.
LONGEST = 34

#: Rows of the chart that a threat takes: its name, and one for each group.
ROWS = 3


@dataclass(frozen=True)
class Rate:
    """Successes on one group of records, with exact limits of the rate.

    Attributes
    ----------
    successes, records : int
    low, high : float
    """

    successes: int
    records: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The rate that was seen; 0 where nothing was attacked."""
        return self.successes / self.records if self.records else 0.0


@dataclass(frozen=True)
class ThreatRow:
    """A threat as the chart shows it.

    Attributes
    ----------
    name : str
    members, held_out : Rate
    """

    name: str
    members: Rate
    held_out: Rate


def threats(rows: Sequence[ThreatRow], confidence: float) -> Figure:
    """Two rows per threat: how often it succeeded on members, and on held-out records.

    Parameters
    ----------
    rows : sequence of ThreatRow
    confidence : float
        Of the limits.
    """
    if not rows:
        return empty("No threat was measured.")
    count = ROWS * len(rows) - 1
    x, low, high = (np.full(count, np.nan) for _ in range(3))
    roles, hover = ["muted"] * count, [""] * count
    marks: list[Mark] = []
    for k, row in enumerate(rows):
        for line, style, rate in ((0, MEMBERS, row.members), (1, HELD_OUT, row.held_out)):
            at = ROWS * k + line
            x[at], low[at], high[at] = rate.share, rate.low, rate.high
            roles[at] = style.role
            hover[at] = f"{row.name}, {style.name}: {_words(rate)}"
        marks.append(
            label(
                LEFT,
                ROWS * k,
                plain_name(row.name, LONGEST),
                "ink",
                ha="left",
                va="bottom",
                dx=6,
                dy=6,
                veil=0.9,
            )
        )
    reach = min(1.0, 1.1 * float(np.nanmax(high)))
    return chart(
        [
            whiskers("rate of success", x, low, high, roles, hover),
            *marks,
            key([MEMBERS, HELD_OUT], columns=2),
        ],
        axis(f"rate of success, with {percent(confidence)} limits", -0.02 * reach, reach,
             format=".0%"),
        bare_axis(count - 1 + dot_rows.BELOW, -ABOVE),
        summary="; ".join(filter(None, hover)) + ".",
        closest=True,
        margin=dot_rows.MARGIN,
        height=round(
            dot_rows.MARGIN["t"]
            + dot_rows.MARGIN["b"]
            + (count - 1 + dot_rows.BELOW + ABOVE) * dot_rows.ROW
        ),
    )  # fmt: skip


def _words(rate: Rate) -> str:
    return (
        f"{rate.successes:,} of {rate.records:,}, {rate.share:.1%}, from {rate.low:.1%} to "
        f"{rate.high:.1%}"
    )
