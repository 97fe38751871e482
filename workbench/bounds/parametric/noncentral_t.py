"""Exact limits for a standardized mean difference, by the noncentral t distribution.

For scores of N(m₁, s²) and N(m₂, s²), with s estimated from both sides on ν = n_p + n_q − 2 degrees
of freedom, T = (x̄ − ȳ)/(ŝ √(1/n_p + 1/n_q)) is noncentral t with noncentrality
λ = (m₁ − m₂)/s · √(n_p n_q/(n_p + n_q)). |T| is stochastically increasing in |λ|, so inverting its
distribution function gives limits for |λ| whose level is exact, whatever the sign of λ.
"""

from __future__ import annotations

import math

from scipy.special import gammainccinv, gammaincinv, ncfdtr, ndtri

#: Beyond this |T| scipy's series fail; there the normal numerator hardly matters.
LARGEST_T = 1e4

#: Share of the error probability that the numerator takes there.
_NUMERATOR_SHARE = 1e-3

#: Relative error of the distribution function and of the root, with room.
_ROUND_OFF = 1e-8


def noncentrality_limits(t: float, degrees: int, error: float) -> tuple[float, float]:
    """Lower and upper limit for |λ|; see `noncentrality_limit`."""
    return noncentrality_limit(t, degrees, error, "lower"), noncentrality_limit(
        t, degrees, error, "upper"
    )


def noncentrality_limit(t: float, degrees: int, error: float, side: str) -> float:
    """Limit for |λ| after observing T = ``t``.

    Parameters
    ----------
    t : float
        Finite.
    degrees : int
        Degrees of freedom, at least 1.
    error : float
        Probability with which the limit is wrong: exactly so where it is not 0.
    side : {"lower", "upper"}

    Returns
    -------
    float
        0 where |T| is too small to exclude λ = 0, rounded outwards otherwise.

    References
    ----------
    Johnson & Welch, "Applications of the Non-Central t-Distribution", Biometrika 31 (1940).
    """
    from scipy.optimize import brentq

    t = abs(t)
    # T = (λ + Z)/S with S² = χ²_ν/ν: |T| ≥ t needs S ≤ (λ + |Z|)/t.
    normal = -float(ndtri(error * _NUMERATOR_SHARE / 2))
    share = error * (1 - _NUMERATOR_SHARE)
    least_s = math.sqrt(2 * gammaincinv(degrees / 2, share) / degrees)
    largest_s = math.sqrt(2 * gammainccinv(degrees / 2, share) / degrees)
    highest = t * largest_s + normal
    if t > LARGEST_T:
        return max(t * least_s - normal, 0.0) if side == "lower" else highest

    def below(noncentrality: float) -> float:
        """P(|T| ≤ t)."""
        return float(ncfdtr(1, degrees, noncentrality**2, t * t))

    level, outwards = (1 - error, 1 - _ROUND_OFF) if side == "lower" else (error, 1 + _ROUND_OFF)
    if below(0.0) <= level:
        return 0.0
    root = float(brentq(lambda x: below(x) - level, 0.0, highest, rtol=1e-12))
    return root * outwards
