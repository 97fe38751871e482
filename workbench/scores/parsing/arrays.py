"""Readers of npy and npz files. Nothing is ever unpickled."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from numpy.lib import format as npy

from workbench.scores.class_outputs import (
    CLASSES,
    are_outputs,
    fits,
    output_kind,
    scores_of_classes,
)
from workbench.scores.layouts.senses import name_words
from workbench.scores.ordered import Cells
from workbench.scores.parsing.cells import tidy
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.parsing.roc_points import with_groups
from workbench.scores.refusals import called, refused_pickle
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable, notes_on_unusable

_MAGIC = b"\x93NUMPY"


def read_npy(data: bytes, filename: str, limits: ReadLimits) -> DataTable:
    """The table of one array, or of the fields of a structured one (npy)."""
    if data.startswith(b"\x80"):
        raise refused_pickle(filename, ".npy")
    if not data.startswith(_MAGIC):
        raise ScoresError(f"{called(filename)} is no npy file: write it with np.save")
    array = read_array(io.BytesIO(data), len(data))
    if array.dtype.names:
        limits.check_names(called(filename), array.dtype.names)
        return _table({c: array[c] for c in array.dtype.names}, filename, "npy", array.size)
    if unusable := _unusable(array):
        raise ScoresError(f"{called(filename)} {unusable}")
    return _table({"array": array}, filename, "npy", array.size)


def read_npz(data: bytes, filename: str, limits: ReadLimits) -> DataTable:
    """The table of an archive of arrays, each with its own length (npz)."""
    if not data.startswith(b"PK"):
        raise ScoresError(f"{called(filename)} is no npz file: write it with np.savez")
    arrays, others = {}, {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        names = [member.filename.removesuffix(".npy") for member in members]
        limits.check_names(called(filename), names)
        size = sum(member.file_size for member in members)
        limits.check_expansion(called(filename), len(data), size)
        for name, member in zip(names, members, strict=True):
            with archive.open(member) as file:
                magic = file.read(len(_MAGIC))
            if magic != _MAGIC:  # a zip may hold anything
                others[name] = "is no array"
                continue
            with archive.open(member) as file:
                arrays[name] = read_array(file, member.file_size)
    numbers = {name: array.item() for name, array in arrays.items() if array.ndim == 0}
    arrays |= _log_odds(arrays)
    return with_groups(_table(arrays, filename, "npz", None, others), numbers)


def checked_header(file: IO[bytes], size: int) -> tuple[tuple[int, ...], Any]:
    """The shape and the dtype of an npy file, once its header was found to fit it.

    Parameters
    ----------
    file : file of bytes
        Read from its beginning to the end of the header.
    size : int
        Its bytes.

    Raises
    ------
    ValueError
        The file holds less than the header states.
    """
    version = npy.read_magic(file)
    if version == (1, 0):
        shape, _, dtype = npy.read_array_header_1_0(file)
    else:
        shape, _, dtype = npy.read_array_header_2_0(file)
    if not dtype.hasobject:
        needs = math.prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or needs > size - file.tell():
            raise ValueError(f"its header states shape {shape} of {dtype}, more than it holds")
        if dtype.itemsize == 0:
            raise ValueError(f"it states {dtype}, which holds nothing")
    return shape, dtype


def read_array(file: IO[bytes], size: int) -> Cells:
    """The array of an npy file, once its header was found to fit it.

    Parameters
    ----------
    file : file of bytes
    size : int
        Its bytes.

    Raises
    ------
    ValueError
        The file holds less than the header states, or pickled objects.
    """
    checked_header(file, size)
    file.seek(0)
    array: Cells = npy.read_array(file, allow_pickle=False)
    return array


def _unusable(array: Cells) -> str:
    """Why an array cannot be a column of scores or labels, "" when it can."""
    if array.ndim > 1:
        return (
            f"is {array.ndim}-dimensional, shape {array.shape}; scores are one number a run: save "
            "each side as its own 1-d array, e.g. np.savez('scores.npz', p=a[:, 0], q=a[:, 1]), or "
            "ravel it if every entry is a score. If its last axis is of classes, the score is the "
            "log-odds of the true class, log p_y − log Σ_{k≠y} p_k: save that, or the class of "
            "each row as an array 'labels' of the same npz file. A table of models × records is "
            "read with wb.read_score_table"
        )
    if array.ndim == 0:
        return "is a single value, not an array of scores"
    if array.dtype.kind not in "biufSU":
        return f"holds {array.dtype}, not real numbers; save the scores as floats"
    return ""


def _log_odds(arrays: Mapping[str, Cells]) -> dict[str, Cells]:
    """Log-odds of the true class, for outputs beside the class of each row."""
    classes = [name for name in arrays if "".join(name_words(name)) in CLASSES]
    if len(classes) != 1:
        return {}
    y, found = arrays[classes[0]], {}
    for name, array in arrays.items():
        if array.ndim != 2 or array.dtype.kind != "f" or y.shape != array.shape[:1]:
            continue
        kind = output_kind(array)
        if are_outputs(array, y) or (kind and fits(array, y)):
            found[f"score: log-odds of {classes[0]} by {name}"] = scores_of_classes(array, y, kind)
    return found


def _table(
    arrays: Mapping[str, Cells],
    filename: str,
    kind: str,
    rows: int | None,
    others: Mapping[str, str] | None = None,
) -> DataTable:
    unusable = {key: reason for key, array in arrays.items() if (reason := _unusable(array))}
    unusable |= others or {}
    columns = {key: tidy(array) for key, array in arrays.items() if key not in unusable}
    return DataTable(
        name=Path(filename).stem,
        columns=columns,
        format=kind,
        notes=notes_on_unusable(unusable),
        rows=rows,
        filled={key: array.size for key, array in columns.items()},
        unusable=unusable,
    )
