"""`as_sarif`: an audit as SARIF 2.1.0, which code scanning of GitHub, GitLab and editors read.

Source: Static Analysis Results Interchange Format (SARIF) Version 2.1.0, OASIS Standard, 2020.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import workbench as wb
from workbench._markup import visible
from workbench.bounds.power.verdict import REFUTED, TOO_FEW
from workbench.cli.output import to_json
from workbench.cli.score_audit.file_audit import WRONG_WAY, FileAudit

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

#: The root of the sources, to which files are relative (section 3.14.14).
_ROOT = "%SRCROOT%"

#: Rules besides those of claims.
_DIRECTION, _BASELINE = "direction-in-doubt", "baseline"

_LEVEL = {REFUTED: "error", TOO_FEW: "warning"}


def as_sarif(audit: FileAudit) -> str:
    """A rule per claim, and a result for each that is refuted or cannot be told.

    A doubtful direction and a baseline that leaks less are results, too.
    """
    rules = list(_rules(audit))
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    where = [{"physicalLocation": _place(path)} for path in audit.files]
    results = [
        {
            "ruleId": rule,
            "ruleIndex": index[rule],
            "level": level,
            "message": {"text": _message(text)},
            "locations": where[:1],
            "relatedLocations": where[1:],
            "partialFingerprints": {"rule/v1": hashlib.sha256(rule.encode()).hexdigest()},
        }
        for rule, level, text in _results(audit)
    ]
    properties: dict[str, Any] = {}
    if audit.looked:
        properties["not_valid"] = audit.looked
    if audit.series is not None:
        properties["series"] = audit.series.to_dict()
    if audit.baseline is not None:
        properties["baseline"] = audit.baseline.to_dict()
    if audit.saved is not None:
        properties["saved"] = {"name": audit.saved.name, "key": audit.saved.key}
    driver = {
        "name": "DP Audit Workbench",
        "version": wb.__version__,
        "rules": rules,
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "exitCode": audit.status}],
        "automationDetails": {"id": "workbench audit/"},
        "results": results,
        "columnKind": "unicodeCodePoints",
        "properties": properties,
    }
    return to_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rules(audit: FileAudit) -> Iterator[dict[str, Any]]:
    for verdict in audit.verdicts:
        yield _rule(
            _id(verdict.claimed),
            "PrivacyClaim",
            f"The scores do not refute {verdict.claimed}",
            "A claim is refuted where the scores contradict it with the stated confidence. Scores "
            "that do not refute a claim do not show that it is true.",
            "error",
        )
    yield _rule(
        _DIRECTION,
        "ScoreDirection",
        "The direction of the score is right",
        "Members score significantly less member-like than non-members, as losses read the wrong "
        "way do. State --smaller-is-member or --larger-is-member.",
        "warning",
    )
    if audit.baseline is not None:
        yield _rule(
            _BASELINE,
            "Baseline",
            "The scores do not leak more than those of the baseline",
            "The true positive rate of thresholds on the scores certainly lies above that of the "
            "baseline at some false positive rate.",
            "error",
        )


def _results(audit: FileAudit) -> Iterator[tuple[str, str, str]]:
    """Rule, level and text of each result."""
    for verdict in audit.verdicts:
        if verdict.verdict in _LEVEL:
            yield _id(verdict.claimed), _LEVEL[verdict.verdict], verdict.explain()
    if audit.reversed:
        yield _DIRECTION, "warning", f"{WRONG_WAY}: {audit.doubt}"
    if audit.worse and audit.baseline is not None:
        yield _BASELINE, "error", f"{audit.baseline.verdict}: {audit.baseline.explain()}"


def _rule(id: str, name: str, short: str, full: str, level: str) -> dict[str, Any]:
    return {
        "id": id,
        "name": name,
        "shortDescription": {"text": _message(short)},
        "fullDescription": {"text": _message(full)},
        "help": {"text": _message(full)},
        "defaultConfiguration": {"level": level},
    }


def _id(claimed: str) -> str:
    return f"claim/{claimed}"


def _place(path: Path) -> dict[str, Any]:
    """The place of a score file; relative to the sources, where it lies in them."""
    absolute, here = path.absolute(), Path.cwd()
    if absolute.is_relative_to(here) and ".." not in absolute.parts:
        name = absolute.relative_to(here).as_posix()
        artifact = {"uri": quote(name, errors="surrogateescape"), "uriBaseId": _ROOT}
    else:
        artifact = {"uri": f"file://{quote(absolute.as_posix(), errors='surrogateescape')}"}
    return {"artifactLocation": artifact, "region": {"startLine": 1}}


def _message(text: str) -> str:
    """Text of a message, in which nothing is a link or a placeholder (sections 3.11.5, 3.11.6)."""
    return re.sub(r"([\\\[\]])", r"\\\1", visible(text)).replace("{", "{{").replace("}", "}}")
