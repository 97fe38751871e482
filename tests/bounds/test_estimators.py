"""Histogram and receiver operating curve: right against brute force, and on the papers' numbers."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench as wb
from workbench.curves.error_rates import epsilon_of_point
from workbench.estimators.bin_rules import bin_width, default_range, squared_slope
from workbench.estimators.histogram import RULES

HIST_7 = wb.SubsampledGaussianPair(0.25, 0.3)
DELTA = 1e-5

values = st.lists(
    st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5), st.sampled_from([np.inf, -np.inf])),
    min_size=2,
    max_size=30,
)


def as_scores(p, q, **more):
    """Scores, unless they are all the same, which Scores refuses."""
    if len({*p, *q}) == 1:
        p = [*p[:-1], p[-1] + 1 if np.isfinite(p[-1]) else 0.0]
    return wb.Scores(p, q, **more)


@given(values, values, st.booleans())
def test_counts_against_numpy(p, q, larger):
    s = as_scores(p, q, larger_is_member=larger)
    h = wb.histogram(s, bins=5, range=(-2, 2))
    np.testing.assert_allclose(h.edges, [-2, -1.2, -0.4, 0.4, 1.2, 2])
    inner = [-np.inf, *h.edges[1:-1], np.inf]  # 0.4 itself is not one of them
    for counts, x in ((h.p_counts, s.p), (h.q_counts, s.q)):
        expected = [np.sum((x >= a) & (x < b)) for a, b in itertools.pairwise(inner)]
        expected[-1] += np.sum(x == np.inf)
        assert counts.tolist() == expected


@given(values, values)
def test_auc_is_mann_whitney_with_ties_at_one_half(p, q):
    s = as_scores(p, q)
    wins = np.mean(s.p[:, None] > s.q) + 0.5 * np.mean(s.p[:, None] == s.q)
    assert wb.roc(s).auc == pytest.approx(wins)


@given(values, values, st.sampled_from([0.0, 0.05, 0.3]))
def test_the_hull_holds_the_best_threshold(p, q, delta):
    """ε over all thresholds sits on a vertex of the hull."""
    s = as_scores(p, q)
    t = np.concatenate([[-np.inf], s.p, s.q])
    # "above t" with t just below the smallest score calls everything a member: (1, 0).
    tp, fp = s.tail_counts(t)
    best = epsilon_of_point(fp / s.n_q, 1 - tp / s.n_p, delta).max()
    assert wb.roc(s).epsilon(delta) == pytest.approx(best, abs=1e-9)


@given(values, values, st.floats(0, 1))
def test_tpr_at_fpr(p, q, fpr):
    s = as_scores(p, q)
    tp, fp = s.tail_counts(np.concatenate([s.p, s.q, [np.inf]]))
    allowed = fp / s.n_q <= fpr + 1e-12
    # At -inf and below every score is a member; "above" excludes ties with the smallest.
    everyone = 1.0 if fpr >= 1 - 1e-12 else 0.0
    best = max((tp / s.n_p)[allowed].max(initial=0.0), everyone)
    assert wb.roc(s).tpr(fpr) == pytest.approx(best)


def test_nan_is_an_outcome_of_its_own():
    s = wb.Scores([np.nan, np.nan, 1, 2], [1, 2, 3, np.nan])
    h = wb.histogram(s, bins=3)
    assert h.p_counts[-1] == 2
    assert h.q_counts[-1] == 1
    assert h.p.sum() == h.q.sum() == 1
    # NaN ties with NaN and lies above every number.
    assert wb.roc(s).auc == pytest.approx((2 * 3 + 0.5 * 2 + 0 + 0.5 + 1 + 0.5) / 16)


@given(values, values, st.floats(0, 4), st.sampled_from(["P‖Q", "Q‖P"]))
def test_hockey_stick_is_the_sum_over_bins(p, q, epsilon, direction):
    h = wb.histogram(as_scores(p, q), bins=6, range=(-3, 3))
    a, b = (h.p, h.q) if direction == "P‖Q" else (h.q, h.p)
    direct = np.maximum(a - np.exp(epsilon) * b, 0).sum()
    assert h.hockey_stick(epsilon, direction) == pytest.approx(direct, abs=1e-12)
    assert h.hockey_stick(0) == pytest.approx(h.total_variation)


@given(values, values, st.floats(0, 3))
def test_merging_bins_never_raises_the_estimate(p, q, epsilon):
    s = as_scores(p, q)
    fine = wb.histogram(s, bins=12, range=(-3, 3))
    coarse = wb.histogram(s, bins=4, range=(-3, 3))
    assert coarse.profile(epsilon) <= fine.profile(epsilon) + 1e-12


@given(values, values, st.floats(-2, 2))
@settings(max_examples=50)
def test_two_bins_are_the_threshold_attack(p, q, t):
    """HIST Lemma 6.1, for the better of the event and its complement."""
    s = as_scores(p, q)
    h = wb.histogram(s, bins=2, range=(t - 1, t + 1))
    fpr, fnr = h.q[1], h.p[0]
    for delta in (0.0, 0.01, 0.2):
        point = max(epsilon_of_point(fpr, fnr, delta), epsilon_of_point(1 - fpr, 1 - fnr, delta))
        assert h.epsilon(delta) == pytest.approx(point, abs=1e-9)


@pytest.mark.statistical
def test_hist_section_7():
    """|TV − 0.2261| ≤ 0.003 over 20 seeds at 10^6 a side, and σ near 0.30."""
    from scipy.special import ndtri

    truth = HIST_7.total_variation
    assert truth == pytest.approx(0.2261, abs=5e-5)
    for seed in range(20):
        h = wb.histogram(HIST_7.sample(1_000_000, seed=seed), bins=20)
        tv = h.total_variation
        assert abs(tv - truth) <= 0.003
        sigma = 1 / (2 * ndtri((1 + tv / 0.25) / 2))
        assert abs(sigma - 0.3) <= 0.01


def test_hist_section_7_limits():
    """99.99% limits of σ for bins fixed beforehand, by both methods, as a mean of five samples.

    The range is the pair's own 0.1% to 99.9% span, written down without looking at a sample.
    """
    from scipy.special import ndtri

    expected = {"canonne": (0.267, 0.334), "mcdiarmid": (0.290, 0.324)}
    limits = {method: [] for method in expected}
    for seed in range(5):
        h = wb.histogram(HIST_7.sample(1_000_000, seed=seed), bins=20, range=(-0.915, 1.72))
        for method, found in limits.items():
            lower, upper = wb.hockey_stick_limits(h, 0, 0.9999, method)
            assert lower.guarantee == upper.guarantee == "pointwise"
            assert lower.void is upper.void is None
            tv = np.array([upper.value, lower.value])
            found.append(1 / (2 * ndtri((1 + tv / 0.25) / 2)))
    for method, found in limits.items():
        np.testing.assert_allclose(np.mean(found, axis=0), expected[method], atol=0.002)


def test_limits_are_void_for_bins_from_the_data():
    s = HIST_7.sample(1000, seed=0)
    for h in (
        wb.histogram(s),
        wb.histogram(s, bins=20),
        wb.histogram(s, width=0.1),
        *(wb.histogram(s, rule=rule, range=(-1, 2)) for rule in RULES),
    ):
        lower, upper = wb.hockey_stick_limits(h, 0, 0.95)
        assert "derived from the data" in lower.void
        assert upper.badge == "not valid"


@pytest.mark.parametrize("method", ["mcdiarmid", "canonne"])
@pytest.mark.parametrize("epsilon", [0.0, 0.7])
@pytest.mark.statistical
def test_fixed_bin_limits_keep_their_level(method, epsilon):
    """400 seeded replicates of P = Q and of a separated pair; true values of the binned pair."""
    from scipy.special import ndtr
    from scipy.stats import binomtest

    edges = np.concatenate([[-np.inf], np.linspace(-1, 2, 9)[1:-1], [np.inf]])
    for mu in (0.0, 0.8):
        p, q = np.diff(ndtr(edges - mu)), np.diff(ndtr(edges))
        truth = np.maximum(p - np.exp(epsilon) * q, 0).sum()
        wrong = 0
        for seed in range(400):
            s = wb.GaussianPair(mu).sample((300, 500), seed=seed)
            h = wb.histogram(s, bins=8, range=(-1, 2))
            lower, upper = wb.hockey_stick_limits(h, epsilon, 0.9, method)
            wrong += not lower.value <= truth <= upper.value
        assert binomtest(wrong, 400, 0.1, alternative="greater").pvalue > 0.01


def test_rules():
    s = wb.GaussianPair(0).sample(10_000, seed=0)
    assert bin_width(s, "scott") == pytest.approx(3.49 * 10_000 ** (-1 / 3), rel=0.03)
    assert bin_width(s, "fd") == pytest.approx(2 * 1.349 * 10_000 ** (-1 / 3), rel=0.03)
    assert wb.histogram(s).rule == "quantile"
    h = wb.histogram(s, bins=10, rule="quantile")
    np.testing.assert_allclose((h.p + h.q) / 2, 0.1, atol=0.002)
    low, high = wb.histogram(s, bins=7).edges[[0, -1]]
    np.testing.assert_allclose([low, high], [-3.09, 3.09], atol=0.15)


def mixture_squared_slope(weights, means, sigmas):
    """∫f'² of a mixture of normal densities: −Σ_ij w_i w_j φ''(m_i − m_j), variances added."""
    w, m, v = np.array(weights), np.array(means), np.array(sigmas) ** 2
    v = v[:, None] + v
    z2 = (m[:, None] - m) ** 2 / v
    return float(w @ ((1 - z2) * np.exp(-z2 / 2) / np.sqrt(2 * np.pi) / v**1.5) @ w)


