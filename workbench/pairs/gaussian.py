"""The pair of the Gaussian mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from workbench.curves.gdp import distances, epsilon_from_mu, gaussian_log_profile
from workbench.curves.validation import Floats
from workbench.pairs.base import SymmetricPair

#: Points of :meth:`GaussianPair.loss_distribution`.
_CELLS = 4001


@dataclass(frozen=True)
class GaussianPair(SymmetricPair):
    """P = N(μ,1) against Q = N(0,1), with μ = Δ/σ (sensitivity over noise).

    δ(ε) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) (Balle and Wang 2018, Theorem 8);
    f(α) = Φ(Φ⁻¹(1−α) − μ) (Dong, Roth and Su 2022, Section 2.3); TV = 2Φ(μ/2) − 1.

    Parameters
    ----------
    mu : float
        At least 0; at 0, P = Q.

    Raises
    ------
    ValueError
        A μ outside [0, 1e100].
    """

    mu: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", float(distances(self.mu)))

    @property
    def name(self) -> str:
        return f"Gaussian, μ = {self.mu:g}"

    @property
    def parameters(self) -> dict[str, float]:
        return {"mu": self.mu}

    @property
    def total_variation(self) -> float:
        return math.erf(self.mu / math.sqrt(8))

    def _log_profile(self, epsilon: Floats) -> Floats:
        return np.asarray(gaussian_log_profile(self.mu, epsilon))

    def _epsilon(self, delta: Floats) -> Floats:
        return np.asarray(epsilon_from_mu(self.mu, delta))

    def _log_rates(self, alpha: Floats) -> tuple[Floats, Floats]:
        reach = ndtri(alpha) + self.mu
        return log_ndtr(-reach), log_ndtr(reach)

    @property
    def bit_error(self) -> float:
        return float(ndtr(-self.mu / 2))

    def _renyi_divergence(self, order: float) -> float:
        return order * self.mu**2 / 2

    def _composed(self, k: int) -> GaussianPair:
        # DONG22 Corollary 3.3
        return GaussianPair(self.mu * math.sqrt(k))

    def loss_distribution(self) -> tuple[Floats, Floats, Floats]:
        z = np.linspace(-9.0, 9.0 + self.mu, _CELLS)
        p, q = np.exp(-((z - self.mu) ** 2) / 2), np.exp(-(z**2) / 2)
        return self.mu * (z - self.mu / 2), p / p.sum(), q / q.sum()

    def _revealing_alphas(self, floor: float) -> Floats:
        # Local μ is the same everywhere; the middle is the last point that a floor takes away.
        return np.array([ndtr(-self.mu / 2)])

    def _privacy_loss(self, score: Floats) -> Floats:
        return self.mu * (score - self.mu / 2)

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.normal(self.mu, 1.0, n)

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.normal(0.0, 1.0, n)
