"""The methods under test: those the library claims for, and those it ships only for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.bounds.band import tradeoff_band
from workbench.bounds.fixed_bins import hockey_stick_limits
from workbench.bounds.result import Bound
from workbench.bounds.threshold import epsilon_at_threshold, error_rates
from workbench.coverage_lab.settings import Setting
from workbench.curves.points import epsilon_of_point
from workbench.estimators.histogram import histogram
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd

#: Guarantees that promise to keep their level.
KEPT = ("pointwise", "simultaneous", "held-out", "anytime")

#: δ besides the asked one, and a false positive rate, at which simultaneous limits are checked.
FURTHER_DELTA, FURTHER_FPR = 0.05, 0.1

#: Looks at the arriving data, and thresholds tried, by those who watch and those who tune.
LOOKS, TRIED = 100, 200

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


def _tuned(s: Scores, asked: Asked) -> Iterable[Bound]:
    """The largest of the pointwise limits, each of which would be right if it were the only one."""
    tried = s.quantile(np.linspace(0, 1, TRIED + 2)[1:-1])
    rates = error_rates(s, tried, asked.confidence)
    values = epsilon_of_point(rates.fpr_upper, rates.fnr_upper, asked.delta)
    best = tried[int(np.argmax(values))]
    return (epsilon_at_threshold(s, float(best), asked.delta, asked.confidence),)


def _watched(s: Scores, asked: Asked) -> Iterable[Bound]:
    """The largest limit seen while the data arrived, at a threshold written down beforehand."""
    t = asked.setting.threshold
    sign = 1 if s.larger_is_member else -1
    tp, fp = (np.cumsum(sign * side > sign * t) for side in s)
    looks = np.unique(np.linspace(0.01, 1, LOOKS) * min(s.n_p, s.n_q)).astype(int)
    looks = looks[looks >= 2]
    from workbench.bounds.binomial import clopper_pearson_upper

    error = (1 - asked.confidence) / 2
    alpha = clopper_pearson_upper(fp[looks - 1], looks, error)
    beta = clopper_pearson_upper(looks - tp[looks - 1], looks, error)
    seen = epsilon_of_point(alpha, beta, asked.delta)
    return (replace(_pointwise(s, asked), value=float(seen.max())),)


def _pointwise(s: Scores, asked: Asked, **more: Any) -> Bound:
    return epsilon_at_threshold(s, asked.setting.threshold, asked.delta, asked.confidence, **more)


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
        "clopper-pearson",
        "Clopper–Pearson, one threshold",
        "Exact limits of both error rates at a threshold written down beforehand.",
        "pointwise",
        lambda s, asked: (_pointwise(s, asked),),
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
        "tuned-threshold",
        "Best of 200 thresholds",
        "Clopper–Pearson at the threshold that looked best.",
        "pointwise",
        _tuned,
        fails="the threshold was chosen because of its bound",
    ),
    Method(
        "watched",
        "Fixed-n limit, watched live",
        f"Clopper–Pearson at a fixed threshold, looked at {LOOKS} times while data arrive.",
        "pointwise",
        _watched,
        fails="a limit for one sample size, read at many",
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
