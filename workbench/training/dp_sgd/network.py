"""`Network`: dense networks, their losses, and weighted sums of per-example gradients.

The parameters of a model are one flat vector θ. A layer computes a W + b; backpropagation gives the
derivative d of an example's loss by its output. The example's gradient is (aᵀd, d), whose squared
norm is (‖a‖² + 1)‖d‖²: the norms of all examples of a batch cost no more than a forward pass, and
their weighted sum is one matrix product (ghost clipping: Li, Tramèr, Liang and Hashimoto, 2022).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.training.dp_sgd.data import LabeledData

#: A vector or matrix of parameters, gradients or activations: float32, or float64 to check it.
Vector = NDArray[np.floating]

LOSSES = ("cross-entropy", "squared-error")


@dataclass(frozen=True)
class Network:
    """A dense network with ReLU between its layers.

    Parameters
    ----------
    sizes : tuple of int
        Features, hidden widths and classes, such as ``(64, 200, 10)``; ``(64, 10)`` is a linear
        model.
    loss : {"cross-entropy", "squared-error"}
        Of the logits; the squared error is half of the squared distance to the one-hot label.

    Raises
    ------
    ValueError
        Fewer than two sizes, a size below 1, or an unknown loss.
    """

    sizes: tuple[int, ...]
    loss: str = "cross-entropy"

    def __post_init__(self) -> None:
        if len(self.sizes) < 2:
            raise ValueError(
                f"sizes must have at least features and classes, got {self.sizes}; "
                "write (64, 200, 10)"
            )
        sizes = tuple(_checks.count(size, "sizes", least=1) for size in self.sizes)
        object.__setattr__(self, "sizes", sizes)
        _checks.one_of(self.loss, "loss", LOSSES)

    @cached_property
    def size(self) -> int:
        """Number of parameters."""
        return sum((a + 1) * b for a, b in zip(self.sizes, self.sizes[1:], strict=False))

    def check(self, data: LabeledData) -> None:
        """Whether records have the features and classes of the network (ValueError otherwise)."""
        _checks.instance(data, LabeledData, "data", "a wb.training.LabeledData")
        first, last = self.sizes[0], self.sizes[-1]
        if data.features != first or data.classes > last:
            raise ValueError(
                f"the network takes {first} features and has {last} classes, and the data have "
                f"{data.features} and {data.classes}; take sizes=({data.features}, …, "
                f"{data.classes})"
            )

    def initial(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """Random parameters: weights N(0, 2/inputs) (He et al., 2015), and 0 for the biases."""
        _checks.generator(rng, "rng")
        theta = np.zeros(self.size, dtype=np.float32)
        for weights, _ in self.layers(theta):
            weights[:] = rng.standard_normal(weights.shape, dtype=np.float32)
            weights *= np.sqrt(2 / weights.shape[0])
        return theta

    def parameters(self, theta: Vector) -> Vector:
        """``theta`` when it is a vector of parameters of the network (ValueError otherwise)."""
        if (
            isinstance(theta, np.ndarray)
            and theta.dtype.kind == "f"
            and theta.shape == (self.size,)
        ):
            return theta
        raise ValueError(
            f"theta must be a float array of shape ({self.size},), got {_checks.shown(theta)}; the "
            "parameters of a network are one flat vector"
        )

    def layers(self, theta: Vector) -> Iterator[tuple[Vector, Vector]]:
        """Weights and biases of each layer, as views of a flat vector."""
        at = 0
        for inputs, outputs in zip(self.sizes, self.sizes[1:], strict=False):
            end = at + inputs * outputs
            yield theta[at:end].reshape(inputs, outputs), theta[end : end + outputs]
            at = end + outputs

    def logits(self, theta: Vector, x: Vector) -> Vector:
        """Outputs of the last layer, shape (records, classes)."""
        return self._forward(theta, x)[-1]

    def losses(self, theta: Vector, data: LabeledData, loss: str | None = None) -> Vector:
        """Loss of each record, shape (records,).

        Parameters
        ----------
        theta : array, shape (size,)
        data : LabeledData
        loss : {"cross-entropy", "squared-error"}, optional
            By default the loss that the network is trained with.
        """
        loss = self.loss if loss is None else _checks.one_of(loss, "loss", LOSSES)
        self.check(data)
        return _LOSSES[loss](self.logits(theta, data.x), data.y)[0]

    def accuracy(self, theta: Vector, data: LabeledData) -> float:
        """Share of the records whose label has the largest logit; ValueError without records."""
        self.check(data)
        if not data.size:
            raise ValueError("accuracy needs at least one record; give records to predict")
        return float((self.logits(theta, data.x).argmax(axis=1) == data.y).mean())

    def gradients(self, theta: Vector, x: Vector, y: NDArray[np.intp]) -> BatchGradients:
        """The gradients of the losses of some records, which are not written out."""
        activations = self._forward(theta, x)
        _, derivative = _LOSSES[self.loss](activations[-1], y)
        parts = []
        layers = list(self.layers(theta))
        for k in range(len(layers) - 1, -1, -1):
            inputs = activations[k]
            parts.append((inputs, derivative))
            if k:
                derivative = derivative @ layers[k][0].T
                derivative *= inputs > 0
        return BatchGradients(self, parts[::-1], theta.dtype)

    def _forward(self, theta: Vector, x: Vector) -> list[Vector]:
        """The inputs of every layer, and the logits."""
        self.parameters(theta)
        if not (isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.ndim == 2) or (
            x.shape[1] != self.sizes[0]
        ):
            raise ValueError(
                f"x must be a float array of {self.sizes[0]} columns, the features of the network, "
                f"got {_checks.shown(x)}"
            )
        activations = [x if x.dtype == theta.dtype else x.astype(theta.dtype)]
        layers = list(self.layers(theta))
        for k, (weights, biases) in enumerate(layers):
            out = activations[-1] @ weights
            out += biases
            if k < len(layers) - 1:
                np.maximum(out, 0, out=out)
            activations.append(out)
        return activations


class BatchGradients:
    """The gradients of several records at one model.

    Parameters
    ----------
    network : Network
    parts : list of (inputs, derivative)
        Of each layer, shapes (records, inputs) and (records, outputs).
    dtype : dtype
    """

    def __init__(self, network: Network, parts: list[tuple[Vector, Vector]], dtype: np.dtype):
        self._network, self._parts, self._dtype = network, parts, dtype

    @property
    def size(self) -> int:
        """Number of records."""
        return self._parts[0][0].shape[0]

    def part(self, start: int, stop: int) -> BatchGradients:
        """The gradients from one place to before another."""
        parts = [(inputs[start:stop], by[start:stop]) for inputs, by in self._parts]
        return BatchGradients(self._network, parts, self._dtype)

    def norms(self) -> Vector:
        """Euclidean norm of each record's gradient."""
        squared = np.zeros(self.size, dtype=self._dtype)
        for inputs, derivative in self._parts:
            own = np.einsum("ij,ij->i", inputs, inputs) + 1
            squared += own * np.einsum("ij,ij->i", derivative, derivative)
        return np.sqrt(squared)

    def weighted_sum(self, weights: Vector) -> Vector:
        """Sum of the gradients times weights, shape (parameters,)."""
        total = np.empty(self._network.size, dtype=self._dtype)
        for (w, b), (inputs, derivative) in zip(
            self._network.layers(total), self._parts, strict=True
        ):
            weighted = derivative * weights[:, None]
            np.matmul(inputs.T, weighted, out=w)
            np.sum(weighted, axis=0, out=b)
        return total

    def products(self, vector: Vector) -> Vector:
        """Inner product of each record's gradient with a vector, shape (records,)."""
        found = np.zeros(self.size, dtype=self._dtype)
        for (w, b), (inputs, derivative) in zip(
            self._network.layers(vector), self._parts, strict=True
        ):
            found += np.einsum("ij,ij->i", inputs @ w + b, derivative)
        return found


def _cross_entropy(logits: Vector, y: NDArray[np.intp]) -> tuple[Vector, Vector]:
    rows = np.arange(y.size)
    shifted = logits - logits.max(axis=1, keepdims=True)
    own = shifted[rows, y]
    mass = np.exp(shifted)
    total = mass.sum(axis=1, keepdims=True)
    losses = np.log(total[:, 0]) - own
    mass /= total
    mass[rows, y] -= 1
    return losses, mass


def _squared_error(logits: Vector, y: NDArray[np.intp]) -> tuple[Vector, Vector]:
    difference = logits.copy()
    difference[np.arange(y.size), y] -= 1
    return np.einsum("ij,ij->i", difference, difference) / 2, difference


#: Losses, and their derivatives by the logits.
_LOSSES = {"cross-entropy": _cross_entropy, "squared-error": _squared_error}
