"""Bounds that are watched: never above the truth more often than stated, however one stops."""

import numpy as np
import pytest
from scipy.stats import binomtest

import workbench as wb
from workbench.bounds.anytime import betting
from workbench.bounds.anytime.predictable_counts import WARM_UP, Tally, thresholds
from workbench.bounds.anytime.sets import Distance
from workbench.bounds.counts.binomial import clopper_pearson_lower

DELTA = 1e-5
CLAIMS = {
    "epsilon": betting.EpsilonClaims(DELTA),
    "epsilon, large delta": betting.EpsilonClaims(0.3),
    "total variation": betting.VariationClaims(),
    "mu": betting.MuClaims(),
}
RATIOS = [(1, 1), (3, 1), (2, 5)]


# -- the bet is fair ------------------------------------------------------------------------------


def random_sides(rng, slope, delta, size):
    """Masses of (S only, S′ only, neither, both) under P and Q that meet the claim, up to it."""
    mass = rng.dirichlet(np.ones(3) * 0.4, size=(2, size))
    p, q = np.zeros((2, size, 4))
    overlap = rng.random(size) < 0.5
    p[:, :2], q[:, :2] = mass[0][:, :2], mass[1][:, :2]
    column = np.where(overlap, 3, 2)
    p[np.arange(size), column], q[np.arange(size), column] = mass[0][:, 2], mass[1][:, 2]
    in_s = [side[:, 0] + side[:, 3] for side in (p, q)]
    in_s2 = [side[:, 1] + side[:, 3] for side in (p, q)]
    gap = np.maximum(in_s[0] - slope * in_s[1], in_s2[1] - slope * in_s2[0]) - delta
    return p, q, gap


@pytest.mark.parametrize("ratio", RATIOS, ids=str)
@pytest.mark.parametrize("name", CLAIMS)
def test_no_bet_gains_on_average_under_the_claim(name, ratio):
    """E of a block's factor, A^a·B^b, is at most 1 for every bet and all masses of the claim."""
    rng, claims = np.random.default_rng(0), CLAIMS[name]
    tight = 0
    for cell in (0, 3, 8):
        top = claims.cell * (cell + 1)
        theta = top - 0.4 * claims.cell
        factors = np.exp(betting.log_factors(claims, theta, top, ratio))
        assert np.all(factors > 0)
        slope, delta = claims.line(theta, top)
        for level in range(betting.LEVELS.size):
            p, q, gap = random_sides(rng, slope[level], delta[level], 2000)
            # Pull the masses that break the claim toward P = Q, onto its edge.
            even = (p + q) / 2
            equal_gap = np.maximum(*[(1 - slope[level]) * even[:, [i, 3]].sum(1) for i in (0, 1)])
            equal_gap -= delta[level]
            broken = gap > 0
            share = np.where(broken & (equal_gap <= 0), gap / (gap - equal_gap), 0.0)[:, None]
            p, q = p + share * (even - p), q + share * (even - q)
            meets = (gap <= 0) | (share[:, 0] > 0)
            a = p[meets] @ factors[level, :4]
            b = q[meets] @ factors[level, 4:]
            assert np.all(ratio[0] * np.log(a) + ratio[1] * np.log(b) < 1e-9)
            tight += np.sum(ratio[0] * np.log(a) + ratio[1] * np.log(b) > -1e-6)
    assert tight  # some masses leave no room


@pytest.mark.parametrize("name", CLAIMS)
def test_a_weaker_claim_is_harder_to_refute(name):
    """Within a cell the wealth falls as θ grows, whatever was counted."""
    rng, claims = np.random.default_rng(1), CLAIMS[name]
    counts = rng.integers(0, 200, (betting.ROWS, 50, 8)).astype(float)
    counts *= rng.random((1, 50, 8)) < 0.5
    for cell in (0, 2, 7):
        top = claims.cell * (cell + 1)
        wealth = [
            betting.log_wealth(counts, betting.log_factors(claims, theta, top, (1, 1)))
            for theta in np.linspace(claims.cell * cell, top, 9)
        ]
        assert np.all(np.diff(wealth, axis=0) <= 1e-9)


