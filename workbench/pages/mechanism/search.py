"""The search itself: testers, trials, and the two jobs of the page that tests a mechanism."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from workbench._format import percent
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Section, derived
from workbench.pages.core.sliders import SEED, IntegerField
from workbench.pages.mechanism.choice import BARE, CLAIM, MechanismChoice
from workbench.pages.mechanism.evidence import Looks, Rechecked
from workbench.progress import Report
from workbench.testers.audit import audit_mechanism
from workbench.testers.evidence import TrialFinding
from workbench.testers.mechanism_audit import MechanismAudit

#: The page's switch for each tester.
TESTERS = {"hockey_stick": "hockey-stick", "renyi": "renyi", "mmd": "mmd", "histogram": "histogram"}

SEARCH = ("trials", "log_samples", "confidence", "seed", "anytime")

EVIDENCE = ("shown_trial", "log_fresh", "fresh_seed")

#: What a search rests on.
ASKED = ("mechanism", *CLAIM, "datasets", *BARE, *TESTERS, *SEARCH)


MOST_TRIALS = 200


class MechanismSearch(MechanismChoice):
    """The controls on the search, and what it found.

    Parameters
    ----------
    *given
        See `MechanismChoice`.
    executor
        Where trials run; see `audit_mechanism`.
    """

    hockey_stick = param.Boolean(
        True, label="Hockey-stick", doc="A classifier, and its best region at e^ε."
    )
    renyi = param.Boolean(
        True, label="Rényi", doc="Not for claims with δ > 0, which allow any Rényi divergence."
    )
    mmd = param.Boolean(True, label="MMD", doc="A kernel's witness function, cut to [0, 1].")
    histogram = param.Boolean(True, label="Histogram", doc="Bins, and the best set of them.")

    trials = param.Integer(
        20, bounds=(1, MOST_TRIALS), label="Trials", doc="Pairs of neighboring datasets."
    )
    log_samples = param.Number(
        4.5, bounds=(3, 6), step=0.25, label="log₁₀ of the runs a trial",
        doc="On each dataset; a fifth of them chooses the witness, the others measure it.",
    )  # fmt: skip
    confidence = param.Selector(
        default=0.95,
        objects={percent(c): c for c in (0.9, 0.95, 0.99)},
        label="Confidence",
        doc="Of all that the search claims. Choose it before you look.",
    )
    seed = IntegerField(0, SEED, label="Seed", doc="Choose it before you look.")
    anytime = param.Boolean(
        True, label="Stop at the first violation", doc="It costs nothing: see below the charts."
    )

    shown_trial = IntegerField(
        0, (0, MOST_TRIALS), label="Trial shown", doc="0: the one with the strongest evidence."
    )
    log_fresh = param.Number(
        5.0, bounds=(3, 6), step=0.25, label="log₁₀ of the fresh runs", doc="On each dataset."
    )
    fresh_seed = IntegerField(1, SEED, label="Seed of the fresh runs")

    found = param.Parameter(precedence=-1, doc="A `MechanismAudit`, maybe partial.")
    rechecked = param.Parameter(precedence=-1, doc="A `Rechecked`.")
    looks = param.Parameter(Looks(), precedence=-1, doc="Searches that were seen.")
    checks = param.Parameter(Looks(), precedence=-1, doc="Re-checks that were seen.")

    controls: ClassVar[tuple[Section, ...]] = (
        *MechanismChoice.choice,
        Section("Testers", tuple(map(Control, TESTERS))),
        Section("Search", (*map(Control, SEARCH), Control("search"))),
        Section("Evidence", (*map(Control, EVIDENCE), Control("recheck"))),
    )

    def __init__(self, *given: Any, executor: Any = "processes", **params: Any):
        self.executor = executor
        super().__init__(*given, **params)
        self.param.watch(self._saw, ["found", "rechecked"])

    # -- the work ----------------------------------------------------------------------------------

    @job("Search for a violation", needs=ASKED, into="found")
    def search(self, report: Report) -> MechanismAudit:
        """Run the mechanism on pair after pair of datasets, and test what comes out."""
        found = audit_mechanism(
            self.chosen(), self.claim(), **self._asked(), executor=self.executor, report=report
        )
        found.detectable()  # it takes seconds: here, and not where it is drawn
        return found

    @job("Re-check on fresh runs", needs=("found", "log_fresh", "fresh_seed"), into="rechecked")
    def recheck(self, report: Report) -> Rechecked:
        """Measure the strongest witness once more, on outputs that nobody has seen."""
        if self.evidence() is None:
            raise ValueError("there is no evidence yet; search first")
        report(None, "Running the mechanism …")
        replay = self.found.replay(
            samples=round(10**self.log_fresh),
            confidence=self.found.confidence,
            seed=self.fresh_seed,
            time_limit=self.source().get("time_limit"),
        )
        return Rechecked(self.found, replay)

    def _asked(self) -> dict[str, Any]:
        testers = tuple(name for switch, name in TESTERS.items() if getattr(self, switch))
        if not testers:
            raise ValueError("no tester is chosen; choose at least one")
        return {
            **self.source(),
            "testers": testers,
            "trials": self.trials,
            "samples": round(10**self.log_samples),
            "confidence": self.confidence,
            "seed": self.seed,
            "anytime": self.anytime,
        }

    def _saw(self, *events: Any) -> None:
        """Take note of each search that shows something, and of each re-check."""
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
        """Which search on this mechanism it is."""
        return 0 if self.found is None else self.looks.number(self.found)

    @derived(needs=("found", "job_states"))
    def known_power(self) -> bool:
        """Whether it is known what would have been found: it takes seconds, which wait."""
        return self.found is not None and not self.job_state("search").running

    @derived(needs=("found", "shown_trial"))
    def shown(self) -> TrialFinding | None:
        """The evidence of the trial that is shown."""
        if self.found is None or not self.shown_trial:
            return self.evidence()
        trial = next((t for t in self.found.trials if t.index == self.shown_trial - 1), None)
        if trial is None or trial.best is None:
            return None
        return TrialFinding(trial, trial.best, trial.findings[trial.best])

    def pick(self, x: float, y: float) -> None:
        """Show the trial nearest to what was clicked."""
        if self.found is not None and self.found.trials:
            numbers = [trial.index + 1 for trial in self.found.trials]
            self.shown_trial = min(numbers, key=lambda n: abs(n - x))
