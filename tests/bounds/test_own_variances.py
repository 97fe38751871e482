"""Normal scores with two variances: the exact divergence, proven minima, coverage, sharpness."""

import math

import numpy as np
import pytest
from scipy import stats

import workbench as wb
from workbench.bounds.parametric.own_variances import Normals, delta_limit, epsilon_limit
from workbench.curves.unequal_gaussians import epsilon_limits, log_hockey_stick

DELTA = 1e-5


def larger_epsilon(mean, deviation, delta=DELTA):
    """ε at δ of N(mean, deviation²) against N(0, 1), the larger of both directions."""
    d, s = np.broadcast_arrays(np.asarray(mean, float), np.asarray(deviation, float))
    log_delta = np.full(d.shape, math.log(delta))
    forward = epsilon_limits(d, s, log_delta)[1]
    return np.maximum(forward, epsilon_limits(d / s, 1 / s, log_delta)[1])


def normals_of(p, q):
    return Normals(abs(p.mean() - q.mean()), p.var(ddof=1), q.var(ddof=1), n_p=p.size, n_q=q.size)


# -- the divergence -------------------------------------------------------------------------------


@pytest.mark.parametrize("mean", [0.0, 0.3, 3.0])
@pytest.mark.parametrize("deviation", [0.2, 0.98, 1 - 1e-9, 1 + 1e-7, 1.5, 4.0])
@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 0.7, 3.0])
def test_the_divergence_is_the_integral(mean, deviation, epsilon):
    x = np.linspace(-30, 30, 600_001)
    gap = stats.norm.pdf(x, mean, deviation) - math.exp(epsilon) * stats.norm.pdf(x)
    whole = np.trapezoid(np.maximum(gap, 0.0), x)
    found = float(np.exp(log_hockey_stick(mean, deviation, epsilon)))
    assert found == pytest.approx(whole, rel=1e-6, abs=1e-8)


def test_equal_variances_are_the_gaussian_pair():
    epsilon = np.array([-2.0, 0.0, 1.0, 10.0, 100.0])
    for mu in (0.01, 1.0, 8.0):
        expected = wb.GaussianPair(mu).log_profile(epsilon)
        np.testing.assert_allclose(log_hockey_stick(mu, 1.0, epsilon), expected, rtol=1e-9)
    assert log_hockey_stick(0.0, 1.0, 0.0) == -np.inf
    np.testing.assert_allclose(larger_epsilon([1.0], [1.0]), wb.GaussianPair(1).epsilon(DELTA))


def test_the_divergence_grows_with_the_distance():
    distance = np.linspace(0, 5, 60)[:, None, None]
    deviation, epsilon = np.array([0.3, 0.9, 1.0, 1.2, 3.0])[:, None], np.array([0.0, 0.5, 4.0])
    values = np.exp(log_hockey_stick(distance, deviation, epsilon))
    assert (np.diff(values, axis=0) >= -1e-14).all()


# -- the limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mean", "deviation", "n_p", "n_q"),
    [(1.36, 1.0, 2500, 2500), (1.0, 1.3, 60, 20), (0.0, 1.5, 100, 100), (3.0, 0.7, 10, 40)],
)
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_the_limit_is_the_extreme_value_over_its_region(mean, deviation, n_p, n_q, side):
    """Never inside of what a fine grid over the region finds, and hardly outside."""
    rng = np.random.default_rng(3)
    normals = normals_of(rng.normal(mean, deviation, n_p), rng.normal(0, 1, n_q))
    rho = np.geomspace(*normals.ratio_limits(0.05 / 3), 400)
    if side == "lower":  # where one direction takes over from the other is a narrow valley
        rho = np.r_[rho, np.geomspace(0.8, 1.25, 400)]
        rho = rho[(rho >= rho[0]) & (rho <= rho[399])]
    theta = normals.distance_limit(rho, rho, 0.05 * 2 / 3, side)
    epsilon = larger_epsilon(theta, np.sqrt(rho))
    found = epsilon_limit(normals, DELTA, 0.05, side)
    log_delta = np.maximum(
        log_hockey_stick(theta, np.sqrt(rho), 1.0),
        log_hockey_stick(theta / np.sqrt(rho), 1 / np.sqrt(rho), 1.0),
    )
    delta = delta_limit(normals, 1.0, 0.05, side)
    if side == "lower":
        assert epsilon.min() * 0.998 - 0.002 <= found <= epsilon.min() + 1e-9
        assert np.exp(log_delta.min()) * 0.98 - 1e-9 <= delta <= np.exp(log_delta.min()) + 1e-12
    else:
        assert epsilon.max() - 1e-9 <= found <= epsilon.max() * 1.002 + 0.002
        assert np.exp(log_delta.max()) - 1e-12 <= delta <= np.exp(log_delta.max()) * 1.02


@pytest.mark.parametrize(
    ("mean", "deviation", "n_p", "n_q"),
    [(0.0, 1.0, 15, 15), (1.0, 1.0, 200, 200), (1.0, 1.4, 50, 20), (0.5, 0.6, 12, 60)],
)
@pytest.mark.statistical
def test_both_ends_keep_their_level(mean, deviation, n_p, n_q):
    """60 draws at 90%: more than 13 misses of one end have a probability below 0.3%."""
    rng = np.random.default_rng(11)
    truth = 0.0 if (mean, deviation) == (0, 1) else float(larger_epsilon([mean], [deviation])[0])
    missed = np.zeros(2)
    for _ in range(60):
        normals = normals_of(rng.normal(mean, deviation, n_p), rng.normal(0, 1, n_q))
        missed += (
            epsilon_limit(normals, DELTA, 0.1, "lower") > truth,
            epsilon_limit(normals, DELTA, 0.1, "upper") < truth,
        )
    assert missed.max() <= 13


