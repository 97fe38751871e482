"""Figures of training, made small: what `benchmarks/training_figures` computes from."""

import numpy as np
import pytest

import workbench as wb
from benchmarks.training_figures import black_box, one_shot, simulated_canaries, white_box
from benchmarks.training_figures.row import mean_and_error
from benchmarks.training_figures.unequal_gaussians import box_epsilon, epsilon_of
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


@pytest.mark.slow
def test_a_threshold_of_gaussians_agrees_with_a_histogram_and_of_a_mixture_does_not():
    gaussian = wb.GaussianPair(1).sample(4000, seed=0)
    curves = black_box.Curves.chosen_on(wb.GaussianPair(1).sample(400, seed=1))
    assert curves.gap(gaussian) < curves.gap_by_chance(gaussian, seed=2)
    mixture = wb.SubsampledGaussianPair(0.25, 0.3)
    curves = black_box.Curves.chosen_on(mixture.sample(400, seed=1))
    scores = mixture.sample(4000, seed=0)
    assert curves.gap(scores) > curves.gap_by_chance(scores, seed=2)


def test_a_fresh_canary_is_scored_along_its_own_direction():
    data = wb.training.labeled_data("digits").take(range(40))
    settings = wb.training.DPSGDSettings(
        wb.training.Network((64, 10)), steps=6, sample_rate=1.0, noise_multiplier=0.01,
        expected_batch=39,
    )  # fmt: skip
    audit = white_box.StepCanaries(settings, data.take(slice(0, 39)), models=4)
    scores = wb.training.run_training_audit(audit, seed=0).result
    assert (scores.n_p, scores.n_q) == (12, 12)
    # A canary has norm 1, and the other gradients fall on its direction by chance.
    assert scores.p.mean() - scores.q.mean() > 0.3


def test_one_shot_methods_on_scores_that_are_known():
    same = wb.GaussianPair(0).sample(400, seed=0)
    apart = wb.GaussianPair(3).sample(400, seed=0)
    scores = wb.Scores(-apart.p, -apart.q, larger_is_member=False)
    for method, _ in one_shot.METHODS.values():
        assert method(scores) > 1
    assert one_shot.steinke(wb.Scores(-same.p, -same.q, larger_is_member=False)) < 0.3


def test_means_with_their_error():
    assert mean_and_error([1.0]) == "1.00"
    assert mean_and_error([1.0, 3.0]) == "2.00 ± 1.00"
