"""Mutual information, the printed and the direct bit error, and the picture behind the limit."""

import math

import numpy as np
import pytest
from scipy.stats import binom

import workbench as wb
from workbench.onerun.per_bit import (
    bit_error_curves,
    exact_limit,
    hoeffding_limit,
    hypothetical_limits,
    mutual_information,
    printed_bit_error,
)
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.laplace import LaplaceFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.registry import family_named
from workbench.pairs.families.subsampled_gaussian import SubsampledGaussianFamily


def entropy(p):
    return -sum(x * math.log2(x) for x in (p, 1 - p) if x > 0)


def direct(pair):
    return (1 - pair.total_variation) / 2


@pytest.mark.parametrize(
    "pair",
    [wb.GaussianPair(1.0), wb.GaussianPair(4.0), wb.LaplacePair(1.0), wb.LaplacePair(3.0)],
    ids=repr,
)
def test_both_limits_agree_where_the_best_guess_is_symmetric(pair):
    assert printed_bit_error(pair) == pytest.approx(direct(pair), rel=1e-7)


def test_the_printed_limit_is_the_smaller_where_it_is_not():
    pair = wb.RandomizedResponsePair(0.1, 0.01)
    assert direct(pair) == pytest.approx(0.4703, abs=5e-5)
    assert printed_bit_error(pair) == pytest.approx(0.4583, abs=5e-5)
    pair = wb.SubsampledGaussianPair(0.25, 0.3)
    assert direct(pair) == pytest.approx(0.387, abs=5e-4)
    assert printed_bit_error(pair) == pytest.approx(0.322, abs=5e-4)


@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.01, 0.3])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 2.0, 6.0])
def test_the_direct_limit_is_never_the_smaller(epsilon, delta):
    for pair in (wb.RandomizedResponsePair(epsilon, delta), wb.LaplacePair(epsilon)):
        assert printed_bit_error(pair) <= direct(pair) + 1e-9


def test_information_of_a_symmetric_channel():
    """Randomized response is the binary symmetric channel: 1 − h(p_f) bits at even odds."""
    pair = wb.RandomizedResponsePair(1.0, 0.0)
    assert mutual_information(pair, 0.5) == pytest.approx(1 - entropy(direct(pair)), abs=1e-12)
    for prior in (0.1, 0.3):
        p = direct(pair)
        out = prior * p + (1 - prior) * (1 - p)
        assert mutual_information(pair, prior) >= entropy(out) - entropy(p) - 1e-12


def test_information_against_a_dense_grid():
    alpha = np.r_[np.geomspace(1e-12, 0.5, 200_000), np.linspace(0.5, 1, 200_000)]
    for pair in (wb.GaussianPair(1.5), wb.LaplacePair(2.0), wb.SubsampledGaussianPair(0.25, 0.3)):
        f = pair.tradeoff(alpha)

        def h(p):
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.nan_to_num(-p * np.log2(p)) + np.nan_to_num(-(1 - p) * np.log2(1 - p))

        for prior in (0.02, 0.3, 0.5, 0.8):
            grid = h(prior * f + (1 - prior) * (1 - alpha)) - prior * h(f) - (1 - prior) * h(alpha)
            assert mutual_information(pair, prior) == pytest.approx(grid.max(), abs=1e-9)


def test_information_has_its_shape():
    p = np.linspace(0, 1, 21)
    u = mutual_information(wb.GaussianPair(1.0), p)
    assert u[0] == pytest.approx(0, abs=1e-12)
    assert u[-1] == pytest.approx(0, abs=1e-12)
    assert np.all(np.diff(u, 2) <= 1e-9)  # concave
    assert u == pytest.approx(u[::-1], abs=1e-8)  # the pair is symmetric
    assert np.all(mutual_information(wb.GaussianPair(2.0), p) >= u)


@pytest.mark.parametrize(
    "family",
    [
        GaussianFamily(),
        LaplaceFamily(),
        RandomizedResponseFamily(1e-5),
        SubsampledGaussianFamily(0.25),
    ],
    ids=lambda family: family.name,
)
def test_curves_for_the_chart(family):
    curves = bit_error_curves(family, np.linspace(0.2, 4, 5), prior=np.linspace(0, 1, 11))
    assert curves.information.shape == (5, 11)
    assert np.all(np.diff(curves.direct) < 0)
    assert np.all(np.diff(curves.printed) < 0)
    assert np.all(curves.printed <= curves.direct + 1e-9)
    with pytest.raises(ValueError, match="leak must be above 0"):
        bit_error_curves(family, [0.0])


def printed_algorithm(errors, n, confidence):
    """BITS Algorithm 3 to a finer end: bisect for the p whose own limit is p."""
    low, high = 0.0, 1.0
    for _ in range(60):
        p = (low + high) / 2
        v = p - binom.ppf(1 - confidence, n, p) / n
        low, high = (low, p) if p > errors / n + v else (p, high)
    return (low + high) / 2


@pytest.mark.parametrize(("errors", "n"), [(0, 20), (3, 50), (309, 1000), (1587, 10_000)])
def test_the_exact_limit_is_that_of_algorithm_3(errors, n):
    assert exact_limit(errors, n, 0.05) == pytest.approx(
        printed_algorithm(errors, n, 0.95), abs=1e-9
    )
    assert exact_limit(errors, n, 0.05) < hoeffding_limit(errors, n, 0.05)


def test_the_contradiction_ends_at_the_limit():
    asked = {"canaries": 1000, "correct": 691, "delta": 1e-5}
    picture = hypothetical_limits(GaussianFamily(), **asked)
    assert picture.exact == pytest.approx(3.670, abs=5e-4)
    assert picture.hoeffding == pytest.approx(3.305, abs=5e-4)
    contradiction = picture.followed < picture.assumed
    step = np.diff(picture.bit_error).max()
    assert np.all(contradiction[picture.bit_error < picture.limit - step])
    assert not np.any(contradiction[picture.bit_error > picture.limit + step])
    narrow = hypothetical_limits(GaussianFamily(), **asked, bit_error=[0.3, 0.35])
    assert narrow.assumed[0] == pytest.approx(
        wb.GaussianPair(GaussianFamily().parameter_of_bit_error(0.3)).epsilon(1e-5)
    )
    with pytest.raises(ValueError, match="at most the 10 canaries"):
        hypothetical_limits(GaussianFamily(), canaries=10, correct=11, delta=0)


def test_the_picture_exists_for_every_count():
    for correct in (0, 1, 9, 10):
        picture = hypothetical_limits(LaplaceFamily(), canaries=10, correct=correct, delta=1e-5)
        assert np.all(np.isfinite(picture.bit_error))
        assert not np.isnan(picture.followed).any()


@pytest.mark.parametrize("name", ["gaussian", "laplace", "randomized-response"])
def test_the_epsilon_of_several_members_is_that_of_each(name):
    family = family_named(name, delta=1e-5, q=None)
    leaks = np.array([[0.0, 1e-3, 0.5], [2.0, 8.0, np.inf]])
    found = family.epsilons(leaks, 1e-5)
    assert found.shape == (2, 3)
    each = [family.epsilon(one, 1e-5) for one in leaks.ravel().tolist()]
    np.testing.assert_allclose(found.ravel(), each, rtol=1e-14)
