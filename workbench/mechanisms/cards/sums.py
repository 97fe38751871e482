"""Cards of sums, of all records and of all that came so far."""

from __future__ import annotations

from functools import partial

import numpy as np

from workbench.claims.gdp import GDP
from workbench.claims.pure import PureDP
from workbench.mechanisms import means, sums
from workbench.mechanisms.base import Domain, Mechanism
from workbench.mechanisms.cards.shared import (
    BITS,
    CHECKDP,
    NOUGHT_OR_ONE,
    ONE_TO_TWO,
    SNIPER,
    UNIT,
    user,
)

TITLE = "Sums"

_SECOND = (np.array([1.0, 0.0, 1.0]), np.array([1.0, 1.0, 1.0]))

CARDS = (
    Mechanism(
        "gaussian-sum",
        "Gaussian sum",
        means.gaussian_sum,
        GDP(1),
        True,
        "add-remove",
        UNIT,
        "A sum of values clipped to [0, 1], with Gaussian noise.",
        ONE_TO_TWO,
        "Dong, Roth, Su (2022), §2",
    ),
    Mechanism(
        "gaussian-sum-unclipped",
        "Gaussian sum, without clipping",
        means.gaussian_sum_unclipped,
        GDP(1),
        False,
        "add-remove",
        Domain(-5, 5),
        "The noise is calibrated for values in [0, 1], but values up to 5 are summed.",
        (np.array([1.0]), np.array([1.0, 5.0])),
    ),
    Mechanism(
        "laplace-sum",
        "Laplace sum",
        sums.laplace_sum,
        PureDP(1),
        True,
        "substitute",
        UNIT,
        "A sum of values clipped to [0, 1], with Laplace noise.",
        NOUGHT_OR_ONE,
        "Dwork et al. (2006); LaplaceMechanism of DP-Sniper; PartialSum of CheckDP",
    ),
    Mechanism(
        "laplace-sum-half-noise",
        "Laplace sum with half of the noise (BadPartialSum)",
        partial(sums.laplace_sum, noise_factor=0.5),
        PureDP(1),
        False,
        "substitute",
        UNIT,
        "Noise Lap(1/(2ε)), where the sum needs Lap(1/ε).",
        NOUGHT_OR_ONE,
        CHECKDP.format("BadPartialSum"),
    ),
    Mechanism(
        "laplace-parallel",
        "The same sum twenty times (LaplaceParallel)",
        sums.laplace_parallel,
        PureDP(1),
        True,
        "substitute",
        UNIT,
        "Twenty releases with ε/20 each: only all of them together leak the whole ε.",
        NOUGHT_OR_ONE,
        SNIPER.format("LaplaceParallel"),
    ),
    Mechanism(
        "prefix-sum",
        "Prefix sums, one record changes",
        sums.prefix_sum,
        PureDP(1),
        True,
        "substitute",
        UNIT,
        "Running sums of records with Laplace noise each; every later sum has the same noise.",
        _SECOND,
        "Wang, Ding, Wang, Kifer, Zhang (2019), PrefixSum",
    ),
    Mechanism(
        "prefix-sum-user",
        "Prefix sums, a user in all of them",
        sums.prefix_sum_user,
        PureDP(1),
        False,
        "substitute",
        BITS,
        "Noise for one record, but a user is in all five columns: 5ε.",
        user(1, [0] * 5, [1] * 5),
        SNIPER.format("PrefixSum, where all queries move"),
    ),
    Mechanism(
        "smart-sum",
        "Prefix sums by blocks (SmartSum)",
        sums.smart_sum,
        PureDP(1),
        True,
        "substitute",
        UNIT,
        "Noisy totals of blocks of three and noisy records since; a record is in two of them.",
        _SECOND,
        "Chan, Shi, Song (2011); SmartSum of CheckDP",
    ),
    Mechanism(
        "smart-sum-exact-totals",
        "Prefix sums by blocks, totals without noise (BadSmartSum)",
        sums.smart_sum_exact_totals,
        PureDP(1),
        False,
        "substitute",
        UNIT,
        "The last sum of each block is exact.",
        _SECOND,
        CHECKDP.format("BadSmartSum"),
    ),
)
