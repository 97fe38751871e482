"""The pair of randomized response, which leaks most among all (ε, δ)-DP pairs, once and k times."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, gammaln, log_expit

from workbench import _checks
from workbench.curves.validation import Floats, non_negative, quiet
from workbench.pairs.base import Pair, SymmetricPair
from workbench.pairs.outcomes import Outcomes, OutcomesPair

#: Halvings of an interval; more than a float resolves.
_HALVINGS = 64

#: Responses whose sums are listed one by one; more are composed numerically.
_MOST_RESPONSES = 300_000


@dataclass(frozen=True, init=False, repr=False)
class RandomizedResponsePair(SymmetricPair):
    """Four outcomes, with scores 0 to 3 in the order of their likelihood ratio.

    ======= ======= ======================= ======================= =======
    outcome 0       1                       2                       3
    ======= ======= ======================= ======================= =======
    P       0       (1−δ)/(1+e^ε)           (1−δ) e^ε/(1+e^ε)       δ
    Q       δ       (1−δ) e^ε/(1+e^ε)       (1−δ)/(1+e^ε)           0
    ======= ======= ======================= ======================= =======

    f(α) = max{0, 1−δ−e^ε α, e^−ε (1−δ−α)}, the smallest trade-off function of all (ε, δ)-DP
    mechanisms (Kairouz, Oh and Viswanath 2015; Dong, Roth and Su 2022, Proposition 2.5).

    Parameters
    ----------
    epsilon : float
        At least 0. Kept as ``epsilon_0``, since ``epsilon(delta)`` is the inverse of the profile.
    delta : float
        In [0, 1). Kept as ``delta_0``.

    Raises
    ------
    ValueError
        An argument outside its range.
    """

    epsilon_0: float
    delta_0: float

    def __init__(self, epsilon: float, delta: float) -> None:
        epsilon = float(non_negative(epsilon, "epsilon", "0 is perfect privacy"))
        object.__setattr__(self, "epsilon_0", epsilon)
        object.__setattr__(self, "delta_0", _checks.delta(delta))

    def __repr__(self) -> str:
        return f"RandomizedResponsePair(epsilon={self.epsilon_0!r}, delta={self.delta_0!r})"

    @property
    def name(self) -> str:
        return f"Randomized response, ε = {self.epsilon_0:g}, δ = {self.delta_0:g}"

    @property
    def parameters(self) -> dict[str, float]:
        return {"epsilon": self.epsilon_0, "delta": self.delta_0}

    @property
    def total_variation(self) -> float:
        return self.delta_0 + (1 - self.delta_0) * math.tanh(self.epsilon_0 / 2)

    @property
    def bit_error(self) -> float:
        # The vertex with α = f(α).
        return (1 - self.delta_0) * float(expit(-self.epsilon_0))

    def error_rates(self) -> tuple[Floats, Floats]:
        rate = np.array([self.bit_error])
        return rate, rate

    def _renyi_divergence(self, order: float) -> float:
        # log((e^{aε} + e^{(1−a)ε})/(1 + e^ε))/(a − 1)
        epsilon = self.epsilon_0
        if self.delta_0 > 0:
            return math.inf
        if (order - 1) * epsilon == 0:  # also where the product is below the smallest float
            return 0.0
        # The quotient is 1 + 2 sinh(aε/2) sinh((a − 1)ε/2)/cosh(ε/2), here in logs.
        excess = (order - 1) * epsilon
        excess += math.log(-math.expm1(-order * epsilon)) - math.log1p(math.exp(-epsilon))
        excess += math.log(-math.expm1(-(order - 1) * epsilon))
        return float(np.logaddexp(0.0, excess)) / (order - 1)

    @classmethod
    def of_renyi_divergence(cls, value: float, order: float) -> RandomizedResponsePair:
        """The pair with δ = 0 and at most this Rényi divergence, as close to it as floats are.

        Parameters
        ----------
        value : float
            At least 0.
        order : float
            Above 1.

        Raises
        ------
        ValueError
            An argument outside its range.
        """
        value, order = _checks.non_negative(value, "value"), _checks.order(order)
        # ε − log(2)/(a − 1) ≤ R ≤ ε for randomized response.
        low, high = value, value + math.log(2) / (order - 1)
        for _ in range(_HALVINGS if value > 0 else 0):
            middle = (low + high) / 2
            if cls(middle, 0.0).renyi_divergence(order) < value:
                low = middle
            else:
                high = middle
        return cls(low, 0.0)

    def _composed(self, k: int) -> Pair | None:
        # KAIROUZ15 Theorem 3.3
        if k > _MOST_RESPONSES:
            return None
        return super()._composed(k) or RepeatedResponsesPair(self.epsilon_0, self.delta_0, k)

    def loss_distribution(self) -> tuple[Floats, Floats, Floats]:
        # With δ > 0 the losses that are finite, which have a probability of 1 − δ.
        likely, e, share = float(expit(self.epsilon_0)), self.epsilon_0, 1 - self.delta_0
        unlikely = 1 - likely
        p = share * np.array([unlikely, likely])
        return np.array([-e, e]), p, p[::-1]

    @quiet()
    def _log_profile(self, epsilon: Floats) -> Floats:
        e0, d0 = self.epsilon_0, self.delta_0
        # δ₀ + (1−δ₀)(e^ε₀ − e^ε)/(1 + e^ε₀) within ±ε₀; only δ₀ above, 1 − (1−δ₀) e^ε below.
        gap = np.log(-np.expm1(np.minimum(epsilon - e0, 0.0))) + log_expit(e0)
        gap = np.where(epsilon < -e0, np.log(-np.expm1(np.minimum(epsilon, 0.0))), gap)
        return np.logaddexp(np.log(d0), np.log1p(-d0) + gap)

    @quiet()
    def _epsilon(self, delta: Floats) -> Floats:
        e0, d0 = self.epsilon_0, self.delta_0
        share = (delta - d0) / ((1 - d0) * expit(e0))
        within = np.maximum(e0 + np.log1p(-np.minimum(share, 1.0)), 0.0)
        return np.where(delta < d0, np.inf, within)

    @quiet()
    def _log_rates(self, alpha: Floats) -> tuple[Floats, Floats]:
        e0, d0 = self.epsilon_0, self.delta_0
        steep = e0 + np.log(alpha)
        flat = -e0 + np.log(np.maximum(1 - d0 - alpha, 0.0))
        first = alpha <= self.bit_error
        log_fnr = np.where(first, np.log(np.maximum(1 - d0 - np.exp(steep), 0.0)), flat)
        log_tpr = np.where(first, np.logaddexp(np.log(d0), steep), np.log1p(-np.exp(flat)))
        return log_fnr, log_tpr

    def _revealing_alphas(self, floor: float) -> Floats:
        # {β ≥ G_μ(α)} is convex, so on a segment the largest local μ is at an end.
        return np.array([floor, self.bit_error])

    @property
    def loss_unit(self) -> float | None:
        return self.epsilon_0 or None

    def _privacy_loss(self, score: Floats) -> Floats:
        if not np.isin(score, (0.0, 1.0, 2.0, 3.0)).all():
            raise ValueError("scores of randomized response are 0, 1, 2 and 3")
        losses = np.array([-np.inf, -self.epsilon_0, self.epsilon_0, np.inf])
        return losses[score.astype(int)]

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return self._draw(n, rng)

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return 3.0 - self._draw(n, rng)

    def _draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Scores of P; Q is its mirror image."""
        truthful = float(expit(self.epsilon_0))
        revealed = rng.random(n) < self.delta_0
        return np.where(revealed, 3.0, np.where(rng.random(n) < truthful, 2.0, 1.0))


class RepeatedResponsesPair(OutcomesPair):
    """k randomized responses: how many of them were truthful, unless one revealed everything.

    Kairouz, Oh and Viswanath 2015, Theorem 3.3.

    Parameters
    ----------
    epsilon, delta : float
        Of one response.
    k : int
        At least 1.
    """

    def __init__(self, epsilon: float, delta: float, k: int) -> None:
        self._arguments = {"epsilon": epsilon, "delta": delta, "k": k}
        e, d = epsilon, delta
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
        return "Randomized response, ε = {epsilon:g}, δ = {delta:g}, {k} times".format(
            **self._arguments
        )

    @property
    def parameters(self) -> dict[str, float]:
        return self._arguments

    @property
    def outcomes(self) -> Outcomes:
        return self._made

    @property
    def loss_unit(self) -> float | None:
        return self._arguments["epsilon"] or None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RepeatedResponsesPair):
            return NotImplemented
        return self._arguments == other._arguments

    def __hash__(self) -> int:
        return hash(tuple(self._arguments.values()))
