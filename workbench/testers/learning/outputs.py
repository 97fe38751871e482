"""Checks of the outputs of a mechanism: types, shapes, and samples that match."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks

_NUMBERS, _TEXT = "biuf", "US"


class OutputsError(ValueError):
    """Outputs that cannot be tested; the message says what to return instead."""


def check_outputs(x: ArrayLike, size: int | None = None, name: str = "outputs") -> NDArray[Any]:
    """Outputs as an array, after checking that they are what a mechanism may return.

    Parameters
    ----------
    x : array_like, shape (size,) or (size, d)
        Numbers, booleans or strings; one row for each run.
    size : int, optional
        Number of runs that were requested.
    name : str
        What error messages call them.

    Returns
    -------
    ndarray

    Raises
    ------
    OutputsError
        Objects, complex numbers, dates; ragged rows; no or more than two axes; no column; another
        length.
    """
    try:
        _checks.convertible(x, name)
    except ValueError as error:
        raise OutputsError(str(error)) from error
    try:
        values = np.asarray(x)
    except ValueError as error:
        raise OutputsError(
            f"{name} must have rows of one length, got {_short(x)} ({error}); fill short rows up, "
            "for instance with NaN"
        ) from error
    if values.dtype.kind not in _NUMBERS + _TEXT:
        raise OutputsError(
            f"{name} must be numbers, booleans or strings, got {values.dtype} such as "
            f"{_short(values.ravel()[:1].tolist())}; convert with .astype(float) or .astype(str), "
            "and give the values of one run as columns"
        )
    if values.ndim not in (1, 2) or values.shape[1:] == (0,):
        raise OutputsError(
            f"{name} must have shape (size,) or (size, d), one row for each run; got {values.shape}"
        )
    if size is not None and len(values) != size:
        raise OutputsError(
            f"{name} must have one row for each run: {size} runs were requested, got shape "
            f"{values.shape}"
        )
    return values


def check_alike(p: NDArray[Any], q: NDArray[Any]) -> None:
    """Check that two samples of outputs have the same columns and type.

    Raises
    ------
    OutputsError
        The message names both.
    """
    if p.shape[1:] != q.shape[1:]:
        raise OutputsError(
            f"both sides must have as many columns: P has shape {p.shape} and Q {q.shape}"
        )
    if is_text(p) != is_text(q):
        raise OutputsError(
            f"both sides must be of one type: P is {p.dtype} and Q {q.dtype}; convert one of them, "
            "for instance with .astype(str)"
        )


def is_text(x: NDArray[Any]) -> bool:
    """Whether outputs are strings."""
    return x.dtype.kind in _TEXT


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
