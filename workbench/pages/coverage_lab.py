"""`CoverageLabPage`: how often each method's bound exceeds the truth, by simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import param

from workbench._format import percent, plain, round_safely
from workbench.coverage_lab.lab import Coverage, compare_methods
from workbench.coverage_lab.measured import measured
from workbench.coverage_lab.methods import GROUPS, METHODS, of_group
from workbench.coverage_lab.scenarios import SCENARIOS
from workbench.figures import coverage as charts
from workbench.pages.answers import unfinished
from workbench.pages.core.jobs import job
from workbench.pages.core.page import (
    Answer,
    Control,
    Fact,
    Page,
    Section,
    answer,
    figure,
    number,
    sentence,
)
from workbench.pages.core.sliders import SEED, SEED_DOC, IntegerField, LogNumber
from workbench.pages.core.stored import first_result
from workbench.pages.inputs.code import call, duration, lines, repeatable, script
from workbench.pages.inputs.settings import ConfidenceSetting, DeltaSetting
from workbench.progress import Report

WAITING = Fact("–", "not simulated yet")

#: Methods that the answer names.
MOST_NAMED = 2

#: Names of the attributes of a simulated coverage.
FIELDS = tuple(field.name for field in fields(Coverage))

#: Settings of a simulation.
ASKED = ("setting", "group", "log_n_p", "log_n_q", "log_delta", "confidence", "log_reps", "seed")


class CoverageLabPage(Page):
    """State and drawings of the page."""

    title = "Method coverage"
    about = (
        "Scores with known privacy loss are simulated many times. How often does each method's "
        "bound exceed the truth, and how far below the truth does it stay?"
    )

    delta = DeltaSetting()
    level = ConfidenceSetting()

    setting = param.Selector(
        default="laplace",
        objects={scenario.label: name for name, scenario in SCENARIOS.items()},
        label="Scores from",
    )
    group = param.Selector(default=next(iter(GROUPS.values())), objects=GROUPS, label="Methods")
    log_n_p = LogNumber(3.0, bounds=(2, 4), step=0.25, whole=True, label="Members")
    log_n_q = LogNumber(3.0, bounds=(2, 4), step=0.25, whole=True, label="Non-members")
    log_reps = LogNumber(
        2.5,
        bounds=(2, 4),
        step=0.25,
        whole=True,
        label="Simulated data sets",
        doc="All methods are applied to each of them.",
    )
    seed = IntegerField(0, SEED, label="Seed", doc=SEED_DOC)

    results = param.Parameter((), precedence=-1, doc="The `Coverage` of each method.")

    controls: ClassVar[tuple[Section, ...]] = (
        Section(
            "Scores",
            (Control("setting"), Control("log_n_p"), Control("log_n_q")),
        ),
        Section(
            "Audit",
            (Control("group"), Control("log_delta"), Control("confidence")),
        ),
        Section("Simulation", (Control("log_reps"), Control("seed"), Control("simulate"))),
    )

    def __init__(self, *given: Any, **params: Any):
        super().__init__(*given, **params)
        if (stored := first_result(self, "simulate", "coverage")) is not None:
            self.work.show_stored("simulate", tuple(map(_revived, stored)))

    @job("Simulate", needs=ASKED, into="results")
    def simulate(self, report: Report) -> tuple[Coverage, ...]:
        """Applies all methods to the same simulated data, on all processor cores."""
        return compare_methods(
            of_group(self.group),
            self.setting,
            n=(round(10**self.log_n_p), round(10**self.log_n_q)),
            reps=round(10**self.log_reps),
            delta=self.delta.value,
            confidence=self.confidence,
            seed=self.seed,
            report=report,
        )

    # -- the answer and the strip of numbers -------------------------------------------------------

    @answer(needs=("results",))
    def answer(self) -> Answer:
        """Which methods exceed the truth more often than their confidence allows."""
        if not self.results:
            return unfinished(f"Press “{self.jobs()['simulate'].title}”.")
        one = self.results[0]
        of = f"of {one.reps:,} bounds exceed the truth, {percent(one.nominal)} allowed"
        wrong = [r for r in self._claiming() if r.fails]
        if wrong:
            return Answer("A guarantee fails: please report", f"{_rates(wrong)} {of}", "bad")
        failing = [r for r in self.results if r.fails]
        held = len(self._claiming())
        holds = f"; the {held:,} with a guarantee stay within it" if held else ""
        if failing:
            count = f"{len(failing)} of {len(self.results)} methods"
            verb = "overclaims" if len(failing) == 1 else "overclaim"
            return Answer(f"{count} {verb}", f"{_rates(failing)} {of}{holds}", "bad")
        highest = max(r.rate for r in self.results)
        by_chance = ", up to chance" if highest > one.nominal else ""
        said = f"{SCENARIOS[one.scenario].label}: at most {highest:.1%} {of}{by_chance}"
        return Answer("No method overclaims", said, "good" if held else "open")

    @number("Methods that overclaim", needs=("results",), main=True)
    def caught(self) -> Fact:
        """Methods with significantly more false claims than the nominal rate, at the 1% level."""
        if not self.results:
            return WAITING
        names = [METHODS[r.method].label for r in self.results if r.fails]
        return Fact(f"{len(names)} of {len(self.results)}", ", ".join(names))

    @number(
        "Highest rate among guaranteed methods",
        needs=("results",),
        caution="A rate below the nominal one is not a proof: another pair may be worse. The "
        "methods have proofs; the simulation looks for errors in them.",
    )
    def worst(self) -> Fact:
        """Largest share of bounds above the truth, among methods with a coverage guarantee."""
        worst = max(self._claiming(), key=lambda r: r.rate, default=None)
        if worst is None:
            return _share(None, "rate")
        over = " up to chance" if worst.rate > worst.nominal and not worst.fails else ""
        found = _share(worst, "rate")
        return Fact(found.text, f"{percent(worst.nominal)} allowed{over} · {found.note}")

    @number(
        "Tightest valid method",
        needs=("results",),
        caution="Methods bound different quantities; each is compared with its own true value.",
    )
    def tightest(self) -> Fact:
        """Median bound closest to the truth, among methods whose guarantee was not refuted."""
        if self.results and not any(r.share_of_truth >= 0 for r in self.results):
            return Fact("–", "the true value is 0")
        held = [r for r in self._claiming() if not r.fails and r.share_of_truth >= 0]
        return _share(max(held, key=lambda r: r.share_of_truth, default=None), "share_of_truth")

    @number("True ε", needs=("setting", "log_delta"))
    def truth(self) -> Fact:
        """The true ε of the pair at this δ."""
        truth = float(SCENARIOS[self.setting].truth.epsilon(self.delta.value))
        return Fact(f"ε = {round_safely(truth, 'nearest')}", f"at δ = {plain(self.delta.value)}")

    def _claiming(self) -> list[Coverage]:
        return [r for r in self.results if r.claims]

    # -- words and charts --------------------------------------------------------------------------

    @sentence(needs=("setting",), place="head")
    def said(self) -> str:
        """What the scores are."""
        return SCENARIOS[self.setting].about

    @sentence(needs=("results",))
    def verdict(self) -> str:
        """The result of the simulation."""
        if not self.results:
            return "Nothing has been simulated yet. Press “Simulate”."
        first = self.results[0]
        allowed = (
            f"Up to {percent(first.nominal)} of the {first.reps:,} simulated bounds may exceed the "
            "truth"
        )
        wrong = [r for r in self._claiming() if r.fails]
        if wrong:
            names = ", ".join(METHODS[r.method].label for r in wrong)
            return f"{allowed}. {names} guaranteed this and exceeded it: please report this."
        failing = [
            f"{METHODS[r.method].label} ({r.rate:.0%}: {METHODS[r.method].fails or 'approximate'})"
            for r in self.results
            if r.fails
        ]
        if failing:
            return f"{allowed}. These methods exceeded it: {', '.join(failing)}."
        return f"{allowed}; no method exceeded that."

    @sentence(needs=("setting",), place="foot")
    def exact_levels(self) -> str:
        """Levels that were computed without simulation."""
        stored = measured()
        levels = "; ".join(f"{label}: {level}" for label, _, level, _ in stored.levels())
        return (
            "The largest probability of a false bound at 95% confidence, summed over all likely "
            f"data sets with few values, of {len(stored.exact):,} settings: {levels}. 5% are "
            "allowed."
        )

    @figure(
        "False claims",
        needs=("results",),
        caution="Green: guaranteed coverage, not refuted here. Red: significantly more false "
        "claims than allowed. Gray: no guarantee for these scores.",
    )
    def false_claims(self) -> dict[str, Any]:
        """Share of simulated data sets in which the bound exceeded the truth."""
        return charts.false_claims(self.results) if self.results else charts.waiting()

    @figure("Tightness", needs=("results",))
    def tightness(self) -> dict[str, Any]:
        """Bounds divided by the true value: 5% quantile, median and 95% quantile."""
        return charts.tightness(self.results) if self.results else charts.waiting()

    # -- as Python -----------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore``."""
        simulated = call(
            "wb.compare_methods",
            repr(tuple(of_group(self.group))),
            repr(self.setting),
            n=(round(10**self.log_n_p), round(10**self.log_n_q)),
            reps=round(10**self.log_reps),
            delta=self.delta.value,
            confidence=self.confidence,
            seed=self.seed,
        )
        shares = "one.share_of_truth for one in claiming if not one.fails"
        again = repeatable(self, "simulate")
        return script(
            f"truth = scenario_of({self.setting!r}).truth.epsilon({self.delta.value!r})",
            lines(
                duration(self, "simulate"),
                f"results = {simulated}",
                "caught = sum(one.fails for one in results), len(results)" if again else "",
            ),
            "claiming = [one for one in results if one.claims]",
            "worst = max(one.rate for one in claiming)" if again else "",
            f"tightest = max({shares})" if again else "",
            f"view = {call('wb.explore', repr('coveragelab'), spec=spec)}",
            imports=["from workbench.coverage_lab.scenarios import scenario_of"],
        )


