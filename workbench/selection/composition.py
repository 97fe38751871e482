"""The bound by composition: for any score, and any number of runs.

The number k of runs is drawn independently of the data, and the release is a function of k and of
the outputs of all k runs: whatever the score, it leaks at most what these show together. Under P
and under Q, k has the same distribution ξ, so the hockey-stick divergence of (k, all outputs) is
the mean of those of the k-fold compositions::

    δ(ε) ≤ Σ_k ξ(k) δ_k(ε)        with δ_k(ε) = δ_{√k·μ}(ε) for the base N(0,1) against N(μ,1)

The score may look at all outputs at once, and the runs may differ, as long as each leaks at most as
much as the base. δ_k grows with k, so run counts are taken together in blocks, each at its largest;
what lies beyond all blocks counts as δ_k = 1. Both err to the safe side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from workbench._roots import falling_root
from workbench.curves.gdp import epsilon_from_mu, gaussian_log_profile
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import DIRECTIONS, Floats, quiet
from workbench.pairs.accounting.pld import AccountantError
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.selection.base_pair import base_name
from workbench.selection.renyi import NoBoundError
from workbench.selection.runs import RunBlocks, RunCount

#: Compositions of a base that is not Gaussian, and the longest; more runs count as δ_k = 1.
MOST_COMPOSED, _MOST_RUNS = 24, 10**5

#: Compositions that the accountant holds; more are made again for every call, of which there are
#: so many, each for so many ε.
_HELD, _ROUNDS, _POINTS = 4, 3, 65

#: The share of δ that run counts beyond all blocks may have.
_REST = 1e-6
#: Round-off of the sums and of the profiles; what is claimed stays above.
_SLACK = 1e-9
#: A probability that is looked for where δ is 0.
_SMALLEST = 1e-300

#: ε, shape (n,) -> logs of the hockey-stick divergences, shape (directions, blocks, n).
_Profiles: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class ComposedRuns:
    """All runs of a selection and their number, seen by the attacker.

    Attributes
    ----------
    blocks : RunBlocks
        Run counts, from few to many.
    profiles : callable
        ε -> logs of the hockey-stick divergences of the compositions of the blocks' largest run
        counts, in one direction or both.
    highest : callable
        δ -> ε of the composition of the most runs.
    slow : bool
        Whether each call of ``profiles`` takes long, for any number of ε.
    """

    blocks: RunBlocks
    profiles: _Profiles
    highest: Callable[[float], float]
    slow: bool = False

    def delta(self, epsilon: Floats) -> Floats:
        """Upper limit of δ(ε), at ε ≥ 0.

        Parameters
        ----------
        epsilon : ndarray, shape (n,)
        """
        sums = self.blocks.mass @ np.exp(self.profiles(epsilon))
        return np.minimum((sums.max(axis=0) + self.blocks.rest) * (1 + _SLACK), 1.0)

    @quiet()
    def epsilon(self, delta: float) -> float:
        """The smallest ε whose :meth:`delta` is at most ``delta``; ``inf`` where none is."""
        left = delta - self.blocks.rest * (1 + 2 * _SLACK)
        if left < 0 or (left == 0 and self.blocks.rest > 0):
            return math.inf
        # All blocks together have at most what the last one has.
        total = float(self.blocks.mass.sum()) * (1 + 2 * _SLACK)
        high = self.highest(min(left / total, 1 - 1e-16))
        if delta == 0 or high in (0.0, math.inf):
            return high
        goal = math.log(delta)

        def excess(epsilon: Floats) -> Floats:
            return np.log(self.delta(epsilon)) - goal

        if self.slow:
            return _falling_on_grids(excess, high)
        return float(falling_root(excess, np.zeros(1), np.full(1, high))[1][0])

    @quiet()
    def read_off(self, deltas: Floats, points: int) -> Floats:
        """ε at each δ, for a chart: interpolated between ``points`` values of :meth:`delta`."""
        high = self.epsilon(float(deltas.min()))
        if high in (0.0, math.inf):
            return np.full(deltas.shape, high)
        grid = np.linspace(0.0, high, points)
        return np.interp(-np.log(deltas), -np.log(self.delta(grid)), grid)


def composed_runs(
    runs: RunCount, base: Pair | TradeoffCurve, delta: float, most: int = MOST_COMPOSED
) -> ComposedRuns:
    """All runs of a selection and their number, for a bound at this δ or a larger one.

    Parameters
    ----------
    runs : RunCount
    base : Pair or TradeoffCurve
        P and Q of one run.
    delta : float
        In [0, 1).
    most : int
        Compositions of a base that is not Gaussian.

    Raises
    ------
    NoBoundError
        For a trade-off function, and where no composition that is needed can be computed.
    """
    if not isinstance(base, Pair):
        raise NoBoundError(
            f"composition needs the pair of one run, and {base_name(base)} is no pair; give base= "
            "a pair"
        )
    blocks = runs._blocks(max(_REST * delta, _SMALLEST))
    if base.total_variation == 0:  # whatever the number of runs
        blocks = RunBlocks(np.ones(1), np.ones(1), 0.0)
    if isinstance(base, GaussianPair):
        return _gaussian(blocks, base)
    within = blocks.first(int(np.searchsorted(blocks.last, _MOST_RUNS, side="right")))
    return _accounted(within.merged(most), base, delta)


def _gaussian(blocks: RunBlocks, base: GaussianPair) -> ComposedRuns:
    mu = base.mu * np.sqrt(blocks.last)

    def profiles(epsilon: Floats) -> Floats:
        return np.asarray(gaussian_log_profile(mu[:, None], epsilon))[None]

    def highest(delta: float) -> float:
        return float(epsilon_from_mu(mu[-1], delta))

    return ComposedRuns(blocks, profiles, highest)


def _accounted(blocks: RunBlocks, base: Pair, delta: float) -> ComposedRuns:
    """Compositions by the accountant; those that it cannot describe count as δ_k = 1."""
    pairs = [base.compose(int(k)) for k in blocks.last]
    while pairs:
        try:
            pairs[-1].epsilon(0.5)
            break
        except AccountantError as error:
            pairs.pop()
            blocks = blocks.first(len(pairs))
            if blocks.rest >= delta:
                raise NoBoundError(f"the runs cannot be composed: {error}") from error
    directions = DIRECTIONS[: 1 if base.symmetric else 2]

    def profiles(epsilon: Floats) -> Floats:
        # Pair by pair, as only a few compositions are held.
        rows = [[pair.log_hockey_stick(epsilon, d) for d in directions] for pair in pairs]
        return np.swapaxes(np.array(rows), 0, 1)

    def highest(delta: float) -> float:
        return float(pairs[-1].epsilon(delta))

    return ComposedRuns(blocks, profiles, highest, slow=len(pairs) > _HELD)


def _falling_on_grids(f: Callable[[Floats], Floats], high: float) -> float:
    """The end at which a decreasing function is at most 0, by few calls with many values each."""
    low = 0.0
    for _ in range(_ROUNDS):
        grid = np.linspace(low, high, _POINTS)
        above = int(np.count_nonzero(f(grid[:-1]) > 0))  # at high it is at most 0
        low, high = float(grid[max(above - 1, 0)]), float(grid[above])
    return high
