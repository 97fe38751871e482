"""`ComparePage`: which of two score sets leaks more, and at which false positive rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import param

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.bounds.simultaneous.compare import Comparison, compare
from workbench.estimators.roc import Roc, roc
from workbench.figures import compare as charts
from workbench.pages.answers import nothing_concluded
from workbench.pages.core.page import (
    Answer,
    Control,
    Fact,
    Page,
    Section,
    answer,
    derived,
    figure,
    number,
    sentence,
)
from workbench.pages.core.part import Part
from workbench.pages.inputs.claims.risk import RISK_OF_SCORES
from workbench.pages.inputs.code import call, dataset_code, given_code, kept, script
from workbench.pages.inputs.data import Sample, described, example_key, is_draw
from workbench.pages.inputs.direction import direction_question
from workbench.pages.inputs.score_source import sight_of
from workbench.pages.inputs.scores import INPUTS, ComparedScores
from workbench.pages.inputs.settings import DeltaSetting, Validity
from workbench.scores.sample import Scores
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.followed.data import require_kept
from workbench.workspaces.seen.memory import Sight

NO_COMPARISON = (
    "Do not rank A and B by these two numbers: the smaller one may simply come from a weaker audit."
)


class ComparedSources(Part):
    """The two sets of scores: data sets of the workspace, or given in Python as a pair.

    If loading fails, the former data set stays in view, under its name, and the message says why.
    """

    draw_again = param.Event(label="Draw again", doc="New samples from the same pairs.")

    a = param.Parameter(precedence=-1, doc="The first Scores.")
    b = param.Parameter(precedence=-1, doc="The second Scores.")
    loaded = param.Dict({}, precedence=-1, doc="What was loaded as A and as B.")

    def start(self, given: frozenset[str]) -> None:
        """Take the first scores into view."""
        page = self.page
        self._datasets: dict[str, DataSet] = {}
        if page.given is None:
            inputs = [name for one in INPUTS.values() for name in one.parameters]
            page.param.watch(self._load, [*inputs, "draw_again"])
            for side in INPUTS:
                self._take(side, {"a_data", "b_data", *given})
        else:
            for one in INPUTS.values():
                page.param[one.data].default = ""
            page.set_quietly(**{one.data: "" for one in INPUTS.values()})
            scores = dict(zip(INPUTS, page.given, strict=True))
            said = {side: one.name or "given in Python" for side, one in scores.items()}
            page.param.update(**scores, loaded=said)
        page.validity.recall(arriving=True)

    def data_key(self) -> str:
        """Key of the data set that is A; "" for scores that are given in Python."""
        return str(self.page.a_data)

    def given_scores(self) -> Mapping[str, Scores]:
        """The scores given in Python, by the parameter of the side."""
        if self.page.given is None:
            return {}
        return {INPUTS[side].data: one for side, one in zip(INPUTS, self.page.given, strict=True)}

    def follow(self, key: str | None) -> None:
        """Take a data set into view as A."""
        if self.page.given is None:
            self.page.a_data = self.page.param.a_data.default if key is None else key

    def about_risk(self) -> Mapping[str, Any]:
        """The scores of A, which the page Risk has in view as well."""
        return RISK_OF_SCORES

    def refresh(self) -> None:
        """Take note that the data sets were renamed or read in another way."""
        if self.page.given is None:
            self._load()

    def reread(self) -> str:
        """The choice of how data are read that was changed after results were shown."""
        return next((one.reread for one in self._datasets.values() if one.reread), "")

    def sights(self) -> tuple[Sight, ...]:
        """Both data sets, as the workspace knows them."""
        sides = [(self._datasets.get(side), getattr(self, side)) for side in INPUTS]
        return tuple(sight_of(*one) for one in sides if one[1] is not None)

    def code(self) -> list[str]:
        """The steps that make the scores of both sides."""
        return [
            dataset_code(self._datasets[side], getattr(self, side), side)
            if side in self._datasets
            else given_code(getattr(self, side), side)
            for side in INPUTS
        ]

    def _load(self, *events: Any) -> None:
        page = self.page
        if page.quiet:
            return
        changed, before = {event.name for event in events}, self._keys
        if "draw_again" in changed:
            seeds = {one.seed: getattr(page, one.seed) + len(INPUTS) for one in INPUTS.values()}
            page.set_quietly(**seeds)
        for side, one in INPUTS.items():
            try:
                self._take(side, changed)
            except ValueError as error:
                page.set_quietly(**{one.data: self._datasets[side].key})
                one.key(page, {one.data})
                page.message = f"{side.upper()}: {error}"
        if self._keys != before:
            page.validity.recall(arriving=True)

    def _take(self, side: str, changed: set[str]) -> None:
        """Take the data set of a side into view, unless it is there already."""
        page, workspace = self.page, self.page.workspace
        key = INPUTS[side].key(page, changed)
        dataset, scores = workspace.dataset(key), workspace.scores(key)
        require_kept(dataset)
        said = dataset.name if dataset.virtual else described(workspace, dataset)
        if is_draw(key):
            said = dataset.source.describe().removesuffix(".")
        if dataset != self._datasets.get(side) or scores is not getattr(self, side):
            self._datasets[side] = dataset
            page.set_quietly(**{INPUTS[side].data: dataset.key})
            loaded = {**self.loaded, side: said}
            page.param.update({side: scores, "loaded": loaded, "message": ""})

    @property
    def _keys(self) -> list[str]:
        return [dataset.key for dataset in self._datasets.values()]


class ComparePage(Page):
    """State and drawings of the page."""

    title = "Which leaks more?"
    about = (
        "Two score sets, of two mechanisms or two attacks: at which false positive rates does an "
        "attacker identify more members in one of them?"
    )
    main: ClassVar[tuple[str, ...]] = ("log_delta",)

    delta = DeltaSetting()
    validity = Validity()
    first_sample, second_sample = Sample("a"), Sample("b")
    first = ComparedScores("a", example_key("subsampled-gaussian"))
    second = ComparedScores("b", example_key("gaussian"))
    sources = ComparedSources()

    controls: ClassVar[tuple[Section, ...]] = (
        Section("A", INPUTS["a"].controls()),
        Section("B", INPUTS["b"].controls()),
        Section(
            "Audit",
            (
                Control(
                    "draw_again",
                    when=lambda p: is_draw(p.a_data) or is_draw(p.b_data),
                    given=False,
                ),
                Control("log_delta"),
                Control("confidence"),
                Control("reset", menu=True),
            ),
        ),
    )

    # -- results, each computed once a state ---------------------------------------------------

    @derived(needs=("a", "b", "confidence"))
    def comparison(self) -> Comparison:
        """Limits for both, simultaneously valid."""
        return compare(self.a, self.b, self.confidence)

    @derived(needs=("a",), shared=True)
    def roc_a(self) -> Roc:
        """All threshold attacks on A."""
        return roc(self.a)

    @derived(needs=("b",), shared=True)
    def roc_b(self) -> Roc:
        """All threshold attacks on B."""
        return roc(self.b)

    # -- the answer and the strip of numbers ---------------------------------------------------

    @answer(needs=("comparison", "looked"))
    def answer(self) -> Answer:
        """Which set leaks more, and at which false positive rates."""
        if self.validity.words:
            return nothing_concluded(self.validity.words)
        level = f"{percent(self.confidence)} for all rates together"
        a, b = (self._where(which) for which in (1, -1))
        at = "at false positive rates"
        if a and b:
            return Answer("Each leaks more somewhere", f"A {at} {a}, B {at} {b}; {level}", "bad")
        if a or b:
            return Answer(f"{'A' if a else 'B'} leaks more", f"{at} {a or b}; {level}", "bad")
        return Answer(
            "Not shown which leaks more",
            f"the limits of both overlap at every false positive rate; {level}",
        )

    def _where(self, which: int) -> str:
        """The false positive rates with a verdict: "0.01 to 0.1"; "" where there are none."""
        found = [(x, y) for x, y, each in self.comparison().ranges if each == which and x < y]
        if not found:
            return ""
        ends = f"{plain(found[0][0])} to {plain(found[-1][1])}"
        return ends if len(found) == 1 else f"{ends} in {len(found)} ranges"

    @number(
        "Largest certain difference",
        needs=("comparison", "looked"),
        formula="Lower limit of one set − upper limit of the other, where that is largest.",
        caution="It compares the attacks behind these scores, not the best possible ones.",
        main=True,
    )
    def difference(self) -> Fact:
        """Lower limit on the largest difference of the true positive rates of A and B."""
        rate, gap = self.comparison().largest_difference
        if self.validity.words:
            return Fact("–", f"not valid: {self.validity.words}")
        if gap == 0:
            return Fact("none", f"{percent(self.confidence)}, at all false positive rates together")
        side = "A" if gap > 0 else "B"
        level = f"simultaneous · {percent(self.confidence)}"
        return Fact(
            f"{side}: ≥ {round_safely(abs(gap), 'down')}",
            f"in TPR at FPR {plain(rate)} · {level}",
        )

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
        return self.validity.certified(
            tradeoff_band(scores, self.confidence).epsilon(self.delta.value)
        )

    # -- in plain words ------------------------------------------------------------------------

    @sentence(needs=("comparison", "looked"))
    def verdict(self) -> str:
        """Which set leaks more, and where."""
        return f"{self.comparison().explain()}{self.validity.sentence}"

    @sentence(needs=("roc_a", "roc_b", "a_data", "b_data"), place="strip")
    def question(self) -> str:
        """A question about the direction where members score significantly the other way."""
        asked = {
            "A": not is_draw(self.a_data) and direction_question(self.roc_a()),
            "B": not is_draw(self.b_data) and direction_question(self.roc_b()),
        }
        return " ".join(f"{side}: {question}" for side, question in asked.items() if question)

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
        asked = {"delta": self.delta.value, "confidence": self.confidence}
        return script(
            *self.sources.code(),
            f"epsilon_a = {call('wb.epsilon_lower_bound', 'a', **asked)}",
            f"epsilon_b = {call('wb.epsilon_lower_bound', 'b', **asked)}",
            "size_a = a.n_p, a.n_q",
            "size_b = b.n_p, b.n_q",
            f"comparison = {call('wb.compare', 'a', 'b', confidence=self.confidence)}",
            "difference = abs(comparison.largest_difference[1])",
            f"view = {call('wb.explore_compare', 'a', 'b', spec=kept(spec))}",
        )


def _size(scores: Scores) -> Fact:
    return Fact(f"{scores.n_p:,} + {scores.n_q:,}", scores.assumption)
