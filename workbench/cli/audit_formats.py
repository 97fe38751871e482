"""The output of `workbench audit`: text, JSON, markdown, JUnit XML and annotations of GitHub."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.bounds.bound import Bound
from workbench.bounds.estimates import auc_estimate, total_variation_estimate
from workbench.bounds.power.verdict import NOT_REFUTED, REFUTED, TOO_FEW, Verdict, judge
from workbench.bounds.simultaneous.band import SUMMARY_FPR, tradeoff_band
from workbench.claims.base import Claim
from workbench.cli.output import Case, annotation, cell, to_json, to_junit
from workbench.estimators.direction import is_reversed
from workbench.estimators.histogram import histogram
from workbench.estimators.roc import roc
from workbench.scores.sample import Scores

#: Versions of the JSON: of the whole, and of its "claims".
VERSION, CLAIMS_VERSION = 1, 1

#: The exit status of each verdict; of several, the first in this order counts.
STATUS = {REFUTED: 1, TOO_FEW: 3, NOT_REFUTED: 0}

#: The exit status where the direction of the score is in doubt and nothing is refuted.
DOUBTFUL = 4

#: What a doubtful direction is called, where a verdict would stand.
WRONG_WAY = "direction in doubt"


@dataclass(frozen=True)
class FileAudit:
    """The main bounds of a score file and verdicts on claims, which all hold together.

    Attributes
    ----------
    scores : Scores
    bounds : tuple of Bound
    verdicts : tuple of Verdict
    telling : Bound
        The true positive rate that says most.
    auc : Bound
    reversed : bool
        Whether the direction was not stated, and the scores speak against how they were read.
    """

    scores: Scores
    bounds: tuple[Bound, ...]
    verdicts: tuple[Verdict, ...]
    telling: Bound
    auc: Bound
    reversed: bool = False

    @classmethod
    def of(
        cls,
        scores: Scores,
        claims: list[Claim],
        delta: float,
        confidence: float,
        direction_stated: bool = False,
    ) -> FileAudit:
        """The audit of scores.

        Parameters
        ----------
        scores : Scores
        claims : list of Claim
        delta, confidence : float
            Of the bounds; claims are judged at the same confidence.
        direction_stated : bool
            Whether a person said which scores speak for membership.
        """
        band = tradeoff_band(scores, confidence)
        auc = auc_estimate(roc(scores))
        bounds = (
            band.epsilon(delta),
            band.mu(),
            band.total_variation(),
            *(band.tpr(fpr) for fpr in SUMMARY_FPR),
            auc,
            total_variation_estimate(histogram(scores)),
        )
        verdicts = tuple(judge(scores, claim, confidence) for claim in claims)
        doubtful = not direction_stated and is_reversed(scores, auc.value)
        return cls(scores, bounds, verdicts, band.most_telling(), auc, doubtful)

    @property
    def doubt(self) -> str:
        """Why the direction is in doubt, and which options state it."""
        return (
            f"Members score lower than non-members (AUC {self.auc.value:.3f}). If smaller scores "
            "speak for membership, as losses do, add --smaller-is-member; if not, "
            "--larger-is-member."
        )

    @property
    def status(self) -> int:
        """1 if any claim is refuted, else 4 if the direction is in doubt, else 3 or 0.

        3 if there are too few samples for any claim.
        """
        found = {verdict.verdict for verdict in self.verdicts}
        if self.reversed and REFUTED not in found:
            return DOUBTFUL
        return next((status for verdict, status in STATUS.items() if verdict in found), 0)


def as_text(audit: FileAudit) -> str:
    """The bounds as a table and the verdicts as sentences."""
    lines = [repr(audit.scores)]
    if audit.reversed:
        lines.append(audit.doubt)
    width = max(len(bound.symbol) for bound in audit.bounds)
    lines.append("")
    lines += [
        f"{b.symbol:<{width}}  {f'{b.relation} {b.rounded}':<9}  {', '.join(b.terms)}"
        for b in audit.bounds
    ]
    lines += ["", audit.telling.explain()]
    for verdict in audit.verdicts:
        lines += ["", verdict.explain()]
    return "\n".join(lines)


def as_json(audit: FileAudit) -> str:
    """The audit as JSON; ±∞ and NaN, which JSON lacks, are strings."""
    s = audit.scores
    report: dict[str, Any] = {
        "version": VERSION,
        "scores": {
            "name": s.name,
            "n_p": s.n_p,
            "n_q": s.n_q,
            "larger_is_member": s.larger_is_member,
            "direction_in_doubt": audit.reversed,
            "assumption": s.assumption,
            "nonfinite_p": str(s.nonfinite_p),
            "nonfinite_q": str(s.nonfinite_q),
            "discarded": s.discarded,
        },
        "results": [bound.to_dict() for bound in audit.bounds],
    }
    if audit.verdicts:
        report["claims"] = {
            "version": CLAIMS_VERSION,
            "status": audit.status,
            "verdicts": [verdict.to_dict() for verdict in audit.verdicts],
        }
    return to_json(report)


def as_markdown(audit: FileAudit) -> str:
    """The audit as markdown tables."""
    s = audit.scores
    name = f"`{cell(s.name).replace('`', '')}`: " if s.name else ""
    lines = [
        "### Privacy audit",
        "",
        f"{name}{s.n_p:,} scores of members, {s.n_q:,} of non-members.",
        "",
    ]
    if audit.reversed:
        lines += [f"**{audit.doubt}**", ""]
    if audit.verdicts:
        terms = ", ".join(audit.verdicts[0].terms)
        lines += ["| claim | verdict | which rests on |", "|---|---|---|"]
        lines += [
            f"| `{verdict.claimed}` | **{verdict.verdict}** | {cell(verdict.summary)} |"
            for verdict in audit.verdicts
        ]
        lines += ["", f"All verdicts together: {terms}. None of them shows privacy.", ""]
    lines += ["| number | value | what it promises |", "|---|---|---|"]
    lines += [
        f"| {cell(b.symbol)} | {b.relation} {b.rounded} | {cell(', '.join(b.terms))} |"
        for b in audit.bounds
    ]
    return "\n".join(lines)


def as_junit(audit: FileAudit) -> str:
    """A test case per claim: a failure if it is refuted, skipped if nothing can be told.

    That is so if there are too few samples, or if the direction of the score is in doubt.

    Raises
    ------
    ValueError
        Without a claim there is no test.
    """
    if not audit.verdicts:
        raise ValueError(
            "junit has one test per claim, and no claim was given; add --claim 'gdp(1)'"
        )
    s = audit.scores
    facts = {
        "scores": s.name,
        "n_p": str(s.n_p),
        "n_q": str(s.n_q),
        "terms": ", ".join(audit.verdicts[0].terms),
    }
    cases = (
        Case(
            name=verdict.claimed,
            outcome="skipped",
            kind=WRONG_WAY,
            message=f"{WRONG_WAY}: {audit.doubt}",
            text=verdict.explain(),
        )
        if audit.reversed and not verdict.refuted
        else Case(
            name=verdict.claimed,
            outcome=_OUTCOME[verdict.verdict],
            kind=verdict.verdict,
            message=f"{verdict.verdict}: {verdict.summary}",
            text=verdict.explain(),
        )
        for verdict in audit.verdicts
    )
    return to_junit("workbench audit", s.name or "scores", facts, cases)


def as_github(audit: FileAudit) -> str:
    """An annotation per claim: an error if it is refuted, a warning if nothing can be told.

    Raises
    ------
    ValueError
        Without a claim there is nothing to annotate.
    """
    if not audit.verdicts:
        raise ValueError(
            "github has one annotation per claim, and no claim was given; add --claim 'gdp(1)'"
        )
    lines = [
        annotation(_LEVEL[verdict.verdict], f"{verdict.claimed}: {verdict.verdict}",
                   verdict.explain())
        for verdict in audit.verdicts
    ]  # fmt: skip
    if audit.reversed:
        lines.append(annotation("warning", WRONG_WAY, audit.doubt))
    return "\n".join(lines)


_LEVEL = {REFUTED: "error", TOO_FEW: "warning", NOT_REFUTED: "notice"}

_OUTCOME = {REFUTED: "failure", TOO_FEW: "skipped", NOT_REFUTED: "passed"}

FORMATS: dict[str, Callable[[FileAudit], str]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
    "junit": as_junit,
    "github": as_github,
}
