"""Confidence limits for a quantity of one attack, from its four counts, by a named interval.

========================  =============  =======================================================
"clopper-pearson"         pointwise      exact limits of both rates, sharing the error
"joint"                   pointwise      an exact test of both counts together, `joint_exact`
"jeffreys", "wilson"      approximate    shorter limits of both rates, sharing the error
"katz-log"                approximate    normal limits of the log ratio: ε and precision only
"bayesian"                approximate    equal-tailed limits of a joint posterior
========================  =============  =======================================================

The approximate ones serve for comparison: they exceed the truth more often than they state. The
posterior is that of Zanella-Béguelin et al. (2023).
"""

from __future__ import annotations

import math
import warnings
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv, ndtri

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.counts import binomial
from workbench.bounds.counts.four_counts import FourCounts
from workbench.bounds.counts.joint_exact import joint_lower, joint_upper
from workbench.bounds.counts.posterior import Region, region_mass
from workbench.bounds.quantities import Epsilon, Precision, Question

#: Lower or upper limit: counts, question and error probability -> value.
Limit = Callable[[FourCounts, Question, float], float]

#: One-sided limit of a binomial rate: successes, trials and error probability -> rate.
RateLimit = Callable[[Any, Any, float], NDArray[np.float64]]


@dataclass(frozen=True)
class RateInterval:
    """One-sided limits of one binomial rate.

    Attributes
    ----------
    lower, upper : callable
        Of successes, trials and error probability.
    """

    lower: RateLimit
    upper: RateLimit

    def value(self, counts: FourCounts, question: Question, error: float, side: str) -> float:
        """The question's value at limits of both rates; each has half of the error."""
        # The question falls in both rates.
        limit = self.upper if side == "lower" else self.lower
        alpha = limit(counts.fp, counts.n_q, error / 2)
        beta = limit(counts.fn, counts.n_p, error / 2)
        return float(question.from_rates(alpha, beta))


RATES = {
    "clopper-pearson": RateInterval(binomial.clopper_pearson_lower, binomial.clopper_pearson_upper),
    "jeffreys": RateInterval(binomial.jeffreys_lower, binomial.jeffreys_upper),
    "wilson": RateInterval(binomial.wilson_lower, binomial.wilson_upper),
}

SIDES = ("lower", "two")

THIS_ATTACK = "The upper end speaks about this attack only: another one may show more."

#: Where the search for a sufficient n gives up.
MOST_RUNS = 2**40


def bound(
    counts: FourCounts,
    question: Question,
    confidence: float,
    interval: str = "clopper-pearson",
    side: str = "lower",
    assumption: str = "if rows are independent",
    **more: Any,
) -> Bound:
    """Confidence limit for a quantity of one attack.

    Parameters
    ----------
    counts : FourCounts
    question : Question
    confidence : float
        Of the lower limit, or of both ends together.
    interval : str
        A key of ``INTERVALS``.
    side : {"lower", "two"}
    assumption : str
    **more
        Further fields of the `Bound`.

    Returns
    -------
    Bound
        ``note`` says where n is too small to show anything at this confidence, and that the
        upper end of a two-sided interval speaks about this attack only.

    Raises
    ------
    ValueError
        An unknown interval or side, a confidence out of range, an interval that has no meaning
        for the question.
    """
    confidence = _checks.confidence(confidence)
    interval = current_name(interval)
    kind = INTERVALS[interval]
    _checks.one_of(side, "side", SIDES)
    error = 1 - confidence if side == "lower" else (1 - confidence) / 2
    value = kind.lower(counts, question, error)
    notes, high = [], None
    if value <= question.chance_level:
        notes.append(_too_few(counts, question, lambda other: kind.lower(other, question, error)))
    if side == "two":
        high = max(kind.upper(counts, question, error), value)
        notes.append(THIS_ATTACK)
    return Bound(
        quantity=question.quantity,
        value=value,
        guarantee=kind.guarantee,
        method=kind.method,
        assumption=assumption,
        n_p=counts.n_p,
        n_q=counts.n_q,
        confidence=confidence,
        side=side,
        note=" ".join(filter(None, notes)) or None,
        at=question.at,
        recompute=lambda level: bound(counts, question, level, interval, side, assumption, **more),
        high=high,
        **more,
    )


