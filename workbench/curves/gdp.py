"""Gaussian differential privacy: profile and trade-off function of N(μ,1) against N(0,1).

With x = ε/μ − μ/2, y = ε/μ + μ/2 and the Mills ratio M(t) = Φ(−t)/φ(t), e^ε φ(y) = φ(x) turns the
privacy profile into a product without cancellation of tiny numbers::

    δ(ε) = Φ(−x) − e^ε Φ(−y) = φ(x) (M(x) − M(y))

log δ is concave in ε (the hazard rate 1/M has a slope below 1) and in μ (M and −M' decrease), so
Newton's method from the side where it cannot overshoot inverts it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, erfinv, log_ndtr, ndtr, ndtri

from workbench.curves.newton import newton
from workbench.curves.validation import (
    Floats,
    Values,
    deltas,
    finite,
    non_negative,
    quiet,
    rates,
    reals,
    shaped,
)

_LOG_SQRT_2PI = math.log(2 * math.pi) / 2

# μ² must not overflow; nothing is private long before.
_LARGEST_MU = 1e100


def distances(mu: ArrayLike) -> Floats:
    """``mu`` as floats in [0, 1e100] (ValueError otherwise)."""
    x = non_negative(mu, "mu", "exchange P and Q if P lies below")
    if (x > _LARGEST_MU).any():
        raise ValueError(f"mu must be at most {_LARGEST_MU:g}, got {x.max():g}; give Δ/σ")
    return x


def gaussian_log_profile(mu: ArrayLike, epsilon: ArrayLike) -> Values:
    """Log of the privacy profile, log(Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)).

    Parameters
    ----------
    mu : array_like
        At least 0; at 0 the pair is indistinguishable.
    epsilon : array_like
        Any real, ±∞ included; broadcast with ``mu``.

    Returns
    -------
    float or ndarray
        log δ, relative error of δ below 1e-10 as long as log δ itself resolves it; −inf where δ
        is 0.

    Raises
    ------
    ValueError
        A μ outside [0, 1e100], a NaN.

    References
    ----------
    B. Balle and Y.-X. Wang, "Improving the Gaussian mechanism for differential privacy", ICML 2018,
    Theorem 8.
    """
    return shaped(_log_profile(distances(mu), reals(epsilon, "epsilon")))


def gaussian_tradeoff(mu: ArrayLike, alpha: ArrayLike) -> Values:
    """Smallest false negative rate of a Gaussian pair, G_μ(α) = Φ(Φ⁻¹(1−α) − μ).

    Parameters
    ----------
    mu : array_like
        At least 0.
    alpha : array_like
        False positive rate in [0, 1]; broadcast with ``mu``.

    Returns
    -------
    float or ndarray

    Raises
    ------
    ValueError
        An argument outside its range.

    References
    ----------
    J. Dong, A. Roth and W. J. Su, "Gaussian differential privacy", JRSS B 84 (2022), §2.3.
    """
    mu = distances(mu)
    return shaped(ndtr(-ndtri(rates(alpha, "alpha")) - mu))


def mu_from_total_variation(tv: ArrayLike) -> Values:
    """μ of the Gaussian pair with a given total variation, 2Φ⁻¹((1+TV)/2).

    Parameters
    ----------
    tv : array_like
        In [0, 1]; 1 gives ``inf``.

    Returns
    -------
    float or ndarray

    Raises
    ------
    ValueError
        A total variation outside [0, 1].
    """
    return shaped(2 * math.sqrt(2) * erfinv(rates(tv, "tv")))


def epsilon_from_mu(mu: ArrayLike, delta: ArrayLike) -> Values:
    """Smallest ε ≥ 0 at which μ-GDP implies (ε, δ)-DP.

    Parameters
    ----------
    mu : array_like
        At least 0.
    delta : array_like
        In [0, 1), down to 1e-300 and below; broadcast with ``mu``.

    Returns
    -------
    float or ndarray
        ``inf`` at δ = 0 unless μ = 0.

    Raises
    ------
    ValueError
        An argument outside its range.
    """
    mu, delta = np.broadcast_arrays(distances(mu), deltas(delta))
    epsilon = np.where((delta == 0) & (mu > 0), np.inf, 0.0)
    inner = (delta > 0) & (_log_profile(mu, np.zeros_like(mu)) > _log(delta))
    m, log_delta = mu[inner], np.log(delta[inner])
    # δ ≤ Φ(−x), so the root is at most the ε at which Φ(−x) = δ; concavity keeps Newton above it.
    highest = m * (m / 2 - ndtri(delta[inner]))

    @quiet()
    def step(e: Floats) -> Floats:
        log_h = _log_profile(m, e)
        return (log_h - log_delta) * np.exp(log_h - e - log_ndtr(-e / m - m / 2))

    epsilon[inner] = newton(step, highest, 0.0, highest)
    return shaped(epsilon)


def mu_from_profile(delta: ArrayLike, epsilon: ArrayLike) -> Values:
    """μ of the Gaussian pair whose hockey-stick divergence at ε is δ.

    Parameters
    ----------
    delta : array_like
        A hockey-stick divergence at ``epsilon``, in [0, 1].
    epsilon : array_like
        Any finite real; broadcast with ``delta``.

    Returns
    -------
    float or ndarray
        0 where δ is at most max{0, 1 − e^ε}, the value of identical distributions; ``inf`` at
        δ = 1.

    Raises
    ------
    ValueError
        A δ outside [0, 1] or an ε that is not finite.
    """
    d, e = np.broadcast_arrays(rates(delta, "delta"), finite(epsilon, "epsilon"))
    # H(−ε) = 1 − e^−ε + e^−ε H(ε) takes negative ε to positive.
    with quiet():
        d = np.where(e < 0, -np.expm1(np.log1p(-d) - e), d)
    mu = np.where(d == 1, np.inf, 0.0)
    inner = (d > 0) & (d < 1)
    d, e = d[inner], np.abs(e[inner])
    log_delta = np.log(d)
    # δ ≤ Φ(−x) and δ ≤ TV bound the root below; concavity keeps Newton below it.
    reach = -ndtri(d)
    root = np.sqrt(reach**2 + 2 * e)
    with quiet():
        lowest = np.where(reach > 0, 2 * e / (reach + root), root - reach)
    lowest = np.maximum(lowest, mu_from_total_variation(d))

    @quiet()
    def step(m: Floats) -> Floats:
        log_h = _log_profile(m, e)
        return (log_delta - log_h) * np.exp(log_h - _log_density(e / m - m / 2))

    mu[inner] = newton(step, lowest, lowest, np.inf)
    return shaped(mu)


def _log_profile(mu: Floats, epsilon: Floats) -> Floats:
    """Log δ for arrays that were checked."""
    size = np.abs(epsilon)
    above = _log_profile_above(mu, size)
    if (epsilon >= 0).all():
        return above
    # H(−ε) = 1 − e^−ε + e^−ε H(ε), every term positive.
    with quiet():
        below = np.logaddexp(np.log(-np.expm1(-size)), above - size)
    return np.where(epsilon >= 0, above, below)


@quiet()
def _log_profile_above(mu: Floats, epsilon: Floats) -> Floats:
    """Log δ for ε ≥ 0."""
    middle = epsilon / mu
    x, y = middle - mu / 2, middle + mu / 2
    log_density = _log_density(x)
    # Where M(x) − M(y) would cancel, the midpoint rule is as accurate: both lose at most 1e-11.
    close = mu <= 1e-5 * np.maximum(1.0, middle)
    gap = np.where(close, mu * _mills_decline(middle), _mills(x) - _mills(y))
    tail = log_density + np.log(gap)
    log_p = log_ndtr(-x)
    head = log_p + np.log1p(-np.exp(log_density + np.log(_mills(y)) - log_p))
    result: Floats = np.where(mu == 0, -np.inf, np.where(close | (x >= 0), tail, head))
    return result


def _log_density(x: Floats) -> Floats:
    return -x * x / 2 - _LOG_SQRT_2PI


def _log(x: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(x)


def _mills(t: Floats) -> Floats:
    """M(t) = Φ(−t)/φ(t)."""
    result: Floats = math.sqrt(math.pi / 2) * erfcx(t / math.sqrt(2))
    return result


def _mills_decline(t: Floats) -> Floats:
    """−M'(t) = 1 − t M(t) for t ≥ 0; its asymptotic series where the difference cancels."""
    s = 1 / (t * t)
    return np.where(t < 100, 1 - t * _mills(t), s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s))))
