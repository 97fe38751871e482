"""`TablePlace`: the folder, file or DataFrame that a score table is read from.

As in `wb.read_scores`, tables and arrow files are parsed in a process of their own, with limits of
size, memory and time. Arrays (npy, npz) are read in this process: nothing in them is parsed but a
short header, which is checked against the size of the file before memory is allocated.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench import _json
from workbench.scores.layouts.folders import run_file
from workbench.scores.parsing.arrays import checked_header, read_array
from workbench.scores.parsing.cells import native
from workbench.scores.parsing.limits import LIMITS, MB, TRUSTED
from workbench.scores.parsing.source import file_size, read_table
from workbench.scores.refusals import called, damage_refused
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

if TYPE_CHECKING:
    import pandas as pd

#: Bytes of a file of settings (json).
_MOST_SETTINGS = 1 * MB

#: Entries of a folder that are looked at.
_MOST_ENTRIES = 200_000


@dataclass(frozen=True)
class StoredArray:
    """An array in a file, with its header read and its content not.

    Attributes
    ----------
    name : str
    shape : tuple of int
    dtype : numpy.dtype
    read : callable
        () -> ndarray.
    """

    name: str
    shape: tuple[int, ...]
    dtype: Any
    read: Callable[[], NDArray[Any]]


class TablePlace:
    """The folder, file or DataFrame that a score table is read from.

    Parameters
    ----------
    source : path or DataFrame
    trusted : bool
        Read without limits of size, memory and time, and tables in this process.

    Raises
    ------
    ScoresError
        There is nothing of that name, or it is neither a folder nor a file.
    """

    def __init__(self, source: str | os.PathLike[str] | pd.DataFrame, trusted: bool) -> None:
        self.trusted = trusted
        self.limits = TRUSTED if trusted else LIMITS
        self.changes: dict[str, str] = {}
        self._tables: dict[tuple[str, str | None], DataTable | ScoresError] = {}
        self._frame = None if isinstance(source, str | os.PathLike) else source
        self.path = Path() if self._frame is not None else Path(os.fspath(run_file(source)))
        try:
            self.is_folder = self._frame is None and self.path.is_dir()
        except ValueError as error:  # a NUL in it
            raise ScoresError(f"{str(self.path)!r} is no path: {error}") from error
        if self._frame is None and not self.is_folder:
            file_size(self.path)

    @property
    def name(self) -> str:
        """Name of the folder or file, without its extension."""
        return "" if self._frame is not None else self.path.absolute().stem

    @property
    def label(self) -> str:
        """What messages call it."""
        return "the DataFrame" if self._frame is not None else f"'{self.path}'"

    @property
    def is_archive(self) -> bool:
        """Whether it is an npz file."""
        return self.path.suffix.lower() == ".npz" and not self.is_folder

    @property
    def is_table(self) -> bool:
        """Whether it is a file of columns, or a DataFrame."""
        tables = (".csv", ".tsv", ".txt", ".parquet", ".feather", ".json")
        return self._frame is not None or (
            not self.is_folder and self.path.suffix.lower() in tables
        )

    # -- folders ---------------------------------------------------------------------------------

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """Names in the folder, in the order of the numbers in them."""
        return self.listing("")

    def listing(self, folder: str) -> tuple[str, ...]:
        """Names in a folder below this one, in the order of the numbers in them; () for none."""
        found = []
        try:
            with os.scandir(self.path / folder) as entries:
                for entry in entries:
                    found.append(entry.name)
                    if len(found) > _MOST_ENTRIES:
                        raise ScoresError(
                            f"'{self.path / folder}' has more than {_MOST_ENTRIES} entries; give "
                            "the folder of one audit"
                        )
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as error:
            raise ScoresError(
                f"'{self.path / folder}' cannot be listed: {error.strerror}"
            ) from error
        return tuple(sorted(found, key=by_numbers))

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """Names of the folders in the folder."""
        return tuple(name for name in self.entries if (self.path / name).is_dir())

    def has(self, name: str) -> bool:
        """Whether there is a file of that name below the folder."""
        return self.is_folder and (self.path / name).is_file()

    def check_total(self, names: list[str]) -> None:
        """Refuse files that together are too large (ScoresError)."""
        total = sum(file_size(self.path / name) for name in names)
        self.limits.check_size(self.label, total)

    # -- arrays ----------------------------------------------------------------------------------

    def header(self, name: str) -> StoredArray:
        """An array of an npy file, unread.

        Raises
        ------
        ScoresError
            There is no such file, or one that holds less than it states, or pickled objects.
        """
        path, size = self._sized(name)
        with self._reading(path, ".npy"), path.open("rb") as file:
            shape, dtype = checked_header(file, size)
            _check_plain(dtype)
        return StoredArray(name, shape, dtype, lambda: self.array(name))

    def array(self, name: str) -> NDArray[Any]:
        """The array of an npy file (ScoresError as of `header`)."""
        path, size = self._sized(name)
        with self._reading(path, ".npy"), path.open("rb") as file:
            return native(read_array(file, size))

    def numbers(self, name: str) -> NDArray[Any]:
        """The array of an npy file, which has to hold numbers (ScoresError as of `header`)."""
        dtype = self.header(name).dtype
        if dtype.kind not in "biuf":
            raise ScoresError(f"{called(name)} holds {dtype}, not numbers")
        return self.array(name)

    def mapped(self, name: str) -> NDArray[Any]:
        """The array of an npy file, read from the disk where it is used (ScoresError as above)."""
        path = self.path / name
        file_size(path)
        self.header(name)
        with damage_refused(self._called(path), ".npy"):
            return np.load(path, mmap_mode="r", allow_pickle=False)

    @cached_property
    def archive(self) -> dict[str, StoredArray]:
        """The arrays of an npz file, unread; anything else in it is left out."""

        def read_member(filename: str) -> NDArray[Any]:
            with self._reading(self.path, ".npz"), zipfile.ZipFile(self.path) as archive:
                member = archive.getinfo(filename)
                with archive.open(member) as file:
                    return native(read_array(file, member.file_size))

        size = file_size(self.path)
        self.limits.check_size(self.label, size)
        found = {}
        with self._reading(self.path, ".npz"), zipfile.ZipFile(self.path) as archive:
            members = archive.infolist()
            names = [member.filename.removesuffix(".npy") for member in members]
            self.limits.check_names(self.label, names)
            expanded = sum(member.file_size for member in members)
            self.limits.check_expansion(self.label, size, expanded)
            for name, member in zip(names, members, strict=True):
                if not member.filename.endswith(".npy"):
                    continue
                with archive.open(member) as file:
                    shape, dtype = checked_header(file, member.file_size)
                if not dtype.hasobject:
                    read = partial(read_member, member.filename)
                    found[name] = StoredArray(name, shape, dtype, read)
        return found

    # -- tables and settings -----------------------------------------------------------------------

    def table(self, name: str = "", kind: str | None = None) -> DataTable:
        """The columns of a file, or of the DataFrame; read once, and refused once.

        Parameters
        ----------
        name : str
            Below the folder; "" for the file itself.
        kind : str, optional
            The reader, where the extension does not name it.
        """
        if (name, kind) not in self._tables:
            try:
                if self._frame is not None:
                    self._tables[name, kind] = read_table(self._frame)
                else:
                    path = self.path / name if name else self.path
                    with self._reading(path, None):
                        self._tables[name, kind] = read_table(path, trusted=self.trusted, kind=kind)
            except ScoresError as error:
                self._tables[name, kind] = error
        found = self._tables[name, kind]
        if isinstance(found, ScoresError):
            raise found
        return found

    def settings(self, name: str) -> dict[str, Any]:
        """The object in a small json file; {} where there is none."""
        if not self.has(name) or file_size(self.path / name) > _MOST_SETTINGS:
            return {}
        try:
            found = _json.loads((self.path / name).read_bytes())
        except (ValueError, OSError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    # -- within ----------------------------------------------------------------------------------

    def _called(self, path: Path) -> str:
        return str(path.relative_to(self.path)) if self.is_folder else path.name

    def _sized(self, name: str) -> tuple[Path, int]:
        path = self.path / name
        size = file_size(path)
        self.limits.check_size(called(self._called(path)), size)
        return path, size

    @contextmanager
    def _reading(self, path: Path, suffix: str | None) -> Iterator[None]:
        """Context of reading a file: damage is refused, a change of the file is noted."""
        before, name = _stamp(path), self._called(path)
        try:
            if suffix is None:
                yield
            else:
                with damage_refused(name, suffix):
                    yield
        except ScoresError as error:
            if _stamp(path) != before:
                raise ScoresError(
                    f"{called(name)} changed while it was read; read it again once it is "
                    f"complete ({error})"
                ) from error
            raise
        after = _stamp(path)
        if after != before:
            self.changes[name] = (
                f"{called(name)} changed while it was read, from {before[0]} to {after[0]} bytes: "
                "what it held then is used, what came later is not"
            )


def by_numbers(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts names by the numbers in them: 2 before 10."""
    parts = re.findall(r"\d+|\D+", name)
    return tuple((0, int(p), p) if p.isascii() and p.isdigit() else (1, 0, p) for p in parts)


def _check_plain(dtype: Any) -> None:
    if dtype.hasobject:
        raise ValueError("Object arrays cannot be loaded when allow_pickle=False")


def _stamp(path: Path) -> tuple[int, int]:
    """Size and time of the last change of a file; zeros where it is gone."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns
