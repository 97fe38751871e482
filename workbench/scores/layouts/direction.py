"""What names suggest about the direction of the score; its values suggest nothing."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.scores.layouts.labels import words_of
from workbench.scores.layouts.senses import vocabulary

#: Words for scores that are smaller for members.
SMALLER = vocabulary("loss losses nll perplexity perplexities")

#: Words beside them that may turn the direction round.
TURNED = vocabulary(
    "neg negative negated minus inverse inverted drop reduction decrease gain difference diff gap "
    "change ratio score scores statistic confidence similarity"
)


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
    named = [name for name in columns if words_of(name) & SMALLER]
    if named:
        plain = len(named) == len(columns) and not any(words_of(name) & TURNED for name in named)
        what = f"the column name{'s' * (len(set(named)) > 1)} {_quoted(named)}"
        return Direction(False if plain else None, what)
    named = [name for name in files if words_of(name) & SMALLER]
    if not named:
        return Direction(True)
    words = set().union(*map(words_of, (*columns, *files)))
    plain = len(named) == len(files) and not words & TURNED
    what = f"the file name{'s' * (len(set(named)) > 1)} {_quoted(named)}"
    return Direction(False if plain else None, what)


def _quoted(names: Sequence[str]) -> str:
    return " and ".join(f"“{name}”" for name in dict.fromkeys(names))


def doubt_of_direction(columns: Sequence[str], files: Sequence[str]) -> str:
    """What is to be said where nobody stated the direction and names suggest the other one.

    Parameters
    ----------
    columns, files : sequence of str
        As of `proposed_direction`.

    Returns
    -------
    str
        "" where they suggest nothing.
    """
    proposed = proposed_direction(columns, files)
    if not proposed.reason:
        return ""
    return (
        f"read as larger = member, which is the default, but {proposed.reason} may mean a loss; "
        "state larger_is_member=False or larger_is_member=True"
    )


def warn_of_names(*given: Any) -> None:
    """Warn if the names of pandas Series suggest that they are losses, as `doubt_of_direction`.

    It is to be called in ``__post_init__`` where nobody stated the direction.

    Parameters
    ----------
    *given : array_like
        The samples of scores as they were given; only Series have names.
    """
    names = [name for one in given if isinstance(name := getattr(one, "name", None), str)]
    if doubt := doubt_of_direction(names, []):
        warnings.warn(doubt, stacklevel=4)  # the line that makes the object
