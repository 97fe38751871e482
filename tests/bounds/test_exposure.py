"""Exposure among candidates: its formula, its limit, and the estimate from scores."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

import workbench as wb
from workbench.curves.exposure import RATES, _gains, without_leak
from workbench.estimators.exposures import observed_rates

KS = (1, 2, 3, 10, 1000)


def test_exposure_of_a_rank_is_that_of_carlini():
    assert wb.exposure_of_rank(1, 1024) == 10
    assert wb.exposure_of_rank(1024, 1024) == 0
    assert wb.exposure_of_rank(1.5, 3) == pytest.approx(1)
    for wrong in (0, 5, math.nan):
        with pytest.raises(ValueError, match="rank must be"):
            wb.exposure_of_rank(wrong, 4)


@pytest.mark.parametrize("k", KS)
def test_the_integral_of_the_logarithm_is_the_binomial_sum(k):
    g = np.concatenate([[0.0], np.cumsum(_gains((k,))[0])])
    for i in (0, 300, 700, 1000, 1150, 1190, RATES.size - 1):
        others = np.arange(k)
        exact = binom.pmf(others, k - 1, RATES[i]) @ np.log2(1 + others)
        assert g[i] == pytest.approx(exact, abs=1e-12)


def test_two_candidates_give_the_auc():
    assert wb.expected_exposure(wb.GaussianPair(1), 2) == pytest.approx(
        norm.cdf(1 / math.sqrt(2)), abs=1e-4
    )
    for name in ("gaussian", "ties", "laplace"):
        scores = wb.example(name)
        found = wb.exposure_curve(scores, [2]).exposure[0]
        assert found == pytest.approx(wb.roc(scores).auc, abs=1e-6)


def test_without_a_leak_ranks_are_uniform():
    for k in KS:
        exact = np.mean(np.log2(k) - np.log2(np.arange(1, k + 1)))
        assert without_leak(k) == pytest.approx(exact, abs=1e-12)
        assert wb.expected_exposure(wb.GaussianPair(0), k) == pytest.approx(exact, abs=1e-3)
        if k < 257:
            assert wb.exposure_limit(wb.GaussianPair(0), k) == pytest.approx(exact, abs=1e-12)
    assert without_leak(10**9) == pytest.approx(math.log2(math.e), abs=1e-6)


PAIRS = [
    wb.GaussianPair(0.5),
    wb.GaussianPair(3),
    wb.LaplacePair(1),
    wb.SubsampledGaussianPair(0.25, 0.3),
    wb.RandomizedResponsePair(1, 1e-3),
    wb.ComposedPair(wb.LaplacePair(0.5), 3),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_what_a_curve_gives_is_at_most_what_it_allows(pair):
    for k in (2, 17, 1000, 10**6):
        mean, most = wb.expected_exposure(pair, k), wb.exposure_limit(pair, k)
        assert mean <= most + 1e-3
        assert 0 <= most <= math.log2(k) + 1e-12
    # They meet for many candidates, unless the symmetrized curve is the lower one.
    if not isinstance(pair, wb.SubsampledGaussianPair):
        assert most == pytest.approx(mean, rel=0.01)


def test_the_limit_is_the_sum_over_ranks():
    f = wb.GaussianPair(1).tradeoff
    for k in (5, 257, 5000):
        r = np.arange(1, k)
        exact = (1 - f(r / k)) @ np.log2(1 + 1 / r)
        found = wb.exposure_limit(wb.GaussianPair(1), k)
        assert exact - 1e-12 <= found <= exact + (1e-12 if k <= 257 else 0.006)


def test_a_mechanism_reaches_the_limit_and_none_exceeds_it():
    """Ranks are uniform without the canary, and ε allows each a factor of e^ε either way."""
    k, epsilon = 6, 1.0
    shares = np.full(k, math.exp(-epsilon) / k)
    for r in range(k):  # the first ranks take all that is allowed
        shares[r] += min(math.exp(epsilon) / k - shares[r], 1 - shares.sum())
    assert shares.sum() == pytest.approx(1)
    assert shares @ wb.exposure_of_rank(np.arange(1, k + 1), k) == pytest.approx(
        wb.exposure_limit(wb.PureDP(epsilon), k), abs=1e-12
    )
    rng = np.random.default_rng(0)
    for _ in range(200):
        ratio = np.exp(epsilon * rng.uniform(-1, 1, k))
        law = ratio / ratio.sum()
        loss = np.log(law * k)
        exposed = law @ wb.exposure_of_rank(np.arange(1, k + 1), k)
        assert exposed <= wb.exposure_limit(wb.PureDP(np.abs(loss).max()), k) + 1e-12


def test_a_curve_from_scores_at_the_edges():
    apart = wb.Scores([2.0, 3, 4, 5, 6], [0.0, 0.1, 0.2, 0.3, -1])
    found = wb.exposure_curve(apart)
    assert found.candidates.max() == 6
    np.testing.assert_allclose(found.exposure, np.log2(found.candidates), atol=1e-12)
    worst = wb.exposure_curve(wb.Scores([0.0, -1], [1.0, 2, 3])).exposure
    assert worst == pytest.approx([0.0] * worst.size, abs=1e-12)
    same = wb.exposure_curve(wb.Scores([0.0, 1], [0.0, 1]), [1, 2, 3])
    np.testing.assert_allclose(same.exposure, without_leak([1, 2, 3]), atol=1e-3)
    with pytest.raises(ValueError, match=r"at most n_q \+ 1 = 6, got 7"):
        wb.exposure_curve(apart, [7])


def test_rates_between_nodes_are_exact_areas():
    """Two values with ties: T is a polyline with a jump."""
    scores = wb.Scores([0.0, 0.5, 1, 1], [0.0, 0, 1, 0.2])
    corners = ([0, 0.25, 0.25, 0.5, 1], [0, 0.5, 0.75, 0.75, 1])
    within = observed_rates(scores)
    u = np.linspace(0, 1, 200_001)
    middle = (u[1:] + u[:-1]) / 2
    exact = np.interp(middle, *corners)
    assert (within @ np.diff(RATES)) == pytest.approx(exact.mean(), abs=1e-6)
    assert wb.exposure_curve(scores, [2]).exposure[0] == pytest.approx(wb.roc(scores).auc)


def test_the_estimate_is_near_the_mean_of_ranks():
    pair = wb.GaussianPair(1)
    scores = pair.sample(2000, seed=3)
    rng = np.random.default_rng(0)
    k = 50
    p, q = pair.sample((4000, 4000 * (k - 1)), seed=rng)
    ranks = 1 + (q.reshape(4000, k - 1) > p[:, None]).sum(axis=1)
    found = wb.exposure_of_rank(ranks, k)
    error = found.std() / math.sqrt(found.size)
    assert wb.expected_exposure(pair, k) == pytest.approx(found.mean(), abs=4 * error)
    assert wb.exposure_curve(scores, [k]).exposure[0] == pytest.approx(found.mean(), abs=0.15)


def test_a_band_gives_a_lower_limit():
    scores = wb.GaussianPair(1).sample(1000, seed=1)
    band = wb.tradeoff_band(scores)
    for k in (2, 100, 10**6):
        certified = wb.expected_exposure(band.curve, k)
        assert certified < wb.expected_exposure(wb.GaussianPair(1), k)
    with pytest.raises(TypeError, match="must be a pair or a TradeoffCurve"):
        wb.expected_exposure(3, 2)
    with pytest.raises(TypeError, match="which have tradeoff"):
        wb.exposure_limit(3, 2)
