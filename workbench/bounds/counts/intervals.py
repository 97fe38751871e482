"""Named intervals: how a limit of a quantity of one attack follows from its four counts.

========================  =============  =======================================================
"joint"                   pointwise      an exact test of both counts together, `joint_exact`
"clopper-pearson"         pointwise      exact limits of both rates, sharing the error
"wilson", "jeffreys"      approximate    shorter limits of both rates, sharing the error
"bayesian"                approximate    equal-tailed limits of a joint posterior, `credible`
"katz-log"                approximate    normal limits of the log ratio: ε and precision only
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
from typing import Any, Literal

from scipy.special import ndtri

from workbench import _checks
from workbench.bounds.counts import binomial
from workbench.bounds.counts.credible import credible_limit
from workbench.bounds.counts.joint_exact import joint_limit
from workbench.bounds.quantities import Epsilon, Precision, Question
from workbench.software.plugins import Registry

Interval = Literal["joint", "clopper-pearson", "wilson", "jeffreys", "bayesian", "katz-log"]

#: Of tp, fp, tn, fn, the question, the error probability and "lower" or "upper".
Limit = Callable[[int, int, int, int, Question, float, str], float]

#: Where the search for a sufficient n gives up.
MOST_RUNS = 2**40


@dataclass(frozen=True)
class CountInterval:
    """A way to compute limits from four counts; what a plug-in gives for an interval.

    Attributes
    ----------
    label : str
        Its name on the pages: "Clopper–Pearson".
    guarantee : str
        "pointwise" if it keeps its level at every sample size, "approximate" otherwise.
    method : str
        As of a `Bound`: "joint exact test".
    limit : callable
        Of tp, fp, tn, fn, the question, the error probability and "lower" or "upper": the limit.
        A question has ``quantity`` ("epsilon", …), its arguments, ``chance_level`` and
        ``from_rates(alpha, beta)``, its value at the false positive and false negative rates.
    rate : RateInterval, optional
        The limits of one rate, where it consists of those; see :meth:`of_rates`.
    """

    label: str
    guarantee: str
    method: str
    limit: Limit
    rate: RateInterval | None = None

    @classmethod
    def of_rates(
        cls, label: str, guarantee: str, lower: binomial.Limit, upper: binomial.Limit
    ) -> CountInterval:
        """From one-sided limits of one binomial rate, each with half of the error.

        Parameters
        ----------
        label, guarantee : str
            As of the class.
        lower, upper : callable
            Of successes, trials and error probability, as `workbench.binomial` has them.

        Examples
        --------
        >>> limits = wb.binomial.clopper_pearson_lower, wb.binomial.clopper_pearson_upper
        >>> wb.CountInterval.of_rates("Mine", "pointwise", *limits).method
        'Mine at a threshold'
        """
        rate = RateInterval(lower, upper)
        return cls(label, guarantee, f"{label} at a threshold", rate.limit, rate)

    def enough_runs(self, n_p: int, n_q: int, question: Question, error: float) -> int | None:
        """A sufficient n, where even an attack without errors shows nothing in n_p and n_q runs.

        None where it would show something, and where no n up to ``MOST_RUNS`` suffices.
        """

        def shows(n_p: int, n_q: int) -> bool:
            return self.limit(n_p, 0, n_q, 0, question, error, "lower") > question.chance_level

        if shows(n_p, n_q):
            return None
        enough = 1
        while not shows(enough, enough):
            enough *= 2
            if enough > MOST_RUNS:
                return None
        within = range(enough // 2 + 1, enough)
        return within.start + bisect_left(within, True, key=lambda n: shows(n, n))


@dataclass(frozen=True)
class RateInterval:
    """One-sided limits of one binomial rate: of successes, trials and error probability."""

    lower: binomial.Limit
    upper: binomial.Limit

    def limit(
        self, tp: int, fp: int, tn: int, fn: int, question: Question, error: float, side: str
    ) -> float:
        """The question's value at limits of both rates; each has half of the error."""
        # The question falls in both rates.
        of_rate = self.upper if side == "lower" else self.lower
        alpha = of_rate(fp, fp + tn, error / 2)
        beta = of_rate(fn, tp + fn, error / 2)
        return float(question.from_rates(alpha, beta))


def _katz_log(
    tp: int, fp: int, tn: int, fn: int, question: Question, error: float, side: str
) -> float:
    """Normal limits of log((TPR − δ)/FPR), and for ε of log((TNR − δ)/FNR) too (Katz et al. 1978).

    Half a run is added to each cell where one is empty. The two directions of ε share the error of
    a lower limit; ε is the larger one, so that its upper limit is too small only with that one's.
    """
    if not isinstance(question, Epsilon | Precision):
        raise ValueError(
            f"interval='katz-log' is a limit of a ratio of rates, and {question.quantity} is no "
            "ratio; it is there for epsilon and precision, other intervals for all quantities"
        )
    added = 0.5 if 0 in (tp, fp, tn, fn) else 0.0
    forward = tp + added, fn + added, fp + added, tn + added
    mirrored = forward[::-1]
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


#: Ours; those that keep their level come first.
_OURS = {
    "joint": CountInterval("Joint exact test", "pointwise", "joint exact test", joint_limit),
    "clopper-pearson": CountInterval.of_rates(
        "Clopper–Pearson",
        "pointwise",
        binomial.clopper_pearson_lower,
        binomial.clopper_pearson_upper,
    ),
    "wilson": CountInterval.of_rates(
        "Wilson", "approximate", binomial.wilson_lower, binomial.wilson_upper
    ),
    "jeffreys": CountInterval.of_rates(
        "Jeffreys", "approximate", binomial.jeffreys_lower, binomial.jeffreys_upper
    ),
    "bayesian": CountInterval(
        "Bayesian region", "approximate", "Bayesian region at a threshold", credible_limit
    ),
    "katz-log": CountInterval("Katz-log", "approximate", "Katz-log at a threshold", _katz_log),
}


def _taken(name: str, found: Any) -> CountInterval:
    """The interval of a plug-in, after a try (ValueError or TypeError that says what is wrong)."""
    kind = _checks.instance(
        found, CountInterval, "it", "a wb.CountInterval, such as wb.CountInterval.of_rates(…)"
    )
    _checks.one_of(kind.guarantee, "its guarantee", ("pointwise", "approximate"))
    if not _checks.text(kind.label, "its label").strip():
        raise ValueError("its label must be its name on the pages, such as 'Clopper–Pearson'")
    value = kind.limit(30, 10, 40, 20, Epsilon(0.0), 0.05, "lower")
    _checks.number_or_infinite(value, "its limit on ε for tp, fp, tn, fn = 30, 10, 40, 20")
    return kind


#: Name -> interval: ours, then those of plug-ins.
INTERVALS: Registry[CountInterval] = Registry("workbench.intervals", _OURS, _taken)


def interval_label(interval: str) -> str:
    """The name of an interval on the pages; one that is not installed keeps its own."""
    return INTERVALS[interval].label if interval in INTERVALS else interval


def interval_labels() -> dict[str, str]:
    """Name of each interval on the pages -> interval, for lists to choose from."""
    return {interval.label: name for name, interval in INTERVALS.items()}


def current_name(interval: str) -> str:
    """A name of ``INTERVALS``; "exact", the former name of "joint", gives a FutureWarning.

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
