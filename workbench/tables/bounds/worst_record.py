"""Lower bounds on the largest ε of all records of a table: `worst_record`, by several methods.

"held-out" with independent fair coins adds up guesses (`workbench.tables.bounds.guesses`). Without
them it orders the records by a part of the models and tests each on the others, the j-th one with
the share 1/(j (j + 1)) of the error budget; these shares add up to 1. "simultaneous" is the largest
limit, each having an equal share as in `workbench.tables.bounds.each_record`. In both, ε at δ is
the one question that is asked of each record (`workbench.bounds.one_question.one_question`), which
is computed for the records with the largest limits. "e-values" averages an e-value of each record
(`workbench.tables.bounds.e_values`): the average is one too, and is 1/α or more with probability at
most α. ε is refuted on a grid, from 0 upwards, until an ε is not refuted; so the bound exceeds the
truth only if the first point of the grid above the truth was refuted.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from workbench import _checks
from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.bounds.random_split import second_split
from workbench.curves.validation import Floats
from workbench.tables.bounds.e_values import (
    ROWS_AND_COINS,
    assumption_of,
    evidence_of,
    log_calibrated,
    log_e_values,
    log_wealth,
)
from workbench.tables.bounds.each_record import limits_of, record_limits
from workbench.tables.bounds.guesses import SHARE, first_models, promising, table_guesses
from workbench.tables.bounds.rank_counts import RankCounts, rank_counts
from workbench.tables.bounds.tabulated import Tabulated
from workbench.tables.design import REMARKABLE

#: Assumption of bounds from guesses.
FAIR_COINS = "independent fair coins of all models"

#: Records that get a share of the error budget, or are averaged, one by one.
_MOST_RECORDS = 512

_SHARED = " It does not hold for scores that were computed from other models of the table."

#: Records with the largest limits, which are computed as those of one question, and the least share
#: of the error budget at which they are.
_SHARPENED, _LEAST_ERROR = 8, 1e-6

#: Records that a note names.
_NAMED = 5

#: Steps of ε in which averages of e-values are inverted.
_STEP = 0.02
_MOST_STEPS = 2**15


def worst_record(
    table: Tabulated, delta: float, confidence: float = 0.95, method: str = "held-out"
) -> Bound:
    """Lower bound on the largest ε of all records. See `ScoreTable.worst_record`.

    Parameters
    ----------
    table : ScoreTable
    delta, confidence : float
    method : {"held-out", "simultaneous", "e-values"}
    """
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    _checks.one_of(method, "method", METHODS)
    return METHODS[method](table, delta, confidence)


def worst_of_groups(
    table: Tabulated, by: str, delta: float, confidence: float = 0.95, method: str = "held-out"
) -> dict[Any, Bound]:
    """The worst record of each group of records. See `ScoreTable.worst_of_groups`."""
    flat = [name for name, column in table.attributes.items() if np.ndim(column) == 1]
    values = np.asarray(table.attributes[_checks.one_of(by, "by", flat)])
    confidence = _checks.confidence(confidence)
    groups = np.unique(values[table.auditable])
    of_each = 1 - (1 - confidence) / max(groups.size, 1)
    note = (
        f"One of {groups.size} groups that share the error probability: all of their bounds hold "
        f"together at {percent(confidence)}."
    )
    found = {}
    for value in groups:
        bound = worst_record(table.of_records(values == value), delta, of_each, method)
        found[value.item()] = replace(bound, note=" ".join(filter(None, [bound.note, note])))
    return found


def uncorrected_maximum(table: Tabulated, delta: float, confidence: float = 0.95) -> Bound:
    """The largest of limits that are valid for one record each: an estimate.

    See `ScoreTable.uncorrected_maximum`.
    """
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    errors = np.full(table.n_records, 1 - confidence)
    values = limits_of(rank_counts(table), delta, errors)
    return _bound(
        table,
        delta,
        values,
        guarantee="estimate",
        method="uncorrected maximum",
        note=(
            f"It is the largest of {int(table.auditable.sum())} limits, each of which is valid at "
            f"{percent(confidence)} for a record that was named in advance; their largest is not."
        ),
    )


def _simultaneous(table: Tabulated, delta: float, confidence: float) -> Bound:
    limits = record_limits(table, delta, confidence)
    error = (1 - confidence) / max(int(table.auditable.sum()), 1)
    return _bound(
        table,
        delta,
        _sharpened(limits.values, limits.counts, delta, np.full(table.n_records, error)),
        guarantee="simultaneous",
        method="limits for all records",
        confidence=confidence,
        recompute=lambda level: _simultaneous(table, delta, level),
    )


def _held_out(table: Tabulated, delta: float, confidence: float) -> Bound:
    first = first_models(table)
    if table.design.has_fair_coins and not first.all():
        return _guessed(table, delta, confidence)
    records = promising(table, first).records[:_MOST_RECORDS]
    place = np.arange(1, records.size + 1)
    errors = np.zeros(table.n_records)
    errors[records] = (1 - confidence) / (place * (place + 1))
    counts = rank_counts(table, models=~first, records=records)
    return _bound(
        table,
        delta,
        _sharpened(limits_of(counts, delta, errors), counts, delta, errors),
        guarantee="held-out",
        method="held-out records",
        confidence=confidence,
        seed=table.chance,
        void=second_split(table),
        note=(
            f"{_drawn(table)} ordered the records; the others tested them. Guesses on several "
            f"records do not count together, since the memberships do not look "
            f"like independent fair coins ({table.design.name})."
        ),
        recompute=lambda level: _held_out(table, delta, level),
    )


def _drawn(table: Tabulated) -> str:
    return f"{percent(SHARE)} of the models, drawn at random (seed {table.chance}),"


def _sharpened(values: Floats, counts: RankCounts, delta: float, errors: Floats) -> Floats:
    """The limits, of which the largest are those of one question, which are never smaller."""
    found = values.copy()
    for record in np.argsort(-values, kind="stable")[:_SHARPENED].tolist():
        if values[record] > 0 and errors[record] >= _LEAST_ERROR:
            sharper = counts.group_of(record).limit(record, delta, float(errors[record]))
            found[record] = max(values[record], sharper)
    return found


def _guessed(table: Tabulated, delta: float, confidence: float) -> Bound:
    found = table_guesses(table, delta, 1 - confidence)
    number = found.records.size
    names = ", ".join(str(name) for name in table.record_names[found.records[:_NAMED]])
    others = f" and {number - _NAMED} more" if number > _NAMED else ""
    return Bound(
        quantity="epsilon",
        value=found.epsilon(delta, 1 - confidence),
        guarantee="held-out",
        method="held-out guesses",
        assumption=FAIR_COINS if table.sampling == "independent runs" else ROWS_AND_COINS,
        n_p=found.included,
        n_q=found.coins - found.included,
        confidence=confidence,
        at=QuantityArguments(delta=delta),
        canaries=found.coins,
        guesses=found.guesses,
        correct=found.correct,
        seed=table.chance,
        void=second_split(table),
        note=(
            f"{_drawn(table)} selected the "
            f"{'record' if number == 1 else f'{number} records'} {names}{others} and a rule to "
            f"guess; on the others {found.correct:,} of {found.guesses:,} guesses are correct. At "
            "least one selected record leaks that much."
            + ("" if table.sampling == "independent runs" else _SHARED)
        ),
        recompute=lambda level: _guessed(table, delta, level),
    )


def _e_values(table: Tabulated, delta: float, confidence: float) -> Bound:
    records, log_e = _strongest(table, delta)
    claims = int(table.auditable.sum())
    goal = math.log1p(REMARKABLE) - math.log1p(-confidence)

    def stands(step: int) -> bool:
        # Leaving out records makes the mean smaller.
        return bool(logsumexp(log_e(_STEP * step)) - math.log(claims) < goal)

    if table.design.has_fair_coins:
        steps = next(step for step in count() if stands(step))
    else:  # e-values of p-values fall as ε grows
        steps = bisect_left(range(_MOST_STEPS), True, key=stands)
    values = np.zeros(table.n_records)
    if steps:
        value = _STEP * (steps - 1)
        values[records[int(np.argmax(log_e(value)))]] = value
    return _bound(
        table,
        delta,
        values,
        guarantee="simultaneous",
        method="e-values of records",
        confidence=confidence,
        assumption=assumption_of(table),
        seed=table.chance if table.design.has_fair_coins else None,
        about="The evidence was averaged over all records; the largest is that of record {}.",
        recompute=lambda level: _e_values(table, delta, level),
    )


def _strongest(
    table: Tabulated, delta: float
) -> tuple[NDArray[np.intp], Callable[[float], Floats]]:
    """Records with much evidence, and the logs of their e-values as a function of ε."""
    e_values = log_e_values(table, 0.0, delta)
    records = np.sort(np.argsort(-e_values, kind="stable")[:_MOST_RECORDS])
    if table.design.has_fair_coins:
        evidence = evidence_of(table, records)
        return records, lambda epsilon: log_wealth(evidence, epsilon, delta)
    counts = rank_counts(table, records=records)
    return records, lambda epsilon: log_calibrated(counts.p_values(epsilon, delta)[records])


def _bound(
    table: Tabulated,
    delta: float,
    values: Floats,
    *,
    about: str = "It is the limit of record {}.",
    note: str = "",
    **rest: Any,
) -> Bound:
    """The largest value, with the numbers of models of its record."""
    best = int(np.argmax(values))
    value = float(values[best])
    said = about.format(table.record_names[best]) if value > 0 else ""
    fields: dict[str, Any] = {
        "quantity": "epsilon",
        "value": value,
        "assumption": table.assumption,
        "n_p": int(table.n_in[best]),
        "n_q": int(table.n_out[best]),
        "at": QuantityArguments(delta=delta),
        "note": " ".join(filter(None, [said, note])) or None,
    }
    return Bound(**(fields | rest))


#: Method -> function of table, δ and confidence.
METHODS: dict[str, Callable[[Tabulated, float, float], Bound]] = {
    "held-out": _held_out,
    "simultaneous": _simultaneous,
    "e-values": _e_values,
}
