"""`ScoresPage`: estimates, bounds and curves of one set of scores, at a threshold to drag."""

from __future__ import annotations

from typing import Any, ClassVar

from workbench._format import percent
from workbench.audits.deviations import CONFIDENCE, INTERVAL
from workbench.bounds.bound import Bound
from workbench.bounds.estimates import auc_estimate, checked_against, total_variation_estimate
from workbench.estimators.roc import Roc, roc
from workbench.figures import scores as charts
from workbench.pages.core.page import (
    Control,
    Fact,
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
from workbench.pages.inputs.reference import REFERENCE, ReferenceChoice, reference_controls
from workbench.pages.inputs.score_source import Arrival, ScoreSource
from workbench.pages.inputs.settings import DeltaSetting, Validity
from workbench.pages.scores.answer import ScoresAnswer
from workbench.pages.scores.bins import BIN_CONTROLS, BinChoice
from workbench.pages.scores.code import LOW_FPR, score_code
from workbench.pages.scores.comparison import ReferenceComparison
from workbench.pages.scores.doubts import Doubts
from workbench.pages.scores.planned import audit_facts, planned_values
from workbench.pages.scores.statistic import AttackStatistic
from workbench.pages.scores.threshold import ThresholdChoice
from workbench.scores.sample import Scores

#: Parameters that `audit_facts` depends on.
PLANNED = (
    *("threshold", "log_delta", "confidence", "interval", "reference_kind"),
    *BIN_CONTROLS,
    *REFERENCE,
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
    compared = ReferenceChoice()
    claim_check = ReferenceComparison()
    cut = ThresholdChoice()
    bins = BinChoice()
    statistic = AttackStatistic()
    sample = Sample("sample")
    source = ScoreSource()
    plans = KnownPlans()
    under_plan = PlannedAudit(planned_values, audit_facts, rests_on=PLANNED)

    controls: ClassVar[tuple[Section, ...]] = (
        ScoreSource.section,
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
            ),
        ),
        Section("", (Control("reset", menu=True),)),
    )

    # -- new scores --------------------------------------------------------------------------

    def adopt(self, scores: Scores, said: str, arrival: Arrival = Arrival.ANOTHER) -> None:
        """Take scores into view, with sliders that span them.

        A new sample of the same pair keeps the threshold and the bins: they were chosen before
        these scores existed, so that bounds that rest on them hold. An example comes with its
        reference; what was claimed about other data is not claimed about these.

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
            **self.bins.values_for(scores, drawn=source.kind == "pair", fresh=fresh),
        }
        if arrival in (Arrival.ANOTHER, Arrival.MOVED) and self.scores is not None:
            values |= self.under_plan.without_plan()
        if source.known:
            values |= pair_values("reference", **source.known)
        elif source.kind == "example" or arrival is Arrival.ANOTHER:
            values["reference_kind"] = None
        self.set_quietly(scores=scores, loaded=said, message="", **values)

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
        return self.statistic.sharpest(self.statistic.band().epsilon(self.delta.value))

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
        return self.validity.certified(self.statistic.band().total_variation())

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
        caution="Many bins make it too large, above 0 even when members and non-members score "
        "alike; coarse bins can make it too small, then below the certified bound it is struck "
        "out.",
    )
    def histogram_tv(self) -> Bound:
        """Estimate of the total variation distance from the two histograms."""
        certified = self.validity.certified(self.statistic.band().total_variation())
        return checked_against(total_variation_estimate(self.bins.histogram()), certified)

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
        return Fact(verdict.verdict, self.validity.words or level)

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
        verdict = self.claim_check.verdict()
        return "" if verdict is None else f"{verdict.explain()}{self.validity.sentence}"

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
        return charts.histograms(self.bins.histogram(), self.threshold, self.cut.reach())

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
            self.bins.histogram(),
            self.statistic.band(),
            self.cut.at_threshold(),
            self.fit(),
            self.reference(),
        )

    def move_to_fpr(self, x: float, y: float) -> None:
        """Move the threshold to where the observed false positive rate is about ``x``."""
        self.cut.to_fpr(x)

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
            self.bins.histogram(),
            self.statistic.band(),
            self.delta.value,
            self.fit(),
            self.reference(),
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
            self.cut.across(),
            self.statistic.band() if own else None,
            self.threshold,
            self.reference(),
        )

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; see `score_code`."""
        return score_code(self, spec)
