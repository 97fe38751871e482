"""`MechanismPage`: search neighboring datasets for evidence against a privacy claim."""

from __future__ import annotations

import math
from typing import Any

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.figures.kit.layout import empty
from workbench.figures.mechanism import neighbors as dataset_charts
from workbench.figures.mechanism import search as charts
from workbench.figures.mechanism import witness as witness_charts
from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.gallery import GALLERY
from workbench.pages.answers import in_brief, unfinished
from workbench.pages.core.page import Answer, Fact, Page, answer, figure, number, sentence
from workbench.pages.inputs.claims.choice import ClaimChoice
from workbench.pages.inputs.pair import PairChoice
from workbench.pages.inputs.settings import DeltaSetting
from workbench.pages.mechanism.choice import CLAIM, MechanismChoice
from workbench.pages.mechanism.code import audit_code
from workbench.pages.mechanism.evidence import certified, evidence_bound
from workbench.pages.mechanism.search import TESTERS, MechanismSearch
from workbench.pairs.base import Pair
from workbench.testers.report import datasets_in_words

WAITING = Fact("–", "not searched yet")

ENDS = Fact("–", "computed when the search has ended")

PRESS = "Press “Search for a violation”."


class MechanismPage(Page):
    """State and drawings of the page.

    Parameters
    ----------
    given : optional
        Code that is offered beside the gallery, and chosen; what `mechanism_from` takes.
    claim : Claim, Pair or str, optional
        The claim to test at first; by default the mechanism's own.
    executor
        Where trials run; see `workbench.audit_mechanism`.
    **more
        As of `Page`.

    Raises
    ------
    ValueError
        A claim that the controls cannot show.
    """

    title = "Test a mechanism"
    about = (
        "Check a mechanism's privacy claim: search for neighboring datasets whose outputs disprove "
        "it."
    )
    main = ("shown_trial",)
    rests_on = "mechanism"

    delta = DeltaSetting()
    claiming = ClaimChoice()
    curve = PairChoice("curve", label="Trade-off function of")
    choice = MechanismChoice()
    searching = MechanismSearch()

    controls = (*MechanismChoice.sections, *MechanismSearch.sections)

    def __init__(
        self,
        given: Any = None,
        claim: Claim | Pair | str | None = None,
        executor: Any = "processes",
        **more: Any,
    ):
        if isinstance(given, Mechanism) and GALLERY.get(given.name) is given:
            more = {"mechanism": given.name, **more}
            given = None
        self.claim_given, self.executor = claim, executor
        super().__init__(given, **more)

    # -- the answer and the strip of numbers -------------------------------------------------------

    @answer(needs=("found", "search_number", "known_power", "rechecked", "checks"))
    def answer(self) -> Answer:
        """Whether the claim is violated, by evidence that is valid, or what would be found."""
        found = self.found
        if found is None:
            return unfinished(PRESS)
        if found.violation:
            return self._violated()
        trials = f"in {self.counted().text} trials"
        if found.best is None:
            return Answer("Nothing was tested", f"{trials}; see the notes below", "void")
        if not self.known_power():
            if found.claim.stated:
                return Answer("None found so far", trials)
            so_far = self.strongest()
            return Answer(
                f"{in_brief(so_far)} so far" if isinstance(so_far, Bound) else "–", trials
            )
        if not found.claim.stated:
            return self._largest()
        least = found.least_detectable()
        power = "it is not known how large a leak would have been found"
        if least is not None:
            power = "there are too few runs to show any leak"
            if math.isfinite(least):
                detected = f"{found.claim.symbol} ≥ {round_safely(least, 'up')}"
                power = f"{detected} on these datasets would be found with 80% power"
        return Answer("No violation found", f"{trials}; {power}. This does not prove privacy")

    def _largest(self) -> Answer:
        """The answer without a claim: the largest ε that the search proves, or the re-check."""
        best, bound, fresh = self.evidence(), self.strongest(), self.fresh()
        if isinstance(fresh, Bound) and not fresh.void:
            return Answer(in_brief(fresh), f"on new runs, by one test; {fresh.guarantee}")
        if best is None or not isinstance(bound, Bound):
            return Answer("Nothing was tested", "see the notes below", "void")
        if bound.void:
            return Answer(
                "Nothing may be concluded",
                f"this is search no. {self.search_number()}: re-check its evidence on new runs",
                "void",
            )
        where = f"{best.tester}, trial {best.trial.index + 1}"
        trials = f"for all {self.counted().text} trials together ({where})"
        return Answer(in_brief(bound), f"{bound.guarantee}, {trials}; the true ε may be larger")

    def _violated(self) -> Answer:
        """The answer where the search found a violation."""
        found, best = self.found, self.evidence()
        fresh, bound = self.fresh(), self.strongest()
        if isinstance(fresh, Bound) and not fresh.void:
            confirmed = self.rechecked.replay.violation
            said = f"{in_brief(fresh)} on new runs, claimed {self.claimed().text}"
            if confirmed:
                return Answer("Violation confirmed", said, "bad")
            if isinstance(bound, Bound) and bound.void:
                return Answer("Violation not confirmed", said)
        if best is None or not isinstance(bound, Bound):
            return Answer("Violation found", str(found.claim), "bad")
        if bound.void:
            return Answer(
                "Nothing may be concluded",
                f"this is search no. {self.search_number()}: re-check its evidence on new runs",
                "void",
            )
        where = f"{best.tester}, trial {best.trial.index + 1}"
        said = f"{in_brief(bound)} for all trials together ({where}), claimed {self.claimed().text}"
        return Answer("Violation found", said, "bad")

    @number(
        "Verdict",
        needs=("found", "search_number"),
        caution="“None found” does not mean that the mechanism is private: a leak may be too small "
        "for these runs, or occur on other datasets.",
    )
    def verdict(self) -> Fact:
        """Whether the search refutes the claim."""
        if self.found is None:
            return WAITING
        n = self.search_number()
        so_far = "" if self.found.complete else "so far; "
        note = (
            f"search no. {n}: re-check it on new runs"
            if n > 1 and self.found.violation
            else f"{percent(self.found.confidence)} for all trials and testers"
        )
        return Fact(self.found.verdict, so_far + note)

    @number(
        "Strongest evidence",
        needs=("evidence", "search_number"),
        formula="Lower bound on the claim's parameter implied by the measured divergence.",
        caution="Valid for all findings of this search together. Repeating the search with other "
        "seeds until something is found invalidates it.",
        main=True,
    )
    def strongest(self) -> Bound | Fact:
        """Largest lower bound on the claimed parameter over all trials and testers."""
        evidence = self.evidence()
        if evidence is None:
            return WAITING if self.found is None else Fact("–", "nothing was tested")
        bound = evidence_bound(evidence.finding, self.found.confidence)
        return certified(bound, self.search_number(), "search")

    @number("Claimed", needs=("found", "mechanism", *CLAIM))
    def claimed(self) -> Fact:
        """The claim that is tested."""
        claim = self.claim() if self.found is None else self.found.claim
        parameter = claim.parameter
        if not claim.stated:
            return Fact("nothing", "the largest ε is asked for")
        if parameter is None:
            return Fact("f-DP", str(claim))
        return Fact(f"≤ {plain(parameter)}", claim.symbol)

    @number("Re-check result", needs=("found", "rechecked", "checks"))
    def fresh(self) -> Bound | Fact:
        """The strongest evidence, measured once more on new runs of the mechanism."""
        done = self.rechecked
        if done is None or done.audit is not self.found:
            return Fact("–", "not re-checked yet")
        finding = done.replay.finding
        bound = evidence_bound(finding, finding.bound.confidence or self.confidence)
        return certified(bound, self.checks.number(done), "re-check")

    @number("Trials", needs=("found",))
    def counted(self) -> Fact:
        """Pairs of datasets that were tried, and how many of them were discarded."""
        if self.found is None:
            return WAITING
        lost = len(self.found.errors)
        discarded = f"{lost or 'none'} discarded"
        return Fact(f"{len(self.found.trials)} of {self.found.planned}", discarded)

    @number("Runs of the mechanism", needs=("found",))
    def used(self) -> Fact:
        """Number of runs on all datasets together."""
        if self.found is None:
            return WAITING
        return Fact(f"{self.found.runs:,}", f"in {self.found.seconds:.1f} s")

    @number(
        "Smallest detectable leak (80% power)",
        needs=("found", "known_power"),
        caution="If the search tries the worst-case datasets; on others a mechanism leaks less.",
    )
    def power(self) -> Fact:
        """Smallest parameter that a tester refutes with probability 80%."""
        if not self.known_power():
            return WAITING if self.found is None else ENDS
        least = self.found.least_detectable()
        if least is None:
            return Fact("–", "not available for this kind of claim")
        if math.isinf(least):
            return Fact("none", "there are too few runs to show any leak")
        return Fact(f"≥ {round_safely(least, 'up')}", self.found.claim.symbol)

    @number("False alarm probability", needs=("confidence", "trials", *TESTERS))
    def error(self) -> Fact:
        """Probability that one search refutes a true claim."""
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
            none = "None found" if self.found.claim.stated else "The search goes on"
            return f"{none} so far, in {self.counted().text} trials."
        said, n = _capital(self.found.in_words()), self.search_number()
        if n < 2:
            return said
        return (
            f"{said} This is search no. {n} of this mechanism, and the stated error probability "
            "is that of a single search. Re-check the evidence on new runs: that is a single test."
        )

    @sentence(needs=("found", "rechecked", "checks"))
    def confirmed(self) -> str:
        """The result of the re-check."""
        done = self.rechecked
        if done is None or done.audit is not self.found:
            return ""
        return _capital(done.replay.in_words())

    @sentence(needs=("shown", "shown_trial"), place="foot")
    def where(self) -> str:
        """The datasets of the selected trial; the verdict names those of the strongest evidence."""
        shown = self.shown()
        if shown is None or not self.shown_trial:
            return ""
        return f"Trial {shown.trial.index + 1}. {datasets_in_words(shown.trial.neighbors)}"

    @sentence(needs=("shown",), place="foot")
    def event(self) -> str:
        """The event that the shown tester counted; empty for a tester that counts none."""
        shown = self.shown()
        if shown is None or shown.finding.event is None:
            return ""
        return f"The event that was counted: {shown.finding.event}."

    @sentence(needs=("found",), place="foot")
    def notes(self) -> str:
        """Notes about the search."""
        if self.found is None:
            return ""
        return " ".join(self.found.notes)

    @sentence(needs=("trials", *TESTERS, "confidence"), place="foot")
    def budget(self) -> str:
        """What the error probability covers, and what it does not."""
        return (
            "If the claim is true, one search reports a violation with probability at most "
            f"{percent(1 - self.confidence)}. This is divided among {self._shares} in advance, so "
            "the search may be watched, cancelled, or stopped at the first violation. Repeating it "
            "with other seeds or settings until something is found is not covered."
        )

    # -- the charts --------------------------------------------------------------------------------

    @figure(
        "Lower bound of each trial",
        needs=("found", "shown"),
        span=7,
        caution="Each mark is a lower bound, and all of them hold simultaneously. A mark below the "
        "claim shows neither a violation nor privacy.",
        click="pick",
    )
    def bounds(self) -> dict[str, Any]:
        """Filled marks refute the claim, hollow ones do not. Click to show a trial."""
        if self.found is None:
            return empty(PRESS)
        shown = self.shown()
        picked = None if shown is None else (shown.trial.index, shown.tester)
        return charts.trials(self.found, picked)

    @figure(
        "Outputs on both datasets",
        needs=("shown",),
        span=5,
        formula="Strip: mean evidence of the tester in a bin, such as the learned log-likelihood "
        "ratio.",
        caution="Shares are estimates, and the outer bins include all outputs beyond. The bound "
        "uses only the tester's statistic, which was learned on other runs.",
    )
    def witness(self) -> dict[str, Any]:
        """Distributions of the outputs on datasets P and Q. Bluer: stronger evidence for P."""
        shown = self.shown()
        if shown is None:
            return empty("No results yet." if self.found is None else "Nothing was measured.")
        picture = shown.trial.pictures.get(shown.tester)
        if picture is None:
            return empty("These outputs cannot be drawn.")
        return witness_charts.witness(picture, shown.tester, shown.trial.index)

    @figure(
        "Smallest detectable leak by tester",
        needs=("found", "known_power"),
        span=6,
        caution="For the worst-case mechanism with this parameter, on the worst-case datasets, "
        "with the best statistic, corrected for all trials and testers. Other violations need more "
        "runs.",
    )
    def detectable(self) -> dict[str, Any]:
        """Smallest parameter that is refuted with probability 80%, compared with the claim."""
        if not self.known_power():
            return empty(PRESS if self.found is None else "Computed when the search has ended.")
        return charts.detectable(self.found)

    @figure("Neighboring datasets", needs=("shown",), span=6)
    def pair(self) -> dict[str, Any]:
        """Records of the two datasets of the trial shown, and the record in which they differ."""
        shown = self.shown()
        if shown is None or shown.trial.neighbors is None:
            return empty("No datasets yet.")
        return dataset_charts.datasets(shown.trial.neighbors)

    # -- as Python ---------------------------------------------------------------------------------

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_mechanism``."""
        return audit_code(self, self.searching.asked(), spec)


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"
