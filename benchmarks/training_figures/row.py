"""`Row`: one line of the table, a printed figure beside ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass

import numpy as np


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    source : str
        Paper and figure, or section of the method sheet.
    what : str
    theirs, ours : str
        What is printed there, and what was measured here.
    guarantee : str
        Of our number.
    """

    source: str
    what: str
    theirs: str
    ours: str
    guarantee: str


def mean_and_error(values: Iterable[float]) -> str:
    """Mean of several trials, and the standard error of that mean."""
    found = np.array(list(values))
    if found.size < 2:
        return f"{found.mean():.2f}"
    return f"{found.mean():.2f} ± {found.std(ddof=1) / np.sqrt(found.size):.2f}"


def table(rows: list[Row]) -> str:
    """The lines, in columns."""
    cells = [("source", "what", "theirs", "ours", "guarantee"), *map(astuple, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in cells)