def optimal_width(n_p, n_q, slope_p, slope_q):
    return (6 * (1 / n_p + 1 / n_q) / (slope_p + slope_q)) ** (1 / 3)


@pytest.mark.parametrize("sigma", [0.01, 1.0, 300.0])
def test_squared_slope_of_a_normal(sigma):
    x = np.sort(np.random.default_rng(0).normal(5, sigma, 100_000))
    closed_form = 1 / (4 * np.sqrt(np.pi) * sigma**3)
    assert mixture_squared_slope([1], [0], [sigma]) == pytest.approx(closed_form)
    assert squared_slope(x) == pytest.approx(closed_form, rel=0.03)


def test_squared_slope_follows_the_shape_where_a_normal_rule_does_not():
    rng = np.random.default_rng(1)
    x = np.sort(np.r_[rng.normal(-3, 1, 50_000), rng.normal(3, 0.2, 50_000)])
    truth = mixture_squared_slope([0.5, 0.5], [-3, 3], [1, 0.2])
    # A normal pilot blurs the narrow component; the width goes with the cube root.
    assert truth / 1.3 < squared_slope(x) < truth
    assert mixture_squared_slope([1], [0], [x.std()]) < truth / 100


@pytest.mark.parametrize("seed", range(3))
def test_plug_in_rules_reach_the_optimum_of_a_normal(seed):
    s = wb.GaussianPair(0).sample(10_000, seed=seed)
    optimum = 2 * 3 ** (1 / 3) * np.pi ** (1 / 6) * 10_000 ** (-1 / 3)
    for rule in ("plugin", "wand"):
        assert bin_width(s, rule) == pytest.approx(optimum, rel=0.03)
        h = wb.histogram(s, rule=rule)
        assert h.rule == rule
        assert np.diff(h.edges) == pytest.approx(bin_width(s, rule))
        assert h.from_data


