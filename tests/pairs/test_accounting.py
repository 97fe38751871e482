"""Reference pairs against closed forms, brute force and the accountant; error bars; bad input."""

import gc
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import workbench as wb
from workbench.curves.tradeoff import TradeoffCurve
from workbench.pairs.accounting import pld
from workbench.pairs.accounting.accounted import forget_compositions
from workbench.pairs.accounting.dpsgd import SubstitutedStep
from workbench.pairs.accounting.tilted import TiltedStep, tilted_tail
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.outcomes import Outcomes
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair

pytestmark = pytest.mark.slow

EPSILONS = np.array([-3.0, -0.4, 0.0, 0.1, 0.7, 1.5, 3.0, 6.0])
DIRECTIONS = ("P‖Q", "Q‖P")

OWN_PAIRS = [
    wb.ComposedPair(wb.GaussianPair(0.3), 7),
    wb.ComposedPair(wb.RandomizedResponsePair(0.4, 0.01), 5),
    wb.ComposedPair(wb.RandomizedResponsePair(0.4, 0), 6),
    wb.ComposedPair(wb.LaplacePair(0.3), 4),
    wb.ComposedPair(wb.SubsampledGaussianPair(0.5, 2.0), 10),
    wb.DPSGDPair(1.0, 0.05, 50),
    wb.DPSGDPair(1.5, 0.2, 20, "substitute"),
    wb.DPSGDPair(0.8, 0.1, 1),
    wb.DiscreteGaussianPair(2.0),
    wb.DiscreteGaussianPair(1.5, 3),
    wb.DiscreteLaplacePair(1.5, 3),
    wb.DiscreteLaplacePair(0.7),
    wb.RenyiPair((2, 8, 32), (0.1, 0.4, 2.0)),
    wb.ProfileTablePair((0, 0.5, 1, 2), (0.3, 0.15, 0.05, 1e-4)),
]
IDS = [pair.name for pair in OWN_PAIRS]
every_pair = pytest.mark.parametrize("pair", OWN_PAIRS, ids=IDS)


# -- outcomes ---------------------------------------------------------------------------------


def random_masses(seed):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.full(9, 0.6)), rng.dirichlet(np.full(9, 0.6))
    p[0], q[1] = 0, 0
    return p / p.sum(), q / q.sum()


@pytest.mark.parametrize("seed", range(5))
def test_outcomes_are_the_sums_that_define_them(seed):
    p, q = random_masses(seed)
    outcomes = Outcomes.from_masses(p, q)
    a = np.exp(EPSILONS)[:, None]
    for direction, (x, y) in zip(DIRECTIONS, ((p, q), (q, p)), strict=True):
        truth = np.maximum(x - a * y, 0).sum(axis=1)
        assert np.exp(outcomes.log_hockey_stick(EPSILONS, direction)) == pytest.approx(
            truth, abs=1e-14
        )
        # The inverse returns to where the divergence came from, or to the same divergence.
        only = x[y == 0].sum()
        assert outcomes.epsilon(np.array([only / 2]), direction)[0] == math.inf
        delta = np.array([only + 0.3 * (1 - only), only + 1e-9, 0.999])
        back = np.exp(outcomes.log_hockey_stick(outcomes.epsilon(delta, direction), direction))
        assert back == pytest.approx(delta, rel=1e-6)
    alpha = np.linspace(0, 1, 101)
    order = np.argsort(-np.divide(p, q, out=np.full(9, np.inf), where=q > 0))
    curve = TradeoffCurve.hull(
        np.r_[0, q[order].cumsum()].clip(0, 1), 1 - np.r_[0, p[order].cumsum()].clip(0, 1)
    )
    log_fnr, log_tpr = outcomes.log_rates(alpha)
    assert np.exp(log_fnr) == pytest.approx(curve.tradeoff(alpha, symmetric=False), abs=1e-14)
    assert np.exp(log_fnr) + np.exp(log_tpr) == pytest.approx(1, abs=1e-14)


def test_outcomes_of_huge_losses_neither_overflow_nor_vanish():
    loss = np.array([3000.0, 0.0, -3000.0])
    log_p = np.array([math.log(0.25), math.log(0.75), -3000 + math.log(0.25)])
    outcomes = Outcomes(loss, log_p, log_p[::-1], symmetric=True)
    got = np.exp(outcomes.log_hockey_stick(np.array([0.0, 2999.0, 3001.0]), "P‖Q"))
    assert got == pytest.approx([0.25, 0.25 * -math.expm1(-1), 0])
    assert outcomes.epsilon(np.array([0.1]), "P‖Q")[0] == pytest.approx(3000 + math.log(0.6))


# -- composition on a grid: optimistic ≤ truth ≤ pessimistic ---------------------------------


@pytest.mark.parametrize(
    ("mu", "k", "widest"),
    [(1, 1, 1e-7), (1, 10, 1e-6), (0.1, 1000, 5e-5), (0.01, 100_000, 3e-3), (3, 100, 5e-4)],
)
def test_the_error_bar_holds_the_composed_gaussian(mu, k, widest):
    truth = GaussianPair(mu * math.sqrt(k))
    grid = pld.build(GaussianPair(mu), k, True)
    epsilon = np.r_[-2.0, 0.0, np.linspace(0.01, truth.epsilon(1e-9), 40)]
    upper = np.exp(grid.log_hockey_stick(epsilon, "P‖Q"))
    lower = grid.lower_hockey_stick(epsilon, "P‖Q")
    exact = truth.profile(epsilon)
    assert np.all(lower <= exact + 1e-15)
    assert np.all(exact <= upper)
    at_delta = grid.outcomes.epsilon(np.array([1e-3, 1e-5]), "P‖Q")
    assert np.all(at_delta >= truth.epsilon([1e-3, 1e-5]))
    assert at_delta == pytest.approx(truth.epsilon([1e-3, 1e-5]), abs=widest)


def test_a_grid_without_its_error_bar_would_not_be_below_the_truth(monkeypatch):
    monkeypatch.setattr(pld, "MOST_POINTS", 2**12)
    truth, epsilon = GaussianPair(math.sqrt(10)), np.linspace(0, 15, 60)
    grid = pld.build(GaussianPair(1), 10, True)
    upper = np.exp(grid.log_hockey_stick(epsilon, "P‖Q"))
    assert np.all(upper > truth.profile(epsilon) * (1 + 1e-6))
    assert np.all(grid.lower_hockey_stick(epsilon, "P‖Q") <= truth.profile(epsilon))


