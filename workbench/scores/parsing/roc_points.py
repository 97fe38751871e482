"""The groups of a ROC curve: the counts at each threshold say how many scores lie between two.

A rate times the number of its group is a count. Between two neighboring thresholds the scores are
ties, which loses their order there: bounds from ties hold, as those from rounded scores do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.scores.layouts.confusion import refuse_counts
from workbench.scores.layouts.senses import name_words, vocabulary
from workbench.scores.refusals import ScoresError, listed, quoted
from workbench.scores.table import DataTable

#: Names of the rates, as one word.
_FALSE = vocabulary("fpr fprs falsepositiverate falsepositiverates")
_TRUE = vocabulary("tpr tprs truepositiverate truepositiverates")

#: Words of the names of the two numbers of records, and words that say nothing in them.
_POSITIVE = vocabulary("pos positive positives member members in p")
_NEGATIVE = vocabulary("neg negative negatives nonmember nonmembers non out q")
_MEMBER = vocabulary("member members")  # after "non"
_NUMBER = vocabulary("n num number count counts size total")
_SILENT = vocabulary("of examples example records samples test train scores")

#: A rate times a number is a count if it is so close to one.
_CLOSE = 0.1

#: Names of one number that says nothing of single records.
_AREAS = vocabulary("auc rocauc auroc")

#: Largest number of records of a group.
_MOST = 10**7


def with_groups(table: DataTable, numbers: Mapping[str, Any]) -> DataTable:
    """A table with the groups ``p`` and ``q`` of its ROC curve; other tables are unchanged.

    Parameters
    ----------
    table : DataTable
        The rates are columns of it.
    numbers : mapping of str to object
        What stands beside the columns, such as the numbers of records.

    Returns
    -------
    DataTable
        ``p`` has the members and ``q`` the non-members, larger where a larger threshold accepts
        them. A table that has other columns of numbers is unchanged.

    Raises
    ------
    ScoresError
        It is a ROC curve whose numbers of records are missing, or do not fit the rates, or an area
        alone, or a confusion matrix.
    """
    named = {"".join(name_words(name)): name for name in [*table.columns, *numbers]}
    false, true = (next((named[k] for k in named if k in keys), None) for keys in (_FALSE, _TRUE))
    if false is None or true is None:
        if not table.columns:
            refuse_counts(table, numbers)
            _refuse_area(table, named)
        return table
    if any(c not in (false, true) and not _of_thresholds(c) for c in table.columns):
        return table
    n_p, n_q = (_size(table, numbers, words) for words in (_POSITIVE, _NEGATIVE))
    members = _counts(table, true, _rates(table, numbers, true), n_p)
    others = _counts(table, false, _rates(table, numbers, false), n_q)
    if members.size != others.size:
        raise ScoresError(
            f"{table.label}: {quoted(true)} has {members.size} rates and {quoted(false)} "
            f"{others.size}; a ROC curve has one of each for every threshold"
        )
    groups = groups_of(members, others, n_p, n_q)
    if groups is None:
        raise ScoresError(
            f"{table.label}: {quoted(true)} and {quoted(false)} do not grow together, so they are "
            "no ROC curve; sort them by threshold"
        )
    note = (
        f"p and q are the {n_p:,} members and {n_q:,} non-members of the ROC curve "
        f"({quoted(false)}, {quoted(true)}): scores between two thresholds are equal"
    )
    columns = dict(zip("pq", groups, strict=True))
    return replace(
        table,
        columns=columns,
        rows=None,
        filled={name: cells.size for name, cells in columns.items()},
        unusable={},
        notes=(note,),
    )


def groups_of(
    true: NDArray[np.int64], false: NDArray[np.int64], n_p: int, n_q: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Scores of two groups whose ROC curve has these counts.

    Parameters
    ----------
    true, false : ndarray of int, shape (k,)
        Numbers of members and of non-members that are accepted, in the order of the thresholds or
        in the opposite one.
    n_p, n_q : int
        Numbers of both.

    Returns
    -------
    p, q : ndarray of int, shape (n_p,), (n_q,)
        The larger, the sooner accepted. None if the counts do not grow together.
    """
    sides = []
    order = 1 if true[-1] + false[-1] >= true[0] + false[0] else -1
    for counts, size in ((true, n_p), (false, n_q)):
        steps = np.diff(counts[::order], prepend=0, append=size)
        if (steps < 0).any():
            return None
        sides.append(np.repeat(np.arange(steps.size, dtype=np.int64)[::-1], steps))
    return sides[0], sides[1]


def _of_thresholds(name: str) -> bool:
    return bool({"threshold", "thresholds", "cutoff", "cutoffs"} & set(name_words(name)))


def _size(table: DataTable, numbers: Mapping[str, Any], words: frozenset[str]) -> int:
    """The number of records of a group."""
    found = {
        name: value
        for name, value in numbers.items()
        if isinstance(value, int | float)
        and not isinstance(value, bool)
        and (parts := set(name_words(name))) & words
        and parts & _NUMBER
        and parts <= words | _NUMBER | _SILENT | (_MEMBER if words is _NEGATIVE else set())
    }
    if len(found) != 1:
        group = "members" if words is _POSITIVE else "non-members"
        raise ScoresError(
            f"{table.label} holds a ROC curve, and {len(found) or 'no'} number of its {group}"
            f"{': ' + listed(found) if found else ''}; rates alone say nothing of how sure they "
            'are. Write both numbers beside them, as "n_members" and "n_nonmembers"'
        )
    ((name, value),) = found.items()
    if value != int(value) or not 0 < value <= _MOST:
        raise ScoresError(
            f"{table.label}: {quoted(name)} is {value}, and a number of records is from 1 to "
            f"{_MOST:,}"
        )
    return int(value)


def _rates(table: DataTable, numbers: Mapping[str, Any], name: str) -> NDArray[np.float64]:
    given: ArrayLike = table.columns[name] if name in table.columns else numbers[name]
    try:
        rates = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        rates = np.array([np.nan])
    wrong = rates[~((rates >= 0) & (rates <= 1))]
    if wrong.size or not rates.size:
        raise ScoresError(
            f"{table.label}: {quoted(name)} holds {wrong[0] if wrong.size else 'nothing'}, and a "
            "rate is from 0 to 1"
        )
    return rates


def _counts(
    table: DataTable, name: str, rates: NDArray[np.float64], size: int
) -> NDArray[np.int64]:
    """How many records the rates are, of as many as there are."""
    products = rates * size
    counts = np.rint(products)
    worst = int(np.abs(products - counts).argmax())
    if abs(products[worst] - counts[worst]) > _CLOSE:
        raise ScoresError(
            f"{table.label}: {quoted(name)} is {rates[worst]:.6g} of {size:,} records, which is "
            f"{products[worst]:.2f} and no whole number; the number of records is another, or the "
            "rates were rounded or averaged, and the counts cannot be found again"
        )
    return counts.astype(np.int64)


def _refuse_area(table: DataTable, named: Mapping[str, str]) -> None:
    """Refuse an area, which is no scores, with what can be given instead."""
    if _AREAS & set(named):
        raise ScoresError(
            f"{table.label} holds the area under a ROC curve, which says nothing of ε: curves of "
            "one area leak differently much. Give the scores, or the curve (fpr, tpr) with the "
            "numbers of members and non-members"
        )
