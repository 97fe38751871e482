"""Compressed files: the file in a gz, bz2, xz, zst or zip, unpacked no further than the limits."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any

from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.refusals import IF_TRUSTED, called, damage_refused, listed
from workbench.scores.sample import ScoresError

#: Bytes that are unpacked at a time.
_STEP = 2**20

#: What programs put into an archive beside the files of a person.
_BESIDE = ("__MACOSX", ".DS_Store", "desktop.ini", "Thumbs.db")


def _zstd(file: IO[bytes]) -> Any:
    import pyarrow as pa

    return pa.input_stream(file, compression="zstd")


#: Each returns the uncompressed stream of a compressed one.
_OPENED: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": _zstd,
}
ARCHIVE = ".zip"

#: Bytes of the list of contents of an archive, about 100,000 files, and those in which it ends.
_LARGEST_CONTENTS, _LONGEST_END = 2**23, 2**16 + 22

#: Extensions of compressed files. The name before it says what is in it; an archive says it itself.
COMPRESSIONS = (*_OPENED, ARCHIVE)

#: Compressions that pyarrow reads.
OF_PYARROW = (".zst",)


def unpacked(data: bytes, compression: str, filename: str, limits: ReadLimits) -> tuple[bytes, str]:
    """The content of the file in a compressed one, and its name.

    Parameters
    ----------
    data : bytes
    compression : str
        One of `COMPRESSIONS`.
    filename : str
        Of the compressed file.
    limits : ReadLimits
        The content is read in steps, and no further than ``limits.check_expansion`` allows.

    Raises
    ------
    ScoresError
        It would expand beyond the limits, or is an archive of several files.
    """
    if compression == ARCHIVE:
        return _one_of_archive(data, filename, limits)
    with _OPENED[compression](io.BytesIO(data)) as file:
        content = _content(file, len(data), filename, limits)
    return content, filename.removesuffix(filename[-len(compression) :])


def _one_of_archive(data: bytes, filename: str, limits: ReadLimits) -> tuple[bytes, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = files_of_archive(archive)
        if len(files) != 1:
            names = [file.filename for file in files]
            raise ScoresError(
                f"{called(filename)} is an archive of {len(files)} files: {listed(names)}; unpack "
                "it, and give the file of the scores, the file of each group, or the folder"
            )
        with archive.open(files[0]) as file:
            content = _content(file, len(data), filename, limits)
    return content, PurePosixPath(files[0].filename).name


def files_of_archive(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files of an archive, without what other programs put beside them."""
    return [
        file
        for file in archive.infolist()
        if not file.is_dir() and not set(PurePosixPath(file.filename).parts) & set(_BESIDE)
    ]


@contextmanager
def archived_folder(path: Path, limits: ReadLimits) -> Iterator[Path | None]:
    """A folder with the files of an archive, removed afterwards; None if it has one file alone.

    Parameters
    ----------
    path : Path
    limits : ReadLimits
        All files together expand no further than ``limits.check_expansion`` allows.

    Raises
    ------
    ScoresError
        It is no archive, has too many files, or would expand beyond the limits.
    """
    with TemporaryDirectory(prefix="workbench-archive-") as folder:
        with damage_refused(path.name, ARCHIVE), path.open("rb") as file:
            several = _extracted(file, path, folder, limits)
        try:
            yield _innermost(Path(folder)) if several else None
        except ScoresError as error:  # what it says is about the archive
            words = str(error).replace(str(_innermost(Path(folder))), path.name)
            words = words.replace(folder, path.name)
            unpack = " of the unpacked archive" if words.endswith("give a file") else ""
            raise ScoresError(f"{words}{unpack}") from error


def _extracted(file: IO[bytes], path: Path, folder: str, limits: ReadLimits) -> bool:
    """Whether an archive has several files, which are then in the folder."""
    size = _size_of_contents(file)
    if size > _LARGEST_CONTENTS and math.isfinite(limits.file_size):
        raise ScoresError(
            f"{called(path.name)} is an archive with a list of contents of {size:,} bytes, more "
            f"than the {_LARGEST_CONTENTS:,} that are read; unpack it. {IF_TRUSTED}"
        )
    archive = zipfile.ZipFile(file)
    files = files_of_archive(archive)
    if len(files) < 2:
        return False
    stored = path.stat().st_size
    limits.check_expansion(called(path.name), stored, sum(f.file_size for f in files))
    archive.extractall(folder, files)
    return True


def _size_of_contents(file: IO[bytes]) -> int:
    """Bytes of the list of contents of an archive, as its end states them."""
    length = file.seek(0, io.SEEK_END)
    file.seek(max(0, length - _LONGEST_END))
    end = file.read()
    at = end.rfind(b"PK\x05\x06")
    if at < 0:
        raise ValueError("the mark of its end is missing")
    return int.from_bytes(end[at + 12 : at + 16], "little")


def _innermost(folder: Path) -> Path:
    """The folder that holds more than one folder alone."""
    entries = list(folder.iterdir())
    return _innermost(entries[0]) if len(entries) == 1 and entries[0].is_dir() else folder


def _content(file: IO[bytes], stored: int, filename: str, limits: ReadLimits) -> bytes:
    parts, size = [], 0
    while part := file.read(_STEP):
        parts.append(part)
        size += len(part)
        limits.check_expansion(called(filename), stored, size)
    return b"".join(parts)