def _too_few(
    counts: FourCounts, question: Question, lower: Callable[[FourCounts], float]
) -> str | None:
    """A sentence with a sufficient n, where even an attack without errors shows nothing."""

    def shows(n_p: int, n_q: int) -> bool:
        return lower(FourCounts(tp=n_p, fp=0, tn=n_q, fn=0)) > question.chance_level

    if shows(counts.n_p, counts.n_q):
        return None
    enough = 1
    while not shows(enough, enough):
        enough *= 2
        if enough > MOST_RUNS:
            return None
    within = range(enough // 2 + 1, enough)
    enough = within.start + bisect_left(within, True, key=lambda n: shows(n, n))
    return (
        f"n is too small: at this confidence even an attack without errors would show nothing with "
        f"n_p = {counts.n_p} and n_q = {counts.n_q}; {enough} runs with "
        f"the record and {enough} without it would suffice."
    )


# -- a log ratio ----------------------------------------------------------------------------------


def _katz(counts: FourCounts, question: Question, error: float, side: str) -> float:
    """Normal limits of log((TPR − δ)/FPR), and for ε of log((TNR − δ)/FNR) too (Katz et al. 1978).

    Half a run is added to each cell where one is empty. The two directions of ε share the error of
    a lower limit; ε is the larger one, so that its upper limit is too small only with that one's.
    """
    if not isinstance(question, Epsilon | Precision):
        raise ValueError(
            f"interval='katz-log' is a limit of a ratio of rates, and {question.quantity} is no "
            "ratio; it is there for epsilon and precision, other intervals for all quantities"
        )
    cells = np.array([counts.tp, counts.fp, counts.tn, counts.fn], dtype=float)
    tp, fp, tn, fn = cells + (0.5 if (cells == 0).any() else 0.0)
    forward, mirrored = (tp, fn, fp, tn), (tn, fp, fn, tp)
    if isinstance(question, Precision):
        return question.of_ratio(math.exp(_katz_limit(*forward, 0.0, error, side)))
    share = error / 2 if side == "lower" else error
    ends = (_katz_limit(*way, question.delta, share, side) for way in (forward, mirrored))
    return max(*ends, 0.0)


def _katz_limit(
    hits: float, misses: float, errors: float, right: float, delta: float, error: float, side: str
) -> float:
    """A limit of log((hit rate − δ)/error rate), by the delta method."""
    m, n = hits + misses, errors + right
    hit, wrong = hits / m, errors / n
    if hit <= delta:
        return -math.inf
    variance = hit * (1 - hit) / (m * (hit - delta) ** 2) + (1 - wrong) / (n * wrong)
    reach = -float(ndtri(error)) * math.sqrt(variance)
    return math.log((hit - delta) / wrong) + (reach if side == "upper" else -reach)


# -- a posterior ----------------------------------------------------------------------------------


def _bayesian(counts: FourCounts, question: Question, error: float, side: str) -> float:
    """The value below which the posterior has ``error``, or above which it has that.

    P(θ ≤ v) is the posterior mass of the region that v allows: for trade-off functions, which
    bind the complement of the attack too, that between both edges (Zanella-Béguelin et al. 2023).
    Hence this limit exceeds 0 even where P = Q.
    """
    level = error if side == "lower" else 1 - error

    @cache
    def excess(value: float) -> float:
        return region_mass(counts, _region(question, value)) - level

    # Both rates are at most (at least) these with more than the posterior that is asked for; the
    # complement of an attack with error rates (α, β) has (1 − α, 1 − β).
    alpha, beta, _, _ = _quantiles(counts, 1 - level / 2)
    least = float(question.from_rates(alpha, beta))
    alpha, beta, right, found = _quantiles(counts, (1 - level) / 4)
    most = float(question.from_rates(alpha, beta))
    if question.is_region:
        most = max(most, float(question.from_rates(right, found)))
    # All of it may lie at the least value, and round-off hides levels very near 0 and 1.
    if excess(least) >= 0:
        return least
    if excess(most) <= 0:
        return most
    return float(brentq(excess, least, most, xtol=1e-8, rtol=1e-8))


def _quantiles(counts: FourCounts, level: float) -> tuple[Any, ...]:
    """Quantiles of α, β, 1 − α and 1 − β."""
    tp, fp, tn, fn = (k + 0.5 for k in (counts.tp, counts.fp, counts.tn, counts.fn))
    shapes = (fp, tn), (fn, tp), (tn, fp), (tp, fn)
    return tuple(betaincinv(*shape, level) for shape in shapes)


def _region(question: Question, value: float) -> Region:
    edge, inverse = partial(question.curve, value), partial(question.inverse, value)
    kinks = np.array(question.kinks(value))
    if question.is_region:
        return Region.of_tradeoff(edge, kinks)
    return Region(edge, inverse, None, None, kinks)


# -- all of them ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class CountInterval:
    """A way to compute limits from four counts.

    Attributes
    ----------
    label : str
        Its name on the pages.
    guarantee, method : str
        As of a `Bound`.
    lower, upper : callable
        Of counts, question and error probability.
    """

    label: str
    guarantee: str
    method: str
    lower: Limit
    upper: Limit

    @classmethod
    def by_side(
        cls, label: str, guarantee: str, method: str, limit: Callable[..., float]
    ) -> CountInterval:
        """From one function of counts, question, error probability and side."""
        return cls(
            label, guarantee, method, partial(limit, side="lower"), partial(limit, side="upper")
        )


#: Those that keep their level come first.
INTERVALS = {
    "joint": CountInterval(
        "Joint exact test", "pointwise", "joint exact test", joint_lower, joint_upper
    ),
    "clopper-pearson": CountInterval.by_side(
        "Clopper–Pearson",
        "pointwise",
        "Clopper–Pearson at a threshold",
        RATES["clopper-pearson"].value,
    ),
    "wilson": CountInterval.by_side(
        "Wilson", "approximate", "Wilson at a threshold", RATES["wilson"].value
    ),
    "jeffreys": CountInterval.by_side(
        "Jeffreys", "approximate", "Jeffreys at a threshold", RATES["jeffreys"].value
    ),
    "bayesian": CountInterval.by_side(
        "Bayesian region", "approximate", "Bayesian region at a threshold", _bayesian
    ),
    "katz-log": CountInterval.by_side("Katz-log", "approximate", "Katz-log at a threshold", _katz),
}

#: Interval -> its name on the pages.
NAMES = {name: interval.label for name, interval in INTERVALS.items()}


def current_name(interval: str) -> str:
    """A key of ``INTERVALS``; "exact", the former name of "joint", gives a FutureWarning.

    Raises
    ------
    ValueError
        An unknown name.
    """
    if interval == "exact":
        message = "interval='exact' is now called 'joint'; the old name goes in release 0.3"
        warnings.warn(message, FutureWarning, stacklevel=5)
        return "joint"
    return _checks.one_of(interval, "interval", INTERVALS)
