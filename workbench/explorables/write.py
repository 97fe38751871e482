"""`explorable_bytes` and `write_explorables`: explorables as files."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from pathlib import Path

from workbench import _checks
from workbench.explorables.document import html
from workbench.explorables.registry import EXPLORABLES, file_of
from workbench.progress import Report, silent


def explorable_bytes(name: str, report: Report = silent) -> bytes:
    """The content of the file of an explorable; see `workbench.explorables.document.html`."""
    return html(name, report).encode()


def write_explorables(
    folder: str | os.PathLike[str], names: Sequence[str] = (), report: Report = silent
) -> tuple[Path, ...]:
    """Write explorables into a folder, each as one file that needs no other.

    Parameters
    ----------
    folder : str or path
        It is made if it is missing. A file that is there is replaced once the new one is complete.
    names : sequence of str
        Keys of `EXPLORABLES`; by default all.
    report : Report, optional
        Takes the progress.

    Returns
    -------
    tuple of Path
        Of the files.

    Raises
    ------
    ValueError
        A name that no explorable has.
    OSError
        A file cannot be written.
    """
    chosen = tuple(names) or tuple(EXPLORABLES)
    for name in chosen:
        _checks.one_of(name, "name", EXPLORABLES)
    Path(folder).mkdir(parents=True, exist_ok=True)
    written = []
    for done, name in enumerate(chosen):
        report(done / len(chosen), EXPLORABLES[name].title)
        path = Path(folder) / file_of(name)
        unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
        try:
            unfinished.write_bytes(explorable_bytes(name))
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
        written.append(path)
    return tuple(written)
