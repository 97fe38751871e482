"""Arrays: npy and npz. Nothing is ever unpickled."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.cells import tidy
from workbench.scores.refusals import called, damage_refused, refused_pickle
from workbench.scores.sample import ScoresError
from workbench.scores.table import Table, notes_on_unusable


def read_npy(data: bytes, filename: str) -> Table:
    """Read one array, or the fields of a structured one."""
    if data.startswith(b"\x80"):
        raise refused_pickle(filename, ".npy")
    if not data.startswith(b"\x93NUMPY"):
        raise ScoresError(f"{called(filename)} is no npy file: write it with np.save")
    with damage_refused(filename, ".npy"):
        array = np.load(io.BytesIO(data), allow_pickle=False)
    if array.dtype.names:
        return _table({c: array[c] for c in array.dtype.names}, filename, "npy", array.size)
    if unusable := _unusable(array):
        raise ScoresError(f"{called(filename)} {unusable}")
    return _table({"array": array}, filename, "npy", array.size)


def read_npz(data: bytes, filename: str) -> Table:
    """Read an archive of arrays, each with its own length."""
    if not data.startswith(b"PK"):
        raise ScoresError(f"{called(filename)} is no npz file: write it with np.savez")
    with damage_refused(filename, ".npz"):
        archive = np.load(io.BytesIO(data), allow_pickle=False)
        # A zip may hold anything; what is no array comes as bytes.
        arrays = {key: np.asarray(archive[key]) for key in archive}
    return _table(arrays, filename, "npz", None)


def _unusable(array: NDArray[Any]) -> str:
    """Why an array cannot be a column of scores or labels, "" when it can."""
    if array.ndim > 1:
        return (
            f"is {array.ndim}-dimensional, shape {array.shape}; scores are one number a run: save "
            "each side as its own 1-d array, e.g. np.savez('scores.npz', p=a[:, 0], q=a[:, 1]), or "
            "ravel it if every entry is a score"
        )
    if array.ndim == 0:
        return "is a single value, not an array of scores"
    if array.dtype.kind not in "biufSU":
        return f"holds {array.dtype}, not real numbers; save the scores as floats"
    return ""


def _table(arrays: Mapping[str, NDArray[Any]], filename: str, kind: str, rows: int | None) -> Table:
    unusable = {key: reason for key, array in arrays.items() if (reason := _unusable(array))}
    with damage_refused(filename, f".{kind}"):
        columns = {key: tidy(array) for key, array in arrays.items() if key not in unusable}
    return Table(
        name=Path(filename).stem,
        columns=columns,
        format=kind,
        notes=notes_on_unusable(unusable),
        rows=rows,
        filled={key: array.size for key, array in columns.items()},
        unusable=unusable,
    )
