"""Methods that `coverage` tests: those with a guarantee, and those shipped for comparison only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.anytime.anytime import anytime_epsilon
from workbench.bounds.bound import Bound
from workbench.bounds.counts.counts import Counts, epsilon_from_counts
from workbench.bounds.counts.intervals import INTERVALS
from workbench.bounds.counts.threshold import epsilon_at_threshold
from workbench.bounds.held_out.held_out import held_out_bound
from workbench.bounds.held_out.ordering import learn_ordering
from workbench.bounds.lower_bounds import STRATEGIES
from workbench.bounds.one_question.one_question import one_question_bound
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.bounds.parametric.parametric import parametric_bound
from workbench.bounds.quantities import Epsilon, Mu, QuantityArguments
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.bounds.simultaneous.fixed_bins import hockey_stick_limits
from workbench.coverage_lab.scenarios import Scenario
from workbench.curves.error_rates import epsilon_of_point
from workbench.curves.validation import Floats
from workbench.estimators.histogram import histogram
from workbench.pairs.gaussian import GaussianPair
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd


#: Guarantees with coverage of at least the stated confidence.
KEPT = tuple(STRATEGIES)

#: A second δ, and a false positive rate, at which simultaneous limits are checked as well.
FURTHER_DELTA, FURTHER_FPR = 0.05, 0.1

#: Looks at the arriving data and thresholds tried by the invalid methods; limits are computed only
#: at the few of them where a quick approximation is largest.
LOOKS, TRIED, CLOSER = 100, 200, 3

#: Number of bins of the limits for bins fixed in advance.
BINS = 20


@dataclass(frozen=True)
class Request:
    """Arguments of a method besides the scores."""

    delta: float
    confidence: float
    scenario: Scenario


@dataclass(frozen=True)
class Method:
    """A method that gives bounds.

    Attributes
    ----------
    name, label, about : str
        Key, title, and a line of help.
    guarantee : str
        As on its bounds.
    bounds : callable
        (scores, request) -> bounds that hold *together*; the tightness is that of the first one.
    fails : str
        What is wrong with a method that is shipped for comparison only; else empty.
    family : str, optional
        The family that the pair must belong to.
    """

    name: str
    label: str
    about: str
    guarantee: str
    bounds: Callable[[Scores, Request], Iterable[Bound]]
    fails: str = ""
    family: str | None = None

    @property
    def group(self) -> str:
        """Either "kept" (guaranteed coverage), "approximate", or "fails" (for comparison only)."""
        if self.fails:
            return "fails"
        return "kept" if self.guarantee in KEPT else "approximate"

    def holds(self, scenario: Scenario) -> bool:
        """Whether the method claims coverage in a scenario."""
        return (
            self.group == "kept"
            and scenario.independent
            and (self.family is None or self.family in scenario.families)
        )


def coverage_methods() -> pd.DataFrame:
    """DataFrame of the methods that `wb.coverage` knows, one row each."""
    import pandas as pd

    shown = ("name", "label", "guarantee", "group", "about", "fails", "family")
    return pd.DataFrame([{key: getattr(m, key) for key in shown} for m in METHODS.values()])


def _band(s: Scores, request: Request) -> Iterable[Bound]:
    band = tradeoff_band(s, request.confidence)
    return (
        band.epsilon(request.delta),
        band.epsilon(FURTHER_DELTA),
        band.mu(),
        band.total_variation(),
        band.tpr(FURTHER_FPR),
    )


def _fixed_bins(method: str) -> Callable[[Scores, Request], Iterable[Bound]]:
    def bounds(s: Scores, request: Request) -> Iterable[Bound]:
        h = histogram(s, bins=BINS, range=request.scenario.reach)
        # One-sided, at the level of the two-sided limits' lower half.
        low, _ = hockey_stick_limits(h, 0.0, 2 * request.confidence - 1, method)
        return (replace(low, confidence=request.confidence),)

    return bounds


def _tuned(interval: str) -> Callable[[Scores, Request], Iterable[Bound]]:
    """The largest of many pointwise limits, each of which is valid on its own only."""

    def bounds(s: Scores, request: Request) -> Iterable[Bound]:
        tried = s.quantile(np.linspace(0, 1, TRIED + 2)[1:-1])
        promising = tried[_promising(s, tried, request)]
        found = (
            epsilon_at_threshold(s, float(t), request.delta, request.confidence, interval)
            for t in promising
        )
        return (max(found, key=float),)

    return bounds


def _watched(s: Scores, request: Request) -> Iterable[Bound]:
    """The largest limit seen while the data arrived, at a threshold fixed in advance."""
    t = s.samples.in_score_units(request.scenario.threshold)
    tp, fp = (np.cumsum(side > t) for side in s.samples.oriented())
    looks = np.unique(np.linspace(0.01, 1, LOOKS) * min(s.n_p, s.n_q)).astype(int)
    looks = looks[looks >= 2]
    limits = _normal_limits(tp[looks - 1] / looks, fp[looks - 1] / looks, looks, looks, request)
    best = looks[np.argsort(limits)[-CLOSER:]]
    found = (
        epsilon_from_counts(
            tp=int(tp[n - 1]),
            fp=int(fp[n - 1]),
            tn=int(n - fp[n - 1]),
            fn=int(n - tp[n - 1]),
            delta=request.delta,
            confidence=request.confidence,
            interval="joint",
        )
        for n in best
    )
    return (max(found, key=float),)


def _promising(s: Scores, thresholds: Floats, request: Request) -> NDArray[np.intp]:
    """The few thresholds with the largest limits, found by a quick approximation."""
    tp, fp = s.tail_counts(thresholds)
    limits = _normal_limits(tp / s.n_p, fp / s.n_q, s.n_p, s.n_q, request)
    return np.argsort(limits)[-CLOSER:]


def _normal_limits(tpr: Floats, fpr: Floats, n_p: Any, n_q: Any, request: Request) -> Floats:
    """Approximate limits of ε from normal limits of both rates."""
    z = 1.0  # where limits are largest hardly depends on how far out they are taken
    alpha = fpr + z * np.sqrt((fpr * (1 - fpr) + 1 / n_q) / n_q)
    beta = 1 - tpr + z * np.sqrt((tpr * (1 - tpr) + 1 / n_p) / n_p)
    return np.asarray(epsilon_of_point(np.minimum(alpha, 1), np.minimum(beta, 1), request.delta))


def _at_threshold(interval: str) -> Callable[[Scores, Request], Iterable[Bound]]:
    def bounds(s: Scores, request: Request) -> Iterable[Bound]:
        counts = Counts.at_threshold(s, request.scenario.threshold)
        return (_of_counts(counts, request.delta, request.confidence, interval),)

    return bounds


@lru_cache(maxsize=100_000)
def _of_counts(counts: Counts, delta: float, confidence: float, interval: str) -> Bound:
    """The bound of some counts; cached, since replicates at one threshold often repeat them."""
    return counts.bound(Epsilon(delta), confidence, interval)


def _held_out(ordering: str, splits: int = 1) -> Callable[[Scores, Request], Iterable[Bound]]:
    def bounds(s: Scores, request: Request) -> Iterable[Bound]:
        question = Epsilon(request.delta)
        return (held_out_bound(s, question, request.confidence, ordering, splits),)

    return bounds


def _anytime(s: Scores, request: Request) -> Iterable[Bound]:
    return (anytime_epsilon(s, request.delta, request.confidence),)


def _gaussian(s: Scores, request: Request) -> Iterable[Bound]:
    return (parametric_bound(s, "gaussian", delta=request.delta, confidence=request.confidence),)


def _gdp_of_histogram(s: Scores, request: Request) -> Iterable[Bound]:
    """The ε of the Gaussian pair with the histogram's total variation, reported as a bound."""
    fit = gdp_fit(s, "tv")
    epsilon = float(GaussianPair(fit.value).epsilon(request.delta))
    at = QuantityArguments(delta=request.delta)
    return (replace(fit, quantity="epsilon", value=epsilon, at=at),)