@pytest.mark.parametrize("k", [1, 30])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_both_directions_of_a_grid_hold_the_truth(k, direction):
    """With q = 1 the subsampled Gaussian has a closed form, here taken the long way round."""

    class Asymmetric(SubsampledGaussianPair):
        pass

    grid = pld.build(Asymmetric(1.0, 4.0), k)
    truth = GaussianPair(math.sqrt(k) / 4)
    epsilon = np.linspace(-2, 4, 31)
    assert not grid.outcomes.symmetric
    assert np.all(grid.lower_hockey_stick(epsilon, direction) <= truth.profile(epsilon) + 1e-15)
    assert np.all(np.exp(grid.log_hockey_stick(epsilon, direction)) >= truth.profile(epsilon))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_one_subsampled_step_on_a_grid_holds_its_closed_form(direction):
    step = SubsampledGaussianPair(0.2, 0.7)
    grid = pld.build(step, 1)
    epsilon = np.linspace(-1.5, 6, 76)
    exact = step.hockey_stick(epsilon, direction)
    assert np.all(grid.lower_hockey_stick(epsilon, direction) <= exact + 1e-15)
    upper = np.exp(grid.log_hockey_stick(epsilon, direction))
    assert np.all(upper >= exact - 1e-15)
    assert upper == pytest.approx(exact, abs=1e-8)


def test_losses_on_the_grid_are_composed_exactly():
    pair = wb.DiscreteGaussianPair(1.2, 2)
    outcomes = pair.outcomes
    heavy = outcomes.log_p > -40
    p, loss = np.exp(outcomes.log_p[heavy]), outcomes.loss[heavy]
    three = loss[:, None, None] + loss[None, :, None] + loss[None, None, :]
    mass = p[:, None, None] * p[None, :, None] * p[None, None, :]
    composed = wb.ComposedPair(pair, 3)
    for epsilon in EPSILONS:
        truth = np.sum(mass * np.maximum(-np.expm1(np.minimum(epsilon - three, 0)), 0))
        low, high = composed.profile_interval(epsilon)
        assert low - 1e-14 <= truth <= high + 1e-14
        assert high - low < 1e-12


# -- closed forms -----------------------------------------------------------------------------


def test_gaussians_compose_in_closed_form():
    composed, truth = wb.ComposedPair(wb.GaussianPair(0.5), 16), wb.GaussianPair(2)
    assert composed.exact
    assert composed.resolution == 0
    assert composed.epsilon([1e-300, 1e-5, 0]) == pytest.approx(truth.epsilon([1e-300, 1e-5, 0]))
    assert composed.tradeoff([1e-300, 0.1]) == pytest.approx(truth.tradeoff([1e-300, 0.1]))
    assert composed.gdp_mu() == pytest.approx(2, rel=1e-12)
    every_step = wb.DPSGDPair(2.0, 1.0, 16)
    assert every_step.epsilon(1e-5) == pytest.approx(truth.epsilon(1e-5), abs=1e-9)
    substituted = wb.DPSGDPair(4.0, 1.0, 16, "substitute")
    assert substituted.epsilon(1e-5) == pytest.approx(truth.epsilon(1e-5), abs=1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.4, 0.01), (0.4, 0.0), (2.0, 1e-6)])
def test_randomized_responses_compose_to_the_sum_over_their_outcomes(epsilon, delta):
    k = 3
    high = (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon))
    p = np.array([0, 1 - delta - high, high, delta])
    joint_p, joint_q = np.ones(1), np.ones(1)
    for _ in range(k):
        joint_p, joint_q = np.outer(joint_p, p).ravel(), np.outer(joint_q, p[::-1]).ravel()
    composed = wb.ComposedPair(wb.RandomizedResponsePair(epsilon, delta), k)
    for e in EPSILONS:
        truth = np.maximum(joint_p - math.exp(e) * joint_q, 0).sum()
        assert composed.profile(e) == pytest.approx(truth, abs=1e-14)
    assert composed.epsilon(0) == (math.inf if delta else pytest.approx(k * epsilon, rel=1e-14))


def test_randomized_responses_agree_with_the_accountant():
    from dp_accounting.pld import common, privacy_loss_distribution

    one = privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(0.3, 1e-7), value_discretization_interval=0.3
    )
    theirs = one.self_compose(20)
    ours = wb.ComposedPair(wb.RandomizedResponsePair(0.3, 1e-7), 20)
    for delta in (1e-2, 1e-4, 1e-5):
        assert ours.epsilon(delta) == pytest.approx(theirs.get_epsilon_for_delta(delta), abs=1e-6)


def test_compositions_of_compositions_are_one():
    pair = wb.DPSGDPair(1.0, 0.1, 10)
    assert wb.ComposedPair(pair, 4).epsilon(1e-5) == wb.DPSGDPair(1.0, 0.1, 40).epsilon(1e-5)
    twice = wb.ComposedPair(wb.ComposedPair(wb.LaplacePair(0.3), 2), 3)
    assert twice.epsilon(1e-5) == wb.ComposedPair(wb.LaplacePair(0.3), 6).epsilon(1e-5)
    assert wb.ComposedPair(wb.LaplacePair(0.3), 1).epsilon(0) == pytest.approx(0.3)


@pytest.mark.parametrize("sigma", [0.4, 1.5, 20.0])
def test_discrete_mechanisms_agree_with_the_accountant(sigma):
    from dp_accounting.pld import privacy_loss_mechanism as mechanism

    epsilon = np.array([0.0, 0.1, 0.5, 1, 2, 4])
    for distance in (1, 3):
        theirs = mechanism.DiscreteGaussianPrivacyLoss(sigma, distance)
        ours = wb.DiscreteGaussianPair(sigma, distance)
        assert ours.profile(epsilon) == pytest.approx(
            theirs.get_delta_for_epsilon(epsilon), abs=1e-12
        )
        theirs = mechanism.DiscreteLaplacePrivacyLoss(1 / sigma, distance)
        ours = wb.DiscreteLaplacePair(sigma, distance)
        truth = [theirs.get_delta_for_epsilon(e) for e in epsilon]
        assert ours.profile(epsilon) == pytest.approx(truth, abs=1e-12)
        assert ours.epsilon(0) == pytest.approx(distance / sigma, rel=1e-12)


