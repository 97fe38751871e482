"""The pair of a group: closed forms against the composed curve, chains of neighbors, verdicts."""

import math

import numpy as np
import pytest

import workbench as wb


def computed(pair, k):
    """As for a pair without closed form."""
    same = wb.Pair.from_functions(name=pair.name, profile=pair.profile)
    return wb.group_pair(same, k)


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("pair", [wb.GaussianPair(0.4), wb.LaplacePair(0.3)], ids=lambda p: p.name)
def test_closed_forms_are_the_composed_curve(pair, k):
    closed = wb.group_pair(pair, k)
    assert closed == type(pair)(k * pair.mu)
    alpha = np.linspace(0.001, 0.999, 60)
    np.testing.assert_allclose(computed(pair, k).tradeoff(alpha), closed.tradeoff(alpha), atol=1e-9)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (0.3, 1e-3), (1.0, 1e-6)])
def test_an_epsilon_and_delta_become_those_of_group_privacy(epsilon, delta, k):
    """(ε, δ) of one record: (kε, δ (e^{kε} − 1)/(e^ε − 1)) of k, and no less for this curve."""
    group = wb.group_pair(wb.RandomizedResponsePair(epsilon, delta), k)
    of_group = delta * math.expm1(k * epsilon) / math.expm1(epsilon)
    assert group.profile(k * epsilon) == pytest.approx(of_group, rel=1e-6, abs=1e-12)
    if delta == 0:
        assert group.profile(0.99 * k * epsilon) > 1e-4


def test_a_chain_of_neighbors_leaks_no_more():
    """Subsampled Gaussian sums of k records that are in or out together, each with its own coin."""
    rng, n, k, q, sigma = np.random.default_rng(0), 200_000, 3, 0.2, 0.8
    group = wb.group_pair(wb.SubsampledGaussianPair(q, sigma), k)
    there = rng.binomial(k, q, n) + rng.normal(0, sigma, n)
    away = rng.normal(0, sigma, n)
    cuts = np.linspace(-1, 4, 40)
    fpr = (away[:, None] > cuts).mean(axis=0)
    fnr = (there[:, None] <= cuts).mean(axis=0)
    assert (fnr >= group.tradeoff(fpr) - 5 * math.sqrt(0.5 / n)).all()
    one = wb.SubsampledGaussianPair(q, sigma)
    assert (fnr < one.tradeoff(fpr) - 0.02).any()


def test_scores_of_a_group_refute_the_claim_about_one_record():
    """The group leaks μ = 2; a claim of μ = 0.5 for one of 3 records allows 1.5, of 5 2.5."""
    scores = wb.GaussianPair(2.0).sample(4000, seed=0)
    claim = wb.GaussianPair(0.5)
    assert wb.judge(scores, wb.group_pair(claim, 3)).refuted
    assert not wb.judge(scores, wb.group_pair(claim, 5)).refuted
    approximate = wb.RandomizedResponsePair(0.3, 1e-5)
    assert wb.judge(scores, wb.group_pair(approximate, 3)).refuted


def test_what_the_pair_is():
    pair = wb.RandomizedResponsePair(0.5, 1e-6)
    assert wb.group_pair(pair, 1) is pair
    assert wb.group_pair(pair, 3) == wb.group_pair(pair, 3)
    assert wb.group_pair(pair, 3) != wb.group_pair(pair, 2)
    assert "group of 3" in wb.group_pair(pair, 3).name
    assert wb.group_pair(wb.DPSGDPair(2.0, 1.0, 4), 2) == wb.GaussianPair(2.0)
    sampled = wb.group_pair(wb.SubsampledGaussianPair(0.1, 1.0), 2)
    assert sampled.profile(1.0) > wb.SubsampledGaussianPair(0.1, 1.0).profile(1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wb.group_pair("gdp(1)", 2), "pair"),
        (lambda: wb.group_pair(wb.GaussianPair(1), 0), "group"),
        (lambda: wb.group_pair(wb.GaussianPair(1), 2.5), "group"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
