"""What the names of columns and files suggest about groups."""

from __future__ import annotations

from workbench.scores.layouts.guess import PAIRS, numeric_columns
from workbench.scores.layouts.labels import labels_of, vocabulary, words_of
from workbench.scores.table import DataTable

MEMBERS = frozenset(p for p, _ in PAIRS)
NON_MEMBERS = frozenset(q for _, q in PAIRS) | vocabulary("validation val control")


def members_first(first: str, second: str) -> bool | None:
    """Whether the first of two files has the members, by their names; None if these do not say.

    Parameters
    ----------
    first, second : str
        Names of the files.
    """
    one, two = words_of(first), words_of(second)
    one, two = one - two, two - one
    forward = bool(one & MEMBERS or two & NON_MEMBERS)
    backward = bool(two & MEMBERS or one & NON_MEMBERS)
    return forward if forward != backward else None


def has_labels(table: DataTable) -> bool:
    """Whether a column looks as if it held labels: text, or two different values."""
    numeric = set(numeric_columns(table))
    labels = {name: len(labels_of(table, name)) for name in table.columns}
    return any(n == 2 or (n > 2 and name not in numeric) for name, n in labels.items())
