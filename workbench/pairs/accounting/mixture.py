"""Releases with Gaussian noise whose sensitivity is itself random: mixtures of Gaussians."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench import _checks
from workbench.curves.validation import Floats, quiet
from workbench.pairs.accounting.accounted import Accounted, AccountedPair, equal_steps
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.gaussian_mixture import GaussianMixture

#: Components of a mixture at most.
MOST_COMPONENTS = 1000

#: By how much probabilities may sum to something else than 1.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class MixturePair(AccountedPair):
    """Σ p_i N(s_i, σ²) against N(0, σ²), in many steps: noise on a sum of random sensitivity.

    A record whose contribution has the norm s_i with probability p_i, independently in every step,
    to sums with Gaussian noise of deviation σ: several batches of which it may be in more than one,
    or a user with several records. With the sensitivities 0 and 1 it is `DPSGDPair`. The event
    `MixtureOfGaussiansDpEvent` of `dp_accounting`, with both directions of add-remove
    (Choquette-Choo et al. 2023, arXiv 2310.15526).

    Parameters
    ----------
    sensitivities : sequence of float
        At least 0, not all 0; at most 1000 of them.
    probabilities : sequence of float
        One for each, above 0; they sum to 1.
    noise_multiplier : float
        σ, above 0, in the unit of the sensitivities.
    steps : int
        At least 1.

    Raises
    ------
    ValueError
        An argument outside its range, two lengths, probabilities that do not sum to 1.

    Notes
    -----
    Composed by privacy loss distributions, so that values are upper limits, see
    `workbench.pairs.accounting.pld`; in closed form with one sensitivity.

    Examples
    --------
    >>> pair = wb.MixturePair((0, 1, 2), (0.9, 0.09, 0.01), noise_multiplier=2, steps=100)
    >>> round(pair.epsilon(1e-5), 2)
    2.77
    """

    sensitivities: tuple[float, ...]
    probabilities: tuple[float, ...]
    noise_multiplier: float
    steps: int = 1

    def __post_init__(self) -> None:
        sizes = _checks.array(self.sensitivities, "sensitivities").ravel()
        weights = _checks.array(self.probabilities, "probabilities").ravel()
        if sizes.size != weights.size or not 1 <= sizes.size <= MOST_COMPONENTS:
            raise ValueError(
                f"sensitivities and probabilities must have one length from 1 to "
                f"{MOST_COMPONENTS}, got {sizes.size} and {weights.size}"
            )
        if not (np.isfinite(sizes) & (sizes >= 0)).all() or not sizes.any():
            raise ValueError(
                "sensitivities must be finite, at least 0 and not all 0, got "
                f"{_checks.shown(self.sensitivities)}"
            )
        if not (weights > 0).all() or not abs(weights.sum() - 1) <= _ROUNDING:
            raise ValueError(
                "probabilities must be above 0 and sum to 1, got "
                f"{_checks.shown(self.probabilities)}"
            )
        sigma = _checks.positive(self.noise_multiplier, "noise_multiplier")
        if not 1e-50 <= sigma / sizes.max() <= 1e50:
            raise ValueError(
                f"noise_multiplier must be 1e-50 to 1e50 times the largest sensitivity, got "
                f"{self.noise_multiplier!r}"
            )
        object.__setattr__(self, "sensitivities", tuple(map(float, sizes)))
        object.__setattr__(self, "probabilities", tuple(map(float, weights / weights.sum())))
        object.__setattr__(self, "noise_multiplier", sigma)
        object.__setattr__(self, "steps", _checks.count(self.steps, "steps", least=1))

    @property
    def name(self) -> str:
        return (
            f"Mixture of {len(self.sensitivities)} Gaussians, σ = {self.noise_multiplier:g}, "
            f"{self.steps} steps"
        )

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "sensitivities": self.sensitivities,
            "probabilities": self.probabilities,
            "noise_multiplier": self.noise_multiplier,
            "steps": self.steps,
        }

    def _composed(self, k: int) -> MixturePair:
        return MixturePair(
            self.sensitivities, self.probabilities, self.noise_multiplier, k * self.steps
        )

    def _closed_form(self) -> Pair | None:
        one = set(self.sensitivities)
        if len(one) > 1:
            return None
        return GaussianPair(one.pop() * math.sqrt(self.steps) / self.noise_multiplier)

    @property
    def _step(self) -> MixtureStep:
        return MixtureStep(self.sensitivities, self.probabilities, self.noise_multiplier)

    @property
    def _accounted(self) -> Accounted:
        return equal_steps(self._step, self.steps)

    @property
    def _steps(self) -> tuple[tuple[MixtureStep, int]]:
        return ((self._step, self.steps),)


@dataclass(frozen=True)
class MixtureStep(GaussianMixture):
    """One step of a `MixturePair`."""

    sensitivities: tuple[float, ...]
    probabilities: tuple[float, ...]
    sigma: float

    @property
    def name(self) -> str:
        """For messages."""
        return f"mixture of {len(self.sensitivities)} Gaussians, σ = {self.sigma:g}"

    @property
    def loss_unit(self) -> None:
        """None: losses are continuous."""
        return None

    @cached_property
    def _counts(self) -> tuple[Floats, Floats]:
        sizes, weights = np.array(self.sensitivities), np.array(self.probabilities)
        used = sizes > 0
        return sizes[used] / self.sigma, np.log(weights[used])

    @cached_property
    def _log_unused(self) -> float:
        sizes, weights = np.array(self.sensitivities), np.array(self.probabilities)
        unused = float(weights[sizes == 0].sum())
        return math.log(unused) if unused > 0 else -math.inf

    def log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        """Log of the hockey-stick divergence."""
        return self._log_hockey_stick(epsilon, direction)

    @quiet()
    def privacy_loss(self, score: Floats) -> Floats:
        """Log dP/dQ at a score."""
        return self._log_ratio(np.asarray(score) / self.sigma)

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        """Scores with the record in."""
        return rng.choice(self.sensitivities, n, p=self.probabilities) + self.draw_q(n, rng)

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        """Scores with the record out."""
        return rng.normal(0.0, self.sigma, n)
