"""Data that an audit recorded, found again by their hash: `recorded_scores`, `recorded_file`."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench import _checks
from workbench.scores.parsing.source import read_table
from workbench.scores.sample import Scores
from workbench.workspaces.content import content_hash
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.home import workspace
from workbench.workspaces.reading import Reading
from workbench.workspaces.sources import FileSource
from workbench.workspaces.storing.store import file_hash


def recorded_scores(
    sha256: str,
    name: str = "",
    files: Sequence[str] = (),
    reading: Mapping[str, Any] | None = None,
) -> Scores:
    """The scores of a data set that an audit recorded; notebooks of audits call this.

    They are looked for in the workspace of this computer, `wb.workspace()`, also among data sets
    that were removed, and then in the files.

    Parameters
    ----------
    sha256 : str
        Hash of the content, as ``AuditData.sha256``.
    name : str, optional
        Of the data set, for messages.
    files : sequence of str, optional
        Paths of the files that it came from, members first.
    reading : mapping, optional
        How it was read, as ``AuditData.reading``; by default as the data set is read now.

    Returns
    -------
    Scores

    Raises
    ------
    WorkspaceError
        They are nowhere, or a file has another content.

    Examples
    --------
    >>> kept = wb.workspace().add_scores(wb.Scores([0.1, 0.4], [0.9, 0.3]), "losses")
    >>> wb.recorded_scores(kept.sha256).n_p
    2
    """
    _checks.text(sha256, "sha256"), _checks.text(name, "name")
    paths = _checks.each_of(files, str, "files", "the path of a file")
    how = None if reading is None else Reading.from_dict(reading)
    found = workspace().find(sha256, removed=True)
    if found is not None:
        return found.source.read(workspace().tables(found.key), how or found.reading)
    if not paths or not all(Path(path).is_file() for path in paths):
        raise WorkspaceError(_missing(name, sha256, paths))
    tables = [read_table(Path(path)) for path in paths]
    if content_hash(tables) != sha256:
        raise WorkspaceError(
            f"{' and '.join(paths)} in {Path.cwd()} changed since the audit: it read scores with "
            f"the SHA-256 {sha256}"
        )
    return FileSource(tuple(paths)).read(tables, how or Reading())


def recorded_file(sha256: str, name: str) -> Path:
    """The path of a file that an audit recorded, such as one of canaries.

    It is looked for in the present folder and in the workspace of this computer, `wb.workspace()`.

    Parameters
    ----------
    sha256 : str
        Hash of the bytes of the file.
    name : str
        Of the file.

    Raises
    ------
    WorkspaceError
        It is nowhere.

    Examples
    --------
    >>> kept = wb.workspace().keep_file("canaries.csv", b"score,included")
    >>> wb.recorded_file(kept, "canaries.csv").read_bytes()
    b'score,included'
    """
    _checks.text(sha256, "sha256")
    beside = Path(_checks.text(name, "name")).name
    if Path(beside).is_file() and file_hash(Path(beside).read_bytes()) == sha256:
        return Path(beside)
    content = workspace().file(sha256)
    if content is None:
        raise WorkspaceError(
            f"the file {name!r} (SHA-256 {sha256}) is neither in {Path.cwd()} nor in the workspace "
            "of this computer: put it beside the notebook"
        )
    copy = Path(tempfile.mkdtemp()) / beside
    copy.write_bytes(content)
    return copy


def _missing(name: str, sha256: str, files: Sequence[str]) -> str:
    what = f"the scores of “{name}” (SHA-256 {sha256})" if name else f"scores (SHA-256 {sha256})"
    if not files:
        return (
            f"{what} were given in Python and are not in the workspace of this computer: make them "
            "again and add them with wb.workspace().add_scores(scores)"
        )
    return (
        f"{what} are neither in the workspace of this computer nor in {Path.cwd()}: put "
        f"{' and '.join(map(repr, files))} beside the notebook"
    )
