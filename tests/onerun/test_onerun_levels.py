"""One-run bounds exceed the truth at most as often as they say, where their assumptions hold."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

import workbench as wb
from workbench.onerun.abstain import p_value
from workbench.onerun.per_bit import exact_limit
from workbench.onerun.simulate import Memoryless, NameAndShame, SharedGaussian
from workbench.onerun.studies import Auditor, false_claims
from workbench.onerun.tuning import abstentions, tune_one_run
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.laplace import LaplaceFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.subsampled_gaussian import SubsampledGaussianFamily

pytestmark = pytest.mark.statistical

DELTA, ERROR = 1e-5, 0.05

#: Pair, the family it belongs to, its leak.
SETTINGS = {
    "gaussian 0.5": (wb.GaussianPair(0.5), "gaussian", {}),
    "gaussian 2": (wb.GaussianPair(2.0), "gaussian", {}),
    "laplace 1": (wb.LaplacePair(1.0), "laplace", {}),
    "randomized response 1": (wb.RandomizedResponsePair(1.0, DELTA), "randomized-response", {}),
    "randomized response 4": (wb.RandomizedResponsePair(4.0, DELTA), "randomized-response", {}),
    "subsampled": (wb.SubsampledGaussianPair(0.5, 0.5), "subsampled-gaussian", {"q": 0.5}),
}
METHODS = ("bits", "bits-hoeffding", "fdp", "steinke", "sharp")


def rate_of_false_claims(pair, m, method, family, q=None):
    """Exactly: c is binomial when all canaries are guessed and do not influence each other.

    Also what the rate would be if one count less were enough.
    """
    truth = pair.epsilon(DELTA)
    assumed = {} if method in ("steinke", "sharp") else {"family": family, "q": q}

    def false(c):
        return (
            wb.one_run_bound(
                canaries=m, guesses=m, correct=c, delta=DELTA, method=method, **assumed
            ).value
            > truth + 1e-9
        )

    low, high = 0, m + 1  # the bound grows with c
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if false(middle) else (middle + 1, high)
    at_least = binom.sf(np.array([low - 1, low - 2]), m, (1 + pair.total_variation) / 2)
    return at_least[0], at_least[1]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_false_claims_are_at_most_nominal(setting, method):
    """No simulation: the binomial probability of the counts whose bound exceeds the truth."""
    pair, family, more = SETTINGS[setting]
    for m in (50, 500):
        rate, next_rate = rate_of_false_claims(pair, m, method, family, **more)
        assert rate <= ERROR
        if method == "bits":
            assert next_rate > ERROR  # the level is used up to the step of one count


@pytest.mark.parametrize("setting", ["randomized response 1", "randomized response 4"])
def test_coin_bounds_use_their_level_on_randomized_response(setting):
    pair, family, _ = SETTINGS[setting]
    for method in ("steinke", "sharp"):
        assert rate_of_false_claims(pair, 50, method, family)[1] > ERROR


def test_the_same_check_catches_an_estimate_sold_as_a_bound():
    """The leak of the observed error rate itself exceeds the truth half of the time."""
    pair, m = wb.GaussianPair(1.0), 500
    family = GaussianFamily()
    truth = pair.epsilon(DELTA)
    false = [
        family.epsilon(family.parameter_of_bit_error((m - c) / m), DELTA) > truth
        for c in range(m + 1)
    ]
    correct = binom.pmf(np.arange(m + 1), m, (1 + pair.total_variation) / 2)
    assert correct[false].sum() > 0.4


OPTIMAL = {
    "gaussian": (GaussianFamily(), 1.0),
    "laplace": (LaplaceFamily(), 1.0),
    "randomized response": (RandomizedResponseFamily(0.05), 1.0),
    "subsampled": (SubsampledGaussianFamily(0.25), 1.5),
}


@pytest.mark.parametrize("name", OPTIMAL)
def test_the_abstaining_p_value_is_that_of_the_optimal_guesses(name):
    """2000 runs: the r most certain of n guesses; p-values neither too small nor too large."""
    family, leak = OPTIMAL[name]
    pair, n, r, runs = family.pair(leak), 300, 60, 2000
    rng = np.random.default_rng(7)
    coins = rng.random((runs, n)) < 0.5
    scores = np.empty(coins.shape)
    p, q = pair.sample((int(coins.sum()), int((~coins).sum())), seed=rng)
    scores[coins], scores[~coins] = p, q
    loss = pair.privacy_loss(scores)
    # Equal certainties in random order.
    order = np.lexsort((rng.random(loss.shape), -np.abs(loss)), axis=1)[:, :r]
    wrong = (np.take_along_axis(loss, order, 1) > 0) != np.take_along_axis(coins, order, 1)
    errors, times = np.unique(wrong.sum(axis=1), return_counts=True)
    below = np.cumsum(times)
    checked = 0
    for u, observed in zip(errors, below, strict=True):
        p = p_value(family, leak, n, r, int(u))
        if 0.02 < p < 0.98:
            assert binomtest(int(observed), runs, min(p, 1)).pvalue > 1e-3
            checked += 1
    assert checked >= 3


@pytest.mark.parametrize("share", [0.1, 0.4])
@pytest.mark.parametrize("setting", SETTINGS)
def test_abstaining_bounds_keep_their_level(setting, share):
    """2000 runs with as many guesses in as out; fails when 5% is refuted at 1% significance."""
    pair, family, more = SETTINGS[setting]
    auditor = Auditor("abstain", family, share=share, **more)
    found = false_claims(Memoryless(pair), auditor, canaries=200, delta=DELTA, runs=2000, seed=3)
    assert found.p_value > 0.01


@pytest.mark.parametrize("method", ["steinke", "sharp", "fdp"])
def test_coin_bounds_keep_their_level_with_abstentions(method):
    for setting in ("gaussian 2", "randomized response 4"):
        pair, family, _ = SETTINGS[setting]
        assumed = family if method == "fdp" else None
        found = false_claims(
            Memoryless(pair),
            Auditor(method, assumed, share=0.3),
            canaries=200,
            delta=DELTA,
            runs=2000,
            seed=4,
        )
        assert found.p_value > 0.01


# -- where assumptions fail -----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["bits", "bits-hoeffding", "abstain"])
def test_canaries_that_are_revealed_together_break_the_independence_bounds(method):
    """(0, 0.2)-DP, but in one run of five every bit comes through: a fifth of all bounds is false.

    The same runs leave the bounds that assume coins alone at 0.
    """
    asked = {"canaries": 100, "delta": 0.2, "runs": 500, "seed": 5}
    broken = false_claims(NameAndShame(0.2), Auditor(method), **asked)
    assert broken.rate > 0.15
    for robust in ("steinke", "sharp", "fdp"):
        assert false_claims(NameAndShame(0.2), Auditor(robust), **asked).false == 0


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0, 2.0])
def test_ten_canaries_a_coordinate_stay_at_the_nominal_level(mu):
    """An observation in 1000 runs, no theorem: here interference costs power, not truth."""
    shared = SharedGaussian(mu, coordinates=100)
    found = false_claims(
        shared, Auditor("bits", "gaussian"), canaries=1000, delta=DELTA, runs=1000, seed=6
    )
    assert found.p_value > 0.01


def test_interference_loses_power():
    alone = SharedGaussian(1.0, coordinates=1000).run(1000, seed=1)
    shared = SharedGaussian(1.0, coordinates=100).run(1000, seed=1)
    alone, shared = (
        wb.one_run_bound(run.guess(threshold=0.0), delta=DELTA, method="bits", family="gaussian")
        for run in (alone, shared)
    )
    assert alone.value > 3 > 2 > shared.value


# -- half of them in ------------------------------------------------------------------------------


@pytest.mark.parametrize("rates", [(0.3, 0.3), (0.05, 0.55), (0.0, 0.6)])
def test_a_fixed_half_keeps_the_level_of_bits(rates):
    """Errors are then a sum of two binomials; the exact limit misses at most 5% of the time."""
    m = 200
    wrong_in, wrong_out = (binom.pmf(np.arange(m // 2 + 1), m // 2, rate) for rate in rates)
    errors = np.convolve(wrong_in, wrong_out)
    missed = [exact_limit(e, m, ERROR) < np.mean(rates) for e in range(m + 1)]
    assert errors[missed].sum() <= ERROR


# -- tuning ---------------------------------------------------------------------------------------


def test_tuning_claims_too_much_and_paying_for_it_does_not():
    """No leak at all, 400 runs: the best of the rules claims one too often, paid-for bounds do
    not."""
    runs, m = 400, 128
    rng = np.random.default_rng(8)
    rules = abstentions(m, ratio=1.5)
    false = {"claimed": 0, "simultaneous": 0, "held_out": 0}
    for _ in range(runs):
        run = wb.OneRun(rng.standard_normal(m), rng.random(m) < 0.5)
        tuning = tune_one_run(run, rules, delta=0.0, method="sharp")
        for name in false:
            false[name] += getattr(tuning, name).value > 0
    tested = {
        name: binomtest(k, runs, ERROR, alternative="greater").pvalue for name, k in false.items()
    }
    assert tested["claimed"] < 1e-4
    assert tested["simultaneous"] > 0.01
    assert tested["held_out"] > 0.01
