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
    ``asked_words`` and ``asked_late``. A question that is chosen while results of some data are in
    view is late for these data, also when they come back, and in time for data that come into view
    afterwards. A δ that is moved later leaves the question at the δ that it had.
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
        #: Question and mark of each data set that was in view.
        self._questions: dict[str, tuple[str, float, bool]] = {}
        self._in_view = ""
        super().__init__(**params)
        self.param.watch(self._ask, "asked")
        # Also where the page itself moves δ, as a plan does.
        self.param.watch(self._keep_delta, "log_delta")

    @property
    def fixed_question(self) -> Question | None:
        """The quantity that was fixed before the results of these data were seen, or None."""
        if self.asked == "none" or self.asked_late:
            return None
        return self._asked_for

    @property
    def data_key(self) -> str:
        """Key of the data set in view; pages about data define it."""
        return ""

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

    def _ask(self, *events: Any) -> None:
        if not self._quiet and self.shows_results:
            self._set_quietly(asked_late=True, asked_delta=0.0)

    def _keep_delta(self, *events: Any) -> None:
        if self.asked == "epsilon" and not self.asked_delta and self.shows_results:
            self._set_quietly(asked_delta=number_of(events[-1].old))

    def _turn_to(self, audit: str) -> None:
        super()._turn_to(audit)
        if self._in_view:
            self._questions[self._in_view] = self._state
        self._in_view = self.data_key
        asked, delta, late = self._questions.get(self._in_view, (self.asked, self.delta, False))
        self._set_quietly(
            asked_late=late or asked != self.asked,
            asked_delta=0.0 if delta == self.delta else delta,
        )

    @property
    def _state(self) -> tuple[str, float, bool]:
        return self.asked, self.asked_delta or self.delta, self.asked_late