def test_the_prior_weights_are_a_distribution():
    flat = np.zeros((betting.ROWS, 1, 8))
    claims = betting.EpsilonClaims(0.1)
    assert betting.log_wealth(flat, betting.log_factors(claims, 1, 1, (1, 1))) == pytest.approx(0)


# -- what is counted ------------------------------------------------------------------------------


def messy(rng, n):
    """Ties, both infinities and NaN."""
    x = np.round(rng.normal(0, 1, n), 1)
    x[rng.random(n) < 0.05] = np.nan
    x[rng.random(n) < 0.03] = np.inf
    x[rng.random(n) < 0.03] = -np.inf
    return x


def larger(x, t):
    """x > t where NaN is the largest of all."""
    return (x > t) | (np.isnan(x) & ~np.isnan(t))


@pytest.mark.parametrize("ratio", RATIOS, ids=str)
def test_counts_are_those_of_a_slow_count(ratio):
    rng, blocks = np.random.default_rng(2), 300
    p, q = messy(rng, ratio[0] * blocks + 5), messy(rng, ratio[1] * blocks)
    tally = Tally(ratio)
    (*_, (looks, last)) = tally.add(p, q)
    assert looks[-1] == tally.used
    expected = np.zeros((betting.ROWS, 8))
    for block in range(WARM_UP, tally.used):
        epoch = WARM_UP * 2 ** int(np.log2(block // WARM_UP))
        past = p[: epoch * ratio[0]], q[: epoch * ratio[1]]
        order, levels = Distance.learned(*past), betting.LEVELS[: betting.TWO_SIDED]
        high, low = thresholds(np.sort(past[1])[::-1]), thresholds(np.sort(past[0]))
        far = thresholds(np.sort(order(past[1]))[::-1], levels)
        near = thresholds(np.sort(order(past[0])), levels)

        def tie(t, center=order.center):
            """Scores at one distance on either side are tied, whatever round-off makes of them."""
            return np.where(np.isfinite(t), 1e-12 * (abs(center) + np.abs(t)), 0)

        for side, (x, k) in enumerate(zip((p, q), ratio, strict=True)):
            for score in x[block * k : (block + 1) * k]:
                turned = order(np.array([score]))[0]
                above = np.r_[larger(score, high), turned > far + tie(far)]
                below = np.r_[larger(low, score), turned < near - tie(near)]
                cells = [above & ~below, below & ~above, ~above & ~below, above & below]
                expected[:, 4 * side : 4 * side + 4] += np.array(cells).T
    np.testing.assert_array_equal(last[:, -1], expected)
    np.testing.assert_array_equal(tally.total, expected)
    assert tally.used == 300 // 4 * 4


@pytest.mark.parametrize("quantity", ["epsilon", "mu", "total variation"])
def test_the_bound_does_not_depend_on_how_the_scores_are_chopped(quantity):
    rng = np.random.default_rng(3)
    s = wb.GaussianPair(1).sample((1500, 1100), seed=3)
    delta = DELTA if quantity == "epsilon" else None
    whole = wb.anytime_path(s, delta, quantity=quantity)
    for _ in range(5):
        audit = wb.AnytimeAudit(delta, quantity=quantity, sampling="independent runs")
        cuts = [np.sort(rng.integers(0, x.size, 40)) for x in s]
        for p, q in zip(*(np.split(x, c) for x, c in zip(s, cuts, strict=True)), strict=True):
            bound = audit.update(p, q)
        assert bound == whole.bound
        assert np.all(np.diff(audit.path.values) >= 0)
    assert whole.values[-1] == whole.bound.value > 0
    assert whole.n_p[-1] == whole.bound.n_p == 1088


def test_batch_functions_say_what_the_path_ends_with():
    s = wb.GaussianPair(2).sample(700, seed=1)
    assert wb.anytime_epsilon(s, DELTA) == wb.anytime_path(s, DELTA).bound
    assert wb.anytime_mu(s, 0.9) == wb.anytime_path(s, None, 0.9, "mu").bound
    variation = wb.anytime_total_variation(s, ratio=(2, 3))
    assert variation == wb.anytime_path(s, None, 0.95, "total variation", (2, 3)).bound
    assert variation.n_p / 2 == variation.n_q / 3


# -- the guarantee --------------------------------------------------------------------------------

#: A pair, sizes, what is asked, replicates. δ is chosen so that one threshold shows all of ε.
WATCHED = {
    "no leak, epsilon": (wb.GaussianPair(0), (1000, 1000), {"delta": DELTA}, 300),
    "no leak, mu": (wb.GaussianPair(0), (1000, 1000), {"quantity": "mu"}, 120),
    "no leak, variation": (wb.GaussianPair(0), (1000, 1000), {"quantity": "total variation"}, 120),
    "no leak, unequal": (wb.GaussianPair(0), (300, 1200), {"delta": DELTA, "ratio": (1, 4)}, 200),
    "gaussian": (wb.GaussianPair(1), (500, 500), {"delta": 0.25}, 120),
    "ties": (wb.RandomizedResponsePair(1.0, 0.05), (500, 500), {"delta": 0.05}, 120),
    "laplace": (wb.LaplacePair(0.5), (500, 500), {"delta": 0.0}, 120),
}


def truth(pair, bound):
    if bound.quantity == "epsilon":
        return pair.epsilon(bound.delta)
    return pair.gdp_mu(floor=1e-12) if bound.quantity == "mu" else pair.total_variation


@pytest.mark.parametrize("name", WATCHED)
@pytest.mark.statistical
def test_the_bound_ever_exceeds_the_truth_at_most_as_often_as_stated(name):
    """The bound never falls, so at the end it shows whether it ever exceeded the truth."""
    pair, sizes, asked, replicates = WATCHED[name]
    false = 0
    for seed in range(replicates):
        audit = wb.AnytimeAudit(**asked)
        bound = audit.update(*pair.sample(sizes, seed=seed))
        false += bound.value > truth(pair, bound) + 1e-9
    assert binomtest(false, replicates, 0.05, alternative="greater").pvalue > 0.01


def test_a_limit_for_one_sample_size_fails_when_watched():
    """The same simulation catches a Clopper–Pearson limit, exact at any one n, read at 100.

    Among pairs (x, y) with one score above 0, either side's share is 1/2 without a leak.
    """
    false_at_end = false_ever = 0
    replicates, looks = 300, np.arange(50, 5001, 50)
    for seed in range(replicates):
        p, q = wb.GaussianPair(0).sample(5000, seed=seed)
        won, lost = (np.cumsum(c)[looks - 1] for c in ((p > 0) & (q <= 0), (q > 0) & (p <= 0)))
        more = np.maximum(won, lost)
        claims = clopper_pearson_lower(more, np.maximum(won + lost, 1), 0.025) > 0.5
        false_at_end += claims[-1]
        false_ever += claims.any()
    assert binomtest(false_at_end, replicates, 0.05, alternative="greater").pvalue > 0.01
    assert 0.27 < false_ever / replicates < 0.42
    assert binomtest(false_ever, replicates, 0.05, alternative="greater").pvalue < 1e-10


# -- how sharp it is ------------------------------------------------------------------------------


@pytest.mark.parametrize(("mu", "epsilon"), [(0.5, 0.918), (1, 2.06), (2, 4.01)])
def test_it_is_as_sharp_as_the_method_was_tried_to_be(mu, epsilon):
    """Means at n = 10⁴ a side and δ = 1e-5, against those of method.md §4."""
    pair = wb.GaussianPair(mu)
    values = [wb.anytime_epsilon(pair.sample(10_000, seed=i), DELTA).value for i in range(8)]
    assert epsilon < np.mean(values) < pair.epsilon(DELTA)


def test_mu_and_total_variation_come_near_the_truth():
    pair = wb.GaussianPair(1)
    s = pair.sample(20_000, seed=0)
    assert 0.9 < wb.anytime_mu(s).value < 1
    assert 0.34 < wb.anytime_total_variation(s).value < pair.total_variation


def test_both_directions_and_mirrored_scores_are_one_audit():
    s = wb.GaussianPair(1).sample(2000, seed=4)
    mirrored = wb.Scores(-s.p, -s.q, larger_is_member=False, sampling="independent runs")
    assert wb.anytime_epsilon(s, DELTA) == wb.anytime_epsilon(mirrored, DELTA)
    exchanged = wb.Scores(-s.q, -s.p, sampling="independent runs")
    assert wb.anytime_epsilon(s, DELTA) == wb.anytime_epsilon(exchanged, DELTA)


def test_more_of_one_side_is_used_when_the_ratio_was_fixed():
    s = wb.GaussianPair(1).sample((1000, 8000), seed=0)
    paired, all_of_them = wb.anytime_epsilon(s, DELTA), wb.anytime_epsilon(s, DELTA, ratio=(1, 8))
    assert paired.n_q == 1000
    assert "7,000 of Q" in paired.note
    assert all_of_them.n_q == 8000
    assert all_of_them.note is None
    assert all_of_them.value > 1.1 * paired.value


def test_what_is_never_seen_together_gives_a_large_finite_bound():
    s = wb.Scores(np.arange(2000) % 7 + 10.0, np.arange(2000) % 7)
    assert 4 < wb.anytime_epsilon(s, 0).value < np.log(2000)
    assert 0.97 < wb.anytime_total_variation(s).value < 1
    assert 3 < wb.anytime_mu(s).value < 10


# -- what it says ---------------------------------------------------------------------------------


def test_the_bound_says_what_it_rests_on():
    bound = wb.anytime_epsilon(wb.GaussianPair(1).sample(1000, seed=0), DELTA)
    assert bound.guarantee == "anytime"
    assert bound.assumption == "independent runs"
    assert bound.n_p == bound.n_q == 1000
    assert "Ville" in bound.cite()
    assert "all sample sizes" in bound.explain()


def test_too_few_scores_show_nothing_and_say_so():
    audit = wb.AnytimeAudit(DELTA)
    assert audit.bound.value == 0
    bound = audit.update(np.ones(500), np.zeros(WARM_UP))
    assert (bound.value, bound.n_p) == (0, 0)
    assert "more are needed" in bound.note
    assert audit.update(q=np.zeros(200)).value > 0


def test_rows_sorted_by_score_void_the_bound():
    s = wb.GaussianPair(0).sample(200, seed=0)
    for p, q in ((np.sort(s.p), s.q), (s.p, -np.sort(s.q))):
        bound = wb.anytime_epsilon(wb.Scores(p, q), DELTA)
        assert "sorted by score" in bound.void
    in_order = np.r_[np.zeros(5), np.ones(1)]  # a short row may well come so
    assert wb.anytime_epsilon(wb.Scores(in_order, s.q), DELTA).void is None
    assert wb.anytime_epsilon(wb.Scores(np.zeros(500), s.q), DELTA).void is None


def test_the_same_through_the_question_most_people_ask():
    s = wb.GaussianPair(1).sample(500, seed=0)
    assert wb.epsilon_lower_bound(s, DELTA, guarantee="anytime") == wb.anytime_epsilon(s, DELTA)
    assert wb.mu_lower_bound(s, guarantee="anytime") == wb.anytime_mu(s)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: wb.AnytimeAudit(), "epsilon needs delta="),
        (lambda: wb.AnytimeAudit(DELTA, quantity="mu"), "mu has no δ; leave out delta=1e-05"),
        (lambda: wb.AnytimeAudit(DELTA, quantity="auc"), "must be one of 'epsilon'"),
        (lambda: wb.AnytimeAudit(DELTA, 0.05), "did you mean 0.95"),
        (lambda: wb.AnytimeAudit(2.0), r"delta must lie in \[0, 1\)"),
        (lambda: wb.AnytimeAudit(DELTA, ratio=4), r"pair such as \(1, 4\).*got 4"),
        (lambda: wb.AnytimeAudit(DELTA, ratio=(1, 0.5)), "ratio must be a whole number"),
        (lambda: wb.AnytimeAudit(DELTA, sampling="sure"), "sampling must be one of"),
        (lambda: wb.AnytimeAudit(DELTA).update(np.ones((2, 2))), r"p has shape \(2, 2\)"),
        (lambda: wb.AnytimeAudit(DELTA).update(q=["x"]), "q must be a 1-d array of numbers"),
        (lambda: wb.anytime_e_value(wb.Scores([1, 2], [0, 1]), -1, 0), "at least 0, got -1"),
        (lambda: wb.average_e_values([]), "no e-values"),
        (lambda: wb.e_benjamini_hochberg([1.0, -2.0]), "at least 0, got -2"),
        (lambda: wb.e_benjamini_hochberg([np.nan]), "at least 0, got nan"),
    ],
)
def test_bad_arguments_say_what_to_do(call, says):
    with pytest.raises(ValueError, match=says):
        call()


