"""Rényi bounds of a selection, for a monotone score and for any score.

For a monotone score: the Rényi divergence of the two densities G'(F) f of the release, for the base
N(0,1) against N(μ,1) (Xiang, Wang and Wang 2024, Algorithm 3). For any score: from the base's Rényi
divergence alone (Papernot and Steinke 2022). Both become (ε, δ) by the same conversion.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import log_ndtr

from workbench import _checks
from workbench.curves.validation import Floats, quiet
from workbench.selection.runs import NegativeBinomial, Poisson, RunCount, require_runs

#: Orders from 1.01 to 400, between which further ones are tried: any set gives a valid bound.
ORDERS = tuple(1 + np.geomspace(0.01, 399, 160))

#: Further orders between the neighbors of the best one, and how often they are placed again.
_BETWEEN, _REFINED = 15, 3

#: Grid of the quadrature: steps near the middle, how much longer they are far out, and where.
_STEP, _STRETCH, _MIDDLE = 0.02, 14.0, 16.0
_CONVERGED = 1e-9
_EVERY = 6
#: Numbers of the quadrature on either side of the middle.
_MOST = 10**7


class NoBoundError(ValueError):
    """A bound that is not defined for these run counts; the message says why."""


@quiet()
def epsilon_from_renyi(orders: Floats, divergence: Floats, delta: float) -> tuple[float, float]:
    """The smallest ε over the orders, and the order that attains it.

    ε = γ + log((a−1)/a) − (log δ + log a)/(a−1) (Balle et al. 2020, Theorem 21); 0 where
    δ ≥ √(1 − e^−γ), which a total variation distance cannot exceed (Bretagnolle and Huber).

    Parameters
    ----------
    orders, divergence : ndarray, shape (n,)
    delta : float
        In [0, 1).
    """
    epsilon = divergence + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1)
    epsilon = np.where(delta**2 >= -np.expm1(-divergence), 0.0, np.maximum(epsilon, 0.0))
    best = int(np.argmin(epsilon))
    return float(epsilon[best]), float(orders[best])


# -- monotone score -------------------------------------------------------------------------------


def monotone_epsilon(
    runs: RunCount, mu: float, delta: float, orders: Floats | None = None
) -> tuple[float, float]:
    """The bound of Xiang, Wang and Wang (2024) and the order that attains it.

    Parameters
    ----------
    runs : RunCount
    mu, delta : float
    orders : ndarray, optional
        Ascending, above 1. By default `ORDERS`, and further ones around the best.

    Notes
    -----
    Every sixth order is tried, then those around the best: ε has one valley along them, with an
    edge at the order where the two directions exchange. The divergence of the best is computed
    again on ever finer grids until it stays the same.
    """

    def best_of(some: Floats, step: float = _STEP) -> tuple[float, float]:
        return epsilon_from_renyi(some, monotone_divergence(runs, mu, some, step), delta)

    known = np.array(ORDERS) if orders is None else orders
    tried = known[:: _EVERY if known.size > 2 * _EVERY else 1]
    _, best = best_of(tried)
    place = int(np.argmin(np.abs(known - best)))
    value, best = best_of(near := known[max(place - _EVERY, 0) : place + _EVERY + 1])
    for _ in range(0 if orders is not None or not np.isfinite(value) else _REFINED):
        near = _around(near, best)
        value, best = best_of(near)
    step = _STEP
    while np.isfinite(value) and step > _STEP / 200:
        step /= 2
        finer, _ = best_of(np.array([best]), step)
        if abs(finer - value) <= _CONVERGED * max(1.0, value):
            return max(finer, value), best
        value = finer
    return value, best


def _around(orders: Floats, best: float) -> Floats:
    """The best order, its neighbors, and orders between them."""
    place = int(np.argmin(np.abs(orders - best)))
    low, high = orders[max(place - 1, 0)], orders[min(place + 1, orders.size - 1)]
    between = 1 + np.geomspace(low - 1, high - 1, _BETWEEN)
    return np.unique(np.r_[low, best, high, between])


@quiet()
def monotone_divergence(runs: RunCount, mu: float, orders: Floats, step: float = _STEP) -> Floats:
    """The larger of the two Rényi divergences between the releases, for a monotone score.

    Parameters
    ----------
    runs : RunCount
    mu : float
        The base is N(0,1) against N(μ,1).
    orders : ndarray, shape (n,)
        Above 1.
    step : float
        Of the quadrature, in the middle.

    Returns
    -------
    ndarray, shape (n,)

    Raises
    ------
    ValueError
        Orders so high, or μ so large, that the grid does not fit into memory.

    Notes
    -----
    log ∫ p^a q^(1−a) by the trapezoidal rule on a smoothly stretched grid, which converges faster
    than any power of the step. At order a the mass sits up to aμ away from the middle, where p and
    q themselves are far below the smallest float: everything stays in logs.

    References
    ----------
    Xiang, Wang and Wang (2024), Algorithm 3.
    """
    # x(u) = u in the middle; beyond, steps are longer, as nothing there is narrower than 1.
    reach = (_MIDDLE + mu + 40 + float(orders.max()) * mu) / (1 + _STRETCH) + _MIDDLE + mu
    if orders.size * reach / step > _MOST:
        raise ValueError(
            f"orders must be lower for mu = {mu:g}: the divergence at {orders.max():g} takes more "
            "numbers than there is memory for. Leave out the highest orders"
        )
    u = np.arange(-reach, reach + step, step)
    right, left = u - _MIDDLE - mu, -u - _MIDDLE
    x = u + _STRETCH * (np.logaddexp(0, right) - np.logaddexp(0, left))
    log_weight = np.log(step) + np.log1p(_STRETCH * (_sigmoid(right) + _sigmoid(left)))
    log_p, log_q = (
        runs._log_derivative(log_ndtr(y)) - y * y / 2 - math.log(2 * math.pi) / 2
        for y in (x - mu, x)
    )
    nothing = np.log(runs.nothing)
    divergences = []
    for gain, cost in ((log_p, log_q), (log_q, log_p)):
        # Where the density of both vanishes, so does the integrand.
        excess = np.where(gain > -np.inf, gain - cost, 0.0)
        exponent = log_weight + gain + np.multiply.outer(orders - 1, excess)
        peak = exponent.max(axis=1)
        total = peak + np.log(np.exp(exponent - peak[:, None]).sum(axis=1))
        divergences.append(np.logaddexp(total, nothing) / (orders - 1))
    return np.maximum(np.maximum(*divergences), 0.0)


def _sigmoid(x: Floats) -> Floats:
    return np.exp(-np.logaddexp(0, -x))


# -- any score ------------------------------------------------------------------------------------


def generic_refusal(runs: RunCount) -> str | None:
    """Why these run counts have no generic bound, or None where there is one.

    That of composition, ``epsilon(..., bound="composition")``, needs no such run counts.
    """
    if isinstance(require_runs(runs), NegativeBinomial):
        return None
    if isinstance(runs, Poisson):
        if runs.mean >= 1:
            return None
        return (
            "the generic bound for Poisson run counts needs a mean of at least 1 (Papernot and "
            "Steinke 2022, Theorem 6)"
        )
    return (
        "the generic bound of Papernot and Steinke (2022) is for the truncated negative binomial "
        "and the Poisson distribution of run counts"
    )


def generic_divergence(runs: RunCount, orders: Floats, base: Floats) -> Floats:
    """Rényi divergences of a selection by any score, from those of one run.

    Papernot and Steinke (2022).

    Truncated negative binomial (Theorem 2), for any order λ̂ of the base::

        γ'(λ) = γ(λ) + (1+η)((1 − 1/λ̂) γ(λ̂) + log(1/ν)/λ̂) + log(mean)/(λ−1)

    Poisson (Theorem 6), with δ̂ the δ of one run at ε̂ = log(1 + 1/(λ−1))::

        γ'(λ) = γ(λ) + mean·δ̂ + log(mean)/(λ−1)

    Parameters
    ----------
    runs : RunCount
    orders, base : ndarray, shape (n,)
        Orders above 1, increasing, and the base's divergences there.

    Returns
    -------
    ndarray, shape (n,)

    Raises
    ------
    NoBoundError
        For other run counts.
    """
    refusal = generic_refusal(runs)
    if refusal:
        raise NoBoundError(
            f"{refusal}; got {runs.name}. For these, bound='composition' holds for any score"
        )
    more = base + math.log(runs.mean) / (orders - 1)
    if isinstance(runs, NegativeBinomial):
        out = more + (1 + runs.eta) * _second_term(runs, orders, base).min()
    else:
        out = more + runs.mean * _delta_from_renyi(orders, base, np.log1p(1 / (orders - 1)))
    # A divergence grows with its order, so that a higher one bounds the lower ones.
    return np.minimum.accumulate(out[::-1])[::-1]


def _second_term(runs: NegativeBinomial, orders: Floats, base: Floats) -> Floats:
    """What is added (1+η) times, at each order λ̂."""
    return (1 - 1 / orders) * base - math.log(runs.nu) / orders


def generic_epsilon(
    runs: RunCount,
    base: Callable[[Floats], Floats],
    delta: float,
    orders: Floats | None = None,
) -> tuple[float, float]:
    """The bound of Papernot and Steinke (2022) and the order that attains it.

    Parameters
    ----------
    runs : RunCount
    base : callable
        Orders -> the base's divergences.
    delta : float
    orders : ndarray, optional
        Ascending, above 1. By default `ORDERS`, and further ones around the best.

    Raises
    ------
    NoBoundError
        For other run counts than theirs.
    """
    known = np.array(ORDERS) if orders is None else orders
    divergence = base(known)
    value, best = epsilon_from_renyi(known, generic_divergence(runs, known, divergence), delta)
    if orders is None and np.isfinite(value):
        more = _around(known, best)
        if isinstance(runs, NegativeBinomial):
            second = known[int(np.argmin(_second_term(runs, known, divergence)))]
            more = np.union1d(more, _around(known, second))
        known, places = np.unique(np.r_[known, more], return_index=True)
        divergence = np.r_[divergence, base(more)][places]
        finer = epsilon_from_renyi(known, generic_divergence(runs, known, divergence), delta)
        value, best = min((value, best), finer)
    return value, best


@quiet()
def _delta_from_renyi(orders: Floats, divergence: Floats, epsilon: Floats) -> Floats:
    """The smallest δ at each ε; the conversion of `epsilon_from_renyi` solved for δ."""
    tilted = divergence + np.log1p(-1 / orders) - epsilon[:, None]
    log_delta = (orders - 1) * tilted - np.log(orders)
    by_total_variation = np.sqrt(-np.expm1(-divergence)).min()
    return np.minimum(np.exp(log_delta.min(axis=1)), by_total_variation)


def generic_pure_epsilon(runs: RunCount, epsilon: float) -> float:
    """The ε of a selection by any score from an ε-DP base: (2 + η)ε.

    Parameters
    ----------
    runs : NegativeBinomial
        η = 1, the geometric distribution, gives Liu and Talwar's 3ε.
    epsilon : float
        Of the base.

    Raises
    ------
    NoBoundError
        For other run counts.

    References
    ----------
    Papernot and Steinke (2022), Corollary 3; Liu and Talwar (2019).
    """
    require_runs(runs)
    if not isinstance(runs, NegativeBinomial):
        raise NoBoundError(
            f"pure differential privacy of a selection by any score is known for truncated "
            f"negative binomial run counts only (Papernot and Steinke 2022, Corollary 3); got "
            f"{runs.name}"
        )
    return (2 + runs.eta) * _checks.non_negative(epsilon, "epsilon")
