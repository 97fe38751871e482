"""`CountsPage`: bounds from the four counts of one attack, by every interval in use."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import param

from workbench.bounds import quantities
from workbench.bounds.bound import Bound
from workbench.bounds.counts import binomial
from workbench.bounds.counts.counts import Counts
from workbench.bounds.counts.intervals import INTERVALS
from workbench.bounds.counts.posterior import posterior_mass
from workbench.curves.validation import Floats
from workbench.figures import counts as charts
from workbench.pages.answers import in_brief
from workbench.pages.core.page import (
    Answer,
    Control,
    Fact,
    Page,
    Section,
    answer,
    derived,
    figure,
    number,
    sentence,
)
from workbench.pages.core.sliders import IntegerField, LogNumber, number_of
from workbench.pages.inputs.claims.risk import risk_without_scores
from workbench.pages.inputs.code import call, script
from workbench.pages.inputs.settings import ConfidenceSetting, DeltaSetting
from workbench.pairs.randomized_response import RandomizedResponsePair

COUNTS = ("tp", "fn", "fp", "tn")

#: Bounds of each count.
COUNT = (0, 10**9)

ASKED = ("log_delta", "confidence", "sided")

#: Points of the posterior's curve, and true rates at which error rates of limits are computed.
POINTS, TRUE_RATES = 60, 1000


class CountsPage(Page):
    """State and drawings of the page."""

    title = "Confusion-matrix counts"
    about = (
        "Enter the four counts of one membership attack. See what they prove, and what the "
        "intervals of other tools would report."
    )
    main: ClassVar[tuple[str, ...]] = ("log_delta", "log_prior")

    delta = DeltaSetting()
    level = ConfidenceSetting()

    tp = IntegerField(400, COUNT, label="True positives", doc="Members classified as members.")
    fn = IntegerField(100, COUNT, label="False negatives", doc="Members classified as non-members.")
    fp = IntegerField(100, COUNT, label="False positives", doc="Non-members classified as members.")
    tn = IntegerField(
        400, COUNT, label="True negatives", doc="Non-members classified as non-members."
    )
    sided = param.Selector(
        default="lower",
        objects={"lower bound": "lower", "two-sided interval": "two"},
        label="Type of interval",
        doc="A two-sided interval divides the error probability between both ends. Its upper end "
        "holds for this attack only, not for the mechanism.",
    )
    log_prior = LogNumber(
        -2.0,
        bounds=(-6, -0.1),
        step=0.1,
        label="Prior probability of membership",
        doc="Share of members among the people that the attack would be applied to.",
    )

    controls: ClassVar[tuple[Section, ...]] = (
        Section("Counts", tuple(Control(name) for name in COUNTS)),
        Section("Audit", tuple(Control(name) for name in (*ASKED, "log_prior"))),
    )

    # -- results -----------------------------------------------------------------------------------

    @derived(needs=COUNTS)
    def counts(self) -> Counts:
        """The four counts, validated."""
        return Counts(tp=self.tp, fp=self.fp, tn=self.tn, fn=self.fn)

    @derived(needs=("counts", *ASKED), shared=True)
    def by_interval(self) -> dict[str, Bound]:
        """ε by every interval."""
        return {name: self._ask(quantities.Epsilon(self.delta.value), name) for name in INTERVALS}

    @derived(needs=("counts", "log_delta"), shared=True)
    def credible(self) -> tuple[Floats, list[float]]:
        """Values of ε, and the posterior probability that ε is at most each of them."""
        epsilon = np.linspace(0, self._reach(), POINTS)
        allowed = (RandomizedResponsePair(e, self.delta.value) for e in epsilon)
        return epsilon, [posterior_mass(self.counts(), pair) for pair in allowed]

    @derived(needs=("counts", "confidence"), shared=True)
    def missed(self) -> tuple[Floats, dict[str, Floats]]:
        """True rates, and the probability that each upper limit lies below them."""
        n, error = self.counts().n_q, 1 - self.confidence
        # The probability jumps with single counts, most of all where few are expected.
        rates = np.geomspace(0.2 / n, 0.5, TRUE_RATES)
        return rates, {
            kind.label: binomial.miss_probability(rates, kind.rate.upper, n, error)
            for kind in INTERVALS.values()
            if kind.rate is not None
        }

    def _ask(self, question: quantities.Question, interval: str = "joint") -> Bound:
        return self.counts().bound(question, self.confidence, interval, self.sided)

    def about_risk(self) -> dict[str, Any]:
        """The counts."""
        return risk_without_scores(counts=self.counts())

    # -- the answer and the strip of numbers -------------------------------------------------------

    @answer(needs=("by_interval",))
    def answer(self) -> Answer:
        """Whether the counts show a leak, if the attack was fixed before they were seen."""
        c, bound = self.counts(), self.by_interval()["joint"]
        seen = (
            f"{c.tp:,} of {c.n_p:,} members and {c.fp:,} of {c.n_q:,} non-members are classified "
            "as members"
        )
        if bound.value > 0:
            return Answer(
                "A leak is shown",
                f"{seen}; {in_brief(bound)}, if the attack was fixed in advance",
                "bad",
            )
        return Answer(
            "No leak is shown",
            f"{seen}; {in_brief(bound)}. A better attack or more scores may show one",
        )

    @number(
        "ε",
        needs=("by_interval",),
        formula="The smallest ε that a joint exact test of both counts does not refute.",
        caution="Valid if the attack was fixed before these counts were seen. The true ε may be "
        "larger: a weak attack gives a low bound.",
        main=True,
    )
    def epsilon(self) -> Bound:
        """With this confidence, the mechanism is not (ε′, δ)-DP for any ε′ below this value."""
        return self.by_interval()["joint"]

    @number("μ", needs=("counts", "confidence", "sided"), formula="Φ⁻¹(TPR) − Φ⁻¹(FPR).")
    def mu(self) -> Bound:
        """With this confidence, the mechanism is not μ′-GDP for any μ′ below this value."""
        return self._ask(quantities.Mu())

    @number("TV", needs=("counts", "confidence", "sided"), formula="TPR − FPR.")
    def total_variation(self) -> Bound:
        """Total variation distance, the best attacker's advantage TPR − FPR."""
        return self._ask(quantities.TotalVariation())

    @number(
        "Precision",
        needs=("counts", "confidence", "sided", "log_prior"),
        formula="π·TPR / (π·TPR + (1 − π)·FPR), with π the prior.",
        caution="The prior is an input: it is not the share of members in your experiment.",
    )
    def precision(self) -> Bound:
        """Share of members among the people that this attack classifies as members."""
        return self._ask(quantities.Precision(number_of(self.log_prior)))

    @number("Sample size", needs=("counts",))
    def runs(self) -> Fact:
        """Number of members + non-members."""
        counts = self.counts()
        return Fact(f"{counts.n_p:,} + {counts.n_q:,}", "members + non-members")

    # -- words and charts --------------------------------------------------------------------------

    @sentence(needs=("by_interval",))
    def said(self) -> str:
        """The bound as a sentence."""
        return self.epsilon().explain()

    @figure(
        "ε by every interval",
        needs=("by_interval",),
        caution="Green intervals have guaranteed coverage at every sample size. The others exceed "
        "the truth more often than stated; they are shown because other tools report them.",
    )
    def intervals(self) -> dict[str, Any]:
        """The same counts by six methods. Green: guaranteed coverage. Others: no guarantee."""
        bounds = {INTERVALS[name].label: bound for name, bound in self.by_interval().items()}
        return charts.intervals(bounds, charts.observed_epsilon(self.counts(), self.delta.value))

    @figure(
        "Error rates",
        needs=("by_interval", "confidence"),
        caution="The dashed limits are Clopper–Pearson limits. The joint test uses both counts at "
        "once, so its line may lie beyond their corner.",
    )
    def rates(self) -> dict[str, Any]:
        """Observed error rates and their limits. Rates above the line satisfy the bound on ε."""
        c, error = self.counts(), (1 - self.confidence) / 2
        limits = (
            float(binomial.clopper_pearson_upper(c.fp, c.n_q, error)),
            float(binomial.clopper_pearson_upper(c.fn, c.n_p, error)),
        )
        return charts.error_rates(c, limits, self.by_interval()["joint"])

    @figure(
        "Posterior of ε",
        needs=("by_interval", "credible"),
        caution="This is a credibility under Jeffreys priors, not a confidence. The Bayesian limit "
        "exceeds the truth more often than stated, in particular if few false positives are "
        "expected.",
    )
    def posterior(self) -> dict[str, Any]:
        """Posterior probability that this attack shows at most ε (Zanella-Béguelin et al. 2023)."""
        return charts.posterior(*self.credible(), self.by_interval()["bayesian"])

    def _reach(self) -> float:
        """End of the ε axis: slightly above the upper end of a 99.9% Bayesian interval."""
        asked = quantities.Epsilon(self.delta.value)
        upper = self.counts().bound(asked, 0.999, "bayesian", "two").high
        return 1.2 * upper if upper else 1.0

    @figure(
        "Actual error rate of each interval",
        needs=("missed", "confidence"),
        caution="A limit with guaranteed coverage stays below the dashed line at every true rate "
        "and sample size. This chart is about one rate; limits on ε combine two.",
    )
    def misses(self) -> dict[str, Any]:
        """Probability that an upper limit for the false positive rate is below the true rate."""
        return charts.misses(*self.missed(), 1 - self.confidence)

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_counts``."""
        counts = {name: getattr(self, name) for name in COUNTS}
        level = {"confidence": self.confidence, "side": self.sided}
        asked, joint = {"delta": self.delta.value} | level, level | {"interval": "joint"}
        others = {name: value for name, value in spec.items() if name not in COUNTS}
        prior = number_of(self.log_prior)
        at = {"delta": self.delta.value}
        return script(
            f"counts = {counts!r}",
            f"epsilon = {call('wb.epsilon_from_counts', '**counts', **at, **joint)}",
            f"mu = {call('wb.mu_from_counts', '**counts', **joint)}",
            f"total_variation = {call('wb.total_variation_from_counts', '**counts', **joint)}",
            f"precision = {call('wb.precision_from_counts', '**counts', prior=prior, **joint)}",
            'runs = counts["tp"] + counts["fn"], counts["fp"] + counts["tn"]',
            "\n".join(
                (
                    f"intervals = {tuple(INTERVALS)!r}",
                    "by_interval = {",
                    "    interval: wb.epsilon_from_counts(",
                    "        **counts,",
                    *(f"        {name}={value!r}," for name, value in asked.items()),
                    "        interval=interval,",
                    "    )",
                    "    for interval in intervals",
                    "}",
                )
            ),
            f"view = {call('wb.explore_counts', '**counts', spec=others)}",
        )
