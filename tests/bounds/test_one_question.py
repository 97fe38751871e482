"""The bound on one question: its probability by simulation, its level, and the band below it."""

import math
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

import workbench as wb
from workbench.bounds.one_question.crossing import Crossing
from workbench.bounds.one_question.one_question import (
    QuestionTest,
    claim_counts,
    claim_p_value,
    exceeding_counts,
    one_question_bound,
)
from workbench.bounds.quantities import Delta, Epsilon, Mu, TotalVariation
from workbench.bounds.simultaneous.rank_band import RankBand, level_of_each, rank_grid
from workbench.bounds.simultaneous.rank_tests import rank_tests
from workbench.bounds.simultaneous.refuting_counts import refuting_counts
from workbench.claims.parse import as_claim

SIZES = [(1000, 1000), (1024, 1024), (20, 20), (2000, 50), (50, 2000), (100_000, 100_000)]
QUESTIONS = [(Epsilon(1e-5), 0.0), (Epsilon(1e-5), 1.5), (Mu(), 1.0), (TotalVariation(), 0.2)]


def band_of(n_p, n_q, counts=None):
    ranks = rank_grid(n_q)
    counts = np.ones(ranks.size, int) if counts is None else counts
    return RankBand(n_p, n_q, 0.95, rank_tests(ranks, counts, n_p, n_q))


def limits_of_counts(band, curve, level):
    return refuting_counts(band.tests, band.n_p, curve, level)


def limits_at(band, question, value):
    return limits_of_counts(band, partial(question.curve, value), band.level)


def order_statistics(ranks, n, size, rng):
    """Order statistics of n uniform variables at increasing ranks, one after the other."""
    value, last, found = np.zeros(size), 0, []
    for rank in ranks:
        if rank > last:
            value = value + (1 - value) * rng.beta(rank - last, n - rank + 1, size=size)
        found.append(value)
        last = rank
    return found


def simulated(band, limits, question, value, size=200_000):
    """The share of samples whose counts reach a limit, under the curve of a value."""
    rng = np.random.default_rng(0)
    limits = np.minimum.accumulate(limits[::-1])[::-1]
    kept = limits <= band.n_p
    q = order_statistics(band.tests.ranks[kept], band.n_q, size, rng)
    p = order_statistics(limits[kept], band.n_p, size, rng)
    reached = np.zeros(size, bool)
    for v, r in zip(q, p, strict=True):
        reached |= r < 1 - question.curve(value, v)
    return reached.mean()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("question", "value"), QUESTIONS)
def test_the_probability_is_that_of_simulation_and_on_the_safe_side(sizes, question, value):
    band = band_of(*sizes)
    limits = limits_at(band, question, value)
    computed = Crossing(band.tests.ranks, limits, *sizes, band.level).probability(
        partial(question.curve, value)
    )
    found, draws = simulated(band, limits, question, value), 200_000
    noise = 3.5 * math.sqrt(found / draws)
    assert found - noise <= computed <= 1.08 * found + noise
    # Association keeps the level of the band.
    assert computed <= 0.05 * 1.04


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("question", "value"), QUESTIONS)
def test_limits_are_the_smallest_counts_that_refute(sizes, question, value):
    band = band_of(*sizes)
    limits, curve = limits_at(band, question, value), partial(question.curve, value)
    fnr = curve(band.tests.alpha)

    def p_values(counts):
        counted = band.tests.counted(np.clip(counts, 1, band.n_p), band.n_p)
        return counted.p_values(fnr)

    some = limits <= band.n_p
    assert (p_values(limits)[some] <= band.level).all()
    assert (p_values(limits - 1)[limits > 1] > band.level).all()
    higher = limits_of_counts(band, partial(question.curve, value + 0.1), band.level)
    assert (higher >= limits).all()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("n", [20, 300, 3000])
@pytest.mark.parametrize("mu", [0.0, 0.5, 2.0])
def test_it_is_never_below_the_band_and_mostly_above(n, mu):
    gains = []
    for seed in range(10):
        scores = wb.GaussianPair(mu).sample(n, seed=seed)
        band = wb.tradeoff_band(scores)
        for question in (Epsilon(1e-5), Mu(), TotalVariation(), Delta(0.5)):
            bound = one_question_bound(scores, question)
            lower = band.ranks.largest_refuted(question)[0]
            assert bound.value >= lower
            gains.append(bound.value > lower)
    if mu > 0.5 and n > 20:
        assert np.mean(gains) > 0.9


@pytest.mark.statistical
def test_the_false_claim_rate_is_the_stated_one():
    """Under P = Q and at a true ε > 0; 1500 samples, at most the binomial's 99.9% quantile."""
    runs = 1500
    limit = binom.ppf(0.999, runs, 0.05)
    pairs = {
        wb.GaussianPair(0.0): (Epsilon(0.0), Mu(), TotalVariation()),
        wb.RandomizedResponsePair(1.0, 1e-3): (Epsilon(1e-3),),
    }
    for pair, questions in pairs.items():
        truth = pair.epsilon(1e-3) if pair.name != "Gaussian, μ = 0" else 0.0
        wrong = dict.fromkeys(questions, 0)
        for seed in range(runs):
            ranks = wb.tradeoff_band(pair.sample((60, 40), seed=seed)).ranks
            for question in questions:
                found = QuestionTest.of(ranks, question).lower_limit(0.95)
                wrong[question] += found > truth + 1e-12
        assert max(wrong.values()) <= limit, (pair, wrong)


