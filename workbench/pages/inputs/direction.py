"""The question about the direction of the score, where members score the other way."""

from __future__ import annotations

from workbench.estimators.direction import is_reversed
from workbench.estimators.roc import Roc


def direction_question(found: Roc) -> str:
    """The question whether the direction is right; empty unless the AUC is significantly below ½.

    Parameters
    ----------
    found : Roc
        Of the scores in their direction.
    """
    if not is_reversed(found.scores, found.auc):
        return ""
    larger = found.scores.larger_is_member
    now, other = ("larger", "smaller") if larger else ("smaller", "larger")
    return (
        f"Is the direction right? Members do not score {now} here (AUC {found.auc:.3f}). If "
        f"{other} scores suggest membership, as for "
        f"{'a loss' if other == 'smaller' else 'a similarity'}, have the data read with “{other} = "
        "member”. If the two groups are exchanged, have the other label read as that of members."
    )
