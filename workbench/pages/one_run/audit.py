"""`OneRunAudit`: bounds from the guesses of one run by every published method."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import plain, round_safely
from workbench.bounds.bound import Bound
from workbench.figures.kit.axes import round_up
from workbench.figures.kit.layout import empty
from workbench.figures.one_run import audit as charts
from workbench.onerun.bound import FIXED_HALF, METHODS, one_run_bound
from workbench.onerun.guesses import REMARKABLE, Guesses, coins_p_value
from workbench.onerun.per_bit import (
    BitErrorCurves,
    HypotheticalLimits,
    bit_error_curves,
    exact_limit,
    hypothetical_limits,
)
from workbench.onerun.scored.bound import one_run_score_bound
from workbench.onerun.scored.independence import CanaryIndependence, canary_independence
from workbench.onerun.simulate import DPSGD, CanaryMechanism, SharedGaussian
from workbench.onerun.tuning import TUNED, Tuning, tune_one_run
from workbench.pages.core.page import Control, Fact, Section, derived, figure, number, sentence
from workbench.pages.core.part import Part
from workbench.pages.family import FAMILIES
from workbench.pairs.families.base import Family
from workbench.pairs.families.registry import family_named

#: Methods by their names on the page; those that assume no family first.
NAMES = {
    "steinke": "Any mechanism (Steinke et al. 2023)",
    "sharp": "Any mechanism, sharp limit",
    "fdp": "Given the family (Mahloujifar et al. 2024)",
    "bits": "Independent canaries, exact",
    "bits-hoeffding": "Independent canaries, Hoeffding",
    "abstain": "Independent canaries with abstention",
}

FROM_SCORES = "Independent canaries, all scores"

TUNABLE = {NAMES[name]: name for name in ("steinke", "fdp", "abstain")}

FAMILY = ("family", "q", "log_delta")

MOVED = "the guessing rule was changed after the scores were seen"

#: Points of the curves over the family's parameter, and of hypothetical bit errors.
LEAKS, HYPOTHESES = 40, 81


class OneRunAudit(Part):
    """The bounds by every method, and the tuned number of guesses."""

    family = param.Selector(
        default="gaussian",
        objects=FAMILIES,
        label="Family",
        doc="What the methods “given the family” and “independent canaries” assume about the "
        "mechanism. Randomized response is the weakest choice: it assumes nothing.",
    )
    q = param.Number(
        0.25,
        bounds=(0.01, 1),
        step=0.01,
        label="Sampling rate q",
        doc="Known probability that a canary is sampled.",
    )
    tuned = param.Selector(
        default="steinke",
        objects=TUNABLE,
        label="Method to tune",
        doc="Its number of guesses is chosen among all, half, a quarter, … of the canaries.",
    )

    audit: ClassVar[Section] = Section(
        "Audit",
        (
            Control("family"),
            Control("q", when=lambda page: page.family == "subsampled-gaussian"),
            Control("log_delta"),
            Control("confidence"),
            Control("tuned", when=lambda page: page.source != "counts"),
        ),
    )

    # -- results, each computed once a state -------------------------------------------------------

    @property
    def known_q(self) -> float | None:
        """The sampling rate, where the family has one."""
        return self.q if self.family == "subsampled-gaussian" else None

    @derived(needs=FAMILY)
    def assumed(self) -> Family:
        """The assumed family at the chosen δ."""
        return family_named(self.family, delta=self.page.delta.value, q=self.known_q)

    @derived(needs=("guesses", *FAMILY, "confidence"), shared=True)
    def by_method(self) -> dict[str, Bound | Fact]:
        """Bound on ε by every method, or why the method does not apply."""
        return {name: self._ask(name) for name in METHODS}

    def _ask(self, method: str) -> Bound | Fact:
        guesses = self.page.guesses()
        if isinstance(guesses, str):
            return Fact("–")
        how = METHODS[method]
        if guesses.design == "fixed-half" and method not in FIXED_HALF:
            return Fact("–", "needs a fair coin per canary")
        if how.every_guess and guesses.guesses < guesses.canaries:
            return Fact("–", "needs a guess for every canary")
        try:
            return one_run_bound(guesses, **self.asked(method))
        except ValueError as error:
            return Fact("–", str(error))

    @derived(needs=("run",), shared=True)
    def dependence(self) -> CanaryIndependence | str:
        """Tests of whether the canaries influence each other's scores, or why there are none."""
        run = self.page.run()
        return run if isinstance(run, str) else canary_independence(run)

    @derived(needs=("run", "dependence", "log_delta", "confidence"))
    def of_scores(self) -> Bound | Fact:
        """Simultaneous bound from all thresholds of the scores, or why there is none."""
        run, tested = self.page.run(), self.dependence()
        if isinstance(run, str) or isinstance(tested, str):
            return Fact("–", "needs scores")
        try:
            return one_run_score_bound(
                run,
                delta=self.page.delta.value,
                confidence=self.page.confidence,
                independence=tested,
            )
        except ValueError as error:
            return Fact("–", str(error))

    def asked(self, method: str) -> dict[str, Any]:
        """Arguments of ``Guesses.bound`` for a method."""
        about = {
            "delta": self.page.delta.value,
            "confidence": self.page.confidence,
            "method": method,
        }
        if METHODS[method].leak is None:
            return about
        return about | {"family": self.family, "q": self.known_q}

    @derived(needs=("run", "tuned", *FAMILY, "confidence"), shared=True)
    def tuning(self) -> Tuning | str:
        """The tuned number of guesses with its bounds, or why there is nothing to tune."""
        run = self.page.run()
        if isinstance(run, str):
            return run
        if run.design == "fixed-half":
            return "Rules that rank the canaries need a fair coin per canary."
        try:
            return tune_one_run(run, **self.asked(self.tuned))
        except ValueError as error:
            return str(error)

    @derived(needs=("source", "simulated", "log_delta"))
    def reference(self) -> charts.ReferenceValue | None:
        """What the bounds are compared with, where the mechanism is known."""
        return self._reference() if self.page.source == "simulate" else None

    def _reference(self) -> charts.ReferenceValue:
        mechanism: CanaryMechanism = self.page.simulated()
        if isinstance(mechanism, DPSGD) and mechanism.average_first:
            claimed = float(mechanism.claimed.epsilon(self.page.delta.value))
            return charts.ReferenceValue("claimed", claimed)
        return charts.ReferenceValue("truth", mechanism.epsilon(self.page.delta.value))

    # -- the strip of numbers ----------------------------------------------------------------------

    @number(
        NAMES["steinke"],
        needs=("by_method", "rule_moved", "looked"),
        formula="P[correct ≥ c] ≤ P[W ≥ c] + 2mδ max_i P[c − i ≤ W < c]/i, W binomial with r "
        "trials of success e^ε/(1 + e^ε).",
        caution="Assumes only that each canary was included by its own fair coin. Canaries may "
        "influence each other.",
    )
    def steinke(self) -> Bound | Fact:
        """Lower bound on ε for any mechanism with so many correct guesses."""
        return self._method("steinke")

    @number(
        NAMES["fdp"],
        needs=("by_method", "rule_moved", "looked"),
        formula="A recursion over the number of correct guesses with the family's trade-off "
        "function.",
        caution="Assumes the family. Canaries may influence each other.",
    )
    def fdp(self) -> Bound | Fact:
        """Lower bound on ε, assuming the family, from the number of correct guesses."""
        return self._method("fdp")

    @number(
        NAMES["bits"],
        needs=("by_method", "rule_moved", "looked"),
        formula="Clopper–Pearson upper limit of the share of wrong guesses; ε(δ) of the member of "
        "the family whose (1 − TV)/2 equals it.",
        caution="Assumes the family, and that no canary influences the score of another.",
    )
    def bits(self) -> Bound | Fact:
        """Lower bound on ε from the share of wrong guesses, if canaries are independent."""
        return self._method("bits")

    @number(
        NAMES["bits-hoeffding"],
        needs=("by_method", "rule_moved", "looked"),
        formula="ē + √(log(1/(1 − γ))/2n) in place of the Clopper–Pearson limit.",
        caution="Never better than the exact limit; included for comparison with the literature.",
    )
    def hoeffding(self) -> Bound | Fact:
        """The same with the wider limit from Hoeffding's inequality."""
        return self._method("bits-hoeffding")

    @number(
        NAMES["abstain"],
        needs=("by_method", "rule_moved", "looked"),
        formula="P[errors ≤ u] = E_W[BinCDF(u; r, ḡ(W))], W ~ Beta(n − r, r + 1).",
        caution="Assumes the family, that no canary influences the score of another, and that the "
        "number of guesses was fixed in advance.",
    )
    def abstain(self) -> Bound | Fact:
        """Lower bound on ε if only the r most extreme scores were guessed (arXiv 2509.08704)."""
        return self._method("abstain")

    @number(
        FROM_SCORES,
        needs=("of_scores", "looked"),
        caution="Assumes no family, but that no canary influences the score of another. If the "
        "tests of that find an influence, the bound is not valid.",
    )
    def from_scores(self) -> Bound | Fact:
        """Lower bound on ε from the scores at all thresholds at once, instead of guesses."""
        bound = self.of_scores()
        return bound if isinstance(bound, Fact) else self.page.validity.certified(bound)

    @number(
        "Best of several rules (not valid)",
        needs=("tuning", "looked"),
        caution=f"{TUNED[0].upper()}{TUNED[1:]}.",
    )
    def claimed(self) -> Bound | Fact:
        """Largest bound over several numbers of guesses, without correction for the choice."""
        return self._of_tuning("claimed")

    @number(
        "Best of several, corrected",
        needs=("tuning", "looked"),
        formula="Bonferroni: each of the J rules gets 1/J of the error probability.",
    )
    def paid(self) -> Bound | Fact:
        """Largest bound over several numbers of guesses, corrected for the choice."""
        return self._of_tuning("simultaneous")

    @number(
        "Tuned on one half, tested on the other",
        needs=("tuning", "looked"),
        formula="A random number, drawn once for this run, divides the canaries into two halves.",
    )
    def held_out(self) -> Bound | Fact:
        """Bound on one half of the canaries with the rule that was chosen on the other half."""
        return self._of_tuning("held_out")

    @number("True ε", needs=("source", "simulated", "log_delta"))
    def truth(self) -> Fact:
        """ε of the simulated mechanism at the chosen δ."""
        if self.page.source != "simulate":
            return Fact("–", "not known of a real mechanism")
        truth = self.page.simulated().epsilon(self.page.delta.value)
        reference = self._reference()
        note = f"at δ = {plain(self.page.delta.value)}"
        if reference.name == "claimed":
            note += f", claimed {round_safely(reference.epsilon, 'nearest')}"
        return Fact(f"ε = {round_safely(truth, 'nearest')}", note)

    @number("Correct guesses", needs=("guesses",))
    def counted(self) -> Fact:
        """Number of correct guesses among all guesses, and number of canaries."""
        guesses = self.page.guesses()
        if isinstance(guesses, str):
            return Fact("–")
        share = f"{guesses.canaries:,} canaries"
        if guesses.guesses:
            share = f"{guesses.accuracy:.1%} correct, {share}"
        return Fact(f"{guesses.correct:,} of {guesses.guesses:,}", share)

    def _method(self, name: str) -> Bound | Fact:
        bound = self.by_method()[name]
        if isinstance(bound, Fact):
            return bound
        return self.page.validity.certified(bound.voided(MOVED) if self.page.rule_moved else bound)

    def _of_tuning(self, which: str) -> Bound | Fact:
        tuning = self.tuning()
        if isinstance(tuning, str):
            return Fact("–", "needs scores" if isinstance(self.page.run(), str) else tuning)
        return self.page.validity.certified(getattr(tuning, which))

    # -- in plain words ----------------------------------------------------------------------------

    @sentence(needs=("source", "simulated", "run", "guesses"), place="head")
    def provenance(self) -> str:
        """The run that is audited."""
        guesses, run = self.page.guesses(), self.page.run()
        if isinstance(guesses, str):
            return ""
        of = "Counts" if isinstance(run, str) else run.name or "Canaries given in Python"
        said = {"simulate": f"Simulated: {self.page.simulated().name}", "file": f"File “{of}”"}
        rule = f" · {guesses.rule}" if guesses.rule else ""
        return f"{said.get(self.page.source, of)} · {guesses.canaries:,} canaries{rule}"

    @sentence(needs=("guesses", "by_method", "rule_moved", "looked"))
    def said(self) -> str:
        """The bound with the weakest assumptions, as a sentence."""
        guesses = self.page.guesses()
        if isinstance(guesses, str):
            return f"{guesses[0].upper()}{guesses[1:]}{'' if guesses.endswith('.') else '.'}"
        first = next((b for b in map(self._method, METHODS) if isinstance(b, Bound)), None)
        if first is None:
            return "No method applies to these guesses; use a threshold on each canary's own score."
        return first.explain()

    @sentence(needs=("guesses",))
    def coins(self) -> str:
        """Test of whether the canaries were included by fair coins."""
        guesses = self.page.guesses()
        if isinstance(guesses, str) or guesses.included is None:
            return ""
        k, m = guesses.included, guesses.canaries
        if guesses.design == "fixed-half":
            return (
                "A random half of the canaries was included, so inclusions are dependent. Only the "
                "methods for independent canaries with a threshold rule apply."
            )
        p = coins_p_value(k, m)
        if p < REMARKABLE:
            return (
                f"Warning: {k:,} of {m:,} canaries were included, which is unlikely with fair "
                f"coins (p = {p:.2g}). Check how canaries were included: every bound depends on it."
            )
        return f"{k:,} of {m:,} canaries were included: consistent with fair coins (p = {p:.2g})."

    @sentence(needs=("dependence",))
    def independence(self) -> str:
        """Tests of whether the canaries influence each other's scores."""
        tested = self.dependence()
        if isinstance(tested, str):
            return ""
        return f"{'Warning: ' if tested.dependent else ''}{tested.explain()}"

    @sentence(needs=("source", "simulated", "log_canaries"), place="strip")
    def interference(self) -> str:
        """A warning if simulated canaries share noise or a direction."""
        m = self.page.simulated()
        if self.page.source != "simulate" or not isinstance(m, SharedGaussian):
            return ""
        how = []
        if m.coordinates < self.page.run_source.size:
            how.append(f"share {m.coordinates:,} coordinates")
        if m.interference:
            how.append(f"have gradients of cosine ±{m.interference:g}")
        if not how:
            return ""
        return (
            f"{self.page.run_source.size:,} canaries {' and '.join(how)} and interfere, so bounds for independent "
            "canaries are not guaranteed; here they are lower. In simulations with ten canaries "
            "per coordinate, and with cosines up to 1, they did not exceed the truth more often "
            "than allowed. That is an observation, not a theorem: they fail for a mechanism that "
            "sometimes reveals all canaries together."
        )

    @sentence(needs=("source", "simulated", "family"), place="strip")
    def mismatch(self) -> str:
        """A warning if the simulated mechanism does not belong to the assumed family."""
        if self.page.source != "simulate" or self.family == "randomized-response":
            return ""
        mechanism, name = self.page.simulated(), _name_of(self.family)
        if isinstance(mechanism, DPSGD):
            return f"DP-SGD is not in the {name} family. Bounds that assume it may be too large."
        kind = "gaussian" if isinstance(mechanism, SharedGaussian) else self.page.mechanism
        if kind == self.family:
            return ""
        return (
            f"The simulated mechanism is not in the {name} family. Bounds that assume it "
            "may exceed the truth, and the guesses cannot show this."
        )

    # -- the charts --------------------------------------------------------------------------------

    @figure(
        "ε by every method",
        needs=("by_method", "of_scores", "reference", "rule_moved", "looked"),
        span=6,
        caution="“Any mechanism” and “given the family” allow canaries to influence each other; "
        "“independent canaries” does not.",
    )
    def methods(self) -> dict[str, Any]:
        """Lower bounds from the same guesses. Amber: not valid."""
        shown = {NAMES[name]: self._method(name) for name in METHODS}
        bounds = {name: bound for name, bound in shown.items() if isinstance(bound, Bound)}
        if not bounds:
            return empty("No method applies.")
        of_scores = self.of_scores()
        if isinstance(of_scores, Bound):
            bounds[FROM_SCORES] = self.page.validity.certified(of_scores)
        return charts.methods(bounds, self.reference())

    @figure(
        "Tuning the number of guesses",
        needs=("tuning", "reference"),
        span=6,
        formula="Guess all, half, a quarter, … of the canaries: half of the guesses “included”, "
        "half “not included”.",
        caution="Each point is valid if its number of guesses was fixed in advance. The largest "
        "one, chosen because it is the largest, is not.",
    )
    def choice(self) -> dict[str, Any]:
        """Bounds against the number of guesses, and the bounds that are valid after tuning."""
        tuning = self.tuning()
        if isinstance(tuning, str):
            return empty("Tuning needs scores.")
        return charts.tuning(tuning, self.reference())

    @figure(
        "Information per guess",
        needs=("guesses", "assumed", "confidence"),
        span=6,
        formula="u(½) = max over x of h(½f(x) + ½(1 − x)) − ½h(f(x)) − ½h(1 − x). Published limit "
        "on the bit error: h⁻¹(1 − u(½)). Direct limit: (1 − TV)/2.",
        caution="By Fano's inequality, the published limit is never above the direct one, which is "
        "used here. For the Gaussian and the Laplace family both are equal.",
    )
    def information(self) -> dict[str, Any]:
        """Mutual information and smallest bit error, against the parameter of the family."""
        family, guesses, limit, leak = self.assumed(), self.page.guesses(), None, None
        if isinstance(guesses, Guesses) and guesses.guesses == guesses.canaries:
            limit = exact_limit(guesses.errors, guesses.canaries, 1 - self.page.confidence)
            leak = family.parameter_of_bit_error(limit) if limit < 0.5 else 0.0
        known = leak if leak is not None and math.isfinite(leak) else 0.0
        reach = round_up(max(4.0, 1.2 * known))
        return charts.bit_errors(_bit_errors(family, reach), limit, leak)

    @figure(
        "How the exact limit is found",
        needs=("assuming",),
        span=6,
        formula="v(p) = p − F⁻¹(1 − γ; n, p)/n. The implied bit error is ē + v(p).",
        caution="Assumes the family and independent canaries. The curves meet at the "
        "Clopper–Pearson limit, which the workbench computes directly.",
    )
    def hypothetical(self) -> dict[str, Any]:
        """The bound is the ε at which the assumed bit error and the one it implies meet."""
        limits = self.assuming()
        return empty(limits) if isinstance(limits, str) else charts.hypothetical(limits)

    @derived(needs=("guesses", "assumed", "log_delta", "confidence"), shared=True)
    def assuming(self) -> HypotheticalLimits | str:
        """ε implied by assumed bit errors, or why there is none."""
        guesses = self.page.guesses()
        if isinstance(guesses, str):
            return "There are no guesses yet."
        if guesses.guesses < guesses.canaries:
            return "This method needs a guess for every canary."
        n, errors = guesses.canaries, guesses.errors
        wide = 1.5 * math.sqrt(-math.log(1 - self.page.confidence) / (2 * n))
        middle = errors / n
        if middle >= 0.5:
            return "At least half of the guesses are wrong, so no leak is shown."
        low, high = max(middle - wide, 0.2 / n), min(middle + wide, 0.499)
        return hypothetical_limits(
            self.assumed(),
            canaries=n,
            correct=guesses.correct,
            delta=self.page.delta.value,
            confidence=self.page.confidence,
            bit_error=np.linspace(low, high, HYPOTHESES),
        )


@lru_cache(maxsize=32)
def _bit_errors(family: Family, reach: float) -> BitErrorCurves:
    return bit_error_curves(family, np.linspace(reach / LEAKS, reach, LEAKS))


def _name_of(family: str) -> str:
    return next(label for label, name in FAMILIES.items() if name == family)
