"""Two success rates compared: exact limits, an exact test by the coins, and anonymeter's estimate.

An attack succeeds on k1 of n1 members and on k0 of n0 held-out records.

- *Limits of a rate* are Clopper and Pearson's, and those of the difference of both rates are of
  the joint exact test (`workbench.bounds.counts.joint_exact`). Both take records as independent.
- *The coin test* assumes the coins alone. If the synthetic table does not depend on who was in,
  then given the total of k1 + k0 successes the members among them are a random part of the
  attacked records: k1 is hypergeometric (Fisher 1935). Attacked records and successes must not
  depend on memberships.
- *anonymeter's risk* (Giomi et al. 2023) is the difference of two Wilson estimates, divided by what
  was left to gain, with their errors propagated: approximate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln, ndtri

from workbench import _checks
from workbench._frames import to_frame
from workbench.bounds.counts.binomial import clopper_pearson_lower, clopper_pearson_upper
from workbench.bounds.counts.joint_exact import joint_limit
from workbench.bounds.quantities import QuantityArguments
from workbench.curves.validation import Floats

#: Records that are counted, at most.
MOST = 10**9


@dataclass(frozen=True)
class _Difference:
    """TPR − FPR with its sign, unlike `TotalVariation`, which is not below 0."""

    quantity: ClassVar[str] = "difference of rates"
    is_region: ClassVar[bool] = False

    @property
    def at(self) -> QuantityArguments:
        return QuantityArguments()

    @property
    def chance_level(self) -> float:
        return 0.0

    @property
    def minimum(self) -> float:
        return -1.0

    def from_rates(self, alpha: Floats, beta: Floats) -> Floats:
        return np.asarray(1 - np.asarray(alpha) - np.asarray(beta))

    def curve(self, value: float, alpha: Floats) -> Floats:
        return np.asarray(np.clip(1 - np.asarray(alpha) - value, 0.0, 1.0))

    def inverse(self, value: float, beta: Floats) -> Floats:
        return self.curve(value, beta)

    def kinks(self, value: float) -> tuple[float, ...]:
        return ()


def rate_limits(hits: int, tried: int, confidence: float) -> tuple[float, float]:
    """Exact two-sided limits of a success rate, each with half of the error probability.

    Parameters
    ----------
    hits, tried : int
    confidence : float

    Returns
    -------
    low, high : float
        0 and 1 where nothing was tried.

    References
    ----------
    Clopper & Pearson (1934).
    """
    hits, tried = _counts(hits, tried)
    half = (1 - _checks.confidence(confidence)) / 2
    if tried == 0:
        return 0.0, 1.0
    low = clopper_pearson_lower(hits, tried, half)
    return float(low), float(clopper_pearson_upper(hits, tried, half))


def difference_limits(
    hits: int, members: int, held_out_hits: int, held_out: int, confidence: float
) -> tuple[float, float]:
    """Exact two-sided limits of the rate on members minus the rate on held-out records.

    Parameters
    ----------
    hits, members, held_out_hits, held_out : int
        Successes and attacked records of both sides.
    confidence : float
        Of both limits together; each has half of the error probability.

    Returns
    -------
    low, high : float
        −1 and 1 where one side has no records.

    Notes
    -----
    Guarantee: pointwise, exact at every size if records are independent.

    References
    ----------
    Berger & Boos (1994); Buehler (1957).
    """
    hits, members = _counts(hits, members)
    held_out_hits, held_out = _counts(held_out_hits, held_out)
    half = (1 - _checks.confidence(confidence)) / 2
    if members == 0 or held_out == 0:
        return -1.0, 1.0
    counts = hits, held_out_hits, held_out - held_out_hits, members - hits
    low, high = (joint_limit(*counts, _Difference(), half, side) for side in ("lower", "upper"))
    return max(low, -1.0), min(high, 1.0)


def coin_test(hits: int, members: int, held_out_hits: int, held_out: int) -> float:
    """One-sided exact p-value of "the synthetic table does not depend on who was in".

    Parameters
    ----------
    hits, members, held_out_hits, held_out : int
        As in `difference_limits`.

    Returns
    -------
    float
        The probability of at least so many successes on members, given the successes on both sides.

    References
    ----------
    Fisher (1935).
    """
    hits, members = _counts(hits, members)
    held_out_hits, held_out = _counts(held_out_hits, held_out)
    total, everybody = hits + held_out_hits, members + held_out
    if hits <= max(0, total - held_out):  # as few as there can be
        return 1.0
    mean = total * members / everybody
    spread = math.sqrt(mean * (1 - members / everybody))
    # Terms fall on both sides of the mode: what is left out is far below the round-off.
    reach = 40 + 40 * spread
    first = max(hits, math.floor(mean - reach))
    last = min(total, members, math.ceil(max(hits, mean) + reach))
    k = np.arange(first, last + 1, dtype=float)
    log_mass = (
        _log_choices(members, k)
        + _log_choices(held_out, total - k)
        - _log_choices(everybody, np.asarray(float(total)))
    )
    return float(min(np.exp(log_mass).sum(), 1.0))


@dataclass(frozen=True)
class ApproximateRisk:
    """A risk as anonymeter computes it: approximate, and without a guarantee at any size.

    Parameters
    ----------
    value, low, high : float
        (r1 − r0)/(1 − r0) of the Wilson estimates r1 on members and r0 on held-out records, and
        its error interval, all within [0, 1].
    rate, held_out_rate : float
        r1 and r0.
    attacks, held_out_attacks : int
        Of which they are.
    confidence : float

    References
    ----------
    Giomi et al. (2023), *A unified framework for quantifying privacy risk in synthetic data*.
    """

    value: float
    low: float
    high: float
    rate: float
    held_out_rate: float
    attacks: int
    held_out_attacks: int
    confidence: float

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)


def approximate_risk(
    hits: int, attacks: int, held_out_hits: int, held_out_attacks: int, confidence: float = 0.95
) -> ApproximateRisk | None:
    """The risk that anonymeter prints for these counts; None where one side has no attacks.

    Parameters
    ----------
    hits, attacks, held_out_hits, held_out_attacks : int
        Successes and attacks on members ("attack") and on held-out records ("control").
    confidence : float

    References
    ----------
    Wilson (1927); Giomi et al. (2023).
    """
    hits, attacks = _counts(hits, attacks)
    held_out_hits, held_out_attacks = _counts(held_out_hits, held_out_attacks)
    confidence = _checks.confidence(confidence)
    if attacks == 0 or held_out_attacks == 0:
        return None
    rate, error = _wilson(hits, attacks, confidence)
    control, control_error = _wilson(held_out_hits, held_out_attacks, confidence)
    left = 1 - control
    value = (rate - control) / left
    spread = math.hypot(error / left, control_error * (rate - 1) / left**2)
    at, low, high = (min(max(x, 0.0), 1.0) for x in (value, value - spread, value + spread))
    return ApproximateRisk(at, low, high, rate, control, attacks, held_out_attacks, confidence)


def _wilson(hits: int, tried: int, confidence: float) -> tuple[float, float]:
    """Center and half length of Wilson's interval, also where all or none succeed."""
    z2 = float(ndtri((1 + confidence) / 2)) ** 2
    spread = math.sqrt(z2 * (hits * (tried - hits) / tried + z2 / 4))
    return (hits + z2 / 2) / (tried + z2), spread / (tried + z2)


def _counts(hits: int, tried: int) -> tuple[int, int]:
    hits, tried = (
        _checks.count(value, name, most=MOST) for value, name in ((hits, "hits"), (tried, "tried"))
    )
    if hits > tried:
        raise ValueError(f"hits must be at most the {tried} that were tried, got {hits}")
    return hits, tried


def _log_choices(n: int, k: Floats) -> Floats:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
