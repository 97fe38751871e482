"""Cards of sparse vector algorithms that answer above or below."""

from __future__ import annotations

import numpy as np

from workbench.claims.pure import PureDP
from workbench.mechanisms import svt
from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.cards.shared import HALF_ABOVE, LAST_ABOVE, QUERIES, SVT, user

TITLE = "Sparse vector"

_THREE = np.ones((3, 10))

CARDS = (
    Mechanism(
        "svt1",
        "Sparse vector 1 (Lyu, Su, Li)",
        svt.svt1,
        PureDP(1),
        True,
        "substitute",
        QUERIES,
        "Which of ten counts are above a threshold, until one is.",
        LAST_ABOVE,
        SVT.format(1) + "; SVT of StatDP and CheckDP",
    ),
    Mechanism(
        "svt2",
        "Sparse vector 2 (Dwork, Roth)",
        svt.svt2,
        PureDP(1),
        True,
        "substitute",
        QUERIES,
        "Which of ten counts are above a threshold, until two are; a new threshold after each.",
        user(3, [0] * 8 + [1, 1], [1] * 8 + [0, 0]),
        SVT.format(2),
    ),
    Mechanism(
        "svt3",
        "Sparse vector 3 (releases the noisy count)",
        svt.svt3,
        PureDP(1),
        False,
        "substitute",
        QUERIES,
        "Releases the noisy count that passed, which narrows down the noisy threshold.",
        HALF_ABOVE,
        SVT.format(3) + "; iSVT4 of StatDP",
    ),
    Mechanism(
        "svt4",
        "Sparse vector 4 (noise for one answer and one direction)",
        svt.svt4,
        PureDP(1),
        False,
        "substitute",
        QUERIES,
        "The query noise does not grow with the number of answers: 1.75ε for one answer.",
        HALF_ABOVE,
        SVT.format(4) + "; iSVT3 of StatDP, BadSVT3 of CheckDP",
    ),
    Mechanism(
        "svt5",
        "Sparse vector 5 (no query noise)",
        svt.svt5,
        PureDP(1),
        False,
        "substitute",
        QUERIES,
        "Noise on the threshold only: the order of two counts is revealed.",
        user(2, [0] * 9 + [1], [1] * 9 + [0]),
        SVT.format(5) + "; iSVT1 of StatDP, BadSVT1 of CheckDP",
    ),
    Mechanism(
        "svt6",
        "Sparse vector 6 (never stops)",
        svt.svt6,
        PureDP(1),
        False,
        "substitute",
        QUERIES,
        "Any number of answers above, with the noise of one.",
        HALF_ABOVE,
        SVT.format(6) + "; iSVT2 of StatDP, BadSVT2 of CheckDP",
    ),
    Mechanism(
        "svt-monotone",
        "Sparse vector for counts that move together",
        svt.svt_monotone,
        PureDP(1),
        True,
        "add-remove",
        QUERIES,
        "Half of the query noise is enough where a user adds to counts only.",
        (_THREE, np.vstack([_THREE, [1] * 9 + [0]])),
        SVT.format("7") + ", §4.3; CheckDP, SVT (Inc)",
    ),
)