_METHODS = (
    Method(
        "simultaneous",
        "Simultaneous band",
        "Limits at all thresholds at once: ε at two δ, μ, TV and a true positive rate, checked "
        "together.",
        "simultaneous",
        _band,
    ),
    Method(
        "one-question",
        "One question: ε",
        "ε at one δ that was fixed in advance, over all thresholds.",
        "one question",
        lambda s, request: [one_question_bound(s, Epsilon(request.delta), request.confidence)],
    ),
    Method(
        "one-question-mu",
        "One question: μ",
        "μ, and nothing else, over all thresholds.",
        "one question",
        lambda s, request: [one_question_bound(s, Mu(), request.confidence)],
    ),
    Method(
        "exact",
        "Joint exact test, one threshold",
        "The joint exact test at a threshold fixed in advance.",
        "pointwise",
        _at_threshold("joint"),
    ),
    Method(
        "clopper-pearson",
        "Clopper–Pearson, one threshold",
        "Exact limits of both error rates at a threshold fixed in advance.",
        "pointwise",
        _at_threshold("clopper-pearson"),
    ),
    Method(
        "anytime",
        "Anytime, by betting",
        "The largest bound shown at any time while the data arrived.",
        "anytime",
        _anytime,
    ),
    Method(
        "held-out",
        "Held-out thresholds",
        "The threshold is chosen on 20% of the scores and tested on the rest.",
        "held-out",
        _held_out("threshold"),
    ),
    Method(
        "held-out-splits",
        "Held-out thresholds, three splits",
        "As above for three splits, combined as exchangeable p-values.",
        "held-out",
        _held_out("threshold", splits=3),
    ),
    Method(
        "learned-ordering",
        "Learned likelihood ratio",
        "Records ranked by a ratio learned on 20% of the scores, with the band over the rest; "
        "ε at two δ, μ, TV and a true positive rate, checked together.",
        "held-out",
        lambda s, request: _band(learn_ordering(s).scores, request),
    ),
    Method(
        "bins-mcdiarmid",
        f"{BINS} bins, McDiarmid",
        "TV over bins fixed in advance, the sharper limit.",
        "pointwise",
        _fixed_bins("mcdiarmid"),
    ),
    Method(
        "bins-canonne",
        f"{BINS} bins, Canonne",
        "TV over bins fixed in advance, the published limit.",
        "pointwise",
        _fixed_bins("canonne"),
    ),
    Method(
        "gaussian",
        "Assuming a Gaussian pair",
        "The exact limit of μ from means and standard deviation, converted to ε.",
        "pointwise",
        _gaussian,
        family="Gaussian",
    ),
    *(
        Method(
            name,
            f"{interval.label}, one threshold",
            "At a threshold fixed in advance; the coverage of the interval is only approximate.",
            "approximate",
            _at_threshold(name),
        )
        for name, interval in INTERVALS.ours.items()
        if interval.guarantee == "approximate"
    ),
    Method(
        "tuned-threshold",
        f"Best of {TRIED} thresholds, Clopper–Pearson",
        "The limit at the threshold where it is largest.",
        "pointwise",
        _tuned("clopper-pearson"),
        fails="the threshold was chosen after seeing its bound",
    ),
    Method(
        "tuned-katz-log",
        f"Best of {TRIED} thresholds, Katz-log",
        "The same with approximate limits, as several public tools report.",
        "approximate",
        _tuned("katz-log"),
        fails="the threshold was chosen after seeing its bound, and the interval is approximate",
    ),
    Method(
        "watched",
        "Fixed-n limit, watched live",
        f"The joint exact test at a fixed threshold, evaluated {LOOKS} times while data arrive.",
        "pointwise",
        _watched,
        fails="a limit for one sample size, evaluated at many",
    ),
    Method(
        "gdp-of-histogram",
        "Gaussian fitted to a histogram",
        "The ε of the Gaussian pair with the histogram's total variation, reported as a bound.",
        "estimate",
        _gdp_of_histogram,
        fails="an estimate, and a family that was not checked",
    ),
)

METHODS: dict[str, Method] = {method.name: method for method in _METHODS}

#: A method that is known to fail, shown beside those with a guarantee.
BESIDE = "tuned-katz-log"

#: Label of a group of methods -> its key.
GROUPS = {
    "guaranteed coverage, and a tuned threshold": "contrast",
    "guaranteed coverage": "kept",
    "approximate intervals": "approximate",
    "known to fail": "fails",
    "all": "all",
}


def of_group(group: str) -> list[str]:
    """Names of the methods in a group; "all" for every method.

    In the group "contrast" are `BESIDE` and the methods of guaranteed coverage for any pair.
    """
    if group == "contrast":
        return [*(name for name in of_group("kept") if METHODS[name].family is None), BESIDE]
    return [name for name, method in METHODS.items() if group in ("all", method.group)]
