"""Outputs of models for classes: what shows that they are, and the log-odds of the true class."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench.scores.layouts.senses import vocabulary
from workbench.scores.ordered import Cells
from workbench.scores.sample import ScoresError

#: Names of arrays of the class of each record.
CLASSES = vocabulary(
    "label labels y ys ytrue truelabel truelabels target targets class classes classlabels "
    "trueclass trueclasses gtlabels"
)

#: Records whose log-odds are computed at a time.
_CHUNK = 4096

#: How far sums of probabilities may be from 1: half precision has three digits.
_ROUNDING = 5e-3

#: Standard deviations by which the largest output agrees with the class more often than by chance.
_CERTAIN = 6.0


def output_kind(values: Cells) -> str:
    """What a last axis certainly is: "probabilities" or "log-probabilities" of classes.

    Parameters
    ----------
    values : ndarray, shape (..., K)

    Returns
    -------
    str
        "" where they may be anything.
    """
    from scipy.special import logsumexp

    if values.shape[-1] < 2 or not values.size or not np.isfinite(values).any():
        return ""
    rows = values.reshape(-1, values.shape[-1]).astype(np.float64)
    if not np.isnan(rows).any() and rows.max() <= 1 + _ROUNDING:
        if rows.min() >= 0 and bool((np.abs(rows.sum(axis=1) - 1) <= _ROUNDING).all()):
            return "probabilities"
        if rows.max() <= 0 and bool((np.abs(logsumexp(rows, axis=1)) <= _ROUNDING).all()):
            return "log-probabilities"
    return ""


def scores_of_classes(outputs: Cells, classes: Cells, kind: str) -> NDArray[np.float64]:
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
    if classes.dtype.kind not in "biuf" or not np.isfinite(classes).all():
        raise ScoresError(f"the classes of the records must be whole numbers, got {classes.dtype}")
    whole = classes.astype(np.int64)
    if not np.array_equal(whole, classes):
        raise ScoresError("the classes of the records must be whole numbers")
    models = outputs.reshape(-1, *outputs.shape[-2:])
    scores = np.empty(models.shape[:-1])
    with np.errstate(divide="ignore"):
        for m, model in enumerate(models):
            scores[m] = log_odds(np.log(model) if kind == "probabilities" else model, whole)
    return scores.reshape(outputs.shape[:-1])


def fits(outputs: Cells, classes: Cells) -> bool:
    """Whether classes are numbers from 0 to K − 1, for outputs of shape (..., R, K)."""
    k = outputs.shape[-1]
    if classes.dtype.kind not in "iuf" or k < 2:
        return False
    return bool(((classes >= 0) & (classes < k) & (classes == np.floor(classes))).all())


def are_outputs(outputs: Cells, classes: Cells) -> bool:
    """Whether the largest of K values is that of the class far more often than by chance.

    Parameters
    ----------
    outputs : ndarray, shape (..., R, K)
    classes : ndarray, shape (R,)
    """
    k = outputs.shape[-1]
    if not fits(outputs, classes) or np.unique(classes).size < 2:
        return False
    # By chance, as if the outputs knew nothing of the record: the same class is largest always.
    largest = outputs.reshape(-1, *outputs.shape[-2:])[0].argmax(axis=-1)
    shares = np.bincount(classes.astype(np.int64), minlength=k) / classes.size
    chance = float((shares * np.bincount(largest, minlength=k) / classes.size).sum())
    agree = float((largest == classes).mean())
    return agree > chance + _CERTAIN * math.sqrt(max(chance * (1 - chance), 1e-6) / classes.size)


def log_odds(logits: Cells, labels: Cells) -> NDArray[np.float64]:
    """Log-odds of the true class, log p_y − log Σ_{c≠y} p_c.

    Parameters
    ----------
    logits : ndarray, shape (n, C), (n, A, C) or (n, B, A, C)
        For C classes and A augmentations; probabilities are averaged over B.
    labels : ndarray of int, shape (n,)

    Returns
    -------
    ndarray, shape (n,) or (n, A)

    Raises
    ------
    ScoresError
        Labels outside of the classes.

    References
    ----------
    Carlini, Chien, Nasr, Song, Terzis, Tramèr (2022), section IV.
    """
    from scipy.special import logsumexp

    classes = logits.shape[-1]
    if labels.dtype.kind not in "iu" or not labels.size:
        raise ScoresError(
            f"labels of shape {labels.shape} ({labels.dtype}) do not name the {classes} classes of "
            f"the logits; give whole numbers from 0 to {classes - 1}"
        )
    if labels.min() < 0 or labels.max() >= classes:
        raise ScoresError(
            f"labels from {labels.min()} to {labels.max()} ({labels.dtype}) do not name the "
            f"{classes} classes of the logits; give whole numbers from 0 to {classes - 1}"
        )
    parts = []
    for start in range(0, logits.shape[0], _CHUNK):
        z = np.asarray(logits[start : start + _CHUNK], dtype=np.float64)
        y = labels[start : start + _CHUNK].astype(np.intp)
        true = np.arange(classes) == y.reshape(-1, *[1] * (z.ndim - 1))
        total = logsumexp(z, axis=-1)
        own = np.where(true, z, -np.inf).max(axis=-1) - total
        others = logsumexp(np.where(true, -np.inf, z), axis=-1) - total
        if z.ndim == 4:
            own, others = logsumexp(own, axis=1), logsumexp(others, axis=1)
        parts.append(own - others)
    return np.concatenate(parts)
