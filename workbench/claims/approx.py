"""(ε, δ)-differential privacy as a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from workbench import _checks
from workbench._format import plain
from workbench.claims.base import (
    Claim,
    ClaimArgument,
    at_least_zero,
    checked_epsilon,
    number_text,
)
from workbench.curves.error_rates import epsilon_of_point

if TYPE_CHECKING:
    from workbench.bounds.bound import Bound
    from workbench.bounds.power.power import Mechanisms
    from workbench.bounds.quantities import Epsilon
    from workbench.bounds.simultaneous.band import TradeoffBand
    from workbench.curves.validation import Floats
    from workbench.pairs.randomized_response import RandomizedResponsePair

EPSILON = ClaimArgument("epsilon", "ε", 1.0, (0.0, 1000.0), 0.1)

#: Randomized response has few outcomes: its power needs their ties broken at random.
RESPONSE = "randomized response without ties"


@dataclass(frozen=True, init=False, repr=False)
class ApproxDP(Claim):
    """(ε, δ)-differential privacy.

    Parameters
    ----------
    epsilon : float
        At least 0. Kept as ``epsilon_0``, since ``epsilon(delta)`` is what the claim implies.
    delta : float
        In [0, 1). Kept as ``delta_0``, since ``delta(epsilon)`` is what the claim implies.

    Raises
    ------
    ValueError
        An argument outside its range.

    Examples
    --------
    >>> claim = wb.ApproxDP(1, 1e-5)
    >>> claim.parameters
    {'epsilon': 1.0, 'delta': 1e-05}
    >>> str(claim)
    'approx(1, 1e-5)'
    """

    word = "approx"
    title = "(ε, δ)-DP"
    example = "approx(2, 1e-5)"
    arguments: ClassVar[tuple[ClaimArgument, ...]] = (
        EPSILON,
        ClaimArgument("delta", "δ", 1e-5, (1e-12, 0.1), 1e-5),
    )

    epsilon_0: float
    delta_0: float

    def __init__(self, epsilon: float, delta: float) -> None:
        object.__setattr__(self, "epsilon_0", at_least_zero(epsilon, "epsilon"))
        object.__setattr__(self, "delta_0", _checks.delta(delta))

    @property
    def parameters(self) -> dict[str, float]:
        return {"epsilon": self.epsilon_0, "delta": self.delta_0}

    @property
    def symbol(self) -> str:
        return f"ε at δ = {plain(self.delta_0)}"

    @property
    def short(self) -> str:
        return f"({number_text(self.epsilon_0)}, {number_text(self.delta_0)})"

    @property
    def named_epsilon(self) -> float:
        return self.epsilon_0

    @property
    def quantity(self) -> tuple[str, dict[str, float]]:
        return "epsilon", {"delta": self.delta_0}

    @property
    def question(self) -> Epsilon:
        from workbench.bounds.quantities import Epsilon

        return Epsilon(self.delta_0)

    @cached_property
    def dominating_pair(self) -> RandomizedResponsePair:
        # The leakiest of all (ε, δ)-DP mechanisms (Kairouz, Oh and Viswanath 2015).
        from workbench.pairs.randomized_response import RandomizedResponsePair

        return RandomizedResponsePair(self.epsilon_0, self.delta_0)

    def parameter_refuted_by_rates(self, fpr_upper: Any, fnr_upper: Any) -> Any:
        return epsilon_of_point(fpr_upper, fnr_upper, self.delta_0)

    def parameter_refuted_by_delta(self, delta: float, epsilon: float) -> float:
        epsilon, delta = checked_epsilon(epsilon), _checks.number(delta, "delta")
        if delta <= 0:
            return 0.0
        # Randomized response of parameter x has δ(ε) = δ₀ + (1 − δ₀)(e^x − e^ε)/(1 + e^x).
        share = (delta - self.delta_0) / (1 - self.delta_0)
        if share <= 0:
            return 0.0
        if share >= 1:
            return math.inf
        return epsilon + math.log1p(share * math.exp(-epsilon)) - math.log1p(-share)

    def parameter_refuted_by_renyi(self, value: float, order: float) -> float:
        from workbench.pairs.randomized_response import RandomizedResponsePair

        value, order = _checks.number(value, "value"), _checks.order(order)
        if value <= 0 or self.delta_0 > 0:
            return 0.0
        return RandomizedResponsePair.of_renyi_divergence(value, order).epsilon_0

    def alternatives(self) -> tuple[Mechanisms, ...]:
        # Randomized response (x, δ), and the Gaussian pair with ε = x at δ.
        from workbench.bounds.power.power import Mechanisms
        from workbench.bounds.quantities import Mu
        from workbench.pairs.calibration import gaussian_mu_for
        from workbench.pairs.laplace import LaplacePair

        def gaussian(x: float, alpha: Floats) -> Floats:
            return Mu().curve(gaussian_mu_for(x, self.delta_0), alpha)

        def laplace(x: float, alpha: Floats) -> Floats:
            return np.asarray(LaplacePair(x).tradeoff(alpha))

        name, curve = ("Laplace", laplace) if self.delta_0 == 0 else ("Gaussian", gaussian)
        return (
            Mechanisms(RESPONSE, "ε", self.epsilon_0, self.question.curve),
            Mechanisms(name, "ε", self.epsilon_0, curve),
        )

    def lower_bound(self, band: TradeoffBand) -> Bound:
        return band.epsilon(self.delta_0)

    def why_any_renyi(self, order: float) -> str:
        return (
            f"(ε, δ)-DP with δ = {plain(self.delta_0)} allows an infinite Rényi divergence, "
            "because an output of probability δ may reveal everything; it can be tested for δ = 0"
        )
