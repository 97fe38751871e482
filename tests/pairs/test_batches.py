"""Batches of fixed and of bounded size: against dp_accounting, their ends, and what they exceed."""

import numpy as np
import pytest
from helpers.composed import assert_same_epsilons

import workbench as wb


def test_fixed_batches_are_below_the_renyi_bound_and_above_a_mechanism():
    from dp_accounting import NeighboringRelation, dp_event
    from dp_accounting.rdp import RdpAccountant

    pair = wb.FixedBatchPair(2, batch_size=10, dataset_size=1000, steps=1000)
    low, high = pair.epsilon_interval(1e-5)
    # Noise over the largest change of the sum, which replacing doubles.
    step = dp_event.SampledWithoutReplacementDpEvent(1000, 10, dp_event.GaussianDpEvent(1.0))
    accountant = RdpAccountant(neighboring_relation=NeighboringRelation.REPLACE_ONE)
    renyi = accountant.compose(dp_event.SelfComposedDpEvent(step, 1000)).get_epsilon(1e-5)
    # All other gradients 0: Poisson and fixed samples hold the record with the same probability.
    mechanism = wb.DPSGDPair(2, 0.01, 1000, "substitute").epsilon(1e-5)
    assert mechanism < low <= high < renyi
    assert high == pytest.approx(2.199, abs=2e-3)
    assert renyi == pytest.approx(3.576, abs=5e-3)


@pytest.mark.parametrize("steps", [1, 30])
def test_fixed_batches_leak_at_least_what_a_mechanism_leaks_at_every_epsilon(steps):
    pair = wb.FixedBatchPair(1.5, batch_size=20, dataset_size=100, steps=steps)
    mechanism = wb.DPSGDPair(1.5, 0.2, steps, "substitute")
    epsilon = np.linspace(0, 6, 25)
    assert (pair.delta(epsilon) >= mechanism.profile_interval(epsilon)[0]).all()
    alpha = np.linspace(0.001, 0.999, 50)
    assert (pair.tradeoff(alpha) <= mechanism.tradeoff(alpha) + 1e-6).all()


def test_one_step_of_a_fixed_batch_is_the_amplified_profile():
    from workbench.curves.gdp import gaussian_log_profile

    pair, epsilon = wb.FixedBatchPair(2, 1, 10, 1), np.linspace(0, 3, 13)
    amplified = 0.1 * np.exp(gaussian_log_profile(1.0, np.log1p(np.expm1(epsilon) / 0.1)))
    np.testing.assert_allclose(pair.delta(epsilon), amplified, rtol=1e-4, atol=1e-12)


def test_a_batch_of_all_records_is_a_gaussian_pair():
    pair = wb.FixedBatchPair(2, batch_size=50, dataset_size=50, steps=4)
    assert pair.epsilon(1e-5) == pytest.approx(wb.GaussianPair(2).epsilon(1e-5), rel=1e-5)
    assert pair.compose(4).epsilon(1e-5) == pytest.approx(
        wb.GaussianPair(4).epsilon(1e-5), rel=1e-5
    )


@pytest.mark.parametrize("given", [(1, 0.01, 120, 10_000, 1000), (2, 0.1, 90, 1000, 50)], ids=str)
def test_dp_accounting_finds_the_same_for_truncated_batches(given):
    from dp_accounting.pld import privacy_loss_distribution as pld

    sigma, rate, most, size, steps = given
    theirs = pld.from_truncated_subsampled_gaussian_mechanism(
        size, rate, most, sigma, value_discretization_interval=1e-3
    ).self_compose(steps)
    for delta in (1e-3, 1e-6):
        low, high = wb.TruncatedBatchPair(*given).epsilon_interval(delta)
        epsilon = theirs.get_epsilon_for_delta(delta)
        assert low <= high <= epsilon * (1 + 1e-6)
        assert high == pytest.approx(epsilon, rel=1e-3)
        assert wb.DPSGDPair(sigma, rate, steps).epsilon(delta) < high


def test_a_batch_that_is_never_cut_is_dp_sgd():
    pair = wb.TruncatedBatchPair(2, 0.1, batch_size=100, dataset_size=100, steps=50)
    assert_same_epsilons(pair, wb.DPSGDPair(2, 0.1, 50), 1e-5, grid=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: wb.FixedBatchPair(0, 1, 10, 1), "noise_multiplier"),
        (lambda: wb.FixedBatchPair(1, 11, 10, 1), "batch_size must be at most"),
        (lambda: wb.FixedBatchPair(1, 0, 10, 1), "batch_size"),
        (lambda: wb.FixedBatchPair(1, 1.5, 10, 1), "batch_size"),
        (lambda: wb.FixedBatchPair(1, 1, 10, 0), "steps"),
        (lambda: wb.TruncatedBatchPair(1, 0, 1, 10, 1), "sample_rate"),
        (lambda: wb.TruncatedBatchPair(1, 1.5, 1, 10, 1), "sample_rate"),
        (lambda: wb.FixedBatchPair(1, 1, 10, 1).sample(10), "no scores of its own"),
    ],
)
def test_bad_batches_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
