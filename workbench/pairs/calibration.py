"""Members of families that reach a target: (ε, δ), rounded to the safe side; total variation."""

from __future__ import annotations

import math

import numpy as np

from workbench import _checks
from workbench.curves.gdp import mu_from_profile
from workbench.pairs.accounting.dpsgd import DPSGDPair
from workbench.pairs.accounting.pld import AccountantError
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.pairs.families.registry import family_named

#: Relative accuracy of a noise multiplier.
_ACCURACY = 1e-6


def gaussian_mu_for(epsilon: float, delta: float) -> float:
    """The largest μ whose Gaussian pair is (ε, δ)-DP.

    Parameters
    ----------
    epsilon : float
        At least 0.
    delta : float
        In (0, 1); no Gaussian noise gives δ = 0.

    Raises
    ------
    ValueError
        An argument outside its range.

    References
    ----------
    Balle and Wang, Improving the Gaussian mechanism for differential privacy, 2018, Theorem 8.
    """
    epsilon, delta = _target(epsilon, delta)
    return float(mu_from_profile(delta, epsilon)) * (1 - 1e-12)


def gaussian_sigma_for(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The smallest standard deviation with which Gaussian noise gives (ε, δ)-DP.

    Parameters
    ----------
    epsilon, delta : float
        As for :func:`gaussian_mu_for`.
    sensitivity : float
        Largest change of what is released; above 0.

    Raises
    ------
    ValueError
        An argument outside its range.
    """
    return _checks.positive(sensitivity, "sensitivity") / gaussian_mu_for(epsilon, delta)


def pair_from_total_variation(
    total_variation: float,
    family: str | Family = "gaussian",
    *,
    q: float | None = None,
    delta: float | None = None,
) -> Pair:
    """The member of a family with a given total variation.

    Parameters
    ----------
    total_variation : float
        In [0, 1).
    family : {"gaussian", "laplace", "subsampled-gaussian", "randomized-response"} or Family
    q : float, optional
        The known sampling probability of "subsampled-gaussian".
    delta : float, optional
        δ of "randomized-response".

    Returns
    -------
    Pair
        Its ``epsilon(delta)``, ``mu``, ``sigma``, … are what the family implies.

    Raises
    ------
    ValueError
        A total variation that no member has, such as one of at least q; an unknown family, a
        missing or superfluous ``q``.

    Notes
    -----
    Guarantee: none of its own. Every quantity increases with the total variation, so that a lower
    bound on it gives lower bounds, an upper one upper bounds, and an estimate estimates: if the
    pair is of this family.

    References
    ----------
    Koskela and Mohammadi (2024), §7 and Fig. 14.

    Examples
    --------
    >>> pair = wb.pair_from_total_variation(0.2256, "subsampled-gaussian", q=0.25)
    >>> round(pair.sigma, 4), round(pair.epsilon(1e-5), 2)
    (0.3018, 16.52)
    """
    tv = _checks.number(total_variation, "total_variation")
    if not 0 <= tv < 1:
        raise ValueError(
            f"total_variation must be at least 0 and below 1, got {total_variation!r}; at 1 both "
            "sides never overlap, and ε is infinite"
        )
    of = family_named(family, delta=delta, q=q)
    parameter = of.parameter_of_total_variation(tv)
    if math.isinf(parameter):
        raise ValueError(
            f"total_variation={tv:g} is more than any pair has that is {of.name}; take a larger q "
            "or another family"
        )
    return of.pair(parameter)


def noise_multiplier_for(
    epsilon: float,
    delta: float,
    sample_rate: float,
    steps: int,
    neighboring_relation: str = "add-remove",
) -> float:
    """The smallest noise multiplier with which DP-SGD is (ε, δ)-DP.

    Parameters
    ----------
    epsilon : float
        At least 0.
    delta : float
        In (0, 1).
    sample_rate, steps, neighboring_relation
        As for `DPSGDPair`.

    Returns
    -------
    float
        At most about 1e-6 of itself, and the accountant's error bar, too large: the upper limit of
        δ(ε) is at most ``delta``.

    Raises
    ------
    ValueError
        An argument outside its range, or a target beyond the accountant's resolution.
    """
    from scipy.optimize import brentq

    epsilon, delta = _target(epsilon, delta)
    mu = gaussian_mu_for(epsilon, delta)
    trial = DPSGDPair(1.0, sample_rate, steps, neighboring_relation)
    rate, steps = trial.sample_rate, trial.steps
    if rate == 1:
        distance = 1 if neighboring_relation == "add-remove" else 2
        return distance * math.sqrt(steps) / mu * (1 + 1e-12)

    def excess(log_sigma: float) -> float:
        """Log δ(ε) over the target; falls as the noise grows."""
        pair = DPSGDPair(math.exp(log_sigma), rate, steps, neighboring_relation)
        try:
            log_delta = float(pair.log_profile(epsilon))
        except AccountantError:  # noise so small that nothing is private
            return -math.log(delta)
        # brentq wants numbers; so little is far below any target.
        return max(log_delta, -800.0) - math.log(delta)

    low = high = _central_limit_guess(trial, mu)
    for _ in range(200):
        if excess(high) <= 0:
            break
        low, high = high, high + 0.25
    else:
        raise ValueError(
            f"no noise multiplier reaches δ = {delta:g}, which is below what {steps} steps resolve"
            "; ask for a larger δ"
        )
    while excess(low) <= 0:
        low, high = low - 0.25, low
    root = float(brentq(excess, low, high, xtol=_ACCURACY / 4))
    # The error bar makes δ jump a little from grid to grid.
    while excess(root) > 0:
        root += _ACCURACY / 2
    return math.exp(root)


def _central_limit_guess(pair: DPSGDPair, mu: float) -> float:
    """Log of the noise multiplier at which the central limit has this μ."""
    ratio = (mu / pair.sample_rate) ** 2 / pair.steps
    inverse = (
        np.log1p(ratio) if pair.neighboring_relation == "add-remove" else np.arcsinh(ratio / 4)
    )
    return -math.log(inverse) / 2


def _target(epsilon: float, delta: float) -> tuple[float, float]:
    epsilon = _checks.number(epsilon, "epsilon")
    if epsilon < 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon!r}; 0 is perfect privacy")
    return epsilon, _checks.open_unit(delta, "delta", "no Gaussian noise gives δ = 0")
