"""Networks: losses, gradients against finite differences, and weighted sums of them."""

import numpy as np
import pytest

from workbench.training.dp_sgd.canary_gradients import DiracCanaries, RandomCanaries
from workbench.training.dp_sgd.data import LabeledData, labeled_data
from workbench.training.dp_sgd.network import LOSSES, Network
from workbench.training.dp_sgd.procedure import clip_weights, clipped
from workbench.training.dp_sgd.step_gradients import StepGradients

SIZES = [(6, 4), (6, 5, 4), (6, 5, 7, 4)]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def data(rng):
    return LabeledData(rng.normal(size=(9, 6)), rng.integers(0, 4, 9), classes=4)


def one_by_one(found, count):
    """Each gradient, by a weighted sum in which the others have the weight 0."""
    return np.stack([found.weighted_sum(row) for row in np.eye(count)])


def in_double(network, data, rng):
    theta = network.initial(rng) + 0.1 * rng.normal(size=network.size)  # no unit at its kink
    return theta, network.gradients(theta, data.x.astype(float), data.y)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_are_those_of_finite_differences(sizes, loss, data, rng):
    network = Network(sizes, loss)
    theta, found = in_double(network, data, rng)
    step = 1e-6
    numeric = np.stack(
        [
            network.losses(theta + step * e, data) - network.losses(theta - step * e, data)
            for e in np.eye(network.size)
        ],
        axis=1,
    ) / (2 * step)
    assert numeric.shape == (data.size, network.size)
    assert abs(numeric).max() > 0.1
    np.testing.assert_allclose(one_by_one(found, data.size), numeric, atol=1e-8, rtol=1e-6)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("loss", LOSSES)
def test_norms_sums_and_products_are_those_of_explicit_gradients(sizes, loss, data, rng):
    network = Network(sizes, loss)
    _, found = in_double(network, data, rng)
    each = one_by_one(found, data.size)
    weights, vector = rng.normal(size=data.size), rng.normal(size=network.size)
    np.testing.assert_allclose(found.norms(), np.linalg.norm(each, axis=1), rtol=1e-12)
    np.testing.assert_allclose(found.weighted_sum(weights), weights @ each, atol=1e-12)
    np.testing.assert_allclose(found.products(vector), each @ vector, atol=1e-12)


def test_single_precision_loses_little():
    data = labeled_data("digits").take(slice(64))
    network = Network((64, 200, 10))
    theta = network.initial(np.random.default_rng(1))
    single = network.gradients(theta, data.x, data.y)
    double = network.gradients(theta.astype(float), data.x, data.y)
    assert single.norms().dtype == np.float32
    np.testing.assert_allclose(single.norms(), double.norms(), rtol=1e-5)


@pytest.mark.parametrize("canaries", [DiracCanaries, RandomCanaries])
def test_a_batch_is_its_records_and_then_its_canaries(canaries, data, rng):
    network = Network((6, 5, 4))
    inserted = canaries.drawn(8, network.size, rng, norm=3.0)
    chosen = np.array([1, 4, 6])
    unit = np.stack([inserted.products(row) for row in np.eye(network.size)], axis=1)
    _, found = in_double(network, data, rng)
    each = np.concatenate([one_by_one(found, data.size), 3 * unit[chosen]])
    batch = StepGradients(found, inserted, chosen)
    assert batch.size == len(each) == 12
    np.testing.assert_allclose(batch.norms(), np.linalg.norm(each, axis=1), rtol=1e-6)
    for start, stop in [(0, 12), (0, 5), (3, 9), (7, 11), (9, 12), (10, 12)]:
        some, weights = batch.part(start, stop), rng.normal(size=stop - start)
        assert some.size == stop - start
        np.testing.assert_allclose(
            some.weighted_sum(weights), weights @ each[start:stop], atol=1e-6
        )


def test_an_empty_batch_sums_to_nothing():
    network = Network((6, 5, 4))
    theta = network.initial(np.random.default_rng(0))
    found = network.gradients(theta, np.zeros((0, 6), np.float32), np.zeros(0, int))
    batch = StepGradients(found)
    assert batch.size == 0
    assert batch.norms().shape == (0,)
    np.testing.assert_array_equal(batch.weighted_sum(np.zeros(0, np.float32)), 0)


def test_clipping_shortens_what_is_longer_and_nothing_else():
    norms = np.array([0, 0.5, 1, 2, 1e-30, 1e30], dtype=np.float32)
    weights = clip_weights(norms, 1.0)
    assert weights.dtype == np.float32
    np.testing.assert_allclose(weights, [1, 1, 1, 0.5, 1, 1e-30], rtol=1e-6)
    np.testing.assert_array_equal(clip_weights(norms, np.inf), 1)
    assert np.linalg.norm(clipped(np.array([3.0, 4.0]), 2.0)) == pytest.approx(2)
    np.testing.assert_array_equal(clipped(np.array([3.0, 4.0]), 6.0), [3, 4])


def test_initial_weights_have_the_variance_of_he_and_biases_are_zero():
    network = Network((64, 200, 10))
    theta = network.initial(np.random.default_rng(3))
    assert theta.shape == (network.size,) == (64 * 200 + 200 + 200 * 10 + 10,)
    assert theta.dtype == np.float32
    for weights, biases in network.layers(theta):
        # Six standard errors of a variance of n normal values: 6 sqrt(2 / n).
        assert weights.var() * weights.shape[0] / 2 == pytest.approx(
            1, abs=6 * np.sqrt(2 / weights.size)
        )
        assert abs(weights.mean()) < 6 * weights.std() / np.sqrt(weights.size)
        np.testing.assert_array_equal(biases, 0)


def test_losses_are_those_of_their_formulas(data):
    network = Network((6, 4))
    theta = network.initial(np.random.default_rng(5)).astype(float)
    z = network.logits(theta, data.x)
    own = z[np.arange(data.size), data.y]
    np.testing.assert_allclose(network.losses(theta, data), np.log(np.exp(z).sum(axis=1)) - own)
    target = np.eye(4)[data.y]
    squared = network.losses(theta, data, "squared-error")
    np.testing.assert_allclose(squared, ((z - target) ** 2).sum(axis=1) / 2)
    assert network.accuracy(theta, data) == np.mean(z.argmax(axis=1) == data.y)


def test_large_logits_have_finite_losses():
    network = Network((1, 2))
    theta = np.array([1e4, -1e4, 0, 0], dtype=np.float32)
    data = LabeledData([[1.0], [1.0]], [0, 1], 2)
    np.testing.assert_allclose(network.losses(theta, data), [0, 2e4])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Network((5,)), "at least features and classes"),
        (lambda: Network((5, 0, 2)), "sizes must be"),
        (lambda: Network((5, 2), "hinge"), "loss must be one of 'cross-entropy'"),
        (lambda: Network((6, 4)).losses(np.zeros(28), DATA, "hinge"), "loss must be one of"),
        (lambda: Network((5, 4)).losses(np.zeros(24), DATA), r"takes 5 features.*sizes=\(6, …, 4"),
        (lambda: Network((6, 3)).accuracy(np.zeros(21), DATA), "has 3 classes"),
        (lambda: Network((6, 4)).accuracy(np.zeros(28), DATA.take([])), "at least one record"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


DATA = LabeledData(np.ones((2, 6)), [0, 3], 4)
