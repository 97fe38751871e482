"""What `workbench test` prints: text for people, JSON, markdown and JUnit XML for a CI."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench._format import percent
from workbench._markup import code_span
from workbench._markup import escape_markdown as markdown
from workbench.cli.output import Case, to_json, to_junit
from workbench.testers.mechanism_audit import MechanismAudit
from workbench.testers.replay import Replay
from workbench.testers.report import (
    FOUND,
    LARGEST,
    NONE_FOUND,
    NOTHING_TESTED,
    finding_in_words,
    leak_in_words,
    values_of,
)
from workbench.testers.shrink import Shrunk

#: Version of the JSON.
VERSION = 1

STOPPED, TOO_FEW = "stopped early", "too few samples"
CONFIRMED, NOT_CONFIRMED, VOID = "confirmed", "not confirmed", "void"

#: The exit status of each verdict.
STATUS = {
    **{FOUND: 1, CONFIRMED: 1},
    **{NONE_FOUND: 0, NOT_CONFIRMED: 0, LARGEST: 0},
    **{NOTHING_TESTED: 3, STOPPED: 3, TOO_FEW: 3, VOID: 3},
}


@dataclass(frozen=True)
class MechanismReport:
    """Result of `workbench test`: an audit, or a replay of its evidence.

    Attributes
    ----------
    audit : MechanismAudit
    must_detect : float, optional
        Leak that the audit must be able to detect; by default twice the claim.
    replay : Replay, optional
        Result on fresh outputs; if given, it is reported instead of the audit.
    shrunk : Shrunk, optional
        Smaller datasets that show the violation.
    """

    audit: MechanismAudit
    must_detect: float | None = None
    replay: Replay | None = None
    shrunk: Shrunk | None = None

    @cached_property
    def verdict(self) -> str:
        """The verdict of the audit or of the replay."""
        if self.replay is not None:
            if self.replay.finding.bound.void:
                return VOID
            if not self.audit.claim.stated:
                return LARGEST
            return CONFIRMED if self.replay.violation else NOT_CONFIRMED
        if self.audit.verdict not in (NONE_FOUND, LARGEST):
            return self.audit.verdict
        if not self.audit.complete:
            return STOPPED
        return TOO_FEW if self._weak else self.audit.verdict

    @property
    def status(self) -> int:
        """The exit status."""
        return STATUS[self.verdict]

    @property
    def claim(self) -> str:
        """As text."""
        return str(self.audit.claim)

    @property
    def subject(self) -> str:
        """The claim, or that there is none, as a title has it."""
        return f"claim {self.claim}" if self.audit.claim.stated else self.claim

    @property
    def words(self) -> str:
        """The verdict in one or two sentences."""
        if self.replay is not None:
            return self.replay.in_words()
        return f"{self._partial}{self._weak or ''}{self.audit.in_words()}"

    @property
    def explanation(self) -> str:
        """The verdict with settings and notes."""
        if self.replay is not None:
            n, level = self.replay.samples, percent(self.replay.finding.bound.confidence or 0)
            return (
                f"{self.audit.name}, {self.subject}, {n:,} fresh outputs on each dataset, "
                f"seed {self.replay.seed}, {level}: {self.words}"
            )
        smaller = f" Smaller datasets: {self.shrunk.in_words()}" if self.shrunk else ""
        return f"{self._partial}{self._weak or ''}{self.audit.explain()}{smaller}"

    @property
    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Each tester with its strongest finding and its smallest detectable leak."""
        audit = self.audit
        for name in audit.testers:
            found = [trial.findings[name] for trial in audit.trials if name in trial.findings]
            found = [finding for finding in found if finding.bound.void is None]
            most = (
                finding_in_words(max(found, key=lambda finding: finding.rank))
                if found
                else "nothing tested"
            )
            tested = name in audit.detectable()
            power = leak_in_words(audit.claim, audit.detectable()[name]) if tested else ""
            yield name, most, power

    @property
    def _partial(self) -> str:
        if self.audit.complete:
            return ""
        return (
            f"PARTIAL RESULT, stopped after {len(self.audit.trials)} of {self.audit.planned} "
            "planned trials: "
        )

    @property
    def _weak(self) -> str | None:
        audit, asked = self.audit, self.must_detect
        own = audit.claim.parameter
        if self.replay is not None or audit.verdict not in (NONE_FOUND, LARGEST) or own is None:
            return None
        if asked is None and not audit.claim.stated:
            # Any leak: these runs are too few if they could not show the largest.
            none = audit.least_detectable() == math.inf
            return "too few samples to show any leak. " if none else None
        weak = self.audit.too_weak(2 * own if asked is None else asked)
        return weak and f"{weak}. "


