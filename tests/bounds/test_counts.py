"""Bounds from four counts: levels by full enumeration, known values, bad input."""

import inspect
import math
import re
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

import workbench as wb
from workbench.bounds import quantities
from workbench.bounds.counts import binomial, joint_exact
from workbench.bounds.counts.counts import Counts, bound_from_counts
from workbench.bounds.counts.intervals import INTERVALS, Interval
from workbench.bounds.power.binomial_quantiles import binomial_quantile
from workbench.curves.error_rates import epsilon_of_point
from workbench.curves.tradeoff import TradeoffCurve

DELTA = 1e-5
HELD = ("clopper-pearson", "joint")
QUESTIONS = (
    quantities.Epsilon(DELTA),
    quantities.Epsilon(0.1),
    quantities.Delta(1.0),
    quantities.Mu(),
    quantities.TotalVariation(),
    quantities.Renyi(2),
    quantities.TruePositiveRate(0.1),
    quantities.Precision(0.3),
)
ORDERS = (quantities.Renyi(1 + 1e-6), quantities.Renyi(50))
ASK = {
    wb.epsilon_from_counts: {"delta": DELTA},
    wb.delta_from_counts: {"epsilon": 1.0},
    wb.mu_from_counts: {},
    wb.total_variation_from_counts: {},
    wb.renyi_from_counts: {"order": 2.0},
    wb.tpr_from_counts: {"fpr": 0.01},
    wb.precision_from_counts: {"prior": 0.1},
}
EVEN = {"tp": 400, "fn": 100, "fp": 100, "tn": 400}


def has_no_meaning(question, interval):
    return interval == "katz-log" and question.quantity not in ("epsilon", "precision")


# -- the level, exactly ---------------------------------------------------------------------------


def misses(n_p, n_q, question, interval, confidence=0.9):
    """The largest probability of each end of the interval to miss, over true rates.

    Every outcome of the two binomials is enumerated; the rates are a grid, and those points
    beside it at which the answer just passes a limit that occurs.
    """
    ends = np.array(
        [
            [
                (b.value, b.high)
                for fp in range(n_q + 1)
                for b in [
                    Counts(tp, fp, n_q - fp, n_p - tp).bound(question, confidence, interval, "two")
                ]
            ]
            for tp in range(n_p + 1)
        ]
    )
    assert not np.isnan(ends).any()
    grid = np.unique(np.r_[np.sin(np.linspace(0, np.pi / 2, 41)) ** 2, 1e-3, 1 - 1e-3])
    curves = np.array([question.curve(v, grid) for v in np.unique(ends[np.isfinite(ends)])])
    worst = np.zeros(2)
    for q, edges in zip(grid, curves.T, strict=True):
        just = 1 - edges
        p = np.clip(np.r_[grid, just - 1e-9, just + 1e-9], 0, 1)
        truth = question.from_rates(np.full(p.size, q), 1 - p)
        weight = binom.pmf(np.arange(n_p + 1), n_p, p[:, None])[:, :, None]
        weight = weight * binom.pmf(np.arange(n_q + 1), n_q, q)
        lower, upper = ends[..., 0], ends[..., 1]
        for i, missed in enumerate(
            (lower > truth[:, None, None] + 1e-12, upper < truth[:, None, None] - 1e-12)
        ):
            worst[i] = max(worst[i], (weight * missed).sum(axis=(1, 2)).max())
    return worst


@pytest.mark.sampled(16)
@pytest.mark.parametrize("sizes", [(7, 7), (4, 9), (9, 4)], ids=str)
@pytest.mark.parametrize("question", [*QUESTIONS, *ORDERS], ids=str)
@pytest.mark.parametrize("interval", HELD)
@pytest.mark.slow
def test_kept_levels_are_kept_at_all_rates(interval, question, sizes):
    """Each end of a 90% interval misses at most 5% of the time, whatever the rates are."""
    assert misses(*sizes, question, interval).max() <= 0.05


@pytest.mark.parametrize("interval", [i for i in INTERVALS if i not in HELD])
def test_the_same_enumeration_catches_the_approximate_intervals(interval):
    assert INTERVALS[interval].guarantee == "approximate"
    assert misses(6, 4, quantities.Epsilon(DELTA), interval).max() > 0.05
    assert misses(6, 4, quantities.Precision(0.3), interval).max() > 0.05


