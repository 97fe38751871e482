"""`ThreeOutcomes`: an example of a selection whose runs have three outcomes."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import param

from workbench._format import plain, round_safely
from workbench.figures.kit.layout import empty
from workbench.figures.selection import outcomes as charts
from workbench.pages.core.page import Control, Section, derived, figure, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.selection.outcomes import FiniteSelection
from workbench.selection.runs import NegativeBinomial

EXAMPLE = ("log_b", "log_d", "outcome_epsilon", "log_nu")

OUTCOMES = ("A", "B", "C")


class ThreeOutcomes(Part):
    """An example of a selection whose runs have three outcomes, with its own controls."""

    log_b = LogNumber(-3.0, bounds=(-8, -1), step=0.1, label="Probability b of outcome B")
    log_d = LogNumber(
        2.0,
        bounds=(-1, 4),
        step=0.1,
        label="Ratio d of outcomes C and B",
        doc="Outcome C is d times as likely as B.",
    )
    outcome_epsilon = param.Number(
        1.0,
        bounds=(0, 5),
        step=0.1,
        label="ε of one run",
        doc="Pure ε: the log ratio of the probabilities of B and of C.",
    )
    log_nu = LogNumber(
        -3.0,
        bounds=(-6, -0.1),
        step=0.1,
        label="Stopping probability ν",
        doc="The number of runs is geometric, with mean 1/ν.",
    )

    sections: ClassVar[tuple[Section, ...]] = (
        Section("Three outcomes", tuple(Control(name) for name in EXAMPLE)),
    )

    @derived(needs=EXAMPLE)
    def three(self) -> FiniteSelection | str:
        """The selection, or why these probabilities are not possible."""
        b, d, grow = number_of(self.log_b), number_of(self.log_d), math.exp(self.outcome_epsilon)
        if b * max(grow + d, 1 + d * grow) > 1:
            return "The probabilities of B and C exceed 1: choose a smaller b or d."
        p = [1 - b * grow - d * b, b * grow, d * b]
        q = [1 - b - d * b * grow, b, d * b * grow]
        return FiniteSelection(NegativeBinomial(1, number_of(self.log_nu)), p, q)

    @figure(
        "Three outcomes: what is released",
        needs=("three", "log_delta"),
        formula="G(P(≤ y)) − G(P(< y)) for outcomes A < B < C. In one run, B has probability b·e^ε "
        "with the record and b without, C has d·b and d·b·e^ε, and A the rest.",
    )
    def outcomes(self) -> dict[str, Any]:
        """Probability of each outcome with and without the record. Line length: privacy loss."""
        three = self.three()
        if isinstance(three, str):
            return empty(three)
        return charts.outcomes(three, OUTCOMES, self.page.delta.value)

    @sentence(needs=("three", "log_delta"), place="foot")
    def example(self) -> str:
        """The result of the example as a sentence."""
        three = self.three()
        if isinstance(three, str):
            return ""
        delta = self.page.delta.value
        return (
            f"Example with three outcomes A < B < C: one run is {plain(self.outcome_epsilon)}-DP, "
            f"the selection has pure ε = {round_safely(three.epsilon(0), 'nearest')}, and ε = "
            f"{round_safely(three.epsilon(delta), 'nearest', 4)} at δ = {plain(delta)}."
        )
