"""Singling out: predicates from the synthetic table that match exactly one record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.synthetic.threats.predicates import (
    Predicate,
    matches,
    multivariate,
    only_matches,
    text_of,
    univariate,
)
from workbench.synthetic.threats.successes import Successes, ThreatName
from workbench.synthetic.threats.view import ThreatView

#: Columns of a predicate, and predicates, at most.
_MOST_COLUMNS, _MOST_ATTACKS = 1000, 10_000


@dataclass(frozen=True)
class SinglingOut:
    """The attack that isolates a record by a predicate learned from the synthetic table.

    A record is singled out if some predicate matches it and no other record of the pool, that is
    of the training table and the holdout together. Then the attacker guesses that it is a member.

    Parameters
    ----------
    columns : int
        Of each predicate; 1 takes the rare values, extremes and single missing values of each
        column, whatever ``attacks`` is.
    attacks : int
        Predicates of several columns that are looked for.

    Notes
    -----
    Giomi et al. (2023), and anonymeter, count a predicate as a success if it matches exactly one
    record *of the training table*, and compare with those that match exactly one of the holdout.
    Which records have a match then depends on memberships, so that no test by the coins alone
    counts it. A predicate that matches one member and one held-out record counts on both sides
    there and cancels in the difference; here it counts on neither.
    """

    columns: int = 3
    attacks: int = 1000

    name: ClassVar[ThreatName] = "singling-out"

    def __post_init__(self) -> None:
        for field, most in (("columns", _MOST_COLUMNS), ("attacks", _MOST_ATTACKS)):
            given = _checks.count(getattr(self, field), field, least=1, most=most)
            object.__setattr__(self, field, given)

    @_checks.arguments
    def run(self, view: ThreatView, chance: np.random.Generator) -> tuple[Successes, ...]:
        """The records of the pool that are singled out, of all of them.

        Nothing where several columns are asked for and there is one.

        Parameters
        ----------
        view : ThreatView
        chance : numpy.random.Generator
            Draws the predicates of several columns.
        """
        if len(view.columns) < 2 <= self.columns:
            return ()
        if self.columns == 1:
            predicates, label = univariate(view, chance), "singling out by one column"
        else:
            predicates = multivariate(view, self.columns, self.attacks, chance)
            label = f"singling out by {min(self.columns, len(view.columns))} columns"
        found = only_matches(predicates, view)
        success = np.zeros(view.pool_size, bool)
        by = np.full(view.pool_size, "", object)
        used: dict[int, tuple[str, ...]] = {}
        for i in np.flatnonzero(found >= 0)[::-1].tolist():  # the first predicate is named
            row = int(found[i])
            success[row], by[row] = True, text_of(predicates[i], view.columns)
            used[row] = tuple(view.columns[one.column].name for one in predicates[i])
        rows = np.arange(view.pool_size)
        return (
            Successes.of_rows(
                self.name,
                label,
                view.names,
                view,
                rows,
                success,
                by=by,
                used=lambda at: used[at],
                predicates=predicates,
            ),
        )


def single_matches(
    predicates: Sequence[Predicate], view: ThreatView, member: NDArray[np.bool_]
) -> tuple[int, int]:
    """As anonymeter counts: predicates that match exactly one member, and one held-out record.

    Parameters
    ----------
    predicates : sequence of Predicate
    view : ThreatView
    member : ndarray of bool, shape (n,)
        Of the pool.
    """
    of_members = of_held_out = 0
    equal: dict[int, list[float]] = {}
    for predicate in predicates:
        if len(predicate) == 1 and predicate[0].sign == "=":
            equal.setdefault(predicate[0].column, []).append(predicate[0].value)
            continue
        rows = matches(predicate, view.columns)
        inside = int(member[rows].sum())
        of_members += inside == 1
        of_held_out += rows.size - inside == 1
    for place, asked in equal.items():
        values = view.columns[place].pool
        of_members += _equal_to_one(np.array(asked), values[member])
        of_held_out += _equal_to_one(np.array(asked), values[~member])
    return of_members, of_held_out


def _equal_to_one(asked: NDArray[np.float64], values: NDArray[np.float64]) -> int:
    ordered = np.sort(values)
    counts = np.searchsorted(ordered, asked, "right") - np.searchsorted(ordered, asked, "left")
    return int((counts == 1).sum())
