"""Whether the scores speak against the direction in which they were read."""

from __future__ import annotations

import math

from workbench.scores.sample import Scores

#: Standard deviations of the AUC below ½ from which chance does not explain it: in one of 700 sets
#: of scores that leak nothing.
SIGNIFICANT = 3


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
