"""The question about the direction of a score by which members score the other way."""

from __future__ import annotations

import math

from workbench.scores.sample import Scores

#: Standard deviations of the AUC below ½ from which a page asks about the direction.
SIGNIFICANT = 2


def direction_question(scores: Scores, auc: float) -> str:
    """The question whether the direction is right; empty unless the AUC is significantly below ½.

    Parameters
    ----------
    scores : Scores
    auc : float
        Of these scores, in their direction.
    """
    deviation = math.sqrt((scores.n_p + scores.n_q + 1) / (12 * scores.n_p * scores.n_q))
    if auc >= 0.5 - SIGNIFICANT * deviation:  # as may well happen if nothing leaks
        return ""
    now, other = ("larger", "smaller") if scores.larger_is_member else ("smaller", "larger")
    return (
        f"Is the direction right? Members do not score {now} here (AUC {auc:.3f}). If "
        f"{other} scores suggest membership, as for "
        f"{'a loss' if other == 'smaller' else 'a similarity'}, have the data read with “{other} = "
        "member”."
    )