def test_the_exact_test_wastes_little_of_its_level():
    """Where an interval misses 4.5% of 5% somewhere, no other one can be much shorter there."""
    lower, upper = misses(7, 7, quantities.Epsilon(DELTA), "joint")
    assert lower > 0.045
    assert upper > 0.045


@pytest.mark.parametrize("sizes", [(8, 8), (4, 12)], ids=str)
def test_the_level_is_kept_by_the_short_cuts_of_large_counts(sizes, monkeypatch):
    """Blocks of outcomes and closed-form tails, forced upon counts that would not need them."""
    monkeypatch.setattr(joint_exact, "MOST_OUTCOMES", 0)
    monkeypatch.setattr(joint_exact, "MOST_BLOCKS", 4)
    assert misses(*sizes, quantities.Epsilon(DELTA), "joint").max() <= 0.05


def test_closed_form_tails_lie_between_two_exact_ones():
    rng = np.random.default_rng(0)
    m = rng.integers(1, 10**6, 3000)
    t = np.floor(rng.random(3000) * (m + 3)) - 1
    spread = rng.normal(0, 3, 3000) / np.sqrt(m)
    p = np.clip(np.where(rng.random(3000) < 0.7, t / m + spread, rng.random(3000)), 0, 1)
    tail = joint_exact._binomial_at_least(t, m, p)
    assert np.all(tail >= binom.sf(t - 1, m, p) * (1 - 1e-9) - 1e-300)
    assert np.all(tail <= binom.sf(t - 2, m, p) * (1 + 1e-9) + 1e-300)


@pytest.mark.parametrize(
    ("tp", "fp", "n_p", "n_q"), [(30, 4, 40, 50), (33, 20, 35, 30), (12, 0, 60, 25)]
)
@pytest.mark.parametrize("question", [quantities.Epsilon(DELTA), quantities.Mu()], ids=str)
def test_the_exact_limit_is_the_smallest_answer_over_its_region(tp, fp, n_p, n_q, question):
    """By brute force over the region: never above it, and hardly below."""
    error = 0.05
    z, gamma = -norm.ppf(error), joint_exact.NUISANCE_SHARE * error

    t, f = np.arange(n_p + 1)[:, None], np.arange(n_q + 1)
    s = np.min(
        [
            question.from_rates(
                binomial.wilson_upper(f, n_q, norm.sf(z * math.cos(phi))),
                binomial.wilson_upper(n_p - t, n_p, norm.sf(z * math.sin(phi))),
            )
            for phi in joint_exact.SPLITS
        ],
        axis=0,
    )
    above = s >= s[tp, fp]
    ends = (
        binomial.clopper_pearson_lower(fp, n_q, gamma / 2),
        binomial.clopper_pearson_upper(fp, n_q, gamma / 2),
    )

    def least(q):
        reached = above @ binom.pmf(f, n_q, q)

        def excess(p):
            return binom.pmf(t[:, 0], n_p, p) @ reached - (error - gamma)

        # Excluded even at p = 1: nothing of this column is in the region.
        return math.inf if excess(1) <= 0 else question.from_rates(q, 1 - brentq(excess, 0, 1))

    brute = min(least(q) for q in np.linspace(*ends, 60))
    limit = joint_exact.joint_limit(tp, fp, n_q - fp, n_p - tp, question, error)
    assert brute - 0.02 <= limit <= brute + 1e-6


