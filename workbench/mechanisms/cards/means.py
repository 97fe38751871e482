"""Cards of means."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from workbench.claims.approx import ApproxDP
from workbench.claims.pure import PureDP
from workbench.claims.renyi import RenyiDP
from workbench.mechanisms import means
from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.cards.shared import KONG, LIBRARY, ONE_AND_NOUGHT, ONE_TO_TWO, UNIT

TITLE = "Means"

#: Order of the Rényi claim, as in Kong et al. (2023).
ORDER = 1.5

_MEAN_CLAIM = RenyiDP(ORDER, 0.05)
_MEAN_SIGMA = math.sqrt(ORDER / _MEAN_CLAIM.epsilon_0)

CARDS = (
    Mechanism(
        "laplace-mean",
        "Laplace mean (DPLaplace)",
        means.laplace_mean,
        PureDP(1),
        True,
        "add-remove",
        UNIT,
        "Sum and count with Laplace noise, ε/2 each; their ratio.",
        ONE_TO_TWO,
        KONG,
    ),
    Mechanism(
        "laplace-mean-true-scale",
        "Laplace mean, noise scaled by the true count (NonDPLaplace1)",
        means.laplace_mean_true_scale,
        PureDP(1),
        False,
        "add-remove",
        UNIT,
        "The noise scale reveals the number of records.",
        ONE_TO_TWO,
        KONG,
    ),
    Mechanism(
        "laplace-mean-true-count",
        "Laplace mean, true count in the mean (NonDPLaplace2)",
        means.laplace_mean_true_count,
        PureDP(1),
        False,
        "add-remove",
        UNIT,
        "The noise is scaled by a noisy count, the mean by the true one: occasionally there "
        "is far too little noise. Outputs can exceed 1e12.",
        ONE_AND_NOUGHT,
        KONG,
    ),
    Mechanism(
        "laplace-mean-noisy-count",
        "Laplace mean, noisy count in the mean only",
        means.laplace_mean_noisy_count,
        PureDP(1),
        False,
        "add-remove",
        UNIT,
        "The mean has a noisy count; the noise is scaled by the true one, which shows.",
        (np.array([0.0]), np.array([0.0, 0.0])),
        LIBRARY.format("noisy count for the mean only"),
    ),
    Mechanism(
        "laplace-mean-unclamped",
        "Laplace mean, negative noisy count not clamped",
        partial(means.laplace_mean_unclamped, epsilon=0.01),
        PureDP(0.01),
        False,
        "add-remove",
        UNIT,
        "Where the noisy count is negative, the noise scale is 1e-12 and sum/count is released "
        "bare. laplace-mean is the same with the count clamped.",
        ONE_TO_TWO,
        LIBRARY.format("both noisy counts"),
    ),
    Mechanism(
        "laplace-mean-undivided",
        "Laplace mean, budget not divided",
        means.laplace_mean_undivided,
        PureDP(1),
        False,
        "add-remove",
        UNIT,
        "Sum and count get the noise of ε each, where ε/2 each is what the claim allows: 2ε-DP. "
        "The authors of DP-Auditorium made this mistake in a baseline that they took for private, "
        "and their own tester accused it.",
        ONE_TO_TWO,
        KONG + ".7",
    ),
    Mechanism(
        "gaussian-mean",
        "Gaussian mean (DPGaussian)",
        partial(means.gaussian_mean, sigma=_MEAN_SIGMA),
        _MEAN_CLAIM,
        True,
        "add-remove",
        UNIT,
        "Sum and count with Gaussian noise, half of the Rényi ε each; their ratio.",
        ONE_TO_TWO,
        KONG,
    ),
    Mechanism(
        "gaussian-mean-true-scale",
        "Gaussian mean, noise scaled by the true count (NonDPGaussian1)",
        partial(means.gaussian_mean_true_scale, sigma=_MEAN_SIGMA),
        _MEAN_CLAIM,
        False,
        "add-remove",
        UNIT,
        "The noise scale reveals the number of records.",
        ONE_TO_TWO,
        KONG,
    ),
    Mechanism(
        "gaussian-mean-true-count",
        "Gaussian mean, true count in the mean (NonDPGaussian2)",
        partial(means.gaussian_mean_true_count, sigma=_MEAN_SIGMA),
        _MEAN_CLAIM,
        False,
        "add-remove",
        UNIT,
        "The noise is scaled by a noisy count, the mean by the true one: often there is too "
        "little noise.",
        ONE_AND_NOUGHT,
        KONG,
    ),
    Mechanism(
        "approx-dp-mean",
        "Gaussian mean with a Laplace count",
        means.approx_dp_mean,
        ApproxDP(1, 1e-3),
        True,
        "add-remove",
        UNIT,
        "Sum with Gaussian, count with Laplace noise, ε/2 each; their ratio.",
        ONE_TO_TWO,
        LIBRARY.format("with δ, the count clamped"),
    ),
    Mechanism(
        "approx-dp-mean-unclamped",
        "Gaussian mean with a Laplace count, negative count not clamped",
        partial(means.approx_dp_mean_unclamped, epsilon=0.01),
        ApproxDP(0.01, 1e-3),
        False,
        "add-remove",
        UNIT,
        "Where the noisy count is negative, sum/count is released bare.",
        ONE_TO_TWO,
        LIBRARY.format("both noisy counts, with δ"),
    ),
)
