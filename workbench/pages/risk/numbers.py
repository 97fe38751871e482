"""`RiskNumbers`: what follows from both ends of the success, each with its guarantee."""

from __future__ import annotations

from dataclasses import replace

from workbench._format import round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.pages.core.page import Fact, number
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import number_of
from workbench.risks.plain_words import frequency
from workbench.risks.risk import RiskLimits

#: The page does without a number of what is not promised, not shown, or not asked.
LEFT_OUT = Fact("")

NO_CLAIM, NOT_MEASURED = Fact("–", "nothing is promised"), Fact("–", "nothing was measured")

IF_TRUE = "if the claim is true"


class RiskNumbers(Part):
    """Success, advantage, precision and odds."""

    @number(
        "At most, promised",
        needs=("risk",),
        formula="1 − f(κ), with the trade-off function f of the claim; f composed with itself for "
        "groups of records.",
        caution="Holds for every attacker if the claim is true, whatever they know of others.",
        main=True,
    )
    def at_most(self) -> Fact:
        """How often an attacker can be right with the release, if the claim is true."""
        risk = self.page.risk()
        if risk is None or risk.at_most is None:
            return NO_CLAIM
        said = f"at most {frequency(risk.at_most, 'up')}, {IF_TRUE}"
        return Fact(round_safely(risk.at_most, "up"), said)

    @number(
        "At least, shown",
        needs=("risk",),
        formula="The largest true positive rate at a false positive rate of at most κ; limits for "
        "all κ at once, of an attack by thresholds.",
        caution="What this attack can do: a better one may do more. No true claim is below it.",
        main=True,
    )
    def at_least(self) -> Bound | Fact:
        """How often the attack that was measured is right, at least."""
        risk = self.page.risk()
        if risk is None or risk.evidence is None or risk.at_least is None:
            return NOT_MEASURED
        return self._shown("tpr", risk.at_least, QuantityArguments(fpr=risk.baseline))

    @number(
        "Advantage, promised",
        needs=("risk",),
        formula="The largest difference 1 − f(α) − α, at the baseline where it is largest.",
    )
    def advantage_promised(self) -> Fact:
        """The largest gain of an attacker by the release, over all baselines."""
        return self._promised(self._limits("advantage"))

    @number(
        "Advantage, shown",
        needs=("risk",),
        formula="A lower limit of the total variation distance, by the attack that was measured.",
    )
    def advantage_shown(self) -> Bound | Fact:
        """The largest gain of the attack that was measured, at least."""
        risk = self.page.risk()
        if risk is None or risk.evidence is None:
            return LEFT_OUT
        return risk.evidence.bound

    @number(
        "Precision, promised",
        needs=("risk",),
        formula="π (1 − f(κ)) / (π (1 − f(κ)) + (1 − π) κ), with π the share of members among the "
        "suspects.",
        caution="The share of members is an input.",
    )
    def precision_promised(self) -> Fact:
        """Share of members among the people whom the attacker accuses, at most."""
        return self._promised(self._limits("precision"))

    @number(
        "Precision, shown",
        needs=("risk",),
        formula="π TPR / (π TPR + (1 − π) κ), with π the share of members among the suspects.",
        caution="The share of members is an input, not that of the experiment.",
    )
    def precision_shown(self) -> Bound | Fact:
        """Share of members among the people whom the attack that was measured accuses, at least."""
        limits = self._limits("precision")
        if limits is None or limits.at_least is None:
            return LEFT_OUT
        at = QuantityArguments(prior=number_of(self.page.log_prior))
        return self._shown("precision", limits.at_least, at)

    @number(
        "Odds grow by",
        needs=("risk",),
        formula="Membership: (1 − f(κ))/κ, the Bayes factor of an accusation. Otherwise the odds "
        "of being right with the release, divided by those without it.",
        caution="Both ends have the guarantees of the success.",
    )
    def odds(self) -> Fact:
        """The factor by which the release multiplies an attacker's odds."""
        limits = self._limits("odds")
        if limits is None:
            return LEFT_OUT
        ends = [
            "" if limits.at_least is None else f"≥ {round_safely(limits.at_least, 'down')}",
            "" if limits.at_most is None else f"≤ {round_safely(limits.at_most, 'up')}",
        ]
        said = [side for side, end in zip(("shown", "promised"), ends, strict=True) if end]
        return Fact(", ".join(filter(None, ends)), " and ".join(said))

    # -- how they are made -------------------------------------------------------------------------

    def _limits(self, name: str) -> RiskLimits | None:
        risk = self.page.risk()
        found: RiskLimits | None = None if risk is None else getattr(risk, name)
        return found

    def _promised(self, limits: RiskLimits | None) -> Fact:
        if limits is None or limits.at_most is None:
            return LEFT_OUT
        return Fact(f"≤ {round_safely(limits.at_most, 'up')}", IF_TRUE)

    def _shown(self, quantity: str, value: float, at: QuantityArguments) -> Bound:
        """A number that follows from the evidence, with the guarantee of that."""
        bound: Bound = self.page.risk().evidence.bound
        return replace(
            bound, quantity=quantity, value=value, at=at, threshold=None, direction=None,
            note=None, recompute=None,
        )  # fmt: skip