@pytest.mark.parametrize("counts", [(30, 4, 40, 50), (1500, 236, 10_000, 10_000), (9, 0, 9, 12)])
def test_the_probability_of_a_surprise_is_that_of_its_tails(counts):
    """Summed over F for each outcome of T, and only over those that T has, as over tails of T."""
    tp, fp, m, n = counts
    ordered = joint_exact._of_attack(tp, fp, n - fp, m - tp, quantities.Epsilon(DELTA), 0.05)
    s, near = ordered.statistic() * (1 - 1e-9) - 1e-12, (fp + 0.5) / n * np.array([0.8, 1.2])
    tail = joint_exact._Tail(ordered, s, *near)
    assert tail.outcomes is not None
    q, p = (x.ravel() for x in np.meshgrid(np.linspace(*near, 3), np.linspace(0.01, 0.98, 40)))
    ends = np.append(tail.starts, tail.f.size)
    at_most = np.cumsum(binom.pmf(tail.f, n, q[:, None]), axis=1)
    mass = np.diff(np.insert(at_most, 0, 0, axis=1)[:, ends])
    plain = np.sum(mass * binom.sf(tail.t - 1, m, p[:, None]), axis=1)
    found = tail._probability(tail._weights(q[:, None]), p)
    kept = p <= tail.p_most
    np.testing.assert_allclose(found[kept], plain[kept], rtol=1e-9, atol=1e-5 * 0.05)


@pytest.mark.parametrize("n", [1, 7, 300, 10**4, 10**6])
def test_quantiles_of_a_binomial(n):
    rng = np.random.default_rng(n)
    small = 10.0 ** -rng.uniform(0, 9, 200)
    p = np.concatenate([rng.random(200), small, 1 - small, [0, 1]])
    for chance in (0.0023, 0.3, 0.5, 0.97):
        found = binomial_quantile(chance, n, p)
        np.testing.assert_array_equal(found, np.maximum(binom.ppf(chance, n, p), 0))
    assert binomial_quantile(0.3, n, 0.4).shape == ()


@pytest.mark.parametrize(("chance", "p"), [(1.0, 0.5), (0.0, 0.5), (0.5, 1.5), (0.5, [0.1, -0.1])])
def test_a_quantile_that_no_count_reaches_is_refused(chance, p):
    with pytest.raises(ValueError, match="must lie"):
        binomial_quantile(chance, 10, p)


# -- what it is worth, and what it costs ----------------------------------------------------------


@pytest.mark.parametrize(("mu", "threshold"), [(0.5, 1.5), (1, 2.1), (2, 2.9)])
def test_the_exact_test_says_more_than_two_limits(mu, threshold):
    """At counts near their expectation, 800 runs a side: 36, 18 and 12% more on average."""
    n = 800
    for shift in (-1, 0, 1):
        fp = round(n * norm.sf(threshold)) + shift
        tp = round(n * norm.sf(threshold - mu)) + shift
        counts = {"tp": tp, "fp": fp, "tn": n - fp, "fn": n - tp, "delta": DELTA}
        two_limits = wb.epsilon_from_counts(**counts).value
        together = wb.epsilon_from_counts(**counts, interval="joint").value
        assert 1.08 * two_limits < together < epsilon_of_point(fp / n, 1 - tp / n, DELTA)


# -- known values ---------------------------------------------------------------------------------


def test_the_bayesian_region_of_reference():
    """ZANELLA23 at FN = FP = 100, TN = TP = 400, δ = 1e-5, 90% two-sided."""
    b = wb.epsilon_from_counts(**EVEN, delta=DELTA, confidence=0.9, interval="bayesian", side="two")
    assert (round(b.value, 4), round(b.high, 4)) == (1.2849, 1.5690)
    assert b.guarantee == "approximate"


def test_the_bayesian_region_exceeds_the_truth_at_small_rates():
    """Exactly, at FPR 0.005 and 200 runs a side: 17% instead of 5%, and always where P = Q."""
    n, fpr, fps = 200, 0.005, np.arange(5)
    for tpr, misses_of in ((0.9962, 0.17), (0.995, 0.13), (fpr, 0.98)):
        truth = epsilon_of_point(fpr, 1 - tpr, DELTA)
        tps = np.arange(n + 1)[binom.pmf(np.arange(n + 1), n, tpr) > 1e-3]
        missed = [
            [
                Counts(t, f, n - f, n - t).bound(quantities.Epsilon(DELTA), 0.95, "bayesian").value
                > truth
                for f in fps
            ]
            for t in tps
        ]
        assert binom.pmf(tps, n, tpr) @ np.array(missed) @ binom.pmf(fps, n, fpr) > misses_of


