"""The simultaneous band keeps its level, for every pair, size and tie, after any tuning."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

import workbench as wb
from workbench.bounds.band import rank_grid
from workbench.bounds.threshold import error_rates
from workbench.curves.points import epsilon_of_point

REPLICATES = 1000
DELTA = 1e-5

PAIRS = {
    "gaussian": wb.GaussianPair(1.0),
    "laplace": wb.LaplacePair(1.0),
    "subsampled": wb.SubsampledGaussianPair(0.25, 0.3),
    "ties": wb.RandomizedResponsePair(1.0, 0.05),
    "equal": wb.GaussianPair(0.0),
}
SIZES = [(200, 200), (1000, 400), (400, 1000), (5000, 5000)]


def exceeds(pair, band):
    """Whether any statement of the band is false: ε at three δ, μ, TV, or the drawn curve."""
    alpha = np.concatenate([np.logspace(-5, -1, 30), np.linspace(0.1, 1, 30)])
    tolerance = 1e-9
    return (
        any(band.epsilon(d).value > pair.epsilon(d) + tolerance for d in (0, DELTA, 0.05))
        or band.mu().value > pair.gdp_mu(floor=1e-12) + tolerance
        or band.total_variation().value > pair.total_variation + tolerance
        or bool(np.any(band.tradeoff(alpha) < pair.tradeoff(alpha) - tolerance))
    )


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", PAIRS)
def test_the_band_is_false_at_most_as_often_as_stated(name, sizes):
    """1000 seeded replicates; fails when 5 % is refuted at 1 % significance."""
    pair = PAIRS[name]
    false = sum(
        exceeds(pair, wb.tradeoff_band(pair.sample(sizes, seed=seed), 0.95))
        for seed in range(REPLICATES)
    )
    assert binomtest(false, REPLICATES, 0.05, alternative="greater").pvalue > 0.01


def test_a_pointwise_bound_tuned_over_thresholds_fails_where_the_band_holds():
    """The same kind of simulation catches a limit that does not survive tuning (about 10 %)."""
    replicates, false = 500, 0
    for seed in range(replicates):
        s = PAIRS["equal"].sample(3000, seed=seed)
        rates = error_rates(s, np.concatenate([s.p, s.q]), 0.95)
        false += epsilon_of_point(rates.fpr_upper, rates.fnr_upper, 0).max() > 0
    assert binomtest(false, replicates, 0.05, alternative="greater").pvalue < 0.01


def test_no_leak_gives_zero_and_says_so():
    band = wb.tradeoff_band(wb.GaussianPair(0).sample((3000, 2000), seed=1))
    assert band.epsilon(DELTA).value == 0
    assert "does not show privacy" in band.epsilon(DELTA).explain()
    assert wb.histogram(band.scores).total_variation > 0


def test_quantile_scores_reach_most_of_the_truth():
    """Deterministic scores at the quantiles: below the truth, and near it."""
    pair, n = wb.GaussianPair(1.0), 100_000
    from scipy.special import ndtri

    q = ndtri((np.arange(n) + 0.5) / n)
    band = wb.tradeoff_band(wb.Scores(q + 1, q))
    assert 0.95 < band.mu().value < 1
    assert 0.36 < band.total_variation().value < pair.total_variation
    assert 2.4 < band.epsilon(DELTA).value < pair.epsilon(DELTA)


def test_the_curve_gives_what_the_numbers_say():
    band = wb.tradeoff_band(wb.example("gaussian"))
    for delta in (1e-6, 1e-3, 0.05):
        assert band.curve.epsilon(delta) == pytest.approx(band.epsilon(delta).value, abs=1e-9)
    assert band.curve.total_variation == pytest.approx(band.total_variation().value)
    assert band.delta(1.0).value == pytest.approx(band.profile(1.0))
    best = band.epsilon(1e-3)
    assert band.profile(best.value) == pytest.approx(1e-3)


def test_the_witness_is_a_threshold_that_shows_the_bound():
    s = wb.GaussianPair(2).sample(5000, seed=3)
    bound = wb.epsilon_lower_bound(s, DELTA)
    there = wb.epsilon_lower_bound(s, DELTA, guarantee="pointwise", threshold=bound.threshold)
    assert there.value > bound.value > 0


def test_more_confidence_claims_less():
    s = wb.GaussianPair(1).sample(2000, seed=0)
    values = [wb.epsilon_lower_bound(s, DELTA, c).value for c in (0.8, 0.95, 0.99, 0.9999)]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]


@pytest.mark.parametrize("n", [2, 3, 7, 64, 1000, 10**7])
def test_ranks_lie_within_the_sample_and_are_few(n):
    ranks = rank_grid(n)
    assert ranks[0] == 1
    assert ranks[-1] == n
    assert len(set(ranks)) == len(ranks) <= 2 * np.log2(n) + 2


def test_both_directions_of_the_score_are_one_audit():
    s = wb.GaussianPair(1).sample(2000, seed=4)
    mirrored = wb.Scores(-s.p, -s.q, larger_is_member=False)
    a, b = wb.tradeoff_band(s), wb.tradeoff_band(mirrored)
    np.testing.assert_allclose(a.fnr_upper, b.fnr_upper)
    np.testing.assert_allclose(a.thresholds, -b.thresholds)


def test_order_statistics_bound_the_tail_at_their_level():
    """P(mass above the k-th largest of n > limit) is the error, by the binomial it inverts."""
    from workbench.bounds.binomial import order_statistic_tail_upper

    for rank, n, error in [(1, 50, 0.01), (8, 1000, 0.003), (999, 1000, 0.02)]:
        limit = float(order_statistic_tail_upper(rank, n, error))
        # The tail above exceeds x exactly if fewer than `rank` of n uniforms fall below x.
        assert binom.cdf(rank - 1, n, limit) == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize(("k", "n"), [(0, 5), (5, 5), (3, 17), (0, 1), (1, 1)])
def test_clopper_pearson_inverts_the_binomial(k, n):
    from workbench.bounds.binomial import clopper_pearson_lower, clopper_pearson_upper

    upper, lower = clopper_pearson_upper(k, n, 0.02), clopper_pearson_lower(k, n, 0.02)
    assert upper == 1 if k == n else binom.cdf(k, n, upper) == pytest.approx(0.02)
    assert lower == 0 if k == 0 else binom.sf(k - 1, n, lower) == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda s: wb.tradeoff_band(s, 0.05), "did you mean 0.95"),
        (lambda s: wb.tradeoff_band(s, 1), "strictly between 0 and 1"),
        (lambda s: wb.epsilon_lower_bound(s, 1.5), r"delta must lie in \[0, 1\)"),
        (lambda s: wb.epsilon_lower_bound(s, "x"), "delta must be a number, got 'x'"),
        (lambda s: wb.epsilon_lower_bound(s, 0.1, guarantee="pointwise"), "needs threshold="),
        (lambda s: wb.mu_lower_bound(s, threshold=1), "leave out threshold=1"),
        (lambda s: wb.mu_lower_bound(s, guarantee="sure"), "must be one of 'simultaneous'"),
        (
            lambda s: wb.epsilon_from_counts(tp=1, fp=-1, tn=3, fn=1, delta=0),
            "fp must be a whole number of at least 0, got -1",
        ),
        (
            lambda s: wb.epsilon_from_counts(tp=0, fp=1, tn=3, fn=0, delta=0),
            "no runs with the record",
        ),
    ],
)
def test_bad_arguments_say_what_to_do(call, says):
    s = wb.Scores([1, 2, 3], [0, 1, 2])
    with pytest.raises(ValueError, match=says):
        call(s)
