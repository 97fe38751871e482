"""Cards of reports that are randomized by the users."""

from __future__ import annotations

import numpy as np

from workbench.claims.pure import PureDP
from workbench.mechanisms import counts
from workbench.mechanisms.base import Domain, Mechanism
from workbench.mechanisms.local_protocols import encodings, hashing, rappor

TITLE = "Local reports"

_VALUE = Domain(0, 20, max_records=1, integer=True)
#: Their filters share no bit.
_VALUES = (np.array([3.0]), np.array([4.0]))
#: One of ten values.
_TEN = Domain(0, 9, max_records=1, integer=True)
_TWO_OF_TEN = (np.array([0.0]), np.array([1.0]))
_WANG = "Wang, Blocki, Li, Jha (2017), {}"

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
        rappor.rappor_one_time,
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
        rappor.rappor,
        PureDP(1),
        True,
        "substitute",
        _VALUE,
        "Twenty bits of a Bloom filter, randomized for good and once more for this report.",
        _VALUES,
        "Erlingsson, Pihur, Korolova (2014); Rappor of DP-Sniper",
    ),
    Mechanism(
        "rappor-reports",
        "RAPPOR, three reports of a lasting filter",
        rappor.rappor_reports,
        PureDP(1),
        True,
        "substitute",
        _VALUE,
        "The filter is randomized for good; three reports flip some of its bits once more.",
        _VALUES,
        "Erlingsson, Pihur, Korolova (2014)",
    ),
    Mechanism(
        "rappor-reports-afresh",
        "RAPPOR, three reports without a lasting filter",
        rappor.rappor_reports_afresh,
        PureDP(1),
        False,
        "substitute",
        _VALUE,
        "Each report randomizes the true filter afresh, so that three of them add up.",
        _VALUES,
        "Erlingsson, Pihur, Korolova (2014); Ding, Kulkarni, Yekhanin (2017), on averaging",
    ),
    Mechanism(
        "k-randomized-response",
        "k-ary randomized response",
        encodings.k_randomized_response,
        PureDP(1),
        True,
        "substitute",
        _TEN,
        "One of ten values, or any other one.",
        _TWO_OF_TEN,
        "Kairouz, Bonawitz, Ramage (2016)",
    ),
    Mechanism(
        "symmetric-unary",
        "Symmetric unary encoding (SUE)",
        encodings.symmetric_unary_encoding,
        PureDP(1),
        True,
        "substitute",
        _TEN,
        "Ten bits, one of them set; each is flipped with the same probability.",
        _TWO_OF_TEN,
        _WANG.format("SUE; basic RAPPOR"),
    ),
    Mechanism(
        "optimized-unary",
        "Optimized unary encoding (OUE)",
        encodings.optimized_unary_encoding,
        PureDP(1),
        True,
        "substitute",
        _TEN,
        "Ten bits: that of the value is set half of the time, each other one more rarely.",
        _TWO_OF_TEN,
        _WANG.format("OUE"),
    ),
    Mechanism(
        "unary-kept-bit",
        "Optimized unary encoding whose true bit is set twice",
        encodings.unary_encoding_kept_bit,
        PureDP(1),
        False,
        "substitute",
        _TEN,
        "The true bit is drawn like all others, and then set with probability ½ more.",
        _TWO_OF_TEN,
        "UEClient of pure-LDP before 1.2.0; Arcolezi, Gambs (2024)",
    ),
    Mechanism(
        "subset-selection",
        "Subset selection",
        encodings.subset_selection,
        PureDP(1),
        True,
        "substitute",
        _TEN,
        "A random set of three values, in which the true one is more often.",
        _TWO_OF_TEN,
        "Ye, Barg (2018)",
    ),
    Mechanism(
        "local-hashing",
        "Optimized local hashing (OLH)",
        hashing.local_hashing,
        PureDP(1),
        True,
        "substitute",
        _TEN,
        "A random hash function, and the value's hash by randomized response.",
        _TWO_OF_TEN,
        _WANG.format("OLH"),
    ),
)
