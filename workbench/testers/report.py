"""Verdicts, claims, findings and datasets in words; findings as table rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench import _checks
from workbench._format import plain, round_safely
from workbench.claims.base import Claim
from workbench.testers.evidence import Trial
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.finders.records import (
    MISSING,
    OnlyText,
    column_of,
    is_frame,
    keys,
    left_over,
)
from workbench.testers.property_testers.base import Finding

#: The verdicts of an audit.
FOUND, NONE_FOUND, NOTHING_TESTED = "violation found", "none found", "nothing tested"

#: The verdict of an audit without a claim, whose answer is a number.
LARGEST = "largest ε"

#: What is said where the digits of floats tell more than their values.
DIGITS = (
    'The digits of the floats tell both datasets apart on the fitting part: the tester "bits" '
    "measures how much they leak."
)


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


def relation_in_words(relation: str) -> str:
    """Which datasets are neighbors, such as "neighbors by add-remove".

    Parameters
    ----------
    relation : str
        One of `RELATIONS`, or several with "or" between.
    """
    names = relation.split(" or ")
    checked = " or ".join(name for name in names if name != "stated")
    said = [f"neighbors by {checked}"] if checked else []
    return " or ".join([*said, STATED] if "stated" in names else said)


def game_of(relation: str) -> tuple[str, str]:
    """The unit of privacy and the neighboring relation of a claim that the datasets test.

    Parameters
    ----------
    relation : str
        As of `relation_in_words`.

    Returns
    -------
    (str, str)
        "" for what the relation does not say.
    """
    games = {
        "add-remove": ("record", "add-remove"),
        "substitute": ("record", "substitute"),
        "user": ("user", "add-remove"),
        "label": ("label", "substitute"),
        "stated": ("", ""),
    }
    return games.get(relation, ("", ""))


def datasets_in_words(neighbors: Neighbors | None) -> str:
    """Which datasets, and what they differ in."""
    if neighbors is None:
        return "There are no datasets."
    a, b = neighbors.dataset, neighbors.neighbor
    if neighbors.neighboring_relation == "stated":
        return f"Dataset: {_shown(a)}; neighbor: {_shown(b)} ({STATED})."
    if OnlyText in (type(a), type(b)) or max(a.size, b.size) <= _FEW:
        return f"Dataset: {_shown(a)}; neighbor: {_shown(b)}."
    what = "row" if is_frame(a) else "record"
    return f"Dataset: {count_in_words(len(a), what)}; {_difference(neighbors, what)}."


#: What is said of neighbors that nobody checked.
STATED = "neighbors as stated by the caller"

#: Datasets of at most so many values are listed in full, and so many records of others.
_FEW = 10


def _difference(neighbors: Neighbors, what: str) -> str:
    a, b, column = neighbors.dataset, neighbors.neighbor, neighbors.column
    more, fewer = left_over(a, b), left_over(b, a)
    if neighbors.neighboring_relation == "substitute":
        return f"the neighbor has {_shown(fewer)} in place of {_shown(more)}"
    if neighbors.neighboring_relation == "label":
        old, new = (column_of(one, column)[0] for one in (more, fewer))
        return f"the neighbor has {column} = {new!r} in place of {old!r} in {_shown(more)}"
    if neighbors.neighboring_relation == "user":
        own = more if len(more) else fewer
        whose = f"{column} = {column_of(own, column)[0]!r}"
        few = f", {_shown(own)}" if own.size <= _FEW else ""
        has = "lacks" if len(more) else "also has"
        return f"the neighbor {has} {_all(len(own), what)} of {whose}{few}"
    return (
        f"the neighbor lacks {_shown(more)}"
        if len(more)
        else f"the neighbor also has {_shown(fewer)}"
    )


def _all(count: int, what: str) -> str:
    return f"the only {what}" if count == 1 else f"all {count:,} {what}s"


def _shown(dataset: Any) -> str:
    """A dataset in one line: its values where they are few, and otherwise what it is."""
    if isinstance(dataset, OnlyText):
        return f"{_checks.shown(dataset)} (the file has its text only)"
    if is_frame(dataset):
        if dataset.size > _FEW:
            columns = ", ".join(map(str, dataset.columns[:_FEW]))
            more = ", …" if dataset.shape[1] > _FEW else ""
            return f"{count_in_words(len(dataset), 'row')} of {columns}{more}"
        return _rows(dataset)
    if isinstance(dataset, np.ndarray):
        if dataset.size <= _LISTED:
            return _listed(dataset)
        return f"an array of shape {dataset.shape}"
    return _checks.shown(dataset)


#: Values of a stated array that are listed, at most.
_LISTED = 100


def _rows(frame: Any) -> str:
    """The rows of a small frame, such as ``[id=1, x=0.5; id=2, x=0.25]``."""
    if not len(frame):
        return "no rows"
    rows = (
        ", ".join(f"{name}={x!r}" for name, x in zip(frame.columns, row, strict=True))
        for row in keys(frame)
    )
    return f"[{'; '.join(rows)}]"


def _listed(records: Any) -> str:
    return np.array2string(np.asarray(records), precision=4, separator=", ").replace("\n", "")


def values_of(dataset: Any) -> Any:
    """A dataset as lists, for an output that other programs read.

    Returns
    -------
    list, dict or str
        The values of an array; the columns of a frame; otherwise the ``repr``.
    """
    if is_frame(dataset):
        known = keys(dataset)
        return {
            str(name): [_json_value(row[k]) for row in known]
            for k, name in enumerate(dataset.columns)
        }
    if isinstance(dataset, np.ndarray) and dataset.dtype.kind in "iufbU":
        return dataset.tolist()
    return repr(dataset)


def _json_value(x: Any) -> Any:
    if x is MISSING:
        return None
    return x if isinstance(x, bool | int | float | str) else str(x)


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
