"""`ScoresPage`: estimates, bounds and curves of one set of scores, at a threshold to drag."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from workbench._format import percent
from workbench.audits.deviations import CONFIDENCE, INTERVAL
from workbench.bounds.bound import Bound
from workbench.bounds.estimates import auc_estimate, checked_against, total_variation_estimate
from workbench.estimators.roc import Roc, roc
from workbench.figures.scores import curves as charts
from workbench.figures.scores.refutation import lens
from workbench.pages.core.page import (
    Control,
    Fact,
    Item,
    Page,
    Section,
    derived,
    figure,
    number,
    sentence,
)
from workbench.pages.inputs.asked import AskedInAdvance
from workbench.pages.inputs.data import Sample
from workbench.pages.inputs.pair import pair_values
from workbench.pages.inputs.plan_choice import KnownPlans, PlannedAudit
from workbench.pages.inputs.reference import PREFIXES, ReferenceChoice, reference_controls
from workbench.pages.inputs.score_source import Arrival, ScoreSource
from workbench.pages.inputs.settings import DeltaSetting, Validity
from workbench.pages.scores.answer import ScoresAnswer
from workbench.pages.scores.bins import BIN_CONTROLS, BinChoice
from workbench.pages.scores.claimed.comparison import ReferenceComparison
from workbench.pages.scores.claimed.evidence import Evidence
from workbench.pages.scores.claimed.own_claim import OWN_CLAIM, OwnClaim, own_claim_controls
from workbench.pages.scores.code import LOW_FPR, score_code
from workbench.pages.scores.doubts import Doubts
from workbench.pages.scores.fits import GaussianFit
from workbench.pages.scores.over_steps import OverSteps
from workbench.pages.scores.planned import audit_facts, planned_values
from workbench.pages.scores.readings import OtherReadings
from workbench.pages.scores.scales import ChartAxes
from workbench.pages.scores.statistic import AttackStatistic
from workbench.pages.scores.threshold import ThresholdChoice
from workbench.pages.scores.widths import WidthLesson
from workbench.scores.sample import Scores

#: Parameters that `audit_facts` depends on.
PLANNED = (
    *("threshold", "log_delta", "confidence", "interval"),
    *BIN_CONTROLS,
    *OWN_CLAIM,
)


class ScoresPage(Page):
    """State and drawings of the scores page."""

    title = "Scores"
    about = (
        "How well can an attacker distinguish members from non-members, and what does that prove "
        "about privacy?"
    )

    main: ClassVar[tuple[str, ...]] = ("threshold", "bin_width")

    delta = DeltaSetting()
    validity = Validity(
        {
            "confidence": CONFIDENCE,
            "ordering": "the attack statistic",
            "interval": INTERVAL,
        },
        resets=(
            *(name for name in BIN_CONTROLS if name != "bin_width"),
            *("confidence", "asked", "ordering", "interval", "log_delta", "fit_method"),
            "log_floor",
        ),
    )
    headline = ScoresAnswer()
    doubts = Doubts()
    asking = AskedInAdvance()
    promised = OwnClaim()
    first_reference = ReferenceChoice(PREFIXES[0])
    second_reference = ReferenceChoice(PREFIXES[1])
    third_reference = ReferenceChoice(PREFIXES[2])
    comparison = ReferenceComparison()
    cut = ThresholdChoice()
    bins = BinChoice()
    chart_axes = ChartAxes()
    evidence = Evidence()
    statistic = AttackStatistic()
    sample = Sample("sample")
    source = ScoreSource()
    plans = KnownPlans()
    under_plan = PlannedAudit(planned_values, audit_facts, rests_on=PLANNED)

    controls: ClassVar[tuple[Section, ...]] = (
        ScoreSource.section,
        Section("Claim", tuple(own_claim_controls())),
        Section(
            "Fixed in advance",
            (
                Control(
                    "plan", when=lambda page: page.source.dataset is not None or bool(page.plan)
                ),
                Control("asked"),
            ),
        ),
        Section(
            "Audit",
            (
                Control("threshold"),
                Control("show_where", when=lambda page: page.evidence.on_score() is not None),
                *BinChoice.controls,
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
                Control("show_posterior"),
            ),
        ),
        Section("Composition", (Control("log_steps"),)),
        Section("Charts", (Control("score_axis"), Control("tradeoff_axes"))),
        Section("", (Control("reset", menu=True),)),
    )

    # -- new scores --------------------------------------------------------------------------

    def adopt(self, scores: Scores, said: str, arrival: Arrival = Arrival.ANOTHER) -> None:
        """Take scores into view, with sliders that span them.

        A new sample of the same pair keeps the threshold and the bins: they were chosen before
        these scores existed, so that bounds that rest on them hold. A data set comes with what was
        promised of it, an example with its reference; what was promised of other data is not
        promised of these.

        Parameters
        ----------
        scores : Scores
        said : str
            What they are and how they were read.
        arrival : Arrival
            How they come.
        """
        source, fresh = self.source, arrival is Arrival.REDRAWN
        values = {
            **self.cut.values_for(scores, fresh),
            **self.chart_axes.values_for(scores),
            **self.bins.values_for(scores, drawn=source.kind == "pair", fresh=fresh),
        }
        if arrival in (Arrival.ANOTHER, Arrival.MOVED) and self.scores is not None:
            values |= self.under_plan.without_plan()
        if source.known:
            values |= pair_values("reference", **source.known)
        elif source.kind == "example" or arrival is Arrival.ANOTHER:
            values["reference_kind"] = None
        if arrival is Arrival.ANOTHER:
            values |= self.promised.values_with(source.dataset)
        self.set_quietly(scores=scores, loaded=said, **{"message": "", **values})

    def still_true(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Those of settings kept earlier that still describe the data set in view."""
        return self.promised.still_stated(settings)

    @property
    def reference_choices(self) -> tuple[ReferenceChoice, ...]:
        """The references, in their order."""
        return self.first_reference, self.second_reference, self.third_reference

    # -- results, each computed once a state ---------------------------------------------------

    @derived(needs=("scores",), shared=True)
    def roc(self) -> Roc:
        """All threshold attacks on these samples."""
        return roc(self.scores)

    # -- the strip of numbers ------------------------------------------------------------------

    @number(
        "ε lower bound",
        needs=("band", "asked_bound", "log_delta", "void_words"),
        formula="ε ≥ max over thresholds of log((1 − δ − β̄)/ᾱ) and log((1 − δ − ᾱ)/β̄), with "
        "upper limits ᾱ, β̄ of both error rates that hold at all thresholds at once.",
        caution="The true ε may be larger: a weak attack gives a low bound.",
        main=True,
    )
    def epsilon(self) -> Bound:
        """With this confidence, the mechanism is not (ε′, δ)-DP for any ε′ below this value."""
        return self.statistic.sharpest(self.statistic.epsilon_at_least())

    @number(
        "μ lower bound",
        needs=("band", "asked_bound", "void_words"),
        formula="μ ≥ max over thresholds of Φ⁻¹(1 − ᾱ) − Φ⁻¹(β̄).",
        caution="The bound holds for any mechanism. It does not show that the mechanism is "
        "Gaussian.",
    )
    def mu(self) -> Bound:
        """With this confidence, the mechanism is not μ′-GDP for any μ′ below this value."""
        return self.statistic.sharpest(self.statistic.band().mu())

    @number(
        "TV lower bound",
        needs=("band", "void_words"),
        formula="TV ≥ max over thresholds of 1 − ᾱ − β̄.",
        caution="Threshold attacks can miss part of the total variation when members score both "
        "high and low.",
    )
    def total_variation(self) -> Bound:
        """Lower bound on the total variation distance, the best attacker's advantage TPR − FPR."""
        return self.validity.certified(self.statistic.variation_at_least())

    @number(
        f"TPR at FPR {LOW_FPR:g}",
        needs=("band", "void_words"),
        formula="1 − f̄(α), with f̄ the band's upper bound on the trade-off function.",
        caution="This is a bound for the best attack. The attack at your threshold may do worse.",
    )
    def tpr(self) -> Bound:
        """True positive rate that some attack reaches at a false positive rate of 1 in 100."""
        return self.validity.certified(self.statistic.band().tpr(LOW_FPR))

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
        return self.cut.certified()

    @number(
        "TV by histogram",
        needs=("histogram", "band", "void_words"),
        formula="½ Σ |p̂ − q̂| over the bins.",
        caution="Many bins make it too large: it is above 0 even if members and non-members have "
        "the same distribution. Coarse bins make it too small: an estimate below the certified "
        "lower bound is marked as not valid.",
    )
    def histogram_tv(self) -> Bound:
        """Estimate of the total variation distance from the two histograms."""
        certified = self.validity.certified(self.statistic.variation_at_least())
        return checked_against(total_variation_estimate(self.bins.histogram()), certified)

    @number(
        "AUC",
        needs=("roc",),
        formula="Mann–Whitney: the share of pairs in which the member scores more member-like, "
        "ties counted half.",
        caution="AUC averages over all thresholds: it can be close to ½ although the attack "
        "identifies a few members with certainty.",
    )
    def auc(self) -> Bound:
        """Probability that a random member scores more member-like than a random non-member."""
        return auc_estimate(self.roc())

    @number(
        "Claim check",
        needs=("verdict", "void_words"),
        formula="Smallest p-value of the claim's trade-off function over the band's "
        "thresholds, corrected for multiple testing.",
        caution="“Not refuted” does not mean that the claim is true. The headline says how large a "
        "violation would have been detected.",
        slow=True,
        folded=True,
    )
    def claim(self) -> Fact:
        """Test of what was promised of the mechanism."""
        verdict = self.verdict()
        if verdict is None:
            return Fact("–", "state what was promised")
        level = f"{verdict.terms[0]} · {percent(verdict.confidence)}"
        named = f"your claim, {verdict.claim.short}"
        return Fact(verdict.verdict, self.validity.words or f"{named} · {level}")

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
        return self.validity.certified(self.statistic.band().most_telling()).explain()

    @sentence(needs=("verdict", "void_words"), slow=True)
    def judged(self) -> str:
        """The result of the claim check, with its evidence or its power."""
        verdict = self.verdict()
        return "" if verdict is None else f"{verdict.explain()}{self.validity.sentence}"

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "Score distributions",
        needs=("histogram", "threshold", "scale", "on_score"),
        span=7,
        formula="Relative frequency of each group in a bin, divided by the bin width on the axis "
        "shown. The outer bins are open: they also count scores beyond their edge.",
        caution="Differences between the histograms may be noise; see the intervals below.",
        drag={"threshold": "threshold"},
    )
    def distributions(self) -> dict[str, Any]:
        """Histograms of members and non-members. Drag the line to move the threshold."""
        return charts.histograms(
            self.bins.histogram(),
            self.threshold,
            self.cut.reach(),
            self.chart_axes.scale(),
            self.evidence.on_score(),
        )

    @figure(
        "Trade-off curve",
        needs=(
            *("roc", "histogram", "band", "at_threshold", "fit", "compared"),
            *("rates_on", "refuting"),
        ),
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
            self.bins.histogram(),
            self.statistic.band(),
            self.cut.at_threshold(),
            self.fit(),
            self.compared(),
            self.chart_axes.rates_on(),
            self.evidence.refuting(),
        )

    def move_to_fpr(self, x: float, y: float) -> None:
        """Move the threshold to where the observed false positive rate is about that at ``x``."""
        self.cut.to_fpr(self.chart_axes.rates_on().fpr(x))

    @figure(
        "Where the claim fails",
        needs=("refuting", "own_claim", "roc", "band"),
        span=6,
        formula="Diamond: with the confidence of the verdict, some attack has this false positive "
        "rate and at most this false negative rate. A claim holds only if no attack lies below "
        "its curve.",
        caution="The verdict rests on a joint test of both rates, which may refute a little more "
        "than the point alone shows.",
    )
    def refutation(self) -> dict[str, Any]:
        """The trade-off curve around the refuting point, magnified."""
        tested = self.own_claim()
        claimed = None if tested is None else tested.min_tradeoff
        return lens(self.evidence.refuting(), claimed, self.roc(), self.statistic.band())

    def dragged(self, item: Item, x: float) -> float:
        """The threshold for where its line was dragged on the axis of the score."""
        return self.chart_axes.dragged(item, x)

    @figure(
        "Privacy profile",
        needs=("histogram", "band", "log_delta", "fit", "compared"),
        span=6,
        formula="δ(ε) = max of H(P‖Q) and H(Q‖P) at e^ε, with H = Σ [p − e^ε q]₊. Simultaneous: a "
        "lower bound on δ(ε) for every ε at once.",
        caution="The histogram's curve is an estimate: its noise grows with ε, and it ends where a "
        "bin holds scores of one group only. The fit assumes a Gaussian pair.",
    )
    def profile(self) -> dict[str, Any]:
        """δ as a function of ε. The dot is the simultaneous bound on ε at the chosen δ."""
        return charts.profile(
            self.bins.histogram(),
            self.statistic.band(),
            self.statistic.epsilon_at_least(),
            self.fit(),
            self.compared(),
        )

    @figure(
        "μ at every threshold",
        needs=("across", "band", "ordering", "threshold", "compared", "scale", "on_score"),
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
            self.cut.across(),
            self.statistic.band() if own else None,
            self.threshold,
            self.compared(),
            self.chart_axes.scale(),
            self.evidence.on_score(),
        )

    over_steps = OverSteps()

    # Below the others: what a fit leaves over, what the bins do, and other readings.
    gaussian_fit = GaussianFit()
    width_lesson = WidthLesson()
    readings = OtherReadings()

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; see `score_code`."""
        return score_code(self, spec)
