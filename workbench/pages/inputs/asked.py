"""`AskedInAdvance`: the one quantity that an audit asks for, fixed before its data are in view."""

from __future__ import annotations

from typing import Any

import param

from workbench._format import plain
from workbench.bounds.quantities import Epsilon, Mu, Question
from workbench.bounds.wording import SYMBOLS
from workbench.pages.core.sliders import number_of
from workbench.pages.inputs.settings import DeltaSetting, ResetSetting


class AskedInAdvance(ResetSetting, DeltaSetting):
    """The quantity that was fixed in advance, and whether it was.

    Provides ``asked`` (the control), ``fixed_question`` (None where none was fixed in time),
    ``asked_words`` and ``asked_late``. The question with which the first results of some data were
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

    def __init__(self, **params: Any):
        super().__init__(**params)
        self.param.watch(self._ask, "asked")
        # Also where the page itself moves δ, as a plan does.
        self.param.watch(self._keep_delta, "log_delta")

    @property
    def fixed_question(self) -> Question | None:
        """The quantity that was fixed before the results of these data were seen, or None."""
        self.note_shown()
        if self.asked == "none" or self.asked_late:
            return None
        return self._asked_for

    @property
    def choices(self) -> dict[str, Any]:
        """The choices that the results rest on: also the question, unless it was late."""
        return {**super().choices, "question": "" if self.asked_late else self._question()}

    @property
    def asked_words(self) -> str:
        """The question of the control, such as "ε at δ = 1e-5"; empty for none."""
        if self.asked == "none":
            return ""
        question = self._asked_for
        at = f" at δ = {plain(question.delta)}" if isinstance(question, Epsilon) else ""
        return f"{SYMBOLS[self.asked]}{at}"

    @property
    def _asked_for(self) -> Question:
        return Mu() if self.asked == "mu" else Epsilon(self.asked_delta or self.delta)

    def _question(self, asked: str | None = None) -> str:
        """A question as it is kept: "mu", "epsilon 1e-05"; "" for none."""
        asked = self.asked if asked is None else asked
        if asked == "none":
            return ""
        return asked if asked == "mu" else f"{asked} {self.asked_delta or self.delta!r}"

    def _ask(self, event: Any) -> None:
        if self._quiet or not self.shows_results:
            return
        if not self._restores:
            self.note_shown(question="" if self.asked_late else self._question(event.old))
        self._set_quietly(asked_late=self.asked != "none", asked_delta=0.0)
        self.recall()

    def _keep_delta(self, *events: Any) -> None:
        if self.asked == "epsilon" and not self.asked_delta and self.shows_results:
            self._set_quietly(asked_delta=number_of(events[-1].old))
            self.recall()

    def recall(self, arriving: bool = False, last: str = "") -> None:
        """Mark a question that is not the one with which the first results were shown.

        Parameters
        ----------
        arriving, last
            See `ChosenAfterLooking.recall`.
        """
        super().recall(arriving, last)
        known = [one.first["question"] for one in self.shown_before if "question" in one.first]
        if arriving:
            first, _, delta = known[0].partition(" ") if known else ("", "", "")
            moved = first == self.asked == "epsilon" and float(delta) != self.delta
            self._set_quietly(asked_late=False, asked_delta=float(delta) if moved else 0.0)
        if known:
            late = self.asked != "none" and any(one != self._question() for one in known)
            self._set_quietly(asked_late=late)