@pytest.mark.parametrize(
    ("name", "small", "anywhere"),
    [("clopper_pearson", 0.05, 0.05), ("jeffreys", 0.1472, 0.1617), ("wilson", 0.0693, 0.2004)],
)
def test_how_often_limits_of_one_rate_miss(name, small, anywhere):
    """At n = 100 and 95%: upper limits of rates below one half, and of any rate."""
    n, k = 100, np.arange(101)
    upper = getattr(binomial, f"{name}_upper")(k, n, 0.05)
    lower = getattr(binomial, f"{name}_lower")(k, n, 0.05)
    np.testing.assert_allclose(lower, 1 - upper[::-1], atol=1e-12)
    assert np.all(np.diff(upper) > 0)
    # Just beyond a limit it misses most.
    rate = np.r_[upper[:-1] + 1e-9, np.linspace(1e-6, 1 - 1e-6, 9999)]
    missed = (binom.pmf(k, n, rate[:, None]) * (upper < rate[:, None])).sum(axis=1)
    assert missed[rate < 0.5].max() == pytest.approx(small, abs=1e-4)
    assert missed.max() == pytest.approx(anywhere, abs=1e-4)


def test_wilson_inverts_the_score_test():
    limit = float(binomial.wilson_upper(7, 60, 0.05))
    assert 7 / 60 - limit == pytest.approx(-1.6448536 * math.sqrt(limit * (1 - limit) / 60))
    assert binomial.wilson_lower(0, 9, 0.05) == 0
    assert binomial.wilson_upper(9, 9, 0.05) == 1


def test_clopper_pearson_shares_the_error_between_both_rates():
    b = wb.epsilon_from_counts(tp=450, fn=50, fp=20, tn=480, delta=DELTA)
    alpha = binomial.clopper_pearson_upper(20, 500, 0.025)
    beta = binomial.clopper_pearson_upper(50, 500, 0.025)
    assert b.value == epsilon_of_point(alpha, beta, DELTA)
    assert (b.guarantee, b.side, b.n_p, b.n_q) == ("pointwise", "lower", 500, 500)


def test_katz_log_by_hand():
    """log(0.8/0.2) ± z·√(1/400 − 1/500 + 1/100 − 1/500), both directions alike here."""
    se = math.sqrt(1 / 400 - 1 / 500 + 1 / 100 - 1 / 500)
    b = wb.epsilon_from_counts(**EVEN, delta=0, confidence=0.9, interval="katz-log", side="two")
    assert b.value == pytest.approx(math.log(4) - norm.isf(0.025) * se)
    assert b.high == pytest.approx(math.log(4) + norm.isf(0.05) * se)
    b = wb.precision_from_counts(**EVEN, prior=0.5, confidence=0.9, interval="katz-log")
    ratio = math.exp(math.log(4) - norm.isf(0.1) * se)
    assert b.value == pytest.approx(ratio / (1 + ratio))
    # δ moves the limit continuously.
    near = wb.epsilon_from_counts(**EVEN, delta=1e-9, interval="katz-log").value
    assert near == pytest.approx(
        wb.epsilon_from_counts(**EVEN, delta=0, interval="katz-log").value, abs=1e-7
    )


# -- the questions --------------------------------------------------------------------------------


def test_questions_agree_with_each_other():
    """ε at the δ of ε is ε; TV is δ at 0; TPR is that of the hull; precision is Bayes."""
    counts = {**EVEN, "confidence": 0.95}
    epsilon = wb.epsilon_from_counts(**counts, delta=0.05).value
    assert wb.delta_from_counts(**counts, epsilon=epsilon).value == pytest.approx(0.05)
    tv = wb.total_variation_from_counts(**counts).value
    assert wb.delta_from_counts(**counts, epsilon=0).value == pytest.approx(tv)
    rate = float(binomial.clopper_pearson_upper(100, 500, 0.025))
    assert tv == pytest.approx(1 - 2 * rate)
    hull = TradeoffCurve.hull([rate], [rate])
    for fpr in (0.01, rate, 0.5):
        said = wb.tpr_from_counts(**counts, fpr=fpr).value
        assert said == pytest.approx(1 - hull.tradeoff(fpr, symmetric=False))
    assert wb.mu_from_counts(**counts).value == pytest.approx(-2 * norm.ppf(rate))
    said = wb.precision_from_counts(**counts, prior=0.1)
    assert said.value == pytest.approx(0.1 * (1 - rate) / (0.1 * (1 - rate) + 0.9 * rate))
    assert said.symbol == "precision at prior 0.1"


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_curves_are_the_level_sets_of_the_questions(question):
    alpha, beta = (x.ravel() for x in np.meshgrid(*[np.linspace(0.003, 0.997, 45)] * 2))
    answer = question.from_rates(alpha, beta)
    for value in np.quantile(answer[answer > question.minimum], [0.05, 0.4, 0.8]):
        close = np.abs(answer - value) < 1e-9
        below = beta >= question.curve(float(value), alpha)
        assert np.array_equal((answer <= value) | close, below | close)
        edge = question.curve(float(value), alpha)
        inner = (edge > 1e-3) & (edge < 1)
        np.testing.assert_allclose(question.inverse(float(value), edge[inner]), alpha[inner])


