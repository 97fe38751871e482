"""Comparing score sets: no verdict without a difference, and the right one where there is one."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm

import workbench as wb
from workbench import compare

REPLICATES = 200


def roc_of(mu, fpr):
    return norm.sf(norm.isf(fpr) - mu)


@pytest.mark.parametrize("sizes", [((300, 300), (300, 300)), ((2000, 500), (200, 1000))], ids=str)
def test_verdicts_are_wrong_at_most_as_often_as_stated(sizes):
    """Equal leaks: any verdict is wrong. 200 replicates, refuted at 1%."""
    pair = wb.GaussianPair(1.0)
    wrong = sum(
        bool(compare(pair.sample(sizes[0], seed=2 * i), pair.sample(sizes[1], seed=2 * i + 1))
             .verdict.any())
        for i in range(REPLICATES)
    )  # fmt: skip
    assert binomtest(wrong, REPLICATES, 0.05, alternative="greater").pvalue > 0.01


def test_the_bands_hold_the_true_curves():
    rng, outside = np.random.default_rng(5), 0
    for _ in range(REPLICATES):
        c = compare(
            wb.GaussianPair(0.5).sample(500, seed=rng), wb.GaussianPair(1.5).sample(300, seed=rng)
        )
        for mu, low, high in ((0.5, c.a_lower, c.a_upper), (1.5, c.b_lower, c.b_upper)):
            truth = roc_of(mu, c.fpr)
            outside += bool(np.any(truth < low - 1e-12) or np.any(truth > high + 1e-12))
    assert binomtest(outside, REPLICATES, 0.05, alternative="greater").pvalue > 0.01


def test_the_leakier_one_is_found_and_named():
    a, b = wb.GaussianPair(2.0).sample(5000, seed=1), wb.GaussianPair(0.5).sample(5000, seed=2)
    comparison = compare(a, b)
    assert set(comparison.verdict) <= {0, 1}
    assert (comparison.verdict[(comparison.fpr > 0.01) & (comparison.fpr < 0.5)] == 1).all()
    assert "A leaks more at false positive rates " in comparison.explain()
    swapped = compare(b, a)
    np.testing.assert_array_equal(swapped.verdict, -comparison.verdict)


def test_a_range_holds_between_its_rates_too():
    """A verdict between two rates needs the limits of both."""
    a, b = wb.GaussianPair(2.0).sample(5000, seed=1), wb.GaussianPair(0.5).sample(5000, seed=2)
    c = compare(a, b)
    for low, high, which in c.ranges:
        inside = (c.fpr >= low) & (c.fpr <= high)
        assert set(c.verdict[inside]) == {which}
        if which == 1:
            assert (c.a_lower[inside][:-1] > c.b_upper[inside][1:]).all()
    assert [r[0] for r in c.ranges] == sorted(r[0] for r in c.ranges)
    assert (c.ranges[0][0], c.ranges[-1][1]) == (c.fpr[0], c.fpr[-1])


def test_curves_that_cross_are_told_apart_by_rate():
    """Few members found for sure against all of them found a little."""
    rng = np.random.default_rng(0)
    n = 20_000
    sure = wb.Scores(np.where(rng.random(n) < 0.1, 6, 0) + rng.normal(size=n), rng.normal(size=n))
    comparison = compare(sure, wb.GaussianPair(1.0).sample(n, seed=3))
    low, high = comparison.fpr < 5e-3, (comparison.fpr > 0.1) & (comparison.fpr < 0.5)
    assert (comparison.verdict[low] == 1).any()
    assert (comparison.verdict[high] == -1).mean() > 0.8
    assert not (comparison.verdict[high] == 1).any()


def test_the_same_scores_are_not_told_apart_and_that_proves_nothing():
    s = wb.example("gaussian")
    comparison = compare(s, s)
    assert not comparison.verdict.any()
    assert "does not show that they leak equally" in comparison.explain()


def test_ties_keep_the_bands_valid():
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(REPLICATES):
        draws = [wb.Scores(rng.poisson(2, 150), rng.poisson(1, 250)) for _ in range(2)]
        wrong += bool(compare(*draws).verdict.any())
    assert binomtest(wrong, REPLICATES, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize("fpr", [0, 1, -0.1, [0.5, 2]])
def test_rates_out_of_range_are_refused(fpr):
    s = wb.example("gaussian")
    with pytest.raises(ValueError, match="fpr must lie strictly between 0 and 1"):
        compare(s, s, fpr=fpr)