@pytest.mark.statistical
def test_the_p_value_of_a_claim_is_uniform_or_larger():
    """1000 samples of the claimed pair itself, at three levels."""
    pair, runs = wb.GaussianPair(0.7), 1000
    p_values = []
    for seed in range(runs):
        band = wb.tradeoff_band(pair.sample(100, seed=seed))
        p_values.append(claim_p_value(band.ranks, pair.tradeoff))
    for level in (0.01, 0.05, 0.2):
        assert np.sum(np.array(p_values) <= level) <= binom.ppf(0.999, runs, level)
    # And not far from it: the test is nearly exact.
    assert np.mean(np.array(p_values) <= 0.2) > 0.14


def test_the_p_value_of_a_claim_is_below_the_corrected_one():
    scores = wb.GaussianPair(1.0).sample(1000, seed=3)
    for mu in (0.0, 0.5, 0.8):
        claim = wb.GDP(mu)
        p = claim_p_value(wb.tradeoff_band(scores).ranks, claim.min_tradeoff)
        assert p <= wb.judge(scores, claim).p_value * 1.04


def test_it_says_what_it_is():
    scores = wb.GaussianPair(1).sample(1000, seed=0)
    bound = wb.mu_lower_bound(scores, guarantee="one question")
    assert (bound.guarantee, bound.confidence, bound.method) == (
        "one question",
        0.95,
        "order-statistic test of one question",
    )
    assert "this one quantity only" in bound.explain()
    assert bound.at_confidence(0.99).value < bound.value
    assert "esary" in bound.cite() or "Esary" in bound.cite()
    held_out = wb.learn_ordering(scores).scores
    assert wb.mu_lower_bound(held_out, guarantee="one question").guarantee == "held-out"


def test_scores_that_show_nothing_give_zero_without_a_threshold():
    scores = wb.Scores(np.arange(10.0), np.arange(10.0) + 0.5)
    bound = wb.epsilon_lower_bound(scores, 1e-5, guarantee="one question")
    assert (bound.value, bound.threshold) == (0.0, None)
    # No score of P above any of Q: every other sample is at least as telling.
    behind = wb.Scores(np.arange(10.0), np.arange(10.0) + 20, larger_is_member=True)
    for guarantee in ("one question", "held-out"):
        assert wb.epsilon_lower_bound(behind, 1e-5, guarantee=guarantee).value == 0.0
    assert wb.judge(behind, "pure(0)", guarantee="one question").p_value == 1.0


def test_its_level_is_the_smallest_where_samples_are_lopsided():
    """P = Q is not the least favorable pair: what keeps a band of everything at Šidák's level."""
    band = band_of(100, 10_000)
    least = {}
    for name, curve in (("P = Q", lambda u: 1 - u), ("1 − √u", lambda u: 1 - np.sqrt(u))):
        low, high = math.log(1e-4), math.log(0.05)
        for _ in range(12):
            middle = (low + high) / 2
            limits = limits_of_counts(band, curve, math.exp(middle))
            crossed = Crossing(band.tests.ranks, limits, 100, 10_000, math.exp(middle)).probability(
                curve
            )
            low, high = (middle, high) if crossed <= 0.05 else (low, middle)
        least[name] = math.exp(low)
    sidak = level_of_each(0.95, band.tests.ranks.size)
    assert sidak < least["1 − √u"] < 0.9 * least["P = Q"]


@pytest.mark.parametrize("sizes", [(30, 30), (500, 500), (2000, 60)])
def test_the_counts_of_a_plan_are_those_that_the_bound_needs(sizes):
    """Counts on both sides of the critical ones, at one rank at a time."""
    question, value = Epsilon(1e-5), 0.4
    band = band_of(*sizes)
    needed = exceeding_counts(band, question, value)
    for i in np.flatnonzero(needed <= sizes[0])[::3]:
        for more, exceeds in ((0, True), (-max(2, needed[i] // 50), False)):
            counts = np.zeros(needed.size, int)
            counts[i:] = max(needed[i] + more, 0)
            found = QuestionTest.of(band_of(*sizes, counts), question).lower_limit(0.95)
            alone = (counts < needed)[i + 1 :].all()
            if exceeds:
                assert found > value - 1e-3
            elif alone:
                assert found <= value


@pytest.mark.parametrize("claim", ["pure(0)", "approx(1, 1e-5)", "gdp(1)", "laplace(1)"])
def test_the_counts_of_a_claim_have_its_level(claim):
    claimed = as_claim(claim).min_tradeoff
    band = band_of(400, 300)
    limits = claim_counts(band, claimed)
    event = Crossing(band.tests.ranks, limits, 400, 300, band.level)
    assert 0.03 < event.probability(claimed) <= 0.05
    assert (limits <= refuting_counts(band.tests, 400, claimed, band.level)).all()


def test_a_verdict_on_one_claim_is_sharper_and_says_so():
    scores = wb.GaussianPair(1).sample(1000, seed=0)
    both = [
        wb.judge(scores, "gdp(0.86)", guarantee=name) for name in ("simultaneous", "one question")
    ]
    all_claims, one = both
    assert one.p_value < all_claims.p_value
    assert (all_claims.verdict, one.verdict) == ("not refuted", "refuted")
    assert "only claim" in one.explain()
    assert "one question" in str(one)
    assert one.bounds[0].guarantee == "one question"
    assert one.bounds[0].value == 0.86
    assert one.power[0].caught <= all_claims.power[0].caught
    with pytest.raises(ValueError, match="guarantee must be one of"):
        wb.judge(scores, "gdp(0.86)", guarantee="pointwise")
