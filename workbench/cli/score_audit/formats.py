"""The output of `workbench audit`: text, JSON, markdown, JUnit XML and annotations of GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from workbench._markup import code_span, visible
from workbench._markup import escape_markdown as markdown
from workbench.bounds.power.verdict import NOT_REFUTED, REFUTED, TOO_FEW
from workbench.cli.output import (
    Case,
    annotation,
    quoted,
    to_json,
    to_junit,
)
from workbench.cli.score_audit.file_audit import WRONG_WAY, FileAudit
from workbench.cli.score_audit.sarif import as_sarif

#: Versions of the JSON: of the whole, and of its "claims".
VERSION, CLAIMS_VERSION = 1, 1

#: What the formats that need a result have one of, and what it is called.
_NEEDS_RESULT = {"junit": "test", "github": "annotation", "sarif": "rule"}


def require_result(form: str, there: bool) -> None:
    """Refuse formats that have something per claim where there is no claim.

    Parameters
    ----------
    form : str
        A key of `FORMATS`.
    there : bool
        Whether there is a claim or a baseline.

    Raises
    ------
    ValueError
        There is none.
    """
    if form in _NEEDS_RESULT and not there:
        raise ValueError(
            f"{form} has one {_NEEDS_RESULT[form]} per claim, and no claim was given; add --claim "
            "'gdp(1)'"
        )


def remarks(audit: FileAudit) -> Iterator[str]:
    """What there is to say of a series, a baseline and the saved audit, a paragraph each."""
    if audit.looked:
        yield audit.late
    if audit.series is not None:
        yield audit.series.explain()
    if audit.baseline is not None:
        yield audit.baseline.explain()
    if audit.saved is not None:
        yield f"Saved as {quoted(audit.saved.name)} ({audit.saved.key})."


def as_text(audit: FileAudit) -> str:
    """The bounds as a table and the verdicts as sentences."""
    lines = [repr(audit.scores)]
    if audit.reversed:
        lines.append(audit.doubt)
    if audit.scores.samples.constant:
        lines.append(audit.scores.samples.constant)
    width = max(len(bound.symbol) for bound in audit.bounds)
    lines.append("")
    lines += [
        f"{b.symbol:<{width}}  {f'{b.relation} {b.rounded}':<9}  {', '.join(b.terms)}"
        for b in audit.bounds
    ]
    lines += ["", audit.telling.explain()]
    for verdict in audit.verdicts:
        lines += ["", verdict.explain()]
    for remark in remarks(audit):
        lines += ["", remark]
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
    if audit.looked:
        report["not_valid"] = audit.looked
    if audit.series is not None:
        report["series"] = audit.series.to_dict()
    if audit.baseline is not None:
        report["baseline"] = audit.baseline.to_dict()
    if audit.saved is not None:
        report["saved"] = {"name": audit.saved.name, "key": audit.saved.key}
    if audit.verdicts or audit.baseline is not None:
        report["status"] = audit.status
    return to_json(report)


def as_markdown(audit: FileAudit) -> str:
    """The audit as markdown tables."""
    s = audit.scores
    name = f"{code_span(s.name)}: " if s.name else ""
    lines = [
        "### Privacy audit",
        "",
        f"{name}{s.n_p:,} scores of members, {s.n_q:,} of non-members.",
        "",
    ]
    if audit.reversed:
        lines += [f"**{markdown(audit.doubt)}**", ""]
    if audit.verdicts:
        terms = ", ".join(audit.verdicts[0].terms)
        lines += ["| claim | verdict | which rests on |", "|---|---|---|"]
        lines += [
            f"| {code_span(one.claimed)} | **{one.verdict}** | {markdown(one.summary)} |"
            for one in audit.verdicts
        ]
        lines += ["", f"All verdicts together: {markdown(terms)}. None of them shows privacy.", ""]
    for remark in remarks(audit):
        lines += [markdown(remark), ""]
    lines += ["| number | value | what it promises |", "|---|---|---|"]
    lines += [
        f"| {markdown(b.symbol)} | {b.relation} {b.rounded} | {markdown(', '.join(b.terms))} |"
        for b in audit.bounds
    ]
    return "\n".join(lines)


def as_junit(audit: FileAudit) -> str:
    """A test case per claim: a failure if it is refuted, skipped if nothing can be told.

    That is so if there are too few samples, or if the direction of the score is in doubt. A
    baseline is one more test case.
    """
    s = audit.scores
    facts = {"scores": visible(s.name), "n_p": str(s.n_p), "n_q": str(s.n_q)}
    if audit.verdicts:
        facts["terms"] = ", ".join(audit.verdicts[0].terms)
    if audit.looked:
        facts["not valid"] = audit.looked
    if audit.series is not None:
        for fact, value in audit.series.to_dict().items():
            facts[f"series {fact}"] = visible(str(value))
    if audit.saved is not None:
        facts |= {"saved as": visible(audit.saved.name), "key": audit.saved.key}
    return to_junit("workbench audit", visible(s.name) or "scores", facts, _cases(audit))


def _cases(audit: FileAudit) -> Iterator[Case]:
    for verdict in audit.verdicts:
        outcome, kind = _OUTCOME[verdict.verdict], verdict.verdict
        message = f"{verdict.verdict}: {verdict.summary}"
        if audit.looked:
            message = f"{message}. {audit.late}"
        if audit.reversed and not verdict.refuted:
            outcome, kind, message = "skipped", WRONG_WAY, f"{WRONG_WAY}: {audit.doubt}"
        yield Case(verdict.claimed, outcome, kind, message, verdict.explain())
    if audit.baseline is not None:
        found = audit.baseline
        imported = "imported " if found.audit.imported else ""
        passed = "skipped" if found.comparison is None else "passed"
        yield Case(
            name=f"{imported}baseline {visible(found.audit.name)}",
            outcome="failure" if found.worse else passed,
            kind=found.verdict,
            message=f"{found.verdict}: {found.finding()}",
            text=found.explain(),
        )


def as_github(audit: FileAudit) -> str:
    """An annotation per claim: an error if it is refuted, a warning if nothing can be told.

    Series, baseline and saved audit have one each.
    """
    lines = [
        annotation(_LEVEL[verdict.verdict], f"{verdict.claimed}: {verdict.verdict}",
                   verdict.explain())
        for verdict in audit.verdicts
    ]  # fmt: skip
    if audit.baseline is not None:
        level = "error" if audit.worse else "notice"
        lines.append(annotation(level, audit.baseline.verdict, audit.baseline.explain()))
    if audit.series is not None:
        place = audit.series.audit
        title = f"series {visible(place.series)}: audit {place.position}"
        lines.append(annotation("notice", title, audit.series.explain()))
    if audit.saved is not None:
        name = quoted(audit.saved.name)
        lines.append(annotation("notice", "saved audit", f"Saved as {name} ({audit.saved.key})."))
    if audit.looked:
        lines.append(annotation("warning", "not valid", audit.late))
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
    "sarif": as_sarif,
}
