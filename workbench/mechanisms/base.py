"""A mechanism that is tested: a function, what it promises, and the datasets it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.claims.base import Claim


class Runs(Protocol):
    """Runs a mechanism ``size`` times on one dataset.

    Parameters
    ----------
    dataset : array, shape (records,) or (records, columns)
    size : int
    rng : numpy.random.Generator
        The only source of randomness.

    Returns
    -------
    array, shape (size,) or (size, d)
        Numbers, booleans or strings; one row a run.
    """

    def __call__(self, dataset: Any, size: int, rng: np.random.Generator) -> Any: ...


@dataclass(frozen=True)
class Domain:
    """The datasets that a mechanism takes.

    Attributes
    ----------
    low, high : float
        Between which every value lies.
    columns : int
        0 for vectors, shape (records,); otherwise tables, shape (records, columns).
    least, most : int
        How many records a dataset has.
    whole : bool
        Whether values are whole numbers.
    """

    low: float = 0.0
    high: float = 1.0
    columns: int = 0
    least: int = 1
    most: int = 10
    whole: bool = False


@dataclass(frozen=True)
class Mechanism:
    """A card of the gallery; calling it runs the mechanism.

    Attributes
    ----------
    name, title : str
        The first to call it by, the second to read.
    run : callable
        See `Runs`.
    claim : Claim
        What it says of itself.
    private : bool
        Whether that is true.
    neighboring_relation : {"add-remove", "substitute"}
        Which datasets are neighbors.
    domain : Domain
    about : str
        What it does, and of a broken one what is wrong with it.
    pair : tuple of array
        Neighboring datasets on which a broken one leaks.
    source : str
        Where it was described.
    """

    name: str
    title: str
    run: Callable[..., NDArray[Any]]
    claim: Claim
    private: bool
    neighboring_relation: str
    domain: Domain
    about: str
    pair: tuple[NDArray[Any], NDArray[Any]]
    source: str = ""

    def __call__(self, dataset: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
        return self.run(dataset, size, rng)
