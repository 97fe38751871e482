"""Our networks and settings in PyTorch and Opacus, to compare with.

``python -m benchmarks._by_opacus MODELS`` trains models of the settings that
`benchmarks.training_speed` has, and prints, as JSON, their accuracies and the CPU seconds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from opacus import GradSampleModule
from opacus.optimizers import DPOptimizer

from workbench.training.dp_sgd.data import LabeledData
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings
from workbench.training.dp_sgd.network import Network, Vector

_KINDS = {"sgd": torch.optim.SGD, "momentum": torch.optim.SGD, "adam": torch.optim.Adam}


def module_of(network: Network, theta: Vector) -> torch.nn.Module:
    """A network of PyTorch with the parameters of ours."""
    layers: list[torch.nn.Module] = []
    for weights, biases in network.layers(theta):
        layer = torch.nn.Linear(*weights.shape, dtype=torch.from_numpy(weights).dtype)
        with torch.no_grad():
            layer.weight.copy_(torch.tensor(weights.T))
            layer.bias.copy_(torch.tensor(biases))
        layers += [layer, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def flat(tensors: Iterable[torch.Tensor]) -> Vector:
    """Weights and biases of PyTorch as one vector of ours."""
    arrays = [tensor.detach().numpy() for tensor in tensors]
    return np.concatenate([(array.T if array.ndim == 2 else array).ravel() for array in arrays])


def loss_of(network: Network) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """The sum of the losses of a batch."""
    if network.loss == "cross-entropy":
        return torch.nn.CrossEntropyLoss(reduction="sum")
    classes = network.sizes[-1]
    return lambda z, y: ((z - torch.nn.functional.one_hot(y, classes)) ** 2).sum() / 2


def optimizer_of(name: str, parameters: Any, rate: float) -> torch.optim.Optimizer:
    """The optimizer of PyTorch that has the name of ours."""
    return _KINDS[name](parameters, lr=rate, **({"momentum": 0.9} if name == "momentum" else {}))


def private(settings: DPSGDSettings, theta: Vector) -> tuple[GradSampleModule, DPOptimizer]:
    """A network, and an optimizer of Opacus with our settings."""
    module = GradSampleModule(module_of(settings.network, theta), loss_reduction="sum")
    plain = optimizer_of(settings.optimizer, list(module.parameters()), settings.learning_rate)
    return module, DPOptimizer(
        plain,
        noise_multiplier=settings.noise_multiplier,
        max_grad_norm=settings.clip,
        expected_batch_size=settings.expected_batch,
    )


def train(
    settings: DPSGDSettings,
    data: LabeledData,
    rng: np.random.Generator,
    theta: Vector | None = None,
) -> NDArray[np.float32]:
    """The final parameters of a training with Poisson batches."""
    theta = settings.network.initial(rng) if theta is None else theta
    torch.manual_seed(int(rng.integers(2**31)))
    module, steps = private(settings, theta)
    loss = loss_of(settings.network)
    for _ in range(settings.steps):
        chosen = np.flatnonzero(rng.random(data.size) < settings.sample_rate)
        steps.zero_grad()
        loss(module(torch.tensor(data.x[chosen])), torch.tensor(data.y[chosen])).backward()
        steps.step()
    return flat(module.parameters())


def main(models: int) -> None:
    from benchmarks.training_speed import SETTINGS, TEST, TRAIN

    torch.set_num_threads(1)
    train(SETTINGS, TRAIN, np.random.default_rng(models))  # what is loaded on first use
    began = time.process_time()
    trained = [train(SETTINGS, TRAIN, np.random.default_rng(seed)) for seed in range(models)]
    cpu = time.process_time() - began
    accuracies = [SETTINGS.network.accuracy(theta, TEST) for theta in trained]
    print(json.dumps({"cpu": cpu, "accuracies": accuracies}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
