"""Files of live audits: rows that are appended one by one, and a table that is replaced whole.

A process that is killed, or a full disk, costs the rows that were not yet written.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path

from workbench._checks import shown
from workbench.scores.sample import ScoresError


class AppendedRows:
    """A csv file to which rows are appended; others can read each when the call returns.

    Parameters
    ----------
    path : Path
    header : str
        Its first line.
    resume : bool
        Whether the file may exist already; see `read_rows`.

    Raises
    ------
    FileExistsError
        It exists, and ``resume`` is False.
    """

    def __init__(self, path: Path, header: str, resume: bool = False):
        self.path = path
        if resume and path.exists():
            self._file = path.open("ab", buffering=0)
        else:
            try:
                self._file = path.open("xb", buffering=0)
            except FileExistsError:
                raise FileExistsError(
                    f"{path} exists already, and may hold another audit; give another path, or "
                    "resume=True to continue it"
                ) from None
            self.append(header)

    def append(self, line: str) -> None:
        """Append a line; where that fails, nothing of it stays in the file."""
        size, left = self._file.tell(), f"{line}\n".encode()
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            self._file.truncate(size)
            self._file.seek(size)
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_rows(path: Path, header: str) -> list[tuple[float, bool]]:
    """The rows of a file of scores and members that a live audit wrote.

    Parameters
    ----------
    path : Path
    header : str
        Its first line.

    Raises
    ------
    ScoresError
        Another header, a row that a live audit does not write, or a last line that is not complete.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    if lines[0] != header:
        raise ScoresError(f"{path} is not a file of a live audit: its first line is not '{header}'")
    if lines[-1]:
        raise ScoresError(f"the last line of {path} is not complete; remove it and resume again")
    return [_row(path, place, line) for place, line in enumerate(lines[1:-1], start=2)]


def _row(path: Path, place: int, line: str) -> tuple[float, bool]:
    text, _, label = line.partition(",")
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if math.isnan(score) or label not in ("0", "1"):
        raise ScoresError(f"line {place} of {path} is no row of a live audit: {shown(line)}")
    return score, label == "1"


def replace_table(path: Path, lines: Iterable[str]) -> None:
    """Write a whole file; readers see the old one or the new one.

    Parameters
    ----------
    path : Path
    lines : iterable of str
        Without ends of lines.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        os.replace(partial, path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