@pytest.mark.parametrize(
    "interval", [pytest.param(i, marks=[pytest.mark.slow] * (i == "bayesian")) for i in INTERVALS]
)
def test_zero_cells_give_numbers(interval):
    """No NaN, no infinite lower limit, ends in order, for every pattern of empty cells."""
    for tp, fp, tn, fn in product((0, 5), repeat=4):
        if tp + fn == 0 or fp + tn == 0:
            continue
        for question in QUESTIONS:
            if not has_no_meaning(question, interval):
                b = Counts(tp, fp, tn, fn).bound(question, 0.95, interval, "two")
                assert 0 <= b.value < math.inf
                assert b.value <= b.high
                assert str(b)


@pytest.mark.parametrize("interval", INTERVALS)
def test_extremes_give_numbers(interval):
    extremes = (
        quantities.Delta(800),
        quantities.Epsilon(0),
        quantities.Epsilon(1 - 1e-9),
        quantities.Renyi(1 + 1e-12),
        quantities.Renyi(1e6),
        quantities.TruePositiveRate(1e-9),
        quantities.Precision(1e-9),
        quantities.Precision(1 - 1e-9),
    )
    n = 10**7
    for counts in (Counts(n, 0, n, 0), Counts(n, 1000, n // 1000, 1)):
        for question, confidence in product(extremes, (0.51, 1 - 1e-12)):
            if not has_no_meaning(question, interval):
                b = counts.bound(question, confidence, interval, "two")
                assert 0 <= b.value < 100
                assert b.value <= b.high


def test_no_false_positive_is_a_finite_bound():
    counts = {"tp": 300, "fn": 200, "fp": 0, "tn": 500, "delta": DELTA}
    values = [wb.epsilon_from_counts(**counts, interval=i).value for i in INTERVALS]
    assert all(3 < v < 6 for v in values)
    b = wb.epsilon_from_counts(tp=500, fn=0, fp=0, tn=500, delta=DELTA, interval="bayesian")
    assert 6 < b.value < 7


@pytest.mark.parametrize("interval", INTERVALS)
def test_what_a_bound_says_of_itself(interval):
    for ask, about in ASK.items():
        question = ask.__name__.removesuffix("_from_counts").replace("_", " ")
        if interval == "katz-log" and question not in ("epsilon", "precision"):
            with pytest.raises(ValueError, match=f"{question} is no ratio"):
                ask(**EVEN, **about, interval=interval)
            continue
        one = ask(**EVEN, **about, interval=interval)
        two = ask(**EVEN, **about, interval=interval, side="two")
        assert one.quantity == question
        assert one.guarantee == ("pointwise" if interval in HELD else "approximate")
        assert one.cite().startswith("@")
        assert one.note is None
        assert one.side == "lower"
        assert two.side == "two"
        assert two.value < one.value < two.high
        assert "this attack only" in two.note
        assert two.note in two.explain()
        assert all(getattr(one, name) == value for name, value in about.items())


# -- too few runs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("interval", HELD)
@pytest.mark.parametrize("confidence", [0.95, 0.999999])
def test_too_few_runs_are_told_how_many_would_do(interval, confidence):
    ask = {"delta": DELTA, "confidence": confidence, "interval": interval}
    b = wb.epsilon_from_counts(tp=2, fn=0, fp=0, tn=2, **ask)
    assert b.value == 0
    assert "n is too small" in b.note
    enough = int(b.note.split(";")[1].split()[0])
    assert wb.epsilon_from_counts(tp=enough, fn=0, fp=0, tn=enough, **ask).value > 0
    fewer = enough - 1
    assert wb.epsilon_from_counts(tp=fewer, fn=0, fp=0, tn=fewer, **ask).value == 0
    # With enough runs nothing shown is nothing shown.
    assert wb.epsilon_from_counts(tp=0, fn=enough, fp=0, tn=enough, **ask).note is None


def test_too_few_runs_on_one_side_only():
    b = wb.total_variation_from_counts(tp=1000, fn=0, fp=0, tn=1, confidence=0.99)
    assert "n_q = 1;" in b.note
    assert wb.precision_from_counts(tp=2, fn=0, fp=0, tn=2, prior=0.01).note is not None


# -- at a threshold -------------------------------------------------------------------------------


@pytest.mark.parametrize("interval", INTERVALS)
def test_at_a_threshold_it_is_the_same(interval):
    s = wb.GaussianPair(1).sample(700, seed=1)
    tp, fp = (int(k) for k in s.tail_counts(1.0))
    counts = {"tp": tp, "fp": fp, "tn": s.n_q - fp, "fn": s.n_p - tp}
    there = wb.epsilon_lower_bound(
        s, DELTA, guarantee="pointwise", threshold=1.0, interval=interval
    )
    assert there.value == wb.epsilon_from_counts(**counts, delta=DELTA, interval=interval).value
    assert there.threshold == 1.0
    assert there.guarantee == INTERVALS[interval].guarantee
    if interval != "katz-log":
        mu = wb.mu_lower_bound(s, guarantee="pointwise", threshold=1.0, interval=interval)
        assert mu.value == wb.mu_from_counts(**counts, interval=interval).value


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"fn": -1}, "fn must be a whole number of at least 0, got -1"),
        ({"tp": 1.5}, "tp must be a whole number of at least 0, got 1.5"),
        ({"tp": 0, "fn": 0}, r"no runs with the record: tp \+ fn is 0"),
        ({"n_p": 501}, r"do not add up: tp \+ fn = 400 \+ 100 = 500, but n_p = 501"),
        ({"n_q": 99}, r"do not add up: fp \+ tn = 100 \+ 400 = 500, but n_q = 99"),
        ({"delta": 1}, r"delta must lie in \[0, 1\), got 1"),
        ({"confidence": 0.05}, "did you mean 0.95"),
        ({"interval": "wald"}, "interval must be one of 'joint', 'clopper-pearson'"),
        ({"side": "upper"}, "side must be one of 'lower', 'two'; got 'upper'"),
        ({"side": "two", "sided": "lower"}, "give one of them"),
    ],
)
def test_bad_counts_are_refused_with_the_numbers(changes, says):
    with pytest.raises(ValueError, match=says):
        wb.epsilon_from_counts(**{**EVEN, "delta": DELTA, **changes})


