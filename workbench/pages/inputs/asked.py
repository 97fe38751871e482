"""`AskedInAdvance`: the one quantity that an audit asks for, fixed before its data are in view."""

from __future__ import annotations

from typing import Any

import param

from workbench._format import plain
from workbench.bounds.quantities import Epsilon, Mu, Question
from workbench.bounds.wording import SYMBOLS
from workbench.pages.core.page import sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import number_of
from workbench.workspaces.seen.record import SeenRecord


class AskedInAdvance(Part):
    """The quantity that was fixed in advance, and whether it was.

    The question with which the first results of some data were
    shown is in time for them, on every page of the workspace and after a reload; any other one is
    late. A δ that is moved later leaves the question at the δ that it had.
    """

    asked = param.Selector(
        default="none",
        objects={"none": "none", "ε at this δ": "epsilon", "μ": "mu"},
        label="One question",
        doc="The one quantity that the audit asks for. Its bound is sharper than the simultaneous "
        "one, which covers all quantities. Choose it before you open or draw the data.",
    )
    asked_late = param.Boolean(
        False, precedence=-1, doc="Whether the question was chosen after results were seen."
    )
    asked_delta = param.Number(
        0.0,
        bounds=(0, 1),
        precedence=-1,
        doc="The δ of the question where the page has moved to another one; 0 elsewhere.",
    )

    def start(self, given: frozenset[str]) -> None:
        """Watch the question and its δ."""
        self.page.param.watch(self._ask, "asked")
        # Also where the page itself moves δ, as a plan does.
        self.page.param.watch(self._keep_delta, "log_delta")

    @property
    def question(self) -> Question | None:
        """The quantity that was fixed before the results of these data were seen, or None."""
        self.page.note_shown()
        if self.asked == "none" or self.asked_late:
            return None
        return self._asked_for

    def choices(self) -> dict[str, Any]:
        """The question, unless it was late."""
        return {"question": "" if self.asked_late else self._question()}

    @property
    def words(self) -> str:
        """The question of the control, such as "ε at δ = 1e-5"; empty for none."""
        if self.asked == "none":
            return ""
        question = self._asked_for
        at = f" at δ = {plain(question.delta)}" if isinstance(question, Epsilon) else ""
        return f"{SYMBOLS[self.asked]}{at}"

    @property
    def _asked_for(self) -> Question:
        return Mu() if self.asked == "mu" else Epsilon(self.asked_delta or self.page.delta.value)

    def _question(self, asked: str | None = None, delta: float | None = None) -> str:
        """A question as it is kept: "mu", "epsilon 1e-05"; "" for none."""
        asked = self.asked if asked is None else asked
        if asked == "none":
            return ""
        delta = self.asked_delta if delta is None else delta
        return asked if asked == "mu" else f"{asked} {delta or self.page.delta.value!r}"

    def _ask(self, event: Any) -> None:
        page = self.page
        if page.quiet or not page.validity.in_view:
            return
        if not page.restores:
            page.validity.note_shown(question="" if self.asked_late else self._question(event.old))
        page.set_quietly(asked_late=self.asked != "none", asked_delta=0.0)
        page.validity.recall()

    def _keep_delta(self, *events: Any) -> None:
        shown = self.page.validity.in_view
        if self.asked == "epsilon" and not self.asked_delta and shown:
            self.page.set_quietly(asked_delta=number_of(events[-1].old))
            self.page.validity.recall()

    def recalled(self, known: tuple[SeenRecord, ...], arriving: bool) -> None:
        """Mark a question that is not the one with which the first results were shown."""
        first = [one.first["question"] for one in known if "question" in one.first]
        values: dict[str, Any] = {}
        if arriving:
            asked, _, delta = first[0].partition(" ") if first else ("", "", "")
            moved = asked == self.asked == "epsilon" and float(delta) != self.page.delta.value
            values = {"asked_late": False, "asked_delta": float(delta) if moved else 0.0}
        if first:
            question = self._question(delta=values.get("asked_delta"))
            late = self.asked != "none" and any(one != question for one in first)
            values["asked_late"] = late
        # In one step: who reads meanwhile does not find a late question in time.
        self.page.set_quietly(**values)

    @sentence(needs=("asked", "asked_late", "asked_delta", "log_delta"), place="strip")
    def asked_afterwards(self) -> str:
        """That the question was chosen too late for these data."""
        if self.asked == "none" or not self.asked_late:
            return ""
        return (
            f"The question “{self.words}” was chosen after results of these data were seen: "
            "all bounds here stay simultaneous. It is in time for the next data set that you open "
            "or draw."
        )

    @sentence(needs=("band", "asked_bound", "log_delta", "void_words"), place="head")
    def in_advance(self) -> str:
        """The question that was fixed in advance, and the simultaneous bound beside it."""
        answer = self.page.asked_bound()
        if answer is None:
            return ""
        if answer.delta is not None and answer.delta != self.page.delta.value:
            return (
                f"Fixed in advance: {self.page.validity.certified(answer)}. The ε shown at δ = "
                f"{plain(self.page.delta.value)} is another question, with the simultaneous bound."
            )
        band = self.page.band()
        other = band.mu() if answer.quantity == "mu" else band.epsilon(self.page.delta.value)
        return (
            f"The bound on {answer.symbol} uses that this question was fixed in advance; the "
            f"simultaneous bound is {other.rounded}."
        )
