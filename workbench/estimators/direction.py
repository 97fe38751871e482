"""Whether the scores speak against the direction in which they were read."""

from __future__ import annotations

import math

from workbench.estimators.roc import Roc

#: Standard deviations of the AUC below ½ from which chance does not explain it: in one of 700 sets
#: of scores that leak nothing.
SIGNIFICANT = 3


def is_reversed(found: Roc) -> bool:
    """True if members score significantly less member-like than non-members.

    Then the direction of the score is probably the other one. The standard deviation is that of
    the Mann–Whitney statistic without leakage and without ties.

    Parameters
    ----------
    found : Roc
        The curve of the scores as they were read.
    """
    n_p, n_q = found.scores.n_p, found.scores.n_q
    deviation = math.sqrt((n_p + n_q + 1) / (12 * n_p * n_q))
    return found.auc < 0.5 - SIGNIFICANT * deviation
