"""Rényi differential privacy of one order as a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from workbench import _checks
from workbench._format import plain
from workbench.claims.approx import EPSILON, RESPONSE
from workbench.claims.base import (
    Claim,
    ClaimArgument,
    at_least_zero,
    checked_epsilon,
    number_text,
)
from workbench.curves.renyi import (
    least_renyi_divergence,
    most_delta,
    renyi_of_rates,
    renyi_tradeoff,
)

if TYPE_CHECKING:
    from workbench.bounds.power.power import Mechanisms
    from workbench.curves.validation import Floats
    from workbench.pairs.claimed import RenyiPair
    from workbench.pairs.randomized_response import RandomizedResponsePair


@dataclass(frozen=True, init=False, repr=False)
class RenyiDP(Claim):
    """Rényi divergence of one order at most ε, in both directions (Mironov 2017).

    Parameters
    ----------
    order : float
        Above 1 and finite.
    epsilon : float
        At least 0. Kept as ``epsilon_0``, since ``epsilon(delta)`` is what the claim implies.

    Raises
    ------
    ValueError
        An argument outside its range.

    References
    ----------
    Mironov, Rényi differential privacy, 2017, arXiv 1702.07476.
    """

    word = "renyi"
    title = "Rényi DP"
    example = "renyi(8, 0.5)"
    arguments = (ClaimArgument("order", "Order α", 2.0, (1.0, 10_000.0), 0.5, above=True), EPSILON)

    order: float
    epsilon_0: float

    def __init__(self, order: float, epsilon: float) -> None:
        object.__setattr__(self, "order", _checks.order(order))
        object.__setattr__(self, "epsilon_0", at_least_zero(epsilon, "epsilon"))

    @property
    def parameters(self) -> dict[str, float]:
        return {"order": self.order, "epsilon": self.epsilon_0}

    @property
    def symbol(self) -> str:
        return f"Rényi ε of order {plain(self.order)}"

    @property
    def short(self) -> str:
        return f"Rényi ε = {number_text(self.epsilon_0)} of order {number_text(self.order)}"

    @property
    def named_order(self) -> float:
        return self.order

    @property
    def quantity(self) -> tuple[str, dict[str, float]]:
        return "renyi", {"order": self.order}

    @cached_property
    def dominating_pair(self) -> RenyiPair:
        # No single mechanism leaks most; this pair leaks at least as much as any.
        from workbench.pairs.claimed import RenyiPair

        return RenyiPair((self.order,), (self.epsilon_0,))

    def max_delta(self, epsilon: float) -> float:
        return most_delta((self.order,), (self.epsilon_0,), checked_epsilon(epsilon))

    def max_renyi(self, order: float) -> float:
        return self.epsilon_0 if _checks.order(order) <= self.order else math.inf

    def min_tradeoff(self, alpha: Floats) -> Floats:
        return renyi_tradeoff(self.order, self.epsilon_0, alpha)

    def parameter_refuted_by_rates(self, fpr_upper: Any, fnr_upper: Any) -> Any:
        return renyi_of_rates(self.order, fpr_upper, fnr_upper)

    def parameter_refuted_by_delta(self, delta: float, epsilon: float) -> float:
        epsilon, delta = checked_epsilon(epsilon), _checks.number(delta, "delta")
        return float(least_renyi_divergence((self.order,), delta, epsilon)[0])

    def parameter_refuted_by_renyi(self, value: float, order: float) -> float:
        value = _checks.number(value, "value")
        return max(value, 0.0) if math.isfinite(self.max_renyi(order)) else 0.0

    def easiest_to_refute(self, x: float) -> RandomizedResponsePair:
        from workbench.pairs.randomized_response import RandomizedResponsePair

        return RandomizedResponsePair.of_renyi_divergence(x, self.order)

    def alternatives(self) -> tuple[Mechanisms, ...]:
        # Randomized response and the Gaussian pair of Rényi divergence x.
        from workbench.bounds.power.power import Mechanisms
        from workbench.bounds.quantities import Epsilon, Mu

        def response(x: float, alpha: Floats) -> Floats:
            return Epsilon(0.0).curve(self.easiest_to_refute(x).epsilon_0, alpha)

        def gaussian(x: float, alpha: Floats) -> Floats:
            return Mu().curve(math.sqrt(2 * x / self.order), alpha)

        return (
            Mechanisms(RESPONSE, "ε", self.epsilon_0, response),
            Mechanisms("Gaussian", "ε", self.epsilon_0, gaussian),
        )
