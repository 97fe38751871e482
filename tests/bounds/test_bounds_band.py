"""The simultaneous band keeps its level, for every pair, size and tie, after any tuning."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtri
from scipy.stats import beta, binom, binomtest

import workbench as wb
from workbench.bounds.counts.binomial import (
    clopper_pearson_lower,
    clopper_pearson_upper,
    order_statistic_tail_upper,
)
from workbench.bounds.counts.threshold import error_rates
from workbench.bounds.quantities import Delta, Epsilon, Mu, TotalVariation
from workbench.bounds.simultaneous.rank_band import level_of_each, rank_grid
from workbench.bounds.simultaneous.rank_tests import (
    invert,
    largest_refuted,
    perfect_p_value,
    rank_tests,
)
from workbench.bounds.simultaneous.ties import strictly_above
from workbench.curves.error_rates import epsilon_of_point

REPLICATES = 1000
DELTA = 1e-5

PAIRS = {
    "gaussian": wb.GaussianPair(1.0),
    "laplace": wb.LaplacePair(1.0),
    "subsampled": wb.SubsampledGaussianPair(0.25, 0.3),
    "ties": wb.RandomizedResponsePair(1.0, 0.05),
    "equal": wb.GaussianPair(0.0),
}
SIZES = [(200, 200), (1000, 400), (400, 1000), (3000, 3000)]


def exceeds(pair, band):
    """Whether any statement of the band is false: ε, δ, μ, TV, or the drawn curve."""
    alpha = np.concatenate([np.logspace(-5, -1, 30), np.linspace(0.1, 1, 30)])
    tolerance = 1e-9
    return (
        any(band.epsilon(d).value > pair.epsilon(d) + tolerance for d in (0, DELTA, 0.05))
        or any(band.delta(e).value > pair.profile(e) + tolerance for e in (-0.5, 0.5, 2))
        or band.mu().value > pair.gdp_mu(floor=1e-12) + tolerance
        or band.total_variation().value > pair.total_variation + tolerance
        or bool(np.any(band.tradeoff(alpha) < pair.tradeoff(alpha) - tolerance))
    )


def p_values_of_the_truth(pair, sizes, replicates):
    """At every rank, for seeded samples; shape (replicates, J)."""
    n_p, n_q = sizes
    ranks = rank_grid(n_q)
    counts = np.empty((replicates, ranks.size), dtype=int)
    for seed in range(replicates):
        s = pair.sample(sizes, seed=seed)
        counts[seed] = strictly_above(s, ranks)
    rank = np.broadcast_to(ranks, counts.shape)
    seen, where = np.unique(np.stack([rank, counts]).reshape(2, -1), axis=1, return_inverse=True)
    tests = rank_tests(seen[0], seen[1], n_p, n_q)
    return tests.p_values(pair.tradeoff(tests.alpha, symmetric=False))[where].reshape(counts.shape)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.statistical
def test_the_event_fails_at_most_as_often_as_stated(name, sizes):
    """1000 seeded replicates; fails when 5% is refuted at 1% significance."""
    smallest = p_values_of_the_truth(PAIRS[name], sizes, REPLICATES).min(axis=1)
    false = np.count_nonzero(smallest <= level_of_each(0.95, rank_grid(sizes[1]).size))
    assert binomtest(false, REPLICATES, 0.05, alternative="greater").pvalue > 0.01


def test_ranks_that_do_not_share_the_error_probability_fail():
    """The same simulation catches a test at the full level at every rank."""
    smallest = p_values_of_the_truth(PAIRS["equal"], (1000, 400), REPLICATES).min(axis=1)
    false = np.count_nonzero(smallest <= 0.05)
    assert binomtest(false, REPLICATES, 0.05, alternative="greater").pvalue < 0.01


@pytest.mark.parametrize("name", PAIRS)
def test_nothing_that_the_band_says_is_false_while_the_event_holds(name):
    """At 60% confidence limits come close to the truth, and still none goes beyond it."""
    pair, held = PAIRS[name], 0
    for sizes in SIZES:
        for seed in range(6):
            band = wb.tradeoff_band(pair.sample(sizes, seed=seed), 0.6)
            truth = pair.tradeoff(band.tests.alpha, symmetric=False)
            if band.tests.p_values(truth).min() > band.level:
                held += 1
                assert not exceeds(pair, band), (sizes, seed)
    assert held > 10


@pytest.mark.statistical
def test_the_band_is_false_at_most_as_often_as_stated():
    """All numbers and the curve together, over pairs and sizes; pooled."""
    trials = [(pair, sizes, seed) for pair in PAIRS.values() for sizes in SIZES[:3]
              for seed in range(2000, 2010)]  # fmt: skip
    false = sum(
        exceeds(pair, wb.tradeoff_band(pair.sample(sizes, seed=seed)))
        for pair, sizes, seed in trials
    )
    assert binomtest(false, len(trials), 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.statistical
def test_a_pointwise_bound_tuned_over_thresholds_fails_where_the_band_holds():
    """The same kind of simulation catches a limit that does not survive tuning (about 10%)."""
    replicates, false = 300, 0
    for seed in range(replicates):
        s = PAIRS["equal"].sample(2000, seed=seed)
        rates = error_rates(s, s.q, 0.95)
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
    q = ndtri((np.arange(n) + 0.5) / n)
    band = wb.tradeoff_band(wb.Scores(q + 1, q))
    assert 0.95 < band.mu().value < 1
    assert 0.36 < band.total_variation().value < pair.total_variation
    assert 2.4 < band.epsilon(DELTA).value < pair.epsilon(DELTA)


def quantile_scores(mu, n):
    q = ndtri((np.arange(n) + 0.5) / n)
    return wb.Scores(q + mu, q)


def two_limits(s, delta, confidence=0.95):
    """ε from two limits at each rank, each with its share of the error probability."""
    ranks = rank_grid(s.n_q)
    error = (1 - confidence) / (2 * ranks.size)
    counts, _ = s.tail_counts(s.samples.most_member_like_q(ranks))
    fpr = order_statistic_tail_upper(ranks, s.n_q, error)
    return float(
        np.max(epsilon_of_point(fpr, clopper_pearson_upper(s.n_p - counts, s.n_p, error), delta))
    )


@pytest.mark.parametrize(("mu", "n", "gain"), [(0.5, 1000, 1.4), (1, 1000, 1.15), (2, 10**4, 1.02)])
def test_one_test_says_more_than_two_limits(mu, n, gain):
    s = quantile_scores(mu, n)
    for delta in (DELTA, 0.02):
        assert wb.tradeoff_band(s).epsilon(delta).value > gain * two_limits(s, delta)


def test_the_curve_says_what_the_numbers_say_and_hardly_less():
    band = wb.tradeoff_band(wb.example("gaussian"))
    for delta in (1e-6, 1e-3, 0.05):
        assert 0.97 < band.curve.epsilon(delta) / band.epsilon(delta).value <= 1
    for epsilon in (-1.0, 0.0, 1.0):
        assert 0.95 < band.profile(epsilon) / band.delta(epsilon).value <= 1
    assert 0.98 < band.curve.total_variation / band.total_variation().value <= 1
    assert 0.98 < band.curve.gdp_mu(1e-9) / band.mu().value <= 1
    best = band.epsilon(1e-3)
    assert band.delta(best.value).value == pytest.approx(1e-3, rel=0.01)
    assert band.delta(0).value == pytest.approx(band.total_variation().value, rel=1e-3)
    assert np.max(band.mu_lower) == band.mu().value


@pytest.mark.sampled(6)
@pytest.mark.parametrize("ends", [(10, 40), (2, 16), (190, 199), (37, 70)], ids=str)
@pytest.mark.parametrize(
    "f",
    [
        Epsilon(0.01).curve,
        Mu().curve,
        TotalVariation().curve,
        lambda x, alpha: Delta(0.4).curve(x / 3, alpha),
    ],
)
def test_p_values_are_bounds_and_nearly_exact(f, ends):
    """Against the integral that they bound, where it lies between 1e-5 and 0.2."""
    k, t = ends
    n_p, n_q = 200, 200
    tests = rank_tests(np.array([k]), np.array([t]), n_p, n_q)
    compared = 0
    for value in (0.01, 0.1, 0.3, 0.6, 0.9):
        u = beta(k, n_q - k + 1)

        def chance(x, value=value, u=u):
            return binom.sf(t - 1, n_p, 1 - f(value, np.array(x))) * u.pdf(x)

        middle = [float(u.ppf(level)) for level in (1e-6, 0.1, 0.5, 0.9, 1 - 1e-6)]
        exact = quad(chance, 0, 1, points=middle, limit=400, epsabs=1e-12)[0]
        bound = float(tests.p_values(f(value, tests.alpha))[0])
        assert bound >= exact * (1 - 1e-7)
        if 1e-5 < exact < 0.2:
            compared += 1
            assert bound < 1.15 * exact
    assert compared


@pytest.mark.parametrize("question", [Epsilon(DELTA), Mu(), TotalVariation(), Delta(0.5)], ids=str)
def test_what_is_claimed_was_refuted_and_nothing_much_larger_is(question):
    s = wb.GaussianPair(1.5).sample(2000, seed=8)
    band = wb.tradeoff_band(s)
    every = np.arange(band.thresholds.size)
    values = invert(
        question,
        lambda x, which: band.tests.of(which).of_values(question, x),
        band.level,
        np.full(every.size, 0.2),
    )
    shown = values > 0
    assert shown.sum() > 5
    tests = band.tests.of(every[shown])
    assert np.all(tests.of_values(question, values[shown]) <= band.level)
    assert np.all(tests.of_values(question, 1.01 * values[shown]) > band.level)


def test_a_search_that_refutes_nothing_returns_the_lower_end():
    found = largest_refuted(
        lambda x, which: np.full(x.shape, 0.5), 0.05, np.full(3, 1.0), np.full(3, 0.1), (0.2, 9.0)
    )
    np.testing.assert_array_equal(found, 0.2)


def test_the_smallest_p_value_is_that_of_a_perfect_attack():
    p = float(
        rank_tests(np.array([1]), np.array([9]), 9, 7).of_values(TotalVariation(), np.zeros(1))[0]
    )
    assert perfect_p_value(9, 7) == pytest.approx(1 / 11440)
    assert p >= perfect_p_value(9, 7)
    assert p == pytest.approx(perfect_p_value(9, 7), rel=0.1)


def test_too_few_scores_for_the_confidence_say_how_many_would_do():
    few = wb.tradeoff_band(wb.Scores([2, 3, 4], [0, 1, 0.5]), 0.9999)
    assert few.epsilon(0).value == 0
    assert "3 + 3 scores are too few for 99.99%" in few.epsilon(0).explain()
    needed = int(few.mu().note.split()[-5])
    assert wb.tradeoff_band(quantile_scores(100, needed), 0.9999).epsilon(0).value > 0
    assert wb.tradeoff_band(quantile_scores(100, needed - 1), 0.9999).epsilon(0).value == 0
    assert wb.tradeoff_band(quantile_scores(0, 100)).epsilon(0).note is None


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
    for rank, n, error in [(1, 50, 0.01), (8, 1000, 0.003), (999, 1000, 0.02)]:
        limit = float(order_statistic_tail_upper(rank, n, error))
        # The tail above exceeds x exactly if fewer than `rank` of n uniforms fall below x.
        assert binom.cdf(rank - 1, n, limit) == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize(("k", "n"), [(0, 5), (5, 5), (3, 17), (0, 1), (1, 1)])
def test_clopper_pearson_inverts_the_binomial(k, n):
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
