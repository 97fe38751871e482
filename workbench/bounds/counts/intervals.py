"""Limits for what is asked of one attack, from its four counts, by a named interval.

========================  =============  =======================================================
"clopper-pearson"         pointwise      exact limits of both rates, sharing the error
"exact"                   pointwise      both counts tested together, `combined_test`
"jeffreys", "wilson"      approximate    shorter limits of both rates, sharing the error
"katz-log"                approximate    normal limits of the log ratio: ε and precision only
"bayesian"                approximate    ZANELLA23's joint posterior, equal-tailed
========================  =============  =======================================================

The approximate ones are here for comparison: they exceed the truth more often than they say.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv, ndtri

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.counts import binomial
from workbench.bounds.counts.counts import Counts
from workbench.bounds.counts.joint_exact import combined_lower, combined_upper
from workbench.bounds.counts.posterior import Region, region_mass
from workbench.bounds.quantities import Epsilon, Precision, Question

#: Interval -> guarantee and `Bound.method`.
INTERVALS = {
    "clopper-pearson": ("pointwise", "Clopper–Pearson at a threshold"),
    "exact": ("pointwise", "combined exact test"),
    "jeffreys": ("approximate", "Jeffreys at a threshold"),
    "wilson": ("approximate", "Wilson at a threshold"),
    "katz-log": ("approximate", "Katz-log at a threshold"),
    "bayesian": ("approximate", "Bayesian region at a threshold"),
}

#: What people call them; those that keep their level come first.
NAMES = {
    "exact": "Joint exact test",
    "clopper-pearson": "Clopper–Pearson",
    "wilson": "Wilson",
    "jeffreys": "Jeffreys",
    "bayesian": "Bayesian region",
    "katz-log": "Katz-log",
}

SIDES = ("lower", "two")

#: Limits of a binomial rate: (lower, upper), of successes, trials and error.
Rate = Callable[[Any, Any, float], NDArray[np.float64]]
RATES: dict[str, tuple[Rate, Rate]] = {
    "clopper-pearson": (binomial.clopper_pearson_lower, binomial.clopper_pearson_upper),
    "jeffreys": (binomial.jeffreys_lower, binomial.jeffreys_upper),
    "wilson": (binomial.wilson_lower, binomial.wilson_upper),
}

THIS_ATTACK = "The upper end speaks about this attack only: another one may show more."

#: Where the search for a sufficient n gives up.
MOST_RUNS = 2**40


def bound(
    counts: Counts,
    question: Question,
    confidence: float,
    interval: str = "clopper-pearson",
    sided: str = "lower",
    assumption: str = "if rows are independent",
    **more: Any,
) -> Bound:
    """What the counts say about a question.

    Parameters
    ----------
    counts : Counts
    question : Question
    confidence : float
        Of the lower limit, or of both ends together.
    interval : str
        A key of ``INTERVALS``.
    sided : {"lower", "two"}
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
    _checks.one_of(interval, "interval", INTERVALS)
    _checks.one_of(sided, "sided", SIDES)
    error = 1 - confidence if sided == "lower" else (1 - confidence) / 2
    guarantee, method = INTERVALS[interval]
    lower, upper = _ENDS[interval]
    value = lower(counts, question, error)
    notes = []
    if value <= question.nothing:
        notes.append(_too_few(counts, question, partial(lower, question=question, error=error)))
    if sided == "two":
        more["upper"] = max(upper(counts, question, error), value)
        notes.append(THIS_ATTACK)
    return Bound(
        quantity=question.quantity,
        value=value,
        guarantee=guarantee,
        method=method,
        assumption=assumption,
        n_p=counts.n_p,
        n_q=counts.n_q,
        confidence=confidence,
        side=sided,
        note=" ".join(filter(None, notes)) or None,
        **question.fields,
        **more,
    )


def _too_few(counts: Counts, question: Question, lower: Callable[..., float]) -> str | None:
    """A sentence with the n that would do, where even an attack without errors shows nothing."""

    def shows(n_p: int, n_q: int) -> bool:
        return lower(Counts(tp=n_p, fp=0, tn=n_q, fn=0)) > question.nothing

    if shows(counts.n_p, counts.n_q):
        return None
    enough = 1
    while not shows(enough, enough):
        enough *= 2
        if enough > MOST_RUNS:
            return None
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        enough, too_few = (middle, too_few) if shows(middle, middle) else (enough, middle)
    return (
        f"n is too small: at this confidence even an attack without errors would show nothing with "
        f"n_p = {counts.n_p} and n_q = {counts.n_q}; {enough} runs a side would do."
    )


# -- two limits of one rate each ------------------------------------------------------------------


def _from_rates(
    counts: Counts, question: Question, error: float, interval: str, side: str
) -> float:
    """The answer at limits of both rates; each has half of the error."""
    limit = RATES[interval][side == "lower"]
    alpha = limit(counts.fp, counts.n_q, error / 2)
    beta = limit(counts.fn, counts.n_p, error / 2)
    return float(question.of_point(alpha, beta))


# -- a log ratio ----------------------------------------------------------------------------------


def _katz(counts: Counts, question: Question, error: float, side: str) -> float:
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


def _bayesian(counts: Counts, question: Question, error: float, side: str) -> float:
    """The value below which the posterior has ``error``, or above which it has that.

    P(θ ≤ v) is the posterior mass of the region that v allows: for trade-off functions, which
    bind the complement of the attack too, that between both edges (ZANELLA23). Hence this limit
    exceeds 0 even where P = Q.
    """
    level = error if side == "lower" else 1 - error

    @cache
    def excess(value: float) -> float:
        return region_mass(counts, _region(question, value)) - level

    # Both rates are at most (at least) these with more than the posterior that is asked for; the
    # complement of an attack with error rates (α, β) has (1 − α, 1 − β).
    alpha, beta, _, _ = _quantiles(counts, 1 - level / 2)
    least = float(question.of_point(alpha, beta))
    alpha, beta, right, found = _quantiles(counts, (1 - level) / 4)
    most = float(question.of_point(alpha, beta))
    if question.is_region:
        most = max(most, float(question.of_point(right, found)))
    # All of it may lie at the least value, and round-off hides levels very near 0 and 1.
    if excess(least) >= 0:
        return least
    if excess(most) <= 0:
        return most
    return float(brentq(excess, least, most, xtol=1e-8, rtol=1e-8))


def _quantiles(counts: Counts, level: float) -> tuple[Any, ...]:
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


#: Interval -> functions of (counts, question, error): lower limit, upper limit.
_ENDS: dict[str, tuple[Callable[..., float], Callable[..., float]]] = {
    **{
        name: (
            partial(_from_rates, interval=name, side="lower"),
            partial(_from_rates, interval=name, side="upper"),
        )
        for name in RATES
    },
    "exact": (combined_lower, combined_upper),
    "katz-log": (partial(_katz, side="lower"), partial(_katz, side="upper")),
    "bayesian": (partial(_bayesian, side="lower"), partial(_bayesian, side="upper")),
}
