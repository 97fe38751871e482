"""Predicates that single out one record of the synthetic table, such as "age ≥ 84 and sex = F".

They are derived from the synthetic table alone, as by Giomi et al. (2023): univariate ones of a
rare value, an extreme or a single missing value of a column; multivariate ones of the values of a
random synthetic record in random columns, ≥ above the median of the column and ≤ below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.synthetic.threats.view import ThreatView, Values

Sign = Literal["=", "≤", "≥", "missing"]

#: Candidates that are tried for each multivariate predicate that is asked for, at most.
_ATTEMPTS = 20


@dataclass(frozen=True)
class Condition:
    """A condition on one column.

    Attributes
    ----------
    column : int
        Its place in the view.
    sign : {"=", "≤", "≥", "missing"}
    value : float
        As in `Values`; 0 for "missing".
    """

    column: int
    sign: Sign
    value: float

    def holds(self, column: Values, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which values of its column meet it; missing ones meet "missing" alone."""
        if self.sign == "missing":
            return column.is_missing(values)
        if self.sign == "=":
            return values == self.value
        return values <= self.value if self.sign == "≤" else values >= self.value


#: Conditions that all hold.
Predicate = tuple[Condition, ...]


def matches(
    predicate: Predicate, columns: Sequence[Values], synthetic: bool = False
) -> NDArray[np.intp]:
    """Rows of the pool, or of the synthetic table, that a predicate matches."""
    rows: NDArray[np.intp] | None = None
    for one in predicate:
        column = columns[one.column]
        values = column.synthetic if synthetic else column.pool
        if rows is None:
            rows = np.flatnonzero(one.holds(column, values))
        else:
            rows = rows[one.holds(column, values[rows])]
        if not rows.size:
            break
    return np.zeros(0, np.intp) if rows is None else rows


def univariate(view: ThreatView) -> tuple[Predicate, ...]:
    """All predicates of one column that match exactly one synthetic record."""
    found: list[Predicate] = []
    for j, column in enumerate(view.columns):
        values = column.synthetic
        missing = column.is_missing(values)
        if missing.sum() == 1:
            found.append((Condition(j, "missing", 0.0),))
        distinct, counts = np.unique(values[~missing], return_counts=True)
        once = distinct[counts == 1]
        found += [(Condition(j, "=", float(value)),) for value in once]
        if column.ordered and distinct.size:
            found += [
                (Condition(j, sign, float(distinct[end])),)
                for sign, end in _ENDS
                if counts[end] == 1
            ]
    return tuple(found)


#: Conditions on the least and on the largest value.
_ENDS: tuple[tuple[Sign, int], ...] = (("≤", 0), ("≥", -1))


def multivariate(
    view: ThreatView, columns: int, most: int, chance: np.random.Generator
) -> tuple[Predicate, ...]:
    """Distinct predicates of several columns that match exactly one synthetic record.

    Parameters
    ----------
    columns : int
        Columns of each predicate; all if there are fewer.
    most : int
        Predicates that are looked for; fewer are returned where 20 times as many attempts do not
        find them.
    chance : numpy.random.Generator
        Draws records and columns.
    """
    size, width = view.synthetic_size, min(columns, len(view.columns))
    if size == 0 or width == 0:
        return ()
    medians = [_median(column) for column in view.columns]
    found: dict[Predicate, None] = {}
    for _ in range(_ATTEMPTS * most):
        row = int(chance.integers(size))
        places = np.sort(chance.choice(len(view.columns), width, replace=False))
        predicate = tuple(
            _condition(view.columns[j], int(j), row, medians[j]) for j in places.tolist()
        )
        if predicate not in found and matches(predicate, view.columns, synthetic=True).size == 1:
            found[predicate] = None
            if len(found) == most:
                break
    return tuple(found)


def _median(column: Values) -> float:
    known = column.synthetic[~np.isnan(column.synthetic)]
    return float(np.median(known)) if column.ordered and known.size else 0.0


def _condition(column: Values, place: int, row: int, median: float) -> Condition:
    value = float(column.synthetic[row])
    if bool(column.is_missing(column.synthetic[row : row + 1])[0]):
        return Condition(place, "missing", 0.0)
    if not column.ordered:
        return Condition(place, "=", value)
    return Condition(place, "≥" if value > median else "≤", value)


def only_matches(predicates: Sequence[Predicate], view: ThreatView) -> NDArray[np.intp]:
    """The only unit of the pool that each predicate matches, by its first matched row.

    Returns
    -------
    ndarray of int, shape (predicates,)
        −1 where a predicate matches rows of no unit or of several.
    """
    found = np.full(len(predicates), -1, np.intp)
    equal: dict[int, list[int]] = {}
    for i, predicate in enumerate(predicates):
        if len(predicate) == 1 and predicate[0].sign == "=":
            equal.setdefault(predicate[0].column, []).append(i)
            continue
        rows = matches(predicate, view.columns)
        if rows.size and np.all(view.unit[rows] == view.unit[rows[0]]):
            found[i] = rows[0]
    for place, which in equal.items():
        asked = np.array([predicates[i][0].value for i in which])
        found[which] = _only_equal(asked, view.columns[place].pool, view.unit)
    return found


def _only_equal(
    asked: NDArray[np.float64], pool: NDArray[np.float64], unit: NDArray[np.int64]
) -> NDArray[np.intp]:
    """The row of the only unit of the pool with each value, −1 where there is none or several."""
    order = np.lexsort([np.arange(pool.size), unit, pool])
    values, units = pool[order], unit[order]
    first = np.searchsorted(values, asked, side="left")
    last = np.searchsorted(values, asked, side="right") - 1
    there = last >= first
    low, high = np.minimum(first, pool.size - 1), np.maximum(last, 0)
    one = there & (units[low] == units[high])
    return np.where(one, order[low], -1)


def text_of(predicate: Predicate, columns: Sequence[Values]) -> str:
    """A predicate in words: "age ≥ 84 and sex = F"."""
    return " and ".join(
        f"{columns[one.column].name} is missing"
        if one.sign == "missing"
        else f"{columns[one.column].name} {one.sign} {columns[one.column].text(one.value)}"
        for one in predicate
    )
