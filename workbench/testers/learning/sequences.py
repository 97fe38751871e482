"""log(p/q) of several columns of numbers by logistic regression on few features.

Trees need many outputs to learn what is one sum: that answers came late and the number after them
is low, or that each number of a sequence grew by a little. Here a column has an indicator for each
value that it takes again and again, NaN and ±∞ among them, such as "below" and "stopped" of the
sparse vector technique. Its other numbers are a feature of their own where there is no such value;
otherwise all such columns share one, the sum of the numbers that are there. Then there are the
first differences of columns of numbers, in pieces, for running sums.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from workbench.curves.validation import Floats, quiet

#: A number that makes up this share of a column is a value of its own; and the most of them.
_SHARE, _MOST_VALUES = 0.01, 8

#: Quantiles between which a number counts, and those that bound the pieces of a difference.
_ENDS, _PIECES = (0.001, 0.999), (0.02, 0.2, 0.4, 0.6, 0.8, 0.98)

#: Most features, and most numbers (rows times features) that a regression is fitted to.
_MOST_FEATURES, _MOST_NUMBERS = 200, 10_000_000

#: Penalty on the squared coefficients, in outputs.
_PENALTY = 5.0

_STEPS, _SMALL_STEP = 12, 1e-5

#: Rows at a time, so that features take little memory.
_ROWS = 50_000


def learn_sequences(p: NDArray[Any], q: NDArray[Any]) -> list[Logistic]:
    """Estimates of log(p/q) of several columns of numbers; none for many, or for text.

    Parameters
    ----------
    p, q : array, shape (n_p, d) and (n_q, d)

    Returns
    -------
    list of Logistic
        On the columns, and also on their differences where two neighbors have numbers only.
    """
    x = np.concatenate([p, q]).astype(float)
    columns = tuple(_Column.fit(values) for values in x.T)
    mixed = [values[c.numbers(values)] for c, values in zip(columns, x.T, strict=True) if c.mixed]
    pooled = _ends(np.concatenate(mixed)) if mixed else None
    kinds = [Features(columns, pooled, ())]
    steps = tuple(
        (j, _knots(x[:, j] - x[:, j - 1]))
        for j in range(1, len(columns))
        if columns[j].plain and columns[j - 1].plain
    )
    if steps:
        kinds.append(Features(columns, pooled, steps))
    found = []
    for features in kinds:
        if 0 < features(x[:2]).shape[1] <= _MOST_FEATURES:
            found.append(Logistic.fit(p, q, features))
    return found


@dataclass(frozen=True, eq=False)
class _Column:
    """A column: values that repeat, and where its other numbers lie."""

    values: Floats
    ends: tuple[float, float] | None
    odd: bool = False  # whether NaN or ±∞ occurs, too

    @classmethod
    def fit(cls, x: Floats) -> _Column:
        finite = x[np.isfinite(x)]
        values, counts = np.unique(finite, return_counts=True)
        repeated = values[counts >= _SHARE * x.size]
        if values.size <= _MOST_VALUES:
            return cls(values, None, finite.size < x.size)
        rest = finite[~np.isin(finite, repeated)]
        enough = rest.size > 1e-3 * x.size and repeated.size <= _MOST_VALUES
        ends = _ends(rest if enough else finite)
        return cls(repeated if enough else repeated[:0], ends, finite.size < x.size)

    def numbers(self, x: Floats) -> NDArray[np.bool_]:
        """Where there is a number that is none of the values."""
        return np.isfinite(x) & ~np.isin(x, self.values)

    @property
    def plain(self) -> bool:
        """Whether it has numbers only."""
        return self.ends is not None and not self.mixed

    @property
    def mixed(self) -> bool:
        """Whether it has numbers beside the values."""
        return self.ends is not None and (self.values.size > 0 or self.odd)


@dataclass(frozen=True, eq=False)
class Features:
    """Numbers that a regression takes.

    Attributes
    ----------
    columns : tuple
        What each column of the outputs has.
    pooled : (float, float), optional
        Between which the numbers of columns count that have repeated values, too.
    steps : tuple of (int, ndarray)
        Columns whose difference from the one before is taken, with the ends of its pieces.
    """

    columns: tuple[_Column, ...]
    pooled: tuple[float, float] | None
    steps: tuple[tuple[int, Floats], ...]

    def __call__(self, x: NDArray[Any]) -> Floats:
        """The features, shape (n, k)."""
        x = x.astype(float)
        found: list[Any] = [np.empty((len(x), 0))]
        total = np.zeros(len(x))
        for column, values in zip(self.columns, x.T, strict=True):
            found += [values == value for value in column.values]
            found += [np.isnan(values), np.isposinf(values), np.isneginf(values)]
            if column.ends is None:
                continue
            here = column.numbers(values)
            ends = self.pooled if column.mixed and self.pooled is not None else column.ends
            scaled = np.where(here, _ramp(values, *ends), 0.0)
            if column.mixed:
                total += scaled
            else:
                found.append(scaled)
        found += [total] if self.pooled is not None else []
        for j, knots in self.steps:
            with quiet():
                step = x[:, j] - x[:, j - 1]
            found += [_ramp(step, low, high) for low, high in pairwise(knots)]
        return np.column_stack(found)


@dataclass(frozen=True, eq=False)
class Logistic:
    """An estimate of log(p/q) that is linear in features.

    Attributes
    ----------
    features : callable
    slopes : ndarray, shape (k,)
    start : float
        The estimate where all features are 0.
    """

    features: Callable[[NDArray[Any]], Floats]
    slopes: Floats
    start: float

    @classmethod
    def fit(cls, p: NDArray[Any], q: NDArray[Any], features: Features) -> Logistic:
        """Slopes by Newton's method, on as many outputs as memory allows.

        Parameters
        ----------
        p, q : array, shape (n_p, d) and (n_q, d)
        features : Features
        """
        most = _MOST_NUMBERS // (2 * features(p[:1]).shape[1])
        sides = [features(x[:most]) for x in (p, q)]
        z, told = np.concatenate(sides), np.repeat([1.0, 0.0], [len(s) for s in sides])
        center, spread = z.mean(axis=0), z.std(axis=0)
        spread = np.where(spread > 1e-9, spread, np.inf)
        z = np.column_stack([np.ones(len(z)), (z - center) / spread])
        offset = float(np.log(len(sides[0]) / len(sides[1])))
        beta, penalty = np.zeros(z.shape[1]), np.full(z.shape[1], _PENALTY)
        penalty[0] = 1e-9

        def loss(beta: Floats) -> float:
            eta = z @ beta + offset
            return float(np.logaddexp(0, eta).sum() - told @ eta + penalty @ beta**2 / 2)

        current = loss(beta)
        for _ in range(_STEPS):
            share = expit(z @ beta + offset)
            curvature = (z.T * (share * (1 - share))) @ z + np.diag(penalty)
            step = np.linalg.solve(curvature, z.T @ (share - told) + penalty * beta)
            size = 1.0
            # Newton's step may overshoot where the sides hardly overlap.
            while (new := loss(beta - size * step)) > current and size > _SMALL_STEP:
                size /= 2
            beta = beta - size * step
            if current - new <= _SMALL_STEP * len(z):
                break
            current = new
        slopes = beta[1:] / spread
        return cls(features, slopes, float(beta[0] - slopes @ center))

    def __call__(self, x: NDArray[Any]) -> Floats:
        parts = [self.features(x[i : i + _ROWS]) @ self.slopes for i in range(0, len(x), _ROWS)]
        return self.start + np.concatenate(parts or [np.empty(0)])


def _ends(x: Floats) -> tuple[float, float]:
    low, high = np.quantile(x, _ENDS, method="nearest")
    return float(low), float(high)


def _knots(x: Floats) -> Floats:
    x = x[np.isfinite(x)]
    return np.unique(np.quantile(x, _PIECES, method="nearest")) if x.size else x


@quiet()
def _ramp(x: Floats, low: float, high: float) -> Floats:
    """From 0 at ``low`` to 1 at ``high``; what is no number is 0."""
    if not high > low:
        return np.zeros(len(x))
    return np.nan_to_num(np.clip(x / (high - low) - low / (high - low), 0.0, 1.0))
