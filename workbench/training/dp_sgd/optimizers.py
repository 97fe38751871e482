"""Optimizers: how a model moves by what a step releases."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from workbench import _checks
from workbench.training.dp_sgd.network import Vector


class Optimizer(Protocol):
    """Moves the parameters of one model."""

    def __init__(self, learning_rate: float, size: int): ...

    def step(self, theta: Vector, gradient: Vector) -> None:
        """Move ``theta`` in place."""


class SGD:
    """Plain gradient descent.

    Parameters
    ----------
    learning_rate : float
    size : int
        Number of parameters.
    """

    def __init__(self, learning_rate: float, size: int):
        self._rate = np.float32(learning_rate)

    def step(self, theta: Vector, gradient: Vector) -> None:
        """See `Optimizer`."""
        theta -= self._rate * gradient


class Momentum:
    """Gradient descent with a momentum of 0.9; parameters as of `SGD`."""

    def __init__(self, learning_rate: float, size: int):
        self._rate, self._velocity = np.float32(learning_rate), np.zeros(size, dtype=np.float32)

    def step(self, theta: Vector, gradient: Vector) -> None:
        """See `Optimizer`."""
        self._velocity *= np.float32(0.9)
        self._velocity += gradient
        theta -= self._rate * self._velocity


class Adam:
    """Adam (Kingma and Ba, 2015) with β = (0.9, 0.999); parameters as of `SGD`."""

    def __init__(self, learning_rate: float, size: int):
        self._rate, self._steps = learning_rate, 0
        self._mean, self._square = np.zeros((2, size), dtype=np.float32)
        self._work = np.empty(size, dtype=np.float32)

    def step(self, theta: Vector, gradient: Vector) -> None:
        """See `Optimizer`."""
        self._steps += 1
        work = self._work
        np.subtract(gradient, self._mean, out=work)
        work *= np.float32(0.1)
        self._mean += work
        np.multiply(gradient, gradient, out=work)
        work -= self._square
        work *= np.float32(0.001)
        self._square += work
        np.multiply(self._square, np.float32(1 / (1 - 0.999**self._steps)), out=work)
        np.sqrt(work, out=work)
        work += np.float32(1e-8)
        np.divide(self._mean, work, out=work)
        work *= np.float32(self._rate / (1 - 0.9**self._steps))
        theta -= work


#: All optimizers by name.
OPTIMIZERS: dict[str, type[Optimizer]] = {"sgd": SGD, "momentum": Momentum, "adam": Adam}


def optimizer(name: str) -> type[Optimizer]:
    """The optimizer of a name.

    Raises
    ------
    ValueError
        No optimizer of that name.
    """
    _checks.one_of(name, "optimizer", tuple(OPTIMIZERS))
    return OPTIMIZERS[name]
