"""Formats: which reader a score file is given to, and which files are refused.

A new format is a function from content and file name to a `Table`, and a line in `READERS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.scores.arrays import read_npy, read_npz
from workbench.scores.frames import from_frame, read_feather, read_parquet
from workbench.scores.records import read_json
from workbench.scores.refusals import called, did_you_mean, refused_pickle
from workbench.scores.sample import ScoresError
from workbench.scores.table import Table
from workbench.scores.text import read_csv, read_tsv

if TYPE_CHECKING:
    import pandas as pd

    Source = str | os.PathLike[str] | bytes | pd.DataFrame

Reader = Callable[[bytes, str], Table]

READERS: dict[str, Reader] = {
    ".csv": read_csv,
    ".txt": read_csv,
    ".tsv": read_tsv,
    ".parquet": read_parquet,
    ".feather": read_feather,
    ".npy": read_npy,
    ".npz": read_npz,
    ".json": read_json,
}
EXTENSIONS = tuple(READERS)

_FIRST_BYTES: dict[bytes, Reader] = {
    b"PAR1": read_parquet,
    b"ARROW1": read_feather,
    b"FEA1": read_feather,
    b"\x93NUMPY": read_npy,
    b"PK": read_npz,
    b"\x80": read_npy,  # a pickle, which that reader refuses with the remedy
}
_PICKLED = (".pkl", ".pickle", ".pt", ".pth", ".joblib")
_SPREADSHEETS = (".xlsx", ".xls", ".ods")


def read_table(source: Source, filename: str | None = None) -> Table:
    """Read the columns of a score file.

    Parameters
    ----------
    source : path, bytes, str or DataFrame
        A path, the content of a file, or a DataFrame. A string is text when ``filename`` is given
        or when it holds a line break, and a path otherwise.
    filename : str, optional
        Name of the file that the content came from; its extension decides the format. Without it
        the format is recognised from the first bytes.

    Raises
    ------
    ScoresError
        The file is missing, empty, damaged, of an unknown or refused kind, or no table.
    """
    if not isinstance(source, str | os.PathLike | bytes):
        return from_frame(source, filename or "")
    if isinstance(source, str) and (filename is not None or "\n" in source):
        source = source.encode()
    if isinstance(source, bytes):
        data, filename = source, filename or ""
        reader = _by_name(filename) if filename else _by_content(data)
    else:
        path = Path(source)
        filename = path.name
        reader = _by_name(filename)  # refuse a kind before reading what may be gigabytes
        data = _content(path)
    if not data:
        raise ScoresError(
            f"{called(filename)} is empty (0 bytes); check that it was written and closed"
        )
    return reader(data, filename)


def _by_name(filename: str) -> Reader:
    suffix = Path(filename).suffix.lower()
    if suffix in READERS:
        return READERS[suffix]
    if suffix in _PICKLED:
        raise refused_pickle(filename, suffix)
    if suffix in _SPREADSHEETS:
        raise ScoresError(f"'{filename}' is a spreadsheet: save the sheet as csv and read that")
    raise ScoresError(
        f"'{filename}' has {f'the unknown extension {suffix!r}' if suffix else 'no extension'}; "
        f"these can be read: {', '.join(EXTENSIONS)}"
    )


def _by_content(data: bytes) -> Reader:
    for first, reader in _FIRST_BYTES.items():
        if data.startswith(first):
            return reader
    return read_json if data.lstrip()[:1] in (b"{", b"[") else read_csv


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        folder = path.parent
        near = [p.name for p in folder.iterdir()] if folder.is_dir() else []
        hint = did_you_mean(path.name, near) or f" (looked in {folder.absolute()})"
        raise ScoresError(f"there is no file '{path}'{hint}") from None
    except OSError as error:
        raise ScoresError(f"'{path}' cannot be read: {error.strerror}") from error
