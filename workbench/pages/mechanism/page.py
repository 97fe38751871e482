"""Test a mechanism: search neighboring datasets for evidence against its claim."""

from __future__ import annotations

import math
from typing import Any

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.figures.kit.layout import empty
from workbench.figures.mechanism import neighbors as dataset_charts
from workbench.figures.mechanism import search as charts
from workbench.figures.mechanism import witness as witness_charts
from workbench.pages.core.page import Fact, figure, number, sentence
from workbench.pages.mechanism.choice import CLAIM
from workbench.pages.mechanism.code import audit_code
from workbench.pages.mechanism.evidence import certified, evidence_bound
from workbench.pages.mechanism.search import TESTERS, MechanismSearch
from workbench.testers.evidence import datasets_in_words

WAITING = Fact("–", "not searched yet")

ENDS = Fact("–", "known when the search has ended")

PRESS = "Press “Search for a violation”."


class MechanismPage(MechanismSearch):
    """State and drawings of the page; see `MechanismChoice` for what it takes."""

    title = "Test a mechanism"
    menu = "Test"
    about = (
        "A function says that it is differentially private. Search neighboring datasets for "
        "outputs that prove the contrary."
    )

    # -- the strip of numbers ----------------------------------------------------------------------

    @number(
        "Verdict",
        needs=("found", "search_number"),
        caution="“None found” never means private: a leak may be smaller than these runs show, or "
        "hide on other datasets.",
    )
    def verdict(self) -> Fact:
        """Whether the claim is refuted."""
        if self.found is None:
            return WAITING
        n = self.search_number()
        so_far = "" if self.found.complete else "so far; "
        note = (
            f"search no. {n}: re-check it on fresh runs"
            if n > 1 and self.found.violation
            else f"{percent(self.found.confidence)} for all trials and testers"
        )
        return Fact(self.found.verdict, so_far + note)

    @number(
        "Strongest evidence",
        needs=("evidence", "search_number"),
        formula="What the measured divergence implies for the claim's own parameter.",
        caution="Of all findings of this search at once. It does not survive searching again with "
        "another seed until something shows: from the second search on it is void.",
    )
    def strongest(self) -> Bound | Fact:
        """The largest lower limit on what is claimed."""
        evidence = self.evidence()
        if evidence is None:
            return WAITING if self.found is None else Fact("–", "nothing was tested")
        bound = evidence_bound(evidence.finding, self.found.confidence)
        return certified(bound, self.search_number(), "search")

    @number("Claimed", needs=("found", "mechanism", *CLAIM))
    def claimed(self) -> Fact:
        """What the search tests; before it, what it will."""
        claim = self.claim() if self.found is None else self.found.claim
        parameter = claim.parameter
        if parameter is None:
            return Fact("f-DP", str(claim))
        return Fact(f"≤ {plain(parameter)}", claim.symbol)

    @number("On fresh runs", needs=("found", "rechecked", "checks"))
    def fresh(self) -> Bound | Fact:
        """The strongest witness, measured once more on outputs that nobody had seen."""
        done = self.rechecked
        if done is None or done.audit is not self.found:
            return Fact("–", "not re-checked yet")
        finding = done.replay.finding
        bound = evidence_bound(finding, finding.bound.confidence or self.confidence)
        return certified(bound, self.checks.number(done), "re-check")

    @number("Trials", needs=("found",))
    def counted(self) -> Fact:
        """Pairs of datasets that were tried, and those on which nothing could be measured."""
        if self.found is None:
            return WAITING
        lost = len(self.found.errors)
        return Fact(f"{len(self.found.trials)} of {self.found.planned}", f"{lost or 'none'} lost")

    @number("Runs of the mechanism", needs=("found",))
    def used(self) -> Fact:
        """How often it was run, on all datasets together."""
        if self.found is None:
            return WAITING
        return Fact(f"{self.found.runs:,}", f"in {self.found.seconds:.1f} s")

    @number(
        "Would have been found",
        needs=("found", "known_power"),
        caution="If the search came upon the right datasets; on others a mechanism leaks less.",
    )
    def power(self) -> Fact:
        """The least leak that a tester finds with a chance of 80 %."""
        if not self.known_power():
            return WAITING if self.found is None else ENDS
        least = self.found.least_detectable
        if least is None:
            return Fact("–", "not known for such a claim")
        if math.isinf(least):
            return Fact("none", "so few outputs show no leak at all")
        return Fact(f"≥ {round_safely(least, 'up')}", self.found.claim.symbol)

    @number("Chance of a false alarm", needs=("confidence", "trials", *TESTERS))
    def error(self) -> Fact:
        """Of one search, on a mechanism that keeps its claim."""
        return Fact(f"≤ {percent(1 - self.confidence)}", f"for {self._shares}")

    @property
    def _shares(self) -> str:
        count = sum(getattr(self, switch) for switch in TESTERS)
        return f"{self.trials} trials × {count} testers × 2 directions"

    # -- in plain words ----------------------------------------------------------------------------

    @sentence(needs=("found", "search_number", "known_power"))
    def said(self) -> str:
        """The verdict in words."""
        if self.found is None:
            return PRESS
        if not self.known_power() and not self.found.violation:
            return f"None found so far, in {self.counted().text} trials."
        said, n = _capital(self.found.in_words()), self.search_number()
        if n < 2:
            return said
        return (
            f"{said} This is search no. {n} on this mechanism, and the error stated is that "
            "of one search: re-check the evidence on fresh runs, which is one test of its own."
        )

    @sentence(needs=("found", "rechecked", "checks"))
    def confirmed(self) -> str:
        """What the re-check showed."""
        done = self.rechecked
        if done is None or done.audit is not self.found:
            return ""
        return _capital(done.replay.in_words())

    @sentence(needs=("shown", "shown_trial"), place="foot")
    def where(self) -> str:
        """The datasets that are shown, unless they are those of the strongest evidence."""
        shown = self.shown()
        if shown is None or not self.shown_trial:
            return ""
        return f"Trial {shown.trial.index + 1}. {datasets_in_words(shown.trial.neighbors)}"

    @sentence(needs=("found",), place="foot")
    def notes(self) -> str:
        """What a reader of the result must know."""
        if self.found is None:
            return ""
        return " ".join(self.found.notes)

    @sentence(needs=("trials", *TESTERS, "confidence"), place="foot")
    def budget(self) -> str:
        """What the error of a search covers."""
        return (
            "One search of a mechanism that keeps its claim finds a violation with a chance of at "
            f"most {percent(1 - self.confidence)}: {self._shares} share that, fixed beforehand, so "
            "that it may be watched, cancelled, and stopped at the first violation. Searching "
            "again with another seed or other settings until something shows is not covered."
        )

    # -- the charts --------------------------------------------------------------------------------

    @figure(
        "The bound of every trial",
        needs=("found", "shown"),
        span=7,
        caution="Each mark is a lower limit, and all of them hold at once. A mark below the claim "
        "shows nothing, neither a leak nor privacy.",
        click="pick",
    )
    def bounds(self) -> dict[str, Any]:
        """Filled marks refute the claim, hollow ones do not. Click to see a trial's witness."""
        if self.found is None:
            return empty(PRESS)
        shown = self.shown()
        picked = None if shown is None else (shown.trial.index, shown.tester)
        return charts.trials(self.found, picked)

    @figure(
        "The witness",
        needs=("shown",),
        span=5,
        formula="The strip: mean strength of the witness in a bin, such as the log-ratio that it "
        "learned.",
        caution="Shares are estimates, and the outer bins also hold what lies beyond. The limit "
        "rests on the witness alone, which was chosen on "
        "other runs.",
    )
    def witness(self) -> dict[str, Any]:
        """Outputs on both datasets; the bluer the strip, the more the witness says P."""
        shown = self.shown()
        if shown is None:
            return empty("Nothing to show yet." if self.found is None else "Nothing was measured.")
        picture = shown.trial.pictures.get(shown.tester)
        if picture is None:
            return empty("These outputs cannot be drawn.")
        return witness_charts.witness(picture, shown.tester, shown.trial.index)

    @figure(
        "What each tester would have found",
        needs=("found", "known_power"),
        span=6,
        caution="For the leakiest mechanism with such a parameter, on the right datasets, with the "
        "best witness: a limit on what may be hoped for, after paying for all trials and testers.",
    )
    def detectable(self) -> dict[str, Any]:
        """The leak that so many runs show with a chance of 80 %, against the claim."""
        if not self.known_power():
            return empty(PRESS if self.found is None else "Known when the search has ended.")
        return charts.detectable(self.found)

    @figure("The neighboring datasets", needs=("shown",), span=6)
    def pair(self) -> dict[str, Any]:
        """The records of the trial shown, and the one in which its datasets differ."""
        shown = self.shown()
        if shown is None or shown.trial.neighbors is None:
            return empty("No datasets yet.")
        return dataset_charts.datasets(shown.trial.neighbors)

    # -- as Python ---------------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_mechanism``."""
        return audit_code(self, self._asked(), spec)


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"
