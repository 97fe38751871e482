"""Exact trade-off function of bounds on Rényi divergences.

By data processing, two coins leave as much room as any pair of distributions, so everything here
concerns coins of probability 1 − β under P and α under Q: the error rates of an event.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from workbench._roots import turning_point
from workbench.curves.validation import Floats, quiet, rates

#: The smallest log of a false negative rate that a float can hold.
_LEAST_LOG = -745.0

#: Halvings of an interval; more than a float resolves.
_HALVINGS = 64

#: Points of a grid that is narrowed to the cells around its least value, and how often.
_POINTS, _NARROWINGS = 33, 10

#: Round-off of a divergence, relative and absolute, given to the claim.
_ROUND_OFF, _LEAST_ROUND_OFF = 1e-12, 1e-14


@quiet()
def renyi_tradeoff(order: float, epsilon: float, alpha: Floats) -> Floats:
    """Smallest false negative rate under R_a(P‖Q) ≤ ε and R_a(Q‖P) ≤ ε.

    Parameters
    ----------
    order, epsilon : float
        a above 1, ε at least 0; checked by the claim.
    alpha : ndarray
        False positive rates in [0, 1].

    Returns
    -------
    ndarray, the shape of ``alpha``
        Rounded down, so that round-off refutes nothing.

    Notes
    -----
    A test maps the pair to two Bernoulli distributions, whose divergences are no larger (data
    processing): with d(x‖y) = x^a y^{1−a} + (1−x)^a (1−y)^{1−a}, d(1−β‖α) and d(α‖1−β) are at most
    e^{(a−1)ε}. Two Bernoulli distributions attain every (α, β) that satisfies both, so the function
    is as large as possible. The conversion through δ(ε) is weaker, most so at small orders.

    References
    ----------
    B. Balle et al., "Hypothesis testing interpretations and Rényi differential privacy", AISTATS
    2020, arXiv:1905.09982.
    """
    budget = epsilon * (1 + _ROUND_OFF) + _LEAST_ROUND_OFF
    inner = (alpha > 0) & (alpha < 1)
    x = np.where(inner, alpha, 0.5)
    log_fpr, log_tnr = np.log(x), np.log1p(-x)

    def allowed(log_fnr: Floats) -> np.ndarray:
        log_tpr = np.log(-np.expm1(log_fnr))
        return _larger(order, log_tpr, log_fnr, log_fpr, log_tnr) <= budget

    # Both divergences fall as β grows to 1 − α, where the coins are equal.
    low, _ = turning_point(allowed, np.full(x.shape, _LEAST_LOG), log_tnr, _HALVINGS)
    fnr = np.where(low > _LEAST_LOG, np.exp(low), 0.0)
    return np.where(inner, fnr, 1.0 - alpha)


def renyi_of_rates(order: Any, alpha: Any, beta: Any) -> Any:
    """The Rényi divergence that error rates witness, the larger of both directions.

    Parameters
    ----------
    order : float or ndarray
        Above 1.
    alpha, beta : float or ndarray
        False positive and false negative rate of an event, in [0, 1].

    Returns
    -------
    float or ndarray, of their common shape
        0 where α + β ≥ 1; rounded down, so that nothing is refuted by round-off.
    """
    alpha, beta = np.broadcast_arrays(rates(alpha, "alpha"), rates(beta, "beta"))
    inside = alpha + beta < 1
    values = _coins(order, np.where(inside, alpha, 0.5), np.where(inside, beta, 0.5))
    found = np.where(inside, _rounded_down(values), 0.0)
    return found if found.ndim else float(found)


def least_renyi_divergence(orders: Sequence[float], delta: float, epsilon: float) -> Floats:
    """The least Rényi divergences of a pair whose hockey-stick divergence at ε is δ.

    Two coins attain each: x = δ + e^ε y, and y that which makes it least. The moments are convex in
    (x, y), so the divergence has one valley along y.

    Parameters
    ----------
    orders : sequence of float, length n
        Above 1.
    delta : float
        At most 1; at most 0 shows nothing.
    epsilon : float
        At least 0.

    Returns
    -------
    ndarray, shape (n,)
        Rounded down; ``inf`` for δ = 1.
    """
    a = np.asarray(orders, dtype=float)
    if delta <= 0:
        return np.zeros(a.shape)
    if delta >= 1:
        return np.full(a.shape, math.inf)
    top = math.log1p(-delta) - epsilon
    # In log y, in which the valley is still one.
    low, high = np.full(a.shape, top - 745.0), np.full(a.shape, top)
    least, row = np.full(a.shape, math.inf), np.arange(a.size)
    for _ in range(_NARROWINGS):
        log_y = np.linspace(low, high, _POINTS, axis=-1)
        beta = np.maximum((1 - delta) - np.exp(log_y + epsilon), 0.0)
        values = _coins(a[:, None], np.exp(log_y), beta)
        best = np.argmin(values, axis=-1)
        least = np.minimum(least, values[row, best])
        low = log_y[row, np.maximum(best - 1, 0)]
        high = log_y[row, np.minimum(best + 1, _POINTS - 1)]
    return _rounded_down(least)


@lru_cache(maxsize=256)
def most_delta(orders: tuple[float, ...], budgets: tuple[float, ...], epsilon: float) -> float:
    """The largest δ at ε whose least Rényi divergences are within their budgets.

    Parameters
    ----------
    orders, budgets : tuple of float
        R_a(P‖Q) and R_a(Q‖P) are at most the budget of the order a.
    epsilon : float
        At least 0.
    """
    most = np.asarray(budgets)
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if (least_renyi_divergence(orders, middle, epsilon) <= most).all():
            low = middle
        else:
            high = middle
    return high


@quiet()
def _coins(order: Any, alpha: Floats, beta: Floats) -> Floats:
    """The larger Rényi divergence of two coins, of probabilities 1 − β and α with α + β ≤ 1."""
    return _larger(order, np.log1p(-beta), np.log(beta), np.log(alpha), np.log1p(-alpha))


def _larger(a: Any, log_tpr: Floats, log_fnr: Floats, log_fpr: Floats, log_tnr: Floats) -> Floats:
    """The larger Rényi divergence of two coins, from the logs of their probabilities."""
    forward = _divergence(a, log_tpr, log_fnr, log_fpr, log_tnr)
    mirrored = _divergence(a, log_fpr, log_tnr, log_tpr, log_fnr)
    return np.maximum(np.maximum(forward, mirrored), 0.0)


@quiet()
def _divergence(
    a: Any, log_p: Floats, log_rest_p: Floats, log_q: Floats, log_rest_q: Floats
) -> Floats:
    """R_a of a coin against another one, accurate for orders near 1 too."""
    first, second = (_loss(*logs) for logs in ((log_p, log_q), (log_rest_p, log_rest_q)))
    b = a - 1
    moment = np.logaddexp(log_p + b * first, log_rest_p + b * second)
    # E[e^{b·loss}] = 1 + E[e^{b·loss} − 1], where the sum of the two logs would cancel.
    excess = np.exp(log_p) * np.expm1(b * first) + np.exp(log_rest_p) * np.expm1(b * second)
    near = b * np.maximum(np.abs(first), np.abs(second)) < 0.5
    return np.where(near, np.log1p(np.where(near, excess, 0.0)), moment) / b


def _loss(log_p: Floats, log_q: Floats) -> Floats:
    """Log of p/q; 0 where neither coin falls that way."""
    return np.where((log_p == -np.inf) & (log_q == -np.inf), 0.0, log_p - log_q)


def _rounded_down(divergence: Floats) -> Floats:
    return np.maximum(divergence * (1 - _ROUND_OFF) - _LEAST_ROUND_OFF, 0.0)
