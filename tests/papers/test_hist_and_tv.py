"""What the items of HIST and TV compute from, made small."""

import numpy as np
import pytest
from scipy.stats import kstest

import workbench as wb
from benchmarks.papers.hist import black_box, one_parameter, white_box
from benchmarks.papers.run import Run
from benchmarks.papers.tv import one_shot, theorems


@pytest.mark.slow
def test_a_threshold_of_gaussians_agrees_with_a_histogram_and_of_a_mixture_does_not():
    gaussian = wb.GaussianPair(1).sample(4000, seed=0)
    curves = black_box.Curves.chosen_on(wb.GaussianPair(1).sample(400, seed=1))
    assert curves.gap(gaussian) < curves.gap_by_chance(gaussian, seed=2)
    mixture = wb.SubsampledGaussianPair(0.25, 0.3)
    curves = black_box.Curves.chosen_on(mixture.sample(400, seed=1))
    scores = mixture.sample(4000, seed=0)
    assert curves.gap(scores) > curves.gap_by_chance(scores, seed=2)


def test_an_increasing_map_takes_the_skewness_and_leaves_the_curve():
    gaussian = wb.GaussianPair(0.5).sample(3000, seed=0)
    skewed = wb.Scores(np.exp(-gaussian.p), np.exp(-gaussian.q), larger_is_member=False)
    mapped = black_box.normal_scores(skewed)
    assert black_box.shape(skewed) != black_box.shape(mapped)
    assert black_box.change_by_map(skewed) == 0
    numbers = [abs(float(x)) for x in black_box.shape(mapped).replace(",", " and").split(" and ")]
    assert max(numbers) < 0.2


def test_records_are_those_of_the_plans():
    assert black_box.GAUSSIAN.audit.record.row == 5
    assert black_box.MISLABELED.audit.record.kind == "mislabeled"
    settings = black_box.MISLABELED.audit.settings
    assert settings == black_box.BLANK.audit.settings


def test_a_part_has_the_models_of_a_training_run():
    audit = black_box.BLANK.audit
    part = black_box.losses(audit, 3, range(2, 6))
    rows = [audit.score_model(i, audit.generator(3, i)) for i in range(2, 6)]
    assert part["p"].tolist() == [rows[0].score[0], rows[2].score[0]]
    assert part["q"].tolist() == [rows[1].score[0], rows[3].score[0]]


def test_products_with_directions_have_the_law_of_a_coordinate():
    d = 7
    rng = np.random.default_rng(0)
    found = white_box.first_coordinates(d, 20_000, rng)
    vectors = rng.standard_normal((20_000, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    v = rng.standard_normal(d)
    assert kstest(found, vectors @ v / np.linalg.norm(v)).pvalue > 1e-3
    assert np.mean(found**2) == pytest.approx(1 / d, rel=0.05)  # exactly 1/d on average


def test_scores_of_steps_are_those_of_canaries_in_the_batch_or_out():
    data = white_box.digits().take(range(40))
    settings = wb.training.DPSGDSettings(
        wb.training.Network((64, 10)), steps=6, sample_rate=1.0, noise_multiplier=0.01,
        expected_batch=40,
    )  # fmt: skip
    audit = white_box.StepCanaries(settings, data, 2, canaries=30)
    found = white_box.scored(audit, 0, range(2))
    scores = wb.Scores(found["p"], found["q"])
    assert (scores.n_p, scores.n_q) == (360, 360)
    # At rate 1 each canary is in, and adds the square of its norm.
    spread = np.sqrt(scores.q.var() / 360 * 2)
    assert scores.p.mean() - scores.q.mean() == pytest.approx(1, abs=4 * spread)


def test_enlarged_digits_have_their_pixels():
    small, large = white_box.digits(), white_box.digits(28)
    assert large.x.shape == (1000, 784)
    corners = large.x.reshape(-1, 28, 28)[:, ::27, ::27]
    np.testing.assert_array_equal(corners, small.x.reshape(-1, 8, 8)[:, ::7, ::7])


def test_one_shot_methods_on_scores_that_are_known():
    same = wb.GaussianPair(0).sample(400, seed=0)
    apart = wb.GaussianPair(3).sample(400, seed=0)
    scores = wb.Scores(-apart.p, -apart.q, larger_is_member=False)
    for method, *_ in one_shot.METHODS.values():
        assert method(scores) > 1
    nothing = wb.Scores(-same.p, -same.q, larger_is_member=False)
    assert one_shot.steinke(nothing) < 0.3
    assert one_shot.by_total_variation(nothing) > 0.4 > one_shot.cross_fitted(nothing)


def test_noisy_digits_are_as_many_as_asked_with_labels_of_their_own():
    data = one_shot.noisy_digits(4000, seed=0)
    assert (data.size, data.features, data.classes) == (4000, 64, 10)
    assert np.unique(data.x, axis=0).shape[0] == 4000
    again = one_shot.noisy_digits(4000, seed=0)
    np.testing.assert_array_equal(data.y, again.y)


def test_the_enumerated_halves_keep_both_theorems(tmp_path):
    laws = [
        (theorems.score_law(inside, True), theorems.score_law(outside, False))
        for inside, outside in theorems.all_halves()
    ]
    assert len(laws) == 20
    for p, q in laws:
        assert p.sum() == pytest.approx(1)
        assert q.sum() == pytest.approx(1)
    p, q = (np.mean(side, axis=0) for side in zip(*laws, strict=True))
    for epsilon in np.linspace(0, 2, 9):
        pooled = theorems.divergence(p, q, epsilon)
        assert pooled <= theorems.delta_of_substitution(epsilon) + 1e-12
    # At ε = 0 the theorem is attained: half of the δ would not hold.
    tight = theorems.divergence(p, q, 0.0)
    assert tight == pytest.approx(theorems.delta_of_substitution(0.0))
    excess = theorems.stability(Run(tmp_path)).lines[0]
    assert float(excess.ours) <= float(excess.printed.split("= ")[1])


def test_the_sensitivity_is_the_slope_of_the_divergence():
    for sigma, alpha in ((5.0, 1.1), (0.8, 2.0)):
        slope = one_parameter.slope(sigma, alpha)
        assert slope == pytest.approx(one_parameter.by_difference(sigma, alpha), abs=1e-7)
