"""Distance from a center, whose thresholds are the two-sided events {|x − m| ≤ t}.

Where P and Q differ in spread and not in place, no threshold on the score tells much: the noise of
a mean that leaks the number of records does so. A threshold on the distance from a center does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.curves.validation import Floats


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
            both = np.concatenate([p, q])
            center = _median_and_spread(both)[0]
        else:
            center = m_p if spread_p < spread_q else m_q
        far_p, far_q = (np.sort(_far(x, center)) for x in (p, q))
        # The Mann–Whitney statistic: in how many pairs P lies farther out.
        below, upto = (np.searchsorted(far_q, far_p, side).sum() for side in ("left", "right"))
        return cls(float(center), 1 if below + upto >= p.size * q.size else -1)

    def __call__(self, x: Floats) -> Floats:
        """The turned distances; NaN is as far out as ±∞."""
        return self.sign * _far(x, self.center)


def _far(x: Floats, center: float) -> Floats:
    far = np.abs(x - center)
    far[np.isnan(far)] = np.inf
    return far


def _median_and_spread(x: Floats) -> tuple[float, float]:
    """Median, and median distance from it; of no finite score, 0 and ∞."""
    finite = x[np.isfinite(x)]
    if not finite.size:
        return 0.0, np.inf
    median = float(np.median(finite))
    return median, float(np.median(_far(x, median)))
