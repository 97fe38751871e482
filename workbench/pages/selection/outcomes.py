"""SELECT's worked example: a selection whose runs have three outcomes."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import param

from workbench._format import plain, round_safely
from workbench.figures.kit.layout import empty
from workbench.figures.selection import outcomes as charts
from workbench.pages.core.page import Control, Section, derived, figure, sentence
from workbench.pages.selection.choice import SelectionChoice
from workbench.selection.outcomes import FiniteSelection
from workbench.selection.runs import NegativeBinomial

EXAMPLE = ("log_b", "log_d", "outcome_epsilon", "log_nu")

OUTCOMES = ("A", "B", "C")


class ThreeOutcomes(SelectionChoice):
    """The example, with sliders of its own and the page's δ."""

    log_b = param.Number(-3.0, bounds=(-8, -1), step=0.1, label="log₁₀ b", doc="Chance of B.")
    log_d = param.Number(
        2.0, bounds=(-1, 4), step=0.1, label="log₁₀ d", doc="C is d times as likely as B."
    )
    outcome_epsilon = param.Number(
        1.0, bounds=(0, 5), step=0.1, label="ε of one run", doc="Pure, of B and C."
    )
    log_nu = param.Number(
        -3.0, bounds=(-6, -0.1), step=0.1, label="log₁₀ ν", doc="Geometric; 1/ν runs on average."
    )

    outcomes_controls: ClassVar[tuple[Section, ...]] = (
        Section("Three outcomes", tuple(Control(name) for name in EXAMPLE)),
    )

    @derived(needs=EXAMPLE)
    def three(self) -> FiniteSelection | str:
        """SELECT's worked example, or what is wrong with it."""
        b, d, grow = 10**self.log_b, 10**self.log_d, math.exp(self.outcome_epsilon)
        if b * max(grow + d, 1 + d * grow) > 1:
            return "B and C would take more than 1: take a smaller b or d."
        p = [1 - b * grow - d * b, b * grow, d * b]
        q = [1 - b - d * b * grow, b, d * b * grow]
        return FiniteSelection(NegativeBinomial(1, 10**self.log_nu), p, q)

    @figure(
        "Three outcomes: what is released",
        needs=("three", "log_delta"),
        formula="G(P(≤ y)) − G(P(< y)) for outcomes A < B < C. One run: A the rest, B with b·e^ε "
        "and b, C with d·b and d·b·e^ε.",
    )
    def outcomes(self) -> dict[str, Any]:
        """Each outcome with and without the record; the length of a line is its privacy loss."""
        three = self.three()
        if isinstance(three, str):
            return empty(three)
        return charts.outcomes(three, OUTCOMES, self.delta)

    @sentence(needs=("three", "log_delta"), place="foot")
    def example(self) -> str:
        """What the example shows."""
        three = self.three()
        if isinstance(three, str):
            return ""
        return (
            f"Three outcomes, A < B < C: a run that is {plain(self.outcome_epsilon)}-DP becomes a "
            f"selection with pure ε = {round_safely(three.epsilon(0), 'nearest')}, and ε = "
            f"{round_safely(three.epsilon(self.delta), 'nearest', 4)} at δ = {plain(self.delta)}."
        )
