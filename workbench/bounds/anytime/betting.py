"""Bets against privacy claims, whose wealth is evidence at every sample size at once.

A claim says P(S) ≤ s·Q(S) + δ for every set S, and the same with P and Q exchanged: (ε, δ)-DP with
s = e^ε, total variation at most δ with s = 1, μ-GDP with any line above its trade-off curve. Scores
come in blocks of a of P and b of Q. Before a block, choose from the past a set S, a bet λ ≥ 0 and a
center c such that no factor is negative; the block then multiplies the wealth by::

    Π_x (1 + (λ/a)(1{x ∈ S} − c)) · Π_y (1 − (λ/b)(s·1{y ∈ S} + δ − c))

With A and B the means of a factor of either kind, the block's mean is A^a·B^b, at most the
(a+b)-th power of (aA + bB)/(a+b) (inequality of the means), and under the claim
aA + bB − a − b = λ(P(S) − s·Q(S) − δ) ≤ 0. So the wealth is a non-negative supermartingale, and
it ever reaches 1/α with probability at most α (Ville). The same holds for an average over bets, and
for a bet on P against Q and one on Q against P in the same factors, where the terms add up; on a
symmetric pair that doubles the evidence.

Sets are chosen by an ordering of the scores: S = {order > t}, t a quantile of Q's past, and
S′ = {order < t′}, t′ a quantile of P's. There are two families of sets, and the wealth is one
average over both, with prior weights that are fixed: an average of supermartingales is one too.

- One-sided: the order is the score.
- Two-sided: the order is the distance of the score from a center m, or its negative, both from the
  past (`workbench.bounds.anytime.sets`). The sets are a center's neighborhoods and complements.

With λ and c fixed, the wealth depends only on how many scores fell where.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from workbench.curves.gdp import gaussian_log_profile
from workbench.curves.validation import Floats

#: Masses of S under Q, and of S′ under P, at which bets are placed.
LEVELS: Floats = 2.0 ** -np.arange(1.0, 17.0)

#: So many of the levels have two-sided sets as well.
TWO_SIDED = 8

#: Rows of counts and of factors: the one-sided sets at the levels, then the two-sided ones.
ROWS = LEVELS.size + TWO_SIDED

_LEVEL = LEVELS[:, None]

#: Bets as shares of the largest that keeps every factor non-negative.
_SHARES = 0.98 * 2.0 ** -np.arange(8)

#: Prior weights of bets on P against Q, on Q against P, on both.
_DIRECTION_WEIGHTS = np.array([0.2, 0.2, 0.6])

#: Prior weight of the one-sided family; the two-sided one has the rest.
_ONE_SIDED = 0.8


def _log_weights() -> Floats:
    """Logs of the prior weights of the bets, in the order of `log_factors`, shape (rows, 1, bets).

    Deep levels and small shares pay only after many scores; then little weight will do. Two-sided
    bets are for few scores.
    """
    level, share = np.arange(LEVELS.size), np.arange(_SHARES.size)
    families = (
        (_ONE_SIDED, 1 / (level + 10), 1 / ((share + 2) * (share + 3))),
        (1 - _ONE_SIDED, 1 / (level[:TWO_SIDED] + 10), 1 / ((share + 1) * (share + 2))),
    )
    weights = [
        family
        * np.outer(levels / levels.sum(), np.outer(_DIRECTION_WEIGHTS, shares / shares.sum()))
        for family, levels, shares in families
    ]
    return np.log(np.concatenate(weights))[:, None]


_LOG_WEIGHTS = _log_weights()


class Claims(Protocol):
    """Claims indexed by θ ≥ 0, weaker for larger θ, in cells of equal width that share bets."""

    def __hash__(self) -> int:
        """As of a frozen object."""

    @property
    def cell(self) -> float:
        """Width of a cell."""

    def line(self, theta: float, top: float) -> tuple[Floats, Floats]:
        """Slope s and intercept δ at each level, of lines that the claim θ implies.

        Neither falls as θ grows within the cell that ends at ``top``.
        """


@dataclass(frozen=True)
class EpsilonClaims:
    """(θ, δ)-DP."""

    delta: float
    cell: float = 0.25

    def line(self, theta: float, top: float) -> tuple[Floats, Floats]:
        return np.full(LEVELS.size, np.exp(theta)), np.full(LEVELS.size, self.delta)


@dataclass(frozen=True)
class VariationClaims:
    """A total variation distance of at most θ."""

    cell: float = 0.05

    def line(self, theta: float, top: float) -> tuple[Floats, Floats]:
        return np.ones(LEVELS.size), np.full(LEVELS.size, theta)


@dataclass(frozen=True)
class MuClaims:
    """θ-GDP, by lines as steep as the top's curve is at the levels."""

    cell: float = 0.1

    def line(self, theta: float, top: float) -> tuple[Floats, Floats]:
        log_slope = -ndtri(LEVELS) * top - top**2 / 2
        return np.exp(log_slope), np.exp(gaussian_log_profile(theta, log_slope))


