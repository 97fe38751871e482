"""Bounds that assume a family, and the check of the family: levels, exactness, power."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest, chi2, norm

import workbench as wb
from workbench.bounds.counts.threshold import error_rates
from workbench.bounds.parametric import noncentral_t
from workbench.bounds.parametric.estimators import estimator_named
from workbench.bounds.parametric.noncentral_t import noncentrality_limits
from workbench.bounds.simultaneous.roc_band import roc_limits
from workbench.pairs.families.registry import FAMILIES

ORDERED = [
    ("laplace", None, wb.LaplacePair),
    ("subsampled-gaussian", 0.25, lambda x: wb.SubsampledGaussianPair(0.25, 1 / x)),
]
DELTA = 1e-5


def exceeds_its_level(wrong, of, error):
    """Whether a method that is wrong with probability at most ``error`` would hardly do this."""
    return binomtest(wrong, of, error, alternative="greater").pvalue < 0.01


def normal_scores(rng, n_p, n_q, mean=1.0, sd_p=1.0):
    return wb.Scores(rng.normal(mean, sd_p, n_p), rng.normal(0, 1, n_q))


# -- Gaussian: the noncentral t --------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [1, 4, 60, 20_000])
@pytest.mark.parametrize("t", [1.7, 9.0, 300.0])
def test_the_limits_solve_their_equations(degrees, t):
    """P(|T| ≤ t) as a mean over the normal numerator (scipy's own ``nct.cdf`` is NaN for −t)."""
    lower, upper = noncentrality_limits(-t, degrees, 0.04)
    numerator = norm.ppf((np.arange(200_000) + 0.5) / 200_000)

    def at_most_t(noncentrality):
        return chi2.sf(degrees * ((numerator + noncentrality) / t) ** 2, degrees).mean()

    assert at_most_t(upper) == pytest.approx(0.04, abs=1e-5)
    if lower > 0:
        assert at_most_t(lower) == pytest.approx(0.96, abs=1e-5)
    else:
        assert at_most_t(0) <= 0.96


@pytest.mark.parametrize("degrees", [3, 100, 10_000, 2_000_000])
def test_limits_of_a_huge_statistic_are_a_little_wider_than_exact(degrees, monkeypatch):
    t = 9000.0
    exact = noncentrality_limits(t, degrees, 0.05)
    monkeypatch.setattr(noncentral_t, "LARGEST_T", 0)
    lower, upper = noncentrality_limits(t, degrees, 0.05)
    assert exact[0] * (1 - 2e-3) < lower < exact[0]
    assert exact[1] < upper < exact[1] * (1 + 2e-3)


def test_no_statistic_is_too_large_or_too_small():
    for degrees in (1, 2, 1000, 10**9):
        for t in (0.0, 1e-300, 1e-3, 1.0, 9999.0, 10_001.0, 1e10, 1e150):
            for error in (0.4, 0.05, 1e-12):
                lower, upper = noncentrality_limits(t, degrees, error)
                assert 0 <= lower <= upper < np.inf


def naive_limits(s, error):
    """Known bad: the two-sample z interval with the estimated deviation taken for the true one."""
    p, q = s
    deviation = np.sqrt((p.var() * p.size + q.var() * q.size) / (p.size + q.size - 2))
    reach = -np.sqrt(1 / p.size + 1 / q.size) * float(noncentral_t.ndtri(error))
    d = abs(p.mean() - q.mean()) / deviation
    return d - reach, d + reach


def test_gaussian_limits_keep_their_level_exactly():
    """2000 small samples of a far pair: each end is wrong 5% of the time, no more and no less."""
    rng = np.random.default_rng(1)
    member, mu, error = estimator_named("gaussian"), 3.0, 0.05
    wrong = np.zeros(4, dtype=int)
    for _ in range(2000):
        s = normal_scores(rng, 8, 5, mean=-mu)
        found = member.limits(s, error)
        naive = naive_limits(s, error)
        wrong += [found.lower > mu, found.upper < mu, naive[0] > mu, naive[1] < mu]
    for count in wrong[:2]:
        assert binomtest(int(count), 2000, error).pvalue > 0.01
    assert exceeds_its_level(int(wrong[2]), 2000, error)
    assert exceeds_its_level(int(wrong[3]), 2000, error)


@pytest.mark.exhaustive
def test_identical_distributions_show_nothing_but_for_the_stated_error():
    wrong = sum(
        wb.parametric_bound(
            wb.GaussianPair(0).sample((300, 100), seed=seed), delta=DELTA, confidence=0.9
        ).value
        > 0
        for seed in range(1000)
    )
    assert binomtest(wrong, 1000, 0.1).pvalue > 0.01


def test_gaussian_limits_at_a_million_scores():
    """The asymptotic standard error of μ is √(1/n_p + 1/n_q + μ²/(2(n_p + n_q)))."""
    n, mu = 1_000_000, 2.0
    fit = wb.family_fit(wb.GaussianPair(mu).sample(n, seed=0), "gaussian", confidence=0.95)
    half = 1.959964 * np.sqrt(2 / n + mu**2 / (4 * n))
    assert fit.upper - fit.estimate == pytest.approx(half, rel=0.01)
    assert fit.estimate - fit.lower == pytest.approx(half, rel=0.01)
    assert fit.lower < mu < fit.upper


# -- families by their trade-off function ----------------------------------------------------------


@pytest.mark.parametrize(("family", "q", "pair"), ORDERED)
@pytest.mark.parametrize("parameter", [0.05, 0.7, 3.0, 8.0])
def test_a_point_of_the_curve_gives_the_parameter_back(family, q, pair, parameter):
    member = estimator_named(family, q)
    assert member.pair(parameter) == pair(parameter)
    alpha = np.array([1e-9, 1e-3, 0.1, 0.4, 0.6, 0.99])
    beta = pair(parameter).tradeoff(alpha, symmetric=False)
    # A point tells while it is more than round-off away from the curve of infinite leak.
    telling = beta - (0 if q is None else (1 - q) * (1 - alpha)) > 1e-9
    assert telling.sum() >= 2
    found = member.family.parameter_of_point(alpha[telling], beta[telling])
    np.testing.assert_allclose(found, parameter, rtol=1e-5)
    assert (member.family.parameter_of_point(alpha, 1 - alpha) <= 1e-6).all()


@pytest.mark.parametrize(("family", "q", "pair"), ORDERED)
@pytest.mark.parametrize("parameter", [0.3, 1.0, 3.0])
def test_the_area_under_the_curve_gives_the_parameter_back(family, q, pair, parameter):
    alpha = (np.arange(200_000) + 0.5) / 200_000
    auc = 1 - float(np.mean(pair(parameter).tradeoff(alpha, symmetric=False)))
    member = estimator_named(family, q)
    assert member.family.parameter_of_auc(auc) == pytest.approx(parameter, rel=1e-3)
    assert member.family.parameter_of_auc(0.5) == pytest.approx(0, abs=1e-6)
    assert member.family.parameter_of_auc(0.4) == 0
    assert member.family.parameter_of_auc(1.0) == np.inf


def best_of_thresholds(s, q, family, error):
    """Known bad: at each threshold a limit of its own for either rate, and the best of them."""
    rates = error_rates(s, np.concatenate(list(s)), 1 - 2 * error)
    return (
        estimator_named(family, q).family.parameter_of_point(rates.fpr_upper, rates.fnr_upper).max()
    )


@pytest.mark.parametrize(("family", "q", "pair"), ORDERED)
@pytest.mark.parametrize("digits", [None, 1], ids=["continuous", "ties"])
@pytest.mark.statistical
def test_ordered_limits_keep_their_level(family, q, pair, digits):
    """Any monotone function of the score and unequal sizes; rounding keeps a Laplace's order."""
    rng = np.random.default_rng(2)
    error, reps, truth = 0.05, 300, 1.5
    lower = upper = bad = 0
    for _ in range(reps):
        s = pair(truth).sample((400, 900), seed=rng)
        if digits is not None:
            s = wb.Scores(*(np.round(x, digits) for x in s))
        found = estimator_named(family, q).limits(s, error)
        lower += found.lower > truth
        upper += found.upper < truth
        bad += best_of_thresholds(s, q, family, error) > truth
    assert not exceeds_its_level(lower, reps, error)
    assert not exceeds_its_level(upper, reps, error)
    assert exceeds_its_level(bad, reps, error)


@pytest.mark.parametrize(("family", "q", "pair"), ORDERED)
def test_ordered_limits_are_near_on_typical_scores(family, q, pair):
    """Scores at the pair's own quantiles, so that nothing is left to chance."""
    truth, n = 2.0, 20_000
    level = (np.arange(n) + 0.5) / n
    fnr = np.asarray(pair(truth).tradeoff(level, symmetric=False))
    # Q uniform from above: its score is −level; P at the levels where the true positive rate is.
    s = wb.Scores(-np.interp(level, 1 - fnr, level), -level)
    bound = wb.parametric_bound(s, family, delta=0.01, q=q)
    assert 0.8 * pair(truth).epsilon(0.01) < bound.value < pair(truth).epsilon(0.01)
    both = wb.parametric_bound(s, family, delta=0.01, q=q, side="two")
    assert both.value < bound.value
    assert both.high > pair(truth).epsilon(0.01)
    assert not wb.family_check(s, family, q=q).refuted


def test_ordered_limits_do_not_mind_the_unit_of_the_score():
    s = wb.LaplacePair(1).sample((2000, 3000), seed=3)
    plain = wb.family_fit(s, "laplace")
    turned = wb.Scores(-np.arctan(s.p), -np.arctan(s.q), larger_is_member=False)
    again = wb.family_fit(turned, "laplace")
    assert (plain.lower, plain.upper) == (again.lower, again.upper)
    assert again.estimate == pytest.approx(plain.estimate)


# -- randomized response ---------------------------------------------------------------------------


def outcomes(false_p, n_p, false_q, n_q):
    p, q = np.ones(n_p), np.zeros(n_q)
    p[:false_p], q[:false_q] = 0, 1
    return wb.Scores(p, q)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_randomized_response_keeps_its_level(epsilon):
    """Exactly, by summing over all counts of false answers."""
    n_p, n_q, error = 30, 20, 0.05
    false = np.arange(n_p + n_q + 1)
    false_p = np.rint(false * n_p / false[-1]).astype(int)
    member = estimator_named("randomized-response")
    found = [
        member.limits(outcomes(i, n_p, k - i, n_q), error)
        for k, i in zip(false, false_p, strict=True)
    ]
    chance = binom.pmf(false, n_p + n_q, 1 / (1 + np.exp(epsilon)))
    assert chance[[f.lower > epsilon for f in found]].sum() <= error
    assert chance[[f.upper < epsilon for f in found]].sum() <= error
    assert found[0].upper == np.inf
    # No false answer: the false rate is at most 1 − error^(1/n).
    most = 1 - error ** (1 / false[-1])
    assert found[0].lower == pytest.approx(np.log((1 - most) / most))


def test_randomized_response_pools_both_sides():
    fit = wb.family_fit(outcomes(250, 1000, 270, 1000), "randomized-response")
    assert fit.estimate == pytest.approx(np.log((2000 - 520) / 520))
    assert fit.parameter == "epsilon"
    check = wb.family_check(outcomes(250, 1000, 400, 1000), "randomized-response")
    assert check.refuted
    assert "randomized response has one rate" in check.reason
    assert (check.fpr_there, check.fnr_there) == (0.4, 0.25)
    reversed_order = wb.family_fit(outcomes(800, 1000, 800, 1000), "randomized-response")
    assert not reversed_order.fits


# -- the check of a family -------------------------------------------------------------------------

TRUE = {
    "gaussian at 0": ("gaussian", None, wb.GaussianPair(0)),
    "gaussian at 1": ("gaussian", None, wb.GaussianPair(1)),
    "gaussian at 6": ("gaussian", None, wb.GaussianPair(6)),
    "laplace": ("laplace", None, wb.LaplacePair(1)),
    "subsampled": ("subsampled-gaussian", 0.25, wb.SubsampledGaussianPair(0.25, 0.3)),
    "randomized response": ("randomized-response", None, wb.RandomizedResponsePair(1, 0)),
}


@pytest.mark.parametrize("case", TRUE)
@pytest.mark.statistical
def test_a_true_family_is_refuted_at_most_at_the_stated_rate(case):
    family, q, pair = TRUE[case]
    rng = np.random.default_rng(4)
    reps, confidence = 200, 0.8
    wrong = sum(
        wb.family_check(pair.sample((300, 500), seed=rng), family, confidence, q).refuted
        for _ in range(reps)
    )
    assert not exceeds_its_level(wrong, reps, 1 - confidence)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("case", ["gaussian at 1", "laplace", "subsampled"])
def test_the_same_test_catches_a_check_with_pointwise_limits(case):
    family, q, pair = TRUE[case]
    rng, member = np.random.default_rng(4), estimator_named(family, q)
    reps, confidence, wrong = 200, 0.8, 0
    for _ in range(reps):
        s = pair.sample((300, 500), seed=rng)
        error = (1 - confidence) / 2
        ranks = roc_limits(s, error).thresholds.size
        # The fitted member against limits that hold at one threshold each.
        wide = roc_limits(s, 2 * ranks * error)
        estimate = member.estimate(s)
        wrong += bool(
            (member.curve(estimate, wide.fpr_upper) > wide.fnr_upper).any()
            or (member.curve(estimate, wide.fpr_lower) < wide.fnr_lower).any()
        )
    assert exceeds_its_level(wrong, reps, 1 - confidence)


def sigmoid(x):
    return 1 / (1 + np.exp(2 - x))


NOT_GAUSSIAN = {
    "unequal deviations, equal means": lambda r, n: (r.normal(0, 1.5, n), r.normal(0, 1, n)),
    "deviation 1.2 against 1": lambda r, n: (r.normal(1, 1.2, n), r.normal(0, 1, n)),
    "Laplace": lambda r, n: (r.laplace(1, 1, n), r.laplace(0, 1, n)),
    "Laplace, identical": lambda r, n: (r.laplace(0, 1, n), r.laplace(0, 1, n)),
    "t with 5 degrees": lambda r, n: (1 + r.standard_t(5, n), r.standard_t(5, n)),
    "half of P moved": lambda r, n: (r.normal(2 * (r.random(n) < 0.5), 1), r.normal(0, 1, n)),
    "a tenth of P moved": lambda r, n: (r.normal(2 * (r.random(n) < 0.1), 1), r.normal(0, 1, n)),
    "subsampled Gaussian": lambda r, n: tuple(wb.SubsampledGaussianPair(0.25, 0.3).sample(n, r)),
    "a sigmoid of Gaussian": lambda r, n: (sigmoid(r.normal(4, 1, n)), sigmoid(r.normal(0, 1, n))),
}


@pytest.mark.parametrize("case", NOT_GAUSSIAN)
def test_what_is_not_gaussian_is_found_out_at_ten_thousand(case):
    for seed in range(10):
        s = wb.Scores(*NOT_GAUSSIAN[case](np.random.default_rng(seed), 10_000))
        check = wb.family_check(s, "gaussian")
        assert check.refuted, seed
        assert s.quantile(0) <= check.threshold <= s.quantile(1)


def test_what_is_not_of_an_ordered_family_is_found_out_at_ten_thousand():
    for seed in range(10):
        gaussian = wb.GaussianPair(1).sample(10_000, seed=seed)
        laplace = wb.LaplacePair(1).sample(10_000, seed=seed)
        subsampled = wb.SubsampledGaussianPair(0.25, 0.3).sample(10_000, seed=seed)
        assert wb.family_check(gaussian, "laplace").refuted
        assert wb.family_check(laplace, "subsampled-gaussian", q=0.9).refuted
        assert wb.family_check(subsampled, "subsampled-gaussian", q=0.2).refuted
        # A score that was turned round does not keep the order.
        assert wb.family_check(laplace.with_direction(False), "laplace").refuted


@pytest.mark.statistical
def test_a_gaussian_bound_on_what_is_not_gaussian_is_wrong_and_found_out():
    """What the page teaches: a false family gives false bounds, and the check says so."""
    laplace, truth = wb.LaplacePair(1), wb.LaplacePair(1).epsilon(DELTA)
    rng = np.random.default_rng(5)
    wrong = found_out = right_family = 0
    for seed in range(100):
        s = laplace.sample(10_000, seed=seed)
        wrong += wb.parametric_bound(s, delta=DELTA).value > truth
        found_out += wb.family_check(s, "gaussian").refuted
        right_family += wb.parametric_bound(s, "laplace", delta=DELTA).value > truth
    assert (wrong, found_out) == (100, 100)
    assert not exceeds_its_level(right_family, 100, 0.05)
    # Many narrow scores of P against few wide ones of Q: the pooled variance is too small.
    s_p, wrong, found_out = 0.3, 0, 0
    grid = np.linspace(-8, 8, 400_001)
    density = [np.exp(-(((grid - m) / s) ** 2) / 2) / s for m, s in ((1, s_p), (0, 1))]
    tv = np.abs(density[0] - density[1]).sum() * (grid[1] - grid[0]) / np.sqrt(8 * np.pi)
    for _ in range(100):
        s = normal_scores(rng, 10_000, 300, sd_p=s_p)
        wrong += wb.parametric_bound(s, quantity="total variation").value > tv
        found_out += wb.family_check(s, "gaussian").refuted
    assert (wrong, found_out) == (100, 100)


def test_a_monotone_score_deceives_the_gaussian_bound_but_not_its_check():
    s = wb.Scores(*NOT_GAUSSIAN["a sigmoid of Gaussian"](np.random.default_rng(6), 10_000))
    assert wb.parametric_bound(s, quantity="mu").value > 4
    assert wb.mu_lower_bound(s).value < 4
    assert wb.family_check(s, "gaussian").refuted


@pytest.mark.parametrize(("family", "q"), [("laplace", None), ("gaussian", None)])
def test_the_curves_of_a_check(family, q):
    s = wb.GaussianPair(1).sample((9000, 10_000), seed=7)
    check = wb.family_check(s, family, q=q)
    assert check.refuted == (family == "laplace")
    assert (np.diff(check.fpr) > 0).all()
    assert (check.fpr[0], check.fpr[-1]) == (0, 1)
    assert check.fpr.size <= 2000
    assert (check.fnr_lower <= check.fnr_upper).all()
    for curve in (check.fnr_lower, check.fnr_upper, check.fnr_fitted):
        assert (np.diff(curve) <= 1e-12).all()
    # The band holds the observed rates, and the truth.
    tp, fp = s.tail_counts(np.linspace(-2, 3, 20))
    at = np.interp(fp / s.n_q, check.fpr, check.fnr_upper)
    assert (1 - tp / s.n_p <= at).all()
    truth = wb.GaussianPair(1).tradeoff(check.fpr)
    assert ((check.fnr_lower <= truth) & (truth <= check.fnr_upper)).all()
    outside = (check.fnr_fitted > check.fnr_upper) | (check.fnr_fitted < check.fnr_lower)
    assert outside.any() == check.refuted
    if check.refuted:
        assert check.fpr_there == pytest.approx(np.mean(s.q > check.threshold))
        assert check.fnr_there == pytest.approx(np.mean(s.p <= check.threshold))
        assert f"{check.threshold:.4g}" in check.verdict
        assert "rule out that the pair is Laplace" in check.verdict
    else:
        assert check.threshold is None
        assert "does not show" in check.verdict


# -- results and refusals --------------------------------------------------------------------------


def test_a_bound_says_what_it_assumes():
    s = wb.GaussianPair(1).sample(1000, seed=8)
    bound = wb.parametric_bound(s, delta=DELTA)
    assert bound.family == "Gaussian with equal variances"
    assert (bound.guarantee, bound.side, bound.delta) == ("pointwise", "lower", DELTA)
    assert "if the pair is Gaussian" in str(bound)
    assert "johnson1940" in bound.cite()
    assert bound.value < wb.GaussianPair(1).epsilon(DELTA)
    mu = wb.parametric_bound(s, quantity="mu")
    assert bound.value == pytest.approx(wb.GaussianPair(mu.value).epsilon(DELTA))
    delta = wb.parametric_bound(s, quantity="delta", epsilon=1.0)
    assert delta.value == pytest.approx(wb.GaussianPair(mu.value).profile(1.0))
    laplace = wb.parametric_bound(s, "laplace", "total variation", side="two")
    assert laplace.guarantee == "simultaneous"
    assert "keeps the order of its likelihood ratio" in laplace.family
    assert laplace.value < laplace.high
    for bound in (
        laplace,
        wb.parametric_bound(outcomes(2, 9, 3, 9), "randomized-response", delta=0),
    ):
        assert bound.cite()


def test_where_no_member_fits_the_bound_is_void_and_claims_nothing():
    s = wb.SubsampledGaussianPair(0.25, 0.3).sample(10_000, seed=9)
    bound = wb.parametric_bound(s, "subsampled-gaussian", delta=DELTA, q=0.2, side="two")
    assert bound.void == "the scores rule out this family"
    assert bound.checked == "refuted"
    assert (bound.value, bound.high) == (0, np.inf)
    fit = wb.family_fit(s, "subsampled-gaussian", q=0.2)
    assert not fit.fits
    assert "no member fits" in repr(fit)
    assert "no member fits" in fit._repr_html_()
    assert "refuted" in wb.family_check(s, "subsampled-gaussian", q=0.2)._repr_html_()


@pytest.mark.parametrize("n", [2, 5, 1000])
@pytest.mark.parametrize("family", FAMILIES)
def test_separated_and_tiny_samples_give_no_nan(family, n):
    rng = np.random.default_rng(10)
    apart = wb.Scores(5 + rng.random(n), rng.random(n))
    if family == "randomized-response":
        apart = outcomes(0, n, 0, n)
    q = 0.9 if family.startswith("sub") else None
    for quantity, more in (
        ("epsilon", {"delta": 0.0}),
        ("epsilon", {"delta": DELTA}),
        ("delta", {"epsilon": 1.0}),
        ("total variation", {}),
    ):
        bound = wb.parametric_bound(apart, family, quantity, side="two", q=q, **more)
        assert 0 <= bound.value <= bound.high
    check = wb.family_check(apart, family, q=q)
    for curve in (check.fnr_fitted, check.fnr_lower, check.fnr_upper):
        assert ((curve >= 0) & (curve <= 1)).all()
    if n == 2:
        assert not check.refuted


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"family": "normal"}, "'laplace', 'subsampled-gaussian', 'randomized-response'; got"),
        ({"family": "subsampled-gaussian"}, "needs q="),
        ({"family": "subsampled-gaussian", "q": 1.5}, r"q must lie in \(0, 1\], got 1.5"),
        ({"family": "laplace", "q": 0.5}, "takes no q=, got 0.5"),
        ({"delta": None}, "quantity='epsilon' needs delta="),
        ({"epsilon": 1.0}, "takes no epsilon=, got 1.0"),
        ({"quantity": "delta"}, "quantity='delta' needs epsilon="),
        ({"family": "laplace", "quantity": "mu", "delta": None}, "ask for quantity='epsilon'"),
        ({"side": "upper"}, "'lower', 'two'; got 'upper'"),
        ({"confidence": 0.05}, "did you mean 0.95"),
        ({"delta": 1.0}, "delta must lie in"),
        ({"family": "randomized-response"}, "two outcomes"),
    ],
)
def test_bad_requests_say_what_to_do(options, says):
    options = {"delta": DELTA} | options
    if options.get("quantity") == "delta":
        del options["delta"]
    with pytest.raises(ValueError, match=says):
        wb.parametric_bound(wb.Scores([1, 2, 3], [0, 1, 2]), **options)


def test_scores_that_no_gaussian_gives_are_refused():
    with pytest.raises(ValueError, match="nonfinite='drop'"):
        wb.family_check(wb.Scores([1, 2, np.inf], [0, 1, 2]), "gaussian")
    with pytest.raises(ValueError, match="all scores of P are 1 and all of Q are 0"):
        wb.family_fit(wb.Scores([1, 1, 1], [0, 0]), "gaussian")
    dropped = wb.Scores([1, 2, np.nan, 3], [0, 1, 2], nonfinite="drop")
    assert wb.parametric_bound(dropped, delta=DELTA).discarded == 1


def test_scores_out_of_every_members_reach_fit_no_member():
    """At most a share q of members is found by any subsampled Gaussian; here it is nearly all."""
    fit = wb.family_fit(wb.example("breast-cancer-losses"), "subsampled-gaussian", q=0.25)
    assert not fit.fits
    bound = wb.parametric_bound(fit.scores, "subsampled-gaussian", delta=1e-5, q=0.25)
    assert bound.value == 0
    assert bound.void
