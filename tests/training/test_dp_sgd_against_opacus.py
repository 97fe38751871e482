"""The engine against PyTorch's optimizers and Opacus: the same gradients, models and accuracy."""

import importlib
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from workbench.training.dp_sgd.data import labeled_data
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings
from workbench.training.dp_sgd.network import LOSSES, Network
from workbench.training.dp_sgd.optimizers import OPTIMIZERS, optimizer
from workbench.training.dp_sgd.procedure import clip_weights

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("torch"),
    pytest.mark.filterwarnings("ignore:Full backward hook is firing"),
]

DIGITS = labeled_data("digits")
TRAIN, TEST = DIGITS.take(slice(1000)), DIGITS.take(slice(1000, None))


@pytest.fixture(scope="module")
def torch():
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def opacus(torch):
    return importlib.import_module("benchmarks._by_opacus")


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("sizes", [(64, 10), (64, 200, 10), (64, 30, 20, 10)])
def test_clipped_gradients_are_those_of_opacus(torch, opacus, sizes, loss):
    network = Network(sizes, loss)
    rng = np.random.default_rng(4)
    theta = network.initial(rng) + 0.1 * rng.normal(size=network.size)  # in double precision
    settings = DPSGDSettings(network, 1, 1.0, 0.0, 1.0, clip=1.0)
    x, y = TRAIN.x[:40].astype(float), TRAIN.y[:40]
    x[:10] /= 100  # some are not clipped
    found = network.gradients(theta, x, y)
    weights = clip_weights(found.norms(), 1.0)
    assert (weights < 1).any()
    module, steps = opacus.private(settings, theta)
    loss, total = opacus.loss_of(network), np.zeros(network.size)
    for i in range(y.size):
        steps.zero_grad()
        loss(module(torch.tensor(x[[i]])), torch.tensor(y[[i]])).backward()
        whole = opacus.flat([p.grad_sample[0] for p in module.parameters()])
        alone = np.eye(y.size)[i]
        np.testing.assert_allclose(found.weighted_sum(alone), whole, atol=1e-12)
        np.testing.assert_allclose(found.norms()[i], np.linalg.norm(whole), rtol=1e-12)
        steps.clip_and_accumulate()
        theirs = opacus.flat([p.summed_grad for p in module.parameters()])
        # Opacus adds 1e-6 to norms, which shortens a clipped gradient by as much.
        assert np.linalg.norm(found.weighted_sum(alone * weights) - theirs) <= 1e-6
        total += theirs
    ours = found.weighted_sum(weights)
    assert np.linalg.norm(ours - total) <= 1e-6 * (weights < 1).sum()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_are_those_of_pytorch(torch, opacus, name):
    rng = np.random.default_rng(0)
    theta = rng.normal(size=50).astype(np.float32)
    parameter = torch.nn.Parameter(torch.from_numpy(theta.copy()))
    theirs, ours = opacus.optimizer_of(name, [parameter], 0.05), optimizer(name)(0.05, theta.size)
    for _ in range(40):
        gradient = (rng.normal(size=50) * 10 ** rng.uniform(-6, 2, 50)).astype(np.float32)
        parameter.grad = torch.from_numpy(gradient.copy())
        theirs.step()
        ours.step(theta, gradient)
    np.testing.assert_allclose(theta, parameter.detach().numpy(), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_models_without_noise_are_those_of_opacus(opacus, name):
    rate = {"sgd": 0.5, "momentum": 0.1, "adam": 0.003}[name]
    settings = DPSGDSettings(
        Network((64, 30, 10)), 20, 1.0, 0.0, 200.0, learning_rate=rate, optimizer=name
    )
    data = TRAIN.take(slice(200))
    theta = settings.network.initial(np.random.default_rng(1))
    ours = settings.train(data, np.random.default_rng(2), theta=theta).final
    theirs = opacus.train(settings, data, np.random.default_rng(2), theta)
    moved = np.linalg.norm(theirs - theta)
    assert moved > 0.5
    assert np.linalg.norm(ours - theirs) < 1e-3 * moved


@pytest.mark.statistical
def test_private_models_are_as_accurate_as_those_of_opacus(opacus):
    settings = DPSGDSettings(Network((64, 50, 10)), 40, 0.064, 1.0, 64.0, learning_rate=0.01)

    def accuracies(train, settings, models):
        return [
            settings.network.accuracy(train(settings, np.random.default_rng(seed)), TEST)
            for seed in models
        ]

    def ours(settings, rng):
        return settings.train(TRAIN, rng).final

    def theirs(settings, rng):
        return opacus.train(settings, TRAIN, rng)

    expected = accuracies(theirs, settings, range(12))
    # A false alarm has the probability 1/1000; noise that is larger by half is noticed.
    assert np.mean(expected) > 0.5
    same = stats.mannwhitneyu(accuracies(ours, settings, range(100, 160)), expected)
    assert same.pvalue > 1e-3
    noisier = replace(settings, noise_multiplier=1.5)
    assert stats.mannwhitneyu(accuracies(ours, noisier, range(100, 160)), expected).pvalue < 1e-3