def test_plug_in_rules_on_unlike_sides_of_unequal_size():
    """A narrow and a wide normal: eq. 4.1 for two sizes, and Wand's rule for the pooled density."""
    rng = np.random.default_rng(2)
    s = wb.Scores(rng.normal(0, 0.1, 20_000), rng.normal(1, 1, 80_000))
    slopes = [mixture_squared_slope([1], [0], [sigma]) for sigma in (0.1, 1)]
    assert bin_width(s, "plugin") == pytest.approx(optimal_width(20_000, 80_000, *slopes), rel=0.03)
    pooled = mixture_squared_slope([0.2, 0.8], [0, 1], [0.1, 1])
    assert bin_width(s, "wand") == pytest.approx((6 / (20_000 * pooled)) ** (1 / 3), rel=0.08)
    assert bin_width(s, "scott") > 2 * bin_width(s, "plugin")


@pytest.mark.parametrize("seed", range(3))
def test_knuth_finds_the_largest_posterior_of_all_bin_counts(seed):
    from scipy.special import gammaln

    s = wb.Scores(*HIST_7.sample((3_000, 2_000), seed=seed))
    low, high = default_range(s)

    def log_posterior(k):
        total = 0.0
        for x in s:
            counts, _ = np.histogram(x, np.linspace(low, high, k + 1))
            n = counts.sum()
            total += n * np.log(k) + gammaln(k / 2) - k * gammaln(0.5) - gammaln(n + k / 2)
            total += gammaln(counts + 0.5).sum()
        return total

    everywhere = np.array([log_posterior(k) for k in range(1, 200)])
    chosen = round((high - low) / bin_width(s, "knuth"))
    assert everywhere[chosen - 1] > everywhere.max() - 1
    assert abs(chosen - 1 - everywhere.argmax()) <= 2


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "quantile"])
def test_every_rule_copes_with_odd_scores(rule):
    rng = np.random.default_rng(3)
    x, y = rng.normal(0, 1, 500), rng.normal(1, 1, 400)
    # Units, mirror images and non-finite scores.
    width = bin_width(wb.Scores(x, y), rule)
    for unit in (100, 1e-140, 1e140):
        assert bin_width(wb.Scores(unit * x, unit * y), rule) == pytest.approx(unit * width)
    turned = wb.Scores(x, y, larger_is_member=False)
    assert bin_width(turned, rule) == pytest.approx(width, rel=0.01)  # quantiles are lower ones
    odd = wb.Scores(np.r_[x, np.nan, np.inf], np.r_[y, -np.inf, np.nan])
    assert bin_width(odd, rule) == pytest.approx(width, rel=0.1)
    # Ties, an atom, two outcomes, a handful of scores: a width that makes a histogram.
    for p, q in (
        (np.round(x), np.round(y)),
        (np.maximum(x, 0), np.maximum(y, 0)),
        (x > 0, y > 0),
        ([0.0, 0, 0, 0, 1], [0.0, 0, 0, 0, 0]),
        ([1, 2, 3], [0, 1, 2]),
        (np.full(500, 1.0), y),
    ):
        s = wb.Scores(p, q)
        h = wb.histogram(s, rule=rule)
        assert 0 < bin_width(s, rule) < np.inf
        assert 1 <= h.bins <= 10_000
        assert h.p.sum() == pytest.approx(1)


