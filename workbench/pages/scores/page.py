"""The main page: load scores, drag, and watch estimates, bounds and curves follow."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.bounds.counts.intervals import NAMES
from workbench.bounds.counts.threshold import ErrorRates, epsilon_at_threshold, error_rates
from workbench.bounds.estimates import auc_estimate, total_variation_estimate
from workbench.bounds.held_out.ordering import learn_ordering
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.bounds.power.verdict import Verdict, judge
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.bounds.simultaneous.fixed_bins import METHODS, hockey_stick_limits
from workbench.estimators.bin_rules import RANGE_TAIL, WIDTH_RULES, bin_width
from workbench.estimators.histogram import Histogram, histogram
from workbench.estimators.roc import Roc, roc
from workbench.figures import scores as charts
from workbench.pages.core.page import Control, Fact, Section, derived, figure, number, sentence
from workbench.pages.core.sliders import NumberField
from workbench.pages.inputs.pair import pair_values
from workbench.pages.inputs.reference import (
    REFERENCE,
    ReferenceChoice,
    chosen_reference,
    reference_controls,
)
from workbench.pages.inputs.score_source import ScoreSource
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores

#: Thresholds at which the μ chart is drawn, across the displayed range.
MU_POINTS = 301

#: Steps of the threshold's slider across the displayed range, at least.
THRESHOLD_STEPS = 200

#: The narrowest bins the slider offers number at most about twice this; the widest are this many
#: times as wide.
MOST_BINS = 500
WIDEST = 200

#: The controls that choose the bins.
BIN_CONTROLS = ("bin_rule", "bin_width", "bin_count", "fixed_range", "range_low", "range_high")

#: Controls of how bounds are made, and how they are called when they were changed after a look.
METHOD_CONTROLS = {
    "confidence": "the confidence",
    "ordering": "what thresholds are on",
    "interval": "the interval",
}

#: The false positive rate at which the strip shows a true positive rate.
LOW_FPR = 0.01

#: Ends of the bins' range that may be typed.
SCORE = (-1e15, 1e15)

MOVED = "threshold set after seeing the scores"
BINS_MOVED = "bins set after seeing the scores"


class ScoresPage(ScoreSource, ReferenceChoice):
    """State and drawings of the scores page."""

    title = "Scores"
    about = (
        "How well can an attacker tell members from non-members, and what does that prove about "
        "privacy?"
    )

    threshold = param.Number(
        0.0,
        bounds=(0, 1),
        step=0.01,
        label="Threshold",
        doc="Scores on the member side of it are called members. Drag the line in the chart, too.",
    )
    bin_rule = param.Selector(
        default="scott",
        objects={
            "Scott": "scott",
            "Freedman–Diaconis": "fd",
            "Plug-in": "plugin",
            "Wand": "wand",
            "Knuth": "knuth",
            "Fixed width": "width",
            "Fixed number": "count",
            "Equal probability": "quantile",
        },
        label="Bins",
        doc="How the bins are chosen. Moving the width switches to a fixed width.",
    )
    bin_width = param.Number(0.1, bounds=(0.01, 1), step=0.01, label="Bin width")
    bin_count = param.Integer(20, bounds=(2, 200), label="Number of bins")
    fixed_range = param.Boolean(
        False,
        label="Fix the range",
        doc="Off: from the 0.1 % to the 99.9 % quantile.",
    )
    range_low = NumberField(-1.0, SCORE, label="From", step=0.1)
    range_high = NumberField(2.0, SCORE, label="To", step=0.1)
    log_delta = param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="The δ of (ε, δ)."
    )
    confidence = param.Selector(
        default=0.95,
        objects={percent(c): c for c in (0.9, 0.95, 0.99, 0.999, 0.9999)},
        label="Confidence",
        doc="Choose it before you look: a change after a bound was seen marks the bound.",
    )
    ordering = param.Selector(
        default="score",
        objects={"the score itself": "score", "a likelihood ratio learned on a fifth": "learned"},
        label="Bounds from thresholds on",
        doc="Where members score both high and low, thresholds on the score see little. A ratio "
        "learned on a fifth of the scores and measured on the rest sees it all, at some cost.",
    )
    interval = param.Selector(
        default="joint",
        objects={NAMES[name]: name for name in NAMES},
        label="Interval at the threshold",
        doc="The first two keep their level; the others are here to compare with other tools.",
    )
    fit_method = param.Selector(
        default="tv",
        objects={"from total variation": "tv", "at the threshold": "threshold",
                 "over a range": "range"},
        label="GDP fit",
    )  # fmt: skip
    log_floor = param.Number(
        -3.0,
        bounds=(-6, -1),
        step=0.5,
        label="log₁₀ of the floor",
        doc="The fit looks at points whose error rates are both at least this.",
    )
    reset = param.Event(label="Reset", doc="Controls as they were when the scores were loaded.")

    threshold_moved = param.Boolean(True, precedence=-1)
    bins_moved = param.Boolean(True, precedence=-1)

    controls: ClassVar[tuple[Section, ...]] = (
        *ScoreSource.source_controls,
        Section(
            "Audit",
            (
                Control("threshold"),
                Control("bin_rule"),
                Control("bin_width", when=lambda p: p.bin_rule in (*WIDTH_RULES, "width")),
                Control("bin_count", when=lambda p: p.bin_rule in ("count", "quantile")),
                Control("fixed_range", when=lambda p: p.bin_rule != "quantile"),
                Control("range_low", when=lambda p: p.fixed_range and p.bin_rule != "quantile"),
                Control("range_high", when=lambda p: p.fixed_range and p.bin_rule != "quantile"),
                Control("log_delta"),
                Control("confidence"),
                Control("ordering"),
                Control("interval"),
            ),
        ),
        Section(
            "Compare with",
            (
                *reference_controls(),
                Control("fit_method"),
                Control("log_floor", when=lambda p: p.fit_method == "range"),
            ),
        ),
        Section("", (Control("reset"),)),
    )

    def __init__(self, **params: Any):
        self._by_hand = True
        self._adopted_seed: int | None = None
        super().__init__(**params)
        self.param.watch(self._moved, ["threshold", *BIN_CONTROLS, *METHOD_CONTROLS])
        self.param.watch(self._reset, "reset")

    # -- what follows from new scores, and from a person's hand ------------------------------

    def adopt(self, scores: Scores, said: str) -> None:
        """Take new scores into view, with sliders that span them.

        A threshold and bins that were set before fresh draws arrive were chosen beforehand: they
        stay, and so do the guarantees for choices made beforehand.
        """
        drawn = self.source == "pair"
        fresh = drawn and self._adopted_seed not in (None, self.seed)
        self._adopted_seed = self.seed if drawn else None
        low, high = (float(x) for x in scores.quantile([RANGE_TAIL, 1 - RANGE_TAIL]))
        if low == high:
            low, high = low - 0.5, high + 0.5
        step = nice_below((high - low) / THRESHOLD_STEPS)
        bounds = (step * math.floor(low / step), step * math.ceil(high / step))
        narrowest = nice_below((high - low) / MOST_BINS)
        stays = fresh and bounds[0] <= self.threshold <= bounds[1]
        values: dict[str, Any] = {
            "scores": scores,
            "loaded": said,
            "message": "",
            "threshold_moved": not stays,
        }
        if not stays:
            values["threshold"] = _snap(float(scores.quantile(0.5)), step, bounds)
        if self.bin_rule == "width" and not drawn:
            values["bin_rule"] = "scott"
        rule = values.get("bin_rule", self.bin_rule)
        # A rule takes its width from these very scores, however fixed the range is.
        values["bins_moved"] = not (fresh and self.fixed_range and rule not in WIDTH_RULES)
        widths = (narrowest, narrowest * WIDEST)
        if rule in WIDTH_RULES:
            values["bin_width"] = _snap(bin_width(scores, rule), narrowest, widths)
        elif not fresh:
            values["bin_width"] = _snap(self.bin_width, narrowest, widths)
        else:
            widths = (min(widths[0], self.bin_width), max(widths[1], self.bin_width))
        if self.source == "example" and self.reference_hint:
            values |= pair_values("reference", **self.reference_hint)
        elif self.source == "example":
            values["reference_kind"] = None
        self.param.threshold.bounds, self.param.threshold.step = bounds, step
        self.param.bin_width.bounds, self.param.bin_width.step = widths, narrowest
        self._set(values)

    def _set(self, values: dict[str, Any]) -> None:
        """Set parameters on the page's own account, not by a person's hand."""
        before, self._by_hand = self._by_hand, False
        try:
            self.param.update(values)
        finally:
            self._by_hand = before

    def _moved(self, *events: Any) -> None:
        if not self._by_hand:
            return
        changed = {event.name for event in events}
        if "threshold" in changed:
            self.threshold_moved = True
        for name in changed & set(METHOD_CONTROLS):
            self.looked = METHOD_CONTROLS[name]
        if changed & set(BIN_CONTROLS):
            values: dict[str, Any] = {"bins_moved": True}
            if "bin_rule" in changed and self.bin_rule in WIDTH_RULES:
                low, high = self.param.bin_width.bounds
                width = bin_width(self.scores, self.bin_rule)
                values["bin_width"] = _snap(width, self.param.bin_width.step, (low, high))
            elif "bin_width" in changed and self.bin_rule in WIDTH_RULES:
                values["bin_rule"] = "width"
            # A drag calls this at every step, and mostly nothing of it is news.
            news = {name: v for name, v in values.items() if getattr(self, name) != v}
            if news:
                self._set(news)

    def _reset(self, *events: Any) -> None:
        own = (*BIN_CONTROLS, *METHOD_CONTROLS, "log_delta", "fit_method", "log_floor")
        self._adopted_seed = None
        self._set({name: self.param[name].default for name in own if name != "bin_width"})
        self.read_as_loaded()

    # -- results, each computed once a state ---------------------------------------------------

    @property
    def delta(self) -> float:
        """The δ that the slider shows."""
        return float(10**self.log_delta)

    @derived(needs=("scores",), shared=True)
    def roc(self) -> Roc:
        """All threshold attacks on these samples."""
        return roc(self.scores)

    @derived(needs=("scores", *BIN_CONTROLS), shared=True)
    def histogram(self) -> Histogram:
        """Both sides over the chosen bins."""
        if self.bin_rule == "quantile":
            return histogram(self.scores, bins=self.bin_count, rule="quantile")
        within = (self.range_low, self.range_high) if self.fixed_range else None
        if self.bin_rule == "count":
            return histogram(self.scores, bins=self.bin_count, range=within)
        return histogram(self.scores, width=self.bin_width, range=within)

    @derived(needs=("scores", "ordering"))
    def measured(self) -> Scores:
        """What the band's thresholds are on: the scores, or what was learned from a part."""
        return self.scores if self.ordering == "score" else learn_ordering(self.scores).scores

    @derived(needs=("measured", "confidence"), shared=True)
    def band(self) -> TradeoffBand:
        """Limits at all thresholds at once."""
        return tradeoff_band(self.measured(), self.confidence)

    @derived(needs=("scores", "confidence", "threshold"))
    def at_threshold(self) -> ErrorRates:
        """Error rates at the threshold."""
        return error_rates(self.scores, self.threshold, self.confidence)

    @derived(needs=("scores", "threshold", "log_delta", "confidence", "interval"), shared=True)
    def pointwise(self) -> Bound:
        """What the threshold alone shows, if it was chosen beforehand."""
        return epsilon_at_threshold(
            self.scores, self.threshold, self.delta, self.confidence, self.interval
        )

    @derived(needs=("scores", "confidence"))
    def across(self) -> ErrorRates:
        """Error rates at thresholds across the displayed range."""
        low, high = self.param.threshold.bounds
        return error_rates(self.scores, np.linspace(low, high, MU_POINTS), self.confidence)

    @derived(needs=("threshold", "fit_method"))
    def fit_threshold(self) -> float | None:
        """The threshold, if the fit is at it: otherwise no move of it changes the fit."""
        return self.threshold if self.fit_method == "threshold" else None

    @derived(needs=("scores", *BIN_CONTROLS, "fit_threshold", "fit_method", "log_floor"))
    def fit(self) -> Bound:
        """The fitted Gaussian curve."""
        if self.fit_method == "threshold":
            return gdp_fit(self.scores, "threshold", threshold=self.threshold)
        if self.fit_method == "tv":
            return gdp_fit(self.histogram(), "tv")
        return gdp_fit(self.roc(), "range", floor=10**self.log_floor)

    @derived(needs=REFERENCE)
    def reference(self) -> Pair | None:
        """The pair that the scores are compared with."""
        return chosen_reference(self)

    @derived(needs=("measured", "confidence", *REFERENCE), shared=True)
    def verdict(self) -> Verdict | None:
        """What the scores say about the reference as a claim."""
        reference = self.reference()
        return None if reference is None else judge(self.measured(), reference, self.confidence)

    # -- the strip of numbers ------------------------------------------------------------------

    @number(
        "ε lower bound",
        needs=("band", "log_delta", "looked"),
        formula="ε ≥ max over thresholds of log((1 − δ − β̄)/ᾱ) and log((1 − δ − ᾱ)/β̄), with "
        "upper limits ᾱ, β̄ of both error rates that hold at all thresholds at once.",
        caution="A larger ε may be true: the scores may come from a weak attack.",
    )
    def epsilon(self) -> Bound:
        """No smaller ε makes the mechanism (ε, δ)-DP, at this confidence."""
        return self._certified(self.band().epsilon(self.delta))

    @number(
        "μ lower bound",
        needs=("band", "looked"),
        formula="μ ≥ max over thresholds of Φ⁻¹(1 − ᾱ) − Φ⁻¹(β̄).",
        caution="It refutes smaller μ for any mechanism; it does not say that the mechanism is "
        "Gaussian.",
    )
    def mu(self) -> Bound:
        """The mechanism is not μ'-GDP for any smaller μ', at this confidence."""
        return self._certified(self.band().mu())

    @number(
        "TV lower bound",
        needs=("band", "looked"),
        formula="TV ≥ max over thresholds of 1 − ᾱ − β̄.",
        caution="Threshold attacks see less than the whole distance where members score both "
        "high and low.",
    )
    def total_variation(self) -> Bound:
        """The total variation distance, an attacker's membership advantage, is at least this."""
        return self._certified(self.band().total_variation())

    @number(
        f"TPR at FPR {LOW_FPR:g}",
        needs=("band", "looked"),
        formula="1 − f̄(α), with f̄ the band's upper bound on the trade-off function.",
        caution="It bounds what the best attack reaches; your own threshold may do worse.",
    )
    def tpr(self) -> Bound:
        """Members that some attack finds while it wrongly accuses 1 in 100."""
        return self._certified(self.band().tpr(LOW_FPR))

    @number(
        "ε at the threshold",
        needs=("pointwise", "threshold_moved", "looked"),
        formula="Limits of both error rates at this one threshold, or a test of both counts "
        "together, as the chosen interval has it.",
        caution="It is true only for a threshold chosen before the scores were seen. Dragging "
        "until it looks good makes it false.",
        slow=True,
    )
    def epsilon_here(self) -> Bound:
        """What this threshold alone would show, had it been chosen beforehand."""
        bound = self.pointwise()
        return self._certified(bound.voided(MOVED) if self.threshold_moved else bound)

    @number(
        "TV by histogram",
        needs=("histogram",),
        formula="½ Σ |p̂ − q̂| over the bins (Koskela & Mohammadi 2024, Alg. 2 at ε = 0).",
        caution="A maximum of noise: it is positive even where members and non-members score "
        "alike, and grows with the number of bins.",
    )
    def histogram_tv(self) -> Bound:
        """Estimated distance of the two histograms."""
        return total_variation_estimate(self.histogram())

    @number(
        "AUC",
        needs=("roc",),
        formula="Mann–Whitney: the share of pairs in which the member scores more member-like, "
        "ties counted half.",
        caution="An average over all thresholds: a few members may be found with certainty while "
        "it stays near ½.",
    )
    def auc(self) -> Bound:
        """Chance that a random member scores more member-like than a random non-member."""
        return auc_estimate(self.roc())

    @number(
        "Reference as a claim",
        needs=("verdict", "looked"),
        formula="A p-value of the reference's trade-off function at each of the band's thresholds; "
        "the smallest one pays for all of them.",
        caution="Not refuted does not mean true. The words under the numbers say what these scores "
        "would have caught.",
        slow=True,
    )
    def claim(self) -> Fact:
        """Whether the mechanism can leak as little as the reference promises."""
        verdict = self.verdict()
        if verdict is None:
            return Fact("–", "choose a reference to hold the scores against")
        level = f"{verdict.terms[0]} · {percent(verdict.confidence)}"
        return Fact(verdict.verdict, self._looked_words or level)

    @number("Scores", needs=("scores",))
    def sizes(self) -> Fact:
        """Scores in use: members (P) and non-members (Q)."""
        s: Scores = self.scores
        notes = [s.assumption]
        if s.rows_p + s.rows_q - s.discarded > s.n_p + s.n_q:
            notes.append(f"from {s.rows_p:,} + {s.rows_q:,} rows")
        for side, odd in (("P", s.nonfinite_p), ("Q", s.nonfinite_q)):
            if odd.total:
                notes.append(f"{side}: {odd} {'dropped' if s.nonfinite == 'drop' else 'kept'}")
        return Fact(f"{s.n_p:,} + {s.n_q:,}", " · ".join(notes))

    def _certified(self, bound: Bound) -> Bound:
        return bound.voided(self._looked_words) if self.looked else bound

    @property
    def _looked_words(self) -> str:
        return f"chosen after looking: {self.looked} changed" if self.looked else ""

    # -- in plain words ------------------------------------------------------------------------

    @sentence(needs=("band", "looked"))
    def in_words(self) -> str:
        """The strongest of a few statements that all hold at once."""
        return self._certified(self.band().most_telling()).explain()

    @sentence(needs=("verdict", "looked"), slow=True)
    def judged(self) -> str:
        """The verdict on the reference, with its witness or with what would have been caught."""
        verdict = self.verdict()
        if verdict is None:
            return ""
        void = f" The guarantee is void: {self._looked_words}." if self.looked else ""
        return f"{verdict.explain()}{void}"

    @sentence(needs=("roc", "scores"))
    def question(self) -> str:
        """Whether the direction was meant; it is never flipped for anyone."""
        auc = self.roc().auc
        if auc >= 0.5 or self.source == "pair":
            return ""
        now, other = (
            ("larger", "smaller") if self.scores.larger_is_member else ("smaller", "larger")
        )
        return (
            f"Is the direction right? Members do not score {now} here (AUC {auc:.3f}). If "
            f"{other} scores speak for membership, as they do for "
            f"{'a loss' if other == 'smaller' else 'a statistic'}, choose “{other} = member”."
        )

    @sentence(needs=("histogram", "confidence", "bins_moved", "looked"), place="foot")
    def fixed_bins(self) -> str:
        """Limits of TV that hold for bins fixed beforehand, or the reason why they are void."""
        limits = []
        void = None
        for method, name in METHODS.items():
            low, high = hockey_stick_limits(self.histogram(), 0, self.confidence, method)
            if self.bins_moved:
                low = low.voided(BINS_MOVED) if low.void is None else low
            void = self._certified(low).void
            limits.append(
                f"{low.rounded} to {high.rounded} ({name.removeprefix('fixed bins (')[:-1]})"
            )
        text = f"Limits of TV over these bins at {percent(self.confidence)}: {' or '.join(limits)}"
        if void:
            return f"{text}. Void: {void}."
        return f"{text}, {self.histogram().scores.assumption}; the bins were fixed beforehand."

    @sentence(needs=("loaded",), place="head")
    def provenance(self) -> str:
        """What is shown, and how it was read."""
        return str(self.loaded)

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "Score distributions",
        needs=("histogram", "threshold"),
        span=7,
        formula="Relative frequency of each side in a bin, divided by its width. The outer bins "
        "are open: they also count what lies beyond.",
        caution="Where the histograms differ may be noise; see the limits under the numbers.",
        drag={"threshold": "threshold"},
    )
    def distributions(self) -> dict[str, Any]:
        """Histograms of both sides. Drag the line to move the threshold."""
        return charts.histograms(self.histogram(), self.threshold, self.param.threshold.bounds)

    @figure(
        "Trade-off curve",
        needs=("roc", "histogram", "band", "at_threshold", "fit", "reference"),
        span=5,
        formula="f(α) is the smallest false negative rate of any attack with false positive rate "
        "at most α. Observed: lower hull of all threshold attacks on these samples. Simultaneous: "
        "an upper bound on f.",
        caution="Observed and histogram curves are estimates and lie below the truth in small "
        "samples. Only the simultaneous curve is certified, and only from above: the true f lies "
        "on or below it.",
        click="move_to_fpr",
    )
    def tradeoff(self) -> dict[str, Any]:
        """Error rates of every attack. Click to move the threshold there."""
        return charts.tradeoff(
            self.roc(),
            self.histogram(),
            self.band(),
            self.at_threshold(),
            self.fit(),
            self.reference(),
        )

    def move_to_fpr(self, x: float, y: float) -> None:
        """Put the threshold where the observed false positive rate is about x."""
        s: Scores = self.scores
        rank = min(max(round(x * s.n_q), 1), s.n_q)
        value = float(s.most_member_like_q(rank))
        if math.isfinite(value):
            self.threshold = _snap(value, self.param.threshold.step, self.param.threshold.bounds)

    @figure(
        "Privacy profile",
        needs=("histogram", "band", "log_delta", "fit", "reference"),
        span=6,
        formula="δ(ε) = max of H(P‖Q) and H(Q‖P) at e^ε, with H = Σ [p − e^ε q]₊. Simultaneous: a "
        "lower bound on δ(ε) for every ε at once.",
        caution="The histogram's curve is an estimate and biased upward; the fit assumes a "
        "Gaussian pair.",
    )
    def profile(self) -> dict[str, Any]:
        """δ as a function of ε; the dot is the ε lower bound at your δ."""
        return charts.profile(
            self.histogram(), self.band(), self.delta, self.fit(), self.reference()
        )

    @figure(
        "μ at every threshold",
        needs=("across", "band", "ordering", "threshold", "reference"),
        span=6,
        formula="μ(t) = Φ⁻¹(1 − FPR) − Φ⁻¹(FNR). Dots: simultaneous limits at the band's own "
        "thresholds. Strip: pointwise limits.",
        caution="The pointwise limit is true for one threshold chosen beforehand; its highest "
        "point is not a bound.",
        drag={"threshold": "threshold"},
    )
    def mu_curve(self) -> dict[str, Any]:
        """GDP parameter that each threshold alone implies; flat if the pair is Gaussian."""
        own = self.ordering == "score"  # a learned ordering has thresholds of another kind
        return charts.mu_at_thresholds(
            self.across(), self.band() if own else None, self.threshold, self.reference()
        )


def nice_below(x: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is at most x."""
    if math.isinf(x):
        raise ValueError("no float holds the range of these scores; divide them by a constant")
    power = 10.0 ** math.floor(math.log10(x))
    return max(m * power for m in (1, 2, 5) if m * power <= x)


def _snap(x: float, step: float, bounds: tuple[float, float]) -> float:
    """The multiple of the step nearest to x, within the bounds."""
    digits = max(0, -math.floor(math.log10(step)))
    return min(max(round(round(x / step) * step, digits), bounds[0]), bounds[1])
