"""Checks of the outputs of a mechanism: types, shapes, and samples that match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.testers.outputs.cells import table_of
from workbench.testers.outputs.table import OutputsError, OutputTable

__all__ = ("Outputs", "OutputsError", "check_alike", "check_outputs", "is_text")

_NUMBERS, _TEXT = "biuf", "US"

#: Outputs as they come: a plain array, or a table where they have another shape.
Outputs = NDArray[Any] | OutputTable


def check_outputs(x: Any, size: int | None = None, name: str = "outputs") -> Outputs:
    """Outputs as an array or a table, after checking that they are what a mechanism may return.

    Parameters
    ----------
    x : array, sequence or table
        One output for each run. Numbers, booleans or strings of shape ``(size,)`` or ``(size, d)``
        are an array and stay as they are. Others become an `OutputTable`: Enums, None,
        dictionaries, tables, tuples, dataclasses, sets, lists of any length, and mixtures. A
        DataFrame with ``size`` rows, or a dictionary of columns, has one run in each row. An
        `OutputTable` stays; make one with `workbench.testers.outputs.cells.table_of` where a list
        of equally long lists may have another length on other datasets.
    size : int, optional
        Number of runs that were requested.
    name : str
        What error messages call them.

    Returns
    -------
    ndarray or OutputTable

    Raises
    ------
    OutputsError
        No sequence, or of another length; no column; what `table_of` refuses.
    """
    try:
        _checks.convertible(x, name)
    except ValueError as error:
        raise OutputsError(str(error)) from error
    outputs = x if isinstance(x, OutputTable) else _plain(x)
    if outputs is None:
        outputs = table_of(_runs(x, name), name)
    elif not isinstance(outputs, OutputTable) and (
        outputs.ndim not in (1, 2) or outputs.shape[1:] == (0,)
    ):
        raise OutputsError(
            f"{name} must have shape (size,) or (size, d), one row for each run; got "
            f"{outputs.shape}; other shapes are given as a list with one object for each run"
        )
    if size is not None and len(outputs) != size:
        got = f"{len(outputs)}" if isinstance(outputs, OutputTable) else f"shape {outputs.shape}"
        raise OutputsError(
            f"{name} must have one row for each run: {size} runs were requested, got {got}"
        )
    return outputs


def check_alike(p: Outputs, q: Outputs) -> None:
    """Check that two samples of outputs have the same columns and type.

    Tables are like anything: what they have in common is found by
    `workbench.testers.outputs.table_encoding`.

    Raises
    ------
    OutputsError
        The message names both.
    """
    if isinstance(p, OutputTable) or isinstance(q, OutputTable):
        return
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


def _plain(x: Any) -> NDArray[Any] | None:
    """The array of numbers or of strings that outputs are; None if they are something else."""
    if isinstance(x, list | tuple) and not _of_one_kind(x):
        return None
    if isinstance(x, Mapping | Iterator):
        return None
    try:
        values = np.asarray(x)
    except ValueError:  # rows of several lengths
        return None
    if values.dtype.kind not in _NUMBERS + _TEXT:
        return None
    flat = values.ndim in (1, 2) and values.shape[1:] != (0,)
    return values if flat or not isinstance(x, list | tuple) else None


def _of_one_kind(x: list[Any] | tuple[Any, ...]) -> bool:
    """Whether lists hold only numbers, or only strings, in rows of one length."""
    if any(hasattr(each, "_fields") for each in x):  # its names are part of the output
        return False
    if x and all(isinstance(each, list | tuple) for each in x):
        if len({len(each) for each in x}) > 1:
            return False
        x = list(chain.from_iterable(x))
    kinds = set(map(type, x))
    if any(issubclass(kind, np.ndarray) for kind in kinds):
        shapes = {(np.shape(each), np.asarray(each).dtype.kind in _NUMBERS) for each in x}
        return len(shapes) == 1 and shapes.pop()[1]
    return len({_kind(each) for each in kinds} or {"number"}) == 1 and None not in map(_kind, kinds)


def _kind(of: type) -> str | None:
    """Which values a plain array holds together; None for those that it does not hold."""
    if issubclass(of, Enum | np.complexfloating):
        return None
    for name, types in _KINDS.items():
        if issubclass(of, types):
            return name
    return None


_KINDS: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "bytes": (bytes,),
    "truth": (bool, np.bool_),
    "number": (int, float, np.number),
}


def _runs(x: Any, name: str) -> Any:
    """The output of each run."""
    if hasattr(x, "columns") and hasattr(x, "itertuples"):
        names = [str(each) for each in x.columns]
        rows = x.itertuples(index=False, name=None)
        return [dict(zip(names, row, strict=True)) for row in rows]
    if isinstance(x, Mapping):
        lengths = {len(each) if hasattr(each, "__len__") else -1 for each in x.values()}
        if len(lengths) != 1 or -1 in lengths:
            raise OutputsError(
                f"{name} must be a sequence with one output for each run, got "
                f"{_checks.shown(x)}; of a dictionary every entry must have one value for each run"
            )
        return [dict(zip(x, row, strict=True)) for row in zip(*x.values(), strict=True)]
    try:
        runs = list(x)
    except TypeError:
        raise OutputsError(
            f"{name} must be a sequence with one output for each run, got {_checks.shown(x)}"
        ) from None
    if isinstance(x, str | bytes):
        raise OutputsError(
            f"{name} must be a sequence with one output for each run, got {_checks.shown(x)}"
        )
    return runs
