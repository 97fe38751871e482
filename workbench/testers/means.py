"""A lower limit on a divergence from two means, by one bet whose terms were fixed beforehand.

That a divergence is at most θ says of functions u and v, chosen beforehand, that::

    E_P u ≤ s(θ)·E_Q v + d(θ)

with s ≥ 0 and d that do not fall as θ grows. With a centre c and a stake Λ ≥ 0 fixed beforehand, no
factor being negative, let::

    W(θ) = Π_x (1 + (Λ/n_p)(u(x) − c)) · Π_y (1 − (Λ/n_q)(s·v(y) + d − c))

For A and B the means of a factor of either kind, E W = A^n_p B^n_q, which is at most the
(n_p + n_q)-th power of (n_p A + n_q B)/(n_p + n_q) (inequality of the means); and that is at most
1, since n_p A + n_q B − n_p − n_q = Λ(E_P u − s·E_Q v − d) ≤ 0. So W(θ) ≥ 1/α with probability at
most α (Markov), and as W falls in θ, sup{θ: W(θ) ≥ 1/α} is a lower limit at confidence 1 − α.
(Waudby-Smith and Ramdas 2024, at one sample size; `workbench.bounds.betting` is so at all.)

One bet on both means needs no union bound over them, and adds their variances where two limits
would add their widths. With the stake √(2 log(1/α)/(Var u/n_p + s² Var v/n_q)) the limit is, to
first order, √(2 log(1/α)) standard errors below the estimate; ranges cost nothing.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from workbench.curves.elementwise import Floats

#: Factors stay above 1 − this.
_LARGEST_LOSS = 0.95

#: In place of 0 below a bar.
_TINY = 1e-300

#: What round-off can make of the log of a wealth.
_ROUND_OFF = 1e-8


class Line(ABC):
    """E_P u ≤ s(θ)·E_Q v + d(θ), for u and v in [0, 1]."""

    @abstractmethod
    def at(self, theta: float) -> tuple[float, float]:
        """The pair (s, d); neither falls as θ grows."""

    @abstractmethod
    def solve(self, u: float, v: float) -> float:
        """The θ with u = s·v + d."""


@dataclass(frozen=True)
class HockeyStickLine(Line):
    """E_P u − e^ε E_Q u ≤ H_{e^ε}(P‖Q) = θ, for v = u; with ε = 0, total variation."""

    epsilon: float

    def at(self, theta: float) -> tuple[float, float]:
        return math.exp(self.epsilon), theta

    def solve(self, u: float, v: float) -> float:
        return u - math.exp(self.epsilon) * v


@dataclass(frozen=True)
class RenyiLine(Line):
    """R_a(P‖Q) = θ ≥ κ log E_P u − log E_Q v with κ = a/(a−1), u = e^{(a−1)h} and v = e^{ah}.

    That is E_P u ≤ (e^θ E_Q v)^{1/κ}, which is concave in E_Q v and so at most its tangent.

    Attributes
    ----------
    order : float
        a, above 1.
    touch : float
        Where the tangent touches; above 0. As good as equality for E_Q v near to it.
    """

    order: float
    touch: float

    @property
    def _tangent(self) -> tuple[float, float]:
        """Slope and intercept of b ↦ b^{1/κ}."""
        power = (self.order - 1) / self.order
        return power * self.touch ** (power - 1), (1 - power) * self.touch**power

    def at(self, theta: float) -> tuple[float, float]:
        growth = math.exp(theta * (self.order - 1) / self.order)
        slope, intercept = self._tangent
        return growth * slope, growth * intercept

    def solve(self, u: float, v: float) -> float:
        if u <= 0:
            return -math.inf
        slope, intercept = self._tangent
        return self.order / (self.order - 1) * math.log(u / (slope * v + intercept))


@dataclass(frozen=True)
class Moments:
    """What is expected of u and v, in [0, 1], before they are measured."""

    mean_u: float
    var_u: float
    mean_v: float
    var_v: float

    @classmethod
    def of(
        cls, u: Floats, v: Floats, u_counts: Floats | None = None, v_counts: Floats | None = None
    ) -> Moments:
        """From a few values, or values with counts, with variances on the safe side."""
        return cls(*_mean_and_variance(u, u_counts), *_mean_and_variance(v, v_counts))

    def limit(self, line: Line, n_p: int, n_q: int, confidence: float) -> float:
        """About what `lower_limit` will say; it promises nothing."""
        slope, _ = line.at(self.estimate(line))
        width = self._width(slope, n_p, n_q, confidence)
        return line.solve(self.mean_u - width, self.mean_v) if width < self.mean_u else -math.inf

    def estimate(self, line: Line) -> float:
        """θ by the means themselves."""
        return line.solve(self.mean_u, self.mean_v)

    def stake(self, line: Line, n_p: int, n_q: int, confidence: float) -> float:
        """Λ that makes the limit highest, if these are the moments."""
        slope, intercept = line.at(self.estimate(line))
        best = 2 * -math.log1p(-confidence) / self._width(slope, n_p, n_q, confidence)
        most_p = _LARGEST_LOSS * n_p / max(self.mean_u, _TINY)
        most_q = _LARGEST_LOSS * n_q / max(slope + intercept - self.mean_u, _TINY)
        return min(best, most_p, most_q)

    def _width(self, slope: float, n_p: int, n_q: int, confidence: float) -> float:
        variance = self.var_u / n_p + slope**2 * self.var_v / n_q
        return math.sqrt(2 * -math.log1p(-confidence) * variance)


def lower_limit(u: Floats, v: Floats, line: Line, expected: Moments, confidence: float) -> float:
    """A lower limit on θ ≥ 0.

    Parameters
    ----------
    u, v : ndarray, shape (n_p,) and (n_q,)
        In [0, 1]; of independent outputs of P and of Q.
    line : Line
    expected : Moments
        From other outputs: they set the terms of the bet, and if they are off, only make the limit
        lower.
    confidence : float

    Returns
    -------
    float
        At least 0. At most θ with probability at least ``confidence``.
    """
    n_p, n_q = u.size, v.size
    centre, stake = expected.mean_u, expected.stake(line, n_p, n_q, confidence)
    needed = -math.log1p(-confidence) + _ROUND_OFF
    won = float(np.log1p(stake / n_p * (u - centre)).sum())

    def excess(theta: float) -> float:
        """Log of αW(θ)."""
        slope, intercept = line.at(theta)
        rate = stake / n_q
        return won + float(np.log1p(rate * (centre - intercept) - rate * slope * v).sum()) - needed

    # Beyond this θ a factor could become negative.
    top = line.solve(centre + (1 + _LARGEST_LOSS) / 2 * n_q / stake, 1.0)
    if top <= 0 or excess(0.0) <= 0:
        return 0.0
    if excess(top) >= 0:
        return top
    limit = float(brentq(excess, 0.0, top, xtol=1e-9))
    while excess(limit) < 0:
        limit -= 1e-9
    return max(limit, 0.0)


def _mean_and_variance(x: Floats, counts: Floats | None) -> tuple[float, float]:
    n = x.size if counts is None else float(counts.sum())
    mean = float(np.average(x, weights=counts))
    square = float(np.average((x - mean) ** 2, weights=counts))
    # One more value, half the range off: what no sample of this size rules out.
    return mean, (n * square + 0.25) / (n + 1)
