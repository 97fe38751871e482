"""Plans agree with the audits that they plan."""

import numpy as np
import pytest
from scipy.stats import binom, ks_2samp

import workbench as wb
from workbench.bounds.held_out.held_out import held_out_bound
from workbench.bounds.power import plan_audits
from workbench.bounds.power.best_threshold import BestThreshold
from workbench.bounds.power.plan_band import BandPlan
from workbench.bounds.quantities import Epsilon
from workbench.bounds.simultaneous.rank_band import rank_grid

DELTA = 1e-5
GAUSSIAN = wb.GaussianPair(1)


def agree(share, other, n, m):
    """Two shares of n and m simulations, at four standard errors."""
    p = (share * n + other * m) / (n + m)
    return abs(share - other) <= 4 * np.sqrt(max(p * (1 - p), 1e-3) * (1 / n + 1 / m))


# -- power ----------------------------------------------------------------------------------------


def test_pointwise_power_is_the_sum_over_all_counts():
    n_p, n_q, claim = 25, 35, 0.2
    alpha = BestThreshold(GAUSSIAN, 0.01, 0.9).fpr_for(claim, n_p, n_q)
    beta = GAUSSIAN.tradeoff(alpha)
    expected = sum(
        binom.pmf(fp, n_q, alpha) * binom.pmf(fn, n_p, beta)
        for fp in range(n_q + 1)
        for fn in range(n_p + 1)
        if wb.epsilon_from_counts(
            tp=n_p - fn, fp=fp, tn=n_q - fp, fn=fn, delta=0.01, confidence=0.9
        ).value
        > claim
    )
    planned = wb.power(
        GAUSSIAN,
        claim_epsilon=claim,
        delta=0.01,
        n=(n_p, n_q),
        confidence=0.9,
        guarantee="pointwise",
    )
    assert 0.05 < expected < 0.9
    assert float(planned) == pytest.approx(expected, abs=1e-6)
    assert (planned.how, planned.standard_error) == ("exact", 0)


def test_pointwise_power_of_many_counts_is_a_little_below_the_truth():
    n, claim, reps = 2_000_000, 2.9, 20_000
    planned = wb.power(GAUSSIAN, claim_epsilon=claim, delta=DELTA, n=n, guarantee="pointwise")
    drawn = wb.plan_distribution(
        GAUSSIAN, n=n, delta=DELTA, guarantee="pointwise", reps=reps, seed=1
    )
    assert agree(float(planned), np.mean(drawn.values > claim), 10**9, reps)


def test_the_best_threshold_is_none_that_a_search_beats():
    n, claim = 3000, 1.5
    best = float(wb.power(GAUSSIAN, claim_epsilon=claim, delta=DELTA, n=n, guarantee="pointwise"))
    rng, reps = np.random.default_rng(0), 2000
    for alpha in np.logspace(-3, -0.5, 12):
        fp, fn = rng.binomial(n, [[alpha], [GAUSSIAN.tradeoff(alpha)]], (2, reps))
        values = BestThreshold(GAUSSIAN, DELTA, 0.95).at_counts(fp, fn, n, n)
        assert np.mean(values > claim) < best + 0.05


