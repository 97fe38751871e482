"""`worst_order`: the order of outputs that leaks most in a search; it exceeds monotone bounds.

Let an attacker say P when the release lies in a set E of outputs that are neighbors in the score.
With D the outputs of lower score and U = D ∪ E, E is released with probability G(U) − G(D), which
grows with the mass of U and falls with that of D. So for given masses under Q, by Neyman and
Pearson, U should hold the largest likelihood ratios of all, and D the smallest within U. On the
line, for P against Q and thresholds a < b::

    D = (a, b)   <   E = (b, ∞)   <   (−∞, a)

a right tail above the middle, and the left tail above both: any single run in the left tail, which
Q has more often, hides the right tail. For Q against P the mirror image. No other order does better
against an attacker of this kind, whatever the base; attackers who gather several such sets are not
ruled out, so the value is a lower bound on the worst case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench import _checks
from workbench._format import asks_for_number
from workbench._frames import to_frame
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import DIRECTIONS, Floats, quiet
from workbench.pairs.base import Pair
from workbench.selection.base_pair import base_pair
from workbench.selection.direct import monotone_epsilon
from workbench.selection.orders import BlockOrder
from workbench.selection.release_distribution import rates_at, thresholds
from workbench.selection.runs import RunCount, require_runs

_COARSE = 120
_ROUNDS = 12
_FINE = 25
#: Round-off of the terms; what is claimed stays below.
_SLACK = 1e-9
#: Gains this small are the resolution of the monotone order's own ε.
_TIE = 1e-6

METHOD = "block-order search"


@dataclass(frozen=True)
class WorstOrder:
    """Largest leakage found over orders of the outputs, with the order.

    Attributes
    ----------
    bound : Bound
        Lower bound on ε of the release under ``order``, and so on the worst case over scores.
    runs : RunCount
    base : Pair
    monotone : float
        Upper limit of ε under a monotone score, for comparison.
    order : BlockOrder
        In units of x with α = Φ(−x) the base's false positive rate above x; for the base N(0,1)
        against N(μ,1) that is the output itself.
    event : int
        The block, from left to right, whose release reveals the dataset.
    """

    bound: Bound
    runs: RunCount
    base: Pair | TradeoffCurve
    monotone: float
    order: BlockOrder
    event: int

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    def __float__(self) -> float:
        return float(self.bound)

    def __format__(self, spec: str) -> str:
        """The bound by a format of numbers, such as ``".3f"``; the text for other formats."""
        return format(self.bound, spec) if asks_for_number(spec) else format(str(self), spec)


def worst_order(
    runs: RunCount,
    mu: float | None = None,
    *,
    delta: float,
    base: Pair | TradeoffCurve | None = None,
) -> WorstOrder:
    """Largest leakage found over orders of the outputs: a lower bound on the worst case.

    Parameters
    ----------
    runs : RunCount
    mu : float, optional
        The base is N(0,1) against N(μ,1).
    delta : float
        In [0, 1).
    base : Pair or TradeoffCurve, optional
        Any other base, in place of ``mu``; its outputs are ordered by their privacy loss.

    Returns
    -------
    WorstOrder
        Never below the leakage of the monotone order.

    Raises
    ------
    ValueError
        An argument outside its range; both or neither of ``mu`` and ``base``.
    """
    require_runs(runs)
    pair, delta = base_pair(mu, base), _checks.delta(delta)
    monotone = monotone_epsilon(runs, pair, delta)
    value, direction = monotone.lower, monotone.direction
    order, event = BlockOrder((), (0,), monotone.increasing), 0
    # Turned around, a symmetric pair is itself.
    for way in DIRECTIONS[: 1 if isinstance(pair, Pair) and pair.symmetric else 2]:
        found, low, high = _search(runs, pair, delta, way)
        found -= _SLACK * max(1.0, found)
        if found > value + _TIE * max(1.0, value):
            value, direction = found, way
            order, event = _blocks(low, high, way)
    bound = Bound(
        quantity="epsilon",
        value=value,
        guarantee="proven",
        method=METHOD,
        assumption="no samples",
        n_p=0,
        n_q=0,
        at=QuantityArguments(delta=delta),
        side="lower",
        direction=direction,
        note="Some score makes the selection leak this much; another may make it leak more.",
    )
    return WorstOrder(bound, runs, pair, monotone.upper, order, event)


def _tails(base: Pair | TradeoffCurve, t: Floats, direction: str) -> tuple[Floats, Floats]:
    """Logs of the masses above t that speak for the attacker and against; −t turns the line."""
    rates = rates_at(base, t if direction == "P‖Q" else -t)
    tails = (rates.p_above, rates.q_above) if direction == "P‖Q" else (rates.q_below, rates.p_below)
    return tails[0][:-1], tails[1][:-1]


@quiet()
def _search(
    runs: RunCount, base: Pair | TradeoffCurve, delta: float, direction: str
) -> tuple[float, float, float]:
    """The largest ε of an event (b, ∞) above (a, b) and below (−∞, a), with a and b."""
    grid = thresholds(base, _COARSE)
    grid = np.sort(grid if direction == "P‖Q" else -grid)
    lows = highs = grid
    best = (-np.inf, -np.inf, np.inf)
    for _ in range(_ROUNDS):
        values = _event_epsilon(runs, base, delta, direction, lows, highs)
        i, j = np.unravel_index(np.argmax(values), values.shape)
        if values[i, j] > best[0]:
            best = float(values[i, j]), float(lows[i]), float(highs[j])
        lows, highs = _around(lows, int(i)), _around(highs, int(j))
    return best


def _around(grid: Floats, i: int) -> Floats:
    """A finer grid around a point, four cells to either side, the point itself included."""
    left, right = grid[max(i - 4, 0)], grid[min(i + 4, grid.size - 1)]
    finite = grid[np.isfinite(grid)]
    inner = np.linspace(max(left, finite[0]), min(right, finite[-1]), _FINE)
    return np.unique(np.r_[grid[i], inner])


def _event_epsilon(
    runs: RunCount,
    base: Pair | TradeoffCurve,
    delta: float,
    direction: str,
    lows: Floats,
    highs: Floats,
) -> Floats:
    """Log((P(E) − δ)/Q(E)) of the release, for every a and b; −∞ where b < a."""
    i, j = np.nonzero(np.less_equal.outer(lows, highs))
    whole = _tails(base, lows, direction)
    event = _tails(base, highs, direction)
    log_p, log_q = (
        np.where(e[j] > -np.inf, runs._log_increase(w[i], e[j]), -np.inf)
        for w, e in zip(whole, event, strict=True)
    )
    values = np.full((lows.size, highs.size), -np.inf)
    epsilon = log_p + np.log1p(-delta * np.exp(-log_p)) - log_q
    values[i, j] = np.where(np.isnan(epsilon), -np.inf, epsilon)
    return values


def _blocks(low: float, high: float, direction: str) -> tuple[BlockOrder, int]:
    """The order with thresholds a and b, and the place of E on the line."""
    edges = [edge for edge in dict.fromkeys((low, high)) if np.isfinite(edge)]
    # From left to right: hides, lower, event; without those that are empty.
    ranks = {2: (2, 0, 1), 1: (0, 1) if np.isinf(low) else (1, 0), 0: (0,)}[len(edges)]
    if direction == "P‖Q":
        return BlockOrder(edges, ranks), len(ranks) - 1
    turned = [-edge for edge in reversed(edges)]
    return BlockOrder(turned, ranks[::-1], increasing=False), 0
