"""Datasets as records: arrays, data frames of pandas, and anything else, which has none.

Two records are equal if they have the same values, whatever their types: whole numbers equal real
ones, and missing values are all alike. Rows of a frame are compared without their index.
"""

from __future__ import annotations

import copy
import math
import sys
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class OnlyText:
    """What a file has kept of a dataset that it cannot hold; no mechanism runs on it.

    Attributes
    ----------
    text : str
        The dataset's ``repr``.
    """

    text: str

    def __repr__(self) -> str:
        return self.text


def is_frame(dataset: Any) -> bool:
    """Whether it is a DataFrame; pandas is not imported to find out."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(dataset, pandas.DataFrame)


def copied(dataset: Any) -> Any:
    """A copy, so that a mechanism that changes its dataset does not change that of the next call.

    Raises
    ------
    ValueError
        It cannot be copied.
    """
    if type(dataset) is np.ndarray:
        return np.array(dataset)
    if is_frame(dataset):
        return dataset.copy()
    try:
        return copy.deepcopy(dataset)
    except Exception as error:  # other people's code
        raise ValueError(
            f"a dataset of type {type(dataset).__name__} cannot be copied, as every call of the "
            f"mechanism has a copy of its own: {type(error).__name__}: {error}"
        ) from error


def columns_of(dataset: Any) -> list[Hashable]:
    """The names of a dataset's columns; those of an array are 0, 1, …"""
    if is_frame(dataset):
        return list(dataset.columns)
    return list(range(dataset.shape[1] if dataset.ndim == 2 else 1))


def column_of(dataset: Any, column: Hashable) -> list[Any]:
    """The values of one column, as `keys` has them."""
    if is_frame(dataset):
        return [_value(x) for x in dataset[column].tolist()]
    values = dataset[:, column] if dataset.ndim == 2 else dataset
    return [_plain_value(x) for x in values.tolist()]


def keys(dataset: Any) -> list[tuple[Any, ...]]:
    """One value for each record, equal for equal records.

    Parameters
    ----------
    dataset : array, shape (records,) or (records, columns); or DataFrame
    """
    if not is_frame(dataset):
        return [tuple(map(_plain_value, np.atleast_1d(record).tolist())) for record in dataset]
    columns = [
        list(map(_value, dataset.iloc[:, place].tolist())) for place in range(dataset.shape[1])
    ]
    return list(zip(*columns, strict=True)) if columns else [()] * len(dataset)


def rows(dataset: Any, places: list[int] | NDArray[Any]) -> Any:
    """The records at these places, as a dataset of the same kind."""
    return dataset.iloc[places] if is_frame(dataset) else dataset[places]


def left_over(a: Any, b: Any) -> Any:
    """The records of one dataset that another lacks.

    Parameters
    ----------
    a, b : array, shape (records,) or (records, columns); or DataFrame

    Returns
    -------
    ndarray or DataFrame
        Records of ``a``, in order, with multiplicity.
    """
    return rows(a, left_places(a, b))


def left_places(a: Any, b: Any) -> list[int]:
    """The places of `left_over` records."""
    taken = Counter(keys(b))
    left = []
    for k, key in enumerate(keys(a)):
        if not taken[key]:
            left.append(k)
        else:
            taken[key] -= 1
    return left


def _plain_value(x: Any) -> Any:
    return "NaN" if x != x else x


class _Value(Enum):
    """Cells of a frame that Python's equality does not tell apart as wanted."""

    MISSING = "missing"  # None, NaN, NaT and NA, which are one value
    MINUS_ZERO = "-0.0"

    def __str__(self) -> str:
        return self.value

    __repr__ = __str__


MISSING, MINUS_ZERO = _Value.MISSING, _Value.MINUS_ZERO


def _value(x: Any) -> Any:
    """A cell of a frame, such that equal cells are equal and can be looked up."""
    if x is None:
        return MISSING
    if isinstance(x, float):
        if x == 0 and math.copysign(1.0, x) < 0:
            return MINUS_ZERO  # it equals 0.0, and a mechanism can tell them
        return x if x == x else MISSING
    if isinstance(x, str | int):
        return x
    try:
        if x is sys.modules["pandas"].NA or bool(x != x):
            return MISSING
        hash(x)
    except Exception:  # what cells of objects may hold: lists, arrays, dicts
        return f"{type(x).__name__} {x!r}"
    return x
