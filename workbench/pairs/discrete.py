"""Pairs of mechanisms with integer noise: discrete Gaussian and discrete Laplace."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.pairs.outcomes import Outcomes, OutcomesPair

_MOST_OUTCOMES = 2_000_000

#: exp(−LOG_TINY) is the least mass that is kept.
_LOG_TINY = 740.0


@dataclass(frozen=True)
class DiscreteGaussianPair(OutcomesPair):
    """Whole numbers with masses ∝ e^{−(x−Δ)²/2σ²} under P and ∝ e^{−x²/2σ²} under Q.

    The discrete Gaussian mechanism (Canonne, Kamath and Steinke 2020, arXiv 2004.00010), Δ its
    sensitivity. Exact down to masses of 1e-320.

    Parameters
    ----------
    sigma : float
        Above 0; close to, but not, the standard deviation of the noise.
    sensitivity : int
        At least 1.

    Raises
    ------
    ValueError
        An argument outside its range, or noise so wide that there would be two million outcomes:
        there `GaussianPair` says the same.
    """

    sigma: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        sigma = _checks.positive(self.sigma, "sigma")
        distance = _checks.count(self.sensitivity, "sensitivity", least=1)
        object.__setattr__(self, "sigma", sigma)
        object.__setattr__(self, "sensitivity", distance)
        if 2 * self._reach + distance > _MOST_OUTCOMES:
            raise ValueError(
                f"sigma = {sigma:g} with sensitivity {distance} has more than "
                f"{_MOST_OUTCOMES} outcomes; GaussianPair({distance / sigma:g}) is as good"
            )
        if sigma < 1e-100:
            raise ValueError(f"sigma must be at least 1e-100, got {self.sigma!r}; add noise")

    @property
    def name(self) -> str:
        distance = "" if self.sensitivity == 1 else f", Δ = {self.sensitivity}"
        return f"Discrete Gaussian, σ = {self.sigma:g}{distance}"

    @property
    def parameters(self) -> dict[str, float]:
        return {"sigma": self.sigma, "sensitivity": self.sensitivity}

    @property
    def _reach(self) -> float:
        """Noise farther out than this has no mass that a float can hold."""
        return math.sqrt(2 * _LOG_TINY) * self.sigma

    @property
    def loss_unit(self) -> float:
        return self.sensitivity / self.sigma / self.sigma / 2

    @cached_property
    def outcomes(self) -> Outcomes:
        noise = np.arange(-math.floor(self._reach), math.floor(self._reach) + 1.0)
        log_z = logsumexp(-((noise / self.sigma) ** 2) / 2)
        x = np.arange(noise[0], noise[-1] + self.sensitivity + 1)
        log_p = -(((x - self.sensitivity) / self.sigma) ** 2) / 2 - log_z
        log_q = -((x / self.sigma) ** 2) / 2 - log_z
        return Outcomes(self._privacy_loss(x), log_p, log_q, symmetric=True)

    def _privacy_loss(self, score: Floats) -> Floats:
        return self.loss_unit * (2 * score - self.sensitivity)

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return self.draw_q(n, rng) + self.sensitivity

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        reach = math.floor(self._reach)
        noise = np.arange(-reach, reach + 1.0)
        mass = np.exp(-((noise / self.sigma) ** 2) / 2)
        # The sum may end just below 1, where a draw must not fall off the end.
        at = np.searchsorted(np.cumsum(mass / mass.sum())[:-1], rng.random(n), side="right")
        return noise[at]


@dataclass(frozen=True)
class DiscreteLaplacePair(OutcomesPair):
    """Whole numbers with masses ∝ e^{−|x−Δ|/b} under P and ∝ e^{−|x|/b} under Q.

    The geometric mechanism, Δ its sensitivity: (Δ/b, 0)-DP. With r = e^{−1/b} all x ≤ 0 share the
    loss −Δ/b, all x ≥ Δ the loss Δ/b, and between them the losses are (2x − Δ)/b.

    Parameters
    ----------
    scale : float
        b, above 0.
    sensitivity : int
        At least 1.

    Raises
    ------
    ValueError
        An argument outside its range.
    """

    scale: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        scale = _checks.positive(self.scale, "scale")
        distance = _checks.count(self.sensitivity, "sensitivity", least=1)
        if distance > _MOST_OUTCOMES:
            raise ValueError(
                f"sensitivity must be at most {_MOST_OUTCOMES}, got {distance}; "
                f"LaplacePair({distance / scale:g}) is as good"
            )
        if not math.isfinite(distance / scale):
            raise ValueError(f"scale must be larger, got {self.scale!r}; add noise")
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "sensitivity", distance)

    @property
    def name(self) -> str:
        distance = "" if self.sensitivity == 1 else f", Δ = {self.sensitivity}"
        return f"Discrete Laplace, b = {self.scale:g}{distance}"

    @property
    def parameters(self) -> dict[str, float]:
        return {"scale": self.scale, "sensitivity": self.sensitivity}

    @property
    def loss_unit(self) -> float:
        return 1 / self.scale

    @cached_property
    def outcomes(self) -> Outcomes:
        x = np.arange(self.sensitivity + 1.0)
        # Q's mass at 0 and below is 1/(1 + r), at Δ and above r^Δ/(1 + r), else its own.
        at_ends = -np.logaddexp(0.0, -1 / self.scale)
        log_q = at_ends - x / self.scale
        log_q[1:-1] += math.log(-math.expm1(-1 / self.scale))
        return Outcomes(self._privacy_loss(x), log_q[::-1], log_q, symmetric=True)

    def _privacy_loss(self, score: Floats) -> Floats:
        distance = self.sensitivity
        return np.clip(2 * score - distance, -distance, distance) / self.scale

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        return self.draw_q(n, rng) + self.sensitivity

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        # The difference of two geometric numbers; by inversion, which any scale survives.
        steps = np.floor(-np.log1p(-rng.random((2, n))) * self.scale)
        return steps[0] - steps[1]
