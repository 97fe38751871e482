"""Verdicts, claims, findings and datasets in words; findings as table rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench._format import plain, round_safely
from workbench.claims.base import Claim
from workbench.testers.evidence import Trial
from workbench.testers.finders.neighbors import Neighbors, left_over
from workbench.testers.property_testers.base import Finding

#: The verdicts of an audit.
FOUND, NONE_FOUND, NOTHING_TESTED = "violation found", "none found", "nothing tested"

#: The verdict of an audit without a claim, whose answer is a number.
LARGEST = "largest ε"


def finding_in_words(finding: Finding) -> str:
    """What was found and what is claimed: the claim's parameter, or the divergence of a pair."""
    bound, own = finding.bound, finding.claim.parameter
    if own is None or finding.parameter is None:
        allowed = round_safely(finding.allowed, "up")
        return f"{bound.symbol} ≥ {bound.rounded} where the claim allows {allowed}"
    symbol = finding.claim.symbol
    if not finding.claim.stated:
        return largest_in_words(finding)
    return f"{symbol} ≥ {round_safely(finding.parameter, 'down')} where {plain(own)} is claimed"


def largest_in_words(finding: Finding) -> str:
    """The largest ε that is proven without a claim, such as "ε ≥ 0.41 at δ = 0"."""
    bound = finding.bound
    return f"ε ≥ {bound.rounded} at δ = {plain(bound.at.delta or 0.0)}"


def leak_in_words(claim: Claim, least: float | None) -> str:
    """The smallest parameter that would have been found, such as "ε ≥ 1.1".

    Parameters
    ----------
    claim : Claim or Pair
    least : float, optional
        None where it is unknown, ``inf`` where no leak would have been found.
    """
    if least is None:
        return "one of unknown size"
    if math.isinf(least):
        return "none, however large"
    return f"{claim.symbol} ≥ {round_safely(least, 'up')}"


def datasets_in_words(neighbors: Neighbors | None) -> str:
    """Which datasets, and the record in which they differ."""
    if neighbors is None:
        return "There are no datasets."
    a, b = neighbors.dataset, neighbors.neighbor
    if max(a.size, b.size) <= _FEW:
        return f"Dataset: {_listed(a)}; neighbor: {_listed(b)}."
    more, fewer = left_over(a, b), left_over(b, a)
    if neighbors.neighboring_relation == "substitute":
        differ = f"the neighbor has {_listed(fewer)} in place of {_listed(more)}"
    else:
        differ = (
            f"the neighbor lacks {_listed(more)}"
            if len(more)
            else (f"the neighbor also has {_listed(fewer)}")
        )
    return f"Dataset: {count_in_words(len(a), 'record')}; {differ}."


#: Datasets of at most so many values are listed in full.
_FEW = 10


def _listed(records: Any) -> str:
    return np.array2string(np.asarray(records), precision=4, separator=", ").replace("\n", "")


def count_in_words(count: int, what: str) -> str:
    """A count with its noun, such as "2 trials".

    Parameters
    ----------
    count : int
    what : str
        In the singular.
    """
    return f"{count:,} {what}" + ("" if count == 1 else "s")


#: Columns of `MechanismAudit.to_frame`.
COLUMNS = (
    "trial", "tester", "violation", "quantity", "value", "allowed", "parameter", "direction",
    "confidence", "void", "refused", "error", "seconds", "runs",
)  # fmt: skip


def row(trial: Trial, tester: str) -> dict[str, Any]:
    """One row of `MechanismAudit.to_frame`."""
    values: dict[str, Any] = {
        "trial": trial.index,
        "tester": tester,
        "refused": trial.refused.get(tester),
        "error": trial.error,
        "seconds": trial.seconds,
        "runs": trial.runs,
    }
    finding = trial.findings.get(tester)
    if finding is not None:
        values |= {
            "violation": finding.violation,
            "quantity": finding.bound.symbol,
            "value": finding.bound.value,
            "allowed": finding.allowed,
            "parameter": finding.parameter,
            "direction": finding.bound.direction,
            "confidence": finding.bound.confidence,
            "void": finding.bound.void,
        }
    return values
