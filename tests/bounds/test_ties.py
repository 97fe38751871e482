"""Scores with ties: cuts between blocks of equal scores, no coins, and what is shown."""

import numpy as np
import pytest
from scipy.stats import binomtest

import workbench as wb
from workbench.bounds.simultaneous.rank_band import (
    FOR_TIES,
    dense_grid,
    dense_weight,
    level_at_grid,
    rank_grid,
)
from workbench.bounds.simultaneous.ties import large_blocks, ranks_in_ties, strictly_above

UNITS = (lambda x: 3 * x, lambda x: x / 7 + 2, np.exp)


def discrete(seed, values=3, n=(200, 300), shift=0.4):
    rng = np.random.default_rng(seed)
    p, q = rng.normal(shift, 1, n[0]), rng.normal(0, 1, n[1])
    return wb.Scores(*(np.digitize(x, np.arange(values - 1)) for x in (p, q)))


def test_counts_are_those_strictly_above_the_value_of_a_rank():
    s, ranks = discrete(1), np.arange(1, 301)
    value = s.samples.most_member_like_q(ranks)
    expected = (s.p[:, None] > value).sum(axis=0)
    np.testing.assert_array_equal(strictly_above(s, ranks), expected)


def test_any_order_within_ties_has_counts_at_least_as_large():
    """Why the level holds: the counts without coins are the least over all orders."""
    s, ranks = discrete(2), rank_grid(300)
    least = strictly_above(s, ranks)
    rng = np.random.default_rng(0)
    for _ in range(20):
        p, q = (x + 0.5 * rng.random(x.size) for x in s)
        assert (strictly_above(wb.Scores(p, q), ranks) >= least).all()


def test_a_rank_is_added_in_each_large_block_and_none_for_continuous_scores():
    s = discrete(3)
    before, above = large_blocks(s)
    assert before.size == 3
    assert above.tolist() == [int((s.p > v).sum()) for v in (0, 1, 2)]
    dense, ranks = dense_grid(300), ranks_in_ties(s)
    for first in before + 1:
        nearest = dense[np.searchsorted(dense, first)]
        assert nearest in ranks or nearest in rank_grid(300)
    assert ranks_in_ties(wb.GaussianPair(1).sample(500, seed=0)).size == 0


@pytest.mark.parametrize("n", [2, 8, 60, 1000, 10**6])
def test_grid_and_dense_grid_share_the_error_budget_exactly(n):
    """(1 − c)^J (1 − c/w)^N is the confidence and hardly more; twice the level would break it."""
    for confidence in (0.6, 0.95, 0.999):
        c, w = level_at_grid(confidence, n), dense_weight(n)
        for factor, holds in ((1, True), (2, False)):
            kept = rank_grid(n).size * np.log1p(-factor * c)
            kept += dense_grid(n).size * np.log1p(-factor * c / w)
            assert (kept >= np.log(confidence) * (1 + 1e-12)) == holds
            assert kept < np.log(confidence) * 0.98
    assert 0 < FOR_TIES < 0.1


@pytest.mark.parametrize("guarantee", ["simultaneous", "one question"])
def test_the_same_data_have_the_same_bound_without_any_chance(guarantee):
    s = discrete(4, shift=1)
    rng = np.random.default_rng(5)
    again = [wb.Scores(rng.permutation(s.p), rng.permutation(s.q)), wb.CountedScores.of(s)]
    again += [wb.Scores(unit(s.p), unit(s.q)) for unit in UNITS]
    bounds = [wb.epsilon_lower_bound(x, 1e-5, guarantee=guarantee) for x in (s, *again)]
    assert len({b.value for b in bounds}) == 1
    assert bounds[0].value > 0.3
    assert {b.seed for b in bounds} == {None}


def test_one_yes_among_many_is_no_evidence():
    """Fisher's exact p-value is 1/2; coins from a hash of these counts gave μ ≥ 0.0248."""
    counts = wb.CountedScores([0, 1], [399, 1], [400, 0])
    assert wb.tradeoff_band(counts).mu().value == 0
    assert wb.mu_lower_bound(counts, guarantee="one question").value == 0


def test_not_a_number_is_one_tie_of_its_own():
    p = np.concatenate([np.full(60, np.nan), np.zeros(40)])
    q = np.concatenate([np.full(20, np.nan), np.zeros(80)])
    counts = strictly_above(wb.Scores(p, q), np.array([1, 20, 21, 60, 100]))
    assert counts.tolist() == [0, 0, 60, 60, 60]


@pytest.mark.parametrize("guarantee", ["simultaneous", "held-out"])
@pytest.mark.statistical
def test_two_valued_scores_show_most_and_rarely_too_much(guarantee):
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
