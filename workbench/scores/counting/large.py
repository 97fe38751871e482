"""`is_large`: which files are counted instead of kept."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from workbench.scores.opening import is_of_tool
from workbench.scores.parsing.limits import MB

#: Bytes of files from which their rows are counted.
LARGE = 500 * MB

#: Extensions of the files that can be counted.
COUNTABLE = (".parquet", ".feather", ".arrow", ".csv", ".tsv", ".txt")


def is_large(*sources: Any) -> bool:
    """Whether the rows of files are counted unless a person says otherwise.

    Parameters
    ----------
    *sources
        Paths of files or folders, and whatever else scores are read from.
    """
    paths = [
        Path(source)
        for source in sources
        if isinstance(source, str | os.PathLike) and "\n" not in os.fspath(source)
    ]
    return sum(map(size_of, paths)) > LARGE or any(map(_is_in_parts, paths))


def size_of(path: Path) -> int:
    """Bytes of a file that can be counted, or of those in a folder; 0 if there are none."""
    return sum(file.stat().st_size for file in countable(path) if os.path.isfile(file))


def countable(path: Path) -> list[Path]:
    """A file that can be counted, or those in a folder and its folders, in natural order.

    Files of programs, such as ``_SUCCESS`` and ``.part-0.crc``, are left out.
    """
    if not os.path.isdir(path):  # unlike `Path.is_dir`, false for what is no path
        return [path] if path.suffix.lower() in COUNTABLE else []
    return sorted(
        (
            file
            for file in path.rglob("*")
            if file.suffix.lower() in COUNTABLE
            and not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
        ),
        key=_natural,
    )


def _is_in_parts(path: Path) -> bool:
    return os.path.isdir(path) and not is_of_tool(path) and bool(countable(path))


def _natural(path: Path) -> list[Any]:
    """Order in which part-2 comes before part-10."""
    pieces = re.split(r"(\d+)", str(path))
    return [int(piece) if i % 2 else piece for i, piece in enumerate(pieces)]
