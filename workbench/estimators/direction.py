"""Whether the scores speak against the direction in which they were read."""

from __future__ import annotations

import math

from workbench.estimators.roc import roc
from workbench.scores.sample import Scores, require_scores

#: Standard deviations of the AUC below ½ from which chance does not explain it: in one of 700 sets
#: of scores that leak nothing.
SIGNIFICANT = 3


def direction_doubt(scores: Scores) -> str:
    """Why the direction of scores is in doubt, and what to state; "" where it is not.

    Parameters
    ----------
    scores : Scores
        A direction that was stated is not doubted.
    """
    require_scores(scores)
    if scores.direction_stated:
        return ""
    auc = scores.results.get("auc")
    if auc is None:
        auc = scores.results["auc"] = roc(scores).auc
    if not is_reversed(scores, auc):
        return ""
    return (
        f"Members score lower than non-members (AUC {auc:.3f}), and nobody stated that larger "
        "scores speak for membership. If smaller ones do, as losses, state "
        "larger_is_member=False; if the two groups are exchanged, exchange them; if neither, state "
        "larger_is_member=True."
    )


def is_reversed(scores: Scores, auc: float) -> bool:
    """True if members score significantly less member-like than non-members.

    Then the direction of the score is probably the other one. The standard deviation is that of
    the Mann–Whitney statistic without leakage and without ties.

    Parameters
    ----------
    scores : Scores
        The scores as they were read.
    auc : float
        Of these scores, in their direction.
    """
    n_p, n_q = scores.n_p, scores.n_q
    deviation = math.sqrt((n_p + n_q + 1) / (12 * n_p * n_q))
    return auc < 0.5 - SIGNIFICANT * deviation
