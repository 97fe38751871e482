"""Which axes of arrays are models, records and augmentations, by their shapes and the design."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from workbench.scores.sample import ScoresError
from workbench.tables.layouts.base import TRANSPOSED

Axes = tuple[int, ...]


def orientation(
    scores: tuple[int, ...],
    member: tuple[int, ...],
    stated: str | None,
    member_of: Callable[[], NDArray[np.bool_]],
    records: int | None = None,
) -> tuple[Axes, bool, str]:
    """How to turn scores and memberships to (models, records[, augmentations]).

    Parameters
    ----------
    scores, member : tuple of int
        Their shapes.
    stated : str, optional
        One of `TRANSPOSED`: which of the two have records first; then nothing is guessed.
    member_of : callable
        () -> the memberships, shape ``member``; called where the shapes leave it open.
    records : int, optional
        The number of records, where names or labels of records state it.

    Returns
    -------
    axes : tuple of int
        The axes of scores in the order models, records, augmentations.
    turned : bool
        Whether the memberships are turned.
    note : str
        What was found, "" where both are as they should be.

    Raises
    ------
    ScoresError
        The shapes do not fit, or leave it open which axis is which.
    """
    if len(member) != 2 or len(scores) not in (2, 3):
        raise ScoresError(
            f"scores have the shape {scores} and memberships {member}; a table has scores "
            "(models, records) or (models, records, augmentations) and memberships "
            "(models, records)"
        )
    if stated is not None:
        turned = stated in ("member", "both")
        first = (1, 0) if stated in ("scores", "both") else (0, 1)
        axes: Axes = (*first, *range(2, len(scores)))
        want = member[::-1] if turned else member
        if tuple(scores[a] for a in axes[:2]) != want:
            raise ScoresError(
                f"with transposed={stated!r}, scores of shape {scores} and memberships of shape "
                f"{member} do not fit; one of {', '.join(map(repr, TRANSPOSED))} may"
            )
        return axes, turned, f"turned: {stated}, as stated" if stated != "neither" else ""
    turned = _member_is_turned(scores, member, member_of, records)
    want = member[::-1] if turned else member
    fitting = [
        axes
        for axes in permutations(range(len(scores)))
        if tuple(scores[a] for a in axes[:2]) == want
    ]
    if len(fitting) > 1:  # augmentations last is what everybody writes
        fitting = [axes for axes in fitting if axes[2:] == (2,)] or fitting
    if len(fitting) > 1:
        raise _open(scores, member)
    axes = fitting[0]
    turns = []
    if axes[:2] != (0, 1):
        turns.append(f"scores of shape {scores}")
    if turned:
        turns.append(f"memberships of shape {member}")
    note = f"{' and '.join(turns)} turned to (models, records)" if turns else ""
    return axes, turned, note


def _member_is_turned(
    scores: tuple[int, ...],
    member: tuple[int, ...],
    member_of: Callable[[], NDArray[np.bool_]],
    records: int | None,
) -> bool:
    """Whether memberships are (records, models)."""
    if not any(
        tuple(scores[a] for a in axes[:2]) in (member, member[::-1])
        for axes in permutations(range(len(scores)))
    ):
        raise ScoresError(
            f"scores have the shape {scores} and memberships {member}: no axes fit each other. "
            "Both must be of the same models and records, in the same order; if the scores are of "
            "a subset, take the memberships of the same records"
        )
    first, second = member
    if first == second:  # both could be turned, or either
        raise _open(scores, member)
    if records is not None and records in member:
        return records == first
    if first < second:
        return False
    halves = _halves(member_of())
    if halves is not None:
        return halves
    if len(scores) == 2 and scores == member[::-1]:
        return True  # one of them is turned: tables have fewer models than records
    raise _open(scores, member)


def _halves(member: NDArray[np.bool_]) -> bool | None:
    """Whether the design says that records come first; None where it does not say.

    Where every record is in exactly half of the models, or every model has the complement of the
    one before it, and the same does not hold with the axes exchanged, it says so.
    """
    models_first, records_first = _is_designed(member), _is_designed(member.T)
    return None if models_first == records_first else records_first


def _is_designed(member: NDArray[np.bool_]) -> bool:
    models = member.shape[0]
    return models >= 4 and models % 2 == 0 and bool((2 * member.sum(axis=0) == models).all())


def _open(scores: tuple[int, ...], member: tuple[int, ...]) -> ScoresError:
    return ScoresError(
        f"scores have the shape {scores} and memberships {member}: it is open which axis is the "
        "models. State which of them have records along their first axis: transposed='neither', "
        "'scores', 'member' or 'both'"
    )
