"""Pairs of functions: what follows from each, what is refused, and where they serve."""

import math

import numpy as np
import pytest

import workbench as wb
from workbench.pairs.own.function_pair import TOLERANCE, UNRESOLVED

TRUE = [
    wb.GaussianPair(0.0),
    wb.GaussianPair(1.0),
    wb.GaussianPair(4.0),
    wb.LaplacePair(0.7),
    wb.RandomizedResponsePair(1.2, 0.05),
    wb.SubsampledGaussianPair(0.25, 0.3),
]
ALPHA = np.r_[0.0, np.geomspace(1e-12, 0.5, 40), 1 - np.geomspace(0.4, 1e-9, 30), 1.0]
of_each = pytest.mark.parametrize("true", TRUE, ids=[pair.name for pair in TRUE])


def of_profile(true):
    return wb.Pair.from_functions(name="mine", profile=true.profile)


def of_tradeoff(true):
    return wb.Pair.from_functions(name="mine", tradeoff=true.tradeoff)


@of_each
def test_the_rates_of_a_profile_have_their_digits_in_both_tails(true):
    pair, alpha = of_profile(true), np.r_[1e-200, 1e-30, ALPHA[1:-1]]
    log_fnr, log_tpr = pair.log_rates(alpha)
    fnr = np.asarray(true.tradeoff(alpha))
    assert np.exp(log_fnr) == pytest.approx(fnr, abs=1e-13)
    if true.symmetric:
        known = np.asarray(true.log_rates(alpha)[1])
        assert np.asarray(log_tpr) == pytest.approx(known, rel=1e-12, abs=1e-12)


@of_each
def test_epsilon_inverts_a_profile(true):
    delta = np.array([1e-200, 1e-30, 1e-9, 1e-3, 0.1])
    assert of_profile(true).epsilon(delta) == pytest.approx(true.epsilon(delta), rel=1e-9)


@of_each
def test_a_tradeoff_function_gives_the_profile_down_to_its_round_off(true):
    pair, epsilon = of_tradeoff(true), np.array([0.0, 0.1, 0.69, 1.0, 3.0, 8.0, 40.0])
    assert pair.profile(epsilon) == pytest.approx(true.profile(epsilon), abs=2e-15)
    assert (pair.profile(epsilon) >= UNRESOLVED).all()
    assert pair.tradeoff(ALPHA) == pytest.approx(true.tradeoff(ALPHA), abs=1e-15)
    # Below what it resolves, nothing leaks less than stated.
    assert pair.epsilon(1e-16) == math.inf
    assert pair.renyi_divergence(2.0) == math.inf


@of_each
def test_mu_and_the_total_variation_are_those_of_the_pair(true):
    for pair in (of_profile(true), of_tradeoff(true)):
        assert pair.total_variation == pytest.approx(true.total_variation, abs=1e-13)
        assert pair.gdp_mu(1e-4) == pytest.approx(true.gdp_mu(1e-4), abs=2e-6)


def test_renyi_divergences_and_compositions_of_a_profile():
    pair, true = of_profile(wb.GaussianPair(1.0)), wb.GaussianPair(1.0)
    for order in (1.5, 2.0, 8.0):
        assert pair.renyi_divergence(order) == pytest.approx(order / 2, rel=1e-8)
    # A composition is an upper limit, and close.
    twice = pair.compose(2).epsilon(1e-5)
    assert true.compose(2).epsilon(1e-5) <= twice <= 1.001 * true.compose(2).epsilon(1e-5)


@of_each
def test_scores_are_those_of_the_optimal_test(true):
    pair = of_profile(true)
    scores = pair.sample(20_000, seed=3)
    assert ((-scores.q > 0) & (-scores.q <= 1)).all()
    share = np.array([0.01, 0.1, 0.3])
    reached = (-scores.p[:, None] < share).mean(axis=0)
    assert reached == pytest.approx(1 - np.asarray(pair.tradeoff(share)), abs=0.02)
    loss = pair.privacy_loss(scores.q[:200])
    assert np.isfinite(loss).all()
    # The optimal test rejects in the order of the loss.
    order = np.argsort(scores.q[:200])
    assert (np.diff(loss[order]) >= -1e-5).all()


