"""`Law`: the distribution functions of P and Q, and samples as they are expected of them.

`ExpectedScores` answers what is asked of scores by a check or a bound, with the quantiles of the
distributions in place of drawn scores. What such a sample shows is what a typical one does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtr

from workbench.curves.validation import Floats
from workbench.scores.ordered import Moments

#: Thresholds in deviations of one side from its mean, and scores that moments are taken of.
_DEVIATIONS, _POINTS = np.linspace(-12, 12, 2401), 4000

#: The same where the unit is free: P may lie where hardly any score of Q does.
_FREE = np.linspace(-12, 37, 4901)


@dataclass(frozen=True, eq=False)
class Law:
    """Error rates of all threshold attacks on P and Q, each with its relative precision.

    Attributes
    ----------
    thresholds : ndarray, shape (k,)
        Ascending.
    fpr, tnr : ndarray, shape (k,)
        Q above each threshold, and up to it.
    tpr, fnr : ndarray, shape (k,)
        The same of P.
    """

    thresholds: Floats
    fpr: Floats
    tnr: Floats
    tpr: Floats
    fnr: Floats

    def capped(self, loss: float) -> Law:
        """The closest law, with the same Q, whose threshold attacks are (loss, 0)-DP.

        For a trade-off function f whose slope falls along the thresholds it is that of
        max(f, f_{loss,0}): what a mechanism has at least that is both f-DP and (loss, 0)-DP.
        """
        more, less = math.exp(min(loss, 700.0)), math.exp(-min(loss, 700.0))

        def moved(p: Floats, q: Floats, rest: Floats) -> Floats:
            low, high = np.maximum(less * q, 1 - more * rest), np.minimum(more * q, 1 - less * rest)
            return np.clip(p, np.minimum(low, high), high)

        return Law(
            self.thresholds,
            self.fpr,
            self.tnr,
            tpr=moved(self.tpr, self.fpr, self.tnr),
            fnr=moved(self.fnr, self.tnr, self.fpr),
        )

    def epsilon(self, delta: float, largest: float = 700.0) -> float:
        """ε at δ, the larger of both directions.

        Parameters
        ----------
        delta : float
            In [0, 1).
        largest : float
            A value that ε is known not to exceed.
        """
        from scipy.optimize import brentq

        p, q = self._masses

        def excess(epsilon: float) -> float:
            more = math.exp(epsilon)
            forward, backward = np.maximum(p - more * q, 0.0), np.maximum(q - more * p, 0.0)
            return max(float(forward.sum()), float(backward.sum())) - delta

        if excess(0.0) <= 0:
            return 0.0
        if excess(largest) > 0:
            return largest
        return float(brentq(excess, 0.0, largest, xtol=1e-9))

    @cached_property
    def _masses(self) -> tuple[Floats, Floats]:
        """Masses of P and Q between thresholds, from the tail that is small there."""

        def masses(upto: Floats, above: Floats) -> Floats:
            return np.where(upto[1:] < 0.5, np.diff(upto), -np.diff(above))

        return masses(self.fnr, self.tpr), masses(self.tnr, self.fpr)


def law_of_normals(distance: float, ratio: float) -> Law:
    """N(distance, ratio²) against N(0, 1)."""
    t = np.union1d(_DEVIATIONS, distance + ratio * _DEVIATIONS)
    z = (t - distance) / ratio
    return Law(t, ndtr(-t), ndtr(t), ndtr(-z), ndtr(z))


def law_of_curve(curve: Callable[[Floats], Floats]) -> Law:
    """The pair with a trade-off function, in the unit in which Q is N(0, 1)."""
    fpr = ndtr(-_FREE)
    fnr = curve(fpr)
    return Law(_FREE, fpr, ndtr(_FREE), 1 - fnr, fnr)


@dataclass(frozen=True, eq=False)
class ExpectedGroup:
    """A group's scores as they are expected: the quantiles at (i + ½)/n."""

    thresholds: Floats
    upto: Floats
    beyond: Floats
    size: int

    def at(self, index: Any) -> Floats:
        """The score at an index."""
        return self.quantile((np.asarray(index, dtype=float) + 0.5) / self.size)

    def quantile(self, share: Floats) -> Floats:
        """The score with a share of the distribution below it."""
        low = np.interp(share, self.upto, self.thresholds)
        high = -np.interp(1 - share, self.beyond[::-1], -self.thresholds[::-1])
        return np.where(share < 0.5, low, high)

    def above(self, t: Floats) -> Floats:
        """Expected number of scores greater than t."""
        return self.size * np.interp(t, self.thresholds, self.beyond)

    def up_to(self, t: Floats) -> Floats:
        """Expected number of scores up to t."""
        return self.size * np.interp(t, self.thresholds, self.upto)

    at_least, below = above, up_to


@dataclass(frozen=True, eq=False)
class ExpectedSamples:
    """The scores of both sides as they are expected of a law."""

    law: Law
    n_p: int
    n_q: int

    @cached_property
    def groups(self) -> tuple[ExpectedGroup, ExpectedGroup]:
        """Scores of P and of Q."""
        law = self.law
        return (
            ExpectedGroup(law.thresholds, law.fnr, law.tpr, self.n_p),
            ExpectedGroup(law.thresholds, law.tnr, law.fpr, self.n_q),
        )

    def moments(self, unit: float = 1.0) -> tuple[Moments, Moments]:
        """Size, mean and variance of P and of Q."""
        points = (np.arange(_POINTS) + 0.5) / _POINTS
        p, q = (Moments.of(group.quantile(points) / unit) for group in self.groups)
        return (
            Moments(self.n_p, p.mean, p.variance),
            Moments(self.n_q, q.mean, q.variance),
        )


@dataclass(frozen=True, eq=False)
class ExpectedScores:
    """What a check or a bound reads of scores, as it is expected of a law."""

    samples: ExpectedSamples

    @property
    def n_p(self) -> int:
        """Number of scores of P."""
        return self.samples.n_p

    @property
    def n_q(self) -> int:
        """Number of scores of Q."""
        return self.samples.n_q
