"""Cards of sparse vector algorithms that release numbers."""

from __future__ import annotations

from functools import partial

from workbench.claims.pure import PureDP
from workbench.mechanisms import svt_numbers
from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.cards.shared import (
    CHECKDP,
    GAP,
    HALF_ABOVE,
    LAST_ABOVE,
    QUERIES,
    SNIPER,
    user,
)

TITLE = "Sparse vector that releases numbers"

_MOST_BELOW = user(3, [0] * 7 + [1] * 3, [1] * 7 + [0] * 3)

CARDS = (
    Mechanism(
        "svt-numeric",
        "Sparse vector with fresh answers (NumericalSVT)",
        svt_numbers.svt_numeric,
        PureDP(1),
        True,
        "substitute",
        QUERIES,
        "Releases the count that passed, with noise of its own.",
        LAST_ABOVE,
        "Wang, Ding, Wang, Kifer, Zhang (2019), NumSVT; NumericalSVT of DP-Sniper",
    ),
    Mechanism(
        "svt-gap",
        "Sparse vector with gaps (GapSVT)",
        svt_numbers.svt_gap,
        PureDP(1),
        True,
        "substitute",
        QUERIES,
        "Releases by how much the noisy count exceeds the noisy threshold.",
        LAST_ABOVE,
        GAP.format("GapSVT"),
    ),
    Mechanism(
        "svt-gap-count",
        "Sparse vector with the noisy count (BadGapSVT)",
        partial(svt_numbers.svt_gap_count, epsilon=4.0),
        PureDP(4),
        False,
        "substitute",
        QUERIES,
        "Releases the noisy count instead of the gap, which narrows down the noisy threshold.",
        _MOST_BELOW,
        CHECKDP.format("BadGapSVT"),
    ),
    Mechanism(
        "svt-adaptive",
        "Sparse vector with adaptive noise (AdaptiveSVT)",
        svt_numbers.svt_adaptive,
        PureDP(1),
        True,
        "substitute",
        QUERIES,
        "More noise, at less cost, for counts far above the threshold.",
        LAST_ABOVE,
        GAP.format("AdaptiveSVT"),
    ),
    Mechanism(
        "svt-adaptive-count",
        "Sparse vector with adaptive noise, and the noisy count (BadAdaptiveSVT)",
        partial(svt_numbers.svt_adaptive_count, epsilon=4.0, margin=1.0),
        PureDP(4),
        False,
        "substitute",
        QUERIES,
        "In one branch it releases the noisy count instead of the gap.",
        HALF_ABOVE,
        CHECKDP.format("BadAdaptiveSVT"),
    ),
    Mechanism(
        "svt34-parallel",
        "Sparse vector 3 and 4 side by side (SVT34Parallel)",
        partial(svt_numbers.svt34_parallel, epsilon=4.0),
        PureDP(4),
        False,
        "substitute",
        QUERIES,
        "Neither keeps its half of ε.",
        HALF_ABOVE,
        SNIPER.format("SVT34Parallel"),
    ),
)
