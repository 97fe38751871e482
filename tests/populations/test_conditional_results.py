"""PANORAMIA and the pointwise correction: exact arithmetic, and nothing is called a bound."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom

import workbench as wb
from workbench.populations import conditional
from workbench.populations.conditional import sum_tail

INCLUDED = np.repeat([True, False], 500)


def run(leak, seed, *, shift=0.0, design="given", ids=None):
    rng = np.random.default_rng(seed)
    return wb.OneRun(
        rng.normal((shift + leak) * INCLUDED), INCLUDED, design=design, ids=ids, seed=1
    )


# -- the difference --------------------------------------------------------------------------------


def test_the_difference_is_an_estimate_with_its_condition():
    found = wb.panoramia(run(0.5, 0), run(2.5, 1))
    bound = found.bound
    assert (bound.guarantee, bound.confidence, bound.badge) == ("estimate", None, "estimate")
    assert bound.value == pytest.approx(found.attack - found.baseline)
    assert "times as likely among members" in bound.assumption
    assert bound.assumption in str(bound)
    assert "It is not a bound" in bound.note
    assert found.canaries == 500  # one of each pair was shown
    assert 200 < found.members < 300
    assert "either the populations are further apart" in found.explain()


def test_no_leak_beyond_the_populations_gives_zero():
    same = run(1.0, 0)
    assert wb.panoramia(same, same).bound.value == 0


def test_a_closeness_that_the_baseline_refutes_voids_the_number():
    assert wb.panoramia(run(1.5, 0), run(3.0, 1), closeness=0.1).bound.badge == "not valid"
    stated = wb.panoramia(run(0.0, 0), run(3.0, 1), closeness=1.0)
    assert stated.stated
    assert stated.bound.void is None
    assert stated.bound.value == pytest.approx(stated.attack - 1.0)


def test_limits_are_those_of_one_run_at_parts_of_the_error():
    rng = np.random.default_rng(0)
    included = rng.random(1000) < 0.5
    coins = wb.OneRun(rng.normal(2.0 * included), included, seed=1)
    found = wb.panoramia(coins, coins, guesses=[50, 100], delta=1e-5)
    expected = max(
        wb.one_run_bound(coins.guess(k_in=k), delta=1e-5, confidence=0.975, method="sharp").value
        for k in (50, 100)
    )
    assert found.attack == expected
    assert found.canaries == 1000


@pytest.mark.parametrize("total", [0.5, 1.5])
def test_the_level_at_the_edge_is_exact(total):
    """Each guess "member" is right with probability e^(c+ε)/(1 + e^(c+ε)), as is the worst case."""
    guesses, error = 200, 0.05
    right = expit(total)

    def wrong(level):
        limits = [
            wb.one_run_bound(
                guesses, canaries=1000, correct=k, delta=0, confidence=1 - level, method="sharp"
            ).value
            for k in range(guesses + 1)
        ]
        return float(binom.pmf(np.flatnonzero(np.array(limits) > total), guesses, right).sum())

    assert error / 2 < wrong(error) <= error
    assert wrong(2 * error) > error


@pytest.mark.statistical
def test_the_statement_that_is_made_of_two_populations_holds():
    """Populations at c = 0.8, training at ε = 1: t exceeds c + ε in at most 5% of audits."""
    c, epsilon, n = 0.8, 1.0, 300
    rng = np.random.default_rng(0)
    wrong_c = wrong_sum = 0
    for seed in range(200):
        inside = np.repeat([True, False], n)
        # Randomized response of the population, and of the membership.
        looks = np.where(rng.random(2 * n) < expit(c), inside, ~inside)
        tells = np.where(rng.random(2 * n) < expit(epsilon), inside, ~inside)
        both = [
            wb.OneRun(x + 1e-6 * rng.random(2 * n), inside, design="given", seed=seed)
            for x in (1.0 * looks, 1.0 * looks + tells)
        ]
        found = wb.panoramia(*both)
        wrong_c += found.baseline > c
        wrong_sum += found.attack > c + epsilon
    limit = 200 * 0.05 + 3 * math.sqrt(200 * 0.05 * 0.95)
    assert wrong_c <= limit
    assert wrong_sum <= limit


def test_a_coin_shows_one_record_of_each_pair():
    rng = np.random.default_rng(0)
    included = np.repeat([True, False], [300, 200])
    members = []
    for seed in range(200):
        one = wb.OneRun(rng.normal(3.0 * included), included, design="given", seed=seed)
        shown = conditional._shown(one)
        assert shown.sum() == 200
        members.append(included[shown].sum())
    assert abs(np.mean(members) - 100) < 4 * math.sqrt(50 / 200)
    assert 25 < np.var(members) < 100  # binomial has 50, a fixed half 0


def test_a_file_of_panoramia_opens(tmp_path):
    """Rows as its tabular code writes them: the label, the baseline and two attacks."""
    rng = np.random.default_rng(0)
    member = (rng.random(400) < 0.5).astype(int)
    lines = ["member,baseline_pred,mia_mlp10_pred,mia_mlp100_pred"]
    for one in member:
        base, ten, hundred = (expit(rng.normal(k * one)) for k in (0.3, 1.5, 2.5))
        lines.append(f"{one},{base},{ten},{hundred}")
    path = tmp_path / "mia_baseline_default_0.csv"
    path.write_text("\n".join(lines) + "\n")
    baseline, attack = (
        wb.read_one_run(path, score=name, included="member", design="given", seed=1)
        for name in ("baseline_pred", "mia_mlp100_pred")
    )
    found = wb.panoramia(baseline, attack)
    assert found.attack > found.baseline >= 0
    assert found.bound.guarantee == "estimate"


# -- each record at its propensity -----------------------------------------------------------------


def test_the_tail_of_a_sum_is_that_of_the_binomial_where_all_are_equal():
    for k in (0, 1, 30, 50, 51):
        assert sum_tail(np.full(50, 0.6), k) == pytest.approx(binom.sf(k - 1, 50, 0.6))
    p = np.array([0.2, 0.5, 0.9])
    assert sum_tail(p, 3) == pytest.approx(0.09)
    assert sum_tail(p, 2) == pytest.approx(0.01 + 0.09 + 0.36 + 0.09)


def test_the_level_at_propensities_is_exact():
    log_odds, epsilon = logit(np.linspace(0.2, 0.8, 60)), 1.0
    right = expit(log_odds + epsilon)
    masses = [sum_tail(right, k) - sum_tail(right, k + 1) for k in range(61)]

    def wrong(error):
        limits = [conditional._pointwise_limit(log_odds, k, error) for k in range(61)]
        return sum(mass for mass, at in zip(masses, limits, strict=True) if at > epsilon)

    assert 0.02 < wrong(0.05) <= 0.05
    assert wrong(0.1) > 0.05


def test_equal_propensities_of_one_half_give_the_sharp_limit():
    sharp = wb.one_run_bound(
        100, canaries=1000, correct=80, delta=0, confidence=0.95, method="sharp"
    ).value
    assert conditional._pointwise_limit(np.zeros(100), 80, 0.05) == pytest.approx(sharp, abs=1e-5)


def test_records_that_were_likely_members_show_less():
    attack = run(2.0, 0)
    fair, likely = (
        wb.populations.pointwise_correction(attack, np.where(INCLUDED, at, 0.5), guesses=[100])
        for at in (0.5, 0.9)
    )
    assert fair.value > likely.value
    assert {fair.guarantee, likely.guarantee} == {"estimate"}
    assert "stated probabilities" in fair.assumption


# -- what is refused -------------------------------------------------------------------------------


def test_wrong_runs_are_refused():
    good = run(1.0, 0)
    other = wb.OneRun(np.arange(1000.0), ~INCLUDED, design="given")
    with pytest.raises(wb.ScoresError, match="differ in who was in"):
        wb.panoramia(good, other)
    with pytest.raises(wb.ScoresError, match="name their records otherwise"):
        wb.panoramia(run(1.0, 0, ids=range(1000)), run(1.0, 0, ids=range(1, 1001)))
    pairs = wb.OneRun(np.arange(1000.0), INCLUDED, design="matched-pairs")
    with pytest.raises(wb.ScoresError, match="are pairs"):
        wb.panoramia(good, pairs)
    few = wb.OneRun(np.arange(8.0), INCLUDED[496:504], design="given")
    with pytest.raises(wb.ScoresError, match="too few"):
        wb.panoramia(few, few)
    with pytest.raises(TypeError, match="baseline must be"):
        wb.panoramia("a.csv", good)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"guesses": [501]}, "at most the 500 records"),
        ({"guesses": []}, "guesses"),
        ({"closeness": -1}, "closeness"),
        ({"delta": 1}, "delta"),
    ],
)
def test_wrong_settings_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        wb.panoramia(run(1.0, 0), run(2.0, 1), **change)


@pytest.mark.parametrize(
    ("propensity", "message"),
    [([0.5], "each of the 1000 records"), (np.zeros(1000), r"in \(0, 1\)")],
)
def test_wrong_propensities_are_refused(propensity, message):
    with pytest.raises(ValueError, match=message):
        wb.populations.pointwise_correction(run(1.0, 0), propensity)