def log_factors(claims: Claims, theta: float, top: float, ratio: tuple[int, int]) -> Floats:
    """Logs of the factors by which one score multiplies the wealth of each bet against θ.

    Bets and centers are those that suit ``top``. Being the same for all θ in the cell, they make
    every factor, and so the wealth, fall as θ grows.

    Returns
    -------
    ndarray, shape (rows, 8, bets)
        For a score of P in S only, in S′ only, in neither, in both; then for one of Q. The factors
        of a two-sided set are those of the one-sided set at its level.
    """
    a, b = ratio
    c, forward, backward, both = _stakes(claims, top, ratio)
    s, d = (x[:, None] for x in claims.line(theta, top))
    p1, p0 = forward / a * (1 - c), -forward / a * c
    q1, q0 = -forward / b * (s + d - c), forward / b * (c - d)
    y1, y0 = backward / b * (1 - c), -backward / b * c
    x1, x0 = -backward / a * (s + d - c), backward / a * (c - d)
    # The centers of the two directions cancel.
    won, lost, neither, drawn = both * (1 - d), -both * (s + d), -both * d, both * (1 - s - d)
    gains = (
        (p1, p0, p0, p1, q1, q0, q0, q1),
        (x0, x1, x0, x1, y0, y1, y0, y1),
        (won / a, lost / a, neither / a, drawn / a, lost / b, won / b, neither / b, drawn / b),
    )
    factors = np.empty((ROWS, 8, len(gains), _SHARES.size))
    for direction, by_cell in enumerate(gains):
        for cell, gain in enumerate(by_cell):
            factors[: LEVELS.size, cell, direction] = gain
    np.log1p(factors[: LEVELS.size], out=factors[: LEVELS.size])
    factors[LEVELS.size :] = factors[:TWO_SIDED]
    return factors.reshape(ROWS, 8, -1)


@lru_cache(maxsize=64)
def _stakes(claims: Claims, top: float, ratio: tuple[int, int]) -> tuple[NDArray[Any], ...]:
    """Centers, and bets on P against Q, on Q against P, and on both, that suit ``top``."""
    a, b = ratio
    s, d = (x[:, None] for x in claims.line(top, top))
    # The mass of S at which the claim is tight: the factors then vary least.
    c = np.minimum(s * _LEVEL + d, 0.999)
    forward = _SHARES * np.minimum(a / c, b / (s + d - c))
    backward = _SHARES * np.minimum(b / c, a / (s + d - c))
    return c, forward, backward, _SHARES * min(a, b) / (s + d)


def log_wealth(counts: Floats, factors: Floats) -> Floats:
    """Log of the wealth, averaged over all bets.

    Parameters
    ----------
    counts : ndarray, shape (rows, looks, 8)
        How many scores fell where, in the order of `log_factors`.
    factors : ndarray, shape (rows, 8, bets)

    Returns
    -------
    ndarray, shape (looks,)
    """
    bets = counts @ factors
    bets += _LOG_WEIGHTS
    # scipy's logsumexp takes ten times as long, and the short axis first twice.
    largest = bets.max(axis=0).max(axis=1)
    bets -= largest[:, None]
    return np.asarray(largest + np.log(np.exp(bets, out=bets).sum(axis=0).sum(axis=1)))
