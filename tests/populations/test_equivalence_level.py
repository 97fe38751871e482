"""How often a pair exactly at distance ε is called equivalent: summed over all counts."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from workbench.populations import equivalence
from workbench.populations.equivalence import TailCounts, equivalent, sizes_needed, tail_counts


def level(n, m, epsilon, delta, b, error, independent):
    """The probability that a ≥ δ + e^ε b is refuted where it holds with equality."""
    a = delta + math.exp(epsilon) * b
    p, q = binom.pmf(np.arange(n + 1), n, a), binom.pmf(np.arange(m + 1), m, b)
    xs, ys = np.flatnonzero(p > 1e-12), np.flatnonzero(q > 1e-12)
    x, y = (one.ravel() for one in np.meshgrid(xs, ys, indexing="ij"))
    refuted = equivalent(TailCounts(x, y, n, m), epsilon, delta, error, independent=independent)
    return float((p[x] * q[y])[refuted].sum())


CASES = [
    (200, 200, 0.5, 0.05, 0.3),
    (200, 200, 0.0, 0.02, 0.5),
    (300, 100, 1.0, 0.01, 0.2),
    (100, 300, 1.0, 0.01, 0.2),
    (150, 150, 1.0, 0.05, 0.0),
    (200, 200, 0.5, 0.01, 0.005),
    (200, 200, 2.0, 0.001, 0.13),
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("independent", [True, False])
def test_a_pair_at_the_distance_is_called_equivalent_in_at_most_the_error(case, independent):
    assert level(*case, 0.05, independent) <= 0.05


def test_the_constant_of_the_joint_test_is_not_half_nor_twice_as_large():
    case = (600, 600, 0.5, 0.05, 0.3)
    at = level(*case, 0.05, True)
    assert 0.02 < at <= 0.05
    assert level(*case, 0.1, True) > 0.05
    assert level(*case, 0.025, True) < 0.02


def test_the_constant_of_the_separate_limits():
    # Where B is never above, A alone decides, at half of the error.
    case = (2000, 2000, 0.5, 0.05, 0.0)
    at = level(*case, 0.05, False)
    assert 0.0125 < at <= 0.025
    assert level(*case, 0.1, False) > 0.025


@pytest.mark.statistical
def test_the_level_of_separate_limits_holds_for_samples_that_depend_on_each_other():
    """Scores of the same records under two models: X and Y are as dependent as they can be."""
    rng = np.random.default_rng(1)
    n, epsilon, delta, b = 300, 0.3, 0.05, 0.4
    a = delta + math.exp(epsilon) * b
    for turn in (False, True):
        u = rng.random((20_000, n))
        x = (u < a).sum(1)
        y = ((1 - u if turn else u) < b).sum(1)
        called = equivalent(TailCounts(x, y, n, n), epsilon, delta, 0.05, independent=False)
        assert called.mean() <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 20_000)


def whole_verdict(a, b, epsilon, delta, error, independent):
    return all(
        equivalent(one, epsilon, delta, error, independent=independent).all()
        for pair in (tail_counts(a, b), tail_counts(b, a))
        for one in pair
    )


@pytest.mark.statistical
def test_the_whole_verdict_of_laws_with_one_atom_too_much():
    """Uniform scores, and as many with a mass of δ that the other law never reaches."""
    rng = np.random.default_rng(2)
    n, delta = 300, 0.05
    called = 0
    for _ in range(400):
        a, b = rng.random(n), rng.random(n)
        a[rng.random(n) < delta] = 2.0
        called += whole_verdict(a, b, 1.0, delta, 0.05, True)
    assert called / 400 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)


def test_counts_are_those_of_every_threshold_between_two_scores():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 9, 40) * 1.0, rng.integers(1, 12, 30) * 1.0
    above, up_to = tail_counts(a, b)
    at = np.unique(np.concatenate([a, b]))
    ends = np.concatenate([[-np.inf], at, [np.inf]])
    for j, (low, high) in enumerate(itertools.pairwise(ends)):
        inside = (max(low, -5) + min(high, 20)) / 2
        for t in [low, inside] if np.isfinite(low) else [inside]:
            assert above.a[j] >= (a > t).sum()
            assert above.b[j] <= (b > t).sum()
            assert up_to.a[j] >= (a <= t).sum()
            assert up_to.b[j] <= (b <= t).sum()


def test_thresholds_of_a_large_sample_stand_for_all_between_them():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=3000), rng.normal(size=2000)
    above, up_to = tail_counts(a, b)
    assert above.a.size <= equivalence._THRESHOLDS + 1
    for t in rng.normal(size=200):
        x, y = (a > t).sum(), (b > t).sum()
        assert ((above.a >= x) & (above.b <= y)).any()
        x, y = (a <= t).sum(), (b <= t).sum()
        assert ((up_to.a >= x) & (up_to.b <= y)).any()


@pytest.mark.statistical
@pytest.mark.parametrize("independent", [True, False])
def test_the_sizes_that_are_named_decide_in_about_every_second_audit(independent):
    epsilon, delta = 0.5, 0.03
    n = sizes_needed(epsilon, delta, 0.05, independent=independent)
    rng = np.random.default_rng(5)
    called = [
        whole_verdict(rng.random(n), rng.random(n), epsilon, delta, 0.05, independent)
        for _ in range(100)
    ]
    assert 0.3 < np.mean(called) < 0.9
