"""What a claim allows a divergence to be, and which parameter of the claim evidence refutes.

Two views of one inequality: a divergence exceeds what the claim allows exactly where the parameter
that it implies exceeds the claim's own. All divergences are the larger of both directions, as a
claim speaks about both. Evidence about a pair of distributions as claim (f-DP) has no parameter.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from workbench import _checks
from workbench._format import plain
from workbench.claims import GDP, ApproxDP, PureDP, RenyiDP
from workbench.curves.elementwise import Floats, quiet
from workbench.curves.error_rates import epsilon_of_point, mu_of_point
from workbench.curves.gdp import mu_from_profile
from workbench.pairs.base import Pair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.testers.property_testers.base import Claimed

#: Halvings of an interval; more than a float resolves.
_HALVINGS = 64

#: Points of a grid that is narrowed to the cells around its least value, and how often.
_POINTS, _NARROWINGS = 33, 10

#: Relative round-off of a divergence, given to the claim.
_ROUND_OFF = 1e-12


# -- the claim's own -------------------------------------------------------------------------------


def claim_parameter(claim: Claimed) -> float | None:
    """The claim's own ε or μ; None for a pair, which has none."""
    if isinstance(claim, Pair):
        return None
    return claim.mu if isinstance(claim, GDP) else claim.epsilon_0  # type: ignore[attr-defined]


def claim_symbol(claim: Claimed) -> str:
    """What the parameter is called: "ε at δ = 1e-5", "ε", "Rényi ε of order 2", "μ"; "" if none."""
    if isinstance(claim, Pair):
        return ""
    if isinstance(claim, GDP):
        return "μ"
    if isinstance(claim, RenyiDP):
        return f"Rényi ε of order {plain(claim.order)}"
    return f"ε at δ = {plain(claim.delta_0)}" if isinstance(claim, ApproxDP) else "ε"


def own_epsilon(claim: Claimed) -> float:
    """The ε at which δ(ε) is asked where nothing says otherwise.

    The claim's own where it names one; else 0, total variation, which tells most of μ.
    """
    return claim.epsilon_0 if isinstance(claim, (ApproxDP, PureDP)) else 0.0


# -- what it allows --------------------------------------------------------------------------------


def allowed_delta(claim: Claimed, epsilon: float) -> float:
    """The largest hockey-stick divergence at ε that meets the claim.

    Parameters
    ----------
    claim : Claim or Pair
    epsilon : float
        At least 0.
    """
    epsilon = _epsilon(epsilon)
    if not isinstance(claim, RenyiDP):
        return float(claim.profile(epsilon))
    # What the profile of a Rényi claim says is only an upper limit.
    return _renyi_profile(claim.order, claim.epsilon_0, epsilon)


def allowed_total_variation(claim: Claimed) -> float:
    """The largest total variation distance that meets the claim."""
    return allowed_delta(claim, 0.0)


def allowed_renyi(claim: Claimed, order: float) -> float:
    """The largest Rényi divergence of this order that meets the claim.

    Exact for pure DP and for μ-GDP; under a Rényi claim of a larger order it may be less than the
    ε given here. ``inf`` where the claim allows any: (ε, δ)-DP with δ > 0, a Rényi claim of a
    smaller order; and for a pair of which no value is known.

    Parameters
    ----------
    claim : Claim or Pair
    order : float
        Above 1.
    """
    order = _order(order)
    if isinstance(claim, RenyiDP):
        return claim.epsilon_0 if order <= claim.order else math.inf
    return (claim if isinstance(claim, Pair) else claim.pair).renyi_divergence(order)


# -- which parameter evidence refutes --------------------------------------------------------------


def parameter_of_rates(claim: Claimed, fpr_upper: float, fnr_upper: float) -> float | None:
    """The parameter that an event refutes, of which Q has little and P has much.

    Parameters
    ----------
    claim : Claim or Pair
    fpr_upper, fnr_upper : float
        Q's probability of the event is at most ``fpr_upper``, P's at least 1 − ``fnr_upper``; in
        [0, 1].

    Returns
    -------
    float or None
        Every smaller parameter is refuted; 0 where none is, None for a pair.
    """
    if isinstance(claim, Pair):
        return None
    if isinstance(claim, GDP):
        return float(mu_of_point(fpr_upper, fnr_upper))
    if isinstance(claim, RenyiDP):
        if fpr_upper + fnr_upper >= 1:
            return 0.0
        return _rounded(_coins_renyi(claim.order, np.asarray(fpr_upper), np.asarray(fnr_upper)))
    return float(epsilon_of_point(fpr_upper, fnr_upper, _delta(claim)))


