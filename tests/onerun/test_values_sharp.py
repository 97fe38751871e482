"""The sharp bound of guesses out of many values: exact optima by linear programs, exact levels."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array
from scipy.stats import binom

import workbench as wb
from workbench.onerun import mahloujifar
from workbench.onerun.bound import any_number_bound
from workbench.onerun.judged import claim_p_value
from workbench.onerun.steinke import any_number_p_value, for_values, sharp_p_value
from workbench.pairs.families.randomized_response import RandomizedResponseFamily


def outputs_of(canaries, guesses, values, top):
    """Every way to guess: a set of ``top`` values for each of ``guesses`` canaries, else None."""
    named = list(itertools.combinations(range(values), top))
    for where in itertools.combinations(range(canaries), guesses):
        for sets in itertools.product(named, repeat=guesses):
            chosen = dict(zip(where, sets, strict=True))
            yield tuple(chosen.get(i) for i in range(canaries))


def largest_probability(inputs, outputs, gain, epsilon, delta):
    """The largest mean gain of all (ε, δ)-DP mechanisms, for replacing one value: no symmetry used.

    Variables are P[output | input], and for each ordered pair of neighbors and each output the
    part of P[output | input] that exceeds e^ε times that of the neighbor.
    """
    neighbors = [
        (a, b)
        for a, x in enumerate(inputs)
        for b, y in enumerate(inputs)
        if sum(u != v for u, v in zip(x, y, strict=True)) == 1
    ]
    n_in, n_out = len(inputs), len(outputs)
    plain, excess = n_in * n_out, len(neighbors) * n_out
    entries, limits = [], []
    for pair, (a, b) in enumerate(neighbors):
        for out in range(n_out):
            row, slack = len(limits), plain + pair * n_out + out
            entries += [(row, a * n_out + out, 1.0), (row, slack, -1.0)]
            entries += [(row, b * n_out + out, -math.exp(epsilon))]
            limits.append(0.0)
        entries += [(len(limits), plain + pair * n_out + out, 1.0) for out in range(n_out)]
        limits.append(delta)
    rows, columns, cells = zip(*entries, strict=True)
    shape = len(limits), plain + excess
    total = coo_array(
        (np.ones(plain), (np.repeat(np.arange(n_in), n_out), np.arange(plain))),
        shape=(n_in, plain + excess),
    )
    of_gain = [gain(x, out) / n_in for x in inputs for out in outputs]
    found = linprog(
        -np.r_[of_gain, np.zeros(excess)],
        A_ub=coo_array((cells, (rows, columns)), shape=shape).tocsr(),
        b_ub=limits,
        A_eq=total.tocsr(),
        b_eq=np.ones(n_in),
        method="highs",
    )
    assert found.status == 0
    return -found.fun


def largest_tail(canaries, guesses, correct, epsilon, delta, values, top=1):
    """The largest P[at least ``correct`` right], by a linear program."""

    def gain(truth, out):
        right = sum(s is not None and v in s for v, s in zip(truth, out, strict=True))
        return float(right >= correct)

    inputs = list(itertools.product(range(values), repeat=canaries))
    outputs = list(outputs_of(canaries, guesses, values, top))
    return largest_probability(inputs, outputs, gain, epsilon, delta)


#: canaries, guesses, values, top
SIZES = [(2, 2, 2, 1), (2, 2, 3, 1), (2, 1, 3, 1), (2, 2, 3, 2), (2, 1, 4, 2), (3, 3, 2, 1)]


@pytest.mark.parametrize("delta", [0.0, 0.03])
@pytest.mark.parametrize("size", SIZES)
def test_the_limit_is_the_optimum_of_all_mechanisms(size, delta):
    """Two and three canaries: the limit is reached, also by guesses on a part and of sets."""
    m, r, values, top = size
    limit = for_values(sharp_p_value, values, top)
    for epsilon in (0.2, 1.0):
        for correct in range(1, r + 1):
            found = largest_tail(m, r, correct, epsilon, delta, values, top)
            assert limit(m, r, correct, epsilon, delta) == pytest.approx(found, abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(3, 3, 3, 1), (3, 2, 3, 1)])
def test_the_limit_is_the_optimum_for_three_canaries(size):
    m, r, values, top = size
    limit = for_values(sharp_p_value, values, top)
    for correct in (1, 2, r):
        found = largest_tail(m, r, correct, 0.7, 0.02, values, top)
        assert limit(m, r, correct, 0.7, 0.02) == pytest.approx(found, abs=1e-7)


def test_no_limit_is_below_the_optimum_where_others_are_above():
    """At p above 0.87 the limit of Steinke et al. fails; this one and the recursion do not."""
    m, r, values = 2, 2, 3
    for correct in (1, 2):
        for epsilon in (0.1, 0.9, 1.7):
            found = largest_tail(m, r, correct, epsilon, 0.02, values)
            assert sharp(m, r, correct, epsilon, 0.02, values) >= found - 1e-7
            refuted = mahloujifar.refuted(
                RandomizedResponseFamily(0.02), np.array([epsilon]), m, r, correct,
                found * (1 - 1e-6), values,
            )  # fmt: skip
            assert not refuted[0]


def sharp(m, r, c, epsilon, delta, values, top=1):
    return for_values(sharp_p_value, values, top)(m, r, c, epsilon, delta)


def test_two_values_are_in_and_out():
    assert for_values(sharp_p_value, 2) is sharp_p_value
    given = {"canaries": 1000, "guesses": 100, "correct": 90, "delta": 1e-5}
    assert wb.one_run_bound(**given, values=2) == wb.one_run_bound(**given)
    assert wb.one_run_bound(**given).method == "one run, Steinke et al. 2023"
    assert wb.one_run_bound(**given, values=3).method == "one run, sharp"


# -- the constant: a bound at the exact error of its edge is the truth -----------------------------


def tail_of_worst(m, r, c, epsilon, delta, values, top):
    """P[at least c right] of the mechanism of the proof, from its own definition and no formula.

    Its masses are those of a binomial, times a factor that has one jump, at c. The factor is the
    largest for which replacing a value costs at most δ: a canary is among the r guessed with r/m,
    and of those with c right it is a right one in c/r, one of whose K − j other values makes it
    wrong with (K − j)/(K − 1).
    """
    right = top * math.exp(epsilon) / (top * math.exp(epsilon) + values - top)
    masses = binom.pmf(np.arange(r + 1), r, right)
    above, below = masses[c:].sum(), masses[:c].sum()

    def cost(factor):
        rest = (1 - factor * above) / below
        before, after = masses[c] * factor, masses[c] * rest  # B(c) e^{-ε'} ~ B(c − 1), by balance
        return r / m * c / r * (values - top) / (values - 1) * (before - after)

    low, high = 1.0, 1 / above
    if cost(high) <= delta:
        return 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if cost(middle) <= delta else (low, middle)
    return low * above


EDGES = [
    (50, 50, 41, 2, 1, 1.0),
    (50, 50, 30, 10, 1, 2.0),
    (1000, 200, 80, 1000, 1, 6.0),
    (1000, 1000, 340, 10**6, 1, 13.0),
    (50, 50, 33, 1000, 20, 4.0),
]


@pytest.mark.parametrize("delta", [0.0, 1e-5, 1e-3])
@pytest.mark.parametrize("edge", EDGES)
def test_at_its_exact_level_the_bound_is_the_truth_and_at_another_it_is_not(edge, delta):
    """It fails if the level is halved or doubled, or if δ or the odds are off by a factor."""
    m, r, c, values, top, epsilon = edge
    error = tail_of_worst(m, r, c, epsilon, delta, values, top)
    assert 1e-6 < error < 0.5
    design = {"design": "matched-pairs"} if values == 2 else {"values": values, "top": top}

    def bound(error):
        return wb.one_run_bound(
            wb.Guesses(m, r, c, **design), delta=delta, confidence=1 - error, method="sharp"
        ).value

    assert bound(error) == pytest.approx(epsilon, abs=1e-6)
    assert bound(error / 2) < epsilon - 1e-3
    assert bound(min(2 * error, 0.49)) > epsilon + 1e-3


@pytest.mark.parametrize("values", [2, 10, 1000, 10**6])
def test_the_level_is_near_its_nominal_value_at_the_edge(values):
    """Summed over all counts, of randomized response among K values, which is exactly ε-DP."""
    m, epsilon = 1000, {2: 1.0, 10: 2.0, 1000: 6.0, 10**6: 13.0}[values]
    right = math.exp(epsilon) / (math.exp(epsilon) + values - 1)

    def level(confidence):
        false = (
            wb.one_run_bound(
                canaries=m, guesses=m, correct=c, values=values, delta=0, confidence=confidence,
                method="sharp",
            ).value > epsilon
            for c in range(m + 1)
        )  # fmt: skip
        least = next(c for c, claims in enumerate(false) if claims)
        return binom.sf(least - 1, m, right)

    assert 0.04 < level(0.95) <= 0.05
    assert level(0.975) <= 0.025
    assert level(0.9) > 0.08


@pytest.mark.parametrize("top", [1, 3])
def test_any_number_of_guesses_keeps_its_level(top):
    """A mechanism that spends δ where it makes one of several numbers of guesses."""
    m, values, epsilon, delta = 60, 10, 1.5, 1e-3
    p_value = for_values(any_number_p_value, values, top)
    spent, missed = 0.0, 0.0
    for r, share in ((20, 0.3), (40, 0.3), (60, 0.4)):
        least = next(c for c in range(r + 1) if p_value(m, r, c, epsilon, delta) <= 0.05)
        missed += share * tail_of_worst(m, r, least, epsilon, delta, values, top)
        spent += share * delta
        before = p_value(m, r, least - 1, epsilon, delta)
        assert before > 0.05
    assert spent <= delta * (1 + 1e-12)
    assert 0.01 < missed <= 0.05
    guesses = wb.Guesses(m, 40, 30, values=values, top=top)
    chosen, fixed = any_number_bound(guesses, delta), wb.one_run_bound(guesses, delta=delta)
    assert 0 < chosen.value < fixed.value
    assert any_number_bound(guesses, 0.0).value == wb.one_run_bound(guesses, delta=0.0).value


# -- beside other bounds ---------------------------------------------------------------------------


@pytest.mark.parametrize("values", [10, 1000, 10**6])
@pytest.mark.parametrize("top", [1, 5])
def test_it_is_at_least_the_recursion_without_a_family(values, top):
    guesses = wb.Guesses(200, 200, 60 if top == 1 else 160, values=values, top=top)
    sharper = wb.one_run_bound(guesses, delta=1e-5)
    recursion = wb.one_run_bound(guesses, delta=1e-5, method="fdp")
    assert 0.95 * sharper.value < recursion.value <= sharper.value
    gaussian = wb.one_run_bound(guesses, delta=1e-5, method="fdp", family="gaussian")
    assert gaussian.value > sharper.value  # it knows more, and says so
    assert gaussian.family == "Gaussian"
    assert sharper.family is None


@pytest.mark.parametrize("top", [2, 7])
def test_the_recursion_keeps_its_level_for_sets_of_values(top):
    """Subset selection names j of k values with odds e^ε and is exactly at the edge."""
    m, values, epsilon = 60, 10, 1.0
    right = top * math.exp(epsilon) / (top * math.exp(epsilon) + values - top)
    counts = np.arange(m + 1)
    refuted = [
        mahloujifar.refuted(
            RandomizedResponseFamily(0.0), np.array([epsilon]), m, m, int(c), 0.05, values, top
        )[0]
        for c in counts
    ]
    assert 0.004 < binom.pmf(counts, m, right) @ refuted <= 0.05


def test_more_candidates_named_say_less_for_the_same_count():
    found = [
        wb.one_run_bound(canaries=100, guesses=100, correct=50, values=1000, top=top, delta=1e-5)
        for top in (1, 10, 100)
    ]
    assert np.all(np.diff([bound.value for bound in found]) < -2)
    assert "named 100 of them" in found[-1].note


# -- verdicts --------------------------------------------------------------------------------------


def test_claims_about_a_value_are_judged_by_the_same_limit():
    guesses = wb.Guesses(200, 200, 60, values=1000)
    right = math.exp(4) / (math.exp(4) + 999)
    p = claim_p_value(wb.PureDP(4.0), guesses)
    assert p == pytest.approx(binom.sf(59, 200, right), rel=1e-9)
    bound = wb.one_run_bound(guesses, delta=1e-5).value
    for epsilon in (bound - 0.01, bound + 0.01):
        verdict = wb.judge_guesses(guesses, wb.ApproxDP(epsilon, 1e-5))
        assert verdict.refuted == (epsilon < bound)
        assert verdict.relation == "substitution"
    mu = wb.one_run_mu_bound(guesses).value
    assert wb.judge_guesses(guesses, wb.GDP(0.99 * mu)).refuted
    assert not wb.judge_guesses(guesses, wb.GDP(1.3 * mu)).refuted
    chosen = wb.judge_guesses(guesses, "approx(1, 1e-5)", chosen_number=True)
    assert chosen.refuted


def test_what_guesses_out_of_many_values_detect_is_that_of_randomized_response():
    """The least ε that is caught with 80% power, against the binomial of the mechanism itself."""
    found = wb.judge_guesses(wb.Guesses(200, 200, 12, values=1000), wb.PureDP(4.0))
    assert found.verdict == "not refuted"
    caught = found.power.caught
    claimed = math.exp(4) / (math.exp(4) + 999)
    critical = int(binom.isf(0.05, 200, claimed)) + 1
    assert binom.sf(critical - 1, 200, claimed) <= 0.05 < binom.sf(critical - 2, 200, claimed)
    right = math.exp(caught) / (math.exp(caught) + 999)
    assert binom.sf(critical - 1, 200, right) == pytest.approx(0.8, abs=1e-3)


# -- input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("top", [0, 10, 11, 1.5, math.nan, "two"])
def test_sets_of_no_or_all_values_are_refused(top):
    with pytest.raises(ValueError, match="top must be"):
        wb.Guesses(50, 50, 40, values=10, top=top)


def test_in_or_out_names_one():
    with pytest.raises(ValueError, match="top must be below the 2 values, got 2"):
        wb.one_run_bound(canaries=50, guesses=50, correct=40, delta=0, top=2)
    with pytest.raises(ValueError, match="already state top"):
        wb.one_run_bound(wb.Guesses(50, 50, 40), delta=0, top=1)


@pytest.mark.parametrize("method", ["steinke", "bits", "bits-hoeffding", "abstain"])
def test_methods_for_in_and_out_are_refused_with_the_remedy(method):
    with pytest.raises(ValueError, match="take method='sharp'"):
        wb.one_run_bound(canaries=50, guesses=50, correct=40, delta=0, method=method, values=3)