def as_text(report: MechanismReport) -> str:
    """The verdict in words, and a table of the testers."""
    if report.replay is not None:
        return report.explanation
    rows = [("tester", "strongest finding", "detects with 80% power"), *report.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    terms = report.explanation.removeprefix(report.words).strip()
    lines = [report.words, "", *table, "", terms]
    if report.verdict == FOUND:
        lines += [
            "",
            "To check it on fresh outputs, save it with --save FILE, then use --replay FILE.",
        ]
    return "\n".join(lines)


def as_json(report: MechanismReport) -> str:
    """Verdict, evidence and each trial, for machines; --save keeps everything."""
    audit, replay = report.audit, report.replay
    values: dict[str, Any] = {
        "version": VERSION,
        "status": report.status,
        "verdict": report.verdict,
        "explanation": report.explanation,
        "mechanism": audit.name,
        "claim": report.claim,
        "testers": list(audit.testers),
        "datasets": audit.finder,
        "neighboring_relation": audit.neighboring_relation,
        "planned": audit.planned,
        "complete": audit.complete,
        "samples": audit.samples,
        "runs": audit.runs,
        "confidence": audit.confidence,
        "seed": audit.seed,
        "seconds": audit.seconds,
        "detectable": dict(audit.detectable()),
        "notes": list(audit.notes),
        "evidence": _evidence(audit),
        "trials": [
            {
                "index": trial.index,
                "findings": {name: _finding(f) for name, f in trial.findings.items()},
                "refused": dict(trial.refused),
                "error": trial.error,
                "seconds": trial.seconds,
                "runs": trial.runs,
            }
            for trial in audit.trials
        ],
    }
    if report.shrunk is not None:
        pair = report.shrunk.neighbors
        values["shrunk"] = {
            **_finding(report.shrunk.finding),
            "dataset": values_of(pair.dataset),
            "neighbor": values_of(pair.neighbor),
        }
    if replay is not None:
        values["replay"] = {
            **_finding(replay.finding),
            "samples": replay.samples,
            "seed": replay.seed,
            "fitted_anew": replay.fitted_anew,
        }
    return to_json(values)


def _evidence(audit: MechanismAudit) -> dict[str, Any] | None:
    """The strongest finding, with the datasets."""
    best = audit.best
    if best is None:
        return None
    pair = best.trial.neighbors
    return {
        "trial": best.trial.index,
        "tester": best.tester,
        **_finding(best.finding),
        "dataset": pair and values_of(pair.dataset),
        "neighbor": pair and values_of(pair.neighbor),
    }


def _finding(finding: Any) -> dict[str, Any]:
    return {
        "violation": finding.violation,
        "parameter": finding.parameter,
        "allowed": finding.allowed,
        "event": finding.event,
        "bound": finding.bound.to_dict(),
    }


def as_markdown(report: MechanismReport) -> str:
    """The verdict and a table that a CI can post."""
    lines = [
        f"### Privacy audit of {code_span(report.audit.name)}",
        "",
        f"{_claimed(report)}: **{report.verdict}**.",
        "",
        markdown(report.explanation),
    ]
    if report.replay is None:
        rows = [
            ("tester", "strongest finding", "detects with 80% power"),
            *report.rows,
        ]
        cells = [f"| {' | '.join(map(markdown, row))} |" for row in rows]
        lines += ["", cells[0], "| --- | --- | --- |", *cells[1:]]
    return "\n".join(lines)


def _claimed(report: MechanismReport) -> str:
    return f"Claim {code_span(report.claim)}" if report.audit.claim.stated else "No claim"


def as_junit(report: MechanismReport) -> str:
    """One test case: a failure if the claim is refuted, skipped if there is no conclusion.

    Without a claim it passes, and its message is the largest ε.
    """
    audit = report.audit
    facts = {
        "mechanism": audit.name,
        "datasets": audit.finder,
        "neighboring_relation": audit.neighboring_relation,
        "testers": ", ".join(audit.testers),
        "trials": f"{len(audit.trials)} of {audit.planned}",
        "samples": str(audit.samples),
        "confidence": percent(audit.confidence),
        "seed": str(audit.seed),
    }
    case = Case(
        name=report.claim,
        outcome={0: "passed", 1: "failure", 3: "skipped"}[report.status],
        kind=report.verdict,
        message=report.words,
        text=as_text(report),
    )
    return to_junit("workbench test", audit.name, facts, [case])


FORMATS: dict[str, Callable[[MechanismReport], str]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
    "junit": as_junit,
}
