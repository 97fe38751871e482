"""What is given for one side of a pair of samples: a column of scores, and labels of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench.scores.ordered import Cells, Floats, Integers, is_sealed, locked
from workbench.scores.refusals import ScoresError

#: Kinds of arrays that NumPy converts to numbers, and that are not scores.
_NO_SCORES = {"c": "complex numbers", "m": "durations", "M": "dates"}


@dataclass(frozen=True)
class NonFiniteCounts:
    """Number of NaN, +∞ and −∞ among the scores of P or of Q."""

    nan: int
    plus_inf: int
    minus_inf: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.nan + self.plus_inf + self.minus_inf

    def __str__(self) -> str:
        parts = ((self.nan, "NaN"), (self.plus_inf, "+∞"), (self.minus_inf, "−∞"))
        return ", ".join(f"{n} {what}" for n, what in parts if n) or "none"

    @classmethod
    def of(cls, x: Floats, counts: Integers | None = None) -> NonFiniteCounts:
        """Those among scores, or among values that occur as often as their counts."""
        if np.isfinite(x).all():
            return cls(0, 0, 0)
        odd = (np.isnan(x), np.isposinf(x), np.isneginf(x))
        nan, plus, minus = (
            int(which.sum() if counts is None else counts[which].sum()) for which in odd
        )
        return cls(nan, plus, minus)


def column(values: ArrayLike, side: str) -> Floats:
    """One side as a 1-d float array: a fresh one, or one that is sealed."""
    try:
        _checks.convertible(values, side)
    except ValueError as error:
        raise ScoresError(str(error)) from None
    try:
        raw = np.asarray(values)
    except ValueError:
        raise ScoresError(f"{side} is ragged: give one number a run, as a 1-d array") from None
    if raw.ndim != 1:
        hint = "ravel it, or choose one column" if raw.ndim > 1 else "give a 1-d array"
        raise ScoresError(f"{side} has shape {raw.shape}; scores must be 1-dimensional: {hint}")
    if raw.size == 0:
        raise ScoresError(f"side {side} is empty; an audit needs at least 2 scores on each side")
    if raw.dtype.kind in _NO_SCORES:
        raise ScoresError(f"{side} holds {_NO_SCORES[raw.dtype.kind]}; give one real score a run")
    if raw.dtype == np.float64 and is_sealed(raw):
        return raw
    try:
        return np.array(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        row, bad = next((i, v) for i, v in enumerate(raw.tolist()) if not _is_number(v))
        raise ScoresError(
            f"{side} is not numeric: entry {row} is {_checks.shown(bad)}; scores must be numbers, "
            "at most 1.8e308"
        ) from None


def require_usable(side: str, n: int, any_number: bool) -> None:
    """Refuse a side with fewer than two scores, or with NaN alone (ScoresError).

    Parameters
    ----------
    side : {"P", "Q"}
    n : int
        Number of its scores.
    any_number : bool
        Whether one of them is not NaN.
    """
    if n < 2:
        raise ScoresError(
            f"side {side} has {n} usable score{'' if n == 1 else 's'}; an audit needs at least 2 "
            "on each side" + (", check the labels or the file" if n == 0 else "")
        )
    if not any_number:
        raise ScoresError(
            f"side {side} holds nothing but NaN; check that the column is the right one and that "
            "its scores were computed"
        )


def usable(side: str, x: Floats, labels: Cells | None, drop_nonfinite: bool, rule: str) -> Floats:
    """The scores of a side that the bounds use: finite ones, one for each cluster.

    Parameters
    ----------
    side : {"P", "Q"}
    x : ndarray
    labels : ndarray or None
        A cluster for each score.
    drop_nonfinite : bool
    rule : {"mean", "max", "first"}
        How a cluster becomes one score.
    """
    if drop_nonfinite:
        finite = np.isfinite(x)
        x, labels = x[finite], labels[finite] if labels is not None else None
    if labels is not None:
        x = _reduced_clusters(x, labels, rule)
    require_usable(side, x.size, not np.isnan(x).all())
    found: Floats = locked(x)
    return found


def cluster_labels(
    clusters: Sequence[ArrayLike] | None, n_p: int, n_q: int
) -> dict[str, Cells | None]:
    if clusters is None:
        return {"p": None, "q": None}
    for labels in clusters if isinstance(clusters, list | tuple) else ():
        try:
            _checks.convertible(labels, "a side of clusters")
        except ValueError as error:
            raise ScoresError(str(error)) from None
    try:
        p, q = (np.asarray(c) for c in clusters)
    except (TypeError, ValueError):
        raise ScoresError("clusters must be a pair: (labels of P, labels of Q)") from None
    for side, labels, n in (("P", p, n_p), ("Q", q, n_q)):
        if labels.shape != (n,):
            raise ScoresError(
                f"{side} has {n} scores but its cluster labels have shape {labels.shape}; "
                "give one label a score"
            )
    shared = np.intersect1d(p.astype(str), q.astype(str))
    if shared.size:
        shown = ", ".join(shared[:3]) + (", …" if shared.size > 3 else "")
        raise ScoresError(
            f"{shared.size} cluster label{'s' * (shared.size > 1)} on both sides ({shown}): the "
            "two sides must be independent. Keep each such cluster on one side; if different runs "
            "merely share a number, make the labels distinct ('in-0', 'out-0')"
        )
    return {"p": p, "q": q}


def _reduced_clusters(x: Floats, labels: Cells, rule: str) -> Floats:
    """One score for each cluster, in the order in which the clusters first appear."""
    _, first, index, size = np.unique(
        labels.astype(str), return_index=True, return_inverse=True, return_counts=True
    )
    if rule == "first":
        reduced = x[first]
    elif rule == "max":
        reduced = np.full(first.size, -np.inf)
        np.maximum.at(reduced, index, x)
    else:
        with np.errstate(invalid="ignore"):  # +∞ and −∞ in one cluster make NaN, an outcome
            reduced = np.bincount(index, weights=x, minlength=first.size) / size
    return reduced[np.argsort(first)]


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
