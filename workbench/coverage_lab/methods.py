"""The methods under test: those the library claims for, and those it ships only for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.anytime.anytime import anytime_epsilon
from workbench.bounds.bound import Bound
from workbench.bounds.counts.counts import Counts
from workbench.bounds.counts.from_counts import epsilon_from_counts
from workbench.bounds.counts.intervals import bound
from workbench.bounds.counts.threshold import epsilon_at_threshold
from workbench.bounds.held_out.held_out import held_out_bound
from workbench.bounds.held_out.ordering import learn_ordering
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.bounds.parametric.parametric import parametric_bound
from workbench.bounds.quantities import Epsilon, QuantityArguments
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.bounds.simultaneous.fixed_bins import hockey_stick_limits
from workbench.coverage_lab.settings import Setting
from workbench.curves.error_rates import epsilon_of_point
from workbench.estimators.histogram import histogram
from workbench.pairs.gaussian import GaussianPair
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

#: Guarantees that promise to keep their level.
KEPT = ("pointwise", "simultaneous", "held-out", "anytime")

#: δ besides the asked one, and a false positive rate, at which simultaneous limits are checked.
FURTHER_DELTA, FURTHER_FPR = 0.05, 0.1

#: Looks at the arriving data, and thresholds tried, by those who watch and those who tune; limits
#: are computed at the most promising few of them only.
LOOKS, TRIED, CLOSER = 100, 200, 3

#: Bins of the limits for bins fixed beforehand.
BINS = 20


@dataclass(frozen=True)
class Asked:
    """What a method is asked for, besides the scores."""

    delta: float
    confidence: float
    setting: Setting


@dataclass(frozen=True)
class Method:
    """One way to bounds.

    Attributes
    ----------
    name, label, about : str
        Key, title, and a line of help.
    guarantee : str
        As on its bounds.
    bounds : callable
        (scores, asked) -> the bounds that it claims *together*; the first is the one of which
        the tightness is shown.
    fails : str
        For a method shipped for comparison only: what is wrong with it.
    family : str, optional
        The family that the pair must belong to.
    """

    name: str
    label: str
    about: str
    guarantee: str
    bounds: Callable[[Scores, Asked], Iterable[Bound]]
    fails: str = ""
    family: str | None = None

    @property
    def group(self) -> str:
        """What it is shipped as: "kept", "approximate", or "fails" for comparison only."""
        if self.fails:
            return "fails"
        return "kept" if self.guarantee in KEPT else "approximate"

    def holds(self, setting: Setting) -> bool:
        """Whether the method claims to keep its level there."""
        return (
            self.group == "kept"
            and setting.independent
            and (self.family is None or self.family in setting.families)
        )


def coverage_methods() -> pd.DataFrame:
    """The methods that `wb.coverage` knows, a row each."""
    import pandas as pd

    shown = ("name", "label", "guarantee", "group", "about", "fails", "family")
    return pd.DataFrame([{key: getattr(m, key) for key in shown} for m in METHODS.values()])


def _band(s: Scores, asked: Asked) -> Iterable[Bound]:
    band = tradeoff_band(s, asked.confidence)
    return (
        band.epsilon(asked.delta),
        band.epsilon(FURTHER_DELTA),
        band.mu(),
        band.total_variation(),
        band.tpr(FURTHER_FPR),
    )


def _fixed_bins(method: str) -> Callable[[Scores, Asked], Iterable[Bound]]:
    def bounds(s: Scores, asked: Asked) -> Iterable[Bound]:
        h = histogram(s, bins=BINS, range=asked.setting.reach)
        # One-sided, at the level of the two-sided limits' lower half.
        low, _ = hockey_stick_limits(h, 0.0, 2 * asked.confidence - 1, method)
        return (replace(low, confidence=asked.confidence),)

    return bounds


def _tuned(interval: str) -> Callable[[Scores, Asked], Iterable[Bound]]:
    """The largest of the pointwise limits, each of which would be right if it were the only one."""

    def bounds(s: Scores, asked: Asked) -> Iterable[Bound]:
        tried = s.quantile(np.linspace(0, 1, TRIED + 2)[1:-1])
        promising = tried[_promising(s, tried, asked)]
        found = (
            epsilon_at_threshold(s, float(t), asked.delta, asked.confidence, interval)
            for t in promising
        )
        return (max(found, key=float),)

    return bounds


def _watched(s: Scores, asked: Asked) -> Iterable[Bound]:
    """The largest limit seen while the data arrived, at a threshold written down beforehand."""
    t = s.in_score_units(asked.setting.threshold)
    tp, fp = (np.cumsum(side > t) for side in s.oriented())
    looks = np.unique(np.linspace(0.01, 1, LOOKS) * min(s.n_p, s.n_q)).astype(int)
    looks = looks[looks >= 2]
    limits = _normal_limits(tp[looks - 1] / looks, fp[looks - 1] / looks, looks, looks, asked)
    best = looks[np.argsort(limits)[-CLOSER:]]
    found = (
        epsilon_from_counts(
            tp=int(tp[n - 1]),
            fp=int(fp[n - 1]),
            tn=int(n - fp[n - 1]),
            fn=int(n - tp[n - 1]),
            delta=asked.delta,
            confidence=asked.confidence,
            interval="joint",
        )
        for n in best
    )
    return (max(found, key=float),)


def _promising(s: Scores, thresholds: Floats, asked: Asked) -> NDArray[np.intp]:
    """The few thresholds at which limits are largest, found by a quick approximation."""
    tp, fp = s.tail_counts(thresholds)
    limits = _normal_limits(tp / s.n_p, fp / s.n_q, s.n_p, s.n_q, asked)
    return np.argsort(limits)[-CLOSER:]


def _normal_limits(tpr: Floats, fpr: Floats, n_p: Any, n_q: Any, asked: Asked) -> Floats:
    """Limits of ε from normal limits of both rates, to see where to look closer."""
    z = 1.0  # where limits are largest hardly depends on how far out they are taken
    alpha = fpr + z * np.sqrt((fpr * (1 - fpr) + 1 / n_q) / n_q)
    beta = 1 - tpr + z * np.sqrt((tpr * (1 - tpr) + 1 / n_p) / n_p)
    return np.asarray(epsilon_of_point(np.minimum(alpha, 1), np.minimum(beta, 1), asked.delta))


def _at_threshold(interval: str) -> Callable[[Scores, Asked], Iterable[Bound]]:
    def bounds(s: Scores, asked: Asked) -> Iterable[Bound]:
        counts = Counts.at_threshold(s, asked.setting.threshold)
        return (_of_counts(counts, asked.delta, asked.confidence, interval),)

    return bounds


@lru_cache(maxsize=100_000)
def _of_counts(counts: Counts, delta: float, confidence: float, interval: str) -> Bound:
    """Replicates at one threshold often repeat their counts."""
    return bound(counts, Epsilon(delta), confidence, interval)


def _held_out(ordering: str, splits: int = 1) -> Callable[[Scores, Asked], Iterable[Bound]]:
    def bounds(s: Scores, asked: Asked) -> Iterable[Bound]:
        question = Epsilon(asked.delta)
        return (held_out_bound(s, question, asked.confidence, ordering, splits),)

    return bounds


def _anytime(s: Scores, asked: Asked) -> Iterable[Bound]:
    return (anytime_epsilon(s, asked.delta, asked.confidence),)


def _gaussian(s: Scores, asked: Asked) -> Iterable[Bound]:
    return (parametric_bound(s, "gaussian", delta=asked.delta, confidence=asked.confidence),)


def _gdp_of_histogram(s: Scores, asked: Asked) -> Iterable[Bound]:
    """The ε of the Gaussian with the histogram's total variation, claimed as if it were a bound."""
    fit = gdp_fit(s, "tv")
    epsilon = float(GaussianPair(fit.value).epsilon(asked.delta))
    at = QuantityArguments(delta=asked.delta)
    return (replace(fit, quantity="epsilon", value=epsilon, at=at),)


