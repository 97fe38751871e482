"""Cases of secrets of many values: their exact levels, without simulation, and their laws."""

import math

import numpy as np
import pytest
from scipy.stats import binom

import workbench as wb
from workbench.coverage_lab.cases.values import (
    GAUSSIAN,
    OF_TOPS,
    RESPONSE,
    VALUES,
    WORST,
    worst_law,
)
from workbench.onerun.ranks.ranks import Ranks

CASES = [case.replicate for case in VALUES]
COUNTED = ("sharp", "any number", "fdp")


def law_of_first(case):
    """P[number of ranks that are 1], exactly."""
    if case.mechanism == WORST:
        return worst_law(case.values, case.canaries, case.epsilon, case.delta)
    odds, k = math.exp(case.epsilon), case.values
    first = (odds + (k - 1) * case.delta) / (odds + k - 1)
    return binom.pmf(np.arange(case.canaries + 1), case.canaries, first)


@pytest.mark.parametrize("case", [case for case in CASES if case.mechanism != GAUSSIAN], ids=repr)
def test_levels_are_at_most_five_percent_exactly(case):
    law = law_of_first(case)
    levels = {method: law[case.least(method) :].sum() for method in COUNTED}
    assert max(levels.values()) <= 0.05 + 1e-9
    assert levels["sharp"] > 0.01  # near, as far as counts allow
    if case.mechanism == WORST and case.canaries == 1000:
        assert levels["sharp"] > 0.036


@pytest.mark.parametrize("values", [2, 10, 1000, 10**6])
def test_the_worst_mechanism_is_at_its_claim(values):
    """Replacing a value costs δ at ε, no more and no less, summed over all that may be named."""
    (case,) = (c for c in CASES if c.values == values and c.canaries == 50 and c.mechanism == WORST)
    m, k = case.canaries, np.arange(case.canaries + 1)
    law = law_of_first(case)
    # A canary is right in k/m of what has k right; with another truth it is not: k − 1 are right,
    # which has the probability of k − 1, and names this value in 1/(K − 1) of its wrong guesses.
    with_value = law * k / m
    with_other = np.r_[0.0, (law * (m - k))[:-1] / (m * (values - 1))]
    excess = np.maximum(with_value - math.exp(case.epsilon) * with_other, 0).sum()
    assert excess == pytest.approx(case.delta, rel=1e-5)


def test_ranks_of_randomized_response_and_of_noise_follow_their_laws():
    rng = np.random.default_rng(4)
    response = next(c for c in CASES if c.mechanism == RESPONSE and c.values == 10)
    drawn = np.concatenate([response.ranks(rng).ranks for _ in range(400)])
    first = law_of_first(response) @ np.arange(response.canaries + 1) / response.canaries
    assert (drawn == 1).mean() == pytest.approx(first, abs=0.015)
    assert np.bincount(drawn)[2:] / drawn.size == pytest.approx([(1 - first) / 9] * 9, abs=0.01)
    noisy = next(c for c in CASES if c.mechanism == GAUSSIAN and c.values == 10)
    drawn = np.concatenate([noisy.ranks(rng).ranks for _ in range(400)])
    vectors = rng.normal(size=(20_000, 10))
    vectors[:, 0] += noisy.shift
    direct = Ranks.of_scores(vectors, np.zeros(20_000, int)).ranks
    for top in (1, 3, 7):
        assert (drawn <= top).mean() == pytest.approx((direct <= top).mean(), abs=0.015)
    assert noisy.epsilon == pytest.approx(
        float(wb.GaussianPair(noisy.shift * math.sqrt(2)).epsilon(noisy.delta))
    )


def test_one_of_several_tops_claims_too_much_exactly_if_the_largest_bound_does():
    rng = np.random.default_rng(5)
    case = next(c for c in CASES if c.values == 1000 and c.canaries == 50 and c.delta == 0)
    seen = set()
    for _ in range(60):
        ranks = case.ranks(rng)
        bound = wb.exposure(ranks, delta=case.delta, top=case.tops).bound.value
        counts = [int((ranks.ranks <= top).sum()) for top in case.tops]
        false = any(c >= case.least(OF_TOPS, top) for c, top in zip(counts, case.tops, strict=True))
        assert false == (bound > case.epsilon + 1e-9)
        seen.add(false)
    assert seen == {False, True} or not any(seen)
