"""Ties broken at random: the same law as scores with a coin each, and the same coins every time."""

import numpy as np
import pytest
from scipy.stats import binomtest, ks_2samp

import workbench as wb
from workbench.bounds.tie_breaking import counts_above, won


def test_the_coins_have_the_law_of_a_random_order():
    """2000 draws against explicit coins, at three places of one tie together."""
    rng, a, b = np.random.default_rng(0), 12, 20
    place = np.array([2, 5, 11])
    same = np.full(3, 7)
    drawn = np.array([won(place, same, 0 * place + b, 0 * place + a, rng) for _ in range(2000)])
    thrown = []
    for _ in range(2000):
        q, p = np.sort(rng.random(a)), rng.random(b)
        thrown.append([(p < q[j - 1]).sum() for j in place])
    thrown = np.array(thrown)
    for k in range(3):
        assert ks_2samp(drawn[:, k], thrown[:, k]).pvalue > 0.01
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(thrown.T), rtol=0.15, atol=0.5)


def test_counts_lie_between_the_strict_and_the_weak_ones():
    rng = np.random.default_rng(1)
    s = wb.Scores(rng.poisson(2, 500), rng.poisson(1, 300))
    ranks = np.arange(1, 301)
    counts, broken = counts_above(s, ranks)
    value = s.most_member_like_q(ranks)
    assert broken
    assert (np.diff(counts) >= 0).all()
    assert ((s.p[:, None] > value).sum(axis=0) <= counts).all()
    assert (counts <= (s.p[:, None] >= value).sum(axis=0)).all()


def test_without_ties_nothing_is_thrown():
    s = wb.GaussianPair(1).sample(100, seed=0)
    ranks = np.array([1, 10, 50, 100])
    counts, broken = counts_above(s, ranks)
    assert not broken
    np.testing.assert_array_equal(counts, s.tail_counts(s.most_member_like_q(ranks))[0])


def test_the_same_scores_throw_the_same_coins():
    s = wb.RandomizedResponsePair(1, 0).sample(400, seed=2)
    again = wb.Scores(s.p[::-1], s.q)
    assert wb.epsilon_lower_bound(s, 1e-5).value == wb.epsilon_lower_bound(again, 1e-5).value
    assert "broken at random" in wb.epsilon_lower_bound(s, 1e-5).explain()


def test_not_a_number_is_one_tie_of_its_own():
    p = np.concatenate([np.full(60, np.nan), np.zeros(40)])
    q = np.concatenate([np.full(20, np.nan), np.zeros(80)])
    counts, broken = counts_above(wb.Scores(p, q), np.array([1, 10, 20, 60, 100]))
    assert broken
    assert counts[0] <= counts[1] <= counts[2] <= 60 <= counts[3] <= counts[4] <= 100


@pytest.mark.parametrize("guarantee", ["simultaneous", "held-out"])
@pytest.mark.statistical
def test_two_valued_scores_show_nearly_all_and_rarely_too_much(guarantee):
    """400 replicates where one attack shows all of ε; refuted at 1%."""
    pair, replicates = wb.RandomizedResponsePair(1.0, 0.0), 400
    values = np.array(
        [
            wb.epsilon_lower_bound(pair.sample(500, seed=i), 0.0, guarantee=guarantee).value
            for i in range(replicates)
        ]
    )
    assert np.median(values) > 0.7
    false = int((values > 1 + 1e-9).sum())
    assert binomtest(false, replicates, 0.05, alternative="greater").pvalue > 0.01
