"""Balls in bins: the grid of likelihood ratios against quadrature, simulation and its ends."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

import workbench as wb
from workbench.curves.gdp import gaussian_log_profile


def by_quadrature(sigma, epsilon, direction):
    """H of two bins: over the one sum by quadrature, over the other in closed form.

    With Y the lognormal ratio of a sum and k = 2e^ε − y, E[(Y − k)₊] is 1 − k for k ≤ 0, and else
    the profile of the Gaussian pair at log k; in the other direction E[(k − Y)₊] = k − 1 + that.
    """
    mu = 1 / sigma
    z = np.linspace(-10, 10, 400_001)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    y = np.exp(mu * z - mu**2 / 2)
    k = 2 * math.exp(epsilon if direction == "P‖Q" else -epsilon) - y
    inside = k > 0
    call = np.where(inside, 0.0, 1 - k)
    call[inside] = np.exp(gaussian_log_profile(mu, np.log(k[inside])))
    if direction == "P‖Q":
        return float(np.trapezoid(density * call / 2, z))
    put = np.where(inside, k - 1 + call, 0.0)
    return float(np.trapezoid(density * put / 2, z)) * math.exp(epsilon)


@pytest.mark.parametrize("direction", ["P‖Q", "Q‖P"])
@pytest.mark.parametrize("sigma", [1.0, 2.0])
def test_two_bins_are_those_of_a_quadrature(sigma, direction):
    pair = wb.BallsInBinsPair(sigma, 2)
    for epsilon in (0.0, 0.2, 0.5, 0.65):
        exact = by_quadrature(sigma, epsilon, direction)
        found = pair.hockey_stick(epsilon, direction)
        assert exact - 1e-12 <= found <= exact * 1.003 + 1e-9


@pytest.mark.parametrize(
    ("sigma", "batches", "epochs"), [(1.0, 100, 1), (2.0, 30, 1), (0.7, 1000, 1), (1.0, 50, 6)]
)
def test_simulated_epochs_have_the_profile(sigma, batches, epochs):
    """One-sided: nothing beats the upper curve; two-sided: it is the mean, so it is no more."""
    n = 24_000
    pair = wb.BallsInBinsPair(sigma, batches, epochs)
    rng = np.random.default_rng(7)
    into = rng.integers(0, batches, (n, epochs))
    loss = np.zeros(n)
    for epoch in range(epochs):
        sums = rng.normal(0, sigma, (n, batches))
        sums[np.arange(n), into[:, epoch]] += 1
        exponents = (2 * sums - 1) / (2 * sigma**2)
        loss += np.logaddexp.reduce(exponents, axis=1) - math.log(batches)
    for epsilon in (0.0, 0.1, 0.4, 1.0):
        gain = np.maximum(-np.expm1(epsilon - loss), 0.0)
        error = 4.5 * gain.std() / math.sqrt(n) + 1e-4
        low, high = pair.profile_interval(epsilon)
        assert gain.mean() <= high + error
        assert pair.hockey_stick(epsilon) == pytest.approx(gain.mean(), abs=error + 0.03 * high)
        assert low <= high
    scores = pair.draw_p(n, rng)
    assert scores.mean() == pytest.approx(loss.mean(), abs=7 * loss.std() / math.sqrt(n))
    assert pair.privacy_loss(0.3) == 0.3


@pytest.mark.parametrize("epochs", [1, 9])
def test_one_bin_is_a_gaussian_pair(epochs):
    pair = wb.BallsInBinsPair(2.0, 1, epochs)
    assert pair.epsilon(1e-5) == wb.GaussianPair(math.sqrt(epochs) / 2.0).epsilon(1e-5)


def test_it_leaks_less_than_no_amplification_and_here_less_than_poisson():
    delta = np.array([1e-8, 1e-6, 1e-4, 1e-2])
    for sigma, batches in ((1.0, 20), (0.7, 500)):
        pair = wb.BallsInBinsPair(sigma, batches)
        low, high = pair.epsilon_interval(delta)
        assert (low <= high).all()
        assert (high < wb.GaussianPair(1 / sigma).epsilon(delta)).all()
        assert (high <= wb.DPSGDPair(sigma, 1 / batches, batches).epsilon(delta) + 1e-3).all()
        assert (high < wb.ShuffledPair(sigma, batches).epsilon_interval(delta)[0]).all()


def test_both_masses_of_the_grid_sum_to_one():
    from workbench.pairs.trainings.balls_in_bins import BinsPair

    for sigma, batches in ((1.0, 10), (2.0, 1_000_000), (0.55, 1000)):
        outcomes = BinsPair(sigma, batches).outcomes
        total_p, total_q = np.exp(outcomes.above_p[-1]), np.exp(outcomes.above_q[-1])
        assert 1 - 1e-9 <= total_p <= 1 + 1e-8
        assert 1 - 1e-9 <= total_q <= 1 + 1e-8
        # What lies beyond the grid: at most Φ(−6) of P.
        assert np.exp(outcomes.log_p[0]) < 2 * ndtr(-6.0)


def test_epochs_are_composed():
    one = wb.BallsInBinsPair(1.5, 40)
    assert one.compose(4) == wb.BallsInBinsPair(1.5, 40, 4)
    four = wb.ComposedPair(one, 2).compose(2)
    assert four.epsilon(1e-5) == pytest.approx(one.compose(4).epsilon(1e-5), rel=1e-6)
    assert one.compose(4) == wb.BallsInBinsPair(**one.compose(4).parameters)
    assert "balls in 40 bins, 4 epochs" in one.compose(4).name
    assert wb.PairClaim(one).pair == one


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wb.BallsInBinsPair(0, 10), "noise_multiplier"),
        (lambda: wb.BallsInBinsPair(1, 0), "batches"),
        (lambda: wb.BallsInBinsPair(1, 10**7), "batches"),
        (lambda: wb.BallsInBinsPair(1, 10, 0), "epochs"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_noise_that_no_grid_holds_is_refused_with_the_limit_that_remains():
    pair = wb.BallsInBinsPair(0.2, 10)
    with pytest.raises(wb.AccountantError, match="without amplification"):
        pair.epsilon(1e-5)
    assert pair.attack.epsilon(1e-5) > 10