# -- e-values -------------------------------------------------------------------------------------


def test_e_values_refute_what_the_bound_refutes():
    s = wb.GaussianPair(1).sample(3000, seed=0)
    bound = wb.anytime_epsilon(s, DELTA).value
    assert wb.anytime_e_value(s, bound - 0.3, DELTA).refutes(0.95)
    assert not wb.anytime_e_value(s, bound + 0.3, DELTA).refutes(0.95)
    beyond_floats = wb.anytime_e_value(wb.GaussianPair(2).sample(3000, seed=0), 0, DELTA)
    assert 710 < beyond_floats.log < 3000 * np.log(2)
    assert float(beyond_floats) == np.inf


def test_e_values_are_at_most_one_on_average_without_a_leak():
    values = [
        float(wb.anytime_e_value(wb.GaussianPair(0).sample(300, seed=i), 0, DELTA))
        for i in range(150)
    ]
    # At ε = 0 and P = Q the bets are fair, but for centers that miss the sets' true masses.
    assert 0.5 < np.mean(values) < 1 + 4 * np.std(values) / np.sqrt(150)


def test_e_values_are_combined_in_logs():
    first, second = (
        wb.anytime_e_value(wb.GaussianPair(2).sample(n, seed=n), 0.5, DELTA) for n in (300, 400)
    )
    product, mean = wb.multiply_e_values([first, second]), wb.average_e_values([first, second])
    assert product.log == pytest.approx(first.log + second.log)
    assert mean.log == pytest.approx(np.logaddexp(first.log, second.log) - np.log(2))
    assert product.n_p == 700
    other = wb.anytime_e_value(wb.GaussianPair(2).sample(300, seed=0), 0.6, DELTA)
    with pytest.raises(ValueError, match="different claims"):
        wb.multiply_e_values([first, other])
    s = wb.GaussianPair(2).sample(300, seed=0)
    in_order = wb.anytime_e_value(wb.Scores(np.sort(s.p), s.q), 0.5, DELTA)
    assert not in_order.refutes(0.95)
    assert wb.average_e_values([first, in_order]).void
    with pytest.raises(ValueError, match="leave it out"):
        wb.e_benjamini_hochberg([first, in_order])


