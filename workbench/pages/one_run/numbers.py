"""`OneRunNumbers`: the bounds of one run as numbers."""

from __future__ import annotations

import math

from workbench._format import plain, round_safely
from workbench.bounds.bound import Bound
from workbench.figures.one_run.ranks import chance_exposure
from workbench.onerun.tuning import TUNED
from workbench.pages.core.page import Fact, number
from workbench.pages.core.part import Part
from workbench.pages.one_run.audit import FROM_SCORES, NAMES


class OneRunNumbers(Part):
    """The bounds of one run as numbers."""

    @number(
        NAMES["steinke"],
        needs=("by_method", "rule_moved", "looked"),
        formula="P[correct ≥ c] ≤ P[W ≥ c] + 2mδ max_i P[c − i ≤ W < c]/i, W binomial with r "
        "trials of success e^ε/(1 + e^ε).",
        caution="Assumes only that each canary was included by its own fair coin, or, for pairs, "
        "that a random part of the records was included. Canaries may influence each other.",
        main=True,
    )
    def steinke(self) -> Bound | Fact:
        """Lower bound on ε from the number of correct guesses, for any mechanism."""
        return self.page.auditing.certified("steinke")

    @number(
        NAMES["sharp"],
        needs=("by_method", "candidates", "rule_moved", "looked"),
        formula="A guess names j of K values: with δ = 0, P[correct ≥ c] ≤ P[W ≥ c], W binomial "
        "with r trials of success j e^ε/(j e^ε + K − j).",
        caution="Assumes only that the value of each canary was drawn uniformly, by itself. "
        "Canaries may influence each other. It is about replacing one value by another.",
        main=True,
    )
    def sharp(self) -> Bound | Fact:
        """Lower bound on ε from the number of correct guesses of a value, for any mechanism."""
        if self.page.candidates() == 2:
            return Fact("")  # of two values, it is a row of the chart
        return self.page.auditing.certified("sharp")

    @number(
        NAMES["fdp"],
        needs=("by_method", "rule_moved", "looked"),
        formula="A recursion over the number of correct guesses with the family's trade-off "
        "function.",
        caution="Assumes the family. Canaries may influence each other.",
    )
    def fdp(self) -> Bound | Fact:
        """Lower bound on ε, assuming the family, from the number of correct guesses."""
        return self.page.auditing.certified("fdp")

    @number(
        NAMES["bits"],
        needs=("by_method", "rule_moved", "looked"),
        formula="Clopper–Pearson upper limit of the share of wrong guesses; ε(δ) of the member of "
        "the family whose (1 − TV)/2 equals it.",
        caution="Assumes the family, and that no canary influences the score of another.",
    )
    def bits(self) -> Bound | Fact:
        """Lower bound on ε from the share of wrong guesses, if canaries are independent."""
        return self.page.auditing.certified("bits")

    @number(
        NAMES["bits-hoeffding"],
        needs=("by_method", "rule_moved", "looked"),
        formula="ē + √(log(1/(1 − γ))/2n) in place of the Clopper–Pearson limit.",
        caution="Never better than the exact limit; included for comparison with the literature.",
    )
    def hoeffding(self) -> Bound | Fact:
        """The bound for independent canaries, with Hoeffding's wider limit."""
        return self.page.auditing.certified("bits-hoeffding")

    @number(
        NAMES["abstain"],
        needs=("by_method", "rule_moved", "looked"),
        formula="P[errors ≤ u] = E_W[BinCDF(u; r, ḡ(W))], W ~ Beta(n − r, r + 1).",
        caution="Assumes the family, that no canary influences the score of another, and that the "
        "number of guesses was fixed in advance.",
    )
    def abstain(self) -> Bound | Fact:
        """Lower bound on ε if only the r most extreme scores were guessed (arXiv 2509.08704)."""
        return self.page.auditing.certified("abstain")

    @number(
        FROM_SCORES,
        needs=("of_scores", "candidates", "ranks", "looked"),
        caution="Assumes no family, but that no canary influences the score of another. If the "
        "tests of that find an influence, the bound is not valid.",
    )
    def from_scores(self) -> Bound | Fact:
        """Lower bound on ε from the scores at all thresholds at once, instead of guesses."""
        bound = self.page.of_scores()
        if not self.page.of_values.by_coins:
            return Fact("")
        return bound if isinstance(bound, Fact) else self.page.validity.certified(bound)

    @number(
        "Best of several rules (not valid)",
        needs=("tuning", "guesses", "candidates", "ranks", "looked"),
        caution=f"{TUNED[0].upper()}{TUNED[1:]}.",
    )
    def claimed(self) -> Bound | Fact:
        """Largest bound over several numbers of guesses, without correction for the choice."""
        return self._of_tuning("claimed")

    @number(
        "Best of several, corrected",
        needs=("tuning", "guesses", "candidates", "ranks", "looked"),
        formula="Bonferroni: each of the J rules gets 1/J of the error probability.",
    )
    def paid(self) -> Bound | Fact:
        """Largest bound over several numbers of guesses, corrected for the choice."""
        return self._of_tuning("simultaneous")

    @number(
        "Tuned on one half, tested on the other",
        needs=("tuning", "guesses", "candidates", "ranks", "looked"),
        formula="A random number, drawn once for this run, divides the canaries into two halves.",
    )
    def held_out(self) -> Bound | Fact:
        """Bound on one half of the canaries with the rule that was chosen on the other half."""
        return self._of_tuning("held_out")

    @number("True ε", needs=("source", "simulated", "design", "candidates", "ranks", "log_delta"))
    def truth(self) -> Fact:
        """ε of the simulated mechanism at the chosen δ."""
        if not self.page.of_values.by_coins:
            return Fact("")
        if self.page.source != "simulate":
            return Fact("–", "not known of a real mechanism")
        reference = self.page.auditing.simulated_reference()
        if reference is None:
            return Fact("–", "not known for substituting a record")
        note = f"at δ = {plain(self.page.delta.value)}"
        if self.page.run_source.simulated_design == "fixed-half":
            truth, note = reference.epsilon, f"{note}, substituting a record"
        else:
            truth = self.page.simulated().epsilon(self.page.delta.value)
        if reference.name == "claimed":
            note += f", claimed {round_safely(reference.epsilon, 'nearest')}"
        return Fact(f"ε = {round_safely(truth, 'nearest')}", note)

    @number("Correct guesses", needs=("coin_guesses", "ranks"))
    def counted(self) -> Fact:
        """Number of correct guesses among all guesses, and number of canaries or pairs."""
        guesses = self.page.coin_guesses()
        if isinstance(guesses, str):
            return Fact("–")
        pairs = guesses.design == "matched-pairs" and self.page.ranks() is None
        share = f"{guesses.canaries:,} {'pairs' if pairs else 'canaries'}"
        if guesses.guesses:
            share = f"{guesses.accuracy:.1%} correct, {share}"
        return Fact(f"{guesses.correct:,} of {guesses.guesses:,}", share)

    @number("Correct by chance", needs=("guesses", "candidates", "top"))
    def by_chance(self) -> Fact:
        """Number of guesses that are correct on average where nothing leaks: r · j/K."""
        guesses = self.page.guesses()
        if self.page.candidates() == 2 or isinstance(guesses, str):
            return Fact("")
        by_chance = guesses.guesses * guesses.top / guesses.values
        note = f"a guess names {guesses.top:,} of {guesses.values:,} values"
        return Fact(round_safely(by_chance, "nearest"), note)

    @number(
        "Mean exposure",
        needs=("ranks",),
        formula="log₂ K − log₂ rank (Carlini et al. 2019).",
        caution="Describes this one model and has no guarantee; the bound on ε has one.",
    )
    def mean_exposure(self) -> Fact:
        """Mean exposure of the canaries in bits, and that of ranks where nothing leaks."""
        ranks = self.page.ranks()
        if ranks is None:
            return Fact("")
        chance = round_safely(chance_exposure(ranks.values), "nearest")
        mean = round_safely(float(ranks.exposures.mean()), "nearest")
        most = round_safely(math.log2(ranks.values), "nearest")
        return Fact(f"{mean} bits", f"by chance {chance}, at most {most}")

    def _of_tuning(self, which: str) -> Bound | Fact:
        tuning = self.page.tuning()
        if not self.page.of_values.may_bound:
            return Fact("")
        if isinstance(tuning, str):
            return Fact("–", "needs scores" if isinstance(self.page.run(), str) else tuning)
        return self.page.validity.certified(getattr(tuning, which))
