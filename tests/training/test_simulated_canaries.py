"""Simulated canaries in one training, beside public figures."""

import numpy as np
import pytest

import workbench as wb
from benchmarks import simulated_canaries
from benchmarks.simulated_canaries import box_epsilon, epsilon_of, mean_and_error
from workbench.scores.examples import card


def test_two_gaussians_with_own_variances():
    assert epsilon_of(1.36, 1, 0, 1, 1e-5) == pytest.approx(wb.GaussianPair(1.36).epsilon(1e-5))
    known = card("unequal-variances").truth.epsilon  # of N(0, 1.5²) and N(0, 1)
    assert epsilon_of(0, 1.5, 0, 1, 1e-5) == pytest.approx(known, abs=1e-5)
    assert epsilon_of(0, 1, 0, 1, 1e-5) == 0


def test_the_box_is_near_the_public_figure():
    # μ = 1.36, n = 2500 each: about 5.57 (arXiv 2606.12733), of 6.27.
    found = [box_epsilon(wb.GaussianPair(1.36).sample(2500, seed=seed), 1e-5) for seed in range(5)]
    assert np.mean(found) == pytest.approx(5.57, abs=0.25)


def test_simulated_canaries_come_near_the_figures_to_hold_against():
    rng = np.random.default_rng(0)
    printed = simulated_canaries.PRINTED[100]
    pair = wb.DPSGDPair(simulated_canaries.SIGMA, simulated_canaries.RATE, 1100)
    assert pair.epsilon(1e-5) == pytest.approx(printed["accountant"], abs=0.02)
    trials = [simulated_canaries.bounds(simulated_canaries.one_run(100, rng)) for _ in range(3)]
    for name in ("Gaussian", "band", "box"):
        # One bound has a standard deviation of about 4% of its mean.
        mean = np.mean([trial[name] for trial in trials])
        assert mean == pytest.approx(printed[name], rel=0.15)


def test_means_with_their_error():
    assert mean_and_error([1.0]) == "1.00"
    assert mean_and_error([1.0, 3.0]) == "2.00 ± 1.00"
