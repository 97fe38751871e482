"""k-fold composition of a pair with itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, log_expit

from workbench import _checks
from workbench.curves.elementwise import Floats, quiet
from workbench.pairs.accounting import pld
from workbench.pairs.accounting.accounted import AccountedPair, sum_of_losses
from workbench.pairs.base import Pair, SymmetricPair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.outcomes import Outcomes, OutcomesPair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair


@dataclass(frozen=True)
class ComposedPair(AccountedPair):
    """k independent releases of a pair, all of them seen by the attacker.

    In closed form for Gaussian pairs, μ√k (DONG22 Corollary 3.3), and for randomized response, a
    binomial sum (KAIROUZ15 Theorem 3.3). Otherwise by privacy loss distributions, with an error
    bar: see `workbench.pairs.accounting.pld`. Scores are the sums of the k log-likelihood ratios.

    Parameters
    ----------
    pair : Pair
    k : int
        At least 1.

    Raises
    ------
    ValueError
        A k that is not a whole number of at least 1, or something that is no pair.

    Notes
    -----
    Asking for a value raises `AccountantError` where the losses spread so far that no grid of
    bounded size describes them.
    """

    pair: Pair
    k: int

    def __post_init__(self) -> None:
        if not isinstance(self.pair, Pair):
            raise ValueError(f"pair must be a Pair, got {self.pair!r}; GaussianPair(mu) is one")
        object.__setattr__(self, "k", _checks.count(self.k, "k", least=1))

    @property
    def name(self) -> str:
        return f"{self.pair.name}, {self.k} times"

    @property
    def parameters(self) -> dict[str, object]:
        return {"pair": self.pair, "k": self.k}

    def _closed_form(self) -> Pair | None:
        pair, k = self.pair, self.k
        if k == 1:
            return pair
        if isinstance(pair, GaussianPair):
            return GaussianPair(pair.mu * math.sqrt(k))
        if isinstance(pair, SubsampledGaussianPair) and pair.q == 1:
            return GaussianPair(math.sqrt(k) / pair.sigma)
        if isinstance(pair, RandomizedResponsePair) and k <= pld.MOST_POINTS:
            return _ResponsesPair(pair, k)
        repeated = getattr(pair, "_repeated", None)
        return repeated(k) if repeated else None

    def _repeated(self, k: int) -> ComposedPair:
        return ComposedPair(self.pair, k * self.k)

    def _compose(self) -> pld.Composition:
        pair = self.pair
        symmetric = isinstance(pair, SymmetricPair) or (
            isinstance(pair, OutcomesPair) and pair._outcomes.symmetric
        )
        return pld.compose(pair, self.k, symmetric)

    @property
    def _largest_loss(self) -> float:
        return self.k * float(self.pair.epsilon(0.0))

    def _draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(n, rng, "p")

    def _draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(n, rng, "q")

    def _draw(self, n: int, rng: np.random.Generator, side: str) -> Floats:
        if isinstance(self._reference, GaussianPair):
            x = getattr(self._reference, f"_draw_{side}")(n, rng)
            return self._reference._privacy_loss(x)
        return sum_of_losses(self.pair, n, self.k, side, rng)


class _ResponsesPair(OutcomesPair):
    """k randomized responses: how many of them were truthful, unless one revealed everything."""

    def __init__(self, pair: RandomizedResponsePair, k: int) -> None:
        self._pair, self._k = pair, k
        e, d = pair.epsilon_0, pair.delta_0
        truthful = np.arange(k + 1.0)
        ways = gammaln(k + 1) - gammaln(truthful + 1) - gammaln(k - truthful + 1)
        with quiet():
            hidden = k * np.log1p(-d)
            revealed = np.log(-np.expm1(hidden))
        log_p = hidden + ways + truthful * log_expit(e) + (k - truthful) * log_expit(-e)
        loss = (2 * truthful - k) * e
        self._made = Outcomes(
            np.r_[loss, np.inf, -np.inf],
            np.r_[log_p, revealed, -np.inf],
            np.r_[log_p[::-1], -np.inf, revealed],
            symmetric=True,
        )

    @property
    def name(self) -> str:
        return f"{self._pair.name}, {self._k} times"

    @property
    def parameters(self) -> dict[str, float]:
        return {}

    @property
    def _outcomes(self) -> Outcomes:
        return self._made
