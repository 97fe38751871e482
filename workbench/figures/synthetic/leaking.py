"""The records that leak most, one row for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.figures.kit.axes import axis, bare_axis
from workbench.figures.kit.layout import chart, empty, margins
from workbench.figures.kit.marks import LEFT, Mark, Style, box, label, markers
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Figure

#: Characters of a row's name, and pixels: of a row, and of the margin that holds the names.
LONGEST, ROW, NAMES = 26, 18, 168

#: Rows above the first one, where the names have a heading, and below the last one.
ABOVE, BELOW = 1.1, 0.8

MARGIN = margins(left=NAMES)


@dataclass(frozen=True)
class LeakingRecord:
    """A record of the chart.

    Attributes
    ----------
    rank : int
        From 1.
    name : str
        Of the record, with what the synthetic table has of it.
    score : float
        Of the attack.
    copied : bool
        Whether the synthetic table has it exactly.
    """

    rank: int
    name: str
    score: float
    copied: bool


def leaking(rows: Sequence[LeakingRecord], selected: int, of: str) -> Figure:
    """Records of the training table in the order of their scores.

    Parameters
    ----------
    rows : sequence of LeakingRecord
    selected : int
        Rank of the record in view.
    of : str
        What the attack is called.
    """
    if not rows:
        return empty("There are no records to rank.")
    values = np.array([row.score for row in rows])
    low, high = float(values.min()), float(values.max())
    room = 0.06 * (high - low) or 0.5
    styles = Style("copied exactly", "bad"), Style("not copied", "p")
    marks: list[Mark] = [
        box((low - room, high + room), (k - 0.5, k + 0.5), "p", opacity=0.1)
        for k, row in enumerate(rows)
        if row.rank == selected
    ]
    for style, copied in zip(styles, (True, False), strict=True):
        at = [k for k, row in enumerate(rows) if row.copied is copied]
        if at:
            marks.append(
                markers(
                    style,
                    values[at],
                    np.array(at),
                    size=9,
                    hover="{value}",
                    values=[_words(rows[k]) for k in at],
                )
            )
    marks += [
        label(LEFT, k, plain_name(f"{row.rank} · {row.name}", LONGEST),
              "bad" if row.copied else "ink", ha="right", dx=-8, size=11, veil=None)
        for k, row in enumerate(rows)
    ]  # fmt: skip
    marks.append(
        label(LEFT, -ABOVE, "training ≈ synthetic row", "muted", ha="right", dx=-8, size=11,
              veil=None)
    )  # fmt: skip
    copies = sum(row.copied for row in rows)
    return chart(
        marks,
        axis("score of the attack", low - room, high + room),
        bare_axis(len(rows) - 1 + BELOW, -ABOVE - 0.5),
        summary=f"{len(rows)} records of the training table with the largest scores by {of}; "
        f"{copies} of them are in the synthetic table exactly.",
        closest=True,
        margin=MARGIN,
        height=max(300, round((len(rows) - 1 + ABOVE + BELOW) * ROW + MARGIN["t"] + MARGIN["b"])),
    )


def _words(row: LeakingRecord) -> str:
    return f"{row.rank} · {plain_name(row.name, 80)}: {row.score:.4g}"
