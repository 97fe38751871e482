"""Canaries of one training: coins, sampling, insertion into arrays, and scores."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm

import workbench as wb
from workbench.live.canaries.likelihood import log_ratio


def test_canaries_that_are_in_are_inserted_when_they_are_sampled():
    canaries = wb.live.GradientCanaries.dirac(500, 800, sample_rate=0.25, clip=2.0, seed=1)
    places, seen = canaries.directions.places, np.zeros(500, int)
    for _ in range(40):
        gradients = canaries.insert(np.full((3, 800), 7.0))
        np.testing.assert_array_equal(gradients[:3], 7.0)
        rows = gradients[3:]
        np.testing.assert_array_equal(np.linalg.norm(rows, axis=1), 2.0)
        inside = np.isin(places, rows.argmax(axis=1))
        assert inside.sum() == len(rows)
        seen += inside
        canaries.observe(np.zeros(800))
    assert not seen[~canaries.included].any()
    drawn = 40 * int(canaries.included.sum())
    assert binomtest(int(seen.sum()), drawn, 0.25).pvalue > 1e-3
    assert binomtest(int(canaries.included.sum()), 500, 0.5).pvalue > 1e-3


def test_a_seed_settles_everything_and_another_one_changes_it():
    def draws(seed):
        made = wb.live.GradientCanaries.random(30, 20, sample_rate=0.5, seed=seed)
        return made.included, made.directions.directions, made.draw()

    for a, b in zip(draws(3), draws(3), strict=True):
        np.testing.assert_array_equal(a, b)
    assert any(
        a.shape != b.shape or (a != b).any() for a, b in zip(draws(3), draws(4), strict=True)
    )


def test_random_canaries_are_of_the_norm_and_may_outnumber_parameters():
    canaries = wb.live.GradientCanaries.random(50, 20, sample_rate=1.0, norm=3.0, seed=2)
    rows = canaries.draw()
    assert len(rows) == canaries.included.sum()
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 3.0, rtol=1e-5)


@pytest.mark.parametrize("rate", [0.01, 0.5, 1.0])
@pytest.mark.parametrize("shift", [0.1, 1.0, 8.0])
def test_the_score_is_the_log_likelihood_ratio(rate, shift):
    x = np.linspace(-5, 12, 30)
    mixture = (1 - rate) * norm.pdf(x) + rate * norm.pdf(x, loc=shift)
    np.testing.assert_allclose(
        log_ratio(x, rate, shift), np.log(mixture / norm.pdf(x)), rtol=1e-9, atol=1e-12
    )
    assert np.isfinite(log_ratio(np.array([-1e6, 1e6]), rate, shift)).all()


def test_scores_of_canaries_longer_than_the_clipping_norm_know_that_they_are_clipped():
    found = []
    for length in (1.0, 50.0):
        canaries = wb.live.GradientCanaries.dirac(
            10, 20, sample_rate=0.5, noise_multiplier=2.0, norm=length, divisor=4, seed=1
        )
        canaries.draw()
        canaries.observe(np.linspace(-1, 1, 20))
        found.append(canaries.scores)
    np.testing.assert_array_equal(*found)
    expected = log_ratio(4 * np.linspace(-1, 1, 20)[canaries.directions.places] / 2.0, 0.5, 0.5)
    np.testing.assert_allclose(found[0], expected, rtol=1e-6)


def test_steps_out_of_order_are_refused():
    canaries = wb.live.GradientCanaries.dirac(10, 20, sample_rate=0.5)
    with pytest.raises(ValueError, match="before the canaries of its step were inserted"):
        canaries.observe(np.zeros(20))
    canaries.insert(np.zeros((2, 20)))
    with pytest.raises(ValueError, match="inserted already"):
        canaries.insert(np.zeros((2, 20)))
    canaries.observe(np.zeros(20))
    canaries.insert(np.zeros((0, 20)))


def test_gradients_that_are_none_change_nothing():
    canaries = wb.live.GradientCanaries.dirac(10, 20, sample_rate=0.5)
    for bad in (np.zeros(20), np.zeros((2, 19))):
        with pytest.raises(ValueError, match="one row of 20 numbers"):
            canaries.insert(bad)
    assert not canaries.inserted
    canaries.insert(np.zeros((2, 20)))
    broken = np.zeros(20)
    broken[3] = np.inf
    for bad, said in (
        (np.zeros((4, 5)), "flatten it to 20"),
        (np.full(20, np.nan), "nan at place 0"),
        (broken, "inf at place 3"),
        (["a"] * 20, "must be a number"),
    ):
        with pytest.raises(ValueError, match=said):
            canaries.observe(bad)
    assert canaries.inserted
    assert not canaries.scores.any()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sample_rate": 0}, "sample_rate must lie in"),
        ({"sample_rate": 1.5}, "sample_rate must lie in"),
        ({"noise_multiplier": -1}, "noise_multiplier"),
        ({"clip": 0}, "above 0"),
        ({"divisor": 0}, "divisor"),
        ({"count": 1}, "count"),
        ({"count": 30}, "30 Dirac canaries"),
        ({"norm": -1}, "norm"),
    ],
)
def test_settings_of_canaries_out_of_range_are_named(given, said):
    with pytest.raises(ValueError, match=said):
        wb.live.GradientCanaries.dirac(**{"count": 10, "size": 20, "sample_rate": 0.5, **given})


def test_canary_records_go_into_the_data_by_their_coins():
    canaries = wb.live.RecordCanaries(100, seed=5)
    data = canaries.insert(np.zeros((10, 2)), np.arange(200).reshape(100, 2))
    labels = canaries.insert(np.zeros(10), np.arange(100))
    np.testing.assert_array_equal(labels[10:], np.flatnonzero(canaries.included))
    np.testing.assert_array_equal(data[10:, 0], 2 * labels[10:])
    with pytest.raises(ValueError, match="give all 100 of them"):
        canaries.insert(np.zeros((10, 2)), np.zeros((7, 2)))


def test_scores_of_canary_records_are_checked():
    canaries = wb.live.RecordCanaries(4, larger_is_member=False, seed=0)
    with pytest.raises(ValueError, match="no scores yet"):
        canaries.scores  # noqa: B018
    canaries.observe([1, 2, 3])
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        canaries.scores  # noqa: B018
    canaries.observe(lambda: [1, 2, np.nan, 3])
    with pytest.raises(ValueError, match="canary 2 is NaN"):
        canaries.scores  # noqa: B018
    canaries.observe([1, 2, np.inf, 3])
    np.testing.assert_array_equal(canaries.scores, [1, 2, np.inf, 3])


def test_directions_are_checked():
    made = wb.live.GradientCanaries.random(5, 20, sample_rate=0.5)
    with pytest.raises(ValueError, match="21 columns"):
        wb.live.GradientCanaries(made.directions, 21, sample_rate=0.5)
    with pytest.raises(TypeError, match=r"GradientCanaries\.dirac or \.random"):
        wb.live.GradientCanaries(np.eye(20), 20, sample_rate=0.5)
