"""`TrainingWords`: what was trained, what it shows, and what that rests on, in words."""

from __future__ import annotations

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.pages.answers import in_brief, nothing_concluded, unfinished
from workbench.pages.core.page import Answer, answer, sentence
from workbench.pages.core.part import Part
from workbench.pages.training.findings import ASKED, PRESS
from workbench.pages.training.words import control_words, described
from workbench.training.audits.base import TrainingAudit
from workbench.training.dp_sgd.bugs import PROCEDURES


class TrainingWords(Part):
    """What was trained, what it shows, and what that rests on, in words."""

    @answer(needs=("judged", "claim", "path", "last", "trained", "looked", "run_number", *ASKED))
    def answer(self) -> Answer:
        """Whether the training keeps the claim of its accountant."""
        if self.page.trained is None:
            return unfinished(PRESS)
        found, claim = self.page.judged(), self.page.claim()
        bounds = [one for one in (self.page.epsilon(), self.page.fixed()) if isinstance(one, Bound)]
        shown = f"; {in_brief(bounds[-1])}" if bounds else ""
        if claim is None:
            return Answer("Nothing is claimed", f"{self.page.findings.not_yet()}{shown}")
        if found is None:
            return unfinished(f"No verdict: {self.page.findings.not_yet()}.")
        if found.void:
            return nothing_concluded(found.void)
        said = f"claimed ε ≤ {round_safely(claim, 'up')} at δ = {plain(self.page.delta.value)}"
        rests = f"{found.how}, {percent(self.page.confidence)}{shown}"
        if not found.refuted:
            so_far = "" if self.page.trained.complete else " so far"
            return Answer(f"Claim not refuted{so_far}", f"{said}: {rests}")
        by = "" if found.models is None else f" by model {found.models:,}"
        return Answer("Claim refuted", f"{said}{by}: {rests}", "bad")

    @sentence(needs=("trained",), place="head")
    def what(self) -> str:
        """What was trained."""
        return "" if self.page.trained is None else f"{described(self.page.trained.audit)}."

    @sentence(needs=("trained",), place="strip")
    def bug_words(self) -> str:
        """The bug that is switched on."""
        bug = "none" if self.page.trained is None else self.page.trained.audit.settings.bug
        if bug == "none":
            return ""
        return f"The training in view has a bug. {PROCEDURES[bug].about}"

    @sentence(needs=("judged", "claim_pair", "trained", "confidence"))
    def said(self) -> str:
        """The verdict in words."""
        if self.page.trained is None:
            return PRESS
        found, pair = self.page.judged(), self.page.claim_pair()
        if found is None or pair is None:
            return f"No verdict: {self.page.findings.not_yet()}."
        claim = f"The claim of the accountant ({pair.name})"
        if found.void:
            return f"{claim} is not tested: {found.void}."
        often = (
            f"A true claim is refuted in at most {percent(1 - self.page.confidence)} of such audits"
        )
        if self.page.evidence() is not None:
            often += ", whenever they are stopped"
        if not found.refuted:
            return (
                f"{claim} is not refuted{'' if self.page.trained.complete else ' so far'}. {often}."
            )
        by = "" if found.models is None else f" by model {found.models:,}, and this is final"
        return f"{claim} is refuted{by}. {often}."

    @sentence(needs=("trained",))
    def how_it_shows(self) -> str:
        """How the bug shows in the audit."""
        return "" if self.page.trained is None else control_words(self.page.trained.audit)

    @sentence(needs=("trained",))
    def stopped(self) -> str:
        """What a training that was stopped means for the bounds."""
        run = self.page.trained
        if run is None or run.complete:
            return ""
        return (
            f"{run.models:,} of {run.audit.models:,} models. The anytime bound is valid whenever "
            "the training is stopped; bounds for a fixed number of models are not shown."
        )

    @sentence(needs=("trained", "result"), place="foot")
    def how(self) -> str:
        """What the audit does, and what its bounds rest on."""
        if self.page.trained is None:
            return ""
        audit, result = self.page.trained.audit, self.page.result()
        rule = f" {result.rule}" if result is not None else ""
        return (
            f"{audit.about} {_rests_on(audit)}{rule} The noise is pseudo-random: these models are "
            "for audits, not for release."
        )


def _rests_on(audit: TrainingAudit) -> str:
    """What bounds of such an audit rest on."""
    if audit.sampling == "independent runs":
        return "Each model has a seed of its own, so models are independent."
    return (
        "All scores come from one model and may depend on each other: each bound states what it "
        "assumes about that."
    )
