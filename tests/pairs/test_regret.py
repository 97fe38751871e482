"""The regret of one μ: against its definition, a public package, and what it promises."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import workbench as wb
from workbench.curves.gdp import gaussian_log_profile

DPSGD = wb.DPSGDPair(noise_multiplier=9.4, sample_rate=0.328, steps=2000)

PAIRS = [
    wb.GaussianPair(1),
    wb.LaplacePair(0.01),
    wb.LaplacePair(1),
    wb.LaplacePair(8),
    wb.RandomizedResponsePair(1, 0.01),
    wb.SubsampledGaussianPair(0.25, 0.3),
    wb.DPSGDPair(noise_multiplier=1, sample_rate=0.01, steps=1000),
    wb.TradeoffCurve([0, 0.2, 1], [1, 0.3, 0]),
    wb.TradeoffCurve([0, 0.3, 1], [0.8, 0.1, 0]),
]


def by_definition(curve, mu):
    """The smallest κ with f(α + κ) − κ ≤ G_μ(α), by halving, on a grid of α."""
    alpha = np.linspace(0, 1, 100_001)
    gaussian = ndtr(-ndtri(alpha) - mu)
    low, high = 0.0, 1.0
    for _ in range(40):
        k = (low + high) / 2
        shifted = np.asarray(curve.tradeoff(np.minimum(alpha + k, 1.0))) - k
        low, high = (low, k) if (shifted <= gaussian + 1e-15).all() else (k, high)
    return high


@pytest.mark.parametrize("curve", PAIRS, ids=lambda c: getattr(c, "name", repr(c)))
def test_it_is_the_regret_of_the_definition(curve):
    found = wb.gdp_regret(curve)
    assert found.mu == pytest.approx(curve.gdp_mu(1e-10), abs=1e-15)
    exact = by_definition(curve, found.mu)
    assert exact - 1e-9 <= found.regret <= exact + 2e-9


@pytest.mark.parametrize("curve", PAIRS, ids=lambda c: getattr(c, "name", repr(c)))
@pytest.mark.parametrize("floor", [1e-10, 1e-3, 0.2])
def test_profile_and_curve_stay_within_what_it_promises(curve, floor):
    found = wb.gdp_regret(curve, floor)
    epsilon = np.linspace(0, 12, 241)
    gap = np.asarray(curve.profile(epsilon)) - np.exp(gaussian_log_profile(found.mu, epsilon))
    weight = 1 + np.exp(epsilon)
    assert (gap >= -weight * found.regret - 1e-12).all()
    assert (gap <= weight * floor + 1e-12).all()
    alpha = np.linspace(0, 1 - floor, 1001)
    lower = ndtr(-ndtri(alpha + floor) - found.mu) - floor
    assert (np.asarray(curve.tradeoff(alpha)) >= lower - 1e-12).all()


def test_the_public_figure_of_dp_sgd():
    """gdpnum prints (1.568562, 0.0010208), and finds (1.568500, 0.0010273) with today's accountant.

    Its accountant's grid decides the rest. Ours has a finer one, and so a smaller μ.
    """
    found = wb.gdp_regret(DPSGD)
    assert found.mu == pytest.approx(1.568472, abs=2e-6)
    assert found.regret == pytest.approx(0.0010232, abs=1e-7)
    assert found.mu == pytest.approx(1.568562, abs=1e-4)
    assert found.regret == pytest.approx(0.0010208, abs=3e-6)
    assert found.report == "μ = 1.57 (regret 0.00103, both error rates ≥ 1e-10)"


def test_the_rule_reports_the_curve_where_one_mu_hides_too_much():
    laplace = wb.gdp_regret(wb.LaplacePair(1))
    assert not laplace.enough
    assert laplace.regret == pytest.approx(0.0370161, abs=1e-7)
    assert str(laplace).startswith("the whole trade-off curve")
    assert wb.gdp_regret(wb.ComposedPair(wb.LaplacePair(1), 4)).enough
    assert wb.gdp_regret(wb.GaussianPair(1)).regret < 2e-9


def test_a_curve_and_its_pair_agree():
    pair = wb.ComposedPair(wb.RandomizedResponsePair(1, 0), 3)
    curve = pair._functions.outcomes.curve
    of_pair, of_curve = wb.gdp_regret(pair), wb.gdp_regret(curve)
    assert of_pair.mu == pytest.approx(of_curve.mu, abs=1e-9)
    assert of_curve.regret - 1e-12 <= of_pair.regret <= of_curve.regret + 2e-9


def test_a_curve_below_the_floor_and_no_leak():
    revealing = wb.gdp_regret(wb.GaussianPair(30))
    assert revealing.mu == pytest.approx(-2 * ndtri(1e-10))
    assert revealing.regret < 1e-9
    nothing = wb.gdp_regret(wb.TradeoffCurve([0, 1], [1, 0]))
    assert (nothing.mu, nothing.regret) == (0.0, 0.0)


def test_what_is_no_curve_is_refused():
    with pytest.raises(TypeError, match="curve must be a pair"):
        wb.gdp_regret(1.0)
    with pytest.raises(ValueError, match="floor must lie strictly between"):
        wb.gdp_regret(wb.GaussianPair(1), floor=0)
