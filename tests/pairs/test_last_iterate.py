"""The last-iterate pair: published figures, direct integrals, and what its symmetry rests on."""

import math

import mpmath as mp
import numpy as np
import pytest

import workbench as wb


@pytest.mark.parametrize(
    ("steps", "rate", "sigma", "last", "accountant"),
    [(2441, 0.08192, 3, 6.31, 6.49), (100, 0.05, 1, 2.44, 3.50), (20, 0.1, 0.6, 6.36, 10.50)],
)
def test_the_published_figures(steps, rate, sigma, last, accountant):
    pair = wb.LastIteratePair(sigma, rate, steps)
    assert pair.epsilon(1e-5) == pytest.approx(last, abs=0.005)
    assert wb.DPSGDPair(sigma, rate, steps).epsilon(1e-5) == pytest.approx(accountant, abs=0.005)


def test_one_step_is_a_subsampled_gaussian():
    pair, same = wb.LastIteratePair(0.3, 0.25, 1), wb.SubsampledGaussianPair(0.25, 0.3)
    epsilon = np.array([-600, -5, -1, -0.28, -0.1, 0, 0.1, 1, 30, 600])
    for direction in ("P‖Q", "Q‖P"):
        got, expected = (p.log_hockey_stick(epsilon, direction) for p in (pair, same))
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-14)
    alpha = np.r_[0, np.geomspace(1e-300, 1, 80)]
    assert pair.tradeoff(alpha) == pytest.approx(same.tradeoff(alpha), rel=1e-10, abs=1e-15)
    delta = np.array([1e-300, 1e-30, 1e-5, 0.1, 0.3])
    assert pair.epsilon(delta) == pytest.approx(same.epsilon(delta), rel=1e-12)
    assert pair.gdp_mu() == pytest.approx(same.gdp_mu(), rel=1e-12)


def test_a_record_in_every_step_is_a_gaussian_pair():
    pair, same = wb.LastIteratePair(2.0, 1.0, 16), wb.GaussianPair(2.0)
    epsilon = np.array([-3.0, 0.0, 0.5, 4.0, 40.0])
    assert pair.log_profile(epsilon) == pytest.approx(same.log_profile(epsilon), rel=1e-12)
    assert pair.epsilon([1e-200, 1e-5]) == pytest.approx(same.epsilon([1e-200, 1e-5]), rel=1e-12)


@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 0.7, 3.0])
def test_the_hockey_stick_is_the_integral_of_the_densities(epsilon):
    sigma, q, steps = 0.9, 0.2, 12
    x, h = np.linspace(-40, 60, 400_001, retstep=True)
    weights = [math.comb(steps, k) * q**k * (1 - q) ** (steps - k) for k in range(steps + 1)]
    scale = sigma * math.sqrt(steps)

    def normal(mean):
        return np.exp(-(((x - mean) / scale) ** 2) / 2) / scale / math.sqrt(2 * math.pi)

    p, a = sum(w * normal(k) for k, w in enumerate(weights)), math.exp(epsilon)
    pair = wb.LastIteratePair(sigma, q, steps)
    forward, backward = (h * np.maximum(g, 0).sum() for g in (p - a * normal(0), normal(0) - a * p))
    assert pair.hockey_stick(epsilon) == pytest.approx(forward, abs=1e-8)
    assert pair.hockey_stick(epsilon, "Q‖P") == pytest.approx(backward, abs=1e-8)


def test_a_profile_in_high_precision():
    sigma, q, steps, epsilon = 1, 0.05, 100, 12.0
    with mp.workdps(60):
        scale = mp.mpf(sigma) * mp.sqrt(steps)
        w = [mp.binomial(steps, k) * mp.mpf(q) ** k * (1 - mp.mpf(q)) ** (steps - k)
             for k in range(steps + 1)]  # fmt: skip

        def log_ratio(x):
            exponents = [(k * x - mp.mpf(k) ** 2 / 2) / scale**2 for k in range(steps + 1)]
            return mp.log(sum(v * mp.e**e for v, e in zip(w, exponents, strict=True)))

        t = mp.findroot(lambda x: log_ratio(x) - epsilon, (50, 120), solver="anderson")
        gain = sum(v * mp.ncdf((k - t) / scale) for k, v in enumerate(w))
        truth = float(mp.log(gain - mp.e**epsilon * mp.ncdf(-t / scale)))
    assert wb.LastIteratePair(sigma, q, steps).log_profile(epsilon) == pytest.approx(
        truth, abs=1e-10
    )


def test_adding_a_record_never_shows_more_than_removing_it():
    """What the profile and the symmetrized curve rest on: H(P‖Q) ≥ H(Q‖P) for ε ≥ 0."""
    epsilon = np.r_[np.geomspace(1e-4, 30, 40)]
    for sigma in (0.3, 0.6, 1.0, 3.0):
        for q in (0.001, 0.05, 0.3, 0.7, 0.99):
            for steps in (2, 7, 40):
                pair = wb.LastIteratePair(sigma, q, steps)
                forward, backward = (pair.hockey_stick(epsilon, d) for d in ("P‖Q", "Q‖P"))
                assert (forward - backward >= -1e-13).all(), pair


@pytest.mark.statistical
def test_its_scores_are_draws_of_it():
    pair = wb.LastIteratePair(1.0, 0.2, 20)
    scores = pair.sample(200_000, seed=1)
    for threshold in (0.0, 4.0, 9.0):
        t = pair.privacy_loss(threshold)
        true_positives, false_positives = scores.tail_counts(threshold)
        advantage = (true_positives - math.exp(t) * false_positives) / scores.n_p
        # At its own threshold the gain is the hockey-stick divergence; 4 standard errors.
        error = 4 * math.sqrt((1 + math.exp(2 * t) * 0.25) / scores.n_p)
        assert advantage == pytest.approx(pair.hockey_stick(t), abs=error)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((0, 0.1, 5), "noise_multiplier must be above 0, got 0"),
        ((1e99, 0.1, 5), "noise_multiplier must lie between"),
        ((1, 0, 5), r"sample_rate must lie in \(0, 1\], got 0"),
        ((1, 0.1, 0), "steps must be a whole number of at least 1, got 0"),
        ((1, 0.1, 10**7), "steps must be at most 1,000,000"),
    ],
)
def test_bad_arguments_are_told(arguments, says):
    with pytest.raises(ValueError, match=says):
        wb.LastIteratePair(*arguments)


def test_its_name_says_that_it_is_heuristic():
    assert "heuristic" in wb.LastIteratePair(1, 0.1, 5).name


def test_it_says_that_it_is_heuristic_and_is_no_claim():
    pair = wb.LastIteratePair(1, 0.05, 100)
    assert pair.heuristic
    assert pair.name.endswith("(heuristic)")
    scores = wb.GaussianPair(1).sample(50, seed=0)
    composed = wb.ComposedPair(pair, 2)
    limit = wb.DPSGDPair(1, 0.05, 100).central_limit()
    for other in (pair, composed, limit):
        for use in (wb.PairClaim, lambda claim: wb.judge(scores, claim)):
            with pytest.raises(ValueError, match="which is a heuristic"):
                use(other)
    assert not wb.DPSGDPair(1, 0.05, 100).heuristic
