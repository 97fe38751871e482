"""A confusion matrix in the place of scores: it is refused, with the four counts in the message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.scores.layouts.senses import name_words
from workbench.scores.refusals import ScoresError
from workbench.scores.table import DataTable

#: Names of the counts.
COUNTS = ("tp", "fp", "tn", "fn")

#: Full names, as one word, and the order in a matrix: that of `sklearn.metrics.confusion_matrix`.
_FULL = {
    "truepositive": "tp",
    "truepositives": "tp",
    "falsepositive": "fp",
    "falsepositives": "fp",
    "truenegative": "tn",
    "truenegatives": "tn",
    "falsenegative": "fn",
    "falsenegatives": "fn",
}
_IN_MATRIX = ("tn", "fp", "fn", "tp")

#: The largest count.
_MOST = 10**9

_CALL = "wb.epsilon_from_counts(tp={tp}, fp={fp}, tn={tn}, fn={fn}, delta=1e-5)"
_WRITTEN = re.compile(re.escape(_CALL).replace(r"\{", "(?P<").replace(r"\}", r">\d+)"))


def refuse_counts(table: DataTable, numbers: Mapping[str, Any]) -> None:
    """Refuse a table that is a confusion matrix, or beside which one stands.

    Parameters
    ----------
    table : DataTable
        With the counts as columns of one row.
    numbers : mapping of str to object
        What stands beside the columns: the four counts, or ``confusion_matrix``.

    Raises
    ------
    ScoresError
        It is one. `counts_in` finds the counts in the message.
    """
    rows = {name: cells[0] for name, cells in table.columns.items() if len(cells) == 1}
    single = rows if len(rows) == len(table.columns) else {}
    found = _named({**numbers, **single}) or _of_matrix(numbers)
    if found is None:
        return
    counts = {name: _count(found[name]) for name in COUNTS}
    if None in counts.values():
        shown = ", ".join(f"{name} = {found[name]}" for name in COUNTS)
        raise ScoresError(
            f"{table.label} holds a confusion matrix, not scores, and not all of its counts are "
            f"whole numbers from 0 to {_MOST:.0e}: {shown}. Give the counts themselves, not rates "
            "or averages"
        )
    raise ScoresError(
        f"{table.label} holds a confusion matrix, not scores. Its counts have bounds of their "
        f"own: {_CALL.format(**counts)}, or the page Counts"
    )


def counts_in(message: str) -> dict[str, int] | None:
    """The four counts in the message of `refuse_counts`; None for another message."""
    found = _WRITTEN.search(message)
    return None if found is None else {name: int(found[name]) for name in COUNTS}


def _named(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The counts among values, by short or full names."""
    words = {"".join(name_words(name)): value for name, value in values.items()}
    found = {_FULL.get(word, word): value for word, value in words.items()}
    return found if all(name in found for name in COUNTS) else None


def _of_matrix(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The counts of a matrix of two rows, true classes, and two columns, guessed ones."""
    for name, value in values.items():
        if "".join(name_words(name)) not in ("confusionmatrix", "confusion"):
            continue
        if isinstance(value, list) and len(value) == 2:
            rows = [row for row in value if isinstance(row, list) and len(row) == 2]
            if len(rows) == 2:
                return dict(zip(_IN_MATRIX, [*rows[0], *rows[1]], strict=True))
    return None


def _count(value: Any) -> int | None:
    """A count; None for what is none."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() and 0 <= number <= _MOST else None
