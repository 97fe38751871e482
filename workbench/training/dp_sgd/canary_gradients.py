"""Canary gradients: what an auditor of noisy gradients inserts, as if it were a record's gradient.

A canary is in a batch when the sampling of the mechanism chooses it, is clipped as a record is, and
its score is the inner product of its direction with what is released.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.training.dp_sgd.network import Vector

#: Parameters of a network with canaries, at most, and numbers of random canaries.
MOST_PARAMETERS = 5 * 10**8


@runtime_checkable
class CanaryGradients(Protocol):
    """Several gradients that do not depend on the model."""

    @property
    def count(self) -> int:
        """Number of canaries."""

    def check(self, size: int) -> None:
        """Whether they are gradients of so many parameters (ValueError otherwise)."""

    def norms(self, chosen: NDArray[np.intp]) -> Vector:
        """Norms of the chosen gradients, before they are clipped."""

    def add(self, total: Vector, chosen: NDArray[np.intp], weights: Vector) -> None:
        """Add the chosen gradients times weights to a vector."""

    def products(self, vector: Vector) -> Vector:
        """Inner product of each canary's unit direction with a vector, shape (count,)."""


class DiracCanaries:
    """Canaries that change one parameter each (Nasr et al., 2023, "Dirac" canaries).

    Parameters
    ----------
    places : array of int, shape (count,)
        The parameters, all different: then canaries do not disturb each other.
    norm : float
        Of each gradient, before clipping.

    Raises
    ------
    ValueError
        A place twice or below 0, or a norm that is not above 0.
    """

    def __init__(self, places: NDArray[np.intp], norm: float = 1.0):
        self.places = _checks.indices(places, 2**53, "places")
        self.norm = _checks.positive(norm, "norm")
        if np.unique(self.places).size != self.places.size:
            raise ValueError("two Dirac canaries share a parameter; take different places")

    @classmethod
    def drawn(
        cls, count: int, size: int, rng: np.random.Generator, norm: float = 1.0
    ) -> DiracCanaries:
        """Canaries at random places.

        Parameters
        ----------
        count : int
            Number of canaries, at most ``size``.
        size : int
            Number of parameters.
        rng : numpy.random.Generator
        norm : float
        """
        if _checks.count(count, "count") > _checks.count(size, "size", 0, MOST_PARAMETERS):
            raise ValueError(
                f"{count} Dirac canaries need as many parameters, and the network has {size}; "
                "take fewer canaries or a wider network"
            )
        return cls(_checks.generator(rng, "rng").permutation(int(size))[: int(count)], norm)

    @property
    def count(self) -> int:
        """Number of canaries."""
        return self.places.size

    def check(self, size: int) -> None:
        """See `CanaryGradients`."""
        if self.count and self.places.max() >= _checks.count(size, "size"):
            raise ValueError(
                f"places must be below {size}, the number of parameters, got {self.places.max()}"
            )

    def norms(self, chosen: NDArray[np.intp]) -> Vector:
        """See `CanaryGradients`."""
        return np.full(chosen.size, self.norm, dtype=np.float32)

    def add(self, total: Vector, chosen: NDArray[np.intp], weights: Vector) -> None:
        """See `CanaryGradients`."""
        total[self.places[chosen]] += self.norm * weights

    def products(self, vector: Vector) -> Vector:
        """See `CanaryGradients`."""
        return vector[self.places]


class RandomCanaries:
    """Canaries in random directions, uniform on the sphere.

    Parameters
    ----------
    directions : array, shape (count, parameters)
        Of norm 1.
    norm : float
        Of each gradient, before clipping.
    """

    def __init__(self, directions: Vector, norm: float = 1.0):
        if not (isinstance(directions, np.ndarray) and directions.dtype == np.float32):
            with np.errstate(over="ignore"):
                directions = _checks.array(directions, "directions").astype(np.float32)
        self.directions, self.norm = directions, _checks.positive(norm, "norm")
        if directions.ndim != 2 or not np.allclose(_squared_norms(directions), 1, atol=1e-3):
            raise ValueError(
                "directions must be rows of norm 1, one for each canary; divide each by its norm"
            )

    @classmethod
    def drawn(
        cls, count: int, size: int, rng: np.random.Generator, norm: float = 1.0
    ) -> RandomCanaries:
        """Canaries in new directions; see `DiracCanaries.drawn`."""
        shape = _checks.count(count, "count"), _checks.count(size, "size", least=1)
        if shape[0] * shape[1] > MOST_PARAMETERS:
            raise ValueError(
                f"count · size must be at most {MOST_PARAMETERS:,}, got {shape[0]} canaries with "
                f"{shape[1]} parameters; take fewer, or DiracCanaries"
            )
        drawn = _checks.generator(rng, "rng").standard_normal(shape, dtype=np.float32)
        drawn /= np.sqrt(_squared_norms(drawn))[:, None]
        return cls(drawn, norm)

    @property
    def count(self) -> int:
        """Number of canaries."""
        return self.directions.shape[0]

    def check(self, size: int) -> None:
        """See `CanaryGradients`."""
        if self.directions.shape[1] != size:
            raise ValueError(
                f"directions must have {size} columns, the number of parameters, got "
                f"{self.directions.shape[1]}"
            )

    def norms(self, chosen: NDArray[np.intp]) -> Vector:
        """See `CanaryGradients`."""
        return np.full(chosen.size, self.norm, dtype=np.float32)

    def add(self, total: Vector, chosen: NDArray[np.intp], weights: Vector) -> None:
        """See `CanaryGradients`."""
        total += (self.norm * weights).astype(total.dtype) @ self.directions[chosen]

    def products(self, vector: Vector) -> Vector:
        """See `CanaryGradients`."""
        return self.directions @ vector


def _squared_norms(rows: Vector) -> Vector:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))
