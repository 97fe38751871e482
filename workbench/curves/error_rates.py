"""Smallest ε and μ that are compatible with one pair of error rates.

A test with false positive rate α and false negative rate β shows that the mechanism is neither
(ε, δ)-DP below a certain ε nor μ-GDP below a certain μ. With upper confidence limits in place of
α and β these become lower confidence bounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from workbench.curves.validation import Values, deltas, rates, shaped


def epsilon_of_point(alpha: ArrayLike, beta: ArrayLike, delta: ArrayLike) -> Values:
    """The smallest ε for which the error rates (α, β) are compatible with (ε, δ)-DP.

    It is max{0, log((1−δ−β)/α), log((1−δ−α)/β)}.

    Parameters
    ----------
    alpha, beta : array_like
        False positive and false negative rate, in [0, 1].
    delta : array_like
        In [0, 1). The three are broadcast.

    Returns
    -------
    float or ndarray
        At least 0, ``inf`` where no finite ε is compatible, never NaN. It is 0 wherever
        α + β ≥ 1 − δ: a point above the diagonal shows nothing (its complement event might).

    Raises
    ------
    ValueError
        A rate outside [0, 1] or a δ outside [0, 1).

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The composition theorem for differential privacy", ICML
    2015 (the privacy region of a mechanism).

    Examples
    --------
    >>> from workbench.curves.error_rates import epsilon_of_point
    >>> round(epsilon_of_point(0.1, 0.2, delta=1e-5), 3)
    2.079
    """
    a, b, d = np.broadcast_arrays(rates(alpha, "alpha"), rates(beta, "beta"), deltas(delta))
    # (1−δ−β)/α = 1 + surplus/α and (1−δ−α)/β = 1 + surplus/β: the smaller rate gives the larger ε.
    surplus = (1 - np.maximum(a, b)) - d - np.minimum(a, b)
    smaller = np.minimum(a, b)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        ratio = surplus / smaller
        epsilon = np.where(np.isfinite(ratio), np.log1p(ratio), np.log(surplus) - np.log(smaller))
    return shaped(np.where(surplus > 0, epsilon, 0.0))


def mu_of_point(alpha: ArrayLike, beta: ArrayLike) -> Values:
    """The smallest μ for which the error rates (α, β) are compatible with μ-GDP.

    It is max{0, Φ⁻¹(1−α) − Φ⁻¹(β)}.

    Parameters
    ----------
    alpha, beta : array_like
        False positive and false negative rate, in [0, 1]; broadcast.

    Returns
    -------
    float or ndarray
        At least 0, ``inf`` where one rate is 0 and the other below 1, never NaN. It is 0 wherever
        α + β ≥ 1.

    Raises
    ------
    ValueError
        A rate outside [0, 1].

    References
    ----------
    J. Dong, A. Roth and W. J. Su, "Gaussian differential privacy", JRSS B 84 (2022), §2.3.
    """
    a, b = np.broadcast_arrays(rates(alpha, "alpha"), rates(beta, "beta"))
    with np.errstate(invalid="ignore"):
        mu = -ndtri(a) - ndtri(b)
    return shaped(np.where(a + b < 1, np.maximum(mu, 0.0), 0.0))
