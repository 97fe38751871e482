"""Bounds of counted scores: those of the rows, or valid where a hash of the rows decides."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import binom, norm

import workbench as wb
from workbench.scores.counting.counted import CountedScores

EPSILON = 1.0


def lattice(n_p=3000, n_q=4000, larger=True, seed=0, odd=False):
    """Scores with about 30 values, each group with its own."""
    rng = np.random.default_rng(seed)
    p, q = rng.binomial(30, 0.6, n_p) / 4, rng.binomial(30, 0.5, n_q) / 4
    if odd:
        p[:40], q[:10], p[40:60], q[10:50] = np.nan, np.nan, np.inf, -np.inf
    sign = 1 if larger else -1
    return wb.Scores(sign * p, sign * q, larger_is_member=larger)


SAMPLES = {
    "larger": lattice(),
    "smaller": lattice(larger=False, seed=1),
    "odd": lattice(seed=2, odd=True),
    "two outcomes": wb.RandomizedResponsePair(EPSILON, 0.0).sample(2000, seed=0),
}

#: What depends on no hash of the rows.
ASKED = {
    "band ε": lambda s: wb.tradeoff_band(s).epsilon(1e-5),
    "band μ": lambda s: wb.tradeoff_band(s, 0.99).mu(),
    "band TV": lambda s: wb.tradeoff_band(s).total_variation(),
    "band δ": lambda s: wb.tradeoff_band(s).delta(0.5),
    "band TPR": lambda s: wb.tradeoff_band(s).tpr(0.01),
    "pointwise": lambda s: wb.epsilon_lower_bound(s, 1e-5, guarantee=wb.Pointwise(0.5)),
    "joint": lambda s: wb.mu_lower_bound(s, guarantee=wb.Pointwise(0.5, "joint")),
    "anytime ε": lambda s: wb.anytime_epsilon(s, 1e-5),
    "anytime μ": lambda s: wb.anytime_mu(s),
    "anytime TV": lambda s: wb.anytime_total_variation(s, ratio=(1, 1)),
    "path": lambda s: wb.anytime_path(s, 1e-5).bound,
    "fixed size": lambda s: wb.fixed_size_limits(s, 1e-5).largest(2000),
    "bins": lambda s: wb.hockey_stick_limits(wb.histogram(s, bins=9, range=(-9, 9)), 0.3),
    "composed band": lambda s: wb.compose_band(wb.tradeoff_band(s), 2).epsilon(1e-5),
    "verdict": lambda s: wb.judge(s, "gdp(0.1)").to_dict(),
    "verdict on a point": lambda s: wb.judge(s, "pure(3)").to_dict(),
    "comparison": lambda s: wb.compare(s, SAMPLES["larger"]).explain(),
    "Laplace": lambda s: wb.parametric_bound(s, "laplace", delta=1e-5),
    "ROC": lambda s: (wb.roc(s).auc, wb.roc(s).epsilon(1e-3), *wb.roc(s).tpr([0.01, 0.1])),
    "e-value": lambda s: wb.anytime_e_value(s, 0.5, 1e-5),
    "posterior": lambda s: wb.posterior_over_thresholds(
        s, wb.GaussianPair(0.3), np.array([0.1, 3.0])
    ).mass.tolist(),
}


@pytest.mark.sampled(30)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("sample", SAMPLES)
def test_bounds_are_those_of_the_rows(sample, asked):
    rows = SAMPLES[sample]
    a, b = ASKED[asked](CountedScores.of(rows)), ASKED[asked](rows)
    assert repr(a) == repr(b)
    assert a == b or repr(a) == repr(b)  # NaN among fields


@pytest.mark.parametrize("sample", ["larger", "smaller", "two outcomes"])
def test_gaussian_fits_are_those_of_the_rows(sample):
    rows = SAMPLES[sample]
    a, b = (wb.family_fit(s, "gaussian") for s in (CountedScores.of(rows), rows))
    assert (a.estimate, a.lower, a.upper) == pytest.approx((b.estimate, b.lower, b.upper), rel=1e-9)
    assert wb.gdp_fit(CountedScores.of(rows)).value == pytest.approx(wb.gdp_fit(rows).value)
    a, b = (wb.family_check(s, "gaussian") for s in (CountedScores.of(rows), rows))
    assert (a.refuted, a.threshold) == (b.refuted, b.threshold)


def test_randomized_response_fits_are_those_of_the_rows():
    rows = SAMPLES["two outcomes"]
    a, b = (wb.family_fit(s, "randomized-response") for s in (CountedScores.of(rows), rows))
    assert (a.estimate, a.lower, a.upper) == (b.estimate, b.lower, b.upper)
    assert a.lower < EPSILON < a.upper
    for s in (SAMPLES["odd"], SAMPLES["larger"]):
        with pytest.raises(ValueError, match="two outcomes"):
            wb.family_fit(CountedScores.of(s), "randomized-response")
    with pytest.raises(ValueError, match="finite scores"):
        wb.family_fit(CountedScores.of(SAMPLES["odd"]), "gaussian")


@pytest.mark.parametrize("rule", ["scott", "fd", "plugin", "wand", "knuth", "quantile"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_histograms_are_those_of_the_rows(sample, rule):
    rows = SAMPLES[sample]
    a, b = (wb.histogram(s, rule=rule) for s in (CountedScores.of(rows), rows))
    np.testing.assert_allclose(a.edges, b.edges, rtol=1e-12)
    if rule != "scott":  # the round-off of its variance may move an edge across a value
        np.testing.assert_array_equal(a.p_counts, b.p_counts)
        np.testing.assert_array_equal(a.q_counts, b.q_counts)
    fixed = [wb.histogram(s, bins=11, range=(-8, 8)) for s in (CountedScores.of(rows), rows)]
    np.testing.assert_array_equal(fixed[0].p_counts, fixed[1].p_counts)
    np.testing.assert_array_equal(fixed[0].q_counts, fixed[1].q_counts)


def test_a_learned_ratio_is_that_of_the_rows():
    from workbench.bounds.held_out.ordering import likelihood_ratio

    for rows in SAMPLES.values():
        a, b = likelihood_ratio(CountedScores.of(rows)), likelihood_ratio(rows)
        at = np.array([-9, -1, 0, 0.3, 2, 5, np.nan, np.inf, -np.inf])
        np.testing.assert_array_equal(a(at), b(at))


# -- where a hash decides ---------------------------------------------------------------------


def held_out(scores, ordering, splits=1):
    guarantee = wb.HeldOut(ordering=ordering, splits=splits)
    return wb.epsilon_lower_bound(scores, 0.0, guarantee=guarantee).value


@pytest.mark.parametrize("ordering", ["threshold", "likelihood-ratio"])
def test_held_out_bounds_find_what_those_of_the_rows_find(ordering):
    values = [
        [held_out(s, ordering) for s in (rows, CountedScores.of(rows))]
        for rows in (
            wb.RandomizedResponsePair(EPSILON, 0.0).sample(4000, seed=i) for i in range(40)
        )
    ]
    of_rows, of_counts = np.mean(values, axis=0)
    assert of_counts == pytest.approx(of_rows, abs=0.03)
    assert of_counts > 0.6 * EPSILON


@pytest.mark.statistical
@pytest.mark.parametrize("ordering", ["threshold", "likelihood-ratio"])
def test_held_out_bounds_of_counts_keep_their_level(ordering):
    """At most 5% of bounds exceed the truth; with 400 pairs, 32 or fewer in 99.6% of such tests."""
    reps, false = 400, 0
    for i in range(reps):
        scores = CountedScores.of(wb.RandomizedResponsePair(EPSILON, 0.0).sample(300, seed=i))
        false += held_out(scores, ordering) > EPSILON
    assert binom.sf(false - 1, reps, 0.05) > 0.004


@pytest.mark.statistical
def test_choosing_and_testing_on_the_same_counts_is_caught():
    """The test above is no test unless it fails for what does not hold: the estimate."""
    reps, false = 400, 0
    for i in range(reps):
        scores = CountedScores.of(wb.RandomizedResponsePair(EPSILON, 0.0).sample(300, seed=i))
        false += wb.roc(scores).epsilon(0.0) > EPSILON
    assert binom.sf(false - 1, reps, 0.05) < 1e-9


def test_parts_do_not_depend_on_the_order_and_are_reproducible():
    from workbench.bounds.random_split import split

    scores = CountedScores.of(SAMPLES["larger"])
    turned = wb.Scores(SAMPLES["larger"].p[::-1], SAMPLES["larger"].q[::-1])
    one, two = split(scores, 0.2)[0], split(CountedScores.of(turned), 0.2)[0]
    assert one.counts_p.tolist() == two.counts_p.tolist()
    assert (one.n_p, one.n_q) == (600, 800)
    other = split(scores, 0.2, which=1)[0]
    assert one.counts_p.tolist() != other.counts_p.tolist()
    first, rest = split(scores, 0.2)
    np.testing.assert_array_equal(first.counts_p + rest.counts_p, scores.counts_p)


# -- more than memory holds --------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    rng, values = np.random.default_rng(0), np.linspace(-6, 7, 2**18)
    edges = np.append(-np.inf, values)
    p, q = (rng.poisson(10**10 * np.diff(norm.cdf(edges, loc=at))) for at in (1, 0))
    first = rng.normal(1, 1, 5000), rng.normal(0, 1, 5000)
    return CountedScores(values, p, q, first=first, grid="equal cells")


AT_SCALE = ASKED | {
    "held-out": lambda s: wb.epsilon_lower_bound(s, 1e-5, guarantee="held-out"),
    "ratio": lambda s: wb.mu_lower_bound(s, guarantee=wb.HeldOut("likelihood-ratio")),
    "Gaussian": lambda s: wb.parametric_bound(s, "gaussian", delta=1e-5),
    "comparison": lambda s: wb.compare(s, s).explain(),
    "histogram": lambda s: wb.histogram(s, rule="plugin"),
    "shown": lambda s: s._repr_html_(),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("asked", AT_SCALE)
def test_ten_billion_scores_need_little_memory(asked, many):
    tracemalloc.start()
    try:
        found = AT_SCALE[asked](many)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found is not None
    assert peak < 200e6


def test_bounds_of_ten_billion_scores_are_close_to_the_truth(many):
    truth = wb.GaussianPair(1)
    band = wb.tradeoff_band(many)
    assert 0.99 * truth.epsilon(1e-5) < band.epsilon(1e-5).value < truth.epsilon(1e-5)
    assert 0.998 < band.mu().value < 1
    held = wb.epsilon_lower_bound(many, 1e-5, guarantee="held-out").value
    assert 0.99 * truth.epsilon(1e-5) < held < truth.epsilon(1e-5)
    assert wb.roc(many).auc == pytest.approx(norm.cdf(np.sqrt(0.5)), abs=1e-4)
    anytime = wb.anytime_epsilon(many, 1e-5)
    assert (anytime.value < truth.epsilon(1e-5), anytime.n_p <= 5000) == (True, True)
    assert "first 5,000 scores of P" in anytime.note


def test_what_a_grid_may_cause_is_said(many):
    assert "rounded to the cells" in wb.parametric_bound(many, "gaussian", delta=1e-5).note
    check = wb.family_check(many, "laplace")
    assert check.refuted
    assert check.verdict.endswith("may be due to the rounding.")
    exact = CountedScores.of(SAMPLES["larger"])
    assert wb.parametric_bound(exact, "gaussian", delta=1e-5).note is None
