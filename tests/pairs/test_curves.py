"""Trade-off curves, single points and Gaussian conversions."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import ConvexHull

from workbench.curves.gdp import (
    epsilon_from_mu,
    gaussian_log_profile,
    gaussian_tradeoff,
    mu_from_profile,
    mu_from_total_variation,
)
from workbench.curves.tradeoff import TradeoffCurve, epsilon_of_point, mu_of_point
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair

rate = st.just(0.0) | st.floats(1e-9, 1)
delta = st.floats(0, 0.999)
points = st.integers(0, 30).flatmap(
    lambda k: st.tuples(arrays(float, k, elements=rate), arrays(float, k, elements=rate))
)
curves = points.map(lambda xy: TradeoffCurve.hull(*xy))


def holds_for(*strategies):
    """``given`` with the same examples each time, and none too slow on a busy machine."""
    return lambda test: settings(deadline=None, derandomize=True)(given(*strategies)(test))


def brute_hockey_stick(curve, epsilon, direction):
    gain, cost = (curve.beta, curve.alpha) if direction == "P‖Q" else (curve.alpha, curve.beta)
    return np.max(1 - gain - np.exp(epsilon)[..., None] * cost, axis=-1)


# -- one point --------------------------------------------------------------------------------


@holds_for(rate, rate, delta)
def test_epsilon_of_point_is_the_formula(alpha, beta, d):
    with mp.workdps(50):
        a, b, d_ = mp.mpf(alpha), mp.mpf(beta), mp.mpf(d)
        best = mp.mpf(0)
        for gain, cost in ((1 - d_ - b, a), (1 - d_ - a, b)):
            if gain > 0:
                best = max(best, mp.log(gain / cost) if cost else mp.inf)
        # The rates and δ themselves are known to 1e-16 only.
        slack = 4e-16 / max(min(alpha, beta), 1e-300) if min(alpha, beta) > 1e-15 else 1e-2
        got = epsilon_of_point(alpha, beta, d)
        if abs(1 - alpha - beta - d) < 1e-15:
            return
        assert got == pytest.approx(float(best), rel=1e-12, abs=min(slack, 1e-2))


@holds_for(st.floats(0.001, 0.999), st.floats(0.001, 0.999), delta)
def test_epsilon_of_point_inverts_the_two_bin_hockey_stick(tpr, fpr, d):
    # HIST Lemma 6.1: with two bins, [P − e^ε Q]₊ summed over both, and the other direction.
    if tpr < fpr:
        tpr, fpr = 1 - tpr, 1 - fpr  # the complement event
    p, q = np.array([tpr, 1 - tpr]), np.array([fpr, 1 - fpr])

    def two_bin_profile(epsilon):
        a = math.exp(epsilon)
        return max(np.sum(np.maximum(p - a * q, 0)), np.sum(np.maximum(q - a * p, 0)))

    epsilon = epsilon_of_point(fpr, 1 - tpr, d)
    assert two_bin_profile(epsilon) <= d + 1e-12
    if epsilon > 1e-9:
        assert two_bin_profile(epsilon) == pytest.approx(d, abs=1e-12)
        assert two_bin_profile(epsilon - 1e-6) > d


@pytest.mark.parametrize(
    ("alpha", "beta", "d", "expected"),
    [
        (0, 0, 0, math.inf),
        (0, 0.9, 0.05, math.inf),
        (0, 0.9, 0.2, 0),
        (0.3, 0, 0, math.inf),
        (0, 1, 0, 0),
        (1, 0, 0, 0),
        (1, 1, 0, 0),
        (0.5, 0.5, 0, 0),
        (0.7, 0.8, 0, 0),
        (0.1, 0.2, 0, math.log(8)),
        (1e-310, 0.5, 0, math.log(0.5) + 310 * math.log(10)),
        (1e-300, 0.5, 1e-5, math.log(0.5 - 1e-5) + 300 * math.log(10)),
    ],
)
def test_epsilon_of_point_at_the_edges(alpha, beta, d, expected):
    assert epsilon_of_point(alpha, beta, d) == pytest.approx(expected, rel=1e-12)
    assert epsilon_of_point(beta, alpha, d) == pytest.approx(expected, rel=1e-12)


def test_epsilon_of_point_keeps_the_digits_of_a_tiny_leak():
    assert epsilon_of_point(0.5, 0.5 - 2**-40, 0) == pytest.approx(
        math.log1p(2**-40 / (0.5 - 2**-40)), rel=1e-13
    )


def test_points_are_vectorised():
    alpha, beta = np.array([[0.1], [0.2]]), np.array([0.3, 0.4, 0.0])
    assert epsilon_of_point(alpha, beta, 0.01).shape == (2, 3)
    assert epsilon_of_point(alpha, beta, 0.01)[1, 1] == epsilon_of_point(0.2, 0.4, 0.01)
    assert mu_of_point(alpha, beta).shape == (2, 3)
    assert type(epsilon_of_point(0.1, 0.2, 0)) is float
    assert type(mu_of_point(0.1, 0.2)) is float


@pytest.mark.parametrize("mu", [0.1, 1.0, 5.0])
def test_mu_of_point_inverts_the_gaussian_tradeoff(mu):
    alpha = np.array([1e-12, 1e-3, 0.2, 0.5])
    assert mu_of_point(alpha, gaussian_tradeoff(mu, alpha)) == pytest.approx(mu, rel=2e-3 / mu)
    assert mu_of_point(0.2, gaussian_tradeoff(mu, 0.2)) == pytest.approx(mu, rel=1e-13)


@pytest.mark.parametrize(
    ("alpha", "beta", "expected"),
    [(0, 0, math.inf), (0, 0.5, math.inf), (0, 1, 0), (1, 0, 0), (0.6, 0.6, 0), (0.5, 0.5, 0)],
)
def test_mu_of_point_at_the_edges(alpha, beta, expected):
    assert mu_of_point(alpha, beta) == expected


# -- the curve --------------------------------------------------------------------------------


@holds_for(points)
def test_hull_is_a_tradeoff_function_below_its_points(xy):
    curve = TradeoffCurve.hull(*xy)
    x, y = curve.alpha, curve.beta
    assert (x[0], x[-1], y[-1]) == (0, 1, 0)
    assert np.all(np.diff(x) > 0)
    assert np.all(np.diff(y) <= 0)
    assert np.all(y <= 1 - x + 1e-15)
    slopes = np.diff(y) / np.diff(x)
    assert np.all(np.diff(slopes) >= -1e-9 * np.abs(slopes[1:]) - 1e-12)
    assert np.all(curve.tradeoff(xy[0], symmetric=False) <= xy[1] + 1e-12)
    # Its vertices are points given: a hull that is too low would have to invent some.
    given_points = {(0.0, 1.0), (1.0, 0.0), *zip(*xy, strict=True)}
    assert set(zip(x, y, strict=True)) <= given_points


def test_hull_raises_rates_too_small_for_a_slope():
    curve = TradeoffCurve.hull([1e-310, 0.5], [0.5, 5e-324])
    assert curve.total_variation == pytest.approx(0.5)
    assert curve.alpha[1] == 1e-290
    assert curve.profile([0, 600]) == pytest.approx([0.5, 0.5])


def test_hull_agrees_with_qhull():
    rng = np.random.default_rng(5)
    x, y = rng.random(3000), rng.random(3000) ** 0.3
    curve = TradeoffCurve.hull(x, y)
    corners = np.array([[0, 1], [1, 0], [1, 1]])
    hull = ConvexHull(np.r_[corners, np.c_[x, y]])
    vertices = hull.points[hull.vertices]
    lower = vertices[vertices.sum(axis=1) < 1 + 1e-12]
    lower = lower[np.argsort(lower[:, 0])]
    assert np.array_equal(lower, np.c_[curve.alpha, curve.beta])


@holds_for(curves, st.floats(-20, 20), st.sampled_from(["P‖Q", "Q‖P"]))
def test_hockey_stick_is_the_supremum_over_the_vertices(curve, epsilon, direction):
    brute = brute_hockey_stick(curve, np.array(epsilon), direction)
    # Rates of 1e-16 and less against e^ε: the optimum may be known to round-off only.
    assert curve.hockey_stick(epsilon, direction) == pytest.approx(brute, rel=1e-9, abs=1e-13)


@holds_for(curves, st.floats(-20, 20))
def test_profile_is_the_larger_direction(curve, epsilon):
    both = [curve.hockey_stick(epsilon, d) for d in ("P‖Q", "Q‖P")]
    assert curve.profile(epsilon) == pytest.approx(max(both), rel=1e-9, abs=1e-13)
    assert curve.total_variation == pytest.approx(curve.profile(0), abs=1e-13)


@holds_for(curves, delta)
def test_epsilon_is_the_largest_over_the_vertices(curve, d):
    sure = np.max(epsilon_of_point(curve.alpha, curve.beta, d))
    assert curve.epsilon(d) == pytest.approx(sure, rel=1e-9, abs=1e-12)


@holds_for(curves, rate)
def test_symmetrized_is_its_own_inverse_and_below_both(curve, x):
    both = curve.symmetrized()
    f_x = both.tradeoff(x)
    assert both.tradeoff(x, symmetric=False) == pytest.approx(f_x, abs=1e-12)
    assert both.tradeoff(f_x) <= x + 1e-9
    if f_x > 1e-9:
        assert both.tradeoff(f_x * (1 - 1e-9)) >= x - 1e-9 * (1 + x / f_x)
    assert f_x == curve.tradeoff(x)
    assert f_x <= curve.tradeoff(x, symmetric=False) + 1e-12


@holds_for(curves, st.floats(1e-9, 0.4))
def test_gdp_mu_is_the_largest_local_mu_above_the_floor(curve, floor):
    both = curve.symmetrized()
    alpha = np.r_[floor, np.geomspace(floor, 0.99, 400), both.alpha[1:-1]]
    # β = floor at the other end of the range, by the mirror image.
    cut = both.tradeoff(floor)
    alpha = np.r_[alpha[alpha >= floor], cut] if cut >= floor else np.array([])
    beta = both.tradeoff(alpha)
    above = (beta >= floor) & (alpha < 1)
    brute = np.max(mu_of_point(alpha[above], beta[above]), initial=0)
    if above.any():
        assert curve.gdp_mu(floor) == pytest.approx(brute, rel=1e-5, abs=1e-5)
    else:
        assert gaussian_tradeoff(curve.gdp_mu(floor) / 2, 0.5) == pytest.approx(floor, rel=1e-9)


def test_gdp_mu_is_attained():
    # One vertex: μ there, unless the floor hides it.
    curve = TradeoffCurve.hull([0.01], [0.3])
    assert curve.gdp_mu(1e-3) == pytest.approx(mu_of_point(0.01, 0.3), rel=1e-13)
    # The symmetrised curve passes the floor on its segment from (0.01, 0.3) to (0.3, 0.01).
    assert curve.gdp_mu(0.05) == pytest.approx(mu_of_point(0.05, 0.26), rel=1e-13)
    assert curve.symmetrized().gdp_mu(0.05) == curve.gdp_mu(0.05)
    perfect = TradeoffCurve.hull([0.0], [0.0])
    assert perfect.gdp_mu(1e-3) == pytest.approx(-2 * float(mp.erfinv(2e-3 - 1) * mp.sqrt(2)))
    assert TradeoffCurve([0, 1], [1, 0]).gdp_mu() == 0


@pytest.mark.parametrize(
    "pair",
    [
        GaussianPair(1.5),
        LaplacePair(2),
        SubsampledGaussianPair(0.25, 0.3),
        RandomizedResponsePair(1, 0.05),
    ],
    ids=lambda pair: pair.name,
)
def test_a_finely_sampled_pair_gives_the_pair_back(pair):
    alpha = np.r_[0, np.geomspace(1e-9, 0.02, 4000), np.linspace(0.02, 1, 4001)[1:]]
    curve = TradeoffCurve.hull(alpha, pair.tradeoff(alpha, symmetric=False))
    epsilon = np.linspace(-3, 6, 50)
    for direction in ("P‖Q", "Q‖P"):
        assert curve.hockey_stick(epsilon, direction) == pytest.approx(
            pair.hockey_stick(epsilon, direction), abs=2e-4
        )
    assert curve.profile(epsilon) == pytest.approx(pair.profile(epsilon), abs=1e-4)
    assert np.all(curve.profile(epsilon) <= pair.profile(epsilon) + 1e-12)
    assert curve.tradeoff(alpha) == pytest.approx(pair.tradeoff(alpha), abs=1e-4)
    assert curve.total_variation == pytest.approx(pair.total_variation, abs=1e-4)
    assert curve.epsilon([0.06, 0.1]) == pytest.approx(pair.epsilon([0.06, 0.1]), abs=2e-3)
    assert curve.gdp_mu(1e-4) == pytest.approx(pair.gdp_mu(1e-4), abs=2e-3)
    assert curve.local_mu([1e-8, 0.3]) == pytest.approx(pair.local_mu([1e-8, 0.3]), abs=1e-3)


def test_curve_at_infinite_epsilon_and_zero_delta():
    curve = TradeoffCurve([0, 0.2, 1], [0.9, 0.1, 0])
    assert curve.hockey_stick(math.inf) == pytest.approx(0.1)
    assert curve.hockey_stick(-math.inf) == 1
    assert curve.hockey_stick(800, "Q‖P") == 0
    assert curve.epsilon(0) == math.inf
    assert curve.epsilon(0.1) == pytest.approx(math.log(7), rel=1e-12)  # from Q‖P
    assert curve.epsilon(0.999) == 0


def test_numbers_give_floats_and_arrays_their_shape():
    curve = TradeoffCurve([0, 0.2, 1], [1, 0.3, 0])
    grid = np.full((2, 3), 0.25)
    for method in (
        curve.tradeoff,
        curve.profile,
        curve.hockey_stick,
        curve.epsilon,
        curve.local_mu,
    ):
        assert type(method(0.25)) is float
        assert method(grid).shape == (2, 3)
    assert type(curve.total_variation) is float
    assert type(curve.gdp_mu()) is float
    assert "3 vertices" in repr(curve)


def test_a_curve_cannot_be_changed_from_outside():
    beta = np.array([1, 0.3, 0])
    curve = TradeoffCurve([0, 0.2, 1], beta)
    beta[1] = 0.1
    assert curve.beta[1] == 0.3
    with pytest.raises(ValueError, match="read-only"):
        curve.beta[1] = 0.1


@pytest.mark.parametrize(
    ("alpha", "beta", "message"),
    [
        ([0, 0.5, 1], [1, 0.6, 0], "must be convex, got beta = 0.6 at alpha = 0.5"),
        ([0, 0.5, 1], [1, 0.2, 0.1], "must end at 0, got 0.1"),
        ([0, 0.5, 1], [0, 0.7, 1], "must end at 0, got 1 at alpha = 1; give false negative"),
        ([0, 0.5, 0.5, 1], [1, 0.4, 0.3, 0], "strictly increasing, got 0.5 before 0.5"),
        ([0.1, 1], [1, 0], "from 0 to 1, got 0.1 to 1"),
        ([0, 1], [1.2, 0], r"beta must lie in \[0, 1\], got 1.2"),
        ([0, 1], [1, math.nan], "beta must be a number, got nan"),
        ([0, 0.5, 1], [1, 0], "shapes"),
        ([0], [0], "at least 2"),
        ([0, 1e-300, 1], [1, 0.5, 0], "got 1e-300"),
    ],
)
def test_what_is_no_tradeoff_function_is_refused(alpha, beta, message):
    with pytest.raises(ValueError, match=message):
        TradeoffCurve(alpha, beta)


def test_round_off_in_the_vertices_is_accepted_and_harmless():
    alpha = np.linspace(0, 1, 1001)
    rng = np.random.default_rng(0)
    beta = 1 - alpha + 1e-15 * rng.standard_normal(1001)
    curve = TradeoffCurve(alpha, np.clip(beta, 0, 1) * (alpha < 1))
    epsilon = np.linspace(-1, 1, 21)
    assert curve.profile(epsilon) == pytest.approx(np.maximum(-np.expm1(epsilon), 0), abs=1e-14)


# -- from a profile ---------------------------------------------------------------------------


@holds_for(
    st.lists(st.tuples(st.floats(0, 20), rate), min_size=1, max_size=12),
    rate,
)
def test_from_profile_is_the_upper_envelope_of_its_lines(grid, x):
    epsilon, d = np.array(grid).T
    curve = TradeoffCurve.from_profile(epsilon, d)
    lines = np.r_[0, 1 - d - np.exp(epsilon) * x, np.exp(-epsilon) * (1 - d - x)]
    assert curve.tradeoff(x) == pytest.approx(lines.max(), abs=1e-9)


@pytest.mark.parametrize(
    "pair",
    [
        GaussianPair(1),
        LaplacePair(1.5),
        SubsampledGaussianPair(0.25, 0.3),
        RandomizedResponsePair(2, 0.01),
    ],
    ids=lambda pair: pair.name,
)
def test_profile_to_tradeoff_and_back(pair):
    epsilon = np.linspace(0, 25, 2001)
    curve = TradeoffCurve.from_profile(epsilon, pair.profile(epsilon))
    x = np.linspace(0, 1, 301)
    # On or below the truth, and close.
    assert np.all(curve.tradeoff(x) <= pair.tradeoff(x) + 1e-12)
    assert curve.tradeoff(x) == pytest.approx(pair.tradeoff(x), abs=1e-4)
    assert curve.profile(epsilon) == pytest.approx(pair.profile(epsilon), abs=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "d", "message"),
    [
        ([-0.1, 1], [0.5, 0.1], "at least 0, got -0.1"),
        ([0, 1], [0.5], "one length"),
        ([], [], "at least 1"),
        ([0, 800], [0.5, 0.1], "at most 700, got 800"),
        ([0, math.inf], [0.5, 0.1], "finite, got inf"),
        ([0], [1.5], "got 1.5"),
    ],
)
def test_from_profile_refuses(epsilon, d, message):
    with pytest.raises(ValueError, match=message):
        TradeoffCurve.from_profile(epsilon, d)


# -- Gaussian conversions ---------------------------------------------------------------------


@holds_for(st.floats(1e-4, 8), st.floats(-6, 20))
def test_mu_from_profile_inverts_the_profile(mu, epsilon):
    log_delta = gaussian_log_profile(mu, epsilon)
    d = math.exp(log_delta)
    # Where δ is near 1, or 1 − e^ε swallows the rest, a float does not hold μ any more.
    sure = d - max(-math.expm1(epsilon), 0)
    if log_delta > -690 and sure > (1e-300 if epsilon >= 0 else 1e-6) and d < 1 - 1e-6:
        assert mu_from_profile(d, epsilon) == pytest.approx(mu, rel=1e-6)


@holds_for(st.floats(1e-4, 50), st.floats(-300, -0.31))
def test_epsilon_from_mu_inverts_the_profile(mu, log10_delta):
    d = 10**log10_delta
    epsilon = epsilon_from_mu(mu, d)
    assert gaussian_log_profile(mu, epsilon) <= math.log(d) + 1e-9
    if epsilon > 0:
        assert gaussian_log_profile(mu, epsilon) == pytest.approx(math.log(d), abs=1e-9)


@pytest.mark.parametrize("tv", [1e-12, 0.1, 0.2261, 0.5, 0.999])
def test_mu_from_total_variation(tv):
    mu = mu_from_total_variation(tv)
    assert float(2 * mp.ncdf(mp.mpf(mu) / 2) - 1) == pytest.approx(tv, rel=1e-12)
    assert mu == pytest.approx(mu_from_profile(tv, 0), rel=1e-12)


def test_conversions_at_the_edges():
    assert mu_from_total_variation(0) == 0
    assert mu_from_total_variation(1) == math.inf
    assert mu_from_profile(0, 1) == 0
    assert mu_from_profile(1, 1) == math.inf
    assert mu_from_profile(0.5, math.log(0.4)) == 0
    assert epsilon_from_mu(1, 0) == math.inf
    assert epsilon_from_mu(0, 0) == 0
    assert epsilon_from_mu(1, 0.5) == 0
    assert gaussian_log_profile(0, [0, 1, math.log(0.5)]) == pytest.approx(
        [-math.inf, -math.inf, math.log(0.5)]
    )
    assert gaussian_tradeoff(1, [0, 1]) == pytest.approx([1, 0])


def test_conversions_broadcast():
    assert gaussian_log_profile([[1.0], [2.0]], [0.0, 1.0, 2.0]).shape == (2, 3)
    assert mu_from_profile([[0.1], [0.2]], [0.0, 1.0]).shape == (2, 2)
    assert mu_from_profile([[0.1], [0.2]], [0.0, 1.0])[1, 1] == pytest.approx(
        mu_from_profile(0.2, 1.0), rel=1e-13
    )
    assert epsilon_from_mu([1.0, 2.0], 1e-5).shape == (2,)
    assert epsilon_from_mu([1.0, 2.0], 1e-5)[0] == pytest.approx(4.3771780956812, rel=1e-12)
    assert type(epsilon_from_mu(1, 1e-5)) is float


@pytest.mark.parametrize(
    ("call", "bad"),
    [
        (lambda: gaussian_log_profile(-1, 0), "-1"),
        (lambda: gaussian_tradeoff(1, 1.2), "1.2"),
        (lambda: mu_from_total_variation(-0.2), "-0.2"),
        (lambda: mu_from_profile(0.1, math.inf), "inf"),
        (lambda: mu_from_profile(1.1, 0), "1.1"),
        (lambda: epsilon_from_mu(1, 1), "1"),
        (lambda: epsilon_of_point(0.1, 1.5, 0), "1.5"),
        (lambda: epsilon_of_point(0.1, 0.5, -1e-5), "-1e-05"),
        (lambda: mu_of_point(math.nan, 0.5), "nan"),
    ],
)
def test_bad_arguments_are_named(call, bad):
    with pytest.raises(ValueError, match=f"got {bad}"):
        call()
