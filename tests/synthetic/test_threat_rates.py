"""Two success rates compared: exact limits, the test by the coins, ε, and anonymeter's figure."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

import workbench as wb
from workbench.onerun.bound import any_number_bound
from workbench.onerun.steinke import any_number_p_value, sharp_p_value
from workbench.synthetic.threats.named_members import guesses_of
from workbench.synthetic.threats.rates import (
    approximate_risk,
    coin_test,
    difference_limits,
    rate_limits,
)

N1, N0, LEVEL = 7, 6, 0.95


def misses(limits, side):
    """The largest probability, over pairs of rates, with which a limit misses their difference."""
    grid = np.linspace(0, 1, 31)
    k1, k0 = np.arange(N1 + 1), np.arange(N0 + 1)
    worst = 0.0
    for p1, p0 in product(grid, grid):
        mass = stats.binom.pmf(k1, N1, p1)[:, None] * stats.binom.pmf(k0, N0, p0)[None, :]
        truth = p1 - p0
        missed = limits[0] > truth + 1e-12 if side == "low" else limits[1] < truth - 1e-12
        worst = max(worst, float(mass[missed].sum()))
    return worst


@pytest.fixture(scope="module")
def limits():
    """Both limits of all outcomes, shape (2, N1 + 1, N0 + 1)."""
    found = [[difference_limits(a, N1, b, N0, LEVEL) for b in range(N0 + 1)] for a in range(N1 + 1)]
    return np.moveaxis(np.array(found), 2, 0)


@pytest.mark.parametrize("side", ["low", "high"])
def test_a_limit_of_the_difference_misses_it_with_half_of_the_error(limits, side):
    # At half the level it would be missed with 1.25% at most, at twice with up to 5%.
    assert 0.0125 < misses(limits, side) <= 0.025


def test_limits_of_the_difference_contain_what_was_seen(limits):
    a, b = np.arange(N1 + 1)[:, None] / N1, np.arange(N0 + 1)[None, :] / N0
    assert np.all(limits[0] <= a - b)
    assert np.all(a - b <= limits[1])
    assert np.all(np.abs(limits) <= 1)
    assert difference_limits(0, 0, 3, 9, 0.95) == (-1.0, 1.0)


def test_limits_of_a_rate_are_those_of_clopper_and_pearson():
    low, high = rate_limits(7, 50, 0.9)
    found = stats.binomtest(7, 50).proportion_ci(0.9, "exact")
    assert (low, high) == pytest.approx((found.low, found.high))
    assert rate_limits(0, 0, 0.95) == (0.0, 1.0)


@pytest.mark.parametrize("counts", [(3, 5, 1, 4), (0, 5, 2, 4), (5, 5, 0, 4), (2, 4, 4, 4)])
def test_the_coin_test_counts_the_ways_to_choose_members(counts):
    hits, members, other, held_out = counts
    records = range(members + held_out)
    successes = set(list(records)[: hits + other])
    ways = [len(successes & set(chosen)) for chosen in combinations(records, members)]
    assert coin_test(*counts) == pytest.approx(np.mean(np.array(ways) >= hits))


def test_the_coin_test_keeps_its_level_for_every_set_of_successes():
    coins = np.array(list(product([False, True], repeat=8)))
    for successes in range(9):
        hit = np.arange(8) < successes
        inside, hits = coins.sum(axis=1), (coins & hit).sum(axis=1)
        p = np.array([
            coin_test(int(k), int(n), successes - int(k), 8 - int(n))
            for k, n in zip(hits, inside, strict=True)
        ])  # fmt: skip
        for level in (0.01, 0.05, 0.2, 0.5):
            assert np.mean(p <= level) <= level


def test_the_coin_test_agrees_with_scipy_far_in_the_tail():
    for k1, n1, k0, n0 in ((200, 2000, 60, 2010), (1, 10, 3, 12), (500, 500, 0, 500)):
        expected = stats.hypergeom.sf(k1 - 1, n1 + n0, n1, k1 + k0)
        assert coin_test(k1, n1, k0, n0) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("counts", "confidence", "printed"),
    [  # as anonymeter 1.1.0 prints them
        ((34, 500, 9, 500), 0.95, (0.05071809422562949, 0.025109835777295555, 0.07632635267396343)),
        ((0, 100, 0, 100), 0.9, (0.0, 0.0, 0.018875735617156244)),
        ((50, 50, 2, 50), 0.95, (0.9615244121423243, 0.9229635033073547, 1.0)),
    ],
)
def test_the_approximate_risk_is_that_of_anonymeter(counts, confidence, printed):
    found = approximate_risk(*counts, confidence)
    assert (found.value, found.low, found.high) == pytest.approx(printed, abs=1e-12)
    assert approximate_risk(0, 0, 3, 10) is None


# -- ε ---------------------------------------------------------------------------------------------


def critical(p_value, canaries, guesses, epsilon, delta, error=0.05):
    """The fewest right guesses that refute (ε, δ); one more than all where none does."""
    for correct in range(guesses + 1):
        if p_value(canaries, guesses, correct, epsilon, delta) <= error:
            return correct
    return guesses + 1


def worst_level(p_value, canaries, epsilon, delta):
    """Of a mechanism that makes r guesses with a large tail, and spends δ where s guesses pay."""
    tails, gains = [0.0], [0.0]
    for guesses in range(1, canaries + 1):
        c = critical(p_value, canaries, guesses, epsilon, delta)
        if c <= guesses:
            tail = sharp_p_value(canaries, guesses, c, epsilon, 0.0)
            tails.append(tail)
            gains.append(sharp_p_value(canaries, guesses, c, epsilon, delta) - tail)
    return max(tails) + max(gains)


def test_the_level_is_kept_where_the_number_of_guesses_depends_on_the_release():
    canaries, delta = 60, 2e-4
    for epsilon in (0.1, 1.0):
        assert worst_level(any_number_p_value, canaries, epsilon, delta) <= 0.05
        # The p-value for a number that was fixed in advance does not.
        assert worst_level(sharp_p_value, canaries, epsilon, delta) > 0.05


def test_both_parts_of_the_error_are_used():
    made = wb.Guesses(4000, 220, 200, included=1990)
    found = any_number_bound(made, 1e-5, 0.95)
    tail = stats.binom.sf(199, 220, 1 / (1 + np.exp(-found.value)))
    gain = sharp_p_value(4000, 220, 200, found.value, 1e-5) - tail
    assert tail == pytest.approx(0.044, rel=1e-6)  # mδ = 0.04, so a share of 12% is kept
    assert gain < 0.006
    # mδ = 0.08, so a share of 24% is kept, and with few guesses the part of δ decides.
    binomial, both = (sharp_p_value(8000, 6, 6, 0.0, delta) for delta in (0.0, 1e-5))
    p = any_number_p_value(8000, 6, 6, 0.0, 1e-5)
    assert p == pytest.approx((both - binomial) / 0.24, rel=1e-9)
    assert p > binomial / 0.76


def test_without_delta_it_is_the_bound_of_one_run():
    made = wb.Guesses(300, 40, 35, included=150)
    found = any_number_bound(made, 0.0, 0.95)
    assert found == wb.one_run_bound(made, delta=0.0, method="sharp")
    assert stats.binom.sf(34, 40, 1 / (1 + np.exp(-found.value))) == pytest.approx(0.05, rel=1e-6)


def test_guesses_of_coins_name_each_success_a_member():
    success = np.array([1, 1, 1, 0, 0, 1], bool)
    member = np.array([1, 1, 0, 0, 1, 0], bool)
    made = guesses_of(success, member, "coin", 0)
    assert (made.canaries, made.guesses, made.correct, made.included) == (6, 4, 2, 3)
    assert made.design == "fair-coins"
    assert guesses_of(success, member, "given", 0) is None
    assert guesses_of(success[:3], np.array([1, 0, 0], bool), "coin", 0) is None


def test_a_random_part_is_guessed_by_pairs_that_differ():
    rng = np.random.default_rng(0)
    member = np.zeros(200, bool)
    member[rng.choice(200, 80, replace=False)] = True
    success = member & (rng.random(200) < 0.5)
    made = guesses_of(success, member, "fixed-size", 7)
    assert made.design == "matched-pairs"
    assert made.canaries == 80
    assert made.guesses == made.correct == success.sum()
    bound = any_number_bound(made, 1e-5, 0.95)
    assert bound.assumption == "fair coins of pairs of records"
    # Successes on both of a pair say nothing.
    everywhere = guesses_of(np.ones(200, bool), member, "fixed-size", 7)
    assert everywhere.guesses == 0
    assert any_number_bound(everywhere, 1e-5, 0.95).value == 0
