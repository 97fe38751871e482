"""Cards of reports that are randomized by the users."""

from __future__ import annotations

import numpy as np

from workbench.claims.pure import PureDP
from workbench.mechanisms import counts, local_reports
from workbench.mechanisms.base import Domain, Mechanism

TITLE = "Local reports"

_VALUE = Domain(0, 20, max_records=1, integer=True)
#: Their filters share no bit.
_VALUES = (np.array([3.0]), np.array([4.0]))

CARDS = (
    Mechanism(
        "randomized-response",
        "Randomized response",
        counts.randomized_response,
        PureDP(1),
        True,
        "substitute",
        Domain(0, 1, max_records=5, integer=True),
        "Every bit, flipped with some probability.",
        (np.array([0.0]), np.array([1.0])),
        "Warner (1965)",
    ),
    Mechanism(
        "randomized-response-coin",
        "Randomized response with an extra coin flip",
        counts.randomized_response_coin,
        PureDP(1),
        False,
        "substitute",
        Domain(0, 1, max_records=5, integer=True),
        "Where it should lie it flips a coin, and so tells the truth half of the time.",
        (np.array([0.0]), np.array([1.0])),
    ),
    Mechanism(
        "rappor-one-time",
        "RAPPOR, one report of the first stage (OneTimeRappor)",
        local_reports.rappor_one_time,
        PureDP(1),
        True,
        "substitute",
        _VALUE,
        "Twenty bits of a Bloom filter, each by randomized response.",
        _VALUES,
        "Erlingsson, Pihur, Korolova (2014); OneTimeRappor of DP-Sniper",
    ),
    Mechanism(
        "rappor",
        "RAPPOR, one report of both stages",
        local_reports.rappor,
        PureDP(1),
        True,
        "substitute",
        _VALUE,
        "Twenty bits of a Bloom filter, randomized for good and once more for this report.",
        _VALUES,
        "Erlingsson, Pihur, Korolova (2014); Rappor of DP-Sniper",
    ),
)
