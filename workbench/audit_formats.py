"""What `workbench audit` prints: text for people, JSON, markdown and JUnit XML for a CI."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from workbench.bounds.band import TOLD_FPR, tradeoff_band
from workbench.bounds.estimates import auc_estimate, total_variation_estimate
from workbench.bounds.result import Bound
from workbench.bounds.verdict import NOT_REFUTED, REFUTED, TOO_FEW, Verdict, judge
from workbench.claims import Claim
from workbench.estimators.histogram import histogram
from workbench.estimators.roc import roc
from workbench.scores.sample import Scores

#: Versions of the JSON: of the whole, and of its "claims".
VERSION, CLAIMS_VERSION = 1, 1

#: The exit status of each verdict; of several, the first in this order counts.
STATUS = {REFUTED: 1, TOO_FEW: 3, NOT_REFUTED: 0}


@dataclass(frozen=True)
class Audit:
    """The main numbers of a score file, and verdicts on claims, all of one event.

    Attributes
    ----------
    scores : Scores
    bounds : tuple of Bound
    verdicts : tuple of Verdict
    telling : Bound
        The true positive rate that says most.
    auc : Bound
    """

    scores: Scores
    bounds: tuple[Bound, ...]
    verdicts: tuple[Verdict, ...]
    telling: Bound
    auc: Bound

    @classmethod
    def of(cls, scores: Scores, claims: list[Claim], delta: float, confidence: float) -> Audit:
        """Audit scores; the claims are judged at the same confidence."""
        band = tradeoff_band(scores, confidence)
        auc = auc_estimate(roc(scores))
        bounds = (
            band.epsilon(delta),
            band.mu(),
            band.total_variation(),
            *(band.tpr(fpr) for fpr in TOLD_FPR),
            auc,
            total_variation_estimate(histogram(scores)),
        )
        verdicts = tuple(judge(scores, claim, confidence) for claim in claims)
        return cls(scores, bounds, verdicts, band.most_telling(), auc)

    @property
    def status(self) -> int:
        """1 if any claim is refuted, else 3 if there are too few samples for any, else 0."""
        found = {verdict.verdict for verdict in self.verdicts}
        return next((status for verdict, status in STATUS.items() if verdict in found), 0)


def as_text(audit: Audit) -> str:
    """A table of the numbers, and the verdicts as sentences."""
    lines = [repr(audit.scores)]
    if audit.auc.value < 0.5:
        lines.append(
            "AUC is below ½: if smaller scores speak for membership, add --smaller-is-member."
        )
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


def as_json(audit: Audit) -> str:
    """Everything, for machines; ±∞ and NaN, which JSON lacks, are strings."""
    s = audit.scores
    report: dict[str, Any] = {
        "version": VERSION,
        "scores": {
            "name": s.name,
            "n_p": s.n_p,
            "n_q": s.n_q,
            "larger_is_member": s.larger_is_member,
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
    return json.dumps(_finite(report), indent=2, ensure_ascii=False, allow_nan=False)


def as_markdown(audit: Audit) -> str:
    """Tables that a CI can post."""
    s = audit.scores
    name = f"`{_cell(s.name).replace('`', '')}`: " if s.name else ""
    lines = [
        "### Privacy audit",
        "",
        f"{name}{s.n_p:,} scores of members, {s.n_q:,} of non-members.",
        "",
    ]
    if audit.verdicts:
        terms = ", ".join(audit.verdicts[0].terms)
        lines += ["| claim | verdict | which rests on |", "|---|---|---|"]
        lines += [
            f"| `{verdict.claimed}` | **{verdict.verdict}** | {_cell(verdict.summary)} |"
            for verdict in audit.verdicts
        ]
        lines += ["", f"All verdicts together: {terms}. None of them shows privacy.", ""]
    lines += ["| number | value | what it promises |", "|---|---|---|"]
    lines += [
        f"| {_cell(b.symbol)} | {b.relation} {b.rounded} | {_cell(', '.join(b.terms))} |"
        for b in audit.bounds
    ]
    return "\n".join(lines)


def as_junit(audit: Audit) -> str:
    """A test case a claim: a failure if it is refuted, skipped if there are too few samples.

    In the elements that Jenkins and GitLab read; written in ASCII, so that any shell passes it on.

    Raises
    ------
    ValueError
        Without a claim there is no test.
    """
    if not audit.verdicts:
        raise ValueError("junit has a test a claim and none was given; add --claim 'gdp(1)'")
    s, found = audit.scores, [verdict.verdict for verdict in audit.verdicts]
    counts = {
        "name": "workbench audit",
        "tests": str(len(found)),
        "failures": str(found.count(REFUTED)),
        "errors": "0",
        "skipped": str(found.count(TOO_FEW)),
    }
    # The outer element has no count of skipped tests in Jenkins' schema.
    outer = {name: n for name, n in counts.items() if name != "skipped"}
    root = ElementTree.Element("testsuites", outer)
    suite = ElementTree.SubElement(root, "testsuite", counts)
    properties = ElementTree.SubElement(suite, "properties")
    facts = {
        "scores": s.name,
        "n_p": str(s.n_p),
        "n_q": str(s.n_q),
        "terms": ", ".join(audit.verdicts[0].terms),
    }
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", name=name, value=_xml(value))
    for verdict in audit.verdicts:
        _add_case(suite, verdict, _xml(s.name) or "scores")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True).decode("ascii")


def _add_case(suite: ElementTree.Element, verdict: Verdict, name: str) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=name, name=verdict.claimed)
    message = f"{verdict.verdict}: {verdict.summary}"
    if verdict.verdict == REFUTED:
        inner = ElementTree.SubElement(case, "failure", type="refuted", message=message)
    elif verdict.verdict == TOO_FEW:
        inner = ElementTree.SubElement(case, "skipped", type="too few samples", message=message)
    else:
        inner = ElementTree.SubElement(case, "system-out")
    inner.text = _xml(verdict.explain())


FORMATS: dict[str, Callable[[Audit], str]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
    "junit": as_junit,
}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _cell(text: str) -> str:
    """Text within one cell of a table."""
    return re.sub(r"\s+", " ", text).replace("|", r"\|")


def _xml(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)
