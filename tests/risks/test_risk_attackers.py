"""Limits against attackers that guess best: none is right more often, and some as often."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.special import ndtr

import workbench as wb

RNG = np.random.default_rng(20261128)


def best_guess(prior, outputs):
    """Success of the best guess of a secret: prior (k,), outputs (k, m) with rows P(o | secret)."""
    return float((np.asarray(prior)[:, None] * outputs).max(axis=0).sum())


def at_most(claim, kappa, attack="attribute", **more):
    return wb.risk(claim, baseline=kappa, attack=attack, **more).at_most


def priors(k, count):
    """Uniform, one in doubt, and random ones."""
    yield np.full(k, 1 / k)
    yield np.r_[0.9, np.full(k - 1, 0.1 / (k - 1))]
    yield from RNG.dirichlet(np.full(k, 0.7), size=count)


def randomized_response(k, epsilon):
    odds = np.exp(epsilon)
    return (np.eye(k) * (odds - 1) + 1) / (odds + k - 1)


@pytest.mark.parametrize("k", [2, 3, 10, 100])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_guesses_after_k_ary_randomized_response(k, epsilon):
    outputs = randomized_response(k, epsilon)
    for prior in priors(k, 20):
        reached = best_guess(prior, outputs)
        assert reached <= at_most(wb.PureDP(epsilon), float(prior.max()))
    uniform = best_guess(np.full(k, 1 / k), outputs)
    assert uniform == pytest.approx(np.exp(epsilon) / (np.exp(epsilon) + k - 1))
    if k == 100 and epsilon <= 1:  # and nearly as often where the secret has many values
        assert at_most(wb.PureDP(epsilon), 1 / k) <= 1.02 * uniform


def cells(cdf, shifts, width):
    """Probabilities of cells of an output with this distribution function, shifted."""
    edges = np.arange(-14, 15, width)
    reached = cdf(edges[None, :] - np.asarray(shifts)[:, None])
    return np.diff(np.c_[np.zeros(len(shifts)), reached, np.ones(len(shifts))], axis=1)


def laplace_cdf(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)


@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("k", [2, 3, 8])
def test_guesses_after_laplace_and_gaussian_noise(mu, k):
    # A sum to which the record adds a secret in [0, μ]: without it the output has no shift.
    shifts = np.linspace(0, mu, k)
    for cdf, claim in ((laplace_cdf, wb.LaplacePair(mu)), (ndtr, wb.GaussianPair(mu))):
        outputs = cells(cdf, shifts, 0.01)
        for prior in priors(k, 10):
            assert best_guess(prior, outputs) <= at_most(claim, float(prior.max()))


def random_mechanism(k, m, reveals):
    """Rows of random outputs; with ``reveals``, some that name the secret for sure."""
    rows = RNG.dirichlet(np.full(m, RNG.uniform(0.3, 3)), size=k + 1)
    if not reveals:
        return rows[:-1], rows[-1]
    share = RNG.uniform(0, 0.2)
    shown = np.c_[(1 - share) * rows[:-1], share * np.eye(k)]
    return shown, np.r_[(1 - share) * rows[-1], np.full(k, share / k)]


def divergence(p, q, epsilon):
    return float(np.maximum(p - np.exp(epsilon) * q, 0).sum())


def exact_delta(rows, epsilon):
    """δ at ε over all ordered pairs of rows."""
    return max(divergence(p, q, epsilon) for p in rows for q in rows)


@pytest.mark.parametrize("reveals", [False, True])
def test_guesses_after_random_mechanisms_that_are_exactly_private(reveals):
    tight = 0.0
    for _ in range(60):
        k, m = int(RNG.integers(2, 7)), int(RNG.integers(2, 9))
        outputs, without = random_mechanism(k, m, reveals)
        rows = np.vstack([outputs, without])  # adding the record, and replacing it
        epsilons = np.r_[0.0, RNG.uniform(0, 2, 3), 3.0]
        deltas = [exact_delta(rows, epsilon) for epsilon in epsilons]
        order = np.argsort(epsilons)
        profile = wb.ProfileTablePair(tuple(epsilons[order]), tuple(np.array(deltas)[order]))
        for prior in priors(k, 3):
            kappa, reached = float(prior.max()), best_guess(prior, outputs)
            limits = [
                at_most(wb.ApproxDP(epsilon, min(delta, 1 - 1e-12)), kappa)
                for epsilon, delta in zip(epsilons, deltas, strict=True)
            ]
            assert reached <= min(limits) + 1e-12
            assert reached <= at_most(profile, kappa) + 1e-12
            tight = max(tight, (reached - kappa) / max(min(limits) - kappa, 1e-9))
    assert tight > 0.5  # the limits are not vacuous: guesses come near some of them


def test_every_test_of_membership_and_the_best_one_exactly():
    # Of randomized response with δ, the limit is reached: no smaller one would hold.
    epsilon, delta = 1.2, 0.05
    q = np.array([delta, (1 - delta) / (1 + np.exp(-epsilon)), (1 - delta) / (1 + np.exp(epsilon))])
    p, q = np.r_[0, q[::-1]], np.r_[q, 0]
    claim = wb.ApproxDP(epsilon, delta)
    assert divergence(p, q, epsilon) == pytest.approx(delta)
    for accused in product((0.0, 0.3, 1.0), repeat=4):
        fpr, tpr = float(q @ accused), float(p @ accused)
        if 0 < fpr < 1:
            assert tpr <= at_most(claim, fpr, "membership") + 1e-12
    vertex = float(q[2])
    assert float(p[2:].sum()) == pytest.approx(at_most(claim, vertex, "membership"), rel=1e-11)


def test_predicates_that_single_out_after_a_noisy_count():
    # Three records of four equally likely values; released is a randomized histogram: each record
    # by 4-ary randomized response. The attacker names the set of values, of weight at most κ, that
    # fits the first record; all 64 data sets and 64 outputs are enumerated.
    epsilon, values, n = 1.0, 4, 3
    response = randomized_response(values, epsilon)
    data = list(product(range(values), repeat=n))
    outputs = list(product(range(values), repeat=n))
    given = np.array(
        [[np.prod([response[x, o] for x, o in zip(d, out, strict=True)]) for out in outputs]
         for d in data]
    ) / len(data)  # fmt: skip
    first = np.array([d[0] for d in data])
    for size in (1, 2, 3):
        kappa = size / values
        fits = [
            given[np.isin(first, chosen)].sum(axis=0)
            for chosen in combinations(range(values), size)
        ]
        reached = float(np.max(fits, axis=0).sum())
        assert reached > kappa + 0.05
        assert reached <= at_most(wb.PureDP(epsilon), kappa, "singling-out")


def test_groups_of_records_that_change_together():
    # A sum of k records of a family, with noise for one: each of them shifts it by at most μ.
    mu, k = 0.6, 3
    for cdf, claim in ((laplace_cdf, wb.LaplacePair(mu)), (ndtr, wb.GaussianPair(mu))):
        outputs = cells(cdf, np.linspace(0, k * mu, 5), 0.01)
        exceeded = False
        for prior in priors(5, 10):
            kappa, reached = float(prior.max()), best_guess(prior, outputs)
            assert reached <= at_most(claim, kappa, group=k)
        two = cells(cdf, [0.0, k * mu], 0.01)
        accused = np.cumsum(two[0][::-1]) <= 0.05
        fpr, tpr = two[0][::-1][accused].sum(), two[1][::-1][accused].sum()
        assert tpr <= at_most(claim, float(fpr), "membership", group=k)
        exceeded |= tpr > at_most(claim, float(fpr), "membership")
        assert exceeded  # the limit for one record does not hold for three


def test_a_limit_that_forgot_the_guesses_of_likely_secrets_would_be_exceeded():
    # The check can fail: e^ε κ for the prior of an average secret is not enough.
    prior = np.array([0.7, 0.1, 0.1, 0.1])
    reached = best_guess(prior, randomized_response(4, 0.5))
    assert reached > np.exp(0.5) * float(prior.mean())
    assert reached <= at_most("pure(0.5)", float(prior.max()))
