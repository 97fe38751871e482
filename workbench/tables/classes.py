"""Whether the last axis of arrays is one of augmentations or of classes, and scores of classes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from workbench.scores.layouts.senses import vocabulary
from workbench.scores.sample import ScoresError
from workbench.tables.layouts import words
from workbench.tables.layouts.lira import log_odds

#: Names of arrays of the class of each record.
CLASSES = vocabulary(
    "label labels y ys ytrue truelabel truelabels target targets class classes classlabels "
    "trueclass trueclasses gtlabels"
)

#: How far sums of probabilities may be from 1: half precision has three digits.
_ROUNDING = 5e-3

#: Standard deviations by which the largest output agrees with the class more often than by chance.
_CERTAIN = 6.0


def output_kind(values: NDArray[Any]) -> str:
    """What a last axis certainly is: "probabilities" or "log-probabilities" of classes.

    Parameters
    ----------
    values : ndarray, shape (..., K)

    Returns
    -------
    str
        "" where they may be anything.
    """
    if values.shape[-1] < 2 or not values.size or not np.isfinite(values).any():
        return ""
    rows = values.reshape(-1, values.shape[-1]).astype(np.float64)
    if not np.isnan(rows).any() and rows.max() <= 1 + _ROUNDING:
        if rows.min() >= 0 and bool((np.abs(rows.sum(axis=1) - 1) <= _ROUNDING).all()):
            return "probabilities"
        if rows.max() <= 0 and bool((np.abs(logsumexp(rows, axis=1)) <= _ROUNDING).all()):
            return "log-probabilities"
    return ""


def scores_of_classes(
    outputs: NDArray[Any], classes: NDArray[Any], kind: str
) -> NDArray[np.float64]:
    """Log-odds of the true class, log p_y − log Σ_{k≠y} p_k.

    Parameters
    ----------
    outputs : ndarray, shape (..., R, K)
        Logits, log-probabilities or probabilities of K classes.
    classes : ndarray of int, shape (R,)
    kind : str
        As of `output_kind`.

    Raises
    ------
    ScoresError
        Classes that are not numbered from 0 to K − 1.
    """
    whole = classes.astype(np.int64)
    if not np.array_equal(whole, classes):
        raise ScoresError("the classes of the records must be whole numbers")
    models = outputs.reshape(-1, *outputs.shape[-2:])
    scores = np.empty(models.shape[:-1])
    with np.errstate(divide="ignore"):
        for m, model in enumerate(models):
            scores[m] = log_odds(np.log(model) if kind == "probabilities" else model, whole)
    return scores.reshape(outputs.shape[:-1])


def are_outputs(outputs: NDArray[Any], classes: NDArray[Any]) -> bool:
    """Whether the largest of K values is that of the class far more often than by chance.

    Parameters
    ----------
    outputs : ndarray, shape (..., R, K)
    classes : ndarray, shape (R,)
    """
    k = outputs.shape[-1]
    if classes.dtype.kind not in "iuf" or not ((classes >= 0) & (classes < k)).all():
        return False
    if k < 2 or np.unique(classes).size < 2:
        return False
    # By chance, as if the outputs knew nothing of the record: the same class is largest always.
    largest = outputs.reshape(-1, *outputs.shape[-2:])[0].argmax(axis=-1)
    shares = np.bincount(classes.astype(np.int64), minlength=k) / classes.size
    chance = float((shares * np.bincount(largest, minlength=k) / classes.size).sum())
    agree = float((largest == classes).mean())
    return agree > chance + _CERTAIN * math.sqrt(max(chance * (1 - chance), 1e-6) / classes.size)


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
