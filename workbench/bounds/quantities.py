"""Quantities as functions of error rates (α, β): ε, δ, μ, TV, Rényi divergence, TPR, precision.

Each quantity is a function θ(α, β) that falls in both error rates, so that upper limits of the
rates give a lower limit of θ, and a family of curves: θ(α, β) ≤ v exactly if β ≥ curve(v, α).
ε, δ, μ, total variation and Rényi divergence are those of the attack in its stated direction; one
that accuses non-members more often than members shows nothing, though its complement would.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar, Protocol

import numpy as np
from scipy.special import expit, ndtr, ndtri

from workbench import _checks
from workbench._roots import turning_point
from workbench.curves.error_rates import epsilon_of_point, mu_of_point
from workbench.curves.renyi import renyi_of_rates, renyi_tradeoff
from workbench.curves.validation import Floats, quiet


@dataclass(frozen=True)
class QuantityArguments:
    """What a quantity is a function of: the δ of an ε, the ε of a δ, and so on.

    Parameters
    ----------
    delta : float, optional
        Of "epsilon".
    epsilon : float, optional
        Of "delta".
    fpr : float, optional
        The false positive rate of "tpr".
    prior : float, optional
        The prior probability of being a member, of "precision".
    order : float, optional
        Of "renyi".
    """

    delta: float | None = None
    epsilon: float | None = None
    fpr: float | None = None
    prior: float | None = None
    order: float | None = None

    def __post_init__(self) -> None:
        _checks.fields(self)


class Question(Protocol):
    """A quantity θ(α, β) and its level curves."""

    #: Name of the quantity, as `Bound.quantity`.
    quantity: ClassVar[str]
    #: Whether its curves are trade-off functions, which are symmetric and hold for the complement
    #: of the attack too: f(α) ≤ β ≤ 1 − f(1 − α).
    is_region: ClassVar[bool]

    @property
    def at(self) -> QuantityArguments:
        """Its arguments, as `Bound.at`."""

    @property
    def chance_level(self) -> float:
        """The value of an attack that guesses."""

    @property
    def minimum(self) -> float:
        """The smallest possible value."""

    def from_rates(self, alpha: Floats, beta: Floats) -> Floats:
        """θ(α, β).

        Parameters
        ----------
        alpha, beta : ndarray
            False positive and false negative rates in [0, 1], of shapes that broadcast.

        Returns
        -------
        ndarray
            Never NaN.
        """

    def curve(self, value: float, alpha: Floats) -> Floats:
        """The smallest β with θ(α, β) ≤ ``value``.

        Parameters
        ----------
        value : float
        alpha : ndarray
            In [0, 1].

        Returns
        -------
        ndarray
            In [0, 1].
        """

    def inverse(self, value: float, beta: Floats) -> Floats:
        """The smallest α with θ(α, β) ≤ ``value``.

        Parameters
        ----------
        value : float
        beta : ndarray
            In [0, 1].

        Returns
        -------
        ndarray
            In [0, 1].
        """

    def kinks(self, value: float) -> tuple[float, ...]:
        """The α at which the curve is not smooth."""


class _Asked:
    """Base of the quantities: `chance_level` and `minimum` are 0 unless overridden."""

    @property
    def at(self) -> QuantityArguments:
        return QuantityArguments(**asdict(self))  # type: ignore[call-overload]

    @property
    def chance_level(self) -> float:
        return 0.0

    @property
    def minimum(self) -> float:
        return 0.0

    def kinks(self, value: float) -> tuple[float, ...]:
        return ()


class _Region(_Asked):
    """A question whose curves are symmetric trade-off functions, their own inverses."""

    is_region: ClassVar[bool] = True

    def curve(self, value: float, alpha: Floats) -> Floats:
        raise NotImplementedError

    def inverse(self, value: float, beta: Floats) -> Floats:
        return self.curve(value, beta)


@dataclass(frozen=True)
class Epsilon(_Region):
    """The smallest ε for which the attack is compatible with (ε, δ)-DP.

    References
    ----------
    Kairouz, Oh & Viswanath (2015).
    """

    delta: float
    quantity: ClassVar[str] = "epsilon"

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", _checks.delta(self.delta))

    def from_rates(self, alpha: Floats, beta: Floats) -> Floats:
        return np.asarray(epsilon_of_point(alpha, beta, self.delta))

    def curve(self, value: float, alpha: Floats) -> Floats:
        return _dp_curve(value, self.delta, alpha)

    def kinks(self, value: float) -> tuple[float, ...]:
        return _dp_kinks(value, self.delta)


@dataclass(frozen=True)
class Delta(_Region):
    """The smallest δ for which the attack is compatible with (ε, δ)-DP: its hockey-stick."""

    epsilon: float
    quantity: ClassVar[str] = "delta"

    def __post_init__(self) -> None:
        epsilon = _checks.number(self.epsilon, "epsilon")
        if epsilon < 0:
            raise ValueError(
                f"epsilon must be at least 0, got {self.epsilon!r}; (ε, δ)-DP needs ε of at least 0"
            )
        object.__setattr__(self, "epsilon", epsilon)

    def from_rates(self, alpha: Floats, beta: Floats) -> Floats:
        with quiet():  # e^ε α in logs: ε may be several hundred while α is 0
            forward = 1 - beta - np.exp(self.epsilon + np.log(alpha))
            mirrored = 1 - alpha - np.exp(self.epsilon + np.log(beta))
        return np.asarray(np.maximum(np.maximum(forward, mirrored), 0.0))

    def curve(self, value: float, alpha: Floats) -> Floats:
        return _dp_curve(self.epsilon, value, alpha)

    def kinks(self, value: float) -> tuple[float, ...]:
        return _dp_kinks(self.epsilon, value)


@dataclass(frozen=True)
class Mu(_Region):
    """The smallest μ for which the attack is compatible with μ-GDP.

    References
    ----------
    Dong, Roth & Su (2022).
    """

    quantity: ClassVar[str] = "mu"

    def from_rates(self, alpha: Floats, beta: Floats) -> Floats:
        return np.asarray(mu_of_point(alpha, beta))

    def curve(self, value: float, alpha: Floats) -> Floats:
        return np.asarray(ndtr(-ndtri(alpha) - value))


@dataclass(frozen=True)
class TotalVariation(_Region):
    """TPR − FPR, the attack's advantage; the total variation of P and Q is at least that."""

    quantity: ClassVar[str] = "total variation"

    def from_rates(self, alpha: Floats, beta: Floats) -> Floats:
        return np.asarray(np.maximum(1 - alpha - beta, 0.0))

    def curve(self, value: float, alpha: Floats) -> Floats:
        return _dp_curve(0.0, value, alpha)


