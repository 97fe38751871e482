"""`Trace`: what one run of a mechanism did, by place: draws, noisy values, choices and bounds."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.testing.record.places import Place

#: Noise that is added to values. Other draws are choices, which the code uses as it likes.
ADDED = (
    "laplace",
    "normal",
    "standard_normal",
    "gumbel",
    "logistic",
    "standard_cauchy",
    "standard_t",
    "exponential",
    "standard_exponential",
    "geometric",
)


#: Those with a density that is above 0 everywhere.
SYMMETRIC = (
    *("laplace", "normal", "standard_normal", "gumbel", "logistic"),
    *("standard_cauchy", "standard_t"),
)


@dataclass(eq=False)
class Draw:
    """One call that draws noise.

    Attributes
    ----------
    name : str
        Of `ADDED`.
    place : Place
    noise : array
        What was drawn, without its location.
    scale : array, the shape of ``noise``
    ids : array of int, the shape of ``noise``
        One number for each noise of the run.
    """

    name: str
    place: Place
    noise: NDArray[Any]
    scale: NDArray[np.float64]
    ids: NDArray[np.intp]


@dataclass(eq=False)
class Layer:
    """One noise in a noisy array: factor times what was drawn; arrays of one shape."""

    draw: Draw
    ids: NDArray[np.intp]
    scale: NDArray[np.float64]
    factor: NDArray[np.float64]

    def at(self, change: Any) -> Layer:
        """The layer after a change of shape, a function of arrays."""
        return Layer(self.draw, change(self.ids), change(self.scale), change(self.factor))

    def times(self, factor: Any, shape: tuple[int, ...]) -> Layer:
        """The layer times numbers, in the shape of the product."""
        spread = self.at(lambda x: np.broadcast_to(x, shape))
        return Layer(self.draw, spread.ids, spread.scale, spread.factor * factor)

    @property
    def spread(self) -> NDArray[np.float64]:
        """Scale of this noise in the noisy value."""
        return np.abs(self.scale * self.factor)


@dataclass(eq=False)
class NoisyValue:
    """A noisy value that the code looked at or released: the output of a primitive.

    Attributes
    ----------
    place : Place
        Where the noise was drawn.
    added : Place
        Where a value was last added to it; where it was drawn if none was.
    seen : Place
        Where the code looked at it.
    signal : array
        The value before noise.
    output : array
        The value with noise, the same in the replay.
    layers : list of Layer
    first : bool
        Whether nothing random was looked at before ``signal`` was complete.
    own : bool
        Whether no noise in it is in another entry or in an earlier noisy value.
    released : bool
        Whether it is part of the output as it is.
    declared : Declared, optional
    """

    place: Place
    added: Place
    seen: Place
    signal: NDArray[np.float64]
    output: NDArray[Any]
    layers: list[Layer]
    first: bool
    own: bool
    released: bool
    declared: Declared | None = None


@dataclass(frozen=True)
class Declared:
    """What a call states of its primitive: sensitivity, and ε or σ."""

    sensitivity: float
    epsilon: float | None = None
    sigma: float | None = None


@dataclass(eq=False)
class Choice:
    """A draw that is no noise: its arguments and its result."""

    name: str
    place: Place
    given: tuple[Any, ...]
    result: Any
    trusted: bool


@dataclass(eq=False)
class Bounds:
    """The ends between which values were clipped."""

    place: Place
    low: Any
    high: Any


@dataclass(eq=False)
class Query:
    """A number that the code states as a query of the data, such as a count."""

    name: str
    place: Place
    value: float


@dataclass(eq=False)
class Trace:
    """What one run did; every list in the order of the calls at one place."""

    draws: dict[tuple[str, Place], list[Draw]] = field(default_factory=lambda: defaultdict(list))
    noisy: dict[tuple[Place, Place], list[NoisyValue]] = field(
        default_factory=lambda: defaultdict(list)
    )
    choices: dict[tuple[str, Place], list[Choice]] = field(
        default_factory=lambda: defaultdict(list)
    )
    bounds: dict[Place, list[Bounds]] = field(default_factory=lambda: defaultdict(list))
    queries: dict[tuple[str, Place], list[Query]] = field(default_factory=lambda: defaultdict(list))
    #: Every noise by its number.
    noise: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    output: Any = None

    @property
    def values(self) -> list[NoisyValue]:
        """All noisy values."""
        return [one for many in self.noisy.values() for one in many]

    @property
    def untrusted(self) -> list[Choice]:
        """Random choices that are no primitive."""
        return [one for many in self.choices.values() for one in many if not one.trusted]
