"""`AccountedPair`: a pair composed in closed form where there is one, else numerically.

Numerically there are three upper limits of the profile, and the smallest one holds: the composed
privacy loss distribution, which is sharp but resolves no δ below about 1e-11; the same tilted
(`tilted`), down to about 1e-16; and what the Rényi divergences of the steps imply, whose ε is a few
percent to some times larger, at any δ.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench._roots import falling_root
from workbench.curves.renyi_quadrature import DivergenceError, renyi_divergence
from workbench.curves.validation import DIRECTIONS, Floats, Values, deltas, reals, shaped
from workbench.pairs.accounting import pld
from workbench.pairs.accounting.tilted import TiltedStep, TiltedTail, tilted_tail
from workbench.pairs.base import Pair
from workbench.pairs.claimed import RenyiPair
from workbench.pairs.functions import PrivacyFunctions
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.outcomes import Outcomes, OutcomesPair

#: Scores times steps that are simulated at most.
MOST_DRAWS = 1_000_000_000


#: δ below this many times the resolution have other upper limits, too.
_NEAR_RESOLUTION = 10

#: Orders − 1 of the Rényi divergences at first, further ones between two that some δ needs, the δ
#: that are looked at, and the share by which divergences are rounded up.
_ORDERS = np.geomspace(0.05, 1e5, 36)
_BETWEEN = 10
_SMALL_DELTAS = np.geomspace(1e-40, 1e-9, 63)
_ROUNDED_UP = 1e-9

#: δ for which compositions are tilted.
_TILTED_DELTAS = (1e-11, 1e-13, 1e-15)


@dataclass(frozen=True)
class Accounted:
    """Steps that are composed, by their kinds."""

    parts: tuple[pld.Steps, ...]

    def compose(self) -> pld.Composition:
        """The composition on a grid of privacy losses."""
        return pld.compose(self.parts)

    def renyi_divergence(self, order: float) -> float:
        """Of all steps together, or an upper limit: Rényi divergences add up.

        With steps of several kinds, the larger direction of each is counted.
        """
        return sum(k * _divergence(step, order) for step, k, _ in self.parts)


def equal_steps(step: pld.Step, steps: int, symmetric: bool = False) -> Accounted:
    """Equal steps; ``symmetric`` if both directions of one coincide."""
    return Accounted((pld.Steps(step, steps, symmetric),))


def _divergence(step: pld.Step, order: float) -> float:
    if isinstance(step, Pair):
        return step.renyi_divergence(order)
    return renyi_divergence(step, order)


class Sampled(Protocol):
    """A step that can be drawn; every pair with scores is one."""

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        """Scores with the record in."""

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        """Scores with the record out."""

    def privacy_loss(self, score: Floats) -> Values:
        """Log dP/dQ at them."""


class AccountedPair(Pair):
    """A pair of which an upper limit on the privacy loss is known, and how far off it can be.

    ``profile``, ``epsilon``, ``total_variation`` and ``gdp_mu`` are upper limits and ``tradeoff``
    is a lower one; :meth:`profile_interval` and :meth:`epsilon_interval` also give the other side.
    Where ``exact`` both coincide up to round-off.
    """

    @property
    def exact(self) -> bool:
        """Whether a closed form says it all, so that there is no error bar."""
        return not isinstance(self._functions, _GridPair)

    @property
    def resolution(self) -> float:
        """The δ below which the loss distribution resolves nothing.

        0 in closed form, about 1e-15 to 1e-11 otherwise (truncated tails, and the round-off of
        the convolution, which grows with the number of steps). Smaller δ rest on the Rényi
        divergences, which give larger ε.
        """
        known = self._functions
        return known.composition.resolution if isinstance(known, _GridPair) else 0.0

    def profile_interval(self, epsilon: ArrayLike) -> tuple[Values, Values]:
        """Lower and upper limit of δ(ε): the true profile lies between them.

        Parameters
        ----------
        epsilon : array_like
            Any real, ±∞ included.

        Returns
        -------
        lower, upper : float or ndarray, the shape of ``epsilon``

        Raises
        ------
        ValueError
            A NaN.
        """
        e = reals(epsilon, "epsilon")
        upper = np.exp(np.asarray(self.log_profile(e)))
        known = self._functions
        lower = known.lower_profile(e) if isinstance(known, _GridPair) else upper
        return shaped(np.minimum(lower, upper)), shaped(upper)

    def epsilon_interval(self, delta: ArrayLike) -> tuple[Values, Values]:
        """Lower and upper limit of ε(δ): the true ε lies between them.

        Parameters
        ----------
        delta : array_like
            In [0, 1).

        Returns
        -------
        lower, upper : float or ndarray, the shape of ``delta``
            The upper one is that of the Rényi divergences below the resolution, and ``inf`` at
            δ = 0 unless losses are bounded.

        Raises
        ------
        ValueError
            A δ outside [0, 1).
        """
        d = deltas(delta)
        upper = np.asarray(self.epsilon(d))
        known = self._functions
        lower = known.lower_epsilon(d, upper) if isinstance(known, _GridPair) else upper
        return shaped(np.minimum(lower, upper)), shaped(upper)

    # -- what a subclass gives --------------------------------------------------------------------

    @abstractmethod
    def _closed_form(self) -> Pair | None:
        """An equivalent pair whose values are exact; None where only the grid helps."""

    @property
    @abstractmethod
    def _accounted(self) -> Accounted:
        """The steps whose privacy losses are composed."""

    @property
    def _largest_loss(self) -> float:
        """A bound on every privacy loss; infinite where there is none."""
        return np.inf

    @property
    @abstractmethod
    def _steps(self) -> tuple[tuple[Sampled, int], ...]:
        """Steps that can be drawn, and how many of each are composed."""

    # -- everything else follows ------------------------------------------------------------------

    @property
    def closed_form(self) -> Pair | None:
        found = self._closed_form()
        return None if found is None else found.closed_form

    @cached_property
    def _closed(self) -> Pair | None:
        return self._closed_form()

    @property
    def _functions(self) -> PrivacyFunctions:
        return _grid_pair(self) if self._closed is None else self._closed._functions

    def renyi_divergence(self, order: float) -> float:
        order = _checks.order(order)
        closed = self._closed_form()
        return (self._accounted if closed is None else closed).renyi_divergence(order)

    def _privacy_loss(self, score: Floats) -> Floats:
        # The optimal attack on all steps is the sum of their losses: scores are losses already.
        return score

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(n, rng, "p")

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(n, rng, "q")

    def _draw(self, n: int, rng: np.random.Generator, side: str) -> Floats:
        closed = self.closed_form
        steps = ((closed, 1),) if isinstance(closed, GaussianPair) else self._steps
        return sum_of_losses(steps, n, side, rng)


class _GridPair(OutcomesPair):
    """The pessimistic pair of a composition, with the Rényi limit of small δ."""

    def __init__(self, name: str, accounted: Accounted, largest_loss: float) -> None:
        self._name = name
        self._accounted = accounted
        self.composition = accounted.compose()
        self._limit = largest_loss
        self._small = np.log(_NEAR_RESOLUTION * self.composition.resolution)

    @property
    def name(self) -> str:
        return self._name

    @property
    def parameters(self) -> dict[str, float]:
        return {}

    @property
    def outcomes(self) -> Outcomes:
        return self.composition.outcomes

    def _tilted(self, epsilon: Floats, direction: str) -> Floats:
        """Log of the upper limit by the tilted compositions; 0 where there is none."""
        one = "P‖Q" if self.outcomes.symmetric else direction
        tails = _tails(self._accounted, one)
        limits = [tail.log_hockey_stick(epsilon) for tail in tails]
        return np.minimum.reduce([np.zeros_like(epsilon), *limits])

    @property
    def _renyi(self) -> RenyiPair | None:
        return _renyi_limit(self._accounted)

    def _smallest(self, log_h: Floats, epsilon: Floats, directions: tuple[str, ...]) -> Floats:
        """The smallest upper limit where that of the grid comes near its resolution."""
        small = (log_h < self._small) & (epsilon >= 0)
        if small.any():
            near = epsilon[small]
            limit = np.maximum.reduce([self._tilted(near, direction) for direction in directions])
            if self._renyi is not None:
                limit = np.minimum(limit, self._renyi.log_profile(near))
            log_h = np.array(log_h)
            log_h[small] = np.minimum(log_h[small], limit)
        return np.where(epsilon >= self._limit, -np.inf, log_h)

    def _log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        return self._smallest(super()._log_hockey_stick(epsilon, direction), epsilon, (direction,))

    def _log_profile(self, epsilon: Floats) -> Floats:
        return self._smallest(super()._log_profile(epsilon), epsilon, DIRECTIONS)

    def _epsilon(self, delta: Floats) -> Floats:
        epsilon = super()._epsilon(delta)
        near = np.exp(self._small)
        small = (delta < near) & (delta > 0) & (epsilon > 0)
        if small.any():
            # From this ε on the profile is the smallest of all limits.
            first = np.full(int(small.sum()), float(super()._epsilon(np.asarray(near))))
            last = epsilon[small]
            if self._renyi is not None:
                last = np.maximum(np.minimum(last, self._renyi.epsilon(delta[small])), first)
            log_delta = np.log(delta[small])
            _, found = falling_root(lambda e, d: self._log_profile(e) - d, first, last, log_delta)
            epsilon = np.array(epsilon)
            epsilon[small] = np.where(np.isfinite(last), found, last)
        return np.minimum(epsilon, self._limit)

    def lower_profile(self, epsilon: Floats) -> Floats:
        """The lower limit of δ(ε)."""
        lower = self.composition.lower_hockey_stick(epsilon, "P‖Q")
        if self.outcomes.symmetric:
            return lower
        return np.maximum(lower, self.composition.lower_hockey_stick(epsilon, "Q‖P"))

    def lower_epsilon(self, delta: Floats, upper: Floats) -> Floats:
        """The lower limit of ε(δ): an ε at which the profile is known to be above δ."""
        finite = np.isfinite(self.outcomes.loss)
        largest = np.abs(self.outcomes.loss[finite]).max(initial=0.0)
        low, high = np.zeros_like(upper), np.minimum(upper, largest + 1.0)
        below, _ = falling_root(lambda e, d: self.lower_profile(e) - d, low, high, delta)
        return below


# Not an attribute of the pair: results hold pairs, and a grid with its sums takes up to 60 MB.
@lru_cache(maxsize=4)
def _grid_pair(pair: AccountedPair) -> _GridPair:
    return _GridPair(pair.name, pair._accounted, pair._largest_loss)


@lru_cache(maxsize=16)
def _renyi_limit(accounted: Accounted) -> RenyiPair | None:
    """What the Rényi divergences of the steps imply; None where all are infinite or unknown."""
    known = _divergences(accounted, _ORDERS)
    if not known:
        return None
    # Near a jump of the divergences, few orders would give away a lot.
    coarse = np.array(sorted(known))
    pair = RenyiPair(tuple(coarse + 1), tuple(known[x] for x in coarse))
    best = np.unique(np.searchsorted(coarse + 1, pair.best_orders(_SMALL_DELTAS)))
    ends = np.unique(np.clip([best - 1, best, best + 1], 0, coarse.size - 1))
    between = [np.geomspace(x, y, _BETWEEN + 2)[1:-1] for x, y in pairwise(coarse[ends])]
    known |= _divergences(accounted, np.concatenate([[], *between]))
    excess = np.array(sorted(known))
    return RenyiPair(tuple(excess + 1), tuple(known[x] for x in excess))


def _divergences(accounted: Accounted, excess: Floats) -> dict[float, float]:
    """Finite Rényi divergences, rounded up, by order − 1."""
    known = {}
    for x in excess:
        try:
            found = accounted.renyi_divergence(1 + float(x))
        except DivergenceError:  # any set of orders gives an upper limit
            continue
        if np.isfinite(found):
            known[float(x)] = found * (1 + _ROUNDED_UP)
    return known


@lru_cache(maxsize=4)
def _tails(accounted: Accounted, direction: str) -> tuple[TiltedTail, ...]:
    """One direction of a composition, tilted for some δ below the resolution."""
    renyi = _renyi_limit(accounted)
    if renyi is None:
        return ()
    grids = accounted.compose().grids
    if direction == "P‖Q":
        steps = [TiltedStep(grid.first, grid.p, grid.p_only, k) for grid, k in grids]
    else:
        steps = [
            TiltedStep(1 - grid.first - grid.q.size, grid.q[::-1], grid.q_only, k)
            for grid, k in grids
        ]
    made = (
        tilted_tail(grids[0][0].width, steps, float(order) - 1)
        for order in np.unique(renyi.best_orders(np.array(_TILTED_DELTAS)))
    )
    return tuple(tail for tail in made if tail is not None)


def forget_compositions() -> None:
    """Let go of the compositions that are held for the next call, which are computed again then."""
    for held in (_grid_pair, _tails):
        held.cache_clear()
    pld.forget()


def sum_of_losses(
    steps: Sequence[tuple[Sampled, int]], n: int, side: str, rng: np.random.Generator
) -> Floats:
    """Sums of the privacy losses of all steps; infinite losses stay infinite.

    Parameters
    ----------
    steps : sequence of (Sampled, int)
        Each with how many of it are in a sum.
    n : int
        Number of sums.
    side : {"p", "q"}
        The distribution to draw from.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n,)

    Raises
    ------
    ValueError
        More than `MOST_DRAWS` draws.
    """
    k = sum(times for _, times in steps)
    if n * k > MOST_DRAWS:
        most = MOST_DRAWS // k
        raise ValueError(
            f"{n} scores of {k} steps are {n * k:.3g} draws, more than {MOST_DRAWS:.0e}; take "
            f"{f'at most {most} scores' if most > 1 else 'fewer steps'}, or a Gaussian pair of the "
            "same μ"
        )
    total = np.zeros(n)
    for step, times in steps:
        draw = step.draw_p if side == "p" else step.draw_q
        for _ in range(times):
            total += np.asarray(step.privacy_loss(draw(n, rng)))
    return total
