"""What the names of columns and files suggest; the values of scores suggest nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.scores.layouts.guess import PAIRS, numeric_columns
from workbench.scores.layouts.labels import factorized, labels_of, vocabulary
from workbench.scores.table import DataTable

#: Words for scores that are smaller for members.
SMALLER = vocabulary("loss losses nll perplexity perplexities")

#: Words beside them that may turn the direction round.
TURNED = vocabulary(
    "neg negative negated minus inverse inverted drop reduction decrease gain difference diff gap "
    "change ratio score scores statistic confidence similarity"
)

MEMBERS = frozenset(p for p, _ in PAIRS)
NON_MEMBERS = frozenset(q for _, q in PAIRS) | vocabulary("validation val control")

#: Words for columns whose values name what several rows may share.
SHARED = vocabulary("subject user patient person client speaker author run seed cluster")


@dataclass(frozen=True)
class Direction:
    """A proposal for the direction of the score.

    Attributes
    ----------
    larger_is_member : bool or None
        None where the names contradict each other, so that a person has to choose.
    reason : str
        What it was proposed from; "" if no name suggests anything.
    """

    larger_is_member: bool | None
    reason: str = ""


def proposed_direction(columns: Sequence[str], files: Sequence[str]) -> Direction:
    """The direction that names such as ``loss`` suggest: smaller = member.

    Parameters
    ----------
    columns : sequence of str
        Names of the columns of scores.
    files : sequence of str
        Names of their files, which count if no column's name says anything.
    """
    named = [name for name in columns if _words(name) & SMALLER]
    if named:
        plain = len(named) == len(columns) and not any(_words(name) & TURNED for name in named)
        what = f"the column name{'s' * (len(set(named)) > 1)} {_quoted(named)}"
        return Direction(False if plain else None, what)
    named = [name for name in files if _words(name) & SMALLER]
    if not named:
        return Direction(True)
    words = set().union(*map(_words, (*columns, *files)))
    plain = len(named) == len(files) and not words & TURNED
    what = f"the file name{'s' * (len(set(named)) > 1)} {_quoted(named)}"
    return Direction(False if plain else None, what)


def members_first(first: str, second: str) -> bool | None:
    """Whether the first of two files has the members, by their names; None if these do not say.

    Parameters
    ----------
    first, second : str
        Names of the files.
    """
    one, two = _words(first), _words(second)
    one, two = one - two, two - one
    forward = bool(one & MEMBERS or two & NON_MEMBERS)
    backward = bool(two & MEMBERS or one & NON_MEMBERS)
    return forward if forward != backward else None


def shared_columns(table: DataTable) -> list[tuple[str, int]]:
    """Columns whose names suggest that rows share a subject or run, and how many values each has.

    Only columns in which values repeat are listed.
    """
    found = []
    for name, cells in table.columns.items():
        if _words(name) & SHARED:
            different = len(factorized(cells)[1])
            if 2 < different < cells.size:
                found.append((name, different))
    return found


def has_labels(table: DataTable) -> bool:
    """Whether a column looks as if it held labels: text, or two different values."""
    numeric = set(numeric_columns(table))
    labels = {name: len(labels_of(table, name)) for name in table.columns}
    return any(n == 2 or (n > 2 and name not in numeric) for name, n in labels.items())


def _words(name: str) -> frozenset[str]:
    """The words of a name; "non-member" is one word."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return frozenset(re.findall(r"[a-z0-9]+", re.sub(r"\bnon[\W_]*(?=member)", "non", apart)))


def _quoted(names: Sequence[str]) -> str:
    return " and ".join(f"“{name}”" for name in dict.fromkeys(names))
