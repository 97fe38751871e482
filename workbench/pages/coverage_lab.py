"""The coverage lab: which method's bounds may be believed, found out by simulation."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from workbench._format import percent, plain, round_safely
from workbench.coverage_lab.lab import Coverage, compare_methods
from workbench.coverage_lab.methods import GROUPS, METHODS, of_group
from workbench.coverage_lab.scenarios import SCENARIOS
from workbench.figures import coverage as charts
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Fact, Page, Section, figure, number, sentence
from workbench.pages.core.sliders import SEED, IntegerField
from workbench.parallel import Report

WAITING = Fact("–", "not simulated yet")

#: What a run rests on.
ASKED = ("setting", "group", "log_n_p", "log_n_q", "log_delta", "confidence", "log_reps", "seed")


class CoverageLabPage(Page):
    """State and drawings of the page."""

    title = "Coverage lab"
    menu = "Coverage"
    about = (
        "Draw scores whose privacy loss is known, again and again: how often does each method "
        "claim more than is true, and how much does it give away?"
    )

    setting = param.Selector(
        default="no-leak",
        objects={scenario.label: name for name, scenario in SCENARIOS.items()},
        label="Scores from",
    )
    group = param.Selector(default=next(iter(GROUPS.values())), objects=GROUPS, label="Methods")
    log_n_p = param.Number(3.0, bounds=(2, 4), step=0.25, label="log₁₀ of the members")
    log_n_q = param.Number(3.0, bounds=(2, 4), step=0.25, label="log₁₀ of the non-members")
    log_reps = param.Number(
        2.5, bounds=(2, 4), step=0.25, label="log₁₀ of the replicates", doc="3 is 1,000."
    )
    log_delta = param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="The δ of (ε, δ)."
    )
    confidence = param.Selector(
        default=0.95, objects={percent(c): c for c in (0.9, 0.95, 0.99)}, label="Confidence"
    )
    seed = IntegerField(0, SEED, label="Seed")

    results = param.Parameter((), precedence=-1, doc="A `Coverage` a method, partial or final.")

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

    @job("Run", needs=ASKED, into="results")
    def simulate(self, report: Report) -> tuple[Coverage, ...]:
        """All methods see the same replicates; all cores are in use."""
        return compare_methods(
            of_group(self.group),
            self.setting,
            n=(round(10**self.log_n_p), round(10**self.log_n_q)),
            reps=round(10**self.log_reps),
            delta=10**self.log_delta,
            confidence=self.confidence,
            seed=self.seed,
            report=report,
        )

    # -- the strip of numbers ----------------------------------------------------------------------

    @number(
        "Worst that claims to hold",
        needs=("results",),
        caution="A share below the nominal one is no proof: another pair may be worse. The proofs "
        "are with the methods; the lab looks for mistakes in them.",
    )
    def worst(self) -> Fact:
        """The largest share of false claims among the methods that claim to keep their level."""
        return _told(max(self._claiming(), key=lambda r: r.rate, default=None), "rate")

    @number(
        "Tightest that holds",
        needs=("results",),
        caution="Methods bound different quantities; each is compared with the truth of its own.",
    )
    def tightest(self) -> Fact:
        """The method that claims to hold, was not caught, and comes nearest to the truth."""
        if self.results and not any(r.share_of_truth >= 0 for r in self.results):
            return Fact("–", "there is no truth to come near to")
        held = [r for r in self._claiming() if not r.fails and r.share_of_truth >= 0]
        return _told(max(held, key=lambda r: r.share_of_truth, default=None), "share_of_truth")

    @number("Caught", needs=("results",))
    def caught(self) -> Fact:
        """Methods whose share of false claims is refuted to be nominal, at 1 % significance."""
        if not self.results:
            return WAITING
        names = [METHODS[r.method].label for r in self.results if r.fails]
        return Fact(f"{len(names)} of {len(self.results)}", ", ".join(names))

    @number("Truth", needs=("setting", "log_delta"))
    def truth(self) -> Fact:
        """The true ε of the pair at this δ."""
        truth = float(SCENARIOS[self.setting].truth.epsilon(10**self.log_delta))
        return Fact(f"ε = {round_safely(truth, 'nearest')}", f"at δ = {plain(10**self.log_delta)}")

    def _claiming(self) -> list[Coverage]:
        return [r for r in self.results if r.claims]

    # -- words and charts --------------------------------------------------------------------------

    @sentence(needs=("setting",), place="head")
    def said(self) -> str:
        """What the scores are."""
        return SCENARIOS[self.setting].about

    @sentence(needs=("results",))
    def verdict(self) -> str:
        """What the replicates show."""
        if not self.results:
            return "Press Run. Nothing has been simulated yet."
        first = self.results[0]
        allowed = f"{percent(first.nominal)} of {first.reps:,} replicates may be false"
        wrong = [r for r in self._claiming() if r.fails]
        if wrong:
            names = ", ".join(METHODS[r.method].label for r in wrong)
            return f"{allowed}. {names} claimed to keep that and did not: please report this."
        failing = [
            f"{METHODS[r.method].label} ({r.rate:.0%}: {METHODS[r.method].fails or 'approximate'})"
            for r in self.results
            if r.fails
        ]
        if failing:
            return f"{allowed}. More than that were: {', '.join(failing)}."
        return f"{allowed}; no method was caught with more."

    @figure(
        "False claims",
        needs=("results",),
        caution="Green: claims to keep its level here, and was not caught. Red: caught with more "
        "false claims than allowed. Gray: claims nothing here.",
    )
    def false_claims(self) -> dict[str, Any]:
        """How often a bound exceeded the truth."""
        return charts.false_claims(self.results) if self.results else charts.waiting()

    @figure("How much they claim", needs=("results",))
    def tightness(self) -> dict[str, Any]:
        """Bounds as shares of the truth: 5 %, median and 95 % of the replicates."""
        return charts.tightness(self.results) if self.results else charts.waiting()


def _told(result: Coverage | None, what: str) -> Fact:
    if result is None:
        return WAITING
    return Fact(f"{100 * getattr(result, what):.1f} %", METHODS[result.method].label)
