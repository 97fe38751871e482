"""What other modules ask of a pair: Rényi divergences, compositions, outcomes, logs of rates."""

import math

import numpy as np
import pytest
from helpers.composed import noise_of_delta

import workbench as wb
from workbench.pairs.outcomes import Outcomes, OutcomesPair

PAIRS = [
    wb.GaussianPair(1.2),
    wb.LaplacePair(0.8),
    wb.RandomizedResponsePair(1.1, 0.0),
    wb.RandomizedResponsePair(0.7, 0.05),
    wb.SubsampledGaussianPair(0.2, 0.9),
    wb.DiscreteGaussianPair(1.5),
    wb.DiscreteLaplacePair(0.7, 2),
    wb.ComposedPair(wb.LaplacePair(0.3), 3),
]
every_pair = pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])


class Coins(OutcomesPair):
    name, parameters = "coins", {}
    outcomes = Outcomes.from_masses([0.6, 0.4], [0.1, 0.9])


def renyi(loss, p, order):
    return math.log(np.sum(p * np.exp((order - 1) * loss)) / np.sum(p)) / (order - 1)


@every_pair
def test_delta_is_the_profile(pair):
    epsilons = np.array([0.0, 0.3, 2.0])
    assert (pair.delta(epsilons) == pair.profile(epsilons)).all()
    assert pair.delta(0.0) == pytest.approx(pair.total_variation)


@every_pair
def test_log_rates_are_the_logs_of_both_rates(pair):
    alpha = np.array([1e-6, 0.1, 0.5, 0.9])
    log_fnr, log_tpr = pair.log_rates(alpha)
    fnr = pair.tradeoff(alpha, symmetric=False)
    assert np.exp(log_fnr) == pytest.approx(fnr, abs=1e-12)
    noise = noise_of_delta(pair)  # of the sums over a grid that both rates are
    assert np.exp(log_tpr) == pytest.approx(1 - fnr, abs=1e-12 + noise)
    assert all(isinstance(one, float) for one in pair.log_rates(0.1))
    with pytest.raises(ValueError, match="alpha"):
        pair.log_rates(1.5)


@every_pair
def test_error_rates_lie_on_the_tradeoff_function(pair):
    fpr, fnr = pair.error_rates()
    assert fnr == pytest.approx(pair.tradeoff(fpr, symmetric=False), abs=1e-12)
    # The best of them is nearly the most that any event shows.
    assert (1 - fpr - fnr).max() >= 0.95 * pair.total_variation - pair.delta(40.0)


@every_pair
def test_the_bit_error_is_half_of_what_the_total_variation_leaves(pair):
    assert pair.bit_error == pytest.approx((1 - pair.total_variation) / 2, rel=1e-12)


@every_pair
def test_the_loss_distribution_gives_the_divergences_back(pair):
    loss, p, q = pair.loss_distribution()
    # A numerical composition resolves about 1e-11; far below that, losses carry its round-off.
    assert (np.diff(loss[p > 1e-14]) >= -1e-6).all()
    assert (np.diff(loss) >= -1e-4).all()
    assert p == pytest.approx(q * np.exp(loss), rel=1e-6, abs=1e-13)
    for epsilon in (0.0, 0.4, 1.0):
        found = np.maximum(p - math.exp(epsilon) * q, 0).sum()
        revealed = pair.delta(60.0)
        assert found + revealed == pytest.approx(pair.hockey_stick(epsilon), rel=5e-3, abs=5e-4)


@pytest.mark.parametrize("order", [1.2, 3.0])
def test_renyi_divergences_are_those_of_the_losses(order):
    for pair in (wb.GaussianPair(1.2), wb.RandomizedResponsePair(1.1, 0.0), PAIRS[5], PAIRS[6]):
        loss, p, _ = pair.loss_distribution()
        assert pair.renyi_divergence(order) == pytest.approx(renyi(loss, p, order), rel=1e-4)
    assert wb.RandomizedResponsePair(0.7, 0.05).renyi_divergence(order) == math.inf
    both = [math.log(np.sum(a**order * b ** (1 - order))) / (order - 1)
            for a, b in ((np.array([0.6, 0.4]), np.array([0.1, 0.9])),
                         (np.array([0.1, 0.9]), np.array([0.6, 0.4])))]  # fmt: skip
    assert Coins().renyi_divergence(order) >= max(both) - 1e-12


def test_orders_are_checked():
    for bad in (1.0, 0.5, math.nan, math.inf):
        with pytest.raises(ValueError, match="order must be"):
            wb.LaplacePair(1).renyi_divergence(bad)


