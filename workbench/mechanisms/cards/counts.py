"""Cards of counts and histograms."""

from __future__ import annotations

from functools import partial

import numpy as np

from workbench.claims.pure import PureDP
from workbench.mechanisms import counts
from workbench.mechanisms.base import Domain, Mechanism
from workbench.mechanisms.cards.shared import DING, UNIT

TITLE = "Counts and histograms"

CARDS = (
    Mechanism(
        "histogram",
        "Histogram",
        counts.noisy_histogram,
        PureDP(1),
        True,
        "add-remove",
        UNIT,
        "Counts of four bins with Laplace noise.",
        (np.array([0.1]), np.array([0.1, 0.9])),
        "Dwork, McSherry, Nissim, Smith (2006); " + DING.format(9) + "; NoisyHist1 of DP-Sniper",
    ),
    Mechanism(
        "histogram-empty-bins",
        "Histogram, empty bins left alone",
        counts.noisy_histogram_empty_bins,
        PureDP(1),
        False,
        "add-remove",
        UNIT,
        "Noise on occupied bins only: an exact 0 reveals that a bin is empty.",
        (np.array([0.1]), np.array([0.1, 0.9])),
    ),
    Mechanism(
        "histogram-inverted",
        "Histogram with noise of scale ε (histogram_eps)",
        partial(counts.noisy_histogram_inverted, epsilon=0.5),
        PureDP(0.5),
        False,
        "add-remove",
        UNIT,
        "Noise Lap(ε) instead of Lap(1/ε): 1/ε, which is 2 here.",
        (np.array([0.1]), np.array([0.1, 0.9])),
        DING.format(10) + "; NoisyHist2 of DP-Sniper",
    ),
    Mechanism(
        "truncated-geometric",
        "Count with geometric noise (TruncatedGeometric)",
        counts.truncated_geometric,
        PureDP(1),
        True,
        "substitute",
        Domain(0, 1, integer=True),
        "The number of ones with two-sided geometric noise, clamped to what is possible.",
        (np.array([0.0, 0.0, 1.0, 1.0, 1.0]), np.array([1.0, 0.0, 1.0, 1.0, 1.0])),
        "Ghosh, Roughgarden, Sundararajan (2009); Balcer and Vadhan (2018), GeoSample",
    ),
)