@pytest.mark.parametrize("rule", ["plugin", "wand"])
def test_a_spike_does_not_run_plug_in_rules_out_of_bins(rule):
    x = np.random.default_rng(4).normal(0, 1, 1_000_000)
    s = wb.Scores(np.where(x > 0.6, 0.6, x)[:500_000], np.where(x > 0.6, 0.6, x)[500_000:])
    assert wb.histogram(s, rule=rule).bins <= 2**13


@pytest.mark.parametrize("rule", ["scott", "plugin", "wand"])
def test_a_rule_needs_two_finite_scores_a_side(rule):
    with pytest.raises(ValueError, match="2 finite scores in each group, found 1 and 3"):
        bin_width(wb.Scores([np.inf, np.nan, 1.0], [1.0, 2.0, 3.0]), rule)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"bins": 0}, "bins must be a whole number of at least 1, got 0"),
        ({"bins": 3.5}, "got 3.5"),
        ({"bins": 3, "width": 1}, "one way"),
        ({"width": 1, "rule": "scott"}, "one way"),
        ({"width": -1}, "width must be above 0, got -1"),
        ({"width": 1e-9}, "too many"),
        ({"range": (1, 1), "bins": 3}, "from low to high"),
        ({"range": 3, "bins": 3}, "pair"),
        ({"rule": "sturges"}, "'quantile', .*'knuth'; got 'sturges'"),
    ],
)
def test_bad_bins_say_what_to_do(options, says):
    with pytest.raises(ValueError, match=says):
        wb.histogram(wb.Scores([1, 2, 3], [0, 1, 2]), **options)
