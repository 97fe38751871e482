"""Estimates of log(p/q), learned on a fitting part of raw outputs.

Numbers of one column are binned (`workbench.bounds.held_out.ordering`), several columns go to a
classifier. Rows that occur again and again are outcomes with counts of their own, which matters for
rare ones: bins and trees miss a row that has probability 1e-4 under P and 0 under Q.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.held_out.ordering import LikelihoodRatio, likelihood_ratio, train_classifier
from workbench.curves.validation import Floats
from workbench.parallel import one_thread
from workbench.scores.sample import Scores
from workbench.software.extras import check
from workbench.testers.learning.encoding import Encoder
from workbench.testers.learning.outputs import is_text
from workbench.testers.learning.sequences import learn_sequences

#: From outputs to an estimate of log(p/q), shape (n,).
Ratio = Callable[[NDArray[Any]], Floats]

#: Most rows of each sample that a classifier is trained on.
MOST_ROWS = 50_000

#: Trees of the classifier, and the least rows of a leaf.
TREES, LEAF = 40, 20

#: Rows that the smooth estimate counts for beside the counts of an outcome.
_PRIOR_ROWS = 1.0

#: Beyond any number that is met, and small enough that differences do not overflow.
_LARGEST = 1e300


def learn_ratios(p: NDArray[Any], q: NDArray[Any], rng: np.random.Generator) -> list[Ratio]:
    """Estimates of log(p/q); choose among them on other outputs.

    Parameters
    ----------
    p, q : array, shape (n_p,) or (n_p, d), and (n_q,) or (n_q, d)
    rng : numpy.random.Generator

    Returns
    -------
    list of callable
        A smooth estimate, and one that counts outcomes where rows repeat. For one column of numbers
        also both tails, for several columns also the sum of single-column estimates, and
        regressions on few features: these find what is too rare for bins and trees.
    """
    encoder = Encoder.fit(p, q)
    if encoder.n_outcomes == 1 and encoder.once == 0:
        return [Flat()]
    if len(encoder.columns) > 1:
        smooth: Ratio = Classified.fit(p, q, encoder, rng)
        simple: list[Ratio] = [Additive.fit(p, q, encoder, rng)]
        if not is_text(p):
            simple += learn_sequences(p, q)
    elif is_text(p):
        return [Counted.fit(p, q, encoder, Flat())]
    else:
        sides = _numbers(p), _numbers(q)
        if any(np.isnan(side).all() for side in sides):  # NaN is an outcome, which is counted
            smooth = Flat()
        else:
            smooth = Binned(likelihood_ratio(Scores(*sides)))
        simple = [Tail(1.0), Tail(-1.0)]
    counted = [Counted.fit(p, q, encoder, smooth)] if encoder.n_outcomes else []
    return [smooth, *counted, *simple]


@dataclass(frozen=True, eq=False)
class Flat:
    """The estimate 0 for every output."""

    def __call__(self, x: NDArray[Any]) -> Floats:
        return np.zeros(len(x))


@dataclass(frozen=True, eq=False)
class Binned:
    """Estimate by bins of one column of numbers."""

    ratio: LikelihoodRatio

    def __call__(self, x: NDArray[Any]) -> Floats:
        return self.ratio(_numbers(x))


@dataclass(frozen=True)
class Tail:
    """The output itself, for events {x > t} or {x < t}; it orders outputs, but is no log-ratio."""

    sign: float

    def __call__(self, x: NDArray[Any]) -> Floats:
        # NaN is in neither tail.
        return np.nan_to_num(self.sign * _numbers(x), nan=-np.inf, posinf=np.inf, neginf=-np.inf)


@dataclass(frozen=True, eq=False)
class Additive:
    """Sum of single-column estimates."""

    encoder: Encoder
    ratios: tuple[Ratio, ...]

    @classmethod
    def fit(
        cls, p: NDArray[Any], q: NDArray[Any], encoder: Encoder, rng: np.random.Generator
    ) -> Additive:
        """Estimates of each column, with repeated values counted.

        Parameters
        ----------
        p, q : array, shape (n, d)
        encoder : Encoder
        rng : numpy.random.Generator
        """
        columns = zip(p.T, q.T, strict=True)
        return cls(encoder, tuple(_of_column(a, b, rng) for a, b in columns))

    def __call__(self, x: NDArray[Any]) -> Floats:
        rows, where = _distinct(x, self.encoder)
        columns = zip(self.ratios, rows.T, strict=True)
        return np.sum([ratio(column) for ratio, column in columns], axis=0)[where]


@dataclass(frozen=True, eq=False)
class Classified:
    """Estimate by a classifier, which is evaluated once for each distinct row."""

    encoder: Encoder
    decide: Callable[[Any], Floats]
    offset: float

    @classmethod
    def fit(
        cls, p: NDArray[Any], q: NDArray[Any], encoder: Encoder, rng: np.random.Generator
    ) -> Classified:
        """A classifier trained on at most ``MOST_ROWS`` of each sample.

        Parameters
        ----------
        p, q : array, shape (n, d)
        encoder : Encoder
        rng : numpy.random.Generator
        """
        check("sklearn", "learning what distinguishes outputs needs")
        from sklearn.ensemble import HistGradientBoostingClassifier  # type: ignore[import-untyped]

        model = HistGradientBoostingClassifier(
            max_iter=TREES, min_samples_leaf=LEAF, l2_regularization=1.0, early_stopping=False
        )
        parts = [encoder.transform(_some(x, rng)) for x in (p, q)]
        offset = float(np.log(len(parts[0])) - np.log(len(parts[1])))
        with one_thread():
            return cls(encoder, train_classifier(model, parts, rng), offset)

    def __call__(self, x: NDArray[Any]) -> Floats:
        rows, where = _distinct(x, self.encoder)
        with one_thread():
            return (self.decide(self.encoder.transform(rows)) - self.offset)[where]


@dataclass(frozen=True, eq=False)
class Counted:
    """Estimate by counts of outcomes, with a smooth estimate as prior.

    Attributes
    ----------
    encoder : Encoder
    smooth : callable
    in_p, in_q : ndarray, shape (outcomes + 1,)
        Counts; 0 for rows that are no outcome.
    n_p, n_q : int
        Numbers of outputs.
    """

    encoder: Encoder
    smooth: Ratio
    in_p: NDArray[np.int64]
    in_q: NDArray[np.int64]
    n_p: int
    n_q: int

    @classmethod
    def fit(cls, p: NDArray[Any], q: NDArray[Any], encoder: Encoder, smooth: Ratio) -> Counted:
        """An estimate from counts.

        Parameters
        ----------
        p, q : array
        encoder : Encoder
        smooth : callable
            The prior estimate.
        """
        counts = []
        for x in (p, q):
            count = np.bincount(encoder.outcomes(x), minlength=encoder.n_outcomes + 1)
            count[-1] = 0
            counts.append(count)
        return cls(encoder, smooth, counts[0], counts[1], len(p), len(q))

    def __call__(self, x: NDArray[Any]) -> Floats:
        code = self.encoder.outcomes(x)
        odds = self.n_p / self.n_q * np.exp(np.clip(self.smooth(x), -500, 500))
        in_p = self.in_p[code] + _PRIOR_ROWS * odds / (1 + odds)
        in_q = self.in_q[code] + _PRIOR_ROWS / (1 + odds)
        return np.asarray(np.log(in_p / self.n_p) - np.log(in_q / self.n_q))


def _of_column(p: NDArray[Any], q: NDArray[Any], rng: np.random.Generator) -> Ratio:
    ratios = [it for it in learn_ratios(p, q, rng) if not isinstance(it, Tail)]
    return ratios[-1]


def _numbers(x: NDArray[Any]) -> Floats:
    """One column of numbers whose differences are finite; ±∞ and NaN stay."""
    x = x.reshape(len(x)).astype(float)
    return np.where(np.isfinite(x), np.clip(x, -_LARGEST, _LARGEST), x)


def _some(x: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    return x if len(x) <= MOST_ROWS else x[rng.choice(len(x), MOST_ROWS, replace=False)]


def _distinct(x: NDArray[Any], encoder: Encoder) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """One row for each outcome, and the position of each row of ``x`` among them."""
    code = encoder.outcomes(x)
    other = code == encoder.n_outcomes
    code[other] += np.arange(np.count_nonzero(other))
    _, first, where = np.unique(code, return_index=True, return_inverse=True)
    return x[first], where
