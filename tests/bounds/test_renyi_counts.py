"""Rényi divergence from four counts: its formula, its neighbors, its ends; levels: test_counts."""

import math

import numpy as np
import pytest
from scipy.special import xlogy

import workbench as wb
from workbench.bounds.counts import binomial
from workbench.bounds.quantities import Renyi
from workbench.curves.renyi import renyi_of_rates, renyi_tradeoff

COUNTS = {"tp": 40, "fn": 10, "fp": 6, "tn": 54}
ORDERS = (1 + 1e-9, 1.01, 1.5, 2, 8, 64, 1000)


def of_two_coins(order, p, q):
    """The formula as printed."""
    a = order
    moment = p**a * q ** (1 - a) + (1 - p) ** a * (1 - q) ** (1 - a)
    return math.log(moment) / (a - 1)


@pytest.mark.parametrize("order", [1.5, 2, 8])
def test_the_formula_at_the_limits_of_both_rates(order):
    found = wb.renyi_from_counts(**COUNTS, order=order)
    q = float(binomial.clopper_pearson_upper(6, 60, 0.025))
    p = float(binomial.clopper_pearson_lower(40, 50, 0.025))
    printed = max(of_two_coins(order, p, q), of_two_coins(order, q, p))
    assert found.value == pytest.approx(printed, rel=1e-11)
    assert found.value <= printed
    assert (found.guarantee, found.confidence, found.order) == ("pointwise", 0.95, order)


@pytest.mark.parametrize("order", [1.5, 2, 8])
def test_it_is_the_least_value_over_the_box_of_both_rates(order):
    q = np.linspace(0, binomial.clopper_pearson_upper(6, 60, 0.025), 301)[:, None]
    p = np.linspace(binomial.clopper_pearson_lower(40, 50, 0.025), 1, 301)
    least = renyi_of_rates(order, q, 1 - p).min()
    assert wb.renyi_from_counts(**COUNTS, order=order).value == pytest.approx(least, rel=1e-12)


def test_near_one_it_is_the_kullback_leibler_divergence():
    q = float(binomial.clopper_pearson_upper(6, 60, 0.025))
    p = float(binomial.clopper_pearson_lower(40, 50, 0.025))

    def divergence(p, q):
        return xlogy(p, p / q) + xlogy(1 - p, (1 - p) / (1 - q))

    kl = max(divergence(p, q), divergence(q, p))
    for above in (1e-15, 1e-12, 1e-9, 1e-6):
        assert wb.renyi_from_counts(**COUNTS, order=1 + above).value == pytest.approx(kl, rel=1e-5)


def test_large_orders_approach_the_pure_epsilon():
    epsilon = wb.epsilon_from_counts(**COUNTS, delta=0).value
    found = [wb.renyi_from_counts(**COUNTS, order=a).value for a in (10.0, 1e3, 1e6, 1e12)]
    assert np.all(np.diff(found) > 0)
    assert found[-1] == pytest.approx(epsilon, rel=1e-6)
    assert found[-1] <= epsilon


@pytest.mark.parametrize("interval", ["clopper-pearson", "joint"])
def test_neighbors_imply_no_smaller_divergence(interval):
    """μ-GDP implies R_a ≤ aμ²/2, pure DP the divergence of randomized response."""
    mu = wb.mu_from_counts(**COUNTS).value
    epsilon = wb.epsilon_from_counts(**COUNTS, delta=0).value
    found = [wb.renyi_from_counts(**COUNTS, order=a, interval=interval).value for a in ORDERS]
    assert np.all(np.diff(found) > 0)
    if interval == "clopper-pearson":  # the joint region has another shape for every question
        for order, value in zip(ORDERS, found, strict=True):
            assert value <= order * mu**2 / 2 * (1 + 1e-9)
            response = wb.RandomizedResponsePair(epsilon, 0).renyi_divergence(order)
            assert value <= response * (1 + 1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_curve_and_value_are_inverse_at_every_order(order):
    """The joint test orders outcomes by the curve: both must agree to round-off."""
    question = Renyi(order)
    for value in (0.01, 0.5, 4.0):
        alpha = np.geomspace(1e-6, 0.4, 40)
        beta = question.curve(value, alpha)
        inner = (beta > 1e-12) & (alpha + beta < 1)
        back = question.from_rates(alpha[inner], beta[inner])
        np.testing.assert_allclose(back, value, rtol=1e-7)
        assert (question.from_rates(alpha[inner], beta[inner] * (1 + 1e-6)) < value).all()
    (kink,) = question.kinks(0.5)
    assert float(renyi_tradeoff(order, 0.5, np.array(kink))) == pytest.approx(kink, rel=1e-6)


def test_counts_at_the_ends():
    for tp, fp in ((0, 0), (0, 60), (50, 60), (10, 30)):
        found = wb.renyi_from_counts(tp=tp, fn=50 - tp, fp=fp, tn=60 - fp, order=2)
        assert found.value == 0
    perfect = wb.renyi_from_counts(tp=50, fn=0, fp=0, tn=60, order=2, side="two")
    assert 2 < perfect.value < 3
    assert perfect.high == math.inf


def test_it_refutes_the_claim_of_its_order():
    found = wb.renyi_from_counts(**COUNTS, order=2)
    claim = wb.RenyiDP(2, 0.5)
    assert found.value > 0.5
    assert claim.parameter_refuted_by_renyi(found.value, 2.0) == found.value


@pytest.mark.parametrize("order", [1, 1.0, 0.5, 0, -2, math.nan, math.inf])
def test_orders_that_are_not_above_one_are_refused(order):
    with pytest.raises(ValueError, match="order must be"):
        wb.renyi_from_counts(**COUNTS, order=order)