def test_given_scores_are_drawn_and_their_losses_asked():
    true = wb.LaplacePair(1.0)
    pair = wb.Pair.from_functions(
        name="mine",
        profile=true.profile,
        sample=lambda n, rng: (rng.laplace(1, 1, n), rng.laplace(0, 1, n)),
        privacy_loss=true.privacy_loss,
    )
    assert pair.privacy_loss(0.2) == true.privacy_loss(0.2)
    assert pair.sample((30, 40), seed=1).n_q == 40
    silent = wb.Pair.from_functions(
        name="mine", profile=true.profile, sample=lambda n, rng: (rng.random(n), rng.random(n))
    )
    with pytest.raises(ValueError, match="privacy loss of a score of mine is not known; give"):
        silent.privacy_loss(0.2)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "needs its profile, .* give profile= or tradeoff="),
        ({"profile": 3}, "profile must be a function"),
        ({"profile": wb.GaussianPair(1).profile, "name": " "}, "name must be what charts call"),
        ({"profile": lambda e: 0.5}, r"must return an array of the shape of ε"),
        ({"profile": lambda e: math.exp(-e)}, "profile must take an array of ε, and failed"),
        ({"profile": lambda e: 2 * np.exp(-e)}, r"lie in \[0, 1\], got .* at ε = 0"),
        ({"profile": lambda e: np.full_like(e, np.nan)}, r"lie in \[0, 1\], got .*nan"),
        ({"profile": lambda e: 1 - np.exp(-e)}, "profile must fall as ε rises"),
        ({"profile": lambda e: 0.5 / (1 + np.exp((e - 1) * 30))}, "convex in e\\^ε"),
        ({"profile": lambda e: np.where(e == 0, 0.5, 0.0)}, "no pair has this profile: δ falls"),
        ({"tradeoff": lambda a: a}, "f = .* at α|tradeoff must fall"),
        ({"tradeoff": lambda a: np.minimum(1 - a, 0.9 - 0.5 * a)}, "tradeoff must be convex"),
        ({"tradeoff": lambda a: (1 - a) ** 2}, "its own inverse.*give the lower convex hull"),
        (
            {"profile": wb.GaussianPair(1).profile, "tradeoff": wb.GaussianPair(1.01).tradeoff},
            "profile and tradeoff are of two pairs: at α",
        ),
        (
            {"profile": wb.GaussianPair(1).profile, "sample": lambda n, rng: rng.random(n)},
            "must return the scores of P and of Q",
        ),
        (
            {"profile": wb.GaussianPair(1).profile, "sample": lambda n, rng: ([1.0], [2.0])},
            r"must return n scores of P, got the shape \(1,\) for n = 3",
        ),
        ({"profile": wb.GaussianPair(1).profile, "privacy_loss": abs}, "give sample=, too"),
        ({"profile": wb.GaussianPair(1).profile, "parameters": 3}, "parameters must be a dict"),
    ],
)
def test_what_is_no_pair_is_refused_with_the_number(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        wb.Pair.from_functions(**{"name": "mine", **given})


def test_functions_that_nearly_agree_are_of_one_pair():
    true = wb.LaplacePair(1.0)
    near = lambda alpha: np.maximum(true.tradeoff(alpha) - 0.1 * TOLERANCE * alpha, 0)  # noqa: E731
    assert wb.Pair.from_functions(name="mine", profile=true.profile, tradeoff=near).epsilon(0.0)


def made(scale):
    return wb.Pair.from_functions(
        name=f"mine, {scale:g}",
        parameters={"scale": scale},
        profile=lambda epsilon: wb.LaplacePair(scale).profile(epsilon),
    )


def test_equal_functions_of_equal_parameters_are_equal():
    assert made(1.0) == made(1.0)
    assert hash(made(1.0)) == hash(made(1.0))
    assert made(1.0) != made(2.0)
    assert made(1.0) != wb.LaplacePair(1.0)
    assert of_profile(TRUE[1]) != of_profile(TRUE[2])  # no parameters: the functions decide
    assert repr(made(2.0)) == "<pair mine, 2>"


@pytest.mark.slow
def test_it_serves_where_a_pair_does():
    pair, true = of_profile(wb.LaplacePair(1.0)), wb.LaplacePair(1.0)
    scores = true.sample(4000, seed=5)
    ours, known = (wb.judge(scores, wb.PairClaim(one)) for one in (pair, true))
    assert ours.verdict == known.verdict
    assert wb.judge(wb.LaplacePair(3.0).sample(4000, seed=5), pair).refuted
    claim = wb.PairClaim(pair)
    assert claim.max_delta(0.3) == pytest.approx(true.profile(0.3))
    assert wb.gdp_regret(pair).mu == pytest.approx(wb.gdp_regret(true).mu, abs=1e-5)
    assert wb.plan_distribution(pair, n=200, delta=1e-5, reps=20) is not None
    assert wb.coverage("simultaneous", pair, n=60, reps=5, delta=1e-5) is not None
    with pytest.raises(ValueError, match="pair must be one of gaussian"):
        wb.explore_pair(pair)
    pair.plot()
