"""`ScoresPage`: estimates, bounds and curves of one set of scores, at a threshold to drag."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent, plain
from workbench.audits.deviations import BINS, CONFIDENCE, INTERVAL, THRESHOLD, AuditFacts
from workbench.audits.plan import RegisteredPlan
from workbench.bounds.bound import Bound
from workbench.bounds.counts.intervals import NAMES
from workbench.bounds.counts.threshold import ErrorRates, epsilon_at_threshold, error_rates
from workbench.bounds.estimates import auc_estimate, checked_against, total_variation_estimate
from workbench.bounds.held_out.ordering import learn_ordering
from workbench.bounds.one_question.one_question import one_question_bound
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.bounds.power.judge import verdict_on
from workbench.bounds.power.verdict import Verdict
from workbench.bounds.quantities import Question
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.bounds.simultaneous.fixed_bins import METHODS, hockey_stick_limits
from workbench.estimators.bin_rules import RANGE_TAIL, WIDTH_RULES, around, bin_width, quantile_bins
from workbench.estimators.histogram import Histogram, histogram
from workbench.estimators.roc import Roc, roc
from workbench.figures import scores as charts
from workbench.pages.core.page import (
    Control,
    Fact,
    NotChosen,
    Section,
    derived,
    figure,
    number,
    sentence,
)
from workbench.pages.core.sliders import SCORE, LogNumber, NumberField, number_of
from workbench.pages.inputs.asked import AskedInAdvance
from workbench.pages.inputs.direction import direction_question
from workbench.pages.inputs.pair import pair_values
from workbench.pages.inputs.plan_choice import PlannedSource
from workbench.pages.inputs.reference import (
    REFERENCE,
    ReferenceChoice,
    chosen_reference,
    reference_controls,
)
from workbench.pages.inputs.score_source import Arrival, ScoreSource
from workbench.pages.inputs.seen_words import seen_words
from workbench.pages.scores.code import LOW_FPR, score_code
from workbench.pages.scores.planned import audit_facts, planned_values
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores
from workbench.workspaces.planning import PlannedData

#: Thresholds at which the μ chart is drawn, across the displayed range.
MU_POINTS = 301

#: Steps of the threshold's slider across the displayed range, at least.
THRESHOLD_STEPS = 200

#: The narrowest bins the slider offers number at most about twice this; the widest are this many
#: times as wide.
MOST_BINS = 500
WIDEST = 200

#: The largest number of bins that can be chosen, as of 10⁸ scores in a group.
MOST_COUNT = 500

#: Bins that are typed may be this many times as narrow as the narrowest of the slider.
FINER = 10

#: The controls that choose the bins.
BIN_CONTROLS = ("bin_rule", "bin_width", "bin_count", "fixed_range", "range_low", "range_high")

PLACED = NotChosen(
    "the threshold was placed at the median of these scores", ask="choose a threshold"
)
MOVED = "the threshold was chosen after seeing the scores"
BINS_MOVED = "the bins were chosen after seeing the scores"


class ScoresPage(PlannedSource, ReferenceChoice, AskedInAdvance):
    """State and drawings of the scores page."""

    title = "Scores"
    about = (
        "How well can an attacker distinguish members from non-members, and what does that prove "
        "about privacy?"
    )

    main: ClassVar[tuple[str, ...]] = ("threshold", "bin_width")

    CHOICES: ClassVar[Mapping[str, str]] = {
        "confidence": CONFIDENCE,
        "ordering": "the attack statistic",
        "interval": INTERVAL,
    }
    RESETS: ClassVar[tuple[str, ...]] = (
        *(name for name in BIN_CONTROLS if name != "bin_width"),
        *("confidence", "asked", "ordering", "interval", "log_delta", "fit_method", "log_floor"),
    )

    threshold = param.Number(
        0.0,
        bounds=SCORE,
        softbounds=(0, 1),
        step=0.01,
        label="Threshold",
        doc="Records whose score lies beyond it are classified as members. You can also drag the "
        "line in the chart.",
    )
    bin_rule = param.Selector(
        default="quantile",
        objects={
            "Equal probability": "quantile",
            "Scott": "scott",
            "Freedman–Diaconis": "fd",
            "Plug-in": "plugin",
            "Wand": "wand",
            "Knuth": "knuth",
            "Fixed width": "width",
            "Fixed number": "count",
        },
        label="Bins",
        doc="The rule that chooses the bins. Bins of equal probability do not depend on the unit "
        "of the score. Moving the width switches to a fixed width.",
    )
    bin_count = param.Integer(20, bounds=(2, MOST_COUNT), label="Number of bins")
    bin_width = param.Number(
        0.1,
        bounds=(1e-3, SCORE[1]),
        softbounds=(0.01, 1),
        step=0.01,
        label="Bin width",
        doc="Of bins of equal probability, the median width. Moving it switches to bins of this "
        "width.",
    )
    fixed_range = param.Boolean(
        False,
        label="Fix the range",
        doc="If off, bins reach from the 0.1% to the 99.9% quantile of the scores.",
    )
    range_low = NumberField(-1.0, SCORE, label="From", step=0.1)
    range_high = NumberField(2.0, SCORE, label="To", step=0.1)
    ordering = param.Selector(
        default="score",
        objects={"score": "score", "likelihood ratio learned on 20% of the data": "learned"},
        label="Attack statistic",
        doc="If members can score both high and low, a threshold on the score misses most of the "
        "leak. A likelihood ratio that is learned on 20% of the scores and tested on the rest "
        "finds it, with fewer scores left for the bound.",
    )
    interval = param.Selector(
        default="joint",
        objects={NAMES[name]: name for name in NAMES},
        label="Interval at the threshold",
        doc="The first two have guaranteed coverage. The others are included only for comparison "
        "with other tools.",
    )
    fit_method = param.Selector(
        default="tv",
        objects={"from total variation": "tv", "at the threshold": "threshold",
                 "over a range": "range"},
        label="GDP fit",
    )  # fmt: skip
    log_floor = LogNumber(
        -3.0,
        bounds=(-6, -1),
        step=0.5,
        label="Smallest error rate",
        doc="The fit ignores points of the curve with a smaller false positive or false negative "
        "rate.",
    )

    threshold_moved = param.Boolean(True, precedence=-1)
    bins_moved = param.Boolean(True, precedence=-1)

    PLANNED: ClassVar[tuple[str, ...]] = (
        *("threshold", "log_delta", "confidence", "interval", "reference_kind"),
        *BIN_CONTROLS,
        *REFERENCE,
    )

    controls: ClassVar[tuple[Section, ...]] = (
        *ScoreSource.source_controls,
        Section(
            "Fixed in advance",
            (
                Control("plan", when=lambda page: page.dataset is not None or bool(page.plan)),
                Control("asked"),
            ),
        ),
        Section(
            "Audit",
            (
                Control("threshold"),
                Control("bin_rule"),
                Control("bin_count", when=lambda p: p.bin_rule in ("count", "quantile")),
                Control("bin_width", when=lambda p: p.bin_rule != "count"),
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
        Section("", (Control("reset", menu=True),)),
    )

    def __init__(self, **params: Any):
        super().__init__(**params)
        self.param.watch(self._moved, ["threshold", *BIN_CONTROLS])

    # -- new scores and moved controls -------------------------------------------------------

    def adopt(self, scores: Scores, said: str, arrival: Arrival = Arrival.ANOTHER) -> None:
        """Take scores into view, with sliders that span them.

        A new sample of the same pair keeps the threshold and the bins: they were chosen before
        these scores existed, so that bounds that rest on them hold. An example comes with its
        reference; what was claimed about other data is not claimed about these.

        Parameters
        ----------
        scores, said, arrival
            See `ScoreSource.adopt`.
        """
        drawn, fresh = self.source == "pair", arrival is Arrival.REDRAWN
        low, high = _span(scores)
        step, bounds = _slider(scores)
        narrowest = nice_below((high - low) / MOST_BINS)
        stays = fresh and bounds[0] <= self.threshold <= bounds[1]
        values: dict[str, Any] = {
            "scores": scores,
            "loaded": said,
            "message": "",
            "threshold_moved": not stays,
        }
        if arrival in (Arrival.ANOTHER, Arrival.MOVED) and self.scores is not None:
            values |= self.without_plan()
        if not stays:
            values["threshold"] = _median(scores)
        if self.bin_rule == "width" and not drawn:
            values["bin_rule"] = "quantile"
        rule = values.get("bin_rule", self.bin_rule)
        # A rule takes its bins from these very scores, however fixed the range is.
        values["bins_moved"] = not (fresh and self.fixed_range and rule in ("width", "count"))
        count = self.bin_count
        if rule == "quantile" and not fresh:
            count = values["bin_count"] = _count_by_rule(scores)
        widths = (narrowest, narrowest * WIDEST)
        width = _width_by_rule(scores, rule, count)
        if width is not None:
            width = values["bin_width"] = _shown_width(width, narrowest)
        elif not fresh:
            width = values["bin_width"] = _snap(self.bin_width, narrowest, widths)
        else:
            width = self.bin_width
        widths = (min(widths[0], width), max(widths[1], width))
        if self.known:
            values |= pair_values("reference", **self.known)
        elif self.source == "example" or arrival is Arrival.ANOTHER:
            values["reference_kind"] = None
        self.param.threshold.bounds = (min(SCORE[0], bounds[0]), max(SCORE[1], bounds[1]))
        self.param.threshold.softbounds, self.param.threshold.step = bounds, step
        self.param.bin_width.bounds = (
            min(narrowest / FINER, widths[0]),
            max(SCORE[1], widths[1]),
        )
        self.param.bin_width.softbounds, self.param.bin_width.step = widths, narrowest
        self._set_quietly(**values)

    def _moved(self, *events: Any) -> None:
        if self._quiet:
            return
        changed = {event.name for event in events}
        if "threshold" in changed:
            self.threshold_moved = True
        if changed & set(BIN_CONTROLS):
            values: dict[str, Any] = {"bins_moved": True}
            if "bin_width" in changed and not changed & {"bin_rule", "bin_count"}:
                if self.bin_rule in ("quantile", *WIDTH_RULES):
                    values["bin_rule"] = "width"
            elif changed & {"bin_rule", "bin_count"}:
                values |= self._bins_by_rule(count_chosen="bin_count" in changed)
            # A drag calls this at every step, and mostly nothing has changed.
            news = {name: v for name, v in values.items() if getattr(self, name) != v}
            if news:
                self._set_quietly(**news)

    def _bins_by_rule(self, count_chosen: bool) -> dict[str, Any]:
        """The number and the width of bins that the rule chooses, as the controls show them."""
        values: dict[str, Any] = {}
        count = self.bin_count
        if self.bin_rule == "quantile" and not count_chosen:
            count = values["bin_count"] = _count_by_rule(self.scores)
        width = _width_by_rule(self.scores, self.bin_rule, count)
        if width is not None:
            slider = self.param.bin_width
            width = values["bin_width"] = _shown_width(width, slider.step)
            slider.bounds = (min(slider.bounds[0], width), max(slider.bounds[1], width))
        return values

    # -- under a plan --------------------------------------------------------------------------

    def planned_values(self, plan: RegisteredPlan) -> dict[str, Any]:
        """The settings that follow a plan; see `workbench.pages.scores.planned`."""
        return planned_values(self, plan)

    def audit_facts(self, data: PlannedData) -> AuditFacts:
        """What the audit on the page does; see `workbench.pages.scores.planned`."""
        return audit_facts(self, data)

    @property
    def choice_words(self) -> Mapping[str, str]:
        """What messages call the choices that mark bounds, by name."""
        return {**super().choice_words, "split": "the random split"}

    @property
    def choices(self) -> dict[str, Any]:
        """The choices that the results rest on: also the split that a ratio was learned on."""
        learned = self.ordering == "learned"
        return {**super().choices, "split": self.scores.chance if learned else None}

    # -- results, each computed once a state ---------------------------------------------------

    @derived(needs=("scores",), shared=True)
    def roc(self) -> Roc:
        """All threshold attacks on these samples."""
        return roc(self.scores)

    @derived(needs=("scores", *BIN_CONTROLS), shared=True)
    def histogram(self) -> Histogram:
        """Histograms of both groups over the chosen bins."""
        if self.bin_rule == "quantile":
            return histogram(self.scores, bins=self.bin_count, rule="quantile")
        within = (self.range_low, self.range_high) if self.fixed_range else None
        if self.bin_rule in WIDTH_RULES:  # the slider shows the width rounded
            return histogram(self.scores, rule=self.bin_rule, range=within)
        if self.bin_rule == "count":
            return histogram(self.scores, bins=self.bin_count, range=within)
        return histogram(self.scores, width=self.bin_width, range=within)

    @derived(needs=("scores", "ordering"))
    def measured(self) -> Scores:
        """Scores of the attack statistic: as given, or likelihood ratios learned on a part."""
        return self.scores if self.ordering == "score" else learn_ordering(self.scores).scores

    @derived(needs=("measured", "confidence"), shared=True)
    def band(self) -> TradeoffBand:
        """Limits at all thresholds at once."""
        return tradeoff_band(self.measured(), self.confidence)

    @derived(needs=("asked", "asked_late", "asked_delta", "log_delta"))
    def asked_in_time(self) -> Question | None:
        """The question that was fixed before these data were in view."""
        return self.fixed_question

    @derived(needs=("measured", "confidence", "asked_in_time"), shared=True)
    def answer(self) -> Bound | None:
        """The bound on the quantity that was fixed in advance."""
        question = self.asked_in_time()
        if question is None:
            return None
        return one_question_bound(self.measured(), question, self.confidence)

    def sharpest(self, bound: Bound) -> Bound:
        """A simultaneous bound, or that of the question fixed in advance on the same quantity.

        Parameters
        ----------
        bound : Bound
        """
        answer = self.answer()
        same = answer is not None and (answer.quantity, answer.at) == (bound.quantity, bound.at)
        return self.certified(answer if answer is not None and same else bound)

    @derived(needs=("scores", "confidence", "threshold"))
    def at_threshold(self) -> ErrorRates:
        """Error rates at the threshold."""
        return error_rates(self.scores, self.threshold, self.confidence)

    @derived(needs=("scores", "threshold", "log_delta", "confidence", "interval"), shared=True)
    def pointwise(self) -> Bound:
        """The bound at the threshold, valid if it was fixed in advance."""
        return epsilon_at_threshold(
            self.scores, self.threshold, self.delta, self.confidence, self.interval
        )

    @derived(needs=("scores", "threshold"))
    def reach(self) -> tuple[float, float]:
        """The least and the largest threshold that the charts show: also one that was typed."""
        low, high = _slider(self.scores)[1]
        return min(low, self.threshold), max(high, self.threshold)

    @derived(needs=("scores", "confidence", "reach"))
    def across(self) -> ErrorRates:
        """Error rates at thresholds across the displayed range."""
        low, high = self.reach()
        return error_rates(self.scores, np.linspace(low, high, MU_POINTS), self.confidence)

    @derived(needs=("threshold", "fit_method"))
    def fit_threshold(self) -> float | None:
        """The threshold if the fit uses it, else None, so that moving it redraws nothing."""
        return self.threshold if self.fit_method == "threshold" else None

    @derived(needs=("scores", *BIN_CONTROLS, "fit_threshold", "fit_method", "log_floor"))
    def fit(self) -> Bound:
        """The fitted Gaussian curve."""
        if self.fit_method == "threshold":
            return gdp_fit(self.scores, "threshold", threshold=self.threshold)
        if self.fit_method == "tv":
            return gdp_fit(self.histogram(), "tv")
        return gdp_fit(self.roc(), "range", floor=number_of(self.log_floor))

    @derived(needs=REFERENCE)
    def reference(self) -> Pair | None:
        """The reference that the scores are compared with."""
        return chosen_reference(self)

    @derived(needs=("measured", "confidence", *REFERENCE), shared=True)
    def verdict(self) -> Verdict | None:
        """The test of the reference as a claim."""
        reference = self.reference()
        return (
            None if reference is None else verdict_on(self.measured(), reference, self.confidence)
        )

    # -- the strip of numbers ------------------------------------------------------------------

    @number(
        "ε lower bound",
        needs=("band", "answer", "log_delta", "void_words"),
        formula="ε ≥ max over thresholds of log((1 − δ − β̄)/ᾱ) and log((1 − δ − ᾱ)/β̄), with "
        "upper limits ᾱ, β̄ of both error rates that hold at all thresholds at once.",
        caution="The true ε may be larger: a weak attack gives a low bound.",
    )
    def epsilon(self) -> Bound:
        """With this confidence, the mechanism is not (ε′, δ)-DP for any ε′ below this value."""
        return self.sharpest(self.band().epsilon(self.delta))

    @number(
        "μ lower bound",
        needs=("band", "answer", "void_words"),
        formula="μ ≥ max over thresholds of Φ⁻¹(1 − ᾱ) − Φ⁻¹(β̄).",
        caution="The bound holds for any mechanism. It does not show that the mechanism is "
        "Gaussian.",
    )
    def mu(self) -> Bound:
        """With this confidence, the mechanism is not μ′-GDP for any μ′ below this value."""
        return self.sharpest(self.band().mu())

    @number(
        "TV lower bound",
        needs=("band", "void_words"),
        formula="TV ≥ max over thresholds of 1 − ᾱ − β̄.",
        caution="Threshold attacks can miss part of the total variation when members score both "
        "high and low.",
    )
    def total_variation(self) -> Bound:
        """Lower bound on the total variation distance, the best attacker's advantage TPR − FPR."""
        return self.certified(self.band().total_variation())

    @number(
        f"TPR at FPR {LOW_FPR:g}",
        needs=("band", "void_words"),
        formula="1 − f̄(α), with f̄ the band's upper bound on the trade-off function.",
        caution="This is a bound for the best attack. The attack at your threshold may do worse.",
    )
    def tpr(self) -> Bound:
        """True positive rate that some attack reaches at a false positive rate of 1 in 100."""
        return self.certified(self.band().tpr(LOW_FPR))

    @number(
        "ε at the threshold",
        needs=("pointwise", "threshold_moved", "void_words", "registered", "departures"),
        formula="Confidence limits for both error rates at this threshold, or a joint test of both "
        "counts, depending on the chosen interval.",
        caution="Valid only if the threshold was fixed before the scores were seen. Choosing it by "
        "its bound makes the bound too large.",
        slow=True,
    )
    def epsilon_here(self) -> Bound:
        """Lower bound from this threshold alone, valid if it was fixed in advance."""
        bound = self.pointwise()
        if self.registered is not None and self.registered.threshold is not None:
            return self.fixed_by_plan(bound, THRESHOLD, "The threshold was")
        if not self.threshold_moved:
            return self.certified(bound)
        placed = self.threshold == _median(self.scores)
        return bound.voided(PLACED if placed else MOVED)

    @number(
        "TV by histogram",
        needs=("histogram", "band", "void_words"),
        formula="½ Σ |p̂ − q̂| over the bins.",
        caution="Many bins make it too large, above 0 even when members and non-members score "
        "alike; coarse bins can make it too small, then below the certified bound it is struck "
        "out.",
    )
    def histogram_tv(self) -> Bound:
        """Estimate of the total variation distance from the two histograms."""
        certified = self.certified(self.band().total_variation())
        return checked_against(total_variation_estimate(self.histogram()), certified)

    @number(
        "AUC",
        needs=("roc",),
        formula="Mann–Whitney: the share of pairs in which the member scores more member-like, "
        "ties counted half.",
        caution="AUC averages over all thresholds: it can be close to ½ although a few members are "
        "identified with certainty.",
    )
    def auc(self) -> Bound:
        """Probability that a random member scores more member-like than a random non-member."""
        return auc_estimate(self.roc())

    @number(
        "Claim check",
        needs=("verdict", "void_words"),
        formula="Smallest p-value of the reference's trade-off function over the band's "
        "thresholds, corrected for multiple testing.",
        caution="“Not refuted” does not mean that the claim is true. The text below the numbers "
        "says how large a violation would have been detected.",
        slow=True,
    )
    def claim(self) -> Fact:
        """Test of the claim that the mechanism leaks no more than the reference."""
        verdict = self.verdict()
        if verdict is None:
            return Fact("–", "choose a reference to test")
        level = f"{verdict.terms[0]} · {percent(verdict.confidence)}"
        return Fact(verdict.verdict, self.looked_words or level)

    @number("Scores", needs=("scores",))
    def sizes(self) -> Fact:
        """Number of scores in use: members (P) + non-members (Q)."""
        s: Scores = self.scores
        notes = [s.assumption]
        if s.rows_p + s.rows_q - s.discarded > s.n_p + s.n_q:
            notes.append(f"from {s.rows_p:,} + {s.rows_q:,} rows")
        for side, odd in (("P", s.nonfinite_p), ("Q", s.nonfinite_q)):
            if odd.total:
                notes.append(f"{side}: {odd} {'dropped' if s.nonfinite == 'drop' else 'kept'}")
        return Fact(f"{s.n_p:,} + {s.n_q:,}", " · ".join(notes))

    # -- in plain words ------------------------------------------------------------------------

    @sentence(needs=("band", "void_words"))
    def in_words(self) -> str:
        """The strongest of a few statements that hold simultaneously."""
        return self.certified(self.band().most_telling()).explain()

    @sentence(needs=("verdict", "void_words"), slow=True)
    def judged(self) -> str:
        """The result of the claim check, with its evidence or its power."""
        verdict = self.verdict()
        if verdict is None:
            return ""
        return f"{verdict.explain()}{self.looked_sentence}"

    @sentence(needs=("roc", "scores"), place="strip")
    def question(self) -> str:
        """A question about the direction if members score significantly the other way."""
        return "" if self.source == "pair" else direction_question(self.roc())

    @sentence(
        needs=("histogram", "confidence", "bins_moved", "void_words", "registered", "departures"),
        place="foot",
    )
    def fixed_bins(self) -> str:
        """Confidence interval for TV, valid for bins fixed in advance, or why it is not valid."""
        plan: RegisteredPlan | None = self.registered
        planned = plan is not None and plan.bins is not None
        limits = []
        void = None
        for method, name in METHODS.items():
            low, high = hockey_stick_limits(self.histogram(), 0, self.confidence, method)
            if planned and low.void is None:
                low = self.fixed_by_plan(low, BINS, "The bins were")
            elif self.bins_moved:
                low = low.voided(BINS_MOVED) if low.void is None else low
            void = self.certified(low).void
            limits.append(
                f"{low.rounded} to {high.rounded} ({name.removeprefix('fixed bins (')[:-1]})"
            )
        text = f"{percent(self.confidence)} interval for TV with these bins: {' or '.join(limits)}"
        if void:
            return f"{text}. Not valid here: {void}."
        by = f" ({plan.label})" if plan is not None and planned else ""
        return f"{text}, {self.histogram().scores.assumption}; the bins were fixed in advance{by}."

    @sentence(needs=("scores",), place="strip")
    def constant(self) -> str:
        """That all scores are equal, where they are."""
        return str(self.scores.constant)

    @sentence(needs=("asked", "asked_late", "asked_delta", "log_delta"), place="strip")
    def asked_afterwards(self) -> str:
        """That the question was chosen too late for these data."""
        if self.asked == "none" or not self.asked_late:
            return ""
        return (
            f"The question “{self.asked_words}” was chosen after results of these data were seen: "
            "all bounds here stay simultaneous. It is in time for the next data set that you open "
            "or draw."
        )

    @sentence(needs=("band", "answer", "log_delta", "void_words"), place="head")
    def in_advance(self) -> str:
        """The question that was fixed in advance, and the simultaneous bound beside it."""
        answer = self.answer()
        if answer is None:
            return ""
        if answer.delta is not None and answer.delta != self.delta:
            return (
                f"Fixed in advance: {self.certified(answer)}. The ε shown at δ = "
                f"{plain(self.delta)} is another question, with the simultaneous bound."
            )
        band = self.band()
        other = band.mu() if answer.quantity == "mu" else band.epsilon(self.delta)
        return (
            f"The bound on {answer.symbol} uses that this question was fixed in advance; the "
            f"simultaneous bound is {other.rounded}."
        )

    @sentence(needs=("scores",), place="strip")
    def known_before(self) -> str:
        """That results of these data, or of most of their rows, were seen under another name."""
        return "" if self.source == "pair" else seen_words(self.sights[0], self.workspace)

    @sentence(needs=("plan", "registered", "departures"), place="strip")
    def departing(self) -> str:
        """How the audit deviates from its plan."""
        return self.departing_words()

    @sentence(needs=("loaded",), place="head")
    def provenance(self) -> str:
        """What the scores are and how they were read."""
        return str(self.loaded)

    @sentence(needs=("registered", "departures"), place="head")
    def planned(self) -> str:
        """The plan of the audit."""
        return self.following_words()

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "Score distributions",
        needs=("histogram", "threshold"),
        span=7,
        formula="Relative frequency of each group in a bin, divided by the bin width. The outer "
        "bins are open: they also count scores beyond their edge.",
        caution="Differences between the histograms may be noise; see the intervals below.",
        drag={"threshold": "threshold"},
    )
    def distributions(self) -> dict[str, Any]:
        """Histograms of members and non-members. Drag the line to move the threshold."""
        return charts.histograms(self.histogram(), self.threshold, self.reach())

    @figure(
        "Trade-off curve",
        needs=("roc", "histogram", "band", "at_threshold", "fit", "reference"),
        span=5,
        formula="f(α) is the smallest false negative rate of any attack with false positive rate "
        "at most α. Observed: lower convex hull of all threshold attacks on these samples. "
        "Simultaneous: an upper bound on f.",
        caution="The observed and the histogram curve are estimates, and too low in small samples. "
        "Only the simultaneous curve is guaranteed: the true f lies on or below it.",
        click="move_to_fpr",
    )
    def tradeoff(self) -> dict[str, Any]:
        """Error rates of all threshold attacks. Click to move the threshold there."""
        return charts.tradeoff(
            self.roc(),
            self.histogram(),
            self.band(),
            self.at_threshold(),
            self.fit(),
            self.reference(),
        )

    def move_to_fpr(self, x: float, y: float) -> None:
        """Move the threshold to where the observed false positive rate is about ``x``."""
        s: Scores = self.scores
        rank = min(max(round(x * s.n_q), 1), s.n_q)
        value = float(s.most_member_like_q(rank))
        if math.isfinite(value):
            self.threshold = _snap(
                value, self.param.threshold.step, self.param.threshold.softbounds
            )

    @figure(
        "Privacy profile",
        needs=("histogram", "band", "log_delta", "fit", "reference"),
        span=6,
        formula="δ(ε) = max of H(P‖Q) and H(Q‖P) at e^ε, with H = Σ [p − e^ε q]₊. Simultaneous: a "
        "lower bound on δ(ε) for every ε at once.",
        caution="The histogram's curve is an estimate: its noise grows with ε, and it ends where a "
        "bin holds scores of one group only. The fit assumes a Gaussian pair.",
    )
    def profile(self) -> dict[str, Any]:
        """δ as a function of ε. The dot is the simultaneous bound on ε at the chosen δ."""
        return charts.profile(
            self.histogram(), self.band(), self.delta, self.fit(), self.reference()
        )

    @figure(
        "μ at every threshold",
        needs=("across", "band", "ordering", "threshold", "reference"),
        span=6,
        formula="μ(t) = Φ⁻¹(1 − FPR) − Φ⁻¹(FNR). Dots: simultaneous limits at the band's "
        "thresholds. Shaded: pointwise limits.",
        caution="A pointwise limit is valid for one threshold fixed in advance. The highest point "
        "of the shaded area is not a bound.",
        drag={"threshold": "threshold"},
    )
    def mu_curve(self) -> dict[str, Any]:
        """GDP parameter μ implied by each threshold; constant if the pair is Gaussian."""
        own = self.ordering == "score"  # thresholds of a learned ratio are not on this axis
        return charts.mu_at_thresholds(
            self.across(), self.band() if own else None, self.threshold, self.reference()
        )

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; see `score_code`."""
        return score_code(self, spec)


def nice_below(x: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is at most x."""
    if math.isinf(x):
        raise ValueError("no float holds the range of these scores; divide them by a constant")
    power = 10.0 ** math.floor(math.log10(x))
    return max(m * power for m in (1, 2, 5) if m * power <= x)