def test_renyi_divergences_of_compositions_add_up():
    for pair in (wb.LaplacePair(0.3), wb.GaussianPair(0.5), wb.RandomizedResponsePair(0.4, 0)):
        composed = wb.ComposedPair(pair, 5).renyi_divergence(2.5)
        assert composed == pytest.approx(5 * pair.renyi_divergence(2.5))


def test_renyi_divergences_of_dpsgd_are_those_of_the_accountant():
    from dp_accounting import dp_event
    from dp_accounting.rdp import RdpAccountant

    event = dp_event.PoissonSampledDpEvent(0.1, dp_event.GaussianDpEvent(1.3))
    known = RdpAccountant([4]).compose(dp_event.SelfComposedDpEvent(event, 20)).rdp[0]
    pair = wb.DPSGDPair(1.3, 0.1, 20)
    assert pair.renyi_divergence(4) == pytest.approx(known, rel=1e-9)
    assert wb.ComposedPair(pair, 3).renyi_divergence(4) == pytest.approx(3 * known, rel=1e-9)
    lower = pair.renyi_divergence(3)
    assert lower < pair.renyi_divergence(3.5) < known  # orders between whole ones
    assert wb.DPSGDPair(2.0, 1.0, 4).renyi_divergence(3) == pytest.approx(3 * 4 / 4 / 2)


@pytest.mark.parametrize(
    ("pair", "k", "composed"),
    [
        (wb.GaussianPair(0.5), 4, wb.GaussianPair(1.0)),
        (wb.SubsampledGaussianPair(1, 2.0), 9, wb.GaussianPair(1.5)),
        (wb.RenyiPair((2.0,), (0.1,)), 3, wb.RenyiPair((2.0,), (0.1 * 3,))),
        (wb.DPSGDPair(1.0, 0.1, 5), 3, wb.DPSGDPair(1.0, 0.1, 15)),
        (wb.ComposedPair(wb.LaplacePair(1), 2), 3, wb.ComposedPair(wb.LaplacePair(1), 6)),
        (wb.LaplacePair(1), 1, wb.LaplacePair(1)),
        (wb.LaplacePair(1), 2, wb.ComposedPair(wb.LaplacePair(1), 2)),
        (
            wb.SubsampledGaussianPair(0.5, 2.0),
            2,
            wb.ComposedPair(wb.SubsampledGaussianPair(0.5, 2.0), 2),
        ),
    ],
)
def test_compositions(pair, k, composed):
    assert pair.compose(k) == composed


@every_pair
def test_every_pair_is_composed_to_a_pair(pair):
    composed = pair.compose(2)
    assert isinstance(composed, wb.Pair)
    assert 0 <= pair.epsilon(1e-3) <= composed.epsilon(1e-3) * (1 + 1e-6)
    assert pair.compose(1).epsilon(1e-3) == pytest.approx(pair.epsilon(1e-3), rel=1e-6)
    with pytest.raises(ValueError, match="k must be"):
        pair.compose(0)


def test_composed_laplace_noise_is_pure_too():
    assert wb.LaplacePair(1).compose(3).epsilon(1e-6) <= 3
    assert wb.RandomizedResponsePair(0.1, 0).compose(10**6).epsilon(1e-6) < 10**5  # too many to sum


def test_a_composed_composition_is_one_composition():
    step = wb.LaplacePair(0.4)
    nested = wb.ComposedPair(wb.ComposedPair(step, 2), 3)
    assert not nested.exact
    assert nested.closed_form is None
    assert nested.epsilon(1e-5) == pytest.approx(wb.ComposedPair(step, 6).epsilon(1e-5), rel=1e-12)
    lower, upper = nested.epsilon_interval(1e-5)
    assert lower < upper


def test_repeated_responses_are_composed_exactly():
    pair = wb.RandomizedResponsePair(0.3, 0.01)
    composed = wb.ComposedPair(pair, 10)
    assert composed.exact
    assert composed.delta(50.0) == pytest.approx(1 - 0.99**10)
    assert composed.symmetric
    assert not wb.SubsampledGaussianPair(0.3, 1).symmetric


def test_a_pair_without_privacy_functions_is_refused_with_the_remedy():
    class Nothing(wb.Pair):
        name, parameters = "nothing", {}

        def sample(self, n, seed):
            raise NotImplementedError

    Nothing.__abstractmethods__ = frozenset()
    with pytest.raises(TypeError, match="Nothing has no privacy functions: derive it from"):
        Nothing().epsilon(1e-5)
