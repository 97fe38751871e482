"""Scores of members and of held-out records by one attack."""

from __future__ import annotations

import numpy as np

from workbench.curves.validation import Floats
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import Mark, Share, Style, histogram, label, rule
from workbench.figures.kit.types import Figure

MEMBERS = Style("in the training table", "p")
HELD_OUT = Style("held out", "q", "dash")

#: Ends of the guesses.
GUESSED = Style("", "ink", "dot", 1.5)


def scores(
    edges: Floats, members: Floats, held_out: Floats, ends: tuple[float, float], of: str
) -> Figure:
    """Histograms of the scores of both groups, and where records are guessed.

    Parameters
    ----------
    edges : ndarray, shape (bins + 1,)
    members, held_out : ndarray, shape (bins,)
        Shares of the scores of each group.
    ends : (float, float)
        Records with a score from the second on are guessed as members, those up to the first as
        held out; NaN for none.
    of : str
        What the attack is called.
    """
    low, high = float(edges[0]), float(edges[-1])
    top = max(float(members.max()), float(held_out.max()), 1e-9) / (1 - HEADROOM) * 1.02
    marks: list[Mark] = [
        histogram(HELD_OUT, edges, held_out, hover="{y:.1%} {name}"),
        histogram(MEMBERS, edges, members, hover="{y:.1%} {name}"),
    ]
    texts = (("guessed: held out", "right", -4), ("guessed: member", "left", 4))
    for at, (text, side, dx) in zip(ends, texts, strict=True):
        if low <= at <= high:
            # On the side of the rule that has more room.
            crowded = (
                at < low + 0.3 * (high - low) if side == "right" else at > high - 0.3 * (high - low)
            )
            words = {"right": f"← {text}", "left": f"{text} →"}[side]
            marks += [
                rule(GUESSED, x=at, end=Share(1 - HEADROOM)),
                label(
                    at,
                    Share(1 - 1.2 * HEADROOM if side == "left" else 1 - 1.7 * HEADROOM),
                    words,
                    "ink",
                    ha={"right": "left", "left": "right"}[side] if crowded else side,
                    va="top",
                    dx=-dx if crowded else dx,
                ),
            ]
    return chart(
        [*marks, key([MEMBERS, HELD_OUT])],
        axis("score, larger for members", low, high),
        axis("share of the records", 0, top, format=".0%"),
        summary=f"Scores of {of} of records in the training table and of held-out records; the "
        f"shares differ most by {float(np.abs(members - held_out).max()):.1%} in a bin.",
        revision=(low, high),
    )
