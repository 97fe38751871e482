"""The audit of one run: what the guesses prove by every published method, and why."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.figures import one_run as charts
from workbench.figures.kit.layout import empty
from workbench.figures.scores import round_up
from workbench.onerun.bound import FIXED_HALF, METHODS
from workbench.onerun.canaries import REMARKABLE, Guesses, coins_p_value
from workbench.onerun.per_bit import (
    BitErrorCurves,
    HypotheticalLimits,
    bit_error_curves,
    exact_limit,
    hypothetical_limits,
)
from workbench.onerun.simulate import DPSGD, Mechanism, SharedGaussian
from workbench.onerun.tuning import TUNED, Tuning, tune_one_run
from workbench.pages.core.page import Control, Fact, Section, derived, figure, number, sentence
from workbench.pages.family import FAMILIES
from workbench.pages.one_run.source import OneRunSource
from workbench.pairs.families.base import Family
from workbench.pairs.families.registry import family_named

#: Methods by their names on screen; those of no family first.
NAMES = {
    "steinke": "STEINKE23",
    "sharp": "sharp limit",
    "fdp": "MAHLOUJIFAR24",
    "bits": "BITS, exact",
    "bits-hoeffding": "BITS, Hoeffding",
    "abstain": "BITS with abstention",
}

TUNABLE = {NAMES[name]: name for name in ("steinke", "fdp", "abstain")}

FAMILY = ("family", "q", "log_delta")

MOVED = "the rule was changed with the scores in view"

#: Points of the curves over the family's parameter, and of hypothetical bit errors.
LEAKS, HYPOTHESES = 40, 81


class OneRunAudit(OneRunSource):
    """Results, numbers, words and charts of the audit."""

    family = param.Selector(
        default="gaussian",
        objects=FAMILIES,
        label="Family",
        doc="What MAHLOUJIFAR24, BITS and its abstaining extension assume of the mechanism. "
        "Randomized response is the weakest of all: with it nothing is assumed.",
    )
    q = param.Number(
        0.25, bounds=(0.01, 1), step=0.01, label="Sampling rate q", doc="Known beforehand."
    )
    log_delta = param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="The δ of (ε, δ)."
    )
    confidence = param.Selector(
        default=0.95,
        objects={percent(c): c for c in (0.9, 0.95, 0.99)},
        label="Confidence",
        doc="Choose it before you look.",
    )
    tuned = param.Selector(
        default="steinke",
        objects=TUNABLE,
        label="Tuned method",
        doc="Whose number of guesses is chosen among all, half, a quarter, … of the canaries.",
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
    def delta(self) -> float:
        """The δ that the slider shows."""
        return float(10**self.log_delta)

    @property
    def known_q(self) -> float | None:
        """The sampling rate, where the family has one."""
        return self.q if self.family == "subsampled-gaussian" else None

    @derived(needs=FAMILY)
    def assumed(self) -> Family:
        """The family."""
        return family_named(self.family, delta=self.delta, q=self.known_q)

    @derived(needs=("guesses", *FAMILY, "confidence"), shared=True)
    def by_method(self) -> dict[str, Bound | Fact]:
        """ε by every method, or why the method does not apply."""
        return {name: self._ask(name) for name in METHODS}

    def _ask(self, method: str) -> Bound | Fact:
        guesses = self.guesses()
        if isinstance(guesses, str):
            return Fact("–")
        how = METHODS[method]
        if guesses.design == "fixed-half" and method not in FIXED_HALF:
            return Fact("–", "needs a fair coin for each canary")
        if how.every_guess and guesses.guesses < guesses.canaries:
            return Fact("–", "needs a guess on each canary")
        try:
            return guesses.bound(**self.asked(method))
        except ValueError as error:
            return Fact("–", str(error))

    @derived(needs=("run", "log_delta", "confidence"))
    def of_scores(self) -> Bound | Fact:
        """ε by the band over all thresholds of the scores, or why there is none."""
        run = self.run()
        if isinstance(run, str):
            return Fact("–", "needs scores")
        try:
            return tradeoff_band(run.as_scores(), self.confidence).epsilon(self.delta)
        except ValueError as error:
            return Fact("–", str(error))

    def asked(self, method: str) -> dict[str, Any]:
        about = {"delta": self.delta, "confidence": self.confidence, "method": method}
        if METHODS[method].leak is None:
            return about
        return about | {"family": self.family, "q": self.known_q}

    @derived(needs=("run", "tuned", *FAMILY, "confidence"), shared=True)
    def tuning(self) -> Tuning | str:
        """The best number of guesses and its price, or why there is no choice."""
        run = self.run()
        if isinstance(run, str):
            return run
        if run.design == "fixed-half":
            return "Rules that rank the canaries need a fair coin for each of them."
        try:
            return tune_one_run(run, **self.asked(self.tuned))
        except ValueError as error:
            return str(error)

    @derived(needs=("source", "simulated", "log_delta"))
    def reference(self) -> charts.Reference | None:
        """What the bounds are compared with, where the mechanism is known."""
        return self._reference() if self.source == "simulate" else None

    def _reference(self) -> charts.Reference:
        mechanism: Mechanism = self.simulated()
        if isinstance(mechanism, DPSGD) and mechanism.average_first:
            claimed = float(mechanism.claimed.epsilon(self.delta))
            return charts.Reference("claimed", claimed)
        return charts.Reference("truth", mechanism.epsilon(self.delta))

    # -- the strip of numbers ----------------------------------------------------------------------

    @number(
        "STEINKE23",
        needs=("by_method", "rule_moved", "looked"),
        formula="P[right ≥ c] ≤ P[W ≥ c] + 2mδ max_i P[c − i ≤ W < c]/i, W binomial with r trials "
        "of success e^ε/(1 + e^ε).",
        caution="It holds for any mechanism, however canaries influence each other, if each was "
        "in by its own fair coin.",
    )
    def steinke(self) -> Bound | Fact:
        """ε for any mechanism: no smaller one explains so many right guesses."""
        return self._method("steinke")

    @number(
        "MAHLOUJIFAR24",
        needs=("by_method", "rule_moved", "looked"),
        formula="A recursion over the number of right guesses with the family's f.",
        caution="Canaries may influence each other; the family is assumed.",
    )
    def fdp(self) -> Bound | Fact:
        """ε of the least leaky member of the family that explains so many right guesses."""
        return self._method("fdp")

    @number(
        "BITS, exact",
        needs=("by_method", "rule_moved", "looked"),
        formula="Clopper–Pearson's upper limit of the bit error; the member with that "
        "(1 − TV)/2; its ε(δ).",
        caution="It assumes that no canary influences the score of another, and the family.",
    )
    def bits(self) -> Bound | Fact:
        """ε from the share of wrong guesses, if canaries are independent bits."""
        return self._method("bits")

    @number(
        "BITS, Hoeffding",
        needs=("by_method", "rule_moved", "looked"),
        formula="ē + √(log(1/(1 − γ))/2n) in place of Clopper–Pearson's limit.",
        caution="Never better than the exact limit; here for comparison with print.",
    )
    def hoeffding(self) -> Bound | Fact:
        """The same with the wider limit by Hoeffding's inequality."""
        return self._method("bits-hoeffding")

    @number(
        "BITS with abstention",
        needs=("by_method", "rule_moved", "looked"),
        formula="P[errors ≤ u] = E_W[BinCDF(u; r, ḡ(W))], W ~ Beta(n − r, r + 1).",
        caution="It assumes that no canary influences the score of another, and the family; the "
        "number of guesses was fixed beforehand.",
    )
    def abstain(self) -> Bound | Fact:
        """ε if the r guesses were made where they are easiest (arXiv 2509.08704)."""
        return self._method("abstain")

    @number(
        "Tuning would claim", needs=("tuning", "looked"), caution=f"{TUNED[0].upper()}{TUNED[1:]}."
    )
    def claimed(self) -> Bound | Fact:
        """The best of several numbers of guesses, chosen because of the bounds: void."""
        return self._of_tuning("claimed")

    @number(
        "Paid for",
        needs=("tuning", "looked"),
        formula="Each of the J rules gets 1/J of the error probability.",
    )
    def paid(self) -> Bound | Fact:
        """What may be claimed: the best rule, after paying for the choice."""
        return self._of_tuning("simultaneous")

    @number(
        "Held out",
        needs=("tuning", "looked"),
        formula="Tuned on the half of the canaries that a hash of their names picks, measured on "
        "the other.",
    )
    def held_out(self) -> Bound | Fact:
        """What may be claimed too: the rule of one half, measured on the other."""
        return self._of_tuning("held_out")

    @number("Truth", needs=("source", "simulated", "log_delta"))
    def truth(self) -> Fact:
        """The true ε of the simulated mechanism."""
        if self.source != "simulate":
            return Fact("–", "not known of a real mechanism")
        truth = self.simulated().epsilon(self.delta)
        reference = self._reference()
        note = f"at δ = {plain(self.delta)}"
        if reference.name == "claimed":
            note += f", claimed {round_safely(reference.epsilon, 'nearest')}"
        return Fact(f"ε = {round_safely(truth, 'nearest')}", note)

    @number("Right guesses", needs=("guesses",))
    def counted(self) -> Fact:
        """Right guesses among those made, and canaries in all."""
        guesses = self.guesses()
        if isinstance(guesses, str):
            return Fact("–")
        share = f"{guesses.accuracy:.1%} right, {guesses.canaries:,} canaries"
        return Fact(f"{guesses.correct:,} of {guesses.guesses:,}", share)

    def _method(self, name: str) -> Bound | Fact:
        bound = self.by_method()[name]
        if isinstance(bound, Fact):
            return bound
        return self._certified(bound.voided(MOVED) if self.rule_moved else bound)

    def _of_tuning(self, which: str) -> Bound | Fact:
        tuning = self.tuning()
        if isinstance(tuning, str):
            return Fact("–", "needs scores" if isinstance(self.run(), str) else tuning)
        return self._certified(getattr(tuning, which))

    def _certified(self, bound: Bound) -> Bound:
        if not self.looked or bound.void:
            return bound
        return bound.voided(f"chosen after looking: {self.looked} changed")

    # -- in plain words ----------------------------------------------------------------------------

    @sentence(needs=("source", "simulated", "run", "guesses"), place="head")
    def provenance(self) -> str:
        """What is audited."""
        guesses, run = self.guesses(), self.run()
        if isinstance(guesses, str):
            return ""
        of = "Counts" if isinstance(run, str) else run.name or "Canaries given in Python"
        said = {"simulate": f"Simulated: {self.simulated().name}", "file": f"File “{of}”"}
        rule = f" · {guesses.rule}" if guesses.rule else ""
        return f"{said.get(self.source, of)} · {guesses.canaries:,} canaries{rule}"

    @sentence(needs=("guesses", "by_method", "rule_moved", "looked"))
    def said(self) -> str:
        """What holds with the fewest assumptions."""
        guesses = self.guesses()
        if isinstance(guesses, str):
            return f"{guesses[0].upper()}{guesses[1:]}{'' if guesses.endswith('.') else '.'}"
        told = next((b for b in map(self._method, METHODS) if isinstance(b, Bound)), None)
        if told is None:
            return (
                "No method covers these guesses; guess by a threshold on each canary's own score."
            )
        return told.explain()

    @sentence(needs=("guesses",))
    def coins(self) -> str:
        """Whether the coins look fair."""
        guesses = self.guesses()
        if isinstance(guesses, str) or guesses.included is None:
            return ""
        k, m = guesses.included, guesses.canaries
        if guesses.design == "fixed-half":
            return (
                "Half of the canaries were in, by design: their inclusions are dependent, so only "
                "BITS on guesses by a threshold covers them."
            )
        p = coins_p_value(k, m)
        if p < REMARKABLE:
            return (
                f"Warning: {k:,} of the {m:,} canaries were in, which fair coins give with p-value "
                f"{p:.2g}. Check how it was decided who was in: every bound rests on it."
            )
        return f"{k:,} of the {m:,} canaries were in, as fair coins may do (p-value {p:.2g})."

    @sentence(needs=("source", "simulated", "log_canaries"))
    def interference(self) -> str:
        """What it means if canaries share noise."""
        m = self.simulated()
        if (
            self.source != "simulate"
            or not isinstance(m, SharedGaussian)
            or m.coordinates >= self.size
        ):
            return ""
        return (
            f"{self.size:,} canaries share {m.coordinates:,} coordinates and interfere: the "
            "independence that BITS assumes is wrong here, and its bounds come out lower. With ten "
            "canaries a coordinate they exceeded the truth no more often than allowed in "
            "simulations: an observation, not a theorem. A mechanism that now and then reveals all "
            "canaries at once breaks them."
        )

    @sentence(needs=("source", "simulated", "family"))
    def mismatch(self) -> str:
        """Whether the simulated mechanism is of the family assumed."""
        if self.source != "simulate" or self.family == "randomized-response":
            return ""
        mechanism, name = self.simulated(), _name_of(self.family)
        if isinstance(mechanism, DPSGD):
            return f"DP-SGD is not of the {name} family: what assumes it may claim too much."
        kind = "gaussian" if isinstance(mechanism, SharedGaussian) else self.mechanism
        if kind == self.family:
            return ""
        return (
            f"The simulated mechanism is not of the {name} family: bounds that assume it may "
            "exceed the truth, and nothing in the guesses shows it."
        )

    # -- the charts --------------------------------------------------------------------------------

    @figure(
        "ε by every method",
        needs=("by_method", "of_scores", "reference", "rule_moved", "looked"),
        span=6,
        caution="STEINKE23, the sharp limit and MAHLOUJIFAR24 let canaries influence each other; "
        "BITS and its extension do not. The scores' own band assumes that canaries behave like "
        "independent records.",
    )
    def methods(self) -> dict[str, Any]:
        """Lower bounds from the same guesses; amber ones are void."""
        shown = {NAMES[name]: self._method(name) for name in METHODS}
        bounds = {name: bound for name, bound in shown.items() if isinstance(bound, Bound)}
        if not bounds:
            return empty("No method applies.")
        of_scores = self.of_scores()
        if isinstance(of_scores, Bound):
            bounds["all thresholds of the scores"] = self._certified(of_scores)
        return charts.methods(bounds, self.reference())

    @figure(
        "What tuning claims",
        needs=("tuning", "reference"),
        span=6,
        formula="Guess all, half, a quarter … of the canaries, as many in as out.",
        caution="Each point holds if that number of guesses was fixed beforehand. The best point, "
        "picked because it is the best, does not.",
    )
    def choice(self) -> dict[str, Any]:
        """The tuned method over the number of guesses, and what may be claimed after choosing."""
        tuning = self.tuning()
        if isinstance(tuning, str):
            return empty("Scores are needed to choose among rules.")
        return charts.tuning(tuning, self.reference())

    @figure(
        "What a guess can know",
        needs=("guesses", "assumed", "confidence"),
        span=6,
        formula="u(½) = max over x of h(½f(x) + ½(1 − x)) − ½h(f(x)) − ½h(1 − x); printed: "
        "h⁻¹(1 − u(½)); direct: (1 − TV)/2.",
        caution="By Fano's inequality the printed limit is never above the direct one, which is "
        "used. Where both coincide, as for the Gaussian and Laplace, print loses nothing.",
    )
    def information(self) -> dict[str, Any]:
        """Mutual information and bit error limits over the family's parameter (BITS Fig. 3)."""
        family, guesses, limit, leak = self.assumed(), self.guesses(), None, None
        if isinstance(guesses, Guesses) and guesses.guesses == guesses.canaries:
            limit = exact_limit(guesses.errors, guesses.canaries, 1 - self.confidence)
            leak = family.parameter_of_bit_error(limit) if limit < 0.5 else 0.0
        known = leak if leak is not None and math.isfinite(leak) else 0.0
        reach = round_up(max(4.0, 1.2 * known))
        return charts.bit_errors(_bit_errors(family, reach), limit, leak)

    @figure(
        "How the exact limit is found",
        needs=("assuming",),
        span=6,
        formula="v(p) = p − F⁻¹(1 − γ; n, p)/n; the following ε is that of the bit error ē + v(p).",
        caution="Assumes independent bits and the family. The crossing is Clopper and Pearson's "
        "limit, so the workbench computes that.",
    )
    def hypothetical(self) -> dict[str, Any]:
        """Assume a bit error: where a larger ε was assumed than follows, it was too small."""
        limits = self.assuming()
        return empty(limits) if isinstance(limits, str) else charts.hypothetical(limits)

    @derived(needs=("guesses", "assumed", "log_delta", "confidence"), shared=True)
    def assuming(self) -> HypotheticalLimits | str:
        """What follows from assumed bit errors, or why nothing does."""
        guesses = self.guesses()
        if isinstance(guesses, str):
            return "There are no guesses yet."
        if guesses.guesses < guesses.canaries:
            return "BITS needs a guess on each canary."
        n, errors = guesses.canaries, guesses.errors
        wide = 1.5 * math.sqrt(-math.log(1 - self.confidence) / (2 * n))
        middle = errors / n
        if middle >= 0.5:
            return "Half of the guesses or more are wrong: nothing is shown."
        low, high = max(middle - wide, 0.2 / n), min(middle + wide, 0.499)
        return hypothetical_limits(
            self.assumed(),
            canaries=n,
            correct=guesses.correct,
            delta=self.delta,
            confidence=self.confidence,
            bit_error=np.linspace(low, high, HYPOTHESES),
        )


@lru_cache(maxsize=32)
def _bit_errors(family: Family, reach: float) -> BitErrorCurves:
    return bit_error_curves(family, np.linspace(reach / LEAKS, reach, LEAKS))


def _name_of(family: str) -> str:
    return next(label for label, name in FAMILIES.items() if name == family)