@dataclass(frozen=True)
class Renyi(_Region):
    """The least Rényi divergence of an order, the larger of both directions, that the attack shows.

    Data processing: the divergences of the mechanism are at least those of its two coins, "called
    in" with probability TPR and with probability FPR.

    References
    ----------
    Balle et al. (2020), arXiv:1905.09982.
    """

    order: float
    quantity: ClassVar[str] = "renyi"

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", _checks.order(self.order))

    def from_rates(self, alpha: Floats, beta: Floats) -> Floats:
        return np.asarray(renyi_of_rates(self.order, alpha, beta))

    def curve(self, value: float, alpha: Floats) -> Floats:
        return np.asarray(renyi_tradeoff(self.order, value, alpha))

    def kinks(self, value: float) -> tuple[float, ...]:
        # On the diagonal one direction takes over from the other.
        _, high = turning_point(lambda x: self.from_rates(x, x) <= value, 0.0, 0.5)
        return (float(high),)


@dataclass(frozen=True)
class TruePositiveRate(_Asked):
    """The TPR at a given FPR that the attack, mixed with guessing, reaches.

    Mixtures with "never" and "always" join (α, β) to the points (0, 1) and (1, 0), which bounds
    the trade-off function by convexity.
    """

    fpr: float
    quantity: ClassVar[str] = "tpr"
    is_region: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "fpr", _checks.open_unit(self.fpr, "fpr"))

    @property
    def chance_level(self) -> float:
        return self.fpr

    @property
    def minimum(self) -> float:
        return self.fpr

    def from_rates(self, alpha: Floats, beta: Floats) -> Floats:
        with quiet():
            toward_always = 1 - (1 - self.fpr) * (beta / (1 - alpha))
            toward_never = self.fpr * ((1 - beta) / alpha)
        reached = np.where(alpha <= self.fpr, toward_always, toward_never)
        return np.asarray(np.maximum(reached, self.fpr))

    def curve(self, value: float, alpha: Floats) -> Floats:
        line = np.minimum((1 - value) * (1 - alpha) / (1 - self.fpr), 1 - value * alpha / self.fpr)
        return np.maximum(line, 0.0)

    def inverse(self, value: float, beta: Floats) -> Floats:
        with quiet():
            toward_always = 1 - beta * (1 - self.fpr) / (1 - value)
        toward_never = (1 - beta) * self.fpr / value
        return np.clip(np.fmin(toward_always, toward_never), 0.0, 1.0)

    def kinks(self, value: float) -> tuple[float, ...]:
        return (self.fpr,)


