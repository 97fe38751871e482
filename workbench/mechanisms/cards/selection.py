"""Cards of report noisy max and of quantiles."""

from __future__ import annotations

from functools import partial

import numpy as np

from workbench.claims.pure import PureDP
from workbench.mechanisms import selection
from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.cards.shared import BITS, DING, UNIT, user

TITLE = "Noisy max and quantiles"

_SCHOOL = np.array([[0.0, 1, 1, 1, 1]] * 2)
_OTHERS = user(1, [1, 0, 0, 0, 0], [0, 1, 1, 1, 1])
_ALL_UP = user(1, [0] * 5, [1] * 5)

CARDS = (
    Mechanism(
        "noisy-max",
        "Report noisy max",
        selection.noisy_max,
        PureDP(1),
        True,
        "add-remove",
        BITS,
        "The column with the largest noisy count.",
        (_SCHOOL, np.vstack([_SCHOOL, [1, 0, 0, 0, 0]])),
        "Dwork, Roth (2014), §3.3",
    ),
    Mechanism(
        "noisy-max-value",
        "Report noisy max, with its value",
        selection.noisy_max_value,
        PureDP(1),
        False,
        "add-remove",
        BITS,
        "Releases the largest noisy count instead of its column, with the noise of one count.",
        (np.zeros((1, 5)), np.vstack([np.zeros(5), np.ones(5)])),
        "Ding, Wang, Wang, Zhang, Kifer (2018), §4.1",
    ),
    Mechanism(
        "noisy-max-both-ways",
        "Report noisy max, counts move both ways (NoisyMax1)",
        selection.noisy_max_both_ways,
        PureDP(1),
        True,
        "substitute",
        BITS,
        "The column with the largest count, with Laplace noise for counts that go up or down.",
        _OTHERS,
        DING.format(5) + "; ReportNoisyMax1 of DP-Sniper, NoisyMax of CheckDP",
    ),
    Mechanism(
        "noisy-max-exponential",
        "Report noisy max, exponential noise (NoisyMax2)",
        selection.noisy_max_exponential,
        PureDP(1),
        True,
        "substitute",
        BITS,
        "The column with the largest count, with exponential noise.",
        _OTHERS,
        DING.format(6) + "; ReportNoisyMax2 of DP-Sniper",
    ),
    Mechanism(
        "noisy-max-gumbel",
        "Report noisy max, Gumbel noise",
        selection.noisy_max_gumbel,
        PureDP(1),
        True,
        "substitute",
        BITS,
        "The column with the largest count, with Gumbel noise: the exponential mechanism.",
        _OTHERS,
        "McSherry and Talwar (2007); NoisyMaxMechanism of DP-Auditorium",
    ),
    Mechanism(
        "noisy-max-value-both-ways",
        "Largest noisy count itself, counts move both ways (NoisyMax3)",
        selection.noisy_max_value_both_ways,
        PureDP(1),
        False,
        "substitute",
        BITS,
        "Releases the largest noisy count instead of its column.",
        _ALL_UP,
        DING.format(7) + "; ReportNoisyMax3 of DP-Sniper, BadNoisyMax of CheckDP",
    ),
    Mechanism(
        "noisy-max-value-exponential",
        "Largest count with exponential noise (NoisyMax4)",
        selection.noisy_max_value_exponential,
        PureDP(1),
        False,
        "substitute",
        BITS,
        "Releases the largest noisy count, which is never below the true one.",
        _ALL_UP,
        DING.format(8) + "; ReportNoisyMax4 of DP-Sniper",
    ),
    Mechanism(
        "median",
        "Median by the exponential mechanism",
        selection.median,
        PureDP(1),
        True,
        "add-remove",
        UNIT,
        "A point near the middle, by the numbers of records below and above it.",
        (np.array([0.2]), np.array([0.2, 1.0])),
        "Smith (2011); Gillenwater, Joseph, Kulesza (2021); JointMedian of DP-Auditorium",
    ),
    Mechanism(
        "median-doubled",
        "Median by the exponential mechanism, sensitivity taken as half",
        partial(selection.median, sensitivity=0.25),
        PureDP(1),
        False,
        "add-remove",
        UNIT,
        "The exponent is twice what the sensitivity allows, so it is 2ε-DP.",
        (np.array([0.2]), np.array([0.2, 1.0])),
    ),
    Mechanism(
        "joint-quantiles",
        "Three quartiles at once (JointExp)",
        selection.joint_quantiles,
        PureDP(1),
        True,
        "add-remove",
        UNIT,
        "Three points near the quartiles, by one exponential mechanism over increasing triples.",
        (np.array([0.1, 0.2, 0.4]), np.array([0.1, 0.2, 0.4, 1.0])),
        "Gillenwater, Joseph, Kulesza (2021), JointExp",
    ),
)
