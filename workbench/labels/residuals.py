"""Statistics that compare labels with their law, each for many draws at once.

A statistic has 0 or a typical value if the labels follow the law. It may be too large, and for a
law that was fitted to these very labels too small: residuals of a fitted model are orthogonal to
what it was fitted on.

- ``likelihood``: the sum of log π(y), less its mean by the law. Too small: the law is too sure of
  itself, or wrong. Too large: it is not sure enough, or has seen the labels.
- ``closeness``: its absolute value. Too small: a regression that was fitted to these labels gives
  them exactly the likelihood that it expects.
- ``labels``: χ² of the number of records with each label.
- ``sureness``: χ² of the hits of the likeliest label, in ten bins by its probability.
- ``features``: χ² of the sums of residuals over what is known of the records (a score test).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats
from workbench.labels.law import LabelLaw

#: Bins of the probability of the likeliest label.
_BINS = 10


def statistics_of(
    law: LabelLaw, labels: NDArray[np.int64], features: Floats | None
) -> dict[str, Floats]:
    """Statistic -> its value for each draw of the labels, shape (draws,).

    Parameters
    ----------
    law : LabelLaw
    labels : ndarray of int, shape (draws, n)
    features : ndarray, shape (n, d), optional
        Standardized.
    """
    found = {"likelihood": _likelihood(law, labels)}
    found["closeness"] = np.abs(found["likelihood"])
    found["labels"] = _label_counts(law, labels)
    found["sureness"] = _sureness(law, labels)
    if features is not None:
        found["features"] = _score_test(law, labels, features)
    return found


def _likelihood(law: LabelLaw, labels: NDArray[np.int64]) -> Floats:
    p = law.probabilities
    with np.errstate(divide="ignore"):
        logs = np.broadcast_to(np.log(p), law.rows.shape)
    mean = (p * np.log(np.where(p > 0, p, 1))).sum(axis=1)
    expected = mean.sum() if len(mean) > 1 else mean[0] * law.records
    return np.asarray(logs[np.arange(law.records), labels].sum(axis=1) - expected)


def _label_counts(law: LabelLaw, labels: NDArray[np.int64]) -> Floats:
    expected = law.rows.sum(axis=0)
    possible = expected > 0
    seen = _sums(labels, np.ones((law.records, 1)), law.values)[:, 0]
    return np.asarray(((seen - expected)[:, possible] ** 2 / expected[possible]).sum(axis=1))


def _sureness(law: LabelLaw, labels: NDArray[np.int64]) -> Floats:
    top = law.rows.argmax(axis=1)
    sure = law.rows.max(axis=1)
    ends = np.unique(np.quantile(sure, np.arange(1, _BINS) / _BINS))
    where = np.searchsorted(ends, sure)
    in_bin = np.eye(int(where.max()) + 1)[where]
    spread = (sure * (1 - sure)) @ in_bin
    used = spread > 1e-9
    sums = (labels == top).astype(float) @ in_bin - sure @ in_bin
    return np.asarray((sums[:, used] ** 2 / spread[used]).sum(axis=1))


def _score_test(law: LabelLaw, labels: NDArray[np.int64], features: Floats) -> Floats:
    columns = np.column_stack([np.ones(law.records), features])
    variance = (columns**2).T @ (law.rows * (1 - law.rows))
    used = variance > 1e-9
    sums = _sums(labels, columns, law.values) - columns.T @ law.rows
    return np.asarray((sums[:, used] ** 2 / variance[used]).sum(axis=1))


#: Labels up to which sums are products of matrices, which is faster.
_FEW = 16


def _sums(labels: NDArray[np.int64], columns: Floats, values: int) -> Floats:
    """The sums of columns over the records with each label, shape (draws, columns, K)."""
    if values <= _FEW:
        found = [(labels == value).astype(float) @ columns for value in range(values)]
        return np.stack(found, axis=2)
    draws = len(labels)
    at = (labels + values * np.arange(draws)[:, None]).ravel()
    counted = [
        np.bincount(at, np.broadcast_to(one, labels.shape).ravel(), draws * values)
        for one in columns.T
    ]
    return np.stack([one.reshape(draws, values) for one in counted], axis=1)


def p_values_of_all(pool: dict[str, Floats]) -> tuple[Floats, dict[str, Floats]]:
    """The p-value of each draw among all, over all statistics and of each of them.

    Every statistic gives a draw the share of draws that are as small or as large, whichever is
    less; the smallest over the statistics is ranked among those of all draws. If one of the draws
    is that of the data and all are exchangeable, its p-value is at most α with probability at most
    α, exactly: at most α · draws of the draws have one of at most α.

    Parameters
    ----------
    pool : dict of str to ndarray, shape (draws,)

    Returns
    -------
    together : ndarray, shape (draws,)
    each : dict of str to ndarray, shape (draws,)
        Twice the smaller share, for statistics with two sides.
    """
    shares = {name: _tails(values) for name, values in pool.items()}
    size = len(next(iter(pool.values())))
    least = np.min([np.minimum(low, high) for low, high in shares.values()], axis=0)
    together = np.searchsorted(np.sort(least), least, side="right") / size
    each = {name: np.minimum(2 * np.minimum(low, high), 1) for name, (low, high) in shares.items()}
    return together, each


def _tails(values: Floats) -> tuple[Floats, Floats]:
    """The share of draws that are at most, and at least, as large as each."""
    # What differs by rounding alone is equal.
    finite = values[np.isfinite(values)]
    grain = 1e-9 * max(float(np.abs(finite).max(initial=0)), 1e-300)
    x = np.round(values / grain) if finite.size else values
    order, size = np.sort(x), len(x)
    low = np.searchsorted(order, x, side="right") / size
    high = 1 - np.searchsorted(order, x, side="left") / size
    return low, high
