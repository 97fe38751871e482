"""Mixtures of Gaussians: against dp_accounting, their special cases, and sampling."""

import math

import numpy as np
import pytest
from helpers.composed import assert_same_epsilons, assert_same_profiles
from scipy import stats
from scipy.special import logsumexp

import workbench as wb
from workbench.pairs.accounting.mixture import MixtureStep
from workbench.pairs.gaussian_mixture import _log_sum

MIXTURES = [
    ((0, 1, 2), (0.9, 0.09, 0.01), 2.0, 100),
    ((0.5, 1, 3), (0.5, 0.3, 0.2), 3.0, 10),
    ((0, 0.1, 5), (0.5, 0.25, 0.25), 4.0, 1),
]


@pytest.mark.parametrize("mixture", MIXTURES, ids=str)
def test_dp_accounting_finds_the_same_on_its_coarser_grid(mixture):
    from dp_accounting.pld import privacy_loss_distribution as pld

    sizes, weights, sigma, steps = mixture
    theirs = pld.from_mixture_gaussian_mechanism(
        sigma, sizes, weights, value_discretization_interval=1e-3
    ).self_compose(steps)
    for delta in (1e-3, 1e-6):
        low, high = wb.MixturePair(*mixture).epsilon_interval(delta)
        epsilon = theirs.get_epsilon_for_delta(delta)
        assert low <= epsilon * (1 + 1e-6)
        assert high <= epsilon * (1 + 1e-6)
        assert high == pytest.approx(epsilon, rel=1e-3)


@pytest.mark.parametrize("direction", ["P‖Q", "Q‖P"])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_one_step_is_the_integral(direction, epsilon):
    sizes, weights, sigma = (0.0, 1.0, 2.5), (0.6, 0.3, 0.1), 1.5
    x = np.linspace(-20, 25, 450_001)
    p = sum(w * stats.norm.pdf(x, s, sigma) for s, w in zip(sizes, weights, strict=True))
    q = stats.norm.pdf(x, 0, sigma)
    first, second = (p, q) if direction == "P‖Q" else (q, p)
    whole = np.trapezoid(np.maximum(first - math.exp(epsilon) * second, 0), x)
    step = MixtureStep(sizes, weights, sigma)
    found = float(np.exp(step.log_hockey_stick(np.array([epsilon]), direction))[0])
    assert found == pytest.approx(whole, rel=1e-6, abs=1e-10)


def test_sensitivities_zero_and_one_are_dp_sgd():
    mixture = wb.MixturePair((0, 1), (0.99, 0.01), noise_multiplier=1, steps=1000)
    pair = wb.DPSGDPair(noise_multiplier=1, sample_rate=0.01, steps=1000)
    epsilon = np.linspace(0, 3, 13)
    assert_same_profiles(mixture, pair, epsilon, grid=1e-5)
    assert_same_epsilons(mixture, pair, [1e-3, 1e-6, 1e-9], grid=1e-5)
    other = wb.DPSGDPair(noise_multiplier=1, sample_rate=0.01001, steps=1000)
    with pytest.raises(AssertionError):
        assert_same_profiles(mixture, other, epsilon, grid=1e-5)
    with pytest.raises(AssertionError):
        assert_same_epsilons(mixture, other, 1e-9, grid=1e-5)


def test_one_sensitivity_is_a_gaussian_pair():
    pair = wb.MixturePair((2, 2), (0.5, 0.5), noise_multiplier=3, steps=4)
    assert pair.exact
    assert pair.epsilon(1e-5) == pytest.approx(wb.GaussianPair(4 / 3).epsilon(1e-5))
    assert pair.compose(4).epsilon(1e-5) == pytest.approx(wb.GaussianPair(8 / 3).epsilon(1e-5))


def test_scores_leak_no_more_than_the_accountant_says():
    pair = wb.MixturePair((0, 1, 2), (0.5, 0.3, 0.2), noise_multiplier=1.0, steps=2)
    scores = pair.sample(4000, seed=1)
    assert 0.3 < wb.epsilon_lower_bound(scores, delta=1e-3).value < pair.epsilon(1e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (((0, 1), (0.5,), 1.0), "one length"),
        (((), (), 1.0), "one length"),
        (((0, 0), (0.5, 0.5), 1.0), "not all 0"),
        (((-1, 1), (0.5, 0.5), 1.0), "at least 0"),
        (((0, math.nan), (0.5, 0.5), 1.0), "finite"),
        (((0, 1), (0.5, 0.6), 1.0), "sum to 1"),
        (((0, 1), (1.0, 0.0), 1.0), "above 0"),
        (((0, 1), (0.5, 0.5), 0.0), "noise_multiplier"),
        (((0, 1), (0.5, 0.5), 1e60), "noise_multiplier"),
        (((0, 1), (0.5, 0.5), 1.0, 0), "steps"),
    ],
)
def test_bad_mixtures_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        wb.MixturePair(*given)


@pytest.mark.parametrize(("rows", "terms"), [(1, 1), (50, 2), (300, 3), (40, 90)])
def test_sums_of_terms_are_those_of_scipy_to_the_last_digit(rows, terms):
    rng = np.random.default_rng(rows)
    for size in (1e-3, 1.0, 30.0, 900.0):
        x = rng.normal(0, size, (rows, terms))
        x[rng.random(x.shape) < 0.1] = -np.inf
        x[: rows // 3, -1] = x[: rows // 3, 0]  # equal terms
        np.testing.assert_array_equal(_log_sum(x), logsumexp(x, axis=1))
    ends = np.array([[np.inf, 1.0], [-np.inf, -np.inf], [np.nan, 1.0]])
    np.testing.assert_array_equal(_log_sum(ends), [np.inf, -np.inf, np.nan])