def _span(scores: Scores) -> tuple[float, float]:
    """The range of nearly all scores, which is never empty."""
    low, high = (float(x) for x in scores.quantile([RANGE_TAIL, 1 - RANGE_TAIL]))
    return (low, high) if low < high else around(low)


def _slider(scores: Scores) -> tuple[float, tuple[float, float]]:
    """Step and ends of the slider of the threshold."""
    low, high = _span(scores)
    step = nice_below((high - low) / THRESHOLD_STEPS)
    return step, (step * math.floor(low / step), step * math.ceil(high / step))


def _median(scores: Scores) -> float:
    """The threshold at which the page places its slider: the median of all scores."""
    return _snap(float(scores.quantile(0.5)), *_slider(scores))


def _count_by_rule(scores: Scores) -> int:
    """The number of bins of equal probability that the rule chooses."""
    return min(quantile_bins(scores), MOST_COUNT)


def _width_by_rule(scores: Scores, rule: str, count: int) -> float | None:
    """The width of a rule, of bins of equal probability their median; None where it is chosen."""
    if rule in WIDTH_RULES:
        return bin_width(scores, rule)
    if rule == "quantile":
        return float(np.median(np.diff(histogram(scores, bins=count, rule="quantile").edges)))
    return None


def _shown_width(width: float, step: float) -> float:
    """A width as the slider shows it: a multiple of its step, or with two digits below that."""
    if width < step:
        return float(f"{width:.1e}")
    return _snap(width, step, (step, math.inf))


def _snap(x: float, step: float, bounds: tuple[float, float]) -> float:
    """The multiple of the step nearest to x, within the bounds."""
    digits = max(0, -math.floor(math.log10(step)))
    return min(max(round(round(x / step) * step, digits), bounds[0]), bounds[1])
