"""`check_claim`: whether what a claim allows and what refutes it are one inequality."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from workbench.claims.base import Claim
from workbench.claims.parse import CLAIM_KINDS, parse_claim
from workbench.curves.renyi_quadrature import DivergenceError
from workbench.testing.failure import Properties

_EPSILONS = (0.0, 0.3, 1.0, 3.0)
_ORDERS = (1.5, 2.0, 8.0)
_SHARES = (0.0, 0.01, 0.1, 0.3, 0.6, 0.95)
_ALPHAS = np.r_[0.0, np.geomspace(1e-6, 1, 60)]


def check_claim(claim: Claim) -> None:
    """Nothing, if what a claim allows and what refutes it agree.

    Parameters
    ----------
    claim : Claim

    Raises
    ------
    CheckFailure
        The first property that fails: its text and arguments make it again, what it allows falls
        in ε and rises in its parameter, its trade-off function is one, its dominating pair leaks
        no less than it allows, and evidence refutes it where a divergence exceeds what is allowed,
        and only there.

    Examples
    --------
    >>> from workbench.testing import check_claim
    >>> check_claim(wb.GDP(0.7))
    """
    demand = Properties(f"the claim {claim}")
    demand.demand(isinstance(claim, Claim), "it is a wb.Claim", f"it is a {type(claim).__name__}")
    _check_words(claim, demand)
    _check_allowed(claim, demand)
    if claim.parameter is not None:
        _check_two_sides(claim, claim.parameter, demand)
        _check_growth(claim, claim.parameter, demand)


def _check_words(claim: Claim, demand: Properties) -> None:
    demand.demand(claim == claim and hash(claim) == hash(claim), "it equals itself and has a hash")
    demand.demand(claim.title.strip() and claim.short.strip(), "it has a title and a short text")
    if claim.parameter is None:
        return
    names = [one.name for one in claim.arguments]
    demand.demand(
        list(claim.parameters) == names,
        "its parameters are its arguments, in their order",
        f"{list(claim.parameters)} and {names}",
    )
    again = type(claim)(**claim.parameters).with_fields(**claim.fields.given)
    demand.demand(again == claim, "its arguments make the same claim again")
    demand.demand(
        str(claim).partition("(")[0] == claim.word == claim.example.partition("(")[0],
        "its text and its example begin with its word",
        f"{claim!s}, {claim.example!r} and {claim.word!r}",
    )
    if CLAIM_KINDS.ours.get(claim.word, CLAIM_KINDS.others.get(claim.word)) is type(claim):
        demand.demand(parse_claim(str(claim)) == claim, "its text is read as the same claim")
        demand.demand(isinstance(parse_claim(claim.example), type(claim)), "its example is read")


def _check_allowed(claim: Claim, demand: Properties) -> None:
    allowed = np.array([claim.max_delta(epsilon) for epsilon in _EPSILONS])
    at = {"ε": np.array(_EPSILONS), "largest δ": allowed}
    demand.demand_each((allowed >= 0) & (allowed <= 1), "max_delta lies in [0, 1]", **at)
    demand.demand_each(np.r_[True, np.diff(allowed) <= 1e-12], "max_delta falls as ε rises", **at)
    stated = np.asarray(claim.delta(np.array(_EPSILONS)))
    demand.demand_each(
        allowed <= stated * (1 + 1e-6) + 1e-9,
        "the dominating pair leaks no less than is allowed",
        δ=stated,
        **at,
    )
    demand.demand(
        abs(claim.max_total_variation() - allowed[0]) <= 1e-12,
        "max_total_variation is max_delta(0)",
    )
    fnr = np.asarray(claim.min_tradeoff(_ALPHAS))
    shown = {"α": _ALPHAS, "f": fnr}
    demand.demand_each(
        (fnr >= 0) & (fnr <= 1 - _ALPHAS + 1e-9), "min_tradeoff lies in [0, 1 − α]", **shown
    )
    demand.demand_each(np.r_[True, np.diff(fnr) <= 1e-9], "min_tradeoff falls", **shown)
    least = np.asarray(claim.tradeoff(_ALPHAS))
    demand.demand_each(
        fnr >= least - 1e-6, "min_tradeoff is not below that of the dominating pair", **shown
    )
    try:
        renyi = [claim.max_renyi(order) for order in _ORDERS]
    except DivergenceError:
        return  # which says what to do
    demand.demand(
        all(0 <= a <= b * (1 + 1e-6) + 1e-9 for a, b in pairwise(renyi)),
        "max_renyi is at least 0 and rises with the order",
        f"{renyi} at orders {_ORDERS}",
    )


def _check_two_sides(claim: Claim, own: float, demand: Properties) -> None:
    """A divergence exceeds what is allowed exactly where its parameter exceeds the claim's own."""
    for epsilon in _EPSILONS:
        limit = claim.max_delta(epsilon)
        for value in (*_SHARES, limit * 0.97, min(limit * 1.03 + 1e-6, 1.0)):
            refuted = claim.parameter_refuted_by_delta(value, epsilon)
            _agree(refuted, own, value, limit, f"δ = {value:.6g} at ε = {epsilon:g}", demand)
    for order in _ORDERS:
        try:
            limit = claim.max_renyi(order)
        except DivergenceError:
            continue
        beyond = [] if math.isinf(limit) else [limit * 0.97, limit * 1.03 + 1e-6]
        for value in (*_SHARES, 3.0, *beyond):
            refuted = claim.parameter_refuted_by_renyi(value, order)
            _agree(refuted, own, value, limit, f"R = {value:.6g} of order {order:g}", demand)
    for alpha in (1e-3, 0.05, 0.3, 0.6):
        least = float(np.asarray(claim.min_tradeoff(np.array([alpha])))[0])
        for fnr in (*_SHARES, least * 0.97, min(least * 1.03, 1.0)):
            refuted = claim.parameter_refuted_by_rates(alpha, fnr)
            what = f"false positive rate {alpha:g} and false negative rate {fnr:.6g}"
            _agree(refuted, own, least, fnr, what, demand)


def _agree(
    refuted: Any, own: float, value: float, limit: float, what: str, demand: Properties
) -> None:
    if refuted is None or abs(value - limit) <= 1e-6 * max(1.0, abs(limit)):
        return
    demand.demand(
        (float(refuted) > own) == (value > limit),
        f"{what} refutes the claim exactly where it exceeds what is allowed",
        f"the parameter refuted is {float(refuted):.6g}, the claim's own {own:.6g}; "
        f"{value:.6g} is compared with {limit:.6g}",
    )


def _check_growth(claim: Claim, own: float, demand: Properties) -> None:
    more = claim.with_parameter(1.5 * own + 0.1)
    for epsilon in _EPSILONS:
        demand.demand(
            more.max_delta(epsilon) >= claim.max_delta(epsilon) - 1e-12,
            "a larger parameter allows more",
            f"max_delta({epsilon:g}) of {more} and {claim}",
        )
    inner = _ALPHAS[(_ALPHAS > 0) & (_ALPHAS < 0.9)]
    f = np.asarray(claim.min_tradeoff(inner))
    for family in claim.alternatives():
        met = np.asarray(family.curve(family.claimed, inner))
        demand.demand_each(
            met >= f - 1e-6,
            f"the alternative {family.name!r} meets the claim at its claimed parameter",
            **{"α": inner, "its f": met, "least f": f},
        )
        leaky = np.asarray(family.curve(2 * family.claimed + 1.0, inner))
        demand.demand(
            (leaky <= met + 1e-9).all(),
            f"the alternative {family.name!r} leaks more as its parameter grows",
        )