@pytest.mark.parametrize(
    ("pair", "n", "claim", "delta"),
    [
        (GAUSSIAN, (400, 400), 1.1, DELTA),
        (wb.LaplacePair(1), (300, 900), 0.72, 0.0),
        (wb.SubsampledGaussianPair(0.25, 0.3), (600, 300), 2.2, 1e-3),
    ],
    ids=["gaussian", "laplace", "subsampled"],
)
@pytest.mark.statistical
def test_plans_of_the_band_agree_with_bands_of_scores(pair, n, claim, delta):
    """Counts drawn at ranks against scores drawn, sorted and counted."""
    reps = 50
    direct = [
        wb.tradeoff_band(pair.sample(n, seed=1000 + i)).epsilon(delta).value for i in range(reps)
    ]
    planned = wb.plan_distribution(pair, n=n, delta=delta, reps=reps)
    assert ks_2samp(direct, planned.values).pvalue > 0.001
    power = wb.power(pair, claim_epsilon=claim, delta=delta, n=n)
    assert 0.1 < power.value < 0.95
    assert agree(power.value, np.mean(np.array(direct) > claim), 4000, reps)
    # The same comparison tells a quarter of the scores from all of them.
    fewer = wb.plan_distribution(pair, n=(n[0] // 4, n[1] // 4), delta=delta, reps=reps)
    assert ks_2samp(direct, fewer.values).pvalue < 0.001


def test_ties_that_the_band_does_not_break_are_planned_with():
    pair = wb.RandomizedResponsePair(1.0, 0.0)
    drawn = wb.plan_distribution(pair, n=400, delta=0.0, reps=10, seed=2)
    direct = [
        wb.tradeoff_band(pair.sample(400, seed=r)).epsilon(0.0).value
        for r in np.random.default_rng(2).spawn(10)
    ]
    np.testing.assert_array_equal(drawn.values, np.sort(direct))
    assert "audits" in wb.power(pair, claim_epsilon=0.5, delta=0.0, n=400).how


@pytest.mark.statistical
def test_plans_of_audits_that_stop_agree_with_such_audits():
    reps, n, claim = 60, 400, 1.0
    direct = [wb.anytime_epsilon(GAUSSIAN.sample(n, seed=i), DELTA).value for i in range(reps)]
    planned = wb.power(GAUSSIAN, claim_epsilon=claim, delta=DELTA, n=n, guarantee="anytime")
    assert 0.1 < planned.value < 0.9
    assert agree(planned.value, np.mean(np.array(direct) > claim), 100, reps)
    drawn = wb.plan_distribution(GAUSSIAN, n=n, delta=DELTA, guarantee="anytime", reps=30)
    assert ks_2samp(direct, drawn.values).pvalue > 0.001


def test_held_out_plans_are_held_out_audits():
    drawn = wb.plan_distribution(GAUSSIAN, n=500, delta=DELTA, guarantee="held-out", reps=8, seed=3)
    rng = np.random.default_rng(3).spawn(8)
    direct = [held_out_bound(GAUSSIAN.sample(500, seed=r), Epsilon(DELTA), 0.95).value for r in rng]
    np.testing.assert_allclose(drawn.values, np.sort(direct))
    # Too few scores to hold any out show nothing.
    assert wb.power(GAUSSIAN, claim_epsilon=0, delta=DELTA, n=3, guarantee="held-out").value == 0


@pytest.mark.parametrize("method", ["pointwise", "simultaneous", "one question", "anytime"])
def test_more_scores_show_more(method):
    values = [
        float(wb.power(GAUSSIAN, claim_epsilon=1.0, delta=DELTA, n=n, guarantee=method))
        for n in (60, 180, 360, 900)
    ]
    assert values == sorted(values)
    assert values[0] < 0.3 < 0.9 < values[-1]


@pytest.mark.parametrize("method", ["pointwise", "simultaneous", "one question", "anytime"])
def test_a_true_claim_is_rarely_called_false(method):
    pair = wb.LaplacePair(0.5)  # any threshold in a tail shows all of ε
    false = wb.power(pair, claim_epsilon=0.5, delta=0.0, n=500, guarantee=method)
    assert false.value <= 0.05 + 3 * false.standard_error
    assert (
        float(wb.power(pair, claim_epsilon=0.2, delta=0.0, n=20_000, guarantee="pointwise")) > 0.95
    )


# -- how many scores ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["pointwise", "simultaneous", "one question"])
@pytest.mark.parametrize(("target", "wanted"), [(2.0, 0.8), (1.2, 0.5), (1.2, 0.95)])
@pytest.mark.statistical
def test_the_sample_size_is_enough_and_hardly_more(method, target, wanted):
    needed = wb.samples_needed(
        GAUSSIAN, claim_epsilon=target, delta=DELTA, power=wanted, guarantee=method
    )
    assert needed.power.value >= wanted
    assert (
        wb.power(
            GAUSSIAN, claim_epsilon=target, delta=DELTA, n=int(0.85 * needed.n), guarantee=method
        ).value
        < wanted
    )
    assert int(needed) == needed.n == needed.power.n_p == needed.power.n_q
    drawn = wb.plan_distribution(
        GAUSSIAN, n=needed.n, delta=DELTA, guarantee=method, reps=60, seed=7
    )
    share = np.mean(drawn.values > target)
    assert agree(share, needed.power.value, 60, 4000)


def test_an_audit_that_stops_is_planned_by_when_it_stops():
    needed = wb.samples_needed(GAUSSIAN, claim_epsilon=1.2, delta=DELTA, guarantee="anytime")
    assert 0.8 <= needed.power.value < 0.9
    again = wb.power(
        GAUSSIAN, claim_epsilon=1.2, delta=DELTA, n=needed.n, guarantee="anytime", seed=1
    )
    assert agree(needed.power.value, again.value, 100, 100)


def test_a_held_out_audit_is_planned(monkeypatch):
    monkeypatch.setattr(plan_audits, "AUDITS", 20)
    needed = wb.samples_needed(
        wb.GaussianPair(2), claim_epsilon=1.5, delta=DELTA, guarantee="held-out"
    )
    assert needed.power.value >= 0.8
    band = wb.samples_needed(wb.GaussianPair(2), claim_epsilon=1.5, delta=DELTA)
    assert 0.7 * band.n < needed.n < 3 * band.n


def test_closer_to_the_truth_takes_more():
    sizes = [
        wb.samples_needed(GAUSSIAN, claim_epsilon=e, delta=DELTA, guarantee="pointwise").n
        for e in (0.5, 1, 2, 4)
    ]
    assert sizes == sorted(sizes)
    assert sizes[-1] > 10**7


def test_the_seed_decides_and_nothing_else():
    plans = [wb.samples_needed(GAUSSIAN, claim_epsilon=0.5, delta=DELTA, seed=5) for _ in range(2)]
    assert plans[0] == plans[1]
    assert "scores per group for 80%" in repr(plans[0])
    drawn = [
        wb.plan_distribution(GAUSSIAN, n=100, delta=DELTA, reps=5, seed=s).values for s in (0, 0, 1)
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_a_distribution_tells_its_quantiles():
    plan = wb.plan_distribution(GAUSSIAN, n=1000, delta=DELTA, guarantee="pointwise", reps=500)
    assert plan.quantile([0.1, 0.9]).shape == (2,)
    assert 0 < plan.quantile(0.1) < plan.quantile(0.9) < plan.truth == GAUSSIAN.epsilon(DELTA)
    assert "median" in repr(plan)


def test_counts_at_ranks_are_those_of_scores():
    """The drawn false positive rates are order statistics, and the counts fit to them."""
    fpr, counts = BandPlan(GAUSSIAN, DELTA, 0.95, 0, "simultaneous").rates_and_counts(
        300, 200, 4000
    )
    s = [GAUSSIAN.sample((300, 200), seed=i) for i in range(300)]
    ranks = rank_grid(200)
    assert np.allclose(fpr.mean(axis=0), ranks / 201, atol=4 * 0.5 / np.sqrt(200 * 4000) + 1e-4)
    above = np.array([x.tail_counts(x.samples.most_member_like_q(ranks))[0] for x in s])
    error = above.std(axis=0) / np.sqrt(300) + 1e-9
    assert np.all(np.abs(above.mean(axis=0) - counts.mean(axis=0)) < 5 * error)
    np.testing.assert_allclose(above.std(axis=0), counts.std(axis=0), rtol=0.2, atol=0.05)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: wb.samples_needed(GAUSSIAN, claim_epsilon=5, delta=DELTA),
            r"below the truth, got 5.*ε = 4\.37",
        ),
        (
            lambda: wb.samples_needed(wb.GaussianPair(0), claim_epsilon=0, delta=DELTA),
            "ε = 0 at δ = 1e-5",
        ),
        (
            lambda: wb.samples_needed(
                GAUSSIAN, claim_epsilon=4.37, delta=DELTA, guarantee="pointwise"
            ),
            "more than 1,000,000,000 scores",
        ),
        (
            lambda: wb.samples_needed(GAUSSIAN, claim_epsilon=1, delta=DELTA, power=1),
            "power must lie strictly between",
        ),
        (
            lambda: wb.samples_needed(GAUSSIAN, claim_epsilon=-1, delta=DELTA),
            "claim_epsilon must be at least 0, got -1",
        ),
        (
            lambda: wb.power(GAUSSIAN, claim_epsilon=-1, delta=DELTA, n=100),
            "claim_epsilon must be at least 0",
        ),
        (
            lambda: wb.power(GAUSSIAN, claim_epsilon=1, delta=DELTA, n=1),
            "n_p must be a whole number of at least 2",
        ),
        (
            lambda: wb.power(GAUSSIAN, claim_epsilon=1, delta=DELTA, n=100, guarantee="best"),
            "must be one of 'simultaneous'",
        ),
        (
            lambda: wb.power(GAUSSIAN, claim_epsilon=1, delta=DELTA, n=100, confidence=0.05),
            "did you mean 0.95",
        ),
        (
            lambda: wb.power(GAUSSIAN, claim_epsilon=1, delta=2.0, n=100),
            r"delta must lie in \[0, 1\)",
        ),
        (
            lambda: wb.plan_distribution(GAUSSIAN, n=100, delta=DELTA, reps=0),
            "reps must be a whole",
        ),
    ],
)
def test_bad_arguments_say_what_to_do(call, says):
    with pytest.raises(ValueError, match=says):
        call()
