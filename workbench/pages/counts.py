"""From the four counts of one attack to bounds, by every interval in use."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent
from workbench.bounds import quantities
from workbench.bounds.bound import Bound
from workbench.bounds.counts import binomial
from workbench.bounds.counts.counts import Counts
from workbench.bounds.counts.intervals import NAMES, bound
from workbench.bounds.counts.posterior import posterior_mass
from workbench.curves.elementwise import Floats
from workbench.figures import counts as charts
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
from workbench.pages.core.sliders import IntegerField
from workbench.pairs.randomized_response import RandomizedResponsePair

COUNTS = ("tp", "fn", "fp", "tn")

#: What each of them may be.
COUNT = (0, 10**9)

ASKED = ("log_delta", "confidence", "sided")

#: Points of the posterior's curve, and true rates at which misses are shown.
POINTS, RATES = 60, 1000

#: Intervals that come from a limit for each rate.
UPPER = {
    "clopper-pearson": binomial.clopper_pearson_upper,
    "wilson": binomial.wilson_upper,
    "jeffreys": binomial.jeffreys_upper,
}


class CountsPage(Page):
    """State and drawings of the page."""

    title = "From counts"
    about = (
        "One attack called members and non-members in or out. What do its four counts prove, and "
        "what would other tools have claimed?"
    )

    tp = IntegerField(400, COUNT, label="Members called in", doc="True positives.")
    fn = IntegerField(100, COUNT, label="Members called out", doc="False negatives.")
    fp = IntegerField(100, COUNT, label="Non-members called in", doc="False positives.")
    tn = IntegerField(400, COUNT, label="Non-members called out", doc="True negatives.")
    log_delta = param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="The δ of (ε, δ)."
    )
    confidence = param.Selector(
        default=0.95,
        objects={percent(c): c for c in (0.9, 0.95, 0.99, 0.999)},
        label="Confidence",
    )
    sided = param.Selector(
        default="lower",
        objects={"lower limits": "lower", "two-sided": "two"},
        label="Limits",
        doc="Two-sided: the limits share the error probability, and the upper one is about this "
        "attack only.",
    )
    log_prior = param.Number(
        -2.0,
        bounds=(-6, -0.1),
        step=0.1,
        label="log₁₀ of the prior",
        doc="Share of members among the people whom the attack would be used on.",
    )

    controls: ClassVar[tuple[Section, ...]] = (
        Section("Counts", tuple(Control(name) for name in COUNTS)),
        Section("Audit", tuple(Control(name) for name in (*ASKED, "log_prior"))),
    )

    # -- results -----------------------------------------------------------------------------------

    @property
    def delta(self) -> float:
        """The δ that the slider shows."""
        return float(10**self.log_delta)

    @derived(needs=COUNTS)
    def counts(self) -> Counts:
        """The four counts, checked."""
        return Counts(tp=self.tp, fp=self.fp, tn=self.tn, fn=self.fn)

    @derived(needs=("counts", *ASKED), shared=True)
    def by_interval(self) -> dict[str, Bound]:
        """ε by every interval."""
        return {name: self._ask(quantities.Epsilon(self.delta), name) for name in NAMES}

    @derived(needs=("counts", "log_delta"), shared=True)
    def credible(self) -> tuple[Floats, list[float]]:
        """Values of ε, and the posterior probability of at most that."""
        epsilon = np.linspace(0, self._reach(), POINTS)
        allowed = (RandomizedResponsePair(e, self.delta) for e in epsilon)
        return epsilon, [posterior_mass(self.counts(), pair) for pair in allowed]

    @derived(needs=("counts", "confidence"), shared=True)
    def missed(self) -> tuple[Floats, dict[str, Floats]]:
        """True rates, and how often each limit misses them."""
        n, error = self.counts().n_q, 1 - self.confidence
        # The misses come and go with single successes, above all where few are expected.
        rates = np.geomspace(0.2 / n, 0.5, RATES)
        return rates, {
            NAMES[name]: binomial.miss_probability(rates, limit, n, error)
            for name, limit in UPPER.items()
        }

    def _ask(self, question: quantities.Question, interval: str = "joint") -> Bound:
        return bound(self.counts(), question, self.confidence, interval, self.sided)

    # -- the strip of numbers ----------------------------------------------------------------------

    @number(
        "ε",
        needs=("by_interval",),
        formula="The smallest ε that an exact test of both counts together does not refute.",
        caution="It holds for an attack that was fixed before these counts were seen. A larger ε "
        "may be true: the attack may be weak.",
    )
    def epsilon(self) -> Bound:
        """No smaller ε makes the mechanism (ε, δ)-DP, at this confidence."""
        return self.by_interval()["joint"]

    @number("μ", needs=("counts", "confidence", "sided"), formula="Φ⁻¹(TPR) − Φ⁻¹(FPR).")
    def mu(self) -> Bound:
        """The mechanism is not μ'-GDP for any smaller μ'."""
        return self._ask(quantities.Mu())

    @number("TV", needs=("counts", "confidence", "sided"), formula="TPR − FPR.")
    def total_variation(self) -> Bound:
        """Total variation distance: the advantage of the best attacker."""
        return self._ask(quantities.TotalVariation())

    @number(
        "Precision",
        needs=("counts", "confidence", "sided", "log_prior"),
        formula="π·TPR / (π·TPR + (1 − π)·FPR), with π the prior.",
        caution="The prior is yours to state: it is not the share of members among your runs.",
    )
    def precision(self) -> Bound:
        """Of the people whom this attack accuses, the share that are members."""
        return self._ask(quantities.Precision(float(10**self.log_prior)))

    @number("Runs", needs=("counts",))
    def runs(self) -> Fact:
        """Runs with and without the record."""
        counts = self.counts()
        return Fact(f"{counts.n_p:,} + {counts.n_q:,}", "with and without the record")

    # -- words and charts --------------------------------------------------------------------------

    @sentence(needs=("by_interval",))
    def said(self) -> str:
        """The bound as a sentence."""
        return self.epsilon().explain()

    @figure(
        "ε by every interval",
        needs=("by_interval",),
        caution="Green intervals keep their level at every sample size. The others exceed the "
        "truth more often than they say; they are here because other tools report them.",
    )
    def intervals(self) -> dict[str, Any]:
        """The same counts, six methods: green ones keep their level, the others may not."""
        bounds = {NAMES[name]: bound for name, bound in self.by_interval().items()}
        return charts.intervals(bounds, charts.observed_epsilon(self.counts(), self.delta))

    @figure(
        "Error rates",
        needs=("by_interval", "confidence"),
        caution="The dashed limits are Clopper–Pearson's. The exact test looks at both counts "
        "together, so that its line may pass beyond their corner.",
    )
    def rates(self) -> dict[str, Any]:
        """Observed rates, their limits, and what the bound on ε still allows: above its line."""
        c, error = self.counts(), (1 - self.confidence) / 2
        limits = (
            float(binomial.clopper_pearson_upper(c.fp, c.n_q, error)),
            float(binomial.clopper_pearson_upper(c.fn, c.n_p, error)),
        )
        return charts.error_rates(c, limits, self.by_interval()["joint"])

    @figure(
        "Posterior of ε",
        needs=("by_interval", "credible"),
        caution="A credibility under Jeffreys priors, not a confidence: the Bayesian limit exceeds "
        "the truth more often than it says, above all where few false positives are expected.",
    )
    def posterior(self) -> dict[str, Any]:
        """Posterior probability that this attack shows at most ε (Zanella-Béguelin et al. 2023)."""
        return charts.posterior(*self.credible(), self.by_interval()["bayesian"])

    def _reach(self) -> float:
        """An ε that hardly any posterior passes: the upper end of a wide Bayesian interval."""
        asked = quantities.Epsilon(self.delta)
        upper = bound(self.counts(), asked, 0.999, "bayesian", "two").high
        return 1.2 * upper if upper else 1.0

    @figure(
        "How often a limit misses",
        needs=("missed", "confidence"),
        caution="A limit that keeps its level stays below the dashed line at every true rate and "
        "every number of runs. This is one rate's limit; limits on ε are made of two.",
    )
    def misses(self) -> dict[str, Any]:
        """Chance that an upper limit for the false positive rate is too low, with these runs."""
        return charts.misses(*self.missed(), 1 - self.confidence)

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; `spec` is for ``wb.explore_counts``."""
        counts = ", ".join(f"{name}={getattr(self, name)}" for name in COUNTS)
        level = f"confidence={self.confidence!r}, side={self.sided!r}"
        asked = f"{counts}, delta={self.delta!r}, {level}"
        kept = {name: value for name, value in spec.items() if name not in COUNTS}
        return "\n".join(
            [
                "import workbench as wb",
                "",
                "by_interval = {",
                f"    interval: wb.epsilon_from_counts({asked}, interval=interval)",
                f"    for interval in {tuple(NAMES)!r}",
                "}",
                'epsilon = by_interval["joint"]',
                f"view = wb.explore_counts({counts}, spec={kept!r})",
                "",
            ]
        )
