"""μ-Gaussian differential privacy as a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from workbench import _checks
from workbench.claims.base import Claim, ClaimArgument, at_least_zero, checked_epsilon
from workbench.curves.error_rates import mu_of_point
from workbench.curves.gdp import mu_from_profile

if TYPE_CHECKING:
    from workbench.bounds.bound import Bound
    from workbench.bounds.power.power import Mechanisms
    from workbench.bounds.quantities import Mu
    from workbench.bounds.simultaneous.band import TradeoffBand
    from workbench.pairs.gaussian import GaussianPair


@dataclass(frozen=True, repr=False)
class GDP(Claim):
    """μ-Gaussian differential privacy: no test tells P from Q better than N(μ,1) from N(0,1).

    Parameters
    ----------
    mu : float
        At least 0.

    Raises
    ------
    ValueError
        A negative μ, or one beyond 1e100.

    References
    ----------
    Dong, Roth and Su, Gaussian differential privacy, 2022, Definition 2.6.
    """

    word = "gdp"
    title = "μ-Gaussian DP"
    example = "gdp(1)"
    arguments = (ClaimArgument("mu", "μ", 1.0, (0.0, 100.0), 0.1),)
    refutable = "mu"

    mu: float

    def __post_init__(self) -> None:
        mu = at_least_zero(self.mu, "mu")
        if mu > 1e100:
            raise ValueError(f"mu must be at most 1e+100, got {self.mu!r}; give Δ/σ")
        object.__setattr__(self, "mu", mu)

    @property
    def parameters(self) -> dict[str, float]:
        return {"mu": self.mu}

    @property
    def symbol(self) -> str:
        return "μ"

    @property
    def quantity(self) -> tuple[str, dict[str, float]]:
        return "mu", {}

    @property
    def question(self) -> Mu:
        from workbench.bounds.quantities import Mu

        return Mu()

    @cached_property
    def dominating_pair(self) -> GaussianPair:
        from workbench.pairs.gaussian import GaussianPair

        return GaussianPair(self.mu)

    def parameter_refuted_by_rates(self, fpr_upper: Any, fnr_upper: Any) -> Any:
        return mu_of_point(fpr_upper, fnr_upper)

    def parameter_refuted_by_delta(self, delta: float, epsilon: float) -> float:
        epsilon, delta = checked_epsilon(epsilon), _checks.number(delta, "delta")
        return float(mu_from_profile(delta, epsilon)) if delta > 0 else 0.0

    def parameter_refuted_by_renyi(self, value: float, order: float) -> float:
        # N(μ, 1) against N(0, 1) has R_a = aμ²/2.
        value = _checks.number(value, "value")
        return math.sqrt(2 * max(value, 0.0) / _checks.order(order))

    def alternatives(self) -> tuple[Mechanisms, ...]:
        from workbench.bounds.power.power import Mechanisms

        return (Mechanisms("Gaussian", "μ", self.mu, self.question.curve),)

    def lower_bound(self, band: TradeoffBand) -> Bound:
        return band.mu()
