"""Two score sets: which of them leaks more, and at which false positive rates?"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import param

from workbench._format import percent
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
from workbench.pages.inputs.scores import (
    choice_code,
    chosen_scores,
    scores_choice,
    scores_controls,
    scores_parameters,
)
from workbench.scores.sample import Scores

SIDES = ("a", "b")

#: What a view keeps besides its scores.
KEPT = ("show", "looked", "log_delta", "confidence")

NO_COMPARISON = (
    "Two lower bounds cannot be compared: the lower may only come from the weaker audit."
)


class ComparePage(Page, scores_choice("a", "subsampled-gaussian"), scores_choice("b", "gaussian")):
    """State and drawings of the page.

    A failed load leaves the scores as they were and puts the reason into ``message``.
    """

    title = "Which leaks more?"
    about = (
        "Two score sets, of two mechanisms or two attacks: at which false positive rates does one "
        "of them let an attacker find more members?"
    )

    draw_again = param.Event(label="Draw again", doc="New samples of the same pairs.")
    seed = param.Integer(0, precedence=-1, doc="Seed of A's sample; B's is the next.")
    log_delta = param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="The δ of (ε, δ)."
    )
    confidence = param.Selector(
        default=0.95,
        objects={percent(c): c for c in (0.9, 0.95, 0.99, 0.999)},
        label="Confidence",
        doc="Choose it before you look: a change after a verdict was seen marks what follows.",
    )
    reset = param.Event(label="Reset", doc="δ and the confidence as they were at first.")

    a = param.Parameter(precedence=-1, doc="The first Scores.")
    b = param.Parameter(precedence=-1, doc="The second Scores.")
    loaded = param.Dict({}, precedence=-1, doc="What was loaded as a, and as b.")
    looked = param.String("", precedence=-1, doc="What was chosen after a verdict was seen.")

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
        self._quiet = False
        super().__init__(**params)
        for side in SIDES:
            self.param.watch(partial(self._load, side), list(scores_parameters(side)))
        self.param.watch(self._again, "draw_again")
        self.param.watch(self._doubt, "confidence")
        self.param.watch(self._reset, "reset")
        for side in SIDES:
            self._load(side)

    # -- what follows from a person's hand -----------------------------------------------------

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
        """Which choice about the same question was made with its answer in view."""
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

    def _doubt(self, *events: Any) -> None:
        if not self._quiet:
            self.looked = "the confidence"

    def _reset(self, *events: Any) -> None:
        self._quiet = True
        try:
            self.param.update(
                {name: self.param[name].default for name in ("log_delta", "confidence")}
            )
        finally:
            self._quiet = False
        self.looked = ""

    # -- results, each computed once a state ---------------------------------------------------

    @property
    def delta(self) -> float:
        """The δ that the slider shows."""
        return float(10**self.log_delta)

    @derived(needs=("a", "b", "confidence"))
    def comparison(self) -> Comparison:
        """Limits for both, valid together."""
        return compare(self.a, self.b, self.confidence)

    # -- the strip of numbers ------------------------------------------------------------------

    @number(
        "ε lower bound of A",
        needs=("a", "confidence", "log_delta", "looked"),
        caution=NO_COMPARISON,
    )
    def epsilon_a(self) -> Bound:
        """From limits that hold at all thresholds of A at once."""
        return self._epsilon(self.a)

    @number(
        "ε lower bound of B",
        needs=("b", "confidence", "log_delta", "looked"),
        caution=NO_COMPARISON,
    )
    def epsilon_b(self) -> Bound:
        """From limits that hold at all thresholds of B at once."""
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
        bound = tradeoff_band(scores, self.confidence).epsilon(self.delta)
        return bound.voided(self._looked_words) if self.looked else bound

    @property
    def _looked_words(self) -> str:
        return f"chosen after looking: {self.looked} changed"

    # -- in plain words ------------------------------------------------------------------------

    @sentence(needs=("comparison", "looked"))
    def verdict(self) -> str:
        """Who leaks more, and where."""
        void = f" The guarantee is void: {self._looked_words}." if self.looked else ""
        return f"{self.comparison().explain()}{void}"

    @sentence(needs=("loaded",))
    def caution(self) -> str:
        """Why there are two numbers and no comparison of them."""
        return NO_COMPARISON

    @sentence(needs=("loaded",), place="head")
    def provenance(self) -> str:
        """What is shown, and how it was read."""
        return " · ".join(f"{side.upper()}: {said}" for side, said in self.loaded.items())

    # -- the charts ----------------------------------------------------------------------------

    @figure(
        "Members found, at most and at least",
        needs=("comparison",),
        formula="Clopper–Pearson and beta limits of both error rates at thresholds by rank; a "
        "quarter of the error probability for each edge.",
        caution="Bands that overlap do not show that the two leak alike.",
    )
    def bands(self) -> dict[str, Any]:
        """Where one band lies above the other, that set leaks more."""
        return charts.bands(self.comparison())

    @figure(
        "Difference",
        needs=("comparison",),
        formula="From (lower limit of A − upper limit of B) to (upper limit of A − lower limit "
        "of B).",
        caution="It compares the attacks that these scores allow, not what a better attack would "
        "find.",
    )
    def verdicts(self) -> dict[str, Any]:
        """How many more members A gives away; colored where the sign is certain."""
        return charts.verdicts(self.comparison())

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; `spec` is for ``wb.explore_compare``."""
        kept = {name: spec[name] for name in KEPT if name in spec}
        asked = f"delta={self.delta!r}, confidence={self.confidence!r}"
        return "\n".join(
            [
                "import workbench as wb",
                "",
                *self._data_code(),
                f"epsilon_a = wb.epsilon_lower_bound(a, {asked})",
                f"epsilon_b = wb.epsilon_lower_bound(b, {asked})",
                f"comparison = wb.compare(a, b, confidence={self.confidence!r})",
                f"view = wb.explore_compare(a, b, spec={kept!r})",
                "",
            ]
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
        return ["# a, b: as they were given in Python"]


def _size(scores: Scores) -> Fact:
    return Fact(f"{scores.n_p:,} + {scores.n_q:,}", scores.assumption)
