"""The likelihood fit of μ: against brute force, under monotone maps, in odd cases, in the mean."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import chdtri, ndtr
from scipy.stats import norm

import workbench as wb
from workbench.bounds.parametric.gdp_fit import gdp_fit
from workbench.bounds.parametric.residuals import local_mu
from workbench.estimators.binormal import Binormal, counts_in_cells, equal_cells
from workbench.estimators.range_bias import mu_without_leak
from workbench.pairs.gdp_regret import distance_to_gaussian
from workbench.scores.counting.counted import CountedScores

TABLES = [
    ([5, 9, 14, 22], [20, 16, 9, 5]),
    ([0, 3, 2, 1, 4], [4, 2, 3, 0, 1]),
    ([1, 0, 6], [5, 3, 2]),
    ([30, 1], [29, 4]),
    ([2, 40, 7, 0.5, 3.5], [9, 30, 6, 1, 0.25]),  # expected counts need not be whole
]
DROP = float(chdtri(1, 0.05))


def log_likelihood(p, q, mu, slope, cuts):
    masses = (
        np.diff(np.concatenate([[0.0], ndtr(slope * cuts - mu), [1.0]])),
        np.diff(np.concatenate([[0.0], ndtr(cuts), [1.0]])),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [np.where(c > 0, c * np.log(m), 0.0) for c, m in zip((p, q), masses, strict=True)]
    return float(sum(t.sum() for t in terms))


def brute(p, q, free_slope=False, mu=None):
    """The maximum by a search without derivatives, from several starts."""
    p, q = np.asarray(p, float), np.asarray(q, float)

    def cost(x):
        cuts = x[0] + np.concatenate([[0.0], np.cumsum(np.exp(x[3:]))])
        at = x[1] if mu is None else mu
        return -log_likelihood(p, q, at, math.exp(x[2]) if free_slope else 1.0, cuts)

    best = None
    for first in (-1.5, -0.5):
        start = np.concatenate([[first, 0.3, 0.0], np.full(p.size - 2, -0.5)])
        for _ in range(3):
            found = minimize(
                cost, start, method="Nelder-Mead",
                options={"maxiter": 40_000, "maxfev": 40_000, "xatol": 1e-9, "fatol": 1e-12},
            )  # fmt: skip
            start = found.x
        if best is None or found.fun < best.fun:
            best = found
    return -best.fun, best.x[1], math.exp(best.x[2])


@pytest.mark.parametrize(("p", "q"), TABLES)
def test_the_maximum_is_that_of_brute_force(p, q):
    counts = Binormal(p, q)
    found, (value, mu, _) = counts.best, brute(p, q)
    assert found.log_likelihood == pytest.approx(value, abs=1e-7)
    assert found.log_likelihood >= value - 1e-9
    assert found.mu == pytest.approx(mu, abs=1e-3)
    own = log_likelihood(np.asarray(p, float), np.asarray(q, float), found.mu, 1.0, found.cuts)
    assert found.log_likelihood == pytest.approx(own, rel=1e-12)


@pytest.mark.parametrize(("p", "q"), TABLES[:2])
def test_the_slope_is_that_of_brute_force(p, q):
    counts = Binormal(p, q)
    value, _, slope = brute(p, q, free_slope=True)
    assert counts.slope == pytest.approx(slope, rel=1e-3)
    assert counts.at_slope(counts.slope).log_likelihood == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize(("p", "q"), TABLES)
def test_the_ends_of_the_interval_have_the_drop_by_brute_force(p, q):
    counts = Binormal(p, q)
    for end in counts.interval(DROP):
        value, _, _ = brute(p, q, mu=end)
        assert 2 * (counts.best.log_likelihood - value) == pytest.approx(DROP, abs=1e-5)


def test_two_cells_have_a_closed_form():
    """With one cut the fit is saturated: μ is the difference of the two probits."""
    counts = Binormal([30, 70], [80, 20])
    assert counts.best.mu == pytest.approx(norm.ppf(0.7) - norm.ppf(0.2), abs=1e-9)
    assert counts.best.log_likelihood == pytest.approx(counts.saturated, abs=1e-9)
    assert counts.slope is None


def test_expected_counts_of_a_binormal_curve_give_it_back():
    cuts = norm.ppf(np.linspace(0, 1, 13))
    for mu, slope in ((0.0, 1.0), (1.3, 1.0), (0.8, 0.6), (2.0, 1.7)):
        p, q = (1e6 * np.diff(x) for x in (norm.cdf(slope * cuts - mu), norm.cdf(cuts)))
        counts = Binormal(p, q)
        assert counts.slope == pytest.approx(slope, abs=1e-5)
        assert counts.at_slope(counts.slope).mu == pytest.approx(mu, abs=1e-4)


@pytest.mark.parametrize("digits", [1, 17])  # with ties, without
@pytest.mark.parametrize(
    "change",
    [np.exp, np.arctan, lambda x: x**3, lambda x: 1e300 * x, lambda x: np.argsort(np.argsort(x))],
    ids=["exp", "arctan", "cube", "huge", "kept"],
)
def test_no_increasing_function_of_the_score_changes_a_bit(change, digits):
    rng = np.random.default_rng(3)
    p, q = rng.normal(0.8, 1, 700).round(digits), rng.normal(0, 1.2, 500).round(digits)
    if change(np.array([2.0, 1.0])).dtype.kind == "i":  # pooled ranks, equal scores alike
        values = np.unique(np.concatenate([p, q]))
        p2, q2 = np.searchsorted(values, p), np.searchsorted(values, q)
    else:
        p2, q2 = change(p), change(q)
    fits = [
        wb.binormal_fit(one)
        for one in (
            wb.Scores(p, q, larger_is_member=True),
            wb.Scores(p2, q2, larger_is_member=True),
            wb.Scores(-np.asarray(p2, float), -np.asarray(q2, float), larger_is_member=False),
            wb.Scores(rng.permutation(p), rng.permutation(q), larger_is_member=True),
        )
    ]
    names = ("mu", "intercept", "interval", "slope", "deviance", "p_value", "cells")
    assert len({tuple(getattr(fit, name) for name in names) for fit in fits}) == 1


def test_counted_scores_have_the_same_fit():
    rows = wb.example("ties")
    assert wb.binormal_fit(CountedScores.of(rows)).words == wb.binormal_fit(rows).words


def test_cells_have_equal_probability_and_part_no_equal_scores():
    s = wb.GaussianPair(1).sample(1000, seed=4)
    p, q = equal_cells(s)
    assert (p + q == 100).all()
    assert p.size == 20
    assert (p.sum(), q.sum()) == (1000, 1000)
    tied = wb.Scores([1] * 50 + [2] * 50, [1] * 80 + [3] * 20)
    assert [list(x) for x in equal_cells(tied)] == [[50, 50, 0], [80, 0, 20]]
    few = wb.Scores([1, 2, 3], [4, 5, 6])
    assert equal_cells(few)[0].size == 4


@pytest.mark.parametrize(
    ("p", "q", "mu", "low", "high"),
    [
        ([4, 5, 6], [1, 2, 3], math.inf, 1.0, math.inf),  # separated
        ([1, 2, 3], [4, 5, 6], 0.0, 0.0, 0.0),  # separated the wrong way
        ([1, 1, 1], [1, 1, 1], 0.0, 0.0, math.inf),  # nothing is known
    ],
)
def test_degenerate_scores_are_answered_truthfully(p, q, mu, low, high):
    fit = wb.binormal_fit(wb.Scores(p, q, larger_is_member=True))
    assert fit.mu == mu
    assert fit.interval[0] >= low
    assert fit.interval[1] == high
    assert fit.p_value is None
    assert fit.slope is None
    assert fit.fits
    assert fit.estimate.value == mu
    assert fit.estimate.note == fit.words


def test_the_lower_end_of_separated_scores_is_that_of_one_cut():
    """Two groups of n on both sides of a cut: the drop is −4n log Φ(μ/2) by symmetry."""
    counts = Binormal([0, 10], [10, 0])
    low, high = counts.interval(DROP)
    assert high == math.inf
    assert -40 * math.log(norm.cdf(low / 2)) == pytest.approx(DROP, abs=1e-6)


def test_more_cells_where_few_of_them_separate_the_groups():
    p, q = np.linspace(0.9, 10, 4200), np.linspace(-9, 1, 3800)  # they overlap inside a cell
    s = wb.Scores(p, q, larger_is_member=True)
    assert math.isinf(Binormal(*equal_cells(s)).limit)
    fit = wb.binormal_fit(s)
    assert fit.cells > 20
    assert 3 < fit.interval[0] < fit.mu < fit.interval[1] < 10
    assert counts_in_cells(wb.GaussianPair(1).sample(500, seed=0)).cells == 20


def test_two_answers_leave_nothing_to_test():
    fit = wb.binormal_fit(wb.Scores(np.arange(100) % 3 > 0, np.arange(100) % 3 > 1))
    assert (fit.cells, fit.degrees, fit.p_value, fit.slope) == (2, 0, None, None)
    assert "too few" in fit.words


def test_the_estimate_says_interval_and_fit():
    s = wb.GaussianPair(1).sample(1000, seed=0)
    bound, fit = wb.gdp_fit(s, "likelihood"), wb.binormal_fit(s)
    assert (bound.guarantee, bound.family, bound.value) == ("estimate", "Gaussian", fit.mu)
    assert bound.note.startswith("95% interval 0.8")
    assert "no sign against" in bound.note
    assert "dorfman1969maximum" in bound.cite()
    assert "metz1998maximum" in bound.cite()
    wider = wb.gdp_fit(s, "likelihood", confidence=0.99)
    assert wider.value == bound.value
    assert "99% interval" in wider.note
    bad = wb.gdp_fit(wb.SubsampledGaussianPair(0.25, 0.3).sample(1000, seed=0), "likelihood")
    assert "no single μ describes these scores (p < 0.001" in bad.note


@pytest.mark.parametrize(
    ("source", "options", "says"),
    [
        (wb.GaussianPair(1), {"method": "likelihood"}, "needs Scores, got GaussianPair"),
        (wb.example("gaussian"), {"method": "likelihood", "floor": 0.1}, "takes no floor="),
        (wb.example("gaussian"), {"method": "tv", "confidence": 0.9}, "takes no confidence="),
        (wb.example("gaussian"), {"method": "likelihood", "confidence": 2}, "confidence"),
    ],
)
def test_gdp_fit_says_what_is_wrong(source, options, says):
    with pytest.raises(ValueError, match=says):
        gdp_fit(source, **options)


# -- what the range fit shows without a leak -----------------------------------------------------


@pytest.mark.parametrize(("n", "floor", "mean"), [(1000, 1e-3, 0.40), (100, 1e-2, 0.50)])
def test_the_range_fit_says_its_bias(n, floor, mean):
    assert mu_without_leak(n, n, floor) == pytest.approx(mean, abs=0.03)
    note = wb.gdp_fit(wb.GaussianPair(0).sample(n, seed=1), "range", floor=floor).note
    assert f"without a leak it is about {mu_without_leak(n, n, floor):.2f} on average" in note
    assert wb.gdp_fit(wb.GaussianPair(1), "range", floor=floor).note is None


def test_the_bias_is_exact_for_the_smallest_samples():
    """One score of each group: with chance ½ P is above, and μ is 2Φ⁻¹(1 − floor)."""
    exact = norm.isf(0.1)  # the mean of 0 and twice that
    assert mu_without_leak(1, 1, 0.1) == pytest.approx(exact, abs=0.2)


# -- residuals and the distance of curves --------------------------------------------------------


def test_residuals_of_a_gaussian_pair_are_within_their_limits():
    s = wb.GaussianPair(1).sample(2000, seed=1)
    local = local_mu(wb.roc(s))
    assert (local.lower <= 1).all()
    assert (local.upper >= 1).all()
    assert local.outside(1.0, "above") == local.outside(1.0, "below") == []
    assert local.outside(-3.0, "above")
    assert local.outside(4.0, "below")
    fpr, mu = local.observed
    assert (np.diff(fpr) > 0).all()
    assert np.median(mu) == pytest.approx(1, abs=0.1)


def test_limits_of_residuals_are_those_of_the_two_error_rates():
    """The limits of μ are the corners of the boxes that the limits of both error rates are."""
    from workbench.bounds.simultaneous.roc_band import roc_limits

    s = wb.LaplacePair(2).sample(300, seed=2)
    local, limits = local_mu(wb.roc(s), 0.9), roc_limits(s, 0.05)
    lower = norm.isf(limits.fpr_upper) - norm.ppf(limits.fnr_upper)
    assert np.nanmax(lower) == local.lower.max()
    with np.errstate(invalid="ignore"):
        upper = norm.isf(limits.fpr_lower) - norm.ppf(limits.fnr_lower)
    assert np.nanmin(upper) == pytest.approx(local.upper.min(), abs=1e-12)


def test_where_a_subsampled_pair_leaks_more_than_its_fit():
    s = wb.SubsampledGaussianPair(0.25, 0.3).sample(20_000, seed=0)
    mu, local = wb.binormal_fit(s).mu, local_mu(wb.roc(s))
    (more,) = local.outside(mu, "above")
    assert more[0] < 0.001
    assert 0.05 < more[1] < 0.3
    assert local.outside(mu, "below")[-1][1] > 0.5


def test_distance_to_a_gaussian_curve():
    alpha = np.linspace(0, 1, 4001)
    curve = wb.TradeoffCurve.hull(alpha, np.asarray(wb.GaussianPair(1).tradeoff(alpha)))
    assert distance_to_gaussian(curve, 1.0) == pytest.approx(0, abs=1e-3)
    perfect = wb.TradeoffCurve(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    # δ_μ(0)/2, the total variation over two; the profile of no leak is 0.
    tv = wb.GaussianPair(2).total_variation
    assert distance_to_gaussian(perfect, 2.0) == pytest.approx(tv / 2, abs=1e-9)
    assert distance_to_gaussian(perfect, math.inf) == pytest.approx(0.5)
    regret = wb.gdp_regret(curve, floor=1e-3)
    assert distance_to_gaussian(curve, regret.mu) >= regret.regret - 1e-12


# -- by simulation --------------------------------------------------------------------------------


@pytest.mark.statistical
@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_the_interval_covers_and_the_fit_is_right_in_the_mean(mu):
    """300 draws: coverage within 3 standard errors of 95%, p-values below 5% as often as that."""
    pair, covered, low, found = wb.GaussianPair(mu), 0, 0, []
    for seed in range(300):
        counts = Binormal(*equal_cells(pair.sample(500, seed=seed)))
        found.append(counts.best.mu)
        ends = counts.interval(DROP)
        covered += ends[0] <= mu <= ends[1]
        deviance = 2 * (counts.saturated - counts.best.log_likelihood)
        low += deviance > chdtri(counts.cells - 2, 0.05)
    error = 3 * math.sqrt(0.05 * 0.95 / 300)
    assert covered / 300 == pytest.approx(0.95, abs=error)
    assert low / 300 == pytest.approx(0.05, abs=error)
    assert np.mean(found) == pytest.approx(mu, abs=3 * np.std(found) / math.sqrt(300) + 0.003)