@dataclass(frozen=True)
class Precision(_Asked):
    """The share of members among the accused, given the prior probability of being one.

    Bayes: π·TPR / (π·TPR + (1 − π)·FPR).
    """

    prior: float
    quantity: ClassVar[str] = "precision"
    is_region: ClassVar[bool] = False

    def __post_init__(self) -> None:
        hint = "the probability of being a member before the attack"
        object.__setattr__(self, "prior", _checks.open_unit(self.prior, "prior", hint))

    @property
    def chance_level(self) -> float:
        return self.prior

    def from_rates(self, alpha: Floats, beta: Floats) -> Floats:
        members, others = self.prior * (1 - beta), (1 - self.prior) * np.asarray(alpha, float)
        accused = members + others
        # Nobody accused, nobody accused wrongly.
        return np.where(accused > 0, members / np.where(accused > 0, accused, 1.0), 1.0)

    def ratio(self, value: float) -> float:
        """The ratio TPR / FPR at this precision."""
        if value >= 1:
            return np.inf
        return value * (1 - self.prior) / ((1 - value) * self.prior)

    def of_ratio(self, ratio: float) -> float:
        """The precision at this ratio TPR / FPR."""
        if np.isinf(ratio):
            return 1.0
        return self.prior * ratio / (self.prior * ratio + 1 - self.prior)

    def curve(self, value: float, alpha: Floats) -> Floats:
        ratio = self.ratio(value)
        with quiet():
            line = np.where(alpha > 0, 1 - ratio * alpha, 1.0)
        return np.maximum(line, 0.0)

    def inverse(self, value: float, beta: Floats) -> Floats:
        ratio = self.ratio(value)
        with quiet():
            alpha = (1 - beta) / ratio
        return np.clip(np.where(np.isnan(alpha), 0.0, alpha), 0.0, 1.0)


def _dp_curve(epsilon: float, delta: float, alpha: Floats) -> Floats:
    """f_{ε,δ}(α) = max{0, 1 − δ − e^ε α, e^−ε (1 − δ − α)}."""
    with quiet():
        steep = 1 - delta - np.exp(epsilon + np.log(alpha))
    flat = np.exp(-epsilon) * (1 - delta - alpha)
    return np.asarray(np.maximum(np.maximum(steep, flat), 0.0))


def _dp_kinks(epsilon: float, delta: float) -> tuple[float, ...]:
    return (1 - delta) * float(expit(-epsilon)), 1 - delta
