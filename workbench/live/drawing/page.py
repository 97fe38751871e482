"""`LiveAuditPage`: the numbers, the chart and the sentences of a live audit."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from workbench._format import percent, round_safely
from workbench.bounds.bound import Bound
from workbench.figures.kit.types import Figure
from workbench.live.drawing.chart import growth
from workbench.pages.core.page import Fact, Page, figure, number, sentence


class LiveAuditPage(Page):
    """A live audit at a moment."""

    title: ClassVar[str] = "Live audit"
    about: ClassVar[str] = "What do the scores of a training that is still going on prove?"

    state: Any = param.Parameter(None, precedence=-1, doc="The `LiveState` in view.")

    @number(
        "ε",
        needs=("state",),
        caution="The true ε may be larger: a weak attack gives a low bound.",
    )
    def epsilon(self) -> Bound:
        """Lower bound on ε that holds at all moments at once, whenever the audit is stopped."""
        return self.state.epsilon

    @number("μ", needs=("state",), caution="It has an error probability of its own.")
    def mu(self) -> Bound:
        """Lower bound on μ that holds at all moments at once."""
        return self.state.mu

    @number("SeenRecord", needs=("state",))
    def seen(self) -> Fact:
        """Runs or steps so far."""
        note = f"{self.state.unit}{', closed' if self.state.closed else ''}"
        return Fact(f"{self.state.seen:,}", note)

    @number(
        "Claim",
        needs=("state",),
        caution="Runs are evidence against all that a claim says, at every δ. So it may be refuted "
        "before the bound reaches its ε.",
    )
    def claim(self) -> Fact:
        """The claim that is tested, and whether it is refuted."""
        state = self.state
        if state.claim is None:
            return Fact("–", "no claim was given")
        said = f"{state.claim}, ε ≤ {round_safely(state.claimed or 0.0, 'nearest')}"
        if state.refuted_at is None:
            return Fact("not refuted", said)
        confidence = percent(state.epsilon.confidence or 0)
        return Fact("refuted", f"by {state.refuted_at:,} {state.unit} · {confidence} · {said}")

    @figure(
        "Bound so far",
        needs=("state",),
        span=12,
        caution="It never falls, and may be read, and the training stopped, at any moment.",
    )
    def course(self) -> Figure:
        """The anytime lower bound on ε after each run or step."""
        return growth(self.state)

    @sentence(needs=("state",))
    def in_words(self) -> str:
        """The bound as a sentence."""
        return self.state.epsilon.explain()

    @sentence(needs=("state",), place="strip")
    def notes(self) -> str:
        """What is worth knowing."""
        return " ".join(self.state.notes)
