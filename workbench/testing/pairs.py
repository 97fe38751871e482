"""`check_pair`: whether a pair has the properties that bounds, claims and charts rely on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.curves.renyi_quadrature import DivergenceError
from workbench.pairs.base import Pair
from workbench.testing.failure import Properties

#: Where profile and trade-off function are looked at.
_EPSILONS = np.r_[0.0, np.geomspace(1e-3, 30, 60)]
_ALPHAS = np.r_[0.0, np.geomspace(1e-7, 0.5, 200), 1 - np.geomspace(0.5, 1e-7, 200)[1:], 1.0]
_DELTAS = np.array([1e-9, 1e-5, 1e-2, 0.3])

#: Round-off, and what numerical compositions add to it.
_EXACT, _NUMERICAL = 1e-9, 1e-6

#: Scores of each group, and the error probability of each comparison with them.
_DRAWN, _ERROR = 20_000, 1e-9


def check_pair(pair: Pair, *, tolerance: float = _NUMERICAL) -> None:
    """Nothing, if a pair has the properties that bounds, claims and charts rely on.

    Parameters
    ----------
    pair : Pair
        Such as one of `workbench.Pair.from_functions`.
    tolerance : float
        By how much values of δ and f may differ from each other.

    Raises
    ------
    CheckFailure
        The first property that fails: the profile is a privacy profile, the trade-off function is
        one, each is determined by the other, ε(δ) inverts δ(ε), log rates are logs of rates, μ is
        tight, compositions leak no less, Rényi divergences rise with the order, and scores are
        reproducible and as informative as stated. The level of the last comparison is 1e-9.

    Examples
    --------
    >>> from workbench.testing import check_pair
    >>> check_pair(wb.LaplacePair(0.7))
    """
    demand = Properties(_name(pair))
    demand.demand(isinstance(pair, Pair), "it is a wb.Pair", f"it is a {type(pair).__name__}")
    demand.demand(isinstance(pair.name, str) and pair.name.strip(), "its name is text")
    demand.demand(isinstance(pair.parameters, dict), "its parameters are a dict")
    demand.demand(pair == pair and hash(pair) == hash(pair), "it equals itself and has a hash")
    _check_profile(pair, demand, tolerance)
    _check_inverse(pair, demand)
    _check_tradeoff(pair, demand, tolerance)
    _check_conjugates(pair, demand, tolerance)
    _check_mu(pair, demand)
    _check_compositions(pair, demand)
    _check_scores(pair, demand)


def _name(pair: Any) -> str:
    name = getattr(pair, "name", None)
    return f"the pair {name!r}" if isinstance(name, str) else "the pair"


def _check_profile(pair: Pair, demand: Properties, tolerance: float) -> None:
    one = pair.profile(0.5)
    demand.demand(isinstance(one, float), "a number in gives a float out", f"got {one!r}")
    demand.demand(
        pair.profile(np.full((2, 3), 0.5)).shape == (2, 3), "arrays in give their shape out"
    )
    delta = pair.profile(_EPSILONS)
    at = {"ε": _EPSILONS, "δ": delta}
    demand.demand_each((delta >= 0) & (delta <= 1), "δ(ε) lies in [0, 1]", **at)
    falls = np.diff(delta) <= _EXACT * delta[:-1] + tolerance * 1e-6
    demand.demand_each(falls, "δ(ε) falls as ε rises", ε=_EPSILONS[1:], δ=delta[1:])
    first, middle, last = _EPSILONS[:-2], _EPSILONS[1:-1], _EPSILONS[2:]
    share = np.expm1(middle - first) / np.expm1(last - first)
    chord = (1 - share) * delta[:-2] + share * delta[2:]
    convex = delta[1:-1] <= chord * (1 + _EXACT) + tolerance
    demand.demand_each(convex, "δ(ε) is convex in e^ε", ε=middle, δ=delta[1:-1], chord=chord)
    below = pair.profile(-_EPSILONS)
    mirrored = -np.expm1(-_EPSILONS) + np.exp(-_EPSILONS) * delta
    demand.demand_each(
        np.abs(below - mirrored) <= tolerance,
        "δ(−ε) = 1 − e^−ε + e^−ε δ(ε)",
        **{"ε": _EPSILONS, "δ(−ε)": below, "expected": mirrored},
    )
    logs = pair.log_profile(_EPSILONS)
    with np.errstate(divide="ignore"):
        same = np.isclose(np.exp(logs), delta, rtol=1e-9, atol=1e-15)
    demand.demand_each(
        same, "log_profile is the log of the profile", ε=_EPSILONS, log=logs, δ=delta
    )
    tv = pair.total_variation
    demand.demand(
        abs(tv - delta[0]) <= tolerance,
        "the total variation is δ(0)",
        f"{tv!r}, δ(0) = {delta[0]!r}",
    )


def _check_inverse(pair: Pair, demand: Properties) -> None:
    epsilon = pair.epsilon(_DELTAS)
    demand.demand_each(epsilon >= 0, "ε(δ) is at least 0", δ=_DELTAS, ε=epsilon)
    falls = epsilon[1:] <= epsilon[:-1]
    demand.demand_each(falls, "ε(δ) falls as δ rises", δ=_DELTAS[1:], ε=epsilon[1:])
    finite = np.isfinite(epsilon)
    reached = pair.profile(np.where(finite, epsilon, 0.0))
    kept = ~finite | (reached <= _DELTAS * (1 + 1e-6) + 1e-15)
    demand.demand_each(kept, "δ(ε(δ)) is at most δ", **{"δ": _DELTAS, "δ(ε(δ))": reached})
    less = pair.profile(np.where(finite, epsilon * (1 - 1e-6) - 1e-9, 0.0))
    tight = ~finite | (epsilon == 0) | (less >= _DELTAS * (1 - 1e-6))
    demand.demand_each(tight, "ε(δ) is the smallest such ε", δ=_DELTAS, ε=epsilon)


def _check_tradeoff(pair: Pair, demand: Properties, tolerance: float) -> None:
    one = pair.tradeoff(0.25)
    demand.demand(isinstance(one, float), "a number in gives a float out", f"got {one!r}")
    fnr = pair.tradeoff(_ALPHAS)
    at = {"α": _ALPHAS, "f": fnr}
    inside = (fnr >= 0) & (fnr <= 1 - _ALPHAS + _EXACT)
    demand.demand_each(inside, "f(α) lies in [0, 1 − α]", **at)
    demand.demand_each(np.diff(fnr) <= _EXACT, "f falls as α rises", α=_ALPHAS[1:], f=fnr[1:])
    share = (_ALPHAS[1:-1] - _ALPHAS[:-2]) / (_ALPHAS[2:] - _ALPHAS[:-2])
    chord = (1 - share) * fnr[:-2] + share * fnr[2:]
    demand.demand_each(
        fnr[1:-1] <= chord + tolerance, "f is convex", α=_ALPHAS[1:-1], f=fnr[1:-1], chord=chord
    )
    inner = (fnr > 1e-4) & (_ALPHAS > 1e-4)
    back = pair.tradeoff(fnr[inner])
    demand.demand_each(
        np.abs(back - _ALPHAS[inner]) <= max(1e-5, tolerance),
        "f is its own inverse",
        **{"α": _ALPHAS[inner], "f(f(α))": back},
    )
    own = pair.tradeoff(_ALPHAS, symmetric=False)
    log_fnr, log_tpr = pair.log_rates(_ALPHAS)
    demand.demand_each(
        np.abs(np.exp(log_fnr) - own) <= tolerance, "log rates are logs of f", α=_ALPHAS, f=own
    )
    demand.demand_each(
        np.abs(np.exp(log_tpr) - (1 - own)) <= tolerance,
        "log rates are logs of 1 − f",
        **{"α": _ALPHAS, "1 − f": 1 - own},
    )
    alpha, beta = pair.error_rates()
    on_it = np.abs(pair.tradeoff(alpha, symmetric=False) - beta) <= tolerance
    demand.demand_each(on_it, "error_rates() lie on the trade-off function", α=alpha, β=beta)


def _check_conjugates(pair: Pair, demand: Properties, tolerance: float) -> None:
    """δ(ε) is the largest 1 − f(α) − e^ε α."""
    alpha = np.r_[0.0, np.geomspace(1e-12, 1, 4001)]
    fnr = pair.tradeoff(alpha)
    for epsilon in (0.0, 0.3, 1.0, 3.0):
        lines = 1 - fnr - math.exp(epsilon) * alpha
        delta = pair.profile(epsilon)
        demand.demand_each(
            lines <= delta + tolerance,
            f"f lies above the line of δ({epsilon:g})",
            **{"α": alpha, "1 − f − e^ε α": lines, "δ": delta},
        )
        demand.demand(
            lines.max() >= delta * (1 - 1e-3) - 1e-4,
            f"f touches the line of δ({epsilon:g})",
            f"the largest 1 − f(α) − e^ε α is {lines.max():.6g}, δ = {delta:.6g}",
        )


def _check_mu(pair: Pair, demand: Properties) -> None:
    floor = 1e-4
    mu = pair.gdp_mu(floor)
    demand.demand(math.isfinite(mu) and mu >= 0, "μ is at least 0", f"got {mu!r}")
    alpha = np.geomspace(floor, 0.5, 100)
    from scipy.special import ndtri

    fnr = np.maximum(pair.tradeoff(alpha), floor)
    local = -ndtri(alpha) - ndtri(fnr)
    demand.demand_each(
        local <= mu + 1e-4,
        "no local μ exceeds gdp_mu",
        **{"α": alpha, "local μ": local, "μ": np.full(alpha.shape, mu)},
    )


def _check_compositions(pair: Pair, demand: Properties) -> None:
    epsilon = pair.epsilon(1e-3)
    once, twice = pair.compose(1).epsilon(1e-3), pair.compose(2).epsilon(1e-3)
    demand.demand(
        once == epsilon or abs(once - epsilon) <= 1e-6 * epsilon + 1e-9,
        "one release leaks as the pair does",
        f"ε(1e-3) is {once!r} and {epsilon!r}",
    )
    demand.demand(
        twice >= epsilon * (1 - 1e-6) - 1e-9,
        "two releases leak no less than one",
        f"ε(1e-3) is {twice!r} and {epsilon!r}",
    )
    try:
        low, high = pair.renyi_divergence(1.5), pair.renyi_divergence(3.0)
    except DivergenceError:
        return  # which says what to do
    demand.demand(
        0 <= low <= high * (1 + 1e-6) + 1e-9,
        "Rényi divergences are at least 0 and rise with the order",
        f"orders 1.5 and 3: {low!r} and {high!r}",
    )


def _check_scores(pair: Pair, demand: Properties) -> None:
    try:
        scores = pair.sample(_DRAWN, seed=1)
    except ValueError as error:
        demand.demand("has no scores" in str(error), "a pair can be sampled", str(error))
        return
    again = pair.sample(_DRAWN, seed=1)
    demand.demand(
        np.array_equal(scores.p, again.p) and np.array_equal(scores.q, again.q),
        "equal seeds give equal scores",
    )
    other = pair.sample(_DRAWN, seed=2)
    demand.demand(
        np.unique(scores.p).size < 50 or not np.array_equal(scores.p, other.p),
        "other seeds give other scores",
    )
    # Dvoretzky–Kiefer–Wolfowitz, with the constant of Massart (1990), for each distribution.
    margin = math.sqrt(math.log(2 / _ERROR) / (2 * _DRAWN))
    cuts = np.unique(np.quantile(np.r_[scores.p, scores.q], np.linspace(0, 1, 101)))
    fpr = (scores.q[:, None] > cuts).mean(axis=0)
    fnr = (scores.p[:, None] <= cuts).mean(axis=0)
    least = pair.tradeoff(np.minimum(fpr + margin, 1.0))
    demand.demand_each(
        fnr >= least - margin,
        "no threshold of its scores beats the trade-off function",
        threshold=cuts,
        fpr=fpr,
        fnr=fnr,
        f=least,
    )
    try:
        loss = [np.asarray(pair.privacy_loss(side)) for side in (scores.p, scores.q)]
    except ValueError:
        return  # it says what is missing
    for epsilon in (0.0, 0.5, 1.0):
        p, q = ((side > epsilon).mean() for side in loss)
        found, stated = p - math.exp(epsilon) * q, pair.hockey_stick(epsilon, "P‖Q")
        demand.demand(
            abs(found - stated) <= margin * (1 + math.exp(epsilon)) + 1e-9,
            "the privacy losses of its scores have the stated divergence",
            f"at ε = {epsilon:g} {found:.4g} is found, {stated:.4g} is stated, and chance explains "
            f"{margin * (1 + math.exp(epsilon)):.2g}",
        )
