"""`Mechanism`: a function with its privacy claim; `Domain`: the datasets that it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.claims.base import Claim
from workbench.mechanisms.table_domain import ROWS, TableDomain

#: Relations whose datasets are arrays of records, or what can be made one.
ARRAYS = ROWS


class Runs(Protocol):
    """Runs a mechanism ``size`` times on one dataset.

    Parameters
    ----------
    dataset : array, shape (records,) or (records, columns); or another kind of dataset
    size : int
    rng : numpy.random.Generator
        The only source of randomness.

    Returns
    -------
    array, shape (size,) or (size, d)
        Numbers, booleans or strings; one row for each run.
    """

    def __call__(self, dataset: Any, size: int, rng: np.random.Generator) -> Any: ...


@dataclass(frozen=True)
class Domain:
    """The datasets that a mechanism takes.

    Attributes
    ----------
    low, high : float
        Smallest and largest value.
    columns : int
        0 for vectors, shape (records,); otherwise tables, shape (records, columns).
    min_records, max_records : int
        Fewest and most records of a dataset.
    integer : bool
        Whether values are integers.
    """

    low: float = 0.0
    high: float = 1.0
    columns: int = 0
    min_records: int = 1
    max_records: int = 10
    integer: bool = False

    def __post_init__(self) -> None:
        _checks.fields(self)


@dataclass(frozen=True)
class Mechanism:
    """A mechanism with its privacy claim; calling it runs it.

    Attributes
    ----------
    name, title : str
        A short name for `wb.mechanism`, and a title.
    run : callable
        See `Runs`.
    claim : Claim
        Its privacy claim.
    private : bool
        Whether the claim is true.
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}
        Which datasets are neighbors.
    domain : Domain or TableDomain
    about : str
        What it does and, if it is broken, why.
    pair : tuple of two datasets
        Neighboring datasets on which a broken mechanism violates its claim.
    source : str
        Reference.
    """

    name: str
    title: str
    run: Callable[..., NDArray[Any]]
    claim: Claim
    private: bool
    neighboring_relation: str
    domain: Domain | TableDomain
    about: str
    pair: tuple[Any, Any]
    source: str = ""

    def __post_init__(self) -> None:
        arrays = self.neighboring_relation in ARRAYS and not isinstance(self.domain, TableDomain)
        if isinstance(self.pair, tuple | list) and arrays:
            pair = tuple(_checks.listed(dataset, "pair") for dataset in self.pair)
            object.__setattr__(self, "pair", pair)
        _checks.fields(self)

    def __call__(self, dataset: Any, size: int, rng: np.random.Generator) -> NDArray[Any]:
        return self.run(dataset, size, rng)
