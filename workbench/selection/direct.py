"""The direct bound: the hockey-stick divergence of the release under a monotone score.

For a score that increases with the base's likelihood ratio, a release below a threshold has
probability G(1 − α) under Q and G(f(α)) under P, with f the base's trade-off function: the
selection acts on the base's trade-off function alone, whatever the base. (For a decreasing score
take G of the complements.) The likelihood ratio of the release need not be monotone any more: tests
that reject above one threshold are not enough.

So cut the line into cells. Within a cell the base's likelihood ratio lies between the slopes of the
chords left and right of it, since f is convex; what G' adds is bounded likewise (`_change`).
Merging each cell to one outcome gives a pair that leaks at most as much; splitting it into two
outcomes of the extreme ratios, a pair that leaks at least as much, at all ε at once. Cells whose
ratio may be e^ε are cut further until both agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import DIRECTIONS, Floats, quiet
from workbench.pairs.base import Pair
from workbench.pairs.outcomes import Outcomes
from workbench.selection.release_distribution import Rates, rates_at, thresholds
from workbench.selection.runs import RunCount

_CUTS = 32
_MOST_CUT = 200
_ROUNDS = 8
_MOST_CELLS = 20_000
_AGREE = 3e-7


@dataclass(frozen=True)
class Bracket:
    """Two numbers between which ε lies, and what attains the larger.

    Attributes
    ----------
    lower, upper : float
    direction : {"P‖Q", "Q‖P"}
    increasing : bool
        Whether the score increases with the base's likelihood ratio.
    """

    lower: float
    upper: float
    direction: str
    increasing: bool


def monotone_epsilon(runs: RunCount, base: Pair | TradeoffCurve, delta: float) -> Bracket:
    """The ε of a selection by a monotone score, increasing or decreasing, both directions.

    Parameters
    ----------
    runs : RunCount
    base : Pair or TradeoffCurve
        P and Q of one run.
    delta : float
        In [0, 1).

    Returns
    -------
    Bracket
        Ends that agree within 3e-7 (relative above 1), unless ``delta`` is so small that floats
        do not resolve the base there; the upper is then ``inf``.
    """
    # Exchanging P and Q of a symmetric pair turns the score around.
    orders = (True,) if isinstance(base, Pair) and base.symmetric else (True, False)
    searches = []
    for increasing in orders:
        x = thresholds(base)
        cells = Cells.of(runs, rates_at(base, x), increasing)
        searches += [_Search(runs, base, delta, d, increasing, x, cells) for d in DIRECTIONS]
    for _ in range(_ROUNDS):
        lower = max(search.lower for search in searches)
        enough = lower + _AGREE * max(1.0, lower)
        # What cannot be the worst is not looked at any closer.
        searches = [search for search in searches if search.upper >= lower]
        unsure = [search for search in searches if search.upper > enough and not search.exhausted]
        if not unsure or lower == np.inf:
            break
        for search in unsure:
            search.look_closer()
    worst = max(searches, key=lambda s: s.upper)
    lower = max(s.lower for s in searches)
    return Bracket(lower, worst.upper, worst.direction, worst.increasing)


@dataclass(eq=False)
class _Search:
    """Limits of one direction under an increasing or a decreasing score, ever closer."""

    runs: RunCount
    base: Pair | TradeoffCurve
    delta: float
    direction: str
    increasing: bool
    x: Floats
    cells: Cells
    lower: float = 0.0
    upper: float = np.inf

    def __post_init__(self) -> None:
        at = np.asarray(self.delta)
        self.lower = max(self.lower, float(self.cells.merged.epsilon(at, self.direction)))
        highest = max(float(self.cells.split.epsilon(at, self.direction)), self.lower)
        self.upper = min(self.upper, highest)

    @property
    def exhausted(self) -> bool:
        return self.x.size > _MOST_CELLS

    def look_closer(self) -> None:
        """Once more, with those cells cut that keep the limits apart."""
        gaps = self.cells.gaps(self.lower, self.direction)
        # The last cell is what P alone can have: nothing to cut.
        self.x = _cut(self.x, gaps[:-1])
        self.cells = Cells.of(self.runs, rates_at(self.base, self.x), self.increasing)
        self.__post_init__()


def _cut(x: Floats, gap: Floats) -> Floats:
    """Cells of finite width that make up 99% of the gap, and their neighbors, cut further."""
    left, right = x[:-1], x[1:]
    order = np.argsort(-gap)
    share = np.cumsum(gap[order])
    where = np.zeros(gap.size, dtype=bool)
    where[order[: min(int(np.searchsorted(share, 0.99 * share[-1])) + 1, _MOST_CUT)]] = True
    # Slopes of neighboring chords are the limits of the ratio in a cell.
    near = where.copy()
    near[1:] |= where[:-1]
    near[:-1] |= where[1:]
    near &= np.isfinite(right - left)
    inner = np.arange(1, _CUTS) / _CUTS
    new = left[near, None] + (right - left)[near, None] * inner
    return np.unique(np.r_[x, new.ravel()])


@dataclass(frozen=True, eq=False)
class Cells:
    """The release in cells of the likelihood ratio, and what that ratio can be within each.

    Attributes
    ----------
    log_p, log_q : ndarray, shape (n,)
        Logs of masses, from the lowest base ratio to the highest.
    least, most : ndarray, shape (n,)
        Limits of log p/q of the release in each cell.
    nothing : float
        Probability, under P and Q alike, that nothing is released.
    """

    log_p: Floats
    log_q: Floats
    least: Floats
    most: Floats
    nothing: float

    @classmethod
    @quiet()
    def of(cls, runs: RunCount, rates: Rates, increasing: bool = True) -> Cells:
        """What a selection makes of the base's cells.

        Parameters
        ----------
        runs : RunCount
        rates : Rates
            Of the base.
        increasing : bool
            Whether the score increases with the base's likelihood ratio.
        """
        log_p, log_q = rates.log_masses()
        ratio = log_p - log_q
        known = ~np.isnan(ratio)
        before = np.r_[-np.inf, _last_known(ratio[:-1], known[:-1], -np.inf)]
        after = np.r_[_last_known(ratio[:0:-1], known[:0:-1], np.inf)[::-1], np.inf]
        # Log of the mass of lower score at the thresholds.
        z_p, z_q = (rates.p_below, rates.q_below) if increasing else (rates.p_above, rates.q_above)
        low, high = _change(runs, z_p, z_q, increasing)
        least, most = np.minimum(ratio, before) + low, np.maximum(ratio, after) + high
        top = slice(1, None) if increasing else slice(None, -1)
        p_high, q_high = z_p[top], z_q[top]
        return cls(
            np.where(log_p > -np.inf, runs._log_increase(p_high, log_p), -np.inf),
            np.where(log_q > -np.inf, runs._log_increase(q_high, log_q), -np.inf),
            np.where(np.isnan(least), -np.inf, least),
            np.where(np.isnan(most), np.inf, most),
            runs.nothing,
        )

    @cached_property
    @quiet()
    def merged(self) -> Outcomes:
        """Each cell as one outcome: a pair that leaks at most as much as the release."""
        return self._outcomes(self.log_p - self.log_q, self.log_p, self.log_q)

    @cached_property
    @quiet()
    def split(self) -> Outcomes:
        """Each cell as two outcomes of the extreme ratios: a pair that leaks at least as much."""
        high, low = self._halves
        return self._outcomes(
            np.r_[self.most, self.least],
            np.r_[high, low + self.least],
            np.r_[high - self.most, low],
        )

    @quiet()
    def gaps(self, epsilon: float, direction: str) -> Floats:
        """Contribution of each cell to the gap between the two hockey-stick divergences.

        Parameters
        ----------
        epsilon : float
        direction : {"P‖Q", "Q‖P"}
        """
        high, low = self._halves
        ratio = self.log_p - self.log_q
        if direction == "P‖Q":
            parts = (high, self.most), (low + self.least, self.least), (self.log_p, ratio)
        else:
            parts = (low, -self.least), (high - self.most, -self.most), (self.log_q, -ratio)
        gains = [np.exp(mass) * -np.expm1(np.minimum(epsilon - r, 0.0)) for mass, r in parts]
        return np.nan_to_num(gains[0] + gains[1] - gains[2])

    @cached_property
    @quiet()
    def _halves(self) -> tuple[Floats, Floats]:
        """Log of P's mass at ``most``, of Q's at ``least``.

        With p = p₊ + p₋, q = q₊ + q₋, p₊ = e^most q₊ and p₋ = e^least q₋ the sums are kept.
        """
        ratio = self.log_p - self.log_q
        # Round-off may push the ratio out of narrow limits.
        low = np.log(-np.expm1(np.minimum(self.least - ratio, 0.0)))
        high = np.log(-np.expm1(np.minimum(ratio - self.most, 0.0)))
        spread = np.log(-np.expm1(self.least - self.most))
        flat = ~(self.least < self.most)
        return (
            self.log_p + np.where(flat, 0.0, low - spread),
            self.log_q + np.where(flat, -np.inf, high - spread),
        )

    @quiet()
    def _outcomes(self, loss: Floats, log_p: Floats, log_q: Floats) -> Outcomes:
        some = ~np.isnan(loss) & ((log_p > -np.inf) | (log_q > -np.inf))
        log_nothing = np.log(self.nothing)
        return Outcomes(
            np.append(loss[some], 0.0),
            np.append(log_p[some], log_nothing),
            np.append(log_q[some], log_nothing),
        )


@quiet()
def _change(runs: RunCount, z_p: Floats, z_q: Floats, increasing: bool) -> tuple[Floats, Floats]:
    """Limits, within each cell, of log G'(z_P) − log G'(z_Q): what the selection adds to the loss.

    G' grows, and log G' is convex in log z, with a slope that lies between those at z_P and at z_Q.
    log z_P − log z_Q grows along the line, since the likelihood ratio does; it is negative for an
    increasing score, positive for a decreasing one.
    """
    b_p, b_q = runs._log_derivative(z_p), runs._log_derivative(z_q)
    slope_p, slope_q = runs._elasticity(z_p), runs._elasticity(z_q)
    apart = np.minimum(z_p - z_q, 0.0) if increasing else np.maximum(z_p - z_q, 0.0)
    if increasing:
        low = np.fmax(b_p[:-1] - b_q[1:], slope_q[1:] * apart[:-1])
        high = np.fmin(b_p[1:] - b_q[:-1], np.fmin(slope_p[:-1] * apart[1:], 0.0))
    else:
        low = np.fmax(b_p[1:] - b_q[:-1], np.fmax(slope_q[1:] * apart[:-1], 0.0))
        high = np.fmin(b_p[:-1] - b_q[1:], slope_p[:-1] * apart[1:])
    return low, high


def _last_known(x: Floats, known: np.ndarray, start: float) -> Floats:
    """Each entry, or the last known one before it where it is not known itself."""
    place = np.maximum.accumulate(np.where(known, np.arange(x.size), -1))
    return np.where(place < 0, start, x[np.maximum(place, 0)])
