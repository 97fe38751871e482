"""Columns of the tables: what was found, and how the synthetic table differs in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.curves.validation import Floats
from workbench.figures.importing import FLOOR, HISTOGRAM, ROW
from workbench.figures.kit.axes import bare_axis
from workbench.figures.kit.layout import chart, empty, margins
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import LEFT, Mark, Style, band, box, label, line, rule, steps
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Figure

REAL = Style("training and holdout", "ink", width=1.5)
SYNTHETIC = Style("synthetic", "p", width=1.5)

#: The floor of a histogram, and what parts two rows.
BASE = Style("", "grid", width=1)

#: Rows above the first column, which hold the key.
ABOVE = 0.55


@dataclass(frozen=True, eq=False)
class ColumnRow:
    """A column as the chart shows it.

    Attributes
    ----------
    name : str
    words : str
        Its kind, and what else is known of it.
    real, synthetic : ndarray, shape (bins,)
        Shares of the values in bins, or of categories; empty where the column is left out.
    selected : bool
        Whether its kind is shown beside.
    """

    name: str
    words: str
    real: Floats
    synthetic: Floats
    selected: bool = False


def columns(rows: Sequence[ColumnRow], more: int = 0) -> Figure:
    """A row for each column: name, kind, and the two distributions.

    Parameters
    ----------
    rows : sequence of ColumnRow
    more : int
        Further columns, which are not shown.
    """
    if not rows:
        return empty("No columns were found.")
    marks: list[Mark] = []
    for at, row in enumerate(rows):
        if row.selected:
            marks.append(box((0, 1), (at, at + 1), "p", opacity=0.08))
        if row.real.size:
            marks += _shares(at, row)
        role = "ink" if row.real.size else "muted"
        marks += [
            label(LEFT, at, plain_name(row.name, 40), role, ha="left", va="top", dx=4, dy=-2),
            label(LEFT, at, row.words, "muted", ha="left", va="top", dx=4, dy=-18),
            rule(BASE, y=at + 1),
        ]
    named = "; ".join(f"{plain_name(row.name, 40)}: {row.words}" for row in rows)
    rest = f" And {more} more." if more else ""
    return chart(
        [*marks, key([REAL, SYNTHETIC], columns=2)],
        bare_axis(0, 1),
        bare_axis(len(rows), -ABOVE),
        summary=f"Columns of the tables. {named}.{rest}",
        revision=len(rows),
        margin=margins(left=16, bottom=8),
        height=round(16 + ROW * (len(rows) + ABOVE)),
    )


def _shares(at: int, row: ColumnRow) -> list[Mark]:
    edges = np.linspace(0, 1, row.real.size + 1)
    most = max(float(row.real.max()), float(row.synthetic.max()), 1e-9)
    heights = [
        at + FLOOR - HISTOGRAM * np.append(shares, 0) / most for shares in (row.real, row.synthetic)
    ]
    floor = np.full(edges.size, at + FLOOR)
    return [
        band(line(BASE, edges, floor, hover=""), steps(REAL, edges, heights[0], hover=""), "ink",
             0.12),
        steps(SYNTHETIC, edges, heights[1], hover=""),
    ]  # fmt: skip
