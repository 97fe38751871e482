"""Rényi divergences by quadrature, against closed forms, an accountant and sums."""

import math

import numpy as np
import pytest

import workbench as wb
from workbench.curves.renyi_quadrature import DivergenceError, renyi_divergence

ORDERS = (1 + 1e-6, 1.5, 2, 3, 32, 1024, 1e5)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "pair",
    [
        wb.GaussianPair(1e-6),
        wb.GaussianPair(1.0),
        wb.GaussianPair(30.0),
        wb.LaplacePair(0.01),
        wb.LaplacePair(20.0),
        wb.RandomizedResponsePair(1.0, 0.0),
    ],
    ids=lambda pair: pair.name,
)
def test_closed_forms_come_out(pair, order):
    assert renyi_divergence(pair, order) == pytest.approx(pair.renyi_divergence(order), rel=1e-9)


@pytest.mark.parametrize(
    ("q", "sigma"), [(0.1, 1), (0.001, 1), (0.01, 0.3), (1e-6, 0.1), (0.25, 0.05), (0.5, 10)]
)
def test_subsampled_gaussian_noise_has_the_divergences_of_the_accountant(q, sigma):
    from dp_accounting import dp_event
    from dp_accounting.rdp import RdpAccountant

    step = dp_event.PoissonSampledDpEvent(q, dp_event.GaussianDpEvent(sigma))
    orders = [2, 3, 32, 256]
    known = RdpAccountant(orders).compose(step).rdp
    pair = wb.SubsampledGaussianPair(q, sigma)
    assert [pair.renyi_divergence(a) for a in orders] == pytest.approx(list(known), rel=1e-9)


def test_both_directions_count():
    """Against an integral of the densities, on a fine grid."""
    x = np.linspace(-30, 30, 600_001)
    for pair in (wb.SubsampledGaussianPair(0.7, 1.5), wb.SubsampledGaussianPair(0.2, 0.9)):
        loss = pair.privacy_loss(x)
        log_q = -((x / pair.sigma) ** 2) / 2 - math.log(pair.sigma * math.sqrt(2 * math.pi))
        for a in (1.5, 4.0):
            there = np.log(np.exp(a * loss + log_q).sum() * 1e-4) / (a - 1)
            back = np.log(np.exp((1 - a) * loss + log_q).sum() * 1e-4) / (a - 1)
            assert pair.renyi_divergence(a) == pytest.approx(max(there, back), rel=1e-8)


def test_known_values():
    assert wb.SubsampledGaussianPair(0.1, 1.0).renyi_divergence(3) == pytest.approx(0.0317123, 1e-5)
    composed = wb.ComposedPair(wb.SubsampledGaussianPair(0.1, 1), 10)
    assert composed.renyi_divergence(2) == pytest.approx(0.17037, rel=1e-4)


@pytest.mark.parametrize(
    "pair",
    [
        wb.DPSGDPair(1.1, 0.01, 50, "substitute"),
        wb.FixedBatchPair(2, 10, 1000, 50),
        wb.TruncatedBatchPair(2.0, 0.01, 20, 1000, 50),
        wb.MixturePair((0, 1, 2), (0.9, 0.09, 0.01), 2, 50),
        wb.LastIteratePair(2.0, 0.1, 20),
    ],
    ids=lambda pair: pair.name,
)
def test_every_pair_has_divergences_that_its_profile_respects(pair):
    """ε(δ) ≤ R_a + log((a−1)/a) − (log δ + log a)/(a − 1), and R_a rises with a."""
    found = [pair.renyi_divergence(a) for a in (1.5, 2, 8, 16)]
    assert found[0] > 0
    assert np.all(np.diff(found) > 0)
    assert np.isfinite(found[-1])
    for a, divergence in zip((1.5, 2, 8, 16), found, strict=True):
        for delta in (1e-3, 1e-6):
            implied = divergence + math.log((a - 1) / a) - (math.log(delta) + math.log(a)) / (a - 1)
            assert pair.epsilon(delta) <= implied


def test_infinite_is_said_only_of_what_is_infinite():
    assert wb.RandomizedResponsePair(0.1, 1e-6).renyi_divergence(2) == math.inf
    for pair in (wb.SubsampledGaussianPair(1e-6, 0.1), wb.DPSGDPair(0.5, 1e-3, 10**6)):
        assert all(math.isfinite(pair.renyi_divergence(a)) for a in ORDERS)
    assert issubclass(DivergenceError, ValueError)


def test_what_cannot_be_computed_is_refused():
    class Broken:
        name = "a broken pair"

        def log_hockey_stick(self, epsilon, direction):
            return np.where(np.isinf(epsilon), -np.inf, np.nan)

    with pytest.raises(DivergenceError, match="a broken pair could not be computed"):
        renyi_divergence(Broken(), 2.0)
