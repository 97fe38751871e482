"""Lower limits on a divergence from two means, by one bet with terms fixed in advance.

If a divergence is at most θ, then for functions u and v that are fixed in advance::

    E_P u ≤ s(θ)·E_Q v + d(θ)

with s ≥ 0 and d that do not fall as θ grows. With a center c and a stake Λ ≥ 0 fixed in advance
such that no factor is negative, let::

    W(θ) = Π_x (1 + (Λ/n_p)(u(x) − c)) · Π_y (1 − (Λ/n_q)(s·v(y) + d − c))

For A and B the means of a factor of either kind, E W = A^n_p B^n_q, which is at most the
(n_p + n_q)-th power of (n_p A + n_q B)/(n_p + n_q) (inequality of the means); and that is at most
1, since n_p A + n_q B − n_p − n_q = Λ(E_P u − s·E_Q v − d) ≤ 0. So W(θ) ≥ 1/α with probability at
most α (Markov), and as W falls in θ, sup{θ: W(θ) ≥ 1/α} is a lower limit at confidence 1 − α.
(Waudby-Smith and Ramdas 2024, at one sample size; `workbench.bounds.anytime.betting` is so at all.)

One bet on both means needs no union bound over them, and adds their variances where two limits
would add their widths. With the stake √(2 log(1/α)/(Var u/n_p + s² Var v/n_q)) the limit is, to
first order, √(2 log(1/α)) standard errors below the estimate; ranges cost nothing.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench._roots import turning_point
from workbench.curves.validation import Floats

#: Factors stay above 1 − this.
_LARGEST_LOSS = 0.95

#: Expectations count as known as well as from so many times the values that they are from.
_CAUTION = 4

#: Stakes that are tried, in units of what is best for many values: for few, more may be better.
_STAKES = np.array([1.0, 2.0, 4.0, 8.0])

#: Halvings of an interval in which a limit is expected.
_HALVINGS = 12

#: In place of 0 below a bar.
_TINY = 1e-300

#: What round-off can make of the log of a wealth.
_ROUND_OFF = 1e-8

#: Values and their probabilities.
Shares = tuple[Floats, Floats]


class Line(ABC):
    """E_P u ≤ s(θ)·E_Q v + d(θ), for u and v in [0, 1]."""

    @abstractmethod
    def at(self, theta: Any) -> tuple[Any, Any]:
        """The pair (s, d) at a number or an array; neither falls as θ grows."""

    @abstractmethod
    def solve(self, u: Any, v: Any) -> Any:
        """The θ with u = s·v + d.

        Parameters
        ----------
        u, v : float or ndarray
            The means E_P u and E_Q v.
        """


@dataclass(frozen=True)
class HockeyStickLine(Line):
    """E_P u − e^ε E_Q u ≤ H_{e^ε}(P‖Q) = θ, for v = u; with ε = 0, total variation."""

    epsilon: float

    def at(self, theta: Any) -> tuple[Any, Any]:
        return math.exp(self.epsilon) + 0 * theta, theta

    def solve(self, u: Any, v: Any) -> Any:
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
    def _power(self) -> float:
        return (self.order - 1) / self.order

    @property
    def _tangent(self) -> tuple[float, float]:
        """Slope and intercept of b ↦ b^{1/κ}."""
        power = self._power
        return power * self.touch ** (power - 1), (1 - power) * self.touch**power

    def at(self, theta: Any) -> tuple[Any, Any]:
        growth = np.exp(theta * self._power)
        slope, intercept = self._tangent
        return growth * slope, growth * intercept

    def solve(self, u: Any, v: Any) -> Any:
        slope, intercept = self._tangent
        return np.log(np.maximum(u, _TINY) / (slope * v + intercept)) / self._power


@dataclass(frozen=True)
class Bet:
    """Terms of a bet, fixed in advance.

    Attributes
    ----------
    line : Line
    center : float
    stake_p, stake_q : float
        Λ/n_p and Λ/n_q.
    needed : float
        The log of the wealth that refutes, log(1/α).
    """

    line: Line
    center: float
    stake_p: float
    stake_q: float
    needed: float

    @property
    def top(self) -> float:
        """Above this θ a factor could become negative."""
        return float(self.line.solve(self.center + _LARGEST_LOSS / self.stake_q, 1.0))

    def won(self, u: Floats) -> Floats:
        """Logs of P's factors."""
        return np.log1p(self.stake_p * (u - self.center))

    def kept(self, v: Floats, theta: float) -> Floats:
        """Logs of Q's factors, for θ up to `top`."""
        slope, intercept = self.line.at(theta)
        # In place: there may be many.
        x = v * (-self.stake_q * slope)
        x += self.stake_q * (self.center - intercept)
        return np.log1p(x, out=x)