def test_a_wide_discrete_gaussian_is_a_gaussian():
    ours, limit = wb.DiscreteGaussianPair(200.0, 200), wb.GaussianPair(1)
    for delta in (1e-300, 1e-100, 1e-5):
        assert ours.epsilon(delta) == pytest.approx(limit.epsilon(delta), abs=2e-2)
    assert ours.gdp_mu(1e-6) == pytest.approx(1, abs=0.01)


# -- DP-SGD -----------------------------------------------------------------------------------


def test_the_reference_of_the_literature():
    pair = wb.DPSGDPair(noise_multiplier=1.0, sample_rate=0.01, steps=1000)
    low, high = pair.epsilon_interval(1e-5)
    assert 1.818 <= low <= high <= 1.838
    assert high - low < 1e-4
    assert pair.epsilon(1e-5) == high
    assert not pair.exact
    assert 0 < pair.resolution < 1e-11


@pytest.mark.parametrize("neighboring_relation", ["add-remove", "substitute"])
@pytest.mark.parametrize(("sigma", "q", "steps"), [(1.0, 0.05, 100), (2.0, 0.5, 10)])
def test_dpsgd_agrees_with_the_accountant(sigma, q, steps, neighboring_relation):
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import privacy_loss_distribution

    relation = {
        "add-remove": NeighboringRelation.ADD_OR_REMOVE_ONE,
        "substitute": NeighboringRelation.REPLACE_ONE,
    }[neighboring_relation]
    theirs = [
        privacy_loss_distribution.from_gaussian_mechanism(
            sigma,
            sampling_prob=q,
            neighboring_relation=relation,
            value_discretization_interval=width,
        ).self_compose(steps)
        for width in (2e-3, 1e-3)
    ]
    ours = wb.DPSGDPair(sigma, q, steps, neighboring_relation)
    for delta in (1e-3, 1e-5):
        low, high = ours.epsilon_interval(delta)
        coarse, fine = (grid.get_epsilon_for_delta(delta) for grid in theirs)
        # Theirs too is an upper limit, off by the square of the width: the limit of no width.
        truth = fine - (coarse - fine) / 3
        assert low <= truth + 1e-6
        assert high <= fine <= coarse
        assert high == pytest.approx(truth, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 1e-4, 0.05, 1.0, 5.0])
def test_one_substituted_step_agrees_with_the_accountant(epsilon):
    from dp_accounting.pld import privacy_loss_mechanism as mechanism

    theirs = mechanism.GaussianPrivacyLoss(
        0.8, sampling_prob=0.2, adjacency_type=mechanism.AdjacencyType.REPLACE
    )
    ours = SubstitutedStep(0.2, 0.8).log_hockey_stick(np.array([epsilon]), "P‖Q")
    assert math.exp(ours[0]) == pytest.approx(
        theirs.get_delta_for_epsilon(epsilon), rel=1e-9, abs=1e-15
    )


def test_training_figures_become_rate_and_steps():
    pair = wb.DPSGDPair.from_training(
        batch_size=256, dataset_size=60_000, epochs=10, noise_multiplier=1.1
    )
    assert pair == wb.DPSGDPair(1.1, 256 / 60_000, math.ceil(10 * 60_000 / 256))
    assert (
        wb.DPSGDPair.from_training(
            batch_size=10, dataset_size=100, epochs=3, noise_multiplier=1
        ).steps
        == 30
    )


@pytest.mark.parametrize("neighboring_relation", ["add-remove", "substitute"])
def test_the_central_limit_is_near_where_it_should_be_and_says_that_it_is_approximate(
    neighboring_relation,
):
    pair = wb.DPSGDPair(2.0, 0.002, 20_000, neighboring_relation)
    limit = pair.central_limit()
    assert limit.mu == pair.clt_gdp_mu
    assert "approximate" in limit.name
    assert pair.epsilon(1e-3) == pytest.approx(limit.epsilon(1e-3), rel=0.02)
    # At a large sampling rate over few steps it is no bound: below the truth's own lower limit.
    few = wb.DPSGDPair(1.0, 0.01, 1000)
    assert few.central_limit().epsilon(1e-5) < few.epsilon_interval(1e-5)[0] - 0.1


def test_noise_that_hides_nothing_has_an_infinite_central_limit():
    assert wb.DPSGDPair(1e-3, 0.1, 10).clt_gdp_mu == math.inf


# -- bounded time and memory ------------------------------------------------------------------

HARD = [
    "wb.DPSGDPair(0.05, 0.01, 1000)",
    "wb.DPSGDPair(1.0, 0.001, 100_000)",
]