def test_leaking_canaries_are_named_at_the_stated_rate():
    """e-BH keeps the false discovery rate where calling every e ≥ 1/α false does not."""
    rng, m, leaking, shift = np.random.default_rng(0), 200, 20, 4.0
    share = {"e-BH": [], "each by itself": []}
    found = 0
    for _ in range(200):
        x = rng.normal(0, 1, m) + shift * (np.arange(m) < leaking)
        # A bet that is all or nothing: e-values that are as large as they may be.
        e = np.where(x > 1.7, 1 / 0.04456546, 0.0)
        e[:leaking] = np.exp(shift * x[:leaking] - shift**2 / 2)
        for name, called in (
            ("e-BH", wb.e_benjamini_hochberg(e, 0.95)),
            ("each by itself", e >= 20),
        ):
            share[name].append(called[leaking:].sum() / max(called.sum(), 1))
        found += wb.e_benjamini_hochberg(e, 0.95)[:leaking].mean()
    assert np.mean(share["e-BH"]) < 0.05
    assert np.mean(share["each by itself"]) > 0.15
    assert found / 200 > 0.5


@pytest.mark.parametrize(
    ("values", "called"),
    [
        ([], []),
        ([19.0], [False]),
        ([20.0], [True]),
        ([20.0, 20.0], [True, True]),
        ([20.0, 19.9], [False, False]),
        ([0.0, 60.0, 1.0], [False, True, False]),
        ([np.inf, 30.0, 1.0], [True, True, False]),
    ],
)
def test_e_benjamini_hochberg_by_hand(values, called):
    assert wb.e_benjamini_hochberg(values, 0.95).tolist() == called
