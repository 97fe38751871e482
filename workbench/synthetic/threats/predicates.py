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
_ATTEMPTS = 10

#: Values that occur once, of which predicates of one column are made, at most.
_MOST = 10**5

#: Synthetic rows in which a candidate is looked for first: most match several.
_FIRST = 2000


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
    predicate: Predicate, columns: Sequence[Values], first: int | None = None
) -> NDArray[np.intp]:
    """Rows of the pool that a predicate matches; or of the ``first`` rows of the synthetic table.

    Parameters
    ----------
    predicate : Predicate
    columns : sequence of Values
    first : int, optional
    """
    rows: NDArray[np.intp] | None = None
    for one in predicate:
        column = columns[one.column]
        values = column.pool if first is None else column.synthetic[:first]
        if rows is None:
            rows = np.flatnonzero(one.holds(column, values))
        else:
            rows = rows[one.holds(column, values[rows])]
        if not rows.size:
            break
    return np.zeros(0, np.intp) if rows is None else rows


def univariate(view: ThreatView, chance: np.random.Generator) -> tuple[Predicate, ...]:
    """Predicates of one column that match exactly one synthetic record.

    Parameters
    ----------
    view : ThreatView
    chance : numpy.random.Generator
        Draws 10⁵ values that occur once, where there are more.
    """
    found: list[Predicate] = []
    places: list[NDArray[np.intp]] = []
    values_once: list[NDArray[np.float64]] = []
    for j, column in enumerate(view.columns):
        values = column.synthetic
        missing = column.is_missing(values)
        if missing.sum() == 1:
            found.append((Condition(j, "missing", 0.0),))
        distinct, counts = np.unique(values[~missing], return_counts=True)
        once = distinct[counts == 1]
        values_once.append(once)
        places.append(np.full(once.size, j))
        if column.ordered and distinct.size:
            found += [
                (Condition(j, sign, float(distinct[end])),)
                for sign, end in _ENDS
                if counts[end] == 1
            ]
    if not places:
        return ()
    place, value = np.concatenate(places), np.concatenate(values_once)
    if value.size > _MOST:
        chosen = np.sort(chance.choice(value.size, _MOST, replace=False))
        place, value = place[chosen], value[chosen]
    for j, x in zip(place.tolist(), value.tolist(), strict=True):
        found.append((Condition(j, "=", x),))
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
        Predicates that are looked for; fewer are returned where ten times as many attempts do not
        find them.
    chance : numpy.random.Generator
        Draws records and columns.
    """
    size, width = view.synthetic_size, min(columns, len(view.columns))
    if size == 0 or width == 0:
        return ()
    medians = [_median(column) for column in view.columns]
    tries = _ATTEMPTS * most
    rows = chance.integers(size, size=tries).tolist()
    order = np.argsort(chance.random((tries, len(view.columns))), axis=1)[:, :width]
    found: dict[Predicate, None] = {}
    for row, places in zip(rows, np.sort(order, axis=1).tolist(), strict=True):
        predicate = tuple(_condition(view.columns[j], j, row, medians[j]) for j in places)
        if predicate not in found and _matches_one(predicate, view.columns):
            found[predicate] = None
            if len(found) == most:
                break
    return tuple(found)


def _matches_one(predicate: Predicate, columns: Sequence[Values]) -> bool:
    """Whether a predicate of a synthetic record matches no other synthetic record."""
    size = columns[0].synthetic.size
    return all(matches(predicate, columns, n).size <= 1 for n in (min(_FIRST, size), size))


def _median(column: Values) -> float:
    known = column.synthetic[~np.isnan(column.synthetic)]
    return float(np.median(known)) if column.ordered and known.size else 0.0


def _condition(column: Values, place: int, row: int, median: float) -> Condition:
    value = float(column.synthetic[row])
    if column.misses(value):
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