def test_bad_questions_are_refused():
    with pytest.raises(ValueError, match="epsilon must be at least 0, got -1"):
        wb.delta_from_counts(**EVEN, epsilon=-1)
    with pytest.raises(ValueError, match="fpr must lie strictly between 0 and 1, got 0"):
        wb.tpr_from_counts(**EVEN, fpr=0)
    with pytest.raises(ValueError, match="prior must lie strictly between 0 and 1, got 1"):
        wb.precision_from_counts(**EVEN, prior=1)
    s = wb.Scores([1, 2, 3], [0, 1, 2])
    with pytest.raises(ValueError, match="interval='joint' belongs to guarantee='pointwise'"):
        wb.epsilon_lower_bound(s, DELTA, interval="joint")


def test_counts_that_add_up_are_taken():
    assert wb.epsilon_from_counts(**EVEN, delta=DELTA, n_p=500, n_q=500).n_p == 500
    assert set(Interval.__args__) == set(INTERVALS)


def test_counts_are_objects_with_the_same_answers():
    counts = wb.Counts(**EVEN)
    assert wb.Counts(tp=400, fp=100, n_p=500, n_q=500) == counts
    for how in ({}, {"confidence": 0.9, "interval": "joint", "side": "two"}):
        for of_object, of_function in (
            (counts.epsilon(DELTA, **how), wb.epsilon_from_counts(**EVEN, delta=DELTA, **how)),
            (counts.delta(0.5, **how), wb.delta_from_counts(**EVEN, epsilon=0.5, **how)),
            (counts.mu(**how), wb.mu_from_counts(**EVEN, **how)),
            (counts.total_variation(**how), wb.total_variation_from_counts(**EVEN, **how)),
            (counts.tpr(0.1, **how), wb.tpr_from_counts(**EVEN, fpr=0.1, **how)),
            (counts.precision(0.1, **how), wb.precision_from_counts(**EVEN, prior=0.1, **how)),
        ):
            assert of_object == of_function


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"tp": 1, "fp": 1, "tn": 1}, "fn is missing: give fn=, or n_p="),
        ({"tp": 1, "fp": 1, "n_p": 2}, "tn is missing: give tn=, or n_q="),
        ({"tp": 3, "fp": 1, "n_p": 2, "n_q": 2}, "tp = 3 is more than n_p = 2"),
        ({"tp": 3, "fp": 1, "tn": 1, "fn": 1, "n_q": 3}, "fp \\+ tn = 1 \\+ 1 = 2, but n_q = 3"),
    ],
)
def test_counts_that_leave_something_open_are_refused(given, says):
    with pytest.raises(ValueError, match=says):
        wb.Counts(**given)