def test_the_same_simulation_catches_a_limit_without_its_error():
    rng = np.random.default_rng(11)
    draws = [normals_of(rng.normal(1, 1.4, 50), rng.normal(0, 1, 20)) for _ in range(30)]
    truth = float(larger_epsilon([1.0], [1.4])[0])
    assert sum(epsilon_limit(normals, DELTA, 0.9, "lower") > truth for normals in draws) > 5


# -- what it is worth -----------------------------------------------------------------------------


def box(p, q, error=0.05):
    """The box of arXiv 2606.12733: four limits, by t and χ², at four shares of the error."""
    share, ends = error / 4, []
    for x in (p, q):
        degrees = x.size - 1
        squares = x.var(ddof=1) * degrees
        ends.append(squares / stats.chi2.isf([share / 2, 1 - share / 2], degrees))
    reach = sum(stats.t.isf(share / 2, x.size - 1) * x.std(ddof=1) / x.size**0.5 for x in (p, q))
    distance = max(abs(p.mean() - q.mean()) - reach, 0.0)
    v_p, v_q = np.meshgrid(np.geomspace(*ends[0], 15), np.geomspace(*ends[1], 15))
    return float(
        larger_epsilon((distance / np.sqrt(v_q)).ravel(), np.sqrt(v_p / v_q).ravel()).min()
    )


def test_it_costs_little_where_variances_are_equal_and_the_box_costs_more():
    """μ = 1.36, n = 2500 a side, truth 6.27: public figures 5.57 (box) and 5.99 (equal)."""
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        p, q = rng.normal(1.36, 1, 2500), rng.normal(0, 1, 2500)
        scores = wb.Scores(p, q)
        own = wb.parametric_bound(scores, delta=DELTA, equal_variances=False).value
        equal = wb.parametric_bound(scores, delta=DELTA).value
        found.append((box(p, q), own, equal))
    of_box, own, equal = np.mean(found, axis=0)
    assert wb.GaussianPair(1.36).epsilon(DELTA) == pytest.approx(6.2748, abs=1e-4)
    assert of_box == pytest.approx(5.5, abs=0.15)
    assert equal == pytest.approx(5.95, abs=0.15)
    assert of_box + 0.3 < own
    assert equal - 0.08 < own


def test_it_sees_the_leak_of_a_variance():
    scores = wb.Scores(
        np.random.default_rng(0).normal(0, 1.5, 1000), np.random.default_rng(1).normal(0, 1, 1000)
    )
    assert wb.parametric_bound(scores, delta=DELTA).value == 0
    own = wb.parametric_bound(scores, delta=DELTA, equal_variances=False)
    assert 6 < own.value < float(larger_epsilon([0.0], [1.5])[0])


# -- what it says ---------------------------------------------------------------------------------


def test_a_bound_names_what_it_assumes():
    scores = wb.GaussianPair(1).sample(400, seed=1)
    found = wb.parametric_bound(scores, delta=DELTA, equal_variances=False, side="two")
    assert found.family == "Gaussian, each side with its own variance"
    assert "if the pair is Gaussian, each side with its own variance" in str(found)
    assert found.low < wb.GaussianPair(1).epsilon(DELTA) < found.high
    assert found.at_confidence(0.99).low < found.low
    assert "dp_audit_workbench" in found.cite()
    tv = wb.parametric_bound(scores, quantity="total variation", equal_variances=False)
    at_zero = wb.parametric_bound(scores, quantity="delta", epsilon=0, equal_variances=False)
    assert tv.value == at_zero.value
    assert 0.25 < tv.value < wb.GaussianPair(1).total_variation


def test_units_and_direction_do_not_matter():
    scores = wb.GaussianPair(1).sample(300, seed=2)
    asked = {"delta": DELTA, "equal_variances": False}
    one = wb.parametric_bound(scores, **asked).value
    moved = wb.Scores(1e6 - 1e-3 * scores.p, 1e6 - 1e-3 * scores.q, larger_is_member=False)
    assert wb.parametric_bound(moved, **asked).value == pytest.approx(one, rel=1e-4)
    swapped = wb.parametric_bound(wb.Scores(scores.q, scores.p), **asked).value
    assert swapped == pytest.approx(one, abs=3e-3)


def test_without_delta_it_is_infinite_or_zero():
    asked = {"delta": 0, "equal_variances": False}
    assert wb.parametric_bound(wb.GaussianPair(2).sample(100, seed=0), **asked).value == math.inf
    assert wb.parametric_bound(wb.GaussianPair(0).sample(100, seed=0), **asked).value == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"family": "laplace", "delta": DELTA}, "for family='gaussian'"),
        ({"quantity": "mu"}, "for no μ"),
    ],
)
def test_what_has_no_own_variances_is_refused(given, message):
    scores = wb.GaussianPair(1).sample(100, seed=0)
    with pytest.raises(ValueError, match=message):
        wb.parametric_bound(scores, **given, equal_variances=False)
    with pytest.raises(ValueError, match="equal_variances must be True or False"):
        wb.parametric_bound(scores, delta=DELTA, equal_variances="no")


def test_constant_scores_are_refused():
    scores = wb.Scores([1.0, 1.0, 1.0], [0.0, 0.5, 0.2])
    with pytest.raises(ValueError, match="all scores of P are equal"):
        wb.parametric_bound(scores, delta=DELTA, equal_variances=False)