@pytest.mark.parametrize("make", HARD)
@pytest.mark.slow
def test_hard_compositions_stay_within_a_gigabyte(make):
    # Not `resource.getrusage`: its peak is at least that of the program which started this one.
    code = f"""
import workbench as wb
pair = {make}
low, high = pair.epsilon_interval(1e-5)
assert 0 < low <= high < float("inf")
with open("/proc/self/status") as status:
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
print(int(peak) / 1e6, low, high)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    gigabytes, low, high = map(float, done.stdout.split())
    assert gigabytes < 1
    assert high / low < 1.02


@pytest.mark.parametrize("pair", [wb.DPSGDPair(0.01, 0.5, 100_000), wb.DPSGDPair(1e-90, 0.5, 2)])
def test_a_composition_beyond_any_grid_is_refused_with_the_reason(pair):
    with pytest.raises(wb.AccountantError, match="add noise"):
        pair.epsilon(1e-5)
    assert issubclass(wb.AccountantError, ValueError)


def test_tiny_losses_are_resolved_as_well_as_large_ones():
    """The grid follows the scale of the losses, here 1e-6 a step."""
    pair = wb.DPSGDPair(15.0, 1.5e-5, 4000)
    low, high = pair.profile_interval(np.array([0.0, 2e-5]))
    truth = pair.central_limit().profile(np.array([0.0, 2e-5]))
    assert high == pytest.approx(truth, rel=0.01)
    assert np.all(high - low < 1e-3 * high)


def test_below_the_resolution_other_limits_hold():
    """`dp_accounting` gives the upper limits: its loss distribution, its Rényi accountant."""
    for pair, delta, most in (
        (wb.DPSGDPair(1, 0.001, 1000), 1e-12, 0.884),
        (wb.DPSGDPair(1, 0.001, 1000), 1e-16, 2.789),
        (wb.DPSGDPair(1, 0.01, 1000), 1e-15, 5.40),
        (wb.DPSGDPair(1, 0.01, 1000), 1e-20, 7.04),
        (wb.ComposedPair(wb.SubsampledGaussianPair(0.25, 0.3), 10), 1e-15, 110),
    ):
        low, high = pair.epsilon_interval(delta)
        assert delta < pair.resolution * 100
        assert low <= pair.epsilon(delta) == high <= most
        assert pair.epsilon(1e-11) < high
    low, high = pair.epsilon_interval(0.0)
    assert np.isfinite(low)
    assert np.isinf(high)
    assert wb.ComposedPair(wb.LaplacePair(0.25), 8).epsilon([1e-30, 0]) == pytest.approx([2, 2])
    assert wb.ComposedPair(wb.LaplacePair(0.25), 8).profile([2, 3]) == pytest.approx([0, 0])


def unbounded_steps():
    return [
        wb.DPSGDPair(1.0, 0.001, 1000),
        wb.DPSGDPair(2.0, 0.05, 100, "substitute"),
        wb.ComposedPair(wb.SubsampledGaussianPair(0.25, 0.5), 10),
        wb.ComposedPair(wb.DPSGDPair(2.0, 0.05, 10), 10),
        wb.FixedBatchPair(2, 10, 1000, 100),
        wb.TruncatedBatchPair(2.0, 0.01, 20, 1000, 100),
        wb.MixturePair((0, 1, 2), (0.9, 0.09, 0.01), 2, 10),
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("pair", unbounded_steps(), ids=lambda pair: pair.name)
def test_no_delta_is_too_small_and_all_values_belong_together(pair):
    delta = np.r_[np.geomspace(1e-300, 1e-16, 60), np.geomspace(1e-16, 1e-6, 120)]
    epsilon = pair.epsilon(delta)
    assert np.all(np.isfinite(epsilon))
    assert np.all(np.diff(epsilon) <= 0)
    assert np.all(pair.delta(epsilon) <= delta * (1 + 1e-6))
    at = np.linspace(0, epsilon[0], 300)
    log_profile = pair.log_profile(at)
    assert np.all(np.diff(log_profile) <= 1e-12)
    for direction in ("P‖Q", "Q‖P"):
        assert np.all(pair.log_hockey_stick(at, direction) <= log_profile + 1e-12)
    low, high = pair.profile_interval(at)
    assert np.all(low <= high)
    np.testing.assert_allclose(high, np.exp(log_profile))


def test_the_limits_of_small_deltas_are_above_the_truth():
    """Two sensitivities that hardly differ are composed numerically, and are Gaussian noise."""
    pair = wb.MixturePair((1, 1 - 1e-9), (0.5, 0.5), 4, 16)
    assert not pair.exact
    delta = np.geomspace(1e-200, 1e-4, 50)
    truth = wb.GaussianPair(1.0).epsilon(delta)
    found = pair.epsilon(delta)
    assert np.all(found >= truth * (1 - 1e-6))
    assert np.all(found <= truth * 1.03)  # by Rényi divergences
    tilted = delta > 1e-16
    assert np.all(found[tilted] <= truth[tilted] * 1.001)


# -- what holds for all -----------------------------------------------------------------------


@every_pair
def test_profile_and_tradeoff_belong_together(pair):
    epsilon, x = np.linspace(0, 4, 33), np.r_[0, np.geomspace(1e-9, 1, 60)]
    delta, f = pair.profile(epsilon), pair.tradeoff(x)
    assert np.all(np.diff(delta) <= 1e-15)
    a = np.exp(epsilon)
    # A Rényi curve's δ is the least of several bounds, which need not be convex where two cross.
    if not isinstance(pair, wb.RenyiPair):
        assert np.all(np.diff(np.diff(delta) / np.diff(a)) >= -1e-12)
    # δ(ε) = sup_x {1 − f(x) − e^ε x}; the Rényi curve's f comes from a grid, and is lower.
    gain = (1 - f[None, :] - a[:, None] * x[None, :]).max(axis=1)
    slack = 0.03 if isinstance(pair, wb.RenyiPair) else 1e-12
    assert np.all(gain <= delta + slack)
    assert np.all(np.diff(f) <= 1e-15)
    assert np.all(f <= 1 - x + 1e-12)
    assert pair.total_variation == pytest.approx(pair.profile(0), rel=1e-9)


@every_pair
def test_epsilon_inverts_the_profile(pair):
    for delta in (1e-9, 1e-5, 1e-2):
        epsilon = pair.epsilon(delta)
        if math.isinf(epsilon):
            assert pair.profile(60) > delta
        else:
            assert pair.profile(epsilon) <= delta * (1 + 1e-6)
            if epsilon > 0:
                assert pair.profile(epsilon * (1 - 1e-6) - 1e-9) >= delta * (1 - 1e-6)


@every_pair
@pytest.mark.parametrize("floor", [1e-6, 1e-3])
def test_gdp_mu_is_the_largest_over_the_points_above_the_floor(pair, floor):
    alpha = np.r_[floor, np.geomspace(floor, 0.1, 5001), np.linspace(0.1, 1, 5001)[:-1]]
    beta = np.asarray(pair.tradeoff(alpha))
    both = (alpha >= floor) & (beta >= floor)
    from workbench.curves.error_rates import mu_of_point

    largest = mu_of_point(alpha[both], beta[both]).max()
    assert -1e-6 <= pair.gdp_mu(floor) - largest <= 2e-2
    mu = pair.local_mu([1e-6, 1e-3, 0.1, 0.5])
    assert np.all(mu >= 0)


@every_pair
def test_nothing_is_nan(pair):
    extremes = np.array([-np.inf, -800.0, -1e-300, 0.0, 1e-300, 1e-9, 1.0, 710.0, 1e9, np.inf])
    rates = np.array([0.0, 1e-300, 1e-17, 0.5, 1 - 1e-16, 1.0])
    with np.errstate(all="raise", under="ignore"):
        values = [
            *(pair.hockey_stick(extremes, d) for d in DIRECTIONS),
            pair.profile(extremes),
            pair.tradeoff(rates),
            pair.tradeoff(rates, symmetric=False),
        ]
        more = [pair.epsilon(rates[:-1]), pair.local_mu(rates[1:-1]), pair.log_profile(extremes)]
    assert all(np.all((v >= 0) & (v <= 1)) for v in values)
    assert not any(np.isnan(v).any() for v in more)
    assert type(pair.profile(0.5)) is float
    assert type(pair)(**pair.parameters) == pair
    assert repr(pair).startswith(type(pair).__name__ + "(")


# -- scores -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pair",
    [
        wb.ComposedPair(wb.GaussianPair(0.3), 7),
        wb.ComposedPair(wb.LaplacePair(0.5), 3),
        wb.ComposedPair(wb.RandomizedResponsePair(0.4, 0.05), 3),
        wb.ComposedPair(wb.SubsampledGaussianPair(0.5, 2.0), 10),
        wb.DPSGDPair(1.0, 0.1, 20),
        wb.DPSGDPair(1.5, 0.3, 10, "substitute"),
        wb.DPSGDPair(5.0, 1.0, 10),
        wb.DiscreteGaussianPair(1.5, 2),
        wb.DiscreteLaplacePair(1.5, 3),
    ],
    ids=lambda pair: pair.name,
)
def test_scores_follow_the_tradeoff_function(pair):
    n = 40_000
    scores = pair.sample(n, seed=11)
    finite = scores.p[np.isfinite(scores.p)]
    # Between the atoms of discrete scores.
    thresholds = (
        np.quantile(np.r_[finite, scores.q[np.isfinite(scores.q)]], np.linspace(0.02, 0.98, 15))
        + 1e-7
    )
    above_p, above_q = scores.tail_counts(thresholds)
    fpr, fnr = above_q / n, 1 - above_p / n
    noise_q = 5 * np.sqrt(fpr * (1 - fpr) / n + 1e-9)
    noise_p = 5 * np.sqrt(fnr * (1 - fnr) / n + 1e-9)
    low = pair.tradeoff(np.minimum(fpr + noise_q, 1), symmetric=False) - noise_p
    high = pair.tradeoff(np.maximum(fpr - noise_q, 0), symmetric=False) + noise_p
    assert np.all((fnr >= low) & (fnr <= high))


@pytest.mark.parametrize(
    "pair",
    [
        wb.GaussianPair(0.8),
        wb.LaplacePair(0.8),
        wb.SubsampledGaussianPair(0.3, 0.7),
        wb.RandomizedResponsePair(0.5, 0.1),
        wb.DiscreteGaussianPair(2.0),
        wb.DiscreteLaplacePair(2.0, 2),
    ],
    ids=lambda pair: pair.name,
)
def test_the_privacy_loss_of_scores_is_what_changes_q_into_p(pair):
    scores = pair.sample(200_000, seed=5)
    # E_Q[e^L] is P's mass where Q has some, and E_P[e^−L] the other way round.
    only = 0.1 if isinstance(pair, wb.RandomizedResponsePair) else 0.0
    for x, sign in ((scores.q, 1), (scores.p, -1)):
        ratio = np.exp(sign * pair.privacy_loss(x))
        assert ratio.mean() == pytest.approx(1 - only, abs=6 * ratio.std() / math.sqrt(x.size))


def test_claims_have_no_scores():
    for pair in (wb.RenyiPair(2, 1), wb.ProfileTablePair((0, 1), (0.3, 0.1))):
        for refused in (lambda p=pair: p.sample(10), lambda p=pair: p.privacy_loss(0.0)):
            with pytest.raises(ValueError, match=r"no scores .* RandomizedResponsePair"):
                refused()
    with pytest.raises(ValueError, match="draws"):
        wb.DPSGDPair(1.0, 0.01, 100_000).sample(100_000)


# -- claims -----------------------------------------------------------------------------------


def test_a_renyi_curve_agrees_with_the_accountant():
    from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon

    orders = (1.5, 2, 4, 8, 32)
    for epsilons in ((0.1, 0.2, 0.4, 0.9, 4.0), (1e-9,) * 5, (3.0, 4.0, 5.0, 6.0, 7.0)):
        pair = wb.RenyiPair(orders, epsilons)
        for delta in (1e-2, 1e-5, 1e-10):
            theirs, _ = compute_epsilon(orders, epsilons, delta)
            assert pair.epsilon(delta) == pytest.approx(theirs, abs=1e-9)


def test_a_renyi_curve_bounds_the_mechanism_that_it_came_from():
    mu, orders = 0.7, np.linspace(1.1, 60, 200)
    curve = wb.RenyiPair(tuple(orders), tuple(orders * mu**2 / 2))
    truth, epsilon = wb.GaussianPair(mu), np.linspace(0, 6, 61)
    assert np.all(curve.profile(epsilon) >= truth.profile(epsilon))
    alpha = np.linspace(0, 1, 101)
    assert np.all(curve.tradeoff(alpha) <= truth.tradeoff(alpha))
    assert curve.epsilon(1e-5) == pytest.approx(truth.epsilon(1e-5), rel=0.15)
    assert wb.ComposedPair(wb.RenyiPair(4, 0.1), 5).epsilon(1e-5) == wb.RenyiPair(4, 0.5).epsilon(
        1e-5
    )


def test_a_table_keeps_its_rows_and_is_above_the_truth_between_them(tmp_path):
    truth, rows = wb.GaussianPair(1), np.array([0, 0.5, 1, 2, 3])
    table = wb.ProfileTablePair(tuple(rows[::-1]), tuple(truth.profile(rows[::-1])))
    assert table.profile(rows) == pytest.approx(truth.profile(rows), abs=1e-14)
    between = np.linspace(0, 5, 51)
    assert np.all(table.profile(between) >= truth.profile(between) - 1e-14)
    assert table.profile(9) == pytest.approx(truth.profile(3))
    assert table.epsilon(truth.profile(3) / 2) == math.inf
    alpha = np.linspace(0, 1, 101)
    assert np.all(table.tradeoff(alpha) <= truth.tradeoff(alpha) + 1e-12)
    path = tmp_path / "profile.csv"
    path.write_text("eps,delta\n" + "\n".join(f"{e},{truth.profile(e)!r}" for e in rows))
    assert wb.ProfileTablePair.read(path, epsilon="eps") == table
    import pandas as pd

    frame = pd.DataFrame({"epsilon": rows, "delta": truth.profile(rows)})
    assert wb.ProfileTablePair.read(frame) == table
    with pytest.raises(ValueError, match="no column 'epsilon', only eps, delta"):
        wb.ProfileTablePair.read(path)
    with pytest.raises(ValueError, match=r"cannot read a table from '.*nothing\.csv'"):
        wb.ProfileTablePair.read(tmp_path / "nothing.csv")


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("approx(2, 1e-5)", "ApproxDP(epsilon=2.0, delta=1e-05)"),
        (" GDP( 1.25 ) ", "GDP(mu=1.25)"),
        ("pure(1)", "PureDP(epsilon=1.0)"),
        ("Rényi(8, .5)", "RenyiDP(order=8.0, epsilon=0.5)"),
    ],
)
def test_claims_are_read_and_written(text, claim):
    read = wb.parse_claim(text)
    assert repr(read) == claim
    assert wb.parse_claim(str(read)) == read
    assert read.epsilon(1e-3) == read.dominating_pair.epsilon(1e-3)
    assert read.profile([0, 1]) == pytest.approx(read.dominating_pair.profile([0, 1]))
    assert read.tradeoff(0.1) == read.dominating_pair.tradeoff(0.1)


def test_claims_say_what_they_say():
    assert str(wb.ApproxDP(2, 1e-5)) == "approx(2, 1e-5)"
    assert str(wb.GDP(1 / 3)) == "gdp(0.3333333333333333)"
    assert str(wb.ApproxDP(1e20, 0)) == "approx(1e20, 0)"
    assert wb.parse_claim(str(wb.ApproxDP(1e-7 / 3, 1e-300))) == wb.ApproxDP(1e-7 / 3, 1e-300)
    assert wb.ApproxDP(2, 1e-5).profile([1.9, 2, 3]) == pytest.approx(
        [1e-5 + (1 - 1e-5) * (math.e**2 - math.e**1.9) / (1 + math.e**2), 1e-5, 1e-5]
    )
    assert wb.PureDP(1).epsilon(0) == 1
    assert wb.ApproxDP(1, 1e-5).epsilon(1e-6) == math.inf
    assert wb.GDP(1).profile(0) == pytest.approx(0.38292492254802624)


@pytest.mark.parametrize(
    "text",
    [
        *("", "2", "approx", "approx()", "approx(1)", "approx(1, 2, 3)", "approx(1, x)", "dp(1)"),
        *("approx(1,)", "pure(-1)", "gdp(inf)", "renyi(1, 1)", "approx(1, 1)", "gdp(1) and more"),
    ],
)
def test_unreadable_claims_are_refused_with_the_text_or_the_value(text):
    with pytest.raises(ValueError, match=r"got|cannot read the claim"):
        wb.parse_claim(text)


# -- calibration ------------------------------------------------------------------------------


def test_gaussian_noise_for_a_target():
    assert wb.gaussian_sigma_for(1, 1e-5) == pytest.approx(3.730631634, rel=1e-8)
    for epsilon, delta in ((0.1, 1e-9), (8, 1e-3), (0, 0.1)):
        mu = wb.gaussian_mu_for(epsilon, delta)
        assert wb.GaussianPair(mu).profile(epsilon) <= delta
        assert wb.GaussianPair(mu * (1 + 1e-9)).profile(epsilon) > delta
    assert wb.gaussian_sigma_for(1, 1e-5, sensitivity=3) == pytest.approx(3 * 3.730631634)


def test_noise_multipliers_meet_their_target_and_hardly_more(monkeypatch):
    monkeypatch.setattr(pld, "MOST_POINTS", 2**16)
    sigma = wb.noise_multiplier_for(2.0, 1e-5, 0.02, 300)
    assert wb.DPSGDPair(sigma, 0.02, 300).epsilon(1e-5) <= 2
    assert wb.DPSGDPair(sigma * (1 - 1e-5), 0.02, 300).epsilon(1e-5) > 2
    assert wb.noise_multiplier_for(1.0, 1e-5, 1.0, 4, "substitute") == pytest.approx(
        4 * 3.730631634, rel=1e-8
    )


@pytest.mark.parametrize(("epsilon", "delta"), [(-1, 1e-5), (1, 0), (1, 1), (math.nan, 0.1)])
def test_targets_out_of_range_are_refused(epsilon, delta):
    with pytest.raises(ValueError, match="got"):
        wb.noise_multiplier_for(epsilon, delta, 0.1, 10)
    with pytest.raises(ValueError, match="got"):
        wb.gaussian_sigma_for(epsilon, delta)


# -- compositions of what was measured --------------------------------------------------------


def test_composed_histograms_are_near_the_truth_of_hist_figure_11():
    step = wb.SubsampledGaussianPair(0.5, 2.0)
    truth = wb.ComposedPair(step, 10)
    scores = step.sample(100_000, seed=1)
    default = wb.compose_histogram(wb.histogram(scores), 10)
    assert default.epsilon(1e-3).value == pytest.approx(truth.epsilon(1e-3), rel=0.05)
    composed = wb.compose_histogram(wb.histogram(scores, rule="scott"), 10)
    epsilon = np.array([0.0, 0.5, 1, 2])
    assert composed.infinite_mass == 0
    assert composed.profile(epsilon) == pytest.approx(truth.profile(epsilon), rel=0.35)
    # The noise of the bins leaks too: the estimate is on the side of more leakage.
    assert np.all(composed.profile(epsilon) > truth.profile(epsilon))
    bound = composed.epsilon(1e-3)
    assert (bound.guarantee, bound.method) == ("estimate", "composed histograms")
    assert bound.value == pytest.approx(truth.epsilon(1e-3), rel=0.1)
    assert composed.delta(1.0).value == composed.profile(1.0)
    assert "estimate" in composed._repr_html_()
    assert "koskela" in bound.cite()


def test_composed_histograms_report_the_mass_in_bins_empty_on_one_side():
    scores = wb.Scores([0.5, 1.5, 2.5, 2.5], [0.5, 0.5, 0.5, 1.5], sampling="independent runs")
    histogram = wb.histogram(scores, bins=3, range=(0, 3))
    composed = wb.compose_histogram(histogram, 3)
    assert (composed.infinite_p, composed.infinite_q) == (0.5, 0)
    assert composed.infinite_mass == pytest.approx(1 - 0.5**3)
    assert composed.profile(50) == pytest.approx(1 - 0.5**3)
    assert composed.epsilon(0.5).value == math.inf
    assert "empty on one side" in composed.epsilon(0.5).note
    p, q = histogram.p, histogram.q
    p_three = np.multiply.outer(np.multiply.outer(p, p), p).ravel()
    q_three = np.multiply.outer(np.multiply.outer(q, q), q).ravel()
    for e in (0.0, 0.3, 1.0):
        a = math.exp(e)
        forward = np.maximum(p_three - a * q_three, 0).sum()
        backward = np.maximum(q_three - a * p_three, 0).sum()
        assert composed.profile(e) == pytest.approx(max(forward, backward), abs=1e-7)
    apart = wb.Scores([1.0, 2, 3], [-1.0, -2, -3], sampling="independent runs")
    assert wb.compose_histogram(wb.histogram(apart, bins=2, range=(-3, 3)), 2).infinite_mass == 1


def misses(lower_limit, runs):
    """How often a limit for ten steps, at any of five ε, lies above the truth."""
    step = wb.SubsampledGaussianPair(0.5, 2.0)
    epsilon = np.array([0.0, 0.5, 1.0, 2.0, 3.0])
    truth = wb.ComposedPair(step, 10).profile(epsilon)
    return sum(
        bool(np.any(lower_limit(step.sample(3000, seed=seed)).profile(epsilon) > truth))
        for seed in range(runs)
    )


@pytest.mark.statistical
def test_a_composed_band_keeps_its_level_where_composed_histograms_do_not(monkeypatch):
    monkeypatch.setattr(pld, "MOST_POINTS", 2**13)
    # At 5%, five misses or more of 25 have a chance of 0.7%.
    assert misses(lambda s: wb.compose_band(wb.tradeoff_band(s), 10), 25) <= 4
    assert misses(lambda s: wb.compose_histogram(wb.histogram(s, rule="scott"), 10), 10) == 10


def test_a_composed_band_says_something_and_what_it_rests_on():
    step = wb.GaussianPair(0.5)
    band = wb.tradeoff_band(step.sample(100_000, seed=2))
    composed = wb.compose_band(band, 16)
    truth = wb.GaussianPair(2)
    bound = composed.epsilon(1e-5)
    assert 0.75 * truth.epsilon(1e-5) <= bound.value <= truth.epsilon(1e-5)
    assert (bound.guarantee, bound.side, bound.confidence) == ("simultaneous", "lower", 0.95)
    assert "16 independent steps" in bound.explain()
    assert "dong" in bound.cite()
    assert composed.delta(1.0).value == composed.profile(1.0)
    assert composed.profile(bound.value * (1 + 1e-6)) <= 1e-5
    # One step alone: the band itself, less the grid's error bar.
    alone = wb.compose_band(band, 1).profile([0.0, 1.0])
    assert alone == pytest.approx(band.profile([0.0, 1.0]), abs=1e-4)
    assert np.all(alone <= band.profile([0.0, 1.0]))
    assert "simultaneous" in composed._repr_html_()


# -- random canaries --------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "n"), [(60, 100), (101, 100), (150, 100), (5000, 100)])
def test_canary_scores_have_the_moments_of_vectors_in_d_dimensions(d, n):
    sigma, runs = 1.5, [wb.simulate_canaries(d, n, 1.5, seed=seed) for seed in range(150)]
    # ⟨x_i, θ⟩ = 1 + Σ_{j≠i} ⟨x_i, x_j⟩ + ⟨x_i, Z⟩, and ⟨z, θ⟩² has the mean ‖θ‖²/d. The scores of
    # one run hang together: runs, not scores, are what the standard errors count.
    for expected, values in (
        (1, [run.scores.p.mean() for run in runs]),
        ((n - 1) / d + sigma**2, [np.mean((run.scores.p - 1) ** 2) for run in runs]),
        (0, [run.scores.q.mean() for run in runs]),
        (n / d + sigma**2, [np.mean(run.scores.q**2) for run in runs]),
        (n + sigma**2 * d, [run.norm**2 for run in runs]),
    ):
        assert np.mean(values) == pytest.approx(expected, abs=5 * np.std(values) / math.sqrt(150))


def test_canary_scores_agree_with_vectors_that_are_really_made():
    from scipy.stats import ks_2samp

    d, n, sigma, rng = 40, 20, 1.0, np.random.default_rng(0)
    made, ours = [], []
    for seed in range(2000):
        x = rng.standard_normal((n, d))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        theta = x.sum(axis=0) + sigma * rng.standard_normal(d)
        z = rng.standard_normal(d)
        fresh = z @ theta / np.linalg.norm(z)
        made.append((*np.quantile(x @ theta, [0.1, 0.9]), theta @ theta, fresh))
        run = wb.simulate_canaries(d, n, sigma, seed=seed)
        low, high = np.quantile(run.scores.p, [0.1, 0.9])
        ours.append((low, high, run.norm**2, rng.choice(run.scores.q)))
    for theirs, mine in zip(np.transpose(made), np.transpose(ours), strict=True):
        assert ks_2samp(theirs, mine).pvalue > 1e-4


def test_both_canary_estimates_converge_as_the_dimension_grows():
    errors = {}
    for d in (300, 10_000, 10**7):
        runs = [wb.simulate_canaries(d, 600, 1.0, seed=seed) for seed in range(12)]
        assert runs[0].truth == wb.GaussianPair(1)
        for method in ("histogram_mu", "moments_mu"):
            errors[method, d] = np.mean([getattr(run, method).value for run in runs]) - 1
    for method in ("histogram_mu", "moments_mu"):
        # The variance is σ² + n/d: μ is 0.58 at d = n/2.
        assert errors[method, 300] == pytest.approx(-0.42, abs=0.1)
        assert abs(errors[method, 10_000]) < 0.1
        assert abs(errors[method, 10**7]) < 0.06
    bound = runs[0].moments_mu
    assert (bound.guarantee, bound.family, bound.assumption) == ("estimate", "Gaussian", "one run")
    assert "andrew" in bound.cite()


# -- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "bad"),
    [
        (lambda: wb.DPSGDPair(1, 0, 10), "0"),
        (lambda: wb.DPSGDPair(1, 1.2, 10), "1.2"),
        (lambda: wb.DPSGDPair(1, -0.1, 10), "-0.1"),
        (lambda: wb.DPSGDPair(0, 0.1, 10), "0"),
        (lambda: wb.DPSGDPair(-1, 0.1, 10), "-1"),
        (lambda: wb.DPSGDPair(math.nan, 0.1, 10), "nan"),
        (lambda: wb.DPSGDPair(1, 0.1, 10.5), "10.5"),
        (lambda: wb.DPSGDPair(1, 0.1, 0), "0"),
        (lambda: wb.DPSGDPair(1, 0.1, 10, "replace"), "replace"),
        (
            lambda: wb.DPSGDPair.from_training(
                batch_size=20, dataset_size=10, epochs=1, noise_multiplier=1
            ),
            "20",
        ),
        (lambda: wb.ComposedPair(wb.GaussianPair(1), 1.5), "1.5"),
        (lambda: wb.ComposedPair(wb.GaussianPair(1), 0), "0"),
        (lambda: wb.ComposedPair(3, 2), "3"),
        (lambda: wb.DiscreteGaussianPair(0), "0"),
        (lambda: wb.DiscreteGaussianPair(1, 1.5), "1.5"),
        (lambda: wb.DiscreteLaplacePair(-1), "-1"),
        (lambda: wb.DiscreteLaplacePair(1, 0), "0"),
        (lambda: wb.RenyiPair(1, 1), "1.0"),
        (lambda: wb.RenyiPair((2, 3), (1,)), "2 and 1"),
        (lambda: wb.RenyiPair((2,), (-1,)), "-1.0"),
        (lambda: wb.simulate_canaries(1, 10, 1), "1"),
        (lambda: wb.simulate_canaries(10, 10, 0), "0"),
        (lambda: wb.simulate_canaries(10**6, 10**6, 1), "1000000 canaries"),
        (lambda: wb.compose_histogram(3, 2), "3"),
        (lambda: wb.compose_band(3, 2), "3"),
        (lambda: wb.compose_band(wb.tradeoff_band(wb.GaussianPair(1).sample(50)), 0), "0"),
        (lambda: wb.ProfileTablePair((), ()), "0 and 0"),
        (lambda: wb.ProfileTablePair((0, "many"), (0.1, 0.1)), "many"),
        (lambda: wb.ProfileTablePair((0, 1), (0.1, math.nan)), "nan"),
        (lambda: wb.ProfileTablePair((0, 1), (0.1, 1.5)), "1.5"),
    ],
)
def test_bad_arguments_are_named(make, bad):
    with pytest.raises(ValueError, match=rf"got '?{bad}".replace(".", r"\.")):
        make()


@pytest.mark.parametrize(
    ("epsilons", "deltas", "message"),
    [
        ((0, 1, 2), (0.3, 0.4, 0.1), r"row 2: δ rises from 0\.3 at ε = 0 to 0\.4 at ε = 1"),
        ((2, 0, 1), (0.1, 0.3, 0.4), r"row 3: δ rises"),
        ((0, 1, 2), (0.3, 0.29, 0.1), r"row 2: δ = 0\.29 at ε = 1 lies above 0\.2462, the chord"),
        ((0, 1, 1), (0.3, 0.2, 0.1), r"rows 3 and 2 both give ε = 1"),
    ],
)
def test_a_table_that_is_no_profile_is_refused_with_its_row(epsilons, deltas, message):
    with pytest.raises(ValueError, match=message):
        wb.ProfileTablePair(epsilons, deltas)


def test_a_wide_discrete_gaussian_is_sent_to_the_gaussian():
    with pytest.raises(ValueError, match=r"GaussianPair\(1e-06\) is as good"):
        wb.DiscreteGaussianPair(1e6)


def test_pairs_that_are_held_hold_no_composition_and_none_outlives_being_forgotten():
    # Results hold pairs, and a page keeps hundreds of results.
    forget_compositions()
    pairs = [wb.DPSGDPair(1 + k / 10, 0.01, 10) for k in range(4)]
    pairs += [wb.ComposedPair(wb.LaplacePair(0.3 + k / 10), 4) for k in range(3)]
    found = [pair.epsilon([1e-5, 1e-12]) for pair in pairs]

    def composed():
        gc.collect()
        return sum(type(one) is pld.Composition for one in gc.get_objects())

    assert 0 < composed() <= 4
    size = max(len(pickle.dumps(pair)) for pair in pairs)
    assert size < 5000
    forget_compositions()
    assert composed() == 0
    np.testing.assert_array_equal(pairs[0].epsilon([1e-5, 1e-12]), found[0])


def test_tails_take_the_grid_point_on_which_an_epsilon_lies_as_one_that_is_not_above():
    rng = np.random.default_rng(0)
    masses = rng.dirichlet(np.ones(40))
    for width in (0.1, 1 / 3, 1.5173707504700928e-05):
        tail = tilted_tail(width, [TiltedStep(-20, masses, 0.0, 30)], 2.0)
        grid = width * np.arange(tail.first, tail.first + tail.log_mass.size - 1)
        assert grid[0] >= 0
        near = [np.nextafter(grid, -np.inf), grid, np.nextafter(grid, np.inf)]
        asked = np.r_[0.0, np.concatenate(near), grid[-1] + 1, np.inf]
        asked = asked[asked >= 0]
        np.testing.assert_array_equal(tail._up_to(asked), np.searchsorted(grid, asked, "right"))
