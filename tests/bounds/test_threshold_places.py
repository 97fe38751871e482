"""The thresholds that a slider offers: distinct, fine at both ends, the same for monotone maps."""

from __future__ import annotations

import numpy as np
import pytest

import workbench as wb
from workbench.estimators.threshold_places import SINGLE, threshold_places


def losses(n=3000, seed=11, larger_is_member=False):
    rng = np.random.default_rng(seed)
    z = rng.normal(2.4, 1.8, n)
    z[: n // 20] = rng.normal(9, 0.7, n // 20)
    other = rng.normal(1.7, 2.0, n)
    p, q = (np.log1p(np.exp(-x)) for x in (z, other))
    return wb.Scores(p, q, larger_is_member=larger_is_member, sampling="independent runs")


def flagged(scores, places):
    return np.sum(scores.tail_counts(places), axis=0)


RNG = np.random.default_rng(0)
CASES = {
    "losses": losses(),
    "the other direction": losses(larger_is_member=True),
    "few": wb.Scores([0.31, 0.72], [0.12, 0.34]),
    "repeated": wb.Scores(RNG.integers(0, 9, 500), RNG.integers(0, 7, 400)),
    "all equal": wb.Scores([1.0] * 5, [1.0] * 5),
    "all zero": wb.Scores([0.0] * 5, [0.0] * 5, larger_is_member=False),
    "negative": wb.Scores(-RNG.exponential(size=900), -RNG.exponential(size=900)),
    "not finite": wb.Scores([np.inf, 1, 2, -np.inf], [np.nan, 0, 5, -np.inf]),
    "within 0 and 1": wb.Scores(RNG.beta(0.2, 0.2, 2000), RNG.beta(0.2, 0.2, 2000)),
    "tiny and huge": wb.Scores([1e-300, 1e-299, -1.7e308], [5e-324, 1e300, 1.7e308]),
    "a million": wb.Scores(RNG.normal(1, 1, 500_000), RNG.normal(0, 1, 500_000)),
    "counted": wb.CountedScores(
        np.linspace(-3, 3, 5000), RNG.integers(1, 40_000, 5000), RNG.integers(1, 40_000, 5000)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_places_increase_and_each_flags_other_scores(name):
    scores = CASES[name]
    places = threshold_places(scores)
    assert places.dtype == np.float64
    assert 1 <= places.size <= 1000
    assert np.isfinite(places).all()
    assert (np.diff(places) > 0).all()
    steps = np.diff(flagged(scores, places))
    assert ((steps < 0) if scores.larger_is_member else (steps > 0)).all()


@pytest.mark.parametrize("name", ["losses", "the other direction", "within 0 and 1", "a million"])
def test_the_most_extreme_scores_are_single_steps_and_the_middle_has_equal_ones(name):
    scores = CASES[name]
    steps = np.abs(np.diff(flagged(scores, threshold_places(scores))))
    n = scores.n_p + scores.n_q
    assert (steps[:SINGLE] == 1).all()
    assert (steps[-SINGLE:] == 1).all()
    middle = steps[steps.size // 2 - 40 : steps.size // 2 + 40]
    assert (middle <= 2 * n / 400).all()  # each place may be moved by a quarter of a step
    assert np.mean(middle) == pytest.approx(n / 400, rel=0.05)
    assert steps.sum() == n


def test_a_monotone_map_of_the_scores_leaves_the_steps_as_they_are():
    scores = CASES["losses"]
    mapped = wb.Scores(np.log(scores.p), np.log(scores.q), larger_is_member=False)
    few = wb.Scores(scores.p[:200], scores.q[:200], larger_is_member=False)
    fewer = wb.Scores(mapped.p[:200], mapped.q[:200], larger_is_member=False)
    assert threshold_places(scores).size == threshold_places(mapped).size
    one, other = (flagged(s, threshold_places(s)) for s in (few, fewer))
    np.testing.assert_array_equal(one, other)


def test_places_have_few_digits():
    assert threshold_places(CASES["few"]).tolist() == [0.1, 0.2, 0.33, 0.5, 0.73]
    digits = [len(f"{x:g}".lstrip("0.")) for x in threshold_places(CASES["losses"])]
    assert np.mean(digits) < 4


def test_a_repeated_score_is_passed_in_one_step():
    scores = CASES["repeated"]
    assert threshold_places(scores).size == 1 + 9
    assert threshold_places(CASES["all equal"]).size == 2


def test_counted_scores_have_the_places_of_the_rows():
    rng = np.random.default_rng(3)
    p, q = rng.integers(0, 300, 4000), rng.integers(0, 280, 5000)
    values = np.arange(300.0)
    counted = wb.CountedScores(values, np.bincount(p, minlength=300), np.bincount(q, minlength=300))
    np.testing.assert_array_equal(threshold_places(wb.Scores(p, q)), threshold_places(counted))


def test_places_are_computed_once():
    scores = CASES["few"]
    assert threshold_places(scores) is threshold_places(scores)
    with pytest.raises(ValueError, match="read-only"):
        threshold_places(scores)[0] = 0
