"""Sets of scores to bet on: beyond a threshold, and within or beyond a distance from a center.

Where P and Q differ in spread and not in place, no threshold on the score tells much: the noise of
a mean that leaks the number of records does so. A threshold on the distance from a center does.

A set is an interval [begin, end) or what is outside of it. In the order of numpy, NaN is the
largest score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats, quiet

#: Begins and ends of intervals, and whether what is outside of them is meant.
Sets = tuple[Floats, Floats, NDArray[np.bool_]]

#: The least finite number.
_LEAST = -float(np.finfo(np.float64).max)

#: What round-off makes of a distance, relative to the numbers that it is from.
_ROUND_OFF = 1e-12


def less_than(t: Floats) -> Sets:
    """Scores less than each threshold."""
    return np.full(t.shape, -np.inf), t, np.zeros(t.shape, dtype=bool)


def more_than(t: Floats) -> Sets:
    """Scores more than each threshold; none is more than NaN."""
    # More than t is as much as the next number, and NaN is next to infinity.
    with quiet():
        end = np.where(np.isposinf(t), np.nan, np.nextafter(t, np.inf))
    nothing = np.isnan(t)
    begin = np.full(t.shape, -np.inf)
    return begin, np.where(nothing, begin, end), ~nothing


@dataclass(frozen=True)
class Distance:
    """Distance of scores from a center, turned so that a larger one is more member-like.

    Attributes
    ----------
    center : float
        The center m.
    sign : {1, -1}
        −1 where P is the sample that lies closer to it.
    """

    center: float
    sign: int

    @classmethod
    def learned(cls, p: Floats, q: Floats) -> Distance:
        """From earlier scores: the median of the sample that is more concentrated about its own.

        Any center and sign that depend on earlier scores only make valid bets.

        Parameters
        ----------
        p, q : ndarray
            Earlier scores; those that are not finite do not count for the center.
        """
        (m_p, spread_p), (m_q, spread_q) = (_median_and_spread(x) for x in (p, q))
        if spread_p == spread_q:
            center = _median_and_spread(np.concatenate([p, q]))[0]
        else:
            center = m_p if spread_p < spread_q else m_q
        far_p, far_q = (np.sort(_far(x, center)) for x in (p, q))
        # The Mann–Whitney statistic: in how many pairs P lies farther out.
        below, upto = (np.searchsorted(far_q, far_p, side).sum() for side in ("left", "right"))
        return cls(center, 1 if below + upto >= p.size * q.size else -1)

    def __call__(self, x: Floats) -> Floats:
        """The turned distances; NaN is as far out as ±∞."""
        return self.sign * _far(x, self.center)

    def more_than(self, t: Floats) -> Sets:
        """Scores whose turned distance is more than each threshold."""
        return self._beyond(t) if self.sign > 0 else self._within(-t)

    def less_than(self, t: Floats) -> Sets:
        """Scores whose turned distance is less than each threshold."""
        return self._within(t) if self.sign > 0 else self._beyond(-t)

    def _within(self, t: Floats) -> Sets:
        begin, end = self._interval(t, -1.0)
        return np.maximum(begin, _LEAST), end, np.zeros(t.shape, dtype=bool)

    def _beyond(self, t: Floats) -> Sets:
        begin, end = self._interval(t, 1.0)
        something = ~np.isposinf(t)  # nothing is farther than infinity
        return begin, np.where(something, end, begin), something

    def _interval(self, t: Floats, wider: float) -> tuple[Floats, Floats]:
        """Wider or narrower by round-off, which leaves out scores at exactly the distance t."""
        with quiet():
            round_off = _ROUND_OFF * (abs(self.center) + np.abs(t))
            reach = t + wider * np.where(np.isposinf(t), 0.0, round_off)
            return self.center - reach, self.center + reach


def _far(x: Floats, center: float) -> Floats:
    with quiet():
        far = np.abs(x - center)
    far[np.isnan(far)] = np.inf
    return far


def _median_and_spread(x: Floats) -> tuple[float, float]:
    """Median, and median distance from it; of no finite score, 0 and ∞."""
    finite = x[np.isfinite(x)]
    if not finite.size:
        return 0.0, np.inf
    with quiet():
        median = float(np.median(finite))  # infinite only for the largest of all numbers
    return median, float(np.median(_far(finite, median)))
