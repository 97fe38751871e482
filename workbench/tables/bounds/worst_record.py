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
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from workbench import _checks
from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.bounds.random_split import second_split
from workbench.curves.validation import Floats
from workbench.progress import Report, part, silent
from workbench.tables.bounds.counting import rank_counts
from workbench.tables.bounds.e_values import (
    ROWS_AND_COINS,
    assumption_of,
    bets_of,
    log_calibrated,
    log_e_values,
)
from workbench.tables.bounds.each_record import limits_of, record_limits
from workbench.tables.bounds.guesses import SHARE, first_models, promising, table_guesses
from workbench.tables.bounds.rank_counts import RankCounts
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
    table: Tabulated,
    delta: float,
    confidence: float = 0.95,
    method: str = "held-out",
    progress: Report | None = None,
) -> Bound:
    """Lower bound on the largest ε of all records. See `ScoreTable.worst_record`.

    Parameters
    ----------
    table : ScoreTable
    delta, confidence : float
    method : {"held-out", "simultaneous", "e-values"}
    progress : Report, optional
    """
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    _checks.one_of(method, "method", METHODS)
    report = silent if progress is None else progress
    found = METHODS[method](table, delta, confidence, report)
    report(1.0, "finished")
    return found


def worst_of_groups(
    table: Tabulated,
    by: str,
    delta: float,
    confidence: float = 0.95,
    method: str = "held-out",
    progress: Report | None = None,
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
    report = silent if progress is None else progress
    found = {}
    for i, value in enumerate(groups):
        its = part(report, i / groups.size, (i + 1) / groups.size)
        bound = worst_record(table.of_records(values == value), delta, of_each, method, its)
        found[value.item()] = replace(bound, note=" ".join(filter(None, [bound.note, note])))
    return found


def uncorrected_maximum(
    table: Tabulated, delta: float, confidence: float = 0.95, progress: Report | None = None
) -> Bound:
    """The largest of limits that are valid for one record each: an estimate.

    See `ScoreTable.uncorrected_maximum`.
    """
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    report = silent if progress is None else progress
    errors = np.full(table.n_records, 1 - confidence)
    counts = rank_counts(table, part(report, 0.0, 0.6))
    values = limits_of(counts, delta, errors, part(report, 0.6, 1.0))
    report(1.0, "finished")
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


def _simultaneous(
    table: Tabulated, delta: float, confidence: float, report: Report = silent
) -> Bound:
    limits = record_limits(table, delta, confidence, report)
    error = (1 - confidence) / max(int(table.auditable.sum()), 1)
    errors = np.full(table.n_records, error)
    return _bound(
        table,
        delta,
        _sharpened(limits.values, limits.counts, delta, errors, report),
        guarantee="simultaneous",
        method="limits for all records",
        confidence=confidence,
        recompute=lambda level: _simultaneous(table, delta, level),
    )


def _held_out(table: Tabulated, delta: float, confidence: float, report: Report = silent) -> Bound:
    first = first_models(table)
    if table.design.has_fair_coins and not first.all():
        return _guessed(table, delta, confidence, report)
    records = promising(table, first, part(report, 0.0, 0.4)).records[:_MOST_RECORDS]
    place = np.arange(1, records.size + 1)
    errors = np.zeros(table.n_records)
    errors[records] = (1 - confidence) / (place * (place + 1))
    counts = rank_counts(table, part(report, 0.4, 0.5), models=~first, records=records)
    limits = limits_of(counts, delta, errors, part(report, 0.5, 1.0))
    return _bound(
        table,
        delta,
        _sharpened(limits, counts, delta, errors, report),
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


def _sharpened(
    values: Floats, counts: RankCounts, delta: float, errors: Floats, report: Report
) -> Floats:
    """The limits, of which the largest are those of one question, which are never smaller."""
    found = values.copy()
    for record in np.argsort(-values, kind="stable")[:_SHARPENED].tolist():
        report()
        if values[record] > 0 and errors[record] >= _LEAST_ERROR:
            sharper = counts.group_of(record).limit(record, delta, float(errors[record]))
            found[record] = max(values[record], sharper)
    return found


def _guessed(table: Tabulated, delta: float, confidence: float, report: Report = silent) -> Bound:
    found = table_guesses(table, delta, 1 - confidence, report)
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


def _e_values(table: Tabulated, delta: float, confidence: float, report: Report = silent) -> Bound:
    log_e = log_e_values(table, 0.0, delta, part(report, 0.0, 0.8))
    # Leaving out records makes the mean smaller.
    records = np.sort(np.argsort(-log_e, kind="stable")[:_MOST_RECORDS])
    claims = int(table.auditable.sum())
    goal = math.log1p(REMARKABLE) - math.log1p(-confidence)
    search = _first_of_coins if table.design.has_fair_coins else _first_of_p_values
    steps, log_e = search(table, records, delta, goal + math.log(claims), part(report, 0.8, 1.0))
    values = np.zeros(table.n_records)
    if steps:
        values[records[int(np.argmax(log_e))]] = _STEP * (steps - 1)
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


def _first_of_coins(
    table: Tabulated, records: NDArray[np.intp], delta: float, goal: float, report: Report
) -> tuple[int, Floats]:
    """The first point of the grid at which the logs of the e-values add up to less than the goal.

    Returns
    -------
    steps : int
    log_e_values : ndarray, shape (K,)
        At the point before; at 0 if there is none.

    Notes
    -----
    The wealth need not fall as ε grows: a wrong guess that is not bet on any more raises it. So
    each point of the grid is looked at. The last one has no bet, and refutes nothing.
    """
    report(0.0, "betting on the records with the most evidence")
    log_e = bets_of(table, records).log_wealth_on_grid(_STEP, delta)
    steps = int(np.argmax(logsumexp(log_e, axis=1) < goal))
    return steps, log_e[max(steps - 1, 0)]


def _first_of_p_values(
    table: Tabulated, records: NDArray[np.intp], delta: float, goal: float, report: Report
) -> tuple[int, Floats]:
    """As `_first_of_coins`, where e-values of p-values fall as ε grows."""
    counts = rank_counts(table, records=records)

    def log_e(step: int) -> Floats:
        report(None, "testing the records with the most evidence")
        return log_calibrated(counts.p_values(_STEP * step, delta)[records])

    def stands(step: int) -> bool:
        return bool(logsumexp(log_e(step)) < goal)

    steps = bisect_left(range(_MOST_STEPS), True, key=stands)
    return steps, log_e(max(steps - 1, 0))


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


class _Method(Protocol):
    """A bound on the largest ε."""

    def __call__(
        self, table: Tabulated, delta: float, confidence: float, report: Report = silent
    ) -> Bound: ...


#: Method -> its function.
METHODS: dict[str, _Method] = {
    "held-out": _held_out,
    "simultaneous": _simultaneous,
    "e-values": _e_values,
}