def lower_limit(u: Floats, v: Floats, bet: Bet) -> float:
    """A lower limit on θ ≥ 0.

    Parameters
    ----------
    u, v : ndarray, shape (n_p,) and (n_q,)
        In [0, 1]; of independent outputs of P and of Q.
    bet : Bet
        For these numbers of values, from other outputs. If those differ from these, the limit is
        lower, but still valid.

    Returns
    -------
    float
        At least 0. At most θ with at least the probability that the bet is for.
    """
    from scipy.optimize import brentq

    won, top = float(bet.won(u).sum()), bet.top

    def excess(theta: float) -> float:
        """Log of αW(θ)."""
        return won + float(bet.kept(v, theta).sum()) - bet.needed

    if top <= 0 or excess(0.0) <= 0:
        return 0.0
    if excess(top) >= 0:
        return top
    limit = float(brentq(excess, 0.0, top, xtol=1e-9))
    while excess(limit) < 0:
        limit -= 1e-9
    return max(limit, 0.0)


@dataclass(frozen=True, eq=False)
class Expected:
    """Expected values of u and v, from other outputs.

    Attributes
    ----------
    u, v : (ndarray, ndarray)
        Values in [0, 1], and their shares.
    size_u, size_v : float
        Numbers of values.
    """

    u: Shares
    v: Shares
    size_u: float
    size_v: float

    @classmethod
    def of(cls, u: Shares, v: Shares, size_u: float, size_v: float) -> Expected:
        """Expected values, with a quarter of a value at 1 added to v, as it may be there unseen.

        Parameters
        ----------
        u, v : (ndarray, ndarray)
        size_u, size_v : float
        """
        more = 0.25 / (size_v + 0.25)
        return cls(u, (np.append(v[0], 1.0), np.append(v[1] * (1 - more), more)), size_u, size_v)

    @property
    def means(self) -> tuple[float, float]:
        """Of u and of v."""
        return float(self.u[0] @ self.u[1]), float(self.v[0] @ self.v[1])

    def predict(self, line: Line, n_p: float, n_q: float, confidence: float) -> float:
        """Estimate of `lower_limit`, without guarantee; it may be below 0.

        It is lowered where it rests on few values, so that the best of many is not the luckiest.
        """
        known_p = 1 / (1 / n_p + 1 / (_CAUTION * self.size_u))
        known_q = 1 / (1 / n_q + 1 / (_CAUTION * self.size_v))
        _, limits = self._tries(line, known_p, known_q, confidence)
        return float(limits.max())

    def bet(self, line: Line, n_p: int, n_q: int, confidence: float) -> Bet:
        """The terms with the largest expected limit."""
        stakes, limits = self._tries(line, n_p, n_q, confidence)
        stake = float(stakes[np.argmax(limits)])
        needed = -math.log1p(-confidence) + _ROUND_OFF
        return Bet(line, self.means[0], stake / n_p, stake / n_q, needed)

    def _tries(
        self, line: Line, n_p: float, n_q: float, confidence: float
    ) -> tuple[Floats, Floats]:
        """Stakes Λ, and their expected limits."""
        (u, share_u), (v, share_v) = self.u, self.v
        (center, mean_v), needed = self.means, -math.log1p(-confidence)
        estimate = float(line.solve(center, mean_v))
        slope, intercept = line.at(estimate)
        variance = (u - center) ** 2 @ share_u / n_p + slope**2 * (
            (v - mean_v) ** 2 @ share_v
        ) / n_q
        stakes = _STAKES * math.sqrt(2 * needed / max(float(variance), _TINY))
        # And the largest with which the estimate itself can be reached.
        reaching = _LARGEST_LOSS * n_q / max(float(slope + intercept - center), _TINY)
        stakes = np.append(stakes, reaching)
        stakes = np.minimum(stakes, _LARGEST_LOSS * n_p / max(center, _TINY))
        missing = needed - n_p * (np.log1p(np.outer(stakes / n_p, u - center)) @ share_u)
        rate = (stakes / n_q)[:, None]
        top = line.solve(center + _LARGEST_LOSS * n_q / stakes, 1.0)
        high = np.minimum(top, estimate)

        def lost(limit: Floats) -> NDArray[np.bool_]:
            slope, intercept = (x[:, None] for x in line.at(limit))
            kept = n_q * (np.log1p(rate * (center - intercept - slope * v)) @ share_v)
            return np.asarray(~(kept >= missing))

        below, _ = turning_point(lost, np.minimum(high, 0.0) - 1.0, high, _HALVINGS)
        return stakes, below


def in_shares(x: Floats) -> Shares:
    """Many values as means of groups, which are small at both ends, with their shares."""
    n = x.size
    ends = np.geomspace(1, n, 30)
    ranks = np.concatenate([np.linspace(0, n, 31), ends, n - ends]).astype(np.int64)
    ranks = np.unique(ranks)
    sizes = np.diff(ranks)
    return np.add.reduceat(np.sort(x), ranks[:-1]) / sizes, sizes / n
