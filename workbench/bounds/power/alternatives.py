"""Mechanisms that leak more than a claim allows, of which the power of an audit is told.

The first family of each claim is the easiest to catch, and the one that decides whether there are
too few samples; a second one, where it differs, shows how much harder noise of a common kind is.

================= =================================================== ======================
claim             easiest to catch                                    second
================= =================================================== ======================
(ε, δ)-DP         randomized response (x, δ)                          Gaussian, ε = x at δ
ε-DP              randomized response (x, 0)                          Laplace of scale 1/x
Rényi (a, ε)      randomized response of Rényi divergence x           Gaussian of it
μ-GDP             Gaussian, μ = x
a reference pair  its outcomes with x-fold privacy losses
================= =================================================== ======================

Randomized response (x, δ) and the Gaussian pair are the leakiest of all mechanisms that are
(x, δ)-DP, and x-GDP. With x-fold privacy losses L, the symmetrised pair keeps the mass of its
infinite losses, and the masses of the others become ∝ √(PQ)·e^{±xL/2}: a Gaussian pair of μ goes to
xμ, randomized response of (ε, δ) to (xε, δ). Rényi claims are met by no single leakiest mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_expit

from workbench.bounds.power.power import Mechanisms, Tradeoff
from workbench.bounds.quantities import Epsilon, Mu
from workbench.claims import GDP, ApproxDP, Claim, PureDP, RenyiDP
from workbench.curves.elementwise import Floats
from workbench.curves.renyi import renyi_tradeoff
from workbench.pairs.base import Pair
from workbench.pairs.calibration import gaussian_mu_for
from workbench.pairs.laplace import LaplacePair

#: The outcomes of randomized response are few: what is told needs their ties broken at random.
_RESPONSE = "randomized response without ties"

#: Vertices on half of a symmetric trade-off function, evenly in the log of the rate.
_VERTICES = 3000

#: The least false positive rate that is looked at.
_LEAST_RATE = 1e-10


def claimed_tradeoff(claim: Claim | Pair) -> Tradeoff:
    """The claim's f: what passes below it refutes the claim, and nothing else does."""
    if isinstance(claim, RenyiDP):
        return partial(renyi_tradeoff, claim.order, claim.epsilon_0)
    return claim.tradeoff


def alternatives(claim: Claim | Pair) -> tuple[Mechanisms, ...]:
    """Families that leave the claim behind as their parameter grows, the deciding one first."""
    if isinstance(claim, Pair):
        name = "all privacy losses multiplied"
        return (Mechanisms(name, "factor", 1.0, _multiplied(claim)),)
    if isinstance(claim, GDP):
        return (Mechanisms("Gaussian", "μ", claim.mu, Mu().curve),)
    if isinstance(claim, RenyiDP):
        return _of_renyi(claim)
    if isinstance(claim, ApproxDP | PureDP):
        return _of_epsilon(claim.epsilon_0, getattr(claim, "delta_0", 0.0))
    raise ValueError(f"claim must be a claim or a pair, got {claim!r}")


def _of_epsilon(epsilon: float, delta: float) -> tuple[Mechanisms, ...]:
    def gaussian(x: float, alpha: Floats) -> Floats:
        return Mu().curve(gaussian_mu_for(x, delta), alpha)

    def laplace(x: float, alpha: Floats) -> Floats:
        return np.asarray(LaplacePair(x).tradeoff(alpha))

    second = Mechanisms("Gaussian", "ε", epsilon, gaussian)
    if delta == 0:
        second = Mechanisms("Laplace", "ε", epsilon, laplace)
    return Mechanisms(_RESPONSE, "ε", epsilon, Epsilon(delta).curve), second


def _of_renyi(claim: RenyiDP) -> tuple[Mechanisms, ...]:
    order = claim.order

    def response(x: float, alpha: Floats) -> Floats:
        return Epsilon(0.0).curve(response_of_renyi(order, x), alpha)

    def gaussian(x: float, alpha: Floats) -> Floats:
        return Mu().curve(math.sqrt(2 * x / order), alpha)

    return (
        Mechanisms(_RESPONSE, "ε", claim.epsilon_0, response),
        Mechanisms("Gaussian", "ε", claim.epsilon_0, gaussian),
    )


def response_of_renyi(order: float, renyi: float) -> float:
    """The ε of randomized response whose Rényi divergence of this order is ``renyi``."""

    def excess(epsilon: float) -> float:
        truth, lie = log_expit(epsilon), log_expit(-epsilon)
        forward = order * truth + (1 - order) * lie
        backward = order * lie + (1 - order) * truth
        return float(np.logaddexp(forward, backward)) / (order - 1) - renyi

    # The divergence is at least ε − a·log 2/(a − 1).
    most = renyi + order / (order - 1) * math.log(2) + 1
    return float(brentq(excess, 0.0, most, xtol=1e-12)) if renyi > 0 else 0.0


def _multiplied(pair: Pair) -> Callable[[float, Floats], Floats]:
    """(x, α) -> f(α) of the symmetrised pair with every privacy loss x times as large."""
    # A symmetric trade-off function is its own inverse and meets the diagonal where its slope
    # passes −1; half of its segments say it all.
    middle = (1 - pair.total_variation) / 2
    if middle <= 0:
        return lambda x, alpha: np.zeros_like(alpha)
    rate = np.geomspace(min(_LEAST_RATE, middle / 2), middle, _VERTICES)
    fnr = np.asarray(pair.tradeoff(np.r_[0.0, rate]))
    q, p = np.diff(np.r_[0.0, rate]), np.maximum(-np.diff(fnr), 0.0)
    revealed = 1 - fnr[0]
    with np.errstate(divide="ignore"):
        log_base, loss = (np.log(p) + np.log(q)) / 2, np.maximum(np.log(p) - np.log(q), 0.0)

    def curve(x: float, alpha: Floats) -> Floats:
        likely, unlikely = log_base + x * loss / 2, log_base - x * loss / 2
        top = likely.max()
        masses = np.exp(np.r_[likely, unlikely[::-1]] - top)
        above_p = np.cumsum(np.r_[0.0, masses])
        above_q = np.cumsum(np.r_[0.0, masses[::-1]])
        share = (1 - revealed) / above_p[-1]
        reached = revealed + share * np.interp(alpha / share, above_q, above_p)
        return np.maximum(1 - reached, 0.0)

    return curve