def test_former_words_still_work():
    joint = wb.epsilon_from_counts(**EVEN, delta=DELTA, interval="joint", side="two")
    with pytest.warns(FutureWarning, match="now called 'joint'"):
        assert wb.epsilon_from_counts(**EVEN, delta=DELTA, interval="exact", sided="two") == joint
    s = wb.Scores([1, 2, 3], [0, 1, 2])
    with pytest.warns(FutureWarning, match="now called 'joint'"):
        wb.epsilon_lower_bound(s, DELTA, guarantee="pointwise", threshold=1, interval="exact")


def test_the_help_of_every_function_says_what_the_counts_are():
    for name in ("epsilon", "delta", "mu", "total_variation", "tpr", "precision"):
        text = getattr(wb, f"{name}_from_counts").__doc__
        assert "Runs with the record that the attack called in" in text
        assert "{counts}" not in text


def test_signature_and_help_of_every_function_list_all_arguments():
    shared = set(inspect.signature(bound_from_counts).parameters) - {"question"}
    for ask, about in ASK.items():
        names = set(inspect.signature(ask).parameters)
        assert names - {"sided"} == shared | set(about)
        assert all(re.search(rf"\b{name}\b", ask.__doc__) for name in names)
        for wrong in ({"tp": 1}, {**EVEN, **about, "eps": 1}):
            with pytest.raises(TypeError, match=rf"^{ask.__name__}\(\): "):
                ask(**wrong)


def test_a_guarantee_with_settings_is_the_word_with_options():
    s = wb.GaussianPair(1.0).sample(300, seed=1)
    for words, settings in (
        ({"guarantee": "simultaneous"}, wb.Simultaneous()),
        (
            {"guarantee": "pointwise", "threshold": 1, "interval": "joint"},
            wb.Pointwise(1, "joint"),
        ),
        ({"guarantee": "held-out", "splits": 3}, wb.HeldOut(splits=3)),
        ({"guarantee": "anytime"}, wb.Anytime()),
    ):
        by_settings = wb.epsilon_lower_bound(s, delta=DELTA, guarantee=settings)
        assert wb.epsilon_lower_bound(s, delta=DELTA, **words) == by_settings
        assert wb.mu_lower_bound(s, **words) == wb.mu_lower_bound(s, guarantee=settings)
    with pytest.raises(ValueError, match="say it in one place"):
        wb.mu_lower_bound(s, guarantee=wb.Pointwise(1), threshold=2)
    with pytest.raises(ValueError, match="ordering must be one of"):
        wb.HeldOut("magic")
