"""`ComparePage`: which of two score sets leaks more, and at which false positive rates."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import param

from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.bounds.simultaneous.compare import Comparison, compare
from workbench.figures import compare as charts
from workbench.pages.core.page import (
    Control,
    Fact,
    Page,
    Section,
    derived,
    figure,
    number,
    sentence,
)
from workbench.pages.inputs.code import call, kept, script
from workbench.pages.inputs.scores import (
    ScoresA,
    ScoresB,
    choice_code,
    chosen_scores,
    scores_controls,
    scores_parameters,
)
from workbench.pages.inputs.settings import DeltaSetting, ResetSetting
from workbench.scores.sample import Scores

SIDES = ("a", "b")

NO_COMPARISON = (
    "Do not rank A and B by these two numbers: the smaller one may simply come from a weaker audit."
)


class ComparePage(ResetSetting, DeltaSetting, ScoresA, ScoresB, Page):
    """State and drawings of the page.

    If loading fails, the scores stay as they were and ``message`` says why.
    """

    title = "Which leaks more?"
    about = (
        "Two score sets, of two mechanisms or two attacks: at which false positive rates does an "
        "attacker identify more members in one of them?"
    )
    main: ClassVar[tuple[str, ...]] = ("log_delta",)

    draw_again = param.Event(label="Draw again", doc="New samples from the same pairs.")
    seed = param.Integer(0, precedence=-1, doc="Seed of A's sample; B uses the next one.")

    a = param.Parameter(precedence=-1, doc="The first Scores.")
    b = param.Parameter(precedence=-1, doc="The second Scores.")
    loaded = param.Dict({}, precedence=-1, doc="What was loaded as A and as B.")

    controls: ClassVar[tuple[Section, ...]] = (
        Section("A", scores_controls("a")),
        Section("B", scores_controls("b")),
        Section(
            "Audit",
            (
                Control("draw_again", when=lambda p: "pair" in (p.a_source, p.b_source)),
                Control("log_delta"),
                Control("confidence"),
                Control("reset"),
            ),
        ),
    )

    def __init__(self, **params: Any):
        self._files: dict[str, Any] = {}
        super().__init__(**params)
        for side in SIDES:
            self.param.watch(partial(self._load, side), list(scores_parameters(side)))
        self.param.watch(self._again, "draw_again")
        for side in SIDES:
            self._load(side)

    # -- new scores ----------------------------------------------------------------------------

    def _load(self, side: str, *events: Any) -> None:
        changed = {event.name for event in events}
        try:
            found = chosen_scores(self, side, self.seed + SIDES.index(side))
        except ValueError as error:
            self.message = f"{side.upper()}: {error}"
            return
        if found is None:
            return
        self.param.update(
            {side: found[0], "loaded": {**self.loaded, side: found[1]}, "message": ""}
        )
        self.looked = self._chosen_after(side, changed)

    def _chosen_after(self, side: str, changed: set[str]) -> str:
        """The choice about the same data that was made after results were seen; "" for none."""
        if getattr(self, f"{side}_source") != "file":
            return ""
        upload, seen = getattr(self, f"{side}_upload"), self._files.get(side)
        self._files[side] = upload
        if seen is not None and seen is not upload:
            return "the file"
        return "the direction of the score" if f"{side}_larger_is_member" in changed else ""

    def _again(self, *events: Any) -> None:
        self.seed += len(SIDES)
        for side in SIDES:
            if getattr(self, f"{side}_source") == "pair":
                self._load(side)

    # -- results, each computed once a state ---------------------------------------------------

    @derived(needs=("a", "b", "confidence"))
    def comparison(self) -> Comparison:
        """Limits for both, simultaneously valid."""
        return compare(self.a, self.b, self.confidence)

    # -- the strip of numbers ------------------------------------------------------------------

    @number(
        "ε lower bound of A",
        needs=("a", "confidence", "log_delta", "looked"),
        caution=NO_COMPARISON,
    )
    def epsilon_a(self) -> Bound:
        """Lower bound from simultaneous limits at all thresholds of A."""
        return self._epsilon(self.a)

    @number(
        "ε lower bound of B",
        needs=("b", "confidence", "log_delta", "looked"),
        caution=NO_COMPARISON,
    )
    def epsilon_b(self) -> Bound:
        """Lower bound from simultaneous limits at all thresholds of B."""
        return self._epsilon(self.b)

    @number("Scores of A", needs=("a",))
    def size_a(self) -> Fact:
        """Members (P) and non-members (Q)."""
        return _size(self.a)

    @number("Scores of B", needs=("b",))
    def size_b(self) -> Fact:
        """Members (P) and non-members (Q)."""
        return _size(self.b)

    def _epsilon(self, scores: Scores) -> Bound:
        return self.certified(tradeoff_band(scores, self.confidence).epsilon(self.delta))

    # -- in plain words ------------------------------------------------------------------------

    @sentence(needs=("comparison", "looked"))
    def verdict(self) -> str:
        """Which set leaks more, and where."""
        return f"{self.comparison().explain()}{self.looked_sentence}"

    @sentence(needs=("loaded",), place="strip")
    def caution(self) -> str:
        """Why the two lower bounds must not be compared."""
        return NO_COMPARISON

    @sentence(needs=("loaded",), place="head")
    def provenance(self) -> str:
        """What the two sets are and how they were read."""
        return " · ".join(f"{side.upper()}: {said}" for side, said in self.loaded.items())

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "True positive rate: lower and upper limits",
        needs=("comparison",),
        formula="Clopper–Pearson and beta limits for both error rates at thresholds given by "
        "ranks. Each of the four edges gets a quarter of the error probability.",
        caution="Overlapping bands do not show that A and B leak equally.",
    )
    def bands(self) -> dict[str, Any]:
        """A set leaks more where its band lies above the other one."""
        return charts.bands(self.comparison())

    @figure(
        "Difference",
        needs=("comparison",),
        formula="From lower limit of A − upper limit of B to upper limit of A − lower limit of B.",
        caution="This compares the attacks behind these scores. A better attack may give another "
        "result.",
    )
    def verdicts(self) -> dict[str, Any]:
        """Difference of the true positive rates, A − B; colored where the sign is certain."""
        return charts.verdicts(self.comparison())

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_compare``."""
        asked = {"delta": self.delta, "confidence": self.confidence}
        return script(
            *self._data_code(),
            f"epsilon_a = {call('wb.epsilon_lower_bound', 'a', **asked)}",
            f"epsilon_b = {call('wb.epsilon_lower_bound', 'b', **asked)}",
            f"comparison = {call('wb.compare', 'a', 'b', confidence=self.confidence)}",
            f"view = {call('wb.explore_compare', 'a', 'b', spec=kept(spec))}",
        )

    def _data_code(self) -> list[str]:
        return [choice_code(self, side, self.seed + i) for i, side in enumerate(SIDES)]


class GivenComparePage(ComparePage):
    """`ComparePage` about the scores given.

    Parameters
    ----------
    given_a, given_b : Scores
    """

    controls: ClassVar[tuple[Section, ...]] = (
        Section("Audit", (Control("log_delta"), Control("confidence"), Control("reset"))),
    )

    def __init__(self, given_a: Scores, given_b: Scores, **params: Any):
        self._given = {"a": given_a, "b": given_b}
        super().__init__(**params)

    def _load(self, side: str, *events: Any) -> None:
        given = self._given[side]
        self.param.update(
            {side: given, "loaded": {**self.loaded, side: given.name or "given in Python"}}
        )

    def _data_code(self) -> list[str]:
        return ["# a, b: as given in Python"]


def _size(scores: Scores) -> Fact:
    return Fact(f"{scores.n_p:,} + {scores.n_q:,}", scores.assumption)