def plain_results(results: Sequence[Coverage]) -> list[dict[str, Any]]:
    """Simulated coverages as JSON values; bounds in six digits."""
    return [
        {
            **{name: value for name, value in vars(one).items() if name in FIELDS},
            "values": [f"{value:.6g}" for value in one.values],
            "exceeded": [int(each) for each in one.exceeded],
        }
        for one in results
    ]


def _revived(stored: Mapping[str, Any]) -> Coverage:
    values = np.asarray(stored["values"], dtype=float)
    exceeded = np.asarray(stored["exceeded"], dtype=bool)
    return Coverage(**{**stored, "values": values, "exceeded": exceeded})


def _rates(results: Sequence[Coverage]) -> str:
    """The worst methods, with their shares of false claims: "“Wilson, one threshold”: 7.1%"."""
    ranked = sorted(results, key=lambda r: -r.rate)
    named = ", ".join(f"“{METHODS[r.method].label}”: {r.rate:.1%}" for r in ranked[:MOST_NAMED])
    more = len(ranked) - MOST_NAMED
    return f"{named} (and {more} more)" if more > 0 else named


def _share(result: Coverage | None, what: str) -> Fact:
    if result is None:
        return WAITING
    return Fact(f"{getattr(result, what):.1%}", METHODS[result.method].label)
