"""`AccountedPair`: a pair composed in closed form where there is one, else numerically."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from workbench._roots import falling_root
from workbench.curves.validation import Floats, Values, deltas, reals, shaped
from workbench.pairs.accounting.pld import Composition
from workbench.pairs.base import ExplicitPair, Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.outcomes import Outcomes, OutcomesPair

#: Scores times steps that are simulated at most.
MOST_DRAWS = 1_000_000_000


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
        """The δ below which nothing is resolved: ε(δ) is then infinite unless losses are bounded.

        0 in closed form, about 1e-15 to 1e-11 otherwise (truncated tails, and the round-off of
        the convolution, which grows with the number of steps).
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
            The upper one is ``inf`` below the resolution.

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

    @abstractmethod
    def _compose(self) -> Composition:
        """The composition on a grid."""

    @property
    def _largest_loss(self) -> float:
        """A bound on every privacy loss; infinite where there is none."""
        return np.inf

    @property
    @abstractmethod
    def _steps(self) -> tuple[Sampled, int]:
        """A step that can be drawn, and how many of them are composed."""

    # -- everything else follows ------------------------------------------------------------------

    @property
    def closed_form(self) -> Pair | None:
        found = self._closed_form()
        return None if found is None else found.closed_form

    @cached_property
    def _functions(self) -> ExplicitPair:
        closed = self._closed_form()
        if isinstance(closed, AccountedPair):
            return closed._functions
        if isinstance(closed, ExplicitPair):
            return closed
        return _GridPair(self.name, self._compose(), self._largest_loss)

    def _privacy_loss(self, score: Floats) -> Floats:
        # The optimal attack on all steps is the sum of their losses: scores are losses already.
        return score

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(n, rng, "p")

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(n, rng, "q")

    def _draw(self, n: int, rng: np.random.Generator, side: str) -> Floats:
        closed = self.closed_form
        step, k = (closed, 1) if isinstance(closed, GaussianPair) else self._steps
        return sum_of_losses(step, n, k, side, rng)


class _GridPair(OutcomesPair):
    """The pessimistic pair of a composition."""

    def __init__(self, name: str, composition: Composition, largest_loss: float) -> None:
        self._name = name
        self.composition = composition
        self._limit = largest_loss

    @property
    def name(self) -> str:
        return self._name

    @property
    def parameters(self) -> dict[str, float]:
        return {}

    @property
    def outcomes(self) -> Outcomes:
        return self.composition.outcomes

    def _log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        h = super()._log_hockey_stick(epsilon, direction)
        return np.where(epsilon >= self._limit, -np.inf, h)

    def _log_profile(self, epsilon: Floats) -> Floats:
        return np.where(epsilon >= self._limit, -np.inf, super()._log_profile(epsilon))

    def _epsilon(self, delta: Floats) -> Floats:
        return np.minimum(super()._epsilon(delta), self._limit)

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


def sum_of_losses(step: Sampled, n: int, k: int, side: str, rng: np.random.Generator) -> Floats:
    """Sums of the privacy losses of k draws; infinite losses stay infinite.

    Parameters
    ----------
    step : Sampled
    n : int
        Number of sums.
    k : int
        Draws in each.
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
    if n * k > MOST_DRAWS:
        raise ValueError(
            f"{n} scores of {k} steps are {n * k:.3g} draws, more than {MOST_DRAWS:.0e}; "
            f"take at most {MOST_DRAWS // k} scores, or a Gaussian pair of the same μ"
        )
    draw = step.draw_p if side == "p" else step.draw_q
    total = np.zeros(n)
    for _ in range(k):
        total += np.asarray(step.privacy_loss(draw(n, rng)))
    return total
