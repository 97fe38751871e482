"""The scores of one record: of models that were trained on it, and of the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench.figures.kit.axes import axis, bare_axis
from workbench.figures.kit.layout import chart, margins
from workbench.figures.kit.marks import LEFT, Mark, Style, label, line, markers
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Figure
from workbench.figures.records.picture import picture
from workbench.scores.sample import Scores

IN = Style("trained on it", "p")
OUT = Style("not trained on it", "q")

#: Share of the chart's width that an image takes.
PICTURE = 0.26

#: Dots of each group that are drawn; the others are left out, evenly over the order of the scores.
MOST_DOTS = 500


def record(scores: Scores, name: str, image: ArrayLike | None = None) -> Figure:
    """A dot for each model, in two rows, with the median of each row.

    Parameters
    ----------
    scores : Scores
        P of the models with the record, Q of those without it.
    name : str
        Of the record.
    image : array_like, optional
        Its image, shown at the right.
    """
    marks: list[Mark] = []
    ends = []
    for row, (style, values) in enumerate(((OUT, scores.q), (IN, scores.p))):
        finite = np.sort(values[np.isfinite(values)])
        odd = values.size - finite.size
        more = f", {odd:,} not finite" if odd else ""
        words = f"{style.name}: {values.size:,} models{more}"
        if finite.size:
            shown = finite[_spread(finite.size)]
            heights = row + _jitter(shown.size)
            middle = float(np.median(finite))
            ends += [finite[0], finite[-1]]
            marks += [
                markers(
                    Style(style.name, f"{style.role}/.55", width=0),
                    shown,
                    heights,
                    size=7,
                    outline=None,
                    hover="{x:.4g}{name}",
                ),
                line(Style("median", style.role, width=2.5), [middle] * 2, [row - 0.3, row + 0.3]),
            ]
        marks.append(label(LEFT, row + 0.3, words, style.role, ha="left", va="bottom", dx=8))
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.5
    end = high + room
    if image is not None:
        end += PICTURE / (1 - PICTURE) * (high - low + 2 * room)
        width = end - low + room
        marks += picture(image, (end - (PICTURE - 0.02) * width, end - 0.01 * width), (0.25, 1.5))
    direction = "larger" if scores.larger_is_member else "smaller"
    return chart(
        marks,
        axis(f"score, {direction} for members", low - room, end),
        bare_axis(-0.5, 1.75),
        summary=f"Scores of {plain_name(name)} under {scores.n_p:,} models that were trained on it "
        f"and {scores.n_q:,} that were not.",
        closest=True,
        margin=margins(left=16),
    )


def _spread(size: int) -> Any:
    """Places of at most `MOST_DOTS` of so many, evenly from the first to the last."""
    return np.unique(np.linspace(0, size - 1, min(size, MOST_DOTS)).round().astype(int))


def _jitter(size: int) -> Any:
    """Heights that keep neighboring dots apart: a sequence of low discrepancy."""
    return (np.arange(size) * 0.61803398875 % 1 - 0.5) * 0.5
