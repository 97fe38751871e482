"""The pair of the Laplace mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from workbench.curves.validation import Floats, non_negative, quiet
from workbench.pairs.base import SymmetricPair


@dataclass(frozen=True)
class LaplacePair(SymmetricPair):
    """P = Lap(μ,1) against Q = Lap(0,1), with μ = Δ/b (sensitivity over scale).

    δ(ε) = 1 − e^{(ε−μ)/2} for |ε| ≤ μ, 0 above, 1 − e^ε below. f(α) is 1 − e^μ α up to α = e^−μ/2,
    e^−μ/(4α) up to α = 1/2, e^−μ (1−α) above (Dong, Roth and Su
    2022, Lemma A.6).

    Parameters
    ----------
    mu : float
        At least 0; at 0, P = Q. The pair is (μ, 0)-DP.

    Raises
    ------
    ValueError
        A negative or infinite μ.
    """

    mu: float

    def __post_init__(self) -> None:
        mu = non_negative(self.mu, "mu", "exchange P and Q if P lies below")
        object.__setattr__(self, "mu", float(mu))

    @property
    def name(self) -> str:
        return f"Laplace, μ = {self.mu:g}"

    @property
    def parameters(self) -> dict[str, float]:
        return {"mu": self.mu}

    @property
    def total_variation(self) -> float:
        return -math.expm1(-self.mu / 2)

    @quiet()
    def _log_profile(self, epsilon: Floats) -> Floats:
        exponent = np.where(epsilon < -self.mu, epsilon, (epsilon - self.mu) / 2)
        return np.log(-np.expm1(np.minimum(exponent, 0.0)))

    def _epsilon(self, delta: Floats) -> Floats:
        return np.maximum(self.mu + 2 * np.log1p(-delta), 0.0)

    @quiet()
    def _log_rates(self, alpha: Floats) -> tuple[Floats, Floats]:
        log_alpha = np.log(alpha)
        steep = self.mu + log_alpha
        flat = -self.mu + np.where(alpha < 0.5, -math.log(4) - log_alpha, np.log1p(-alpha))
        first = steep < -math.log(2)
        log_fnr = np.where(first, np.log1p(-np.exp(steep)), flat)
        return log_fnr, np.where(first, steep, np.log1p(-np.exp(flat)))

    @property
    def bit_error(self) -> float:
        return math.exp(-self.mu / 2) / 2

    def _renyi_divergence(self, order: float) -> float:
        # Mironov, arXiv 1702.07476, Proposition 6
        a = order
        terms = [math.log(a) + (a - 1) * self.mu, math.log(a - 1) - a * self.mu]
        return max(float(logsumexp(terms) - math.log(2 * a - 1)) / (a - 1), 0.0)

    def _revealing_alphas(self, floor: float) -> Floats:
        # Φ⁻¹(1−e^s) is concave in s: α = f(α) is the best where α·f(α) is constant, the middle
        # part, and local μ rises toward it in the outer parts.
        return np.array([math.exp(-self.mu / 2) / 2])

    def _privacy_loss(self, score: Floats) -> Floats:
        # |x| − |x − μ| without the difference of two large numbers.
        return np.clip(2 * score - self.mu, -self.mu, self.mu)

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.laplace(self.mu, 1.0, n)

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.laplace(0.0, 1.0, n)
