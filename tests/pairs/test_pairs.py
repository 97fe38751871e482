"""Pairs against high precision, brute force and the accountant; and what holds for all of them."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.curves.tradeoff import TradeoffCurve, mu_of_point
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.pairs.last_iterate import LastIteratePair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair

PAIRS = [
    GaussianPair(0),
    GaussianPair(1),
    GaussianPair(4.5),
    LaplacePair(0),
    LaplacePair(0.7),
    LaplacePair(5),
    SubsampledGaussianPair(0.25, 0.3),
    SubsampledGaussianPair(0.01, 1.3),
    SubsampledGaussianPair(0.3, 0.11),
    SubsampledGaussianPair(1, 0.5),
    LastIteratePair(0.6, 0.1, 20),
    RandomizedResponsePair(0, 0),
    RandomizedResponsePair(1.2, 0),
    RandomizedResponsePair(0.3, 0.1),
]
IDS = [pair.name for pair in PAIRS]
every_pair = pytest.mark.parametrize("pair", PAIRS, ids=IDS)

pairs = st.one_of(
    st.builds(GaussianPair, st.floats(0, 30)),
    st.builds(LaplacePair, st.floats(0, 30)),
    st.builds(SubsampledGaussianPair, st.floats(1e-6, 1), st.floats(0.02, 50)),
    st.builds(LastIteratePair, st.floats(0.1, 20), st.floats(1e-6, 1), st.integers(1, 12)),
    st.builds(RandomizedResponsePair, st.floats(0, 30), st.floats(0, 0.999)),
)
extreme_pairs = st.one_of(
    st.builds(GaussianPair, st.floats(0, 1e100)),
    st.builds(LaplacePair, st.floats(0, 1e300)),
    st.builds(SubsampledGaussianPair, st.floats(0, 1, exclude_min=True), st.floats(1e-100, 1e300)),
    st.builds(
        LastIteratePair,
        st.floats(1e-90, 1e90),
        st.floats(0, 1, exclude_min=True),
        st.integers(1, 50),
    ),
    st.builds(RandomizedResponsePair, st.floats(0, 1e300), st.floats(0, 1, exclude_max=True)),
)
rate = st.floats(0, 1)


def holds_for(*strategies):
    """``given`` with the same examples each time, and none too slow on a busy machine."""
    return lambda test: settings(deadline=None, derandomize=True)(given(*strategies)(test))


# -- high precision ---------------------------------------------------------------------------


def gaussian_hockey_stick(mu, epsilon):
    mu, epsilon = mp.mpf(mu), mp.mpf(epsilon)
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.e**epsilon * mp.ncdf(-mu / 2 - epsilon / mu)


def subsampled_hockey_stick(q, sigma, epsilon, direction):
    """One threshold at the x where the likelihood ratio passes e^ε (or e^−ε)."""
    q, sigma, epsilon = mp.mpf(q), mp.mpf(sigma), mp.mpf(epsilon)
    level = epsilon if direction == "P‖Q" else -epsilon
    inner = (mp.e**level - 1 + q) / q
    if inner <= 0:  # the ratio is above e^level everywhere
        return 1 - mp.e**epsilon if direction == "P‖Q" else mp.mpf(0)
    x = sigma**2 * mp.log(inner) + mp.mpf(1) / 2
    above_q = mp.ncdf(-x / sigma)
    above_p = q * mp.ncdf((1 - x) / sigma) + (1 - q) * above_q
    if direction == "P‖Q":
        return above_p - mp.e**epsilon * above_q
    below_q = mp.ncdf(x / sigma)
    below_p = q * mp.ncdf((x - 1) / sigma) + (1 - q) * below_q
    return below_q - mp.e**epsilon * below_p


@pytest.mark.parametrize("mu", [1e-7, 1e-4, 0.03, 1, 6.0, 40])
@pytest.mark.parametrize("scale", [-8, -1, -0.1, 0, 0.1, 0.5, 1, 4, 36, 45])
def test_gaussian_log_profile_has_ten_digits(mu, scale):
    with mp.workdps(700):
        epsilon = scale * mu if mu < 1 else scale * 4.0
        truth = float(mp.log(gaussian_hockey_stick(mu, epsilon)))
    assert GaussianPair(mu).log_profile(epsilon) == pytest.approx(truth, rel=1e-10, abs=1e-10)


def test_gaussian_log_profile_does_not_cancel_far_out():
    with mp.workdps(100):
        truth = float(mp.log(gaussian_hockey_stick(1e-9, 1)))
    assert GaussianPair(1e-9).log_profile(1) == pytest.approx(truth, rel=1e-15)


@pytest.mark.parametrize(("q", "sigma"), [(0.25, 0.3), (0.01, 1.3), (1, 0.5), (1e-5, 0.1)])
@pytest.mark.parametrize("direction", ["P‖Q", "Q‖P"])
@pytest.mark.parametrize("epsilon", [-30, -1, -0.3, -0.005, 0, 0.005, 0.2, 0.28, 1, 20, 125, 600])
def test_subsampled_hockey_stick_in_both_directions(q, sigma, direction, epsilon):
    pair = SubsampledGaussianPair(q, sigma)
    with mp.workdps(900):
        truth = subsampled_hockey_stick(q, sigma, epsilon, direction)
        expected = float(truth)
        log_expected = float(mp.log(truth)) if truth > 0 else -math.inf
    got = pair.hockey_stick(epsilon, direction)
    assert got == pytest.approx(expected, rel=1e-8, abs=1e-300)
    if direction == ("P‖Q" if epsilon >= 0 else "Q‖P"):
        assert pair.log_profile(epsilon) == pytest.approx(log_expected, rel=1e-10, abs=1e-9)


@every_pair
@pytest.mark.parametrize("delta", [1e-300, 1e-30, 1e-5, 0.02, 0.3])
def test_epsilon_inverts_the_profile(pair, delta):
    epsilon = pair.epsilon(delta)
    if math.isinf(epsilon):
        assert pair.profile(1e4) > delta
    else:
        assert pair.log_profile(epsilon) <= math.log(delta) + 1e-9
        if epsilon > 0:
            assert pair.log_profile(epsilon * (1 - 1e-9)) >= math.log(delta) - 1e-9


def test_gaussian_epsilon_at_1e_300_in_high_precision():
    with mp.workdps(700):
        root = mp.findroot(
            lambda e: mp.log(gaussian_hockey_stick(1, e)) - mp.log(mp.mpf("1e-300")), 37
        )
    assert GaussianPair(1).epsilon(1e-300) == pytest.approx(float(root), rel=1e-12)


def test_gaussian_epsilon_agrees_with_the_accountant():
    common = pytest.importorskip("dp_accounting.pld.privacy_loss_mechanism")
    for sigma in (0.4, 1.0, 3.0):
        loss = common.GaussianPrivacyLoss(sigma)
        for epsilon in (0.0, 0.5, 3.0):
            delta = loss.get_delta_for_epsilon(epsilon)
            assert GaussianPair(1 / sigma).profile(epsilon) == pytest.approx(delta, rel=1e-9)
            assert GaussianPair(1 / sigma).epsilon(delta) == pytest.approx(epsilon, abs=1e-9)


def test_subsampled_profile_agrees_with_the_accountant():
    common = pytest.importorskip("dp_accounting.pld.privacy_loss_mechanism")
    remove = common.GaussianPrivacyLoss(
        0.8, sampling_prob=0.2, adjacency_type=common.AdjacencyType.REMOVE
    )
    add = common.GaussianPrivacyLoss(
        0.8, sampling_prob=0.2, adjacency_type=common.AdjacencyType.ADD
    )
    pair = SubsampledGaussianPair(0.2, 0.8)
    for epsilon in (0.05, 0.15, 1.0, 4.0):
        forward = remove.get_delta_for_epsilon(epsilon)
        backward = add.get_delta_for_epsilon(epsilon)
        assert pair.hockey_stick(epsilon, "P‖Q") == pytest.approx(forward, rel=1e-6)
        assert pair.hockey_stick(epsilon, "Q‖P") == pytest.approx(backward, rel=1e-6, abs=1e-12)


# -- brute force ------------------------------------------------------------------------------


@every_pair
@pytest.mark.parametrize("epsilon", [-2.0, -0.2, 0.0, 0.1, 0.8, 3.0])
def test_hockey_stick_is_the_supremum_over_the_tradeoff_function(pair, epsilon):
    alpha = np.concatenate([np.logspace(-12, -3, 4000), np.linspace(0, 1, 40001)])
    beta = pair.tradeoff(alpha, symmetric=False)
    a = math.exp(epsilon)
    # The grid may miss the optimum by its spacing of 2.5e-5, and never exceeds it.
    for direction, gains in (("P‖Q", 1 - beta - a * alpha), ("Q‖P", 1 - alpha - a * beta)):
        missed = pair.hockey_stick(epsilon, direction) - gains.max()
        assert -1e-12 <= missed <= 2.5e-5 * (1 + a)
    both = [pair.hockey_stick(epsilon, d) for d in ("P‖Q", "Q‖P")]
    assert pair.profile(epsilon) == pytest.approx(max(both), abs=1e-15)


@pytest.mark.parametrize(
    ("pair", "p", "q"),
    [
        (
            LaplacePair(1.3),
            lambda x: np.exp(-abs(x - 1.3)) / 2,
            lambda x: np.exp(-abs(x)) / 2,
        ),
        (
            SubsampledGaussianPair(0.4, 0.9),
            lambda x: (
                (0.4 * np.exp(-((x - 1) ** 2) / 1.62) + 0.6 * np.exp(-(x**2) / 1.62))
                / (0.9 * math.sqrt(2 * math.pi))
            ),
            lambda x: np.exp(-(x**2) / 1.62) / (0.9 * math.sqrt(2 * math.pi)),
        ),
    ],
    ids=["Laplace", "subsampled Gaussian"],
)
@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 0.4, 1.0])
def test_hockey_stick_is_the_integral_of_the_densities(pair, p, q, epsilon):
    x, h = np.linspace(-40, 40, 800_001, retstep=True)
    forward = h * np.sum(np.maximum(p(x) - math.exp(epsilon) * q(x), 0))
    backward = h * np.sum(np.maximum(q(x) - math.exp(epsilon) * p(x), 0))
    assert pair.hockey_stick(epsilon, "P‖Q") == pytest.approx(forward, abs=1e-7)
    assert pair.hockey_stick(epsilon, "Q‖P") == pytest.approx(backward, abs=1e-7)


@pytest.mark.parametrize("epsilon", [-3.0, -1.2, -0.5, 0.0, 0.7, 1.2, 2.0])
def test_randomized_response_profile_is_the_sum_over_its_outcomes(epsilon):
    e0, d0 = 1.2, 0.03
    high = (1 - d0) * math.exp(e0) / (1 + math.exp(e0))
    p = np.array([0, 1 - d0 - high, high, d0])
    q = p[::-1]
    truth = np.sum(np.maximum(p - math.exp(epsilon) * q, 0))
    assert RandomizedResponsePair(e0, d0).profile(epsilon) == pytest.approx(truth, abs=1e-15)


def test_randomized_response_reaches_its_epsilon_at_its_delta():
    pair = RandomizedResponsePair(1.2, 0.03)
    assert pair.epsilon([0.0299, 0.03, 0.99]) == pytest.approx([math.inf, 1.2, 0])


@every_pair
def test_symmetric_tradeoff_is_the_hull_of_both_directions(pair):
    alpha = np.concatenate([np.logspace(-9, -3, 2000), np.linspace(0, 1, 20001)])
    beta = pair.tradeoff(alpha, symmetric=False)
    hull = TradeoffCurve.hull(np.r_[alpha, beta], np.r_[beta, alpha])
    x = np.r_[np.logspace(-6, -2, 50), np.linspace(0, 1, 101)]
    # Chords of a convex function lie above it, here by at most 1e-5.
    above = hull.tradeoff(x) - pair.tradeoff(x)
    assert np.all((above >= -1e-13) & (above <= 1e-5))


def test_subsampled_tradeoff_in_high_precision():
    q, sigma = 0.1, 0.6
    pair = SubsampledGaussianPair(q, sigma)
    with mp.workdps(60):
        for z in (-6, -3, -1, -0.5, 0, 2):
            alpha = mp.ncdf(z)
            beta = q * mp.ncdf(-z - 1 / mp.mpf(sigma)) + (1 - q) * (1 - alpha)
            got = pair.tradeoff(float(alpha), symmetric=False)
            assert got == pytest.approx(float(beta), rel=1e-13)
            # The inverse branch of the symmetrised curve, below a slope of −1.
            if z <= -1 / (2 * sigma):
                got = pair.tradeoff(float(beta))
                assert got == pytest.approx(float(alpha), abs=1e-15, rel=1e-9)


# -- named references -------------------------------------------------------------------------


def test_subsampled_gaussian_reference():
    pair = SubsampledGaussianPair(0.25, 0.3)
    assert pair.total_variation == pytest.approx(0.2261, abs=5e-5)
    assert pair.total_variation == pytest.approx(
        0.25 * float(2 * mp.ncdf(1 / mp.mpf("0.6")) - 1), rel=1e-13
    )
    assert pair.gdp_mu(floor=3.17e-5) == pytest.approx(2.471, abs=5e-4)
    mu = pair.local_mu([1.35e-3, 3.2e-5, 2.9e-7, 7.6e-24])
    assert mu == pytest.approx([2.00, 2.47, 2.74, 3.13], abs=5e-3)


def test_local_mu_at_1e_300_in_high_precision():
    q, sigma = 0.25, 0.3

    def quantile(p):
        return mp.findroot(lambda x: mp.log(mp.ncdf(x)) - mp.log(p), -37)

    with mp.workdps(400):
        z = quantile(mp.mpf(1e-300))
        tpr = q * mp.ncdf(z + 1 / mp.mpf(sigma)) + (1 - mp.mpf(q)) * mp.ncdf(z)
        truth = float(quantile(tpr) - z)
    got = SubsampledGaussianPair(q, sigma).local_mu(1e-300)
    assert got == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("mu", [0.0, 0.3, 2.0, 9.0])
def test_gaussian_local_mu_is_mu_everywhere(mu):
    alpha = np.r_[np.logspace(-300, -1, 60), 0.5, 1 - np.logspace(-10, -1, 20)]
    assert GaussianPair(mu).local_mu(alpha) == pytest.approx(np.full(alpha.size, mu), abs=1e-10)


def test_gaussian_total_variation_is_not_the_misprint():
    # HIST eq. 5.1 prints 2(1−Φ(1/2σ)), which is 0.617 here.
    assert GaussianPair(1).total_variation == pytest.approx(0.38292492254802624, rel=1e-14)


@every_pair
@pytest.mark.parametrize("floor", [1e-12, 1e-6, 1e-3, 0.1])
def test_gdp_mu_is_the_largest_local_mu_above_the_floor(pair, floor):
    alpha = np.r_[floor, np.geomspace(floor, 0.1, 20001), np.linspace(0.1, 1, 20001)[:-1]]
    beta = pair.tradeoff(alpha)
    both = (alpha >= floor) & (beta >= floor)
    if both.any():
        missed = pair.gdp_mu(floor) - mu_of_point(alpha[both], beta[both]).max()
        assert -1e-9 - 1e-16 / floor <= missed <= 1e-3
    else:
        assert mp.ncdf(-pair.gdp_mu(floor) / 2) == pytest.approx(floor, rel=1e-9)


def test_gdp_mu_of_a_curve_below_the_floor_is_what_the_floor_resolves():
    assert GaussianPair(30).gdp_mu(1e-6) == pytest.approx(2 * 4.753424308822899, rel=1e-12)
    assert GaussianPair(9).gdp_mu(1e-6) == pytest.approx(9, rel=1e-12)


# -- what holds for every pair ----------------------------------------------------------------


@holds_for(pairs, st.lists(rate, min_size=3, max_size=3, unique=True), st.booleans())
def test_tradeoff_is_convex_decreasing_and_below_the_diagonal(pair, points, symmetric):
    x0, x1, x2 = sorted(points)
    y0, y1, y2 = pair.tradeoff([x0, x1, x2], symmetric=symmetric)
    assert y0 >= y1 - 1e-15
    assert y1 >= y2 - 1e-15
    assert 0 <= y1 <= 1 - x1 + 1e-15
    share = (x1 - x0) / (x2 - x0)
    assert y1 <= (1 - share) * y0 + share * y2 + 1e-12
    assert pair.tradeoff(x1) <= pair.tradeoff(x1, symmetric=False) + 1e-13


@holds_for(pairs, rate)
def test_symmetric_tradeoff_is_its_own_inverse(pair, x):
    f_x = pair.tradeoff(x)
    # Both ways with some slack, as steep parts take round-off apart; at an f that underflows, none.
    if f_x > 1e-290:
        assert pair.tradeoff(f_x) <= x + 1e-9
        assert pair.tradeoff(max(f_x - 1e-12, 0)) >= x - 1e-9


@holds_for(pairs, st.floats(-40, 40), st.floats(0, 5))
def test_profile_falls_and_stays_above_that_of_identical_distributions(pair, epsilon, more):
    here, there = pair.profile([epsilon, epsilon + more])
    assert here >= there - 1e-15
    assert max(0, -math.expm1(epsilon)) - 1e-15 <= here <= 1
    # δ is convex in e^ε.
    middle = math.log((math.exp(epsilon) + math.exp(epsilon + more)) / 2)
    assert pair.profile(middle) <= (here + there) / 2 + 1e-13


@holds_for(pairs, st.floats(-30, 30))
def test_the_two_directions_determine_each_other(pair, epsilon):
    a = math.exp(epsilon)
    forward, backward = pair.hockey_stick(epsilon), pair.hockey_stick(-epsilon, "Q‖P")
    assert forward == pytest.approx(1 - a + a * backward, abs=1e-14 * (1 + a))


@holds_for(pairs)
def test_total_variation_is_the_profile_at_zero(pair):
    assert pair.total_variation == pytest.approx(pair.profile(0), rel=1e-9, abs=1e-15)
    assert pair.total_variation == pytest.approx(pair.hockey_stick(0, "Q‖P"), rel=1e-9, abs=1e-15)


@holds_for(pairs, st.floats(0, 8))
def test_epsilon_of_the_profile_returns_to_epsilon(pair, epsilon):
    delta = pair.profile(epsilon)
    if 1e-300 < delta < 1 - 1e-9:
        # The smallest ε with that δ: at most the one asked, and with the same δ.
        back = pair.epsilon(delta * (1 + 1e-12))
        assert back <= epsilon + 1e-9
        assert pair.log_profile(back) == pytest.approx(math.log(delta), abs=1e-9)


@holds_for(pairs, st.floats(0, 12), st.floats(1e-3, 0.999))
def test_profile_and_tradeoff_respect_each_other(pair, epsilon, x):
    # δ(ε) ≥ 1 − f(x) − e^ε x for every x: no trade-off point may beat the profile.
    f_x = pair.tradeoff(x)
    assert pair.profile(epsilon) >= 1 - f_x - math.exp(epsilon) * x - 1e-12


@holds_for(extreme_pairs, st.floats(allow_nan=False), rate)
def test_nothing_is_nan_and_nothing_warns(pair, epsilon, x):
    with np.errstate(all="raise", under="ignore"):
        values = [
            *(pair.hockey_stick(epsilon, d) for d in ("P‖Q", "Q‖P")),
            pair.profile(epsilon),
            pair.log_profile(epsilon),
            pair.tradeoff(x),
            pair.tradeoff(x, symmetric=False),
            pair.total_variation,
            pair.epsilon(x if x < 1 else 0.5),
        ]
        if 0 < x < 1:
            values += [pair.local_mu(x), pair.gdp_mu(x)]
    assert not any(math.isnan(v) for v in values)
    assert all(0 <= v <= 1 for i, v in enumerate(values[:7]) if i != 3)
    assert values[7] >= 0


# -- shapes, parameters, names ----------------------------------------------------------------


@every_pair
def test_numbers_give_floats_and_arrays_their_shape(pair):
    grid = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    for method in (
        pair.hockey_stick,
        pair.profile,
        pair.log_profile,
        pair.tradeoff,
        pair.epsilon,
        pair.local_mu,
    ):
        assert type(method(0.2)) is float
        values = method(grid)
        assert values.shape == grid.shape
        assert values[0, 1] == pytest.approx(method(0.2), rel=1e-12, nan_ok=False)
        assert method([]).shape == (0,)
    assert type(pair.total_variation) is float
    assert type(pair.gdp_mu()) is float
    assert type(pair)(**pair.parameters) == pair
    assert repr(pair).startswith(type(pair).__name__ + "(")


def test_names_are_for_people():
    assert GaussianPair(1).name == "Gaussian, μ = 1"
    assert SubsampledGaussianPair(0.25, 0.3).name == "Subsampled Gaussian, q = 0.25, σ = 0.3"
    assert LaplacePair(0.5).name == "Laplace, μ = 0.5"
    assert RandomizedResponsePair(1, 0.01).name == "Randomized response, ε = 1, δ = 0.01"
    assert repr(RandomizedResponsePair(1, 0)) == "RandomizedResponsePair(epsilon=1.0, delta=0.0)"


@pytest.mark.parametrize(
    ("make", "bad"),
    [
        (lambda: GaussianPair(-1), "-1"),
        (lambda: GaussianPair(math.inf), "inf"),
        (lambda: GaussianPair(1e120), "1e\\+120"),
        (lambda: LaplacePair(-0.5), "-0.5"),
        (lambda: LaplacePair(math.nan), "nan"),
        (lambda: SubsampledGaussianPair(0, 1), "0"),
        (lambda: SubsampledGaussianPair(1.1, 1), "1.1"),
        (lambda: SubsampledGaussianPair(0.5, 0), "0"),
        (lambda: SubsampledGaussianPair(0.5, 1e-110), "1e-110"),
        (lambda: RandomizedResponsePair(-2, 0), "-2"),
        (lambda: RandomizedResponsePair(1, 1), "1"),
        (lambda: GaussianPair("one"), "one"),
        (lambda: GaussianPair(1).profile(math.nan), "nan"),
        (lambda: GaussianPair(1).tradeoff([0.5, 1.5]), "1.5"),
        (lambda: GaussianPair(1).epsilon(1), "1"),
        (lambda: GaussianPair(1).epsilon([1e-5, -0.1]), "-0.1"),
        (lambda: GaussianPair(1).local_mu(0), "0"),
        (lambda: GaussianPair(1).gdp_mu(0), "0"),
        (lambda: GaussianPair(1).hockey_stick(1, "PQ"), "'PQ'"),
        (lambda: GaussianPair(1).sample(1), "1"),
        (lambda: GaussianPair(1).sample((10, 2.5)), "2.5"),
    ],
)
def test_bad_arguments_are_named(make, bad):
    with pytest.raises(ValueError, match=rf"got '?{bad}".replace(".", r"\.")):
        make()


# -- sampling ---------------------------------------------------------------------------------


@every_pair
def test_samples_follow_the_tradeoff_function(pair):
    if isinstance(pair, RandomizedResponsePair):
        thresholds = np.array([-0.5, 0.5, 1.5, 2.5])
    else:
        thresholds = np.linspace(-2, 4, 13)
    n_p, n_q = 40_000, 60_000
    scores = pair.sample((n_p, n_q), seed=7)
    assert (scores.n_p, scores.n_q) == (n_p, n_q)
    assert scores.sampling == "independent runs"
    assert scores.name == pair.name
    assert scores.larger_is_member
    above_p, above_q = scores.tail_counts(thresholds)
    fpr, fnr = above_q / n_q, 1 - above_p / n_p
    # Every threshold test is optimal; five standard deviations of the two rates, f's slope in one.
    noise_q = 5 * np.sqrt(fpr * (1 - fpr) / n_q + 1e-9)
    noise_p = 5 * np.sqrt(fnr * (1 - fnr) / n_p + 1e-9)
    low = pair.tradeoff(np.minimum(fpr + noise_q, 1), symmetric=False) - noise_p
    high = pair.tradeoff(np.maximum(fpr - noise_q, 0), symmetric=False) + noise_p
    assert np.all((fnr >= low) & (fnr <= high))


def test_samples_have_the_stated_marginals():
    x = SubsampledGaussianPair(0.25, 0.3).sample(50_000, seed=1)
    assert x.p.mean() == pytest.approx(0.25, abs=0.012)
    assert x.q.mean() == pytest.approx(0, abs=0.007)
    assert x.q.std() == pytest.approx(0.3, rel=0.02)
    r = RandomizedResponsePair(1, 0.1).sample(50_000, seed=1)
    share = 0.9 * math.e / (1 + math.e)
    truth = np.array([0, 0.9 - share, share, 0.1])
    assert np.bincount(r.p.astype(int), minlength=4) / r.n_p == pytest.approx(truth, abs=0.011)
    assert np.bincount(r.q.astype(int), minlength=4) / r.n_q == pytest.approx(
        truth[::-1], abs=0.011
    )


def test_sampling_takes_a_seed_or_a_generator():
    pair = LaplacePair(1)
    first, again, other = pair.sample(10, seed=3), pair.sample(10, seed=3), pair.sample(10, seed=4)
    assert np.array_equal(first.p, again.p)
    assert not np.array_equal(first.p, other.p)
    rng = np.random.default_rng(3)
    assert np.array_equal(pair.sample(10, seed=rng).p, first.p)
    assert not np.array_equal(pair.sample(10, seed=rng).p, first.p)
