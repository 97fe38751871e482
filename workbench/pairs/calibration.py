"""Noise and members of families that reach a target, rounded to the safe side.

A target is (ε, δ), the success of an attacker at a baseline, an advantage, or a total variation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

from workbench import _checks
from workbench.curves.gdp import mu_from_profile, mu_from_total_variation
from workbench.pairs.accounting.dpsgd import DPSGDPair
from workbench.pairs.accounting.pld import AccountantError
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.pairs.families.registry import family_named
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.risks.success import MOST_RECORDS, success, upper_success

#: Relative accuracy of a noise multiplier.
_ACCURACY = 1e-6

#: Relative round-off of closed forms.
_ROUND_OFF = 1e-12


def gaussian_mu_for(
    epsilon: float | None = None,
    delta: float | None = None,
    *,
    risk: float | None = None,
    baseline: float | None = None,
    advantage: float | None = None,
    group: int = 1,
) -> float:
    """The largest μ whose Gaussian pair is (ε, δ)-DP, or keeps a risk.

    Parameters
    ----------
    epsilon : float, optional
        At least 0; together with ``delta``.
    delta : float, optional
        In (0, 1); no Gaussian noise gives δ = 0.
    risk : float, optional
        Instead of ε and δ: the largest success of an attacker whose chance without the release is
        ``baseline``, as of `workbench.risk`.
    baseline : float, optional
        Below ``risk``.
    advantage : float, optional
        Instead of both: the largest difference of success and baseline, over all baselines.
    group : int
        Records that are in or out together, of a risk or an advantage.

    Raises
    ------
    ValueError
        An argument outside its range; none of the three targets, or two.

    References
    ----------
    Balle and Wang, Improving the Gaussian mechanism for differential privacy, 2018, Theorem 8, for
    (ε, δ). Dong, Roth and Su, Gaussian differential privacy, 2022, Section 2.3, for a risk:
    Φ⁻¹(risk) − Φ⁻¹(baseline).
    """
    return _target(epsilon, delta, risk, baseline, advantage, group).mu_of(GaussianPair)


def gaussian_sigma_for(
    epsilon: float | None = None,
    delta: float | None = None,
    sensitivity: float = 1.0,
    *,
    risk: float | None = None,
    baseline: float | None = None,
    advantage: float | None = None,
    group: int = 1,
) -> float:
    """The smallest standard deviation with which Gaussian noise is (ε, δ)-DP, or keeps a risk.

    Parameters
    ----------
    epsilon, delta, risk, baseline, advantage, group
        As for :func:`gaussian_mu_for`.
    sensitivity : float
        Largest change of what is released; above 0.

    Raises
    ------
    ValueError
        An argument outside its range; none of the three targets, or two.

    Examples
    --------
    >>> sigma = wb.gaussian_sigma_for(risk=0.1, baseline=0.01)
    >>> round(sigma, 3), wb.risk(wb.GaussianPair(1 / sigma), baseline=0.01).at_most <= 0.1
    (0.957, True)
    """
    sensitivity = _checks.positive(sensitivity, "sensitivity")
    return sensitivity / gaussian_mu_for(
        epsilon, delta, risk=risk, baseline=baseline, advantage=advantage, group=group
    )


def laplace_scale_for(
    epsilon: float | None = None,
    sensitivity: float = 1.0,
    *,
    risk: float | None = None,
    baseline: float | None = None,
    advantage: float | None = None,
    group: int = 1,
) -> float:
    """The smallest scale with which Laplace noise is ε-DP, or keeps a risk.

    Parameters
    ----------
    epsilon : float, optional
        Above 0.
    sensitivity : float
        Largest change of what is released; above 0.
    risk, baseline, advantage, group
        As for :func:`gaussian_mu_for`.

    Raises
    ------
    ValueError
        An argument outside its range; none of the three targets, or two.

    References
    ----------
    Dong, Roth and Su, Gaussian differential privacy, 2022, Proposition A.6: the trade-off function
    of Laplace noise.

    Examples
    --------
    >>> scale = wb.laplace_scale_for(risk=0.1, baseline=0.01)
    >>> round(scale, 4), wb.risk(wb.LaplacePair(1 / scale), baseline=0.01).at_most <= 0.1
    (0.4343, True)
    """
    sensitivity = _checks.positive(sensitivity, "sensitivity")
    if epsilon is not None and _only("epsilon", risk, baseline, advantage):
        return sensitivity / _checks.positive(epsilon, "epsilon")
    return sensitivity / _target(None, None, risk, baseline, advantage, group).mu_of(LaplacePair)


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
    epsilon: float | None = None,
    delta: float | None = None,
    sample_rate: float | None = None,
    steps: int | None = None,
    neighboring_relation: str = "add-remove",
    *,
    risk: float | None = None,
    baseline: float | None = None,
    advantage: float | None = None,
    group: int = 1,
) -> float:
    """The smallest noise multiplier with which DP-SGD is (ε, δ)-DP, or keeps a risk.

    Parameters
    ----------
    epsilon, delta
        As for :func:`gaussian_mu_for`.
    sample_rate, steps, neighboring_relation
        As for `DPSGDPair`; the first two are required.
    risk, baseline, advantage, group
        As for :func:`gaussian_mu_for`. A limit of the success is one for every kind of attack
        that `workbench.risk` knows.

    Returns
    -------
    float
        At most about 1e-6 of itself, and the accountant's error bar, too large: the upper limit of
        δ(ε), of the success or of the advantage is at most what is asked for.

    Raises
    ------
    ValueError
        An argument outside its range, none of the three targets, or two, or a target beyond the
        accountant's resolution.

    References
    ----------
    Kulynych, Gomez, Kaissis, Calmon and Troncoso, Attack-aware noise calibration for differential
    privacy, 2024, arXiv 2407.02191: noise for an advantage or for error rates.

    Examples
    --------
    >>> sigma = wb.noise_multiplier_for(risk=0.1, baseline=0.01, sample_rate=0.01, steps=100)
    >>> wb.risk(wb.DPSGDPair(sigma, 0.01, 100), baseline=0.01).at_most <= 0.1
    True
    """
    target = _target(epsilon, delta, risk, baseline, advantage, group)
    for name, value in (("sample_rate", sample_rate), ("steps", steps)):
        if value is None:
            raise ValueError(f"{name} must be given, got None; it is that of wb.DPSGDPair")
    trial = DPSGDPair(1.0, sample_rate, steps, neighboring_relation)  # type: ignore[arg-type]
    rate, steps = trial.sample_rate, trial.steps
    if rate == 1:
        distance = 1 if neighboring_relation == "add-remove" else 2
        return distance * math.sqrt(steps) / target.mu_of(GaussianPair) * (1 + _ROUND_OFF)

    def excess(log_sigma: float) -> float:
        """Log of what is to be limited over the target; falls as the noise grows."""
        try:
            return target.excess(DPSGDPair(math.exp(log_sigma), rate, steps, neighboring_relation))
        except AccountantError:  # noise so small that nothing is private
            return -target.log_limit

    start = _central_limit_guess(trial, target.mu_of(GaussianPair))
    return _smallest_noise(excess, start, target.words)


def _smallest_noise(excess: Callable[[float], float], start: float, words: str) -> float:
    """The smallest noise multiplier without an excess, from a log of one beside it."""
    from scipy.optimize import brentq

    low = high = start
    for _ in range(200):
        if excess(high) <= 0:
            break
        low, high = high, high + 0.25
    else:
        raise ValueError(
            f"no noise multiplier reaches {words}, which is below what so many steps resolve; ask "
            "for more"
        )
    while excess(low) <= 0:
        low, high = low - 0.25, low
    root = float(brentq(excess, low, high, xtol=_ACCURACY / 4))
    # The error bar makes what is limited jump a little from grid to grid.
    while excess(root) > 0:
        root += _ACCURACY / 2
    return math.exp(root)


def _central_limit_guess(pair: DPSGDPair, mu: float) -> float:
    """Log of the noise multiplier at which the central limit has this μ."""
    log_ratio = 2 * (math.log(mu) - math.log(pair.sample_rate)) - math.log(pair.steps)
    if log_ratio > 600:
        raise ValueError(
            f"sample_rate={pair.sample_rate:g} is so small that any noise is enough; give a larger "
            "one"
        )
    ratio = (mu / pair.sample_rate) ** 2 / pair.steps
    inverse = (
        np.log1p(ratio) if pair.neighboring_relation == "add-remove" else np.arcsinh(ratio / 4)
    )
    return -math.log(inverse) / 2


# -- targets --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Target:
    """What noise is to keep: (ε, δ), or a success at a baseline."""

    log_limit: float
    words: str
    excess: Callable[[Pair], float]
    mu: Mapping[Any, float]
    checked: bool = True  # a profile is exact to 1e-10 only, and its inverse better than that

    def mu_of(self, kind: type[GaussianPair] | type[LaplacePair]) -> float:
        """The largest μ of a kind of noise that keeps the target, a little less for round-off."""
        less, mu = _ROUND_OFF, self.mu[kind] * (1 - _ROUND_OFF)
        while self.checked and self.excess(kind(mu)) > 0:
            less *= 2
            mu = self.mu[kind] * (1 - less)
        return mu


def _target(
    epsilon: Any, delta: Any, risk: Any, baseline: Any, advantage: Any, group: Any
) -> _Target:
    if epsilon is not None or delta is not None:
        _only("epsilon and delta", risk, baseline, advantage)
        if _checks.count(group, "group", least=1) > 1:
            raise ValueError(f"group={group!r} is of a risk or an advantage, not of (ε, δ)")
        return _of_privacy(epsilon, delta)
    group = _checks.count(group, "group", 1, MOST_RECORDS)
    if advantage is not None:
        _only("advantage", risk, baseline)
        return _of_advantage(_checks.open_unit(advantage, "advantage"), group)
    return _of_risk(risk, baseline, group)


def _only(name: str, *others: Any) -> bool:
    """True; a ValueError where another target is given, too."""
    if any(one is not None for one in others):
        raise ValueError(
            f"{name} and another target were given; give epsilon and delta, or risk and baseline, "
            "or advantage"
        )
    return True


def _of_privacy(epsilon: Any, delta: Any) -> _Target:
    if epsilon is None or delta is None:
        raise ValueError(
            f"epsilon and delta belong together, got epsilon={epsilon!r} and delta={delta!r}"
        )
    epsilon = _checks.number(epsilon, "epsilon")
    if epsilon < 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon!r}; 0 is perfect privacy")
    delta = _checks.open_unit(delta, "delta", "no Gaussian noise gives δ = 0")

    def excess(pair: Pair) -> float:
        # A root is looked for among numbers; so little is far below any target.
        return max(float(pair.log_profile(epsilon)), -800.0) - math.log(delta)

    mu = float(mu_from_profile(delta, epsilon))
    return _Target(math.log(delta), f"δ = {delta:g}", excess, {GaussianPair: mu}, False)


def _of_risk(risk: Any, baseline: Any, group: int) -> _Target:
    if risk is None or baseline is None:
        raise ValueError(
            "noise is calibrated to a target: give epsilon and delta, risk and baseline, or "
            f"advantage; got risk={_checks.shown(risk)}, baseline={_checks.shown(baseline)}"
        )
    risk, baseline = _checks.open_unit(risk, "risk"), _checks.open_unit(baseline, "baseline")
    if risk <= baseline * (1 + _ACCURACY):
        raise ValueError(
            f"risk must be above the baseline {baseline:g}, got {risk!r}: no noise makes an "
            "attacker worse than without the release"
        )
    at = np.array([baseline])

    def excess(pair: Pair) -> float:
        reached = upper_success(partial(success, pair), at, group)
        return math.log(float(reached[0])) - math.log(risk)

    mu = {
        GaussianPair: float(ndtri(risk) - ndtri(baseline)) / group,
        LaplacePair: _laplace_mu(risk, baseline) / group,
    }
    return _Target(math.log(risk), f"a risk of {risk:g}", excess, mu)


def _of_advantage(advantage: float, group: int) -> _Target:
    if group > 1:  # the advantage of a group is largest at the middle of its trade-off function
        return _of_risk((1 + advantage) / 2, (1 - advantage) / 2, group)

    def excess(pair: Pair) -> float:
        return math.log(max(pair.total_variation, 1e-300)) - math.log(advantage)

    mu = {
        GaussianPair: float(mu_from_total_variation(advantage)),
        LaplacePair: -2 * math.log1p(-advantage),
    }
    return _Target(math.log(advantage), f"an advantage of {advantage:g}", excess, mu)


def _laplace_mu(risk: float, baseline: float) -> float:
    """μ of the Laplace pair with 1 − f(baseline) = risk."""
    if risk <= 0.5:
        return math.log(risk) - math.log(baseline)
    if baseline >= 0.5:
        return math.log1p(-baseline) - math.log1p(-risk)
    return -math.log(4 * baseline) - math.log1p(-risk)
