"""`OneRunAudit`: bounds from the guesses of one run by every published method."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import param

from workbench.bounds.bound import Bound
from workbench.figures.kit.axes import round_up
from workbench.figures.kit.layout import empty
from workbench.figures.one_run import audit as charts
from workbench.onerun.bound import COINS, FIXED_HALF, METHODS, one_run_bound
from workbench.onerun.guesses import RANDOM_PARTS, Guesses
from workbench.onerun.per_bit import (
    BitErrorCurves,
    HypotheticalLimits,
    bit_error_curves,
    exact_limit,
    hypothetical_limits,
)
from workbench.onerun.scored.bound import one_run_score_bound
from workbench.onerun.scored.independence import CanaryIndependence, canary_independence
from workbench.onerun.simulate import DPSGD, CanaryMechanism
from workbench.onerun.tuning import Tuning, tune_one_run
from workbench.pages.core.page import Control, Fact, Section, derived, figure
from workbench.pages.core.part import Part
from workbench.pages.family import FAMILIES
from workbench.pages.one_run.values import NO_BOUND
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


#: Points of the curves over the family's parameter, and of hypothetical bit errors.
LEAKS, HYPOTHESES = 40, 81

#: In place of bounds that assume independent canaries.
OF_LABELS = Fact("–", "labels of one training may influence each other")

MOVED = "the guessing rule was changed after the scores were seen"


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
        doc="The method whose number of guesses is chosen among all, half, a quarter, … of the "
        "canaries.",
    )

    audit: ClassVar[Section] = Section(
        "Audit",
        (
            Control("family"),
            Control("q", when=lambda page: page.family == "subsampled-gaussian"),
            Control("log_delta"),
            Control("confidence"),
            Control("tuned", when=lambda page: page.source != "counts" and page.ranks() is None),
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

    @derived(needs=("guesses", "coin_guesses", "candidates", *FAMILY, "confidence"), shared=True)
    def by_method(self) -> dict[str, Bound | Fact]:
        """Bound on ε by every method, or why the method does not apply."""
        return {name: self._ask(name) for name in METHODS}

    def _ask(self, method: str) -> Bound | Fact:
        if method not in self.page.of_values.offered:
            return Fact("")
        guesses = self.guessed(method)
        if isinstance(guesses, str):
            return Fact("–")
        how = METHODS[method]
        if guesses.of_labels and how.assumption != COINS:
            return OF_LABELS
        if guesses.design in RANDOM_PARTS and not single(method, guesses.design):
            return Fact("–", "needs a fair coin per canary, or scores to match")
        if how.every_guess and guesses.guesses < guesses.canaries:
            return Fact("–", "needs a guess for every canary")
        try:
            return one_run_bound(guesses, **self.asked(method))
        except ValueError as error:
            return Fact("–", str(error))

    def guessed(self, method: str) -> Guesses | str:
        """The guesses of a method: on pairs where a random part was in, if it needs coins."""
        guesses = self.page.guesses()
        if isinstance(guesses, str) or single(method, guesses.design):
            return guesses
        return self.page.coin_guesses()

    @derived(needs=("run",), shared=True)
    def dependence(self) -> CanaryIndependence | str:
        """Tests of whether the canaries influence each other's scores, or why there are none."""
        run = self.page.run()
        return run if isinstance(run, str) else canary_independence(run)

    @derived(needs=("run", "guesses", "dependence", "log_delta", "confidence"))
    def of_scores(self) -> Bound | Fact:
        """Simultaneous bound from all thresholds of the scores, or why there is none."""
        guesses = self.page.guesses()
        if isinstance(guesses, Guesses) and guesses.of_labels:
            return OF_LABELS
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

    @derived(needs=("run", "pairs", "tuned", *FAMILY, "confidence"), shared=True)
    def tuning(self) -> Tuning | str:
        """The tuned number of guesses with its bounds, or why there is nothing to tune."""
        run = self.page.run()
        if isinstance(run, str):
            return run
        canaries = run
        if run.design in RANDOM_PARTS:
            pairs = self.page.pairs()
            if isinstance(pairs, str):
                return pairs
            canaries = pairs
        try:
            return tune_one_run(canaries, **self.asked(self.tuned))
        except ValueError as error:
            return str(error)

    @derived(needs=("source", "simulated", "design", "log_delta"))
    def reference(self) -> charts.ReferenceValue | None:
        """What the bounds are compared with, where the mechanism is known."""
        return self.simulated_reference() if self.page.source == "simulate" else None

    def certified(self, method: str) -> Bound | Fact:
        """The bound of a method, not valid once the rule was moved; or why there is none."""
        bound = self.by_method()[method]
        if isinstance(bound, Fact):
            return bound
        return self.page.validity.certified(bound.voided(MOVED) if self.page.rule_moved else bound)

    def simulated_reference(self) -> charts.ReferenceValue | None:
        """The ε that a faulty simulated mechanism claims, or that of a correct one.

        None where a random half was in and ε of substitution is not known.
        """
        mechanism: CanaryMechanism = self.page.simulated()
        if self.page.run_source.simulated_design == "fixed-half":
            pair = mechanism.substituted
            if pair is None:
                return None
            return charts.ReferenceValue("truth", float(pair.epsilon(self.page.delta.value)))
        if isinstance(mechanism, DPSGD) and mechanism.average_first:
            claimed = float(mechanism.claimed.epsilon(self.page.delta.value))
            return charts.ReferenceValue("claimed", claimed)
        return charts.ReferenceValue("truth", mechanism.epsilon(self.page.delta.value))

    # -- the charts --------------------------------------------------------------------------------

    @figure(
        "ε by every method",
        needs=("by_method", "of_scores", "reference", "rule_moved", "looked"),
        span=6,
        caution="“Any mechanism” and “given the family” allow canaries to influence each other; "
        "“independent canaries” does not.",
    )
    def methods(self) -> dict[str, Any]:
        """Lower bounds from the same guesses. Amber: not valid. Grey: estimates."""
        shown = {NAMES[name]: self.certified(name) for name in METHODS}
        bounds = {name: bound for name, bound in shown.items() if isinstance(bound, Bound)}
        if not bounds:
            return empty("No method applies.")
        of_scores = self.of_scores()
        if isinstance(of_scores, Bound):
            bounds[FROM_SCORES] = self.page.validity.certified(of_scores)
        return charts.methods(bounds, self.reference())

    @figure(
        "Tuning the number of guesses",
        needs=("tuning", "guesses", "candidates", "ranks", "reference"),
        span=6,
        formula="Guess all, half, a quarter, … of the canaries: half of the guesses “included”, "
        "half “not included”.",
        caution="Each point is valid if its number of guesses was fixed in advance. The largest "
        "one, chosen because it is the largest, is not.",
    )
    def choice(self) -> dict[str, Any]:
        """Bounds against the number of guesses, and the bounds that are valid after tuning."""
        tuning = self.tuning()
        if not self.page.of_values.may_bound:
            return empty(NO_BOUND, optional=True)
        if isinstance(tuning, str):
            return empty("Tuning needs scores.")
        return charts.tuning(tuning, self.reference())

    @figure(
        "Information per guess",
        needs=("guesses", "candidates", "assumed", "confidence"),
        span=6,
        formula="u(½) = max over x of h(½f(x) + ½(1 − x)) − ½h(f(x)) − ½h(1 − x). Published limit "
        "on the bit error: h⁻¹(1 − u(½)). Direct limit: (1 − TV)/2.",
        caution="By Fano's inequality, the published limit is never above the direct one, which is "
        "used here. For the Gaussian and the Laplace family both are equal.",
    )
    def information(self) -> dict[str, Any]:
        """Mutual information and smallest bit error, against the parameter of the family."""
        family, guesses, limit, leak = self.assumed(), self.page.guesses(), None, None
        if self.page.candidates() > 2 or not one_of_two(guesses):
            return empty(NO_BOUND, optional=True)
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
        """ε of each assumed bit error, and the ε it implies. The bound is where both are equal."""
        limits = self.assuming()
        if limits == NO_BOUND:
            return empty(limits, optional=True)
        return empty(limits) if isinstance(limits, str) else charts.hypothetical(limits)

    @derived(needs=("guesses", "candidates", "assumed", "log_delta", "confidence"), shared=True)
    def assuming(self) -> HypotheticalLimits | str:
        """ε implied by assumed bit errors, or why there is none."""
        guesses = self.page.guesses()
        if self.page.candidates() > 2 or not one_of_two(guesses):
            return NO_BOUND
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


def single(method: str, design: str) -> bool:
    """Whether a method takes guesses on single canaries under a design.

    Parameters
    ----------
    method : str
    design : str
    """
    return design not in RANDOM_PARTS or (design == "fixed-half" and method in FIXED_HALF)


def one_of_two(guesses: Guesses | str) -> bool:
    """Whether a canary was in or out, and somebody drew which; True where there are no guesses.

    Parameters
    ----------
    guesses : Guesses or str
        Or why there are none.
    """
    if isinstance(guesses, str):
        return True
    return guesses.values == 2 and guesses.design != "given" and guesses.condition is None


@lru_cache(maxsize=32)
def _bit_errors(family: Family, reach: float) -> BitErrorCurves:
    return bit_error_curves(family, np.linspace(reach / LEAKS, reach, LEAKS))
