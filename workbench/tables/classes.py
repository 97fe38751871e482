"""Whether the last axis of arrays is one of augmentations or of classes, and scores of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from workbench.scores.class_outputs import (
    CLASSES,
    are_outputs,
    output_kind,
    scores_of_classes,
)
from workbench.scores.sample import ScoresError
from workbench.tables.layouts import words


def resolved(
    values: NDArray[Any],
    name: str,
    arrays: Mapping[str, NDArray[Any]],
    stated_labels: str | None,
    where: str,
) -> tuple[NDArray[Any], str]:
    """Scores without an axis of classes, and a note.

    Parameters
    ----------
    values : ndarray, shape (M, R, K)
        K at least 2.
    name : str
        Of their array.
    arrays : mapping of str to ndarray, each of shape (R,)
        What is known of the records.
    stated_labels : str, optional
        Which of them is the class.
    where : str
        What messages call their place.

    Raises
    ------
    ScoresError
        It is open what the axis is, or it is of classes and the class of the records is missing.
    """
    k, kind = values.shape[-1], output_kind(values)
    found = (
        [n for n in arrays if words.is_of(n, CLASSES)] if stated_labels is None else [stated_labels]
    )
    if stated_labels is not None and stated_labels not in arrays:
        raise ScoresError(
            f"{where} has no array {stated_labels!r} of one class for each record, which labels= "
            "names"
        )
    if len(found) == 1:
        classes = arrays[found[0]]
        certain = stated_labels is not None or bool(kind)
        if certain or are_outputs(values, classes):
            scores = scores_of_classes(values, classes, kind)
            note = (
                f"log-odds of the class in {found[0]!r} from the {k} {kind or 'logits'} of a record"
            )
            return scores, note
    if kind:
        raise ScoresError(
            f"{name!r} of {where} has {k} {kind} for each record, which are of classes: a mean "
            "over them says nothing. Add an array 'labels' with the class of each record, or name "
            "it with labels=; the score is then the log-odds of that class"
        )
    raise ScoresError(
        f"{name!r} of {where} has {k} values for each model and record: it is open whether they "
        f"are those of {k} augmentations or of {k} classes. State augmentations='mean', 'max' or "
        "'first' if they are augmentations; if they are classes, name the array of the class of "
        "each record with labels=, and the score is the log-odds of that class"
    )
