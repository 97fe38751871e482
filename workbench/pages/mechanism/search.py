"""`MechanismSearch`: testers and trials, the search job, and the re-check of its evidence."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Section, derived
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import SEED, SEED_DOC, IntegerField, LogNumber
from workbench.pages.core.stored import first_result
from workbench.pages.inputs.settings import confidence_selector
from workbench.pages.mechanism.choice import BARE, CLAIM
from workbench.pages.mechanism.evidence import Looks, Rechecked
from workbench.progress import Report
from workbench.testers.audit import audit_mechanism
from workbench.testers.evidence import TrialFinding
from workbench.testers.mechanism_audit import MechanismAudit
from workbench.testers.property_testers import registry

#: The page's switch of each tester.
TESTERS = {
    "hockey_stick": "hockey-stick",
    "renyi": "renyi",
    "mmd": "mmd",
    "histogram": "histogram",
    "bits": "bits",
    **{f"tester_{name}".replace("-", "_"): name for name in registry.TESTERS.others},
}

SEARCH = ("trials", "log_samples", "confidence", "seed", "anytime")

EVIDENCE = ("shown_trial", "log_fresh", "fresh_seed")

#: Settings of a search.
ASKED = ("mechanism", *CLAIM, "datasets", *BARE, *TESTERS, *SEARCH)

MOST_TRIALS = 200


class MechanismSearch(Part):
    """The search for a violation, the re-check of its evidence, and their results."""

    hockey_stick = param.Boolean(
        True, label="Hockey-stick", doc="A classifier of the outputs, thresholded at e^ε."
    )
    renyi = param.Boolean(
        True, label="Rényi", doc="Not used for claims with δ > 0, which allow any Rényi divergence."
    )
    mmd = param.Boolean(True, label="MMD", doc="A kernel witness function, clipped to [0, 1].")
    histogram = param.Boolean(True, label="Histogram", doc="The best set of bins of the outputs.")
    bits = param.Boolean(
        False,
        label="Bits of floats",
        doc="The hockey-stick tester, which also views the digits of floats. It refutes nearly "
        "every mechanism that adds noise in floating point.",
    )

    trials = param.Integer(
        20, bounds=(1, MOST_TRIALS), label="Trials", doc="Pairs of neighboring datasets to try."
    )
    log_samples = LogNumber(
        4.5,
        bounds=(3, 6),
        step=0.25,
        whole=True,
        label="Runs per trial",
        doc="On each of the two datasets. A fifth of the runs trains the testers, the others "
        "measure the evidence.",
    )
    confidence = confidence_selector(
        "Confidence of all findings of a search together. Set it before looking at results."
    )
    seed = IntegerField(0, SEED, label="Seed", doc=f"{SEED_DOC} Set it before looking at results.")
    anytime = param.Boolean(
        True,
        label="Stop at the first violation",
        doc="Stopping early does not affect validity.",
    )

    shown_trial = IntegerField(
        0, (0, MOST_TRIALS), label="Trial shown", doc="0 is the trial with the strongest evidence."
    )
    log_fresh = LogNumber(
        5.0,
        bounds=(3, 6),
        step=0.25,
        whole=True,
        label="Runs of the re-check",
        doc="On each of the two datasets.",
    )
    fresh_seed = IntegerField(1, SEED, label="Seed of the re-check", doc=SEED_DOC)

    found = param.Parameter(precedence=-1, doc="A `MechanismAudit`, partial or complete.")
    rechecked = param.Parameter(precedence=-1, doc="A `Rechecked`.")
    looks = param.Parameter(Looks(), precedence=-1, doc="Searches whose results were seen.")
    checks = param.Parameter(Looks(), precedence=-1, doc="Re-checks whose results were seen.")

    sections: ClassVar[tuple[Section, ...]] = (
        Section("Testers", tuple(map(Control, TESTERS))),
        Section("Search", (*map(Control, SEARCH), Control("search"))),
        Section("Evidence", (*map(Control, EVIDENCE), Control("recheck"))),
    )

    def start(self, given: frozenset[str]) -> None:
        """Show the stored result of the first settings."""
        self.page.param.watch(self._saw, ["found", "rechecked"])
        if (stored := first_result(self.page, "search", "mechanism")) is not None:
            self.page.work.show_stored("search", MechanismAudit.from_dict(stored))

    # -- jobs --------------------------------------------------------------------------------------

    @job("Search for a violation", needs=ASKED, into="found")
    def search(self, report: Report) -> MechanismAudit:
        """Runs the mechanism on pairs of neighboring datasets and tests its outputs."""
        found = audit_mechanism(
            self.page.chosen(),
            self.page.claim(),
            **self.asked(),
            executor=self.page.executor if self.page.choice.adapted().portable else None,
            report=report,
        )
        found.detectable()  # takes seconds, so it is computed here and not when drawn
        return found

    @job("Re-check on new runs", needs=("found", "log_fresh", "fresh_seed"), into="rechecked")
    def recheck(self, report: Report) -> Rechecked:
        """Measures the strongest evidence once more, on new runs of the mechanism."""
        if self.evidence() is None:
            raise ValueError("there is no evidence to re-check; run a search first")
        report(None, "Running the mechanism …")
        replay = self.found.replay(
            samples=round(10**self.log_fresh),
            confidence=self.found.confidence,
            seed=self.fresh_seed,
            time_limit=self.page.choice.source().get("time_limit"),
        )
        return Rechecked(self.found, replay)

    def asked(self) -> dict[str, Any]:
        """Arguments of `workbench.audit_mechanism` besides the mechanism and the claim."""
        testers = tuple(name for switch, name in TESTERS.items() if getattr(self.page, switch))
        if not testers:
            raise ValueError("no tester is selected; select at least one")
        return {
            **self.page.choice.source(),
            "testers": testers,
            "trials": self.trials,
            "samples": round(10**self.log_samples),
            "confidence": self.confidence,
            "seed": self.seed,
            "anytime": self.anytime,
        }

    def _saw(self, *events: Any) -> None:
        """Note each search with results, and each re-check."""
        if self.found is not None and self.found.best is not None:
            self.looks = self.looks.noted(self.found)
        if self.rechecked is not None:
            self.checks = self.checks.noted(self.rechecked)

    # -- results -----------------------------------------------------------------------------------

    @derived(needs=("found",))
    def evidence(self) -> TrialFinding | None:
        """The strongest evidence so far."""
        return None if self.found is None else self.found.best

    @derived(needs=("found", "looks"))
    def search_number(self) -> int:
        """Number of the present search among those of this mechanism."""
        return 0 if self.found is None else self.looks.number(self.found)

    @derived(needs=("found", "job_states"))
    def known_power(self) -> bool:
        """Whether the search has ended, so that its power is computed."""
        return self.found is not None and not self.page.work.state("search").running

    @derived(needs=("found", "shown_trial"))
    def shown(self) -> TrialFinding | None:
        """The evidence of the trial shown."""
        if self.found is None or not self.shown_trial:
            return self.evidence()
        trial = next((t for t in self.found.trials if t.index == self.shown_trial - 1), None)
        if trial is None or trial.best is None:
            return None
        return TrialFinding(trial, trial.best, trial.findings[trial.best])

    def pick(self, x: float, y: float) -> None:
        """Show the trial nearest to the clicked point."""
        if self.found is not None and self.found.trials:
            numbers = [trial.index + 1 for trial in self.found.trials]
            self.shown_trial = min(numbers, key=lambda n: abs(n - x))


MechanismSearch.add(
    {
        switch: param.Boolean(False, label=name, doc="A tester of a plug-in.")
        for switch, name in TESTERS.items()
        if name in registry.TESTERS.others
    }
)
