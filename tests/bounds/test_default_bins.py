"""The default bins: right in any unit of the score, and never below what is certified unmarked."""

import numpy as np
import pytest

import workbench as wb
from workbench.bounds.estimates import checked_against, total_variation_estimate
from workbench.estimators.bin_rules import bin_width, quantile_bins

N = 10_000


def gaussian(seed=0, mu=1.0):
    rng = np.random.default_rng(seed)
    return rng.normal(mu, 1, N), rng.normal(0, 1, N)


def one_outlier():
    p, q = gaussian()
    p[0] = 1e6
    return p, q


def a_thousandth_far_out():
    p, q = gaussian(3)
    p[:10] = q[:10] = 1000
    return p, q


def cauchy():
    rng = np.random.default_rng(1)
    return rng.standard_cauchy(N) + 1, rng.standard_cauchy(N)


def lognormal():
    rng = np.random.default_rng(2)
    return np.exp(2 * rng.normal(0.35, 1, N)), np.exp(2 * rng.normal(0, 1, N))


@pytest.mark.parametrize(
    ("sample", "truth"),
    [(one_outlier, 0.383), (a_thousandth_far_out, 0.383), (cauchy, 0.295), (lognormal, 0.139)],
)
def test_tails_do_not_widen_the_default_bins(sample, truth):
    s = wb.Scores(*sample())
    h = wb.histogram(s)
    assert h.total_variation == pytest.approx(truth, abs=0.02)
    fit = wb.gdp_fit(s, "tv")
    assert fit.value == wb.gdp_fit(h, "tv").value
    assert fit.value == pytest.approx(wb.mu_from_total_variation(truth), abs=0.06)


@pytest.mark.parametrize(
    "change",
    [np.exp, np.arctan, lambda x: x**3, lambda x: 1e300 * x, lambda x: 1e-300 * x],
    ids=["exp", "arctan", "cube", "huge", "tiny"],
)
@pytest.mark.parametrize("digits", [1, 17])  # with ties, without
def test_the_default_histogram_does_not_depend_on_the_unit(change, digits):
    p, q = (x.round(digits) for x in gaussian(5))
    for make in (wb.Scores, lambda p, q: wb.CountedScores.of(wb.Scores(p, q))):
        h, changed = wb.histogram(make(p, q)), wb.histogram(make(change(p), change(q)))
        np.testing.assert_array_equal(changed.p_counts, h.p_counts)
        np.testing.assert_array_equal(changed.q_counts, h.q_counts)
        assert (np.diff(changed.edges) > 0).all()


def test_the_number_of_bins_is_an_even_cube_root():
    sizes = {2: 2, 8: 2, 9: 4, 64: 4, 65: 6, 1000: 10, 1001: 12, 10_000: 22, 216_000: 60}
    for n, bins in sizes.items():
        assert quantile_bins(wb.GaussianPair(0).sample((n, 250_000))) == bins
    assert wb.histogram(wb.GaussianPair(0).sample(1000)).bins == 10


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_a_value_that_fills_a_bin_has_one_of_its_own(k, share):
    rng = np.random.default_rng(k)
    p = np.where(rng.random(4000) < share, 0, rng.integers(1, k, 4000, endpoint=True))
    q = np.where(rng.random(3000) < share**2, 0, rng.integers(1, k, 3000, endpoint=True))
    exact = sum(abs(np.mean(p == v) - np.mean(q == v)) for v in range(k + 1)) / 2
    joined = 1 / quantile_bins(wb.Scores(p, q))  # values that share a bin have less than this
    assert exact - joined <= wb.histogram(wb.Scores(p, q)).total_variation <= exact + 1e-12


def test_yes_no_scores_have_two_bins():
    h = wb.histogram(wb.Scores([1] * 30 + [0] * 970, [1] * 10 + [0] * 990))
    np.testing.assert_array_equal(h.p_counts, [970, 30])
    np.testing.assert_array_equal(h.q_counts, [990, 10])


def test_the_largest_floats_have_bins():
    h = wb.histogram(wb.Scores([-1.7e308, 0, 0], [0, 1.7e308, 1.7e308]))
    assert h.total_variation == pytest.approx(1 / 3)  # two bins, cut at 0


def test_a_range_cuts_off_the_quantile_bins():
    s = wb.Scores(*gaussian())
    h = wb.histogram(s, range=(-1, 1))
    assert tuple(h.edges[[0, -1]]) == (-1, 1)
    assert h.from_data
    assert 2 < h.bins < wb.histogram(s).bins
    assert h.p_counts.sum() == N


def test_one_outlier_does_not_widen_the_bins_of_any_rule():
    p, q = gaussian()
    for rule in ("scott", "fd", "plugin", "wand"):
        width = bin_width(wb.Scores(p, q), rule)
        assert bin_width(wb.Scores(*one_outlier()), rule) == pytest.approx(width, rel=0.05)


@pytest.mark.parametrize("name", wb.examples()["name"])
def test_no_bundled_example_has_an_estimate_below_its_bound(name):
    s = wb.example(name)
    estimate = total_variation_estimate(wb.histogram(s))
    certified = wb.tradeoff_band(s).total_variation()
    assert checked_against(estimate, certified).void is None
    assert estimate.value >= certified.value


def test_an_estimate_below_its_bound_is_marked():
    s = wb.example("breast-cancer-losses")
    certified = wb.tradeoff_band(s).total_variation()
    coarse = total_variation_estimate(wb.histogram(s, rule="scott"))
    marked = checked_against(coarse, certified)
    assert coarse.value < certified.value == pytest.approx(0.826, abs=1e-3)
    assert marked.badge == "not valid"
    assert "too coarse" in marked.void
    assert "not valid" in str(marked)
    assert "not valid" in marked.explain()
    assert checked_against(coarse, certified.voided("chosen late")) == coarse
    with pytest.raises(ValueError, match="no bound on"):
        checked_against(coarse, wb.tradeoff_band(s).mu())