_METHODS = (
    Method(
        "simultaneous",
        "Simultaneous band",
        "Limits at all thresholds at once: ε at two δ, μ, TV and a true positive rate, all "
        "checked together.",
        "simultaneous",
        _band,
    ),
    Method(
        "exact",
        "Joint exact test, one threshold",
        "The joint exact test at a threshold written down beforehand.",
        "pointwise",
        _at_threshold("joint"),
    ),
    Method(
        "clopper-pearson",
        "Clopper–Pearson, one threshold",
        "Exact limits of both error rates at a threshold written down beforehand.",
        "pointwise",
        _at_threshold("clopper-pearson"),
    ),
    Method(
        "anytime",
        "Anytime, by betting",
        "The largest bound ever shown while the data arrived.",
        "anytime",
        _anytime,
    ),
    Method(
        "held-out",
        "Held-out thresholds",
        "Tuned on a fifth of the scores, tested on the rest.",
        "held-out",
        _held_out("threshold"),
    ),
    Method(
        "held-out-splits",
        "Held-out thresholds, three splits",
        "The same, three times, combined by a majority.",
        "held-out",
        _held_out("threshold", splits=3),
    ),
    Method(
        "learned-ordering",
        "Learned likelihood ratio",
        "Ordered by a ratio learned on a fifth of the scores, the band over the rest; ε at two δ, "
        "μ, TV and a true positive rate, all checked together.",
        "held-out",
        lambda s, asked: _band(learn_ordering(s).scores, asked),
    ),
    Method(
        "bins-mcdiarmid",
        f"{BINS} bins, McDiarmid",
        "TV over bins written down beforehand, the sharper limit.",
        "pointwise",
        _fixed_bins("mcdiarmid"),
    ),
    Method(
        "bins-canonne",
        f"{BINS} bins, Canonne",
        "TV over bins written down beforehand, the published limit.",
        "pointwise",
        _fixed_bins("canonne"),
    ),
    Method(
        "gaussian",
        "If the pair is Gaussian",
        "The exact limit of μ from means and spread, turned into ε.",
        "pointwise",
        _gaussian,
        family="Gaussian",
    ),
    *(
        Method(
            interval,
            f"{name}, one threshold",
            "At a threshold written down beforehand; the interval does not keep its level.",
            "approximate",
            _at_threshold(interval),
        )
        for interval, name in (
            ("wilson", "Wilson"),
            ("jeffreys", "Jeffreys"),
            ("bayesian", "Bayesian region"),
            ("katz-log", "Katz-log"),
        )
    ),
    Method(
        "tuned-threshold",
        f"Best of {TRIED} thresholds, Clopper–Pearson",
        "The limit at the threshold that looked best.",
        "pointwise",
        _tuned("clopper-pearson"),
        fails="the threshold was chosen because of its bound",
    ),
    Method(
        "tuned-katz-log",
        f"Best of {TRIED} thresholds, Katz-log",
        "What several public tools report.",
        "approximate",
        _tuned("katz-log"),
        fails="the threshold was chosen because of its bound, and the interval is approximate",
    ),
    Method(
        "watched",
        "Fixed-n limit, watched live",
        f"The joint exact test at a fixed threshold, looked at {LOOKS} times while data arrive.",
        "pointwise",
        _watched,
        fails="a limit for one sample size, read at many",
    ),
    Method(
        "gdp-of-histogram",
        "Gaussian fitted to a histogram",
        "The ε of the Gaussian pair with the histogram's total variation, read as a bound.",
        "estimate",
        _gdp_of_histogram,
        fails="an estimate, and a family that nobody checked",
    ),
)

METHODS: dict[str, Method] = {method.name: method for method in _METHODS}

#: What people may ask for together.
GROUPS = {
    "all that keep their level": "kept",
    "approximate intervals": "approximate",
    "known to fail": "fails",
    "all": "all",
}


def of_group(group: str) -> list[str]:
    """Names of the methods of a group."""
    return [name for name, method in METHODS.items() if group in ("all", method.group)]
