"""The pair of one step of the subsampled Gaussian mechanism, by adding or removing a record."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from workbench import _checks
from workbench.curves.gdp import epsilon_from_mu, gaussian_log_profile
from workbench.curves.newton import newton
from workbench.curves.validation import Floats, quiet
from workbench.pairs.base import Pair
from workbench.pairs.functions import PrivacyFunctions
from workbench.pairs.gaussian import GaussianPair


@dataclass(frozen=True)
class SubsampledGaussianPair(PrivacyFunctions, Pair):
    """P = q N(1,σ²) + (1−q) N(0,σ²) against Q = N(0,σ²).

    Everything follows from the Gaussian pair with μ = 1/σ, whose profile is δ_μ and whose trade-off
    function is G_μ. P − e^ε Q = q (N(1,σ²) − e^η Q) with e^η = 1 + (e^ε − 1)/q, hence::

        H_{e^ε}(P‖Q) = q δ_μ(η)                              for e^ε > 1 − q, 1 − e^ε otherwise
        H_{e^ε}(Q‖P) = (1 − (1−q) e^ε) δ_μ(ζ)                for e^−ε > 1 − q, 0 otherwise
        f(α) = q G_μ(α) + (1−q)(1−α)

    with e^ζ = q e^ε / (1 − (1−q) e^ε). The symmetrized curve is f up to x = Φ(−μ/2), where its
    slope is −1, the segment of slope −1 to (f(x), x), and f⁻¹ from there (Dong, Roth and Su 2022,
    Section 4): for ε ≥ 0 the profile is that of P‖Q, for ε ≤ 0 that of Q‖P.

    Parameters
    ----------
    q : float
        The sampling probability, in (0, 1].
    sigma : float
        Noise over sensitivity, above 0.

    Raises
    ------
    ValueError
        A q outside (0, 1] or a σ below 1e-100.
    """

    q: float
    sigma: float

    def __post_init__(self) -> None:
        q = _checks.number(self.q, "q")
        if not 0 < q <= 1:
            raise ValueError(
                f"q must lie in (0, 1], got {self.q!r}; it is the probability that a record is used"
            )
        sigma = _checks.positive(self.sigma, "sigma")
        if sigma < 1e-100:
            raise ValueError(f"sigma must be at least 1e-100, got {self.sigma!r}; add noise")
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "sigma", sigma)

    @property
    def name(self) -> str:
        return f"Subsampled Gaussian, q = {self.q:g}, σ = {self.sigma:g}"

    @property
    def parameters(self) -> dict[str, float]:
        return {"q": self.q, "sigma": self.sigma}

    @property
    def total_variation(self) -> float:
        return self.q * math.erf(self._mu / math.sqrt(8))

    @property
    def _mu(self) -> float:
        return 1 / self.sigma

    @quiet()
    def _log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        q = self.q
        if direction == "P‖Q":
            # η, by the form that neither cancels nor overflows.
            small = np.log1p(np.expm1(np.minimum(epsilon, 1.0)) / q)
            large = epsilon - math.log(q) + np.log1p((q - 1) * np.exp(-np.maximum(epsilon, 1.0)))
            eta = np.where(epsilon < 1, small, large)
            inside = np.expm1(epsilon) > -q
            log_h = math.log(q) + gaussian_log_profile(self._mu, np.where(inside, eta, 0.0))
            return np.where(inside, log_h, np.log(-np.expm1(np.minimum(epsilon, 0.0))))
        # 1 − (1−q) e^ε = q − (1−q)(e^ε − 1)
        log_left = np.log(q + (q - 1) * np.expm1(epsilon)) if q < 1 else np.zeros_like(epsilon)
        inside = log_left > -np.inf
        zeta = np.where(inside, math.log(q) + epsilon - log_left, 0.0)
        return np.where(inside, log_left + gaussian_log_profile(self._mu, zeta), -np.inf)

    def _log_profile(self, epsilon: Floats) -> Floats:
        log_h = np.empty_like(epsilon)
        above = epsilon >= 0
        log_h[above] = self._log_hockey_stick(epsilon[above], "P‖Q")
        log_h[~above] = self._log_hockey_stick(epsilon[~above], "Q‖P")
        return log_h

    @quiet()
    def _epsilon(self, delta: Floats) -> Floats:
        above = delta >= self.total_variation
        eta = epsilon_from_mu(self._mu, np.where(above, 0.0, delta / self.q))
        epsilon = np.logaddexp(math.log(self.q) + eta, np.log1p(-self.q))
        return np.where(above, 0.0, np.maximum(epsilon, 0.0))

    @quiet()
    def _log_rates(self, alpha: Floats) -> tuple[Floats, Floats]:
        reach = ndtri(alpha) + self._mu
        used, unused = math.log(self.q), np.log1p(-self.q)
        return (
            np.logaddexp(used + log_ndtr(-reach), unused + np.log1p(-alpha)),
            np.logaddexp(used + log_ndtr(reach), unused + np.log(alpha)),
        )

    def _composed(self, k: int) -> Pair | None:
        if self.q == 1:
            return GaussianPair(math.sqrt(k) / self.sigma)
        return super()._composed(k)

    def _symmetric_tradeoff(self, alpha: Floats) -> Floats:
        q, mu = self.q, self._mu
        x = ndtr(-mu / 2)
        y = q * x + (1 - q) * ndtr(mu / 2)
        left = q * ndtr(-ndtri(alpha) - mu) + (1 - q) * (1 - alpha)
        beta = np.asarray(np.where(alpha <= x, left, np.maximum(x + y - alpha, x)))
        right = alpha > y
        beta[right] = self._inverse_tradeoff(alpha[right])
        return beta

    @quiet()
    def _inverse_tradeoff(self, beta: Floats) -> Floats:
        """f⁻¹(β) for β ≥ f(Φ(−μ/2)), the α of a false negative rate that large."""
        q, mu = self.q, self._mu
        inner = beta < 1
        tpr = 1 - beta[inner]
        log_tpr = np.log(tpr)
        # With α = Φ(z), Φ(z) ≤ tpr ≤ Φ(z+μ) and q Φ(z+μ) ≤ tpr.
        low = ndtri(tpr) - mu
        high = np.minimum(ndtri(tpr), ndtri(np.minimum(tpr / q, 1.0)) - mu)
        high = np.minimum(high, -mu / 2)

        def step(z: Floats) -> Floats:
            rate = q * ndtr(z + mu) + (1 - q) * ndtr(z)
            density = q * np.exp(-((z + mu) ** 2) / 2) + (1 - q) * np.exp(-(z**2) / 2)
            # Between two far components the density underflows; the step is then clipped.
            slope = np.maximum(density, 1e-300) / rate
            return (log_tpr - np.log(rate)) * math.sqrt(2 * math.pi) / slope

        alpha = np.zeros_like(beta)
        alpha[inner] = ndtr(newton(step, high, low, high))
        return alpha

    def _symmetric_local_mu(self, alpha: Floats) -> Floats:
        # On the segment TPR − FPR = TV; beyond it one rate is below α, so no floor of α allows it.
        segment = ndtri(np.minimum(self.total_variation + alpha, 1.0)) - ndtri(alpha)
        return np.where(alpha <= ndtr(-self._mu / 2), self.local_mu(alpha), segment)

    def _revealing_alphas(self, floor: float) -> Floats:
        # Local μ of f falls as α grows, because φ(Φ⁻¹(·)) is concave; the segment is symmetric.
        return np.array([floor])

    @quiet()
    def _privacy_loss(self, score: Floats) -> Floats:
        used = math.log(self.q) + (2 * score - 1) / (2 * self.sigma) / self.sigma
        return np.logaddexp(used, np.log1p(-self.q))

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        used = rng.random(n) < self.q
        return rng.normal(0.0, self.sigma, n) + used

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.normal(0.0, self.sigma, n)
