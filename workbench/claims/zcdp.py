"""Zero-concentrated differential privacy as a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from workbench import _checks
from workbench.claims.approx import RESPONSE
from workbench.claims.base import Claim, ClaimArgument, at_least_zero, checked_epsilon
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

#: Orders at which the divergences of error rates are compared with the claim. Fewer orders refute
#: less, and imply a larger δ: every set of orders is on the safe side.
_ORDERS = tuple(1 + np.geomspace(0.02, 2000.0, 41))

#: Orders of the conversion to (ε, δ), which costs little.
_CONVERSION_ORDERS = tuple(1 + np.geomspace(1e-3, 1e6, 361))

#: False positive rates between which the trade-off function is bounded by chords.
_ALPHAS = np.r_[0.0, ndtr(np.linspace(-37.0, 8.0, 1801)), 1.0]


@dataclass(frozen=True, repr=False)
class ZCDP(Claim):
    """ρ-zero-concentrated differential privacy (Bun and Steinke 2016).

    The Rényi divergence of every order a > 1 is at most ρa, in both directions. The Gaussian pair
    N(μ, 1) against N(0, 1) meets it with ρ = μ²/2 and no less.

    Parameters
    ----------
    rho : float
        At least 0.

    Raises
    ------
    ValueError
        A negative ρ.

    Notes
    -----
    δ(ε) is the smallest over the orders of e^{(a−1)(ρa − ε)} (1 − 1/a)^a / (a − 1) (Canonne, Kamath
    and Steinke 2020, Proposition 12), and ε(δ) its inverse: upper limits. Evidence refutes the
    parameter that it refutes at the best of a fixed set of orders: a lower limit.

    References
    ----------
    Bun and Steinke, Concentrated differential privacy, 2016, arXiv 1605.02065, Definition 1.1.
    Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, 2020,
    arXiv 2004.00010.

    Examples
    --------
    >>> claim = wb.ZCDP(0.5)
    >>> claim.max_renyi(8)
    4.0
    >>> round(claim.epsilon(1e-5), 3)
    4.729
    """

    word = "zcdp"
    title = "ρ-zero-concentrated DP"
    example = "zcdp(0.5)"
    arguments = (ClaimArgument("rho", "ρ", 0.5, (0.0, 1000.0), 0.1),)
    refutable = "rho"

    rho: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", at_least_zero(self.rho, "rho"))

    @property
    def parameters(self) -> dict[str, float]:
        return {"rho": self.rho}

    @property
    def symbol(self) -> str:
        return "ρ"

    @cached_property
    def dominating_pair(self) -> RenyiPair:
        # No single mechanism leaks most; this pair leaks at least as much as any.
        from workbench.pairs.claimed import RenyiPair

        return RenyiPair(_CONVERSION_ORDERS, tuple(self.rho * a for a in _CONVERSION_ORDERS))

    def max_delta(self, epsilon: float) -> float:
        budgets = tuple(self.rho * a for a in _ORDERS)
        exact = most_delta(_ORDERS, budgets, checked_epsilon(epsilon))
        return min(exact, float(self.delta(epsilon)))  # the conversion has more orders

    def max_renyi(self, order: float) -> float:
        return self.rho * _checks.order(order)

    def min_tradeoff(self, alpha: Floats) -> Floats:
        # A convex function lies above the chords before and after a cell, drawn on into it.
        x, f = _ALPHAS, self._tradeoff
        slope = np.diff(f) / np.diff(x)
        j = np.clip(np.searchsorted(x, alpha) - 1, 0, x.size - 2)
        before, after = np.maximum(j - 1, 0), np.minimum(j + 1, slope.size - 1)
        left = np.where(j > 0, f[j] + slope[before] * (alpha - x[j]), 0.0)
        right = np.where(j < after, f[j + 1] - slope[after] * (x[j + 1] - alpha), 0.0)
        # The conversion has more orders, which is better in the tails.
        return np.maximum(np.maximum(left, right), self.tradeoff(alpha))

    @cached_property
    def _tradeoff(self) -> Floats:
        """The smallest false negative rates at `_ALPHAS`."""
        return np.max([renyi_tradeoff(a, self.rho * a, _ALPHAS) for a in _ORDERS], axis=0)

    def parameter_refuted_by_rates(self, fpr_upper: Any, fnr_upper: Any) -> Any:
        found = [renyi_of_rates(a, fpr_upper, fnr_upper) / a for a in _ORDERS]
        return np.max(found, axis=0)

    def parameter_refuted_by_delta(self, delta: float, epsilon: float) -> float:
        epsilon, delta = checked_epsilon(epsilon), _checks.number(delta, "delta")
        if delta <= 0:
            return 0.0
        least = least_renyi_divergence(_ORDERS, delta, epsilon) / np.array(_ORDERS)
        # The conversion of the notes, solved for ρ.
        a = np.array(_CONVERSION_ORDERS)
        converted = (epsilon + (math.log(delta) + np.log(a)) / (a - 1) - np.log1p(-1 / a)) / a
        return max(float(least.max()), float(converted.max()) - 1e-15, 0.0)

    def parameter_refuted_by_renyi(self, value: float, order: float) -> float:
        return max(_checks.number(value, "value"), 0.0) / _checks.order(order)

    def easiest_to_refute(self, x: float) -> RandomizedResponsePair:
        # Randomized response meets ρ = ε tanh(ε/2), its divergence of order 1, and no less.
        from scipy.optimize import brentq

        from workbench.pairs.randomized_response import RandomizedResponsePair

        top = x + 2 * math.sqrt(x) + 1
        return RandomizedResponsePair(brentq(lambda e: e * math.tanh(e / 2) - x, 0.0, top), 0.0)

    def alternatives(self) -> tuple[Mechanisms, ...]:
        from workbench.bounds.power.power import Mechanisms
        from workbench.bounds.quantities import Epsilon, Mu

        def response(x: float, alpha: Floats) -> Floats:
            return Epsilon(0.0).curve(self.easiest_to_refute(x).epsilon_0, alpha)

        def gaussian(x: float, alpha: Floats) -> Floats:
            return Mu().curve(math.sqrt(2 * x), alpha)

        return (
            Mechanisms(RESPONSE, "ρ", self.rho, response),
            Mechanisms("Gaussian", "ρ", self.rho, gaussian),
        )
