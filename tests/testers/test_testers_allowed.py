"""What claims allow and what evidence refutes: one inequality seen from two sides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import workbench as wb
from workbench import GDP, ApproxDP, PureDP, RenyiDP
from workbench.claims.pair import PairClaim
from workbench.curves.renyi import renyi_tradeoff
from workbench.pairs.claimed import RenyiPair
from workbench.pairs.discrete import DiscreteGaussianPair, DiscreteLaplacePair
from workbench.pairs.outcomes import Outcomes, OutcomesPair

EPSILONS = st.floats(0.0, 6.0)
ORDERS = st.floats(1.05, 20.0)
CLAIMS = st.one_of(
    st.builds(PureDP, EPSILONS),
    st.builds(ApproxDP, EPSILONS, st.floats(0, 0.5)),
    st.builds(GDP, st.floats(0, 4)),
    st.builds(RenyiDP, ORDERS, EPSILONS),
)
SHARES = st.floats(0.0, 1.0)


def agree(parameter, own, value, limit, slack=1e-9):
    """parameter > own ⇔ value > limit, but for values within round-off of the limit."""
    if abs(value - limit) > slack * max(1.0, abs(limit)):
        assert (parameter > own) == (value > limit), (parameter, own, value, limit)


@settings(max_examples=50, deadline=None)
@given(CLAIMS, SHARES, st.floats(0, 3))
def test_a_divergence_exceeds_what_is_allowed_where_its_parameter_exceeds_the_claims(
    claim, value, epsilon
):
    limit = claim.max_delta(epsilon)
    parameter = claim.parameter_refuted_by_delta(value, epsilon)
    # Where δ is flat in the parameter, round-off moves the parameter far.
    agree(parameter, claim.parameter, value, limit, 1e-7)


@settings(max_examples=50, deadline=None)
@given(CLAIMS, st.floats(0, 6), ORDERS)
def test_so_for_renyi_divergences(claim, value, order):
    if isinstance(claim, RenyiDP):
        order = claim.order
    limit = claim.max_renyi(order)
    parameter = claim.parameter_refuted_by_renyi(value, order)
    agree(parameter, claim.parameter, value, limit)


@settings(max_examples=50, deadline=None)
@given(CLAIMS, SHARES, SHARES)
def test_so_for_rates(claim, fpr, fnr):
    parameter = claim.parameter_refuted_by_rates(fpr, fnr)
    least = (
        renyi_tradeoff(claim.order, claim.epsilon_0, np.array([fpr]))[0]
        if isinstance(claim, RenyiDP)
        else claim.tradeoff(fpr)
    )
    agree(parameter, claim.parameter, -fnr, -least, 1e-6)


@settings(max_examples=50, deadline=None)
@example(PureDP(5e-324), 0.0, 1.0, 0.0)
@given(CLAIMS, SHARES, SHARES, st.floats(0, 3))
def test_more_evidence_refutes_more(claim, a, b, epsilon):
    low, high = sorted((a, b))
    of_delta = [claim.parameter_refuted_by_delta(x, epsilon) for x in (low, high)]
    of_renyi = [claim.parameter_refuted_by_renyi(5 * x, 1.5) for x in (low, high)]
    assert of_delta[0] <= of_delta[1] * (1 + 1e-9) + 1e-12
    assert of_renyi[0] <= of_renyi[1]
    limits = [claim.max_delta(x) for x in (epsilon, epsilon + 1)]
    assert limits[1] <= limits[0] + 1e-12


@settings(max_examples=50, deadline=None)
@given(ORDERS, st.floats(0.01, 5), st.floats(0, 2))
@pytest.mark.statistical
def test_two_coins_attain_what_a_renyi_claim_allows(order, budget, epsilon):
    """The largest δ(ε) of the exact trade-off function, which has one peak along α."""
    low, high = 0.0, 1.0
    for _ in range(5):
        alpha = np.linspace(low, high, 501)
        excess = 1 - renyi_tradeoff(order, budget, alpha) - np.exp(epsilon) * alpha
        best = int(np.argmax(excess))
        low, high = alpha[max(best - 1, 0)], alpha[min(best + 1, 500)]
    attained = excess.max()
    claim = RenyiDP(order, budget)
    limit = claim.max_delta(epsilon)
    assert max(attained, 0) - 1e-9 <= limit <= max(attained, 0) + 1e-8
    assert limit <= claim.profile(epsilon) + 1e-12


@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 17.0])
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 9.0, 500.0])
def test_pure_dp_allows_the_divergence_of_randomized_response(order, epsilon):
    p, q = 1 / (1 + np.exp(-epsilon)), 1 / (1 + np.exp(epsilon))
    if epsilon < 400:
        with np.errstate(all="ignore"):
            direct = math.log(p**order * q ** (1 - order) + q**order * p ** (1 - order))
        value = PureDP(epsilon).max_renyi(order)
        assert value == pytest.approx(direct / (order - 1), rel=1e-6, abs=1e-13)
    value = PureDP(epsilon).max_renyi(order)
    # Tighter than both of AUDITORIUM's sort of limits.
    assert value <= min(epsilon, order * epsilon**2 / 2)
    assert PureDP(0.3).parameter_refuted_by_renyi(value, order) == pytest.approx(epsilon, rel=1e-9)


def test_what_pairs_allow():
    def renyi(p, q, order):
        return np.log(np.sum(p**order * q ** (1 - order))) / (order - 1)

    assert wb.GaussianPair(1.0).renyi_divergence(1.5) == pytest.approx(0.75)
    x = np.linspace(-60, 60, 2_000_001)
    p, q = np.exp(-np.abs(x - 1.3)) / 2, np.exp(-np.abs(x)) / 2
    numeric = renyi(p * (x[1] - x[0]), q * (x[1] - x[0]), 2.5)
    assert wb.LaplacePair(1.3).renyi_divergence(2.5) == pytest.approx(numeric, rel=1e-6)
    k = np.arange(-40, 41)
    p, q = np.exp(-((k - 1) ** 2) / 8), np.exp(-(k**2) / 8)
    numeric = renyi(p / p.sum(), q / q.sum(), 3.0)
    assert DiscreteGaussianPair(2.0).renyi_divergence(3.0) == pytest.approx(numeric)
    assert DiscreteLaplacePair(1.0).renyi_divergence(1.5) == pytest.approx(
        PureDP(1.0).max_renyi(1.5)
    )
    assert RenyiPair((2, 8), (0.3, 1.0)).renyi_divergence(4) == 1.0
    assert RenyiPair((2, 8), (0.3, 1.0)).renyi_divergence(9) == math.inf
    assert wb.RandomizedResponsePair(1.0, 1e-9).renyi_divergence(2.0) == math.inf


def test_an_asymmetric_pair_allows_both_directions_at_once():
    class Coins(OutcomesPair):
        name, parameters = "coins", {}

        def __init__(self, p, q):
            self.p, self.q = np.array(p), np.array(q)

        @property
        def outcomes(self):
            return Outcomes.from_masses(self.p, self.q)

    pair = Coins([0.5, 0.5], [0.1, 0.9])
    order = 3.0
    terms = [
        np.log(np.sum(a**order * b ** (1 - order))) / (order - 1)
        for a, b in [(pair.p, pair.q), (pair.q, pair.p)]
    ]
    assert PairClaim(pair).max_renyi(order) >= max(terms) - 1e-12


def test_where_a_claim_allows_everything_nothing_is_refuted():
    assert ApproxDP(1.0, 1e-5).max_renyi(2.0) == math.inf
    assert ApproxDP(1.0, 1e-5).parameter_refuted_by_renyi(50.0, 2.0) == 0
    assert ApproxDP(1.0, 0.0).max_renyi(2.0) == PureDP(1).max_renyi(2.0)
    assert RenyiDP(2.0, 0.5).max_renyi(3.0) == math.inf
    assert RenyiDP(2.0, 0.5).parameter_refuted_by_renyi(9.0, 3.0) == 0
    assert RenyiDP(2.0, 0.5).parameter_refuted_by_renyi(9.0, 1.5) == 9.0


def test_reference_values():
    """KAIROUZ15's line, BALLE18's profile, and total variation against each."""
    assert PureDP(1).parameter_refuted_by_rates(0.1, 0.5) == pytest.approx(math.log(5))
    assert ApproxDP(1, 0.1).parameter_refuted_by_rates(0.1, 0.5) == pytest.approx(math.log(4))
    assert GDP(1).parameter_refuted_by_rates(0.05, 0.05) == pytest.approx(2 * 1.6448536269514722)
    assert PureDP(1).parameter_refuted_by_delta(math.tanh(0.7), 0.0) == pytest.approx(1.4)
    assert GDP(1).parameter_refuted_by_delta(0.38292492254802624, 0.0) == pytest.approx(1.0)
    assert GDP(1.0).max_delta(0.1) == pytest.approx(0.3523, abs=5e-5)
    assert GDP(0.2).parameter_refuted_by_delta(-0.4, 0.1) == 0
    assert PureDP(0.2).parameter_refuted_by_delta(1.0, 0.1) == math.inf
    assert RenyiDP(2, 1).parameter_refuted_by_rates(0.0, 0.2) == math.inf
    assert RenyiDP(2, 1).parameter_refuted_by_rates(0.0, 1.0) == 0
    assert PureDP(1.4).max_total_variation() == pytest.approx(math.tanh(0.7))


def test_a_pair_has_no_parameter():
    pair = PairClaim(wb.GaussianPair(1.0))
    assert pair.parameter is None
    assert pair.symbol == ""
    assert pair.named_epsilon is None
    assert pair.parameter_refuted_by_rates(0.1, 0.1) is None
    assert pair.parameter_refuted_by_delta(0.1, 0.1) is None
    assert pair.parameter_refuted_by_renyi(0.1, 2.0) is None


def test_symbols():
    claims = [ApproxDP(1, 1e-5), PureDP(1), GDP(1), RenyiDP(2, 1)]
    assert [c.symbol for c in claims] == [
        "ε at δ = 1e-5", "ε", "μ", "Rényi ε of order 2"
    ]  # fmt: skip
    assert [c.parameter for c in claims] == [1, 1, 1, 1]
    assert [c.named_epsilon for c in claims] == [1, 1, None, None]


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_bad_arguments_are_named(bad):
    with pytest.raises(ValueError, match="epsilon"):
        PureDP(1).max_delta(bad)
    with pytest.raises(ValueError, match="order"):
        PureDP(1).max_renyi(min(bad, 1.0))