def parameter_of_delta(claim: Claimed, delta: float, epsilon: float) -> float | None:
    """The parameter that a hockey-stick divergence of at least ``delta`` at ε refutes.

    Parameters
    ----------
    claim : Claim or Pair
    delta : float
        At most 1; negative shows nothing.
    epsilon : float
        At least 0.

    Returns
    -------
    float or None
        Every smaller parameter is refuted; 0 where none is, None for a pair.
    """
    epsilon, delta = _epsilon(epsilon), _checks.number(delta, "delta")
    if isinstance(claim, Pair):
        return None
    if delta <= 0:
        return 0.0
    if isinstance(claim, GDP):
        return float(mu_from_profile(delta, epsilon))
    if isinstance(claim, RenyiDP):
        return _least_renyi(claim.order, delta, epsilon)
    # Randomized response of parameter x has δ(ε) = δ₀ + (1 − δ₀)(e^x − e^ε)/(1 + e^x).
    share = (delta - _delta(claim)) / (1 - _delta(claim))
    if share <= 0:
        return 0.0
    if share >= 1:
        return math.inf
    return epsilon + math.log1p(share * math.exp(-epsilon)) - math.log1p(-share)


def parameter_of_renyi(claim: Claimed, value: float, order: float) -> float | None:
    """The parameter that a Rényi divergence of at least ``value`` refutes.

    Parameters
    ----------
    claim : Claim or Pair
    value : float
        Negative shows nothing.
    order : float
        Above 1.

    Returns
    -------
    float or None
        Every smaller parameter is refuted; 0 where none is, None for a pair.
    """
    order = _order(order)
    if isinstance(claim, Pair):
        return None
    if value <= 0 or math.isinf(allowed_renyi(claim, order)):
        return 0.0
    if isinstance(claim, GDP):
        return math.sqrt(2 * value / order)
    if isinstance(claim, RenyiDP):
        return float(value)
    # ε − log(2)/(a − 1) ≤ R ≤ ε for randomized response.
    low, high = value, value + math.log(2) / (order - 1)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if RandomizedResponsePair(middle, 0.0).renyi_divergence(order) < value:
            low = middle
        else:
            high = middle
    return low


# -- divergences -----------------------------------------------------------------------------------


@quiet()
def _coins_renyi(order: float, alpha: Floats, beta: Floats) -> Floats:
    """The larger Rényi divergence of two coins, of probabilities 1 − β and α with α + β ≤ 1."""
    a, log_fpr, log_fnr = order, np.log(alpha), np.log(beta)
    log_tnr, log_tpr = np.log1p(-alpha), np.log1p(-beta)

    def moment(p: Floats, q: Floats) -> Floats:
        term = a * p + (1 - a) * q
        return np.where(p == -np.inf, -np.inf, np.where(q == -np.inf, np.inf, term))

    forward = np.logaddexp(moment(log_tpr, log_fpr), moment(log_fnr, log_tnr))
    mirrored = np.logaddexp(moment(log_fpr, log_tpr), moment(log_tnr, log_fnr))
    return np.maximum(np.maximum(forward, mirrored) / (a - 1), 0.0)


@lru_cache(maxsize=256)
def _renyi_profile(order: float, budget: float, epsilon: float) -> float:
    """The largest δ at ε of which the least Rényi divergence is within the budget."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _least_renyi(order, middle, epsilon) <= budget:
            low = middle
        else:
            high = middle
    return high


def _least_renyi(order: float, delta: float, epsilon: float) -> float:
    """The least Rényi divergence of a pair with a hockey-stick divergence of δ at ε.

    By data processing two coins do it: x = δ + e^ε y, and y that which makes it least. The moments
    are convex in (x, y), so the divergence has one valley along y.
    """
    if delta <= 0:
        return 0.0
    if delta >= 1:
        return math.inf
    top = (1 - delta) * math.exp(-epsilon)
    # In log y, in which the valley is still one.
    low, high = math.log(top) - 745.0, math.log(top)
    least = math.inf
    for _ in range(_NARROWINGS):
        log_y = np.linspace(low, high, _POINTS)
        alpha = np.exp(log_y)
        beta = np.maximum((1 - delta) - np.exp(log_y + epsilon), 0.0)
        values = _coins_renyi(order, alpha, beta)
        best = int(np.argmin(values))
        least = min(least, float(values[best]))
        low, high = log_y[max(best - 1, 0)], log_y[min(best + 1, _POINTS - 1)]
    return _rounded(least)


def _rounded(divergence: Floats | float) -> float:
    """Down by the round-off, so that nothing is refuted by it."""
    return max(float(divergence) * (1 - _ROUND_OFF) - 1e-15, 0.0)


# -- arguments -------------------------------------------------------------------------------------


def _delta(claim: Claimed) -> float:
    return claim.delta_0 if isinstance(claim, ApproxDP) else 0.0


def _epsilon(epsilon: float) -> float:
    epsilon = _checks.number(epsilon, "epsilon")
    if epsilon < 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon!r}; exchange P and Q instead")
    return epsilon


def _order(order: float) -> float:
    order = _checks.number(order, "order")
    if order <= 1:
        raise ValueError(f"order must be above 1, got {order!r}; 1.5 is a good choice")
    return order
