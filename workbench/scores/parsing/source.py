"""`read_table`: the columns of a data file, a DataFrame or the content of a file."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.processes.child import NoProcesses
from workbench.scores.parsing.formats import (
    check_kind,
    content_of,
    kind_of_content,
    kind_of_name,
    parse,
)
from workbench.scores.parsing.frames import from_frame
from workbench.scores.parsing.limits import LIMITS, TRUSTED
from workbench.scores.parsing.reading_process import read_in_process
from workbench.scores.refusals import called, did_you_mean
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    import pandas as pd

    Source = str | os.PathLike[str] | bytes | pd.DataFrame


def read_table(
    source: Source,
    filename: str | None = None,
    *,
    trusted: bool = False,
    kind: str | None = None,
) -> DataTable:
    """The columns of a data file, before a layout gives them a meaning.

    Parameters
    ----------
    source : path, bytes, str or DataFrame
        A path, the content of a file, or a DataFrame. A string is text when ``filename`` is given
        or when it holds a line break, and a path otherwise.
    filename : str, optional
        Name of the file that the content came from, or what a path is called; its extension
        decides the format. Content without a name is recognized from its first bytes.
    trusted : bool
        Parse the file in this process and without limits of size, memory or time. Otherwise it is
        parsed in a process of its own (`workbench.scores.parsing.reading_process`). Where the
        system starts no processes, as in a browser, it is parsed in this one, with limits of size
        alone, and a warning is logged; a server refuses it.
    kind : str, optional
        The reader that a path is given to, one of `workbench.scores.parsing.formats.PARTS`; by
        default the extension decides.

    Returns
    -------
    DataTable

    Raises
    ------
    ScoresError
        The file is missing, empty, damaged, of an unknown or refused kind, too large, or no table;
        or it needs pyarrow, which is not installed (`MissingPackage` as well).
    """
    if not isinstance(source, str | os.PathLike | bytes):
        return _of_frame(source, filename or "")
    if isinstance(source, str) and (filename is not None or "\n" in source):
        source = source.encode(errors="surrogatepass")
    if isinstance(source, bytes):
        content: Path | bytes = source
        filename, size = filename or "", len(source)
        kind = kind_of_name(filename) if filename else kind_of_content(source)
    else:
        content = Path(source)
        filename = filename or content.name
        kind = kind or kind_of_name(filename)  # refuse a kind before looking at the file
        size = file_size(content)
    if size == 0:
        raise ScoresError(
            f"{called(filename)} is empty (0 bytes); check that it was written and closed"
        )
    check_kind(kind, filename)
    try:
        if not trusted:
            try:
                return read_in_process(content, size, kind, filename, LIMITS)
            except NoProcesses as error:
                logger.warning(
                    "%s: read without limits of memory and time, for %s", called(filename), error
                )
        data = content if isinstance(content, bytes) else content_of(content)
        return parse(data, kind, filename, TRUSTED if trusted else LIMITS)
    except MemoryError as error:
        raise ScoresError(f"{called(filename)} needs more memory than there is") from error


def _of_frame(frame: pd.DataFrame, filename: str) -> DataTable:
    try:
        return from_frame(frame, filename)
    except ScoresError:
        raise
    except Exception as error:  # cells may be any objects
        raise ScoresError(
            f"the DataFrame cannot be read ({type(error).__name__}: {error}); give it plain "
            "columns of numbers and text"
        ) from error


def file_size(path: Path) -> int:
    """Bytes of a regular file; ScoresError for anything else, which might never end."""
    try:
        status = path.stat()
    except FileNotFoundError:
        raise ScoresError(f"there is no file '{path}'{_near(path)}") from None
    except OSError as error:
        raise ScoresError(f"'{path}' cannot be read: {error.strerror}") from error
    except ValueError as error:  # a NUL in it
        raise ScoresError(f"{str(path)!r} is no path: {error}") from error
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe, socket or device"
        raise ScoresError(f"'{path}' cannot be read: it is {kind}, not a file; give a file")
    return status.st_size


def _near(path: Path) -> str:
    """What files there are of a similar name, or where was looked."""
    try:
        names = [p.name for p in path.parent.iterdir()]
        return did_you_mean(path.name, names) or f" (looked in {path.parent.absolute()})"
    except OSError:
        return ""
