"""Data that an audit recorded, found again by their hash: `recorded_scores`, `recorded_file`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from workbench import _checks, _json
from workbench.audits.attachment import Attachment
from workbench.audits.errors import ArchiveError
from workbench.scores.opening import open_sources
from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.tables.table import ScoreTable
from workbench.workspaces.content import content_hash
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.home import workspace
from workbench.workspaces.reading import Reading
from workbench.workspaces.sources import DataSource, FileSource, source_from_dict
from workbench.workspaces.storing.entry import file_hash
from workbench.workspaces.storing.parquet import from_parquet


def recorded_scores(
    sha256: str,
    name: str = "",
    files: Sequence[str] = (),
    reading: Mapping[str, Any] | None = None,
    audit: str = "",
) -> Scores:
    """The scores of a data set that an audit recorded; notebooks of audits call this.

    They are looked for in the workspace of this computer, `wb.workspace()`, also among data sets
    that were removed; then among the scores that were saved with the audit; and then in the files.

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
    audit : str, optional
        Key of the audit, where it was saved.

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
    _checks.text(sha256, "sha256"), _checks.text(name, "name"), _checks.text(audit, "audit")
    paths = _checks.each_of(files, str, "files", "the path of a file")
    how = None
    if reading is not None:
        _checks.instance(reading, Mapping, "reading", "a dict as AuditData.reading")
        how = Reading.from_dict(reading)
    found = workspace().find(sha256, removed=True)
    if found is not None:
        return _scores(found.source, workspace().tables(found.key), how or found.reading)
    saved = _saved(sha256, audit)
    if saved is not None:
        source, tables = saved
        return _scores(source, tables, how or Reading())
    if not paths or not all(os.path.isfile(path) for path in paths):
        raise WorkspaceError(_missing(name, sha256, paths))
    grouped = how is None or how.layout is None or how.layout.kind == "one file per group"
    second = paths[1] if len(paths) > 1 else None
    others = (second, None) if grouped else (None, second)
    tables = open_sources(paths[0], *others).tables
    if content_hash(tables) != sha256:
        raise WorkspaceError(
            f"{' and '.join(paths)} in {Path.cwd()} changed since the audit: it read scores with "
            f"the SHA-256 {sha256}"
        )
    return FileSource(tuple(paths)).read(tables, how or Reading())


def recorded_table(sha256: str, name: str = "", audit: str = "") -> ScoreTable:
    """The score table that an audit recorded; notebooks of audits call this.

    It is looked for in the workspace of this computer, `wb.workspace()`, also among data sets that
    were removed; then among what was saved with the audit.

    Parameters
    ----------
    sha256 : str
        Hash of the content, as ``AuditData.sha256``.
    name : str, optional
        Of the data set, for messages.
    audit : str, optional
        Key of the audit, where it was saved.

    Raises
    ------
    WorkspaceError
        It is nowhere, or the content is no score table.

    Examples
    --------
    >>> table = wb.ScoreTable([[0.1, 2.0], [1.5, 0.3]], [[False, True], [True, False]])
    >>> kept = wb.workspace().add_table(table, "canaries")
    >>> wb.recorded_table(kept.sha256).n_records
    2
    """
    _checks.text(sha256, "sha256"), _checks.text(name, "name"), _checks.text(audit, "audit")
    found = workspace().find(sha256, removed=True)
    if found is not None:
        content: Any = found.source.read(workspace().tables(found.key), found.reading)
    else:
        saved = _saved(sha256, audit)
        if saved is None:
            raise WorkspaceError(
                f"the score table {f'“{name}” ' if name else ''}(SHA-256 {sha256}) is not in the "
                "workspace of this computer: add it with wb.workspace().add_table(table)"
            )
        content = saved[0].read(saved[1], Reading())
    if not isinstance(content, ScoreTable):
        raise WorkspaceError(f"the data set with the SHA-256 {sha256} holds scores, and no table")
    return content


def recorded_file(sha256: str, name: str, audit: str = "") -> Path:
    """The path of a file that an audit recorded, such as one of canaries.

    It is looked for in the present folder, in the workspace of this computer, `wb.workspace()`, and
    among the files that were saved with the audit.

    Parameters
    ----------
    sha256 : str
        Hash of the bytes of the file.
    name : str
        Of the file.
    audit : str, optional
        Key of the audit, where it was saved.

    Raises
    ------
    WorkspaceError
        It is nowhere, or cannot be written under this name.

    Examples
    --------
    >>> kept = wb.workspace().files.keep("canaries.csv", b"score,included")
    >>> wb.recorded_file(kept, "canaries.csv").read_bytes()
    b'score,included'
    """
    _checks.text(sha256, "sha256"), _checks.text(audit, "audit")
    beside = Path(_checks.text(name, "name")).name
    if os.path.isfile(beside) and file_hash(Path(beside).read_bytes()) == sha256:
        return Path(beside)
    attached = (one.content for one in _attached(audit) if one.sha256 == sha256)
    content = workspace().file(sha256) or next(attached, None)
    if content is None:
        raise WorkspaceError(
            f"the file {name!r} (SHA-256 {sha256}) is neither in {Path.cwd()} nor in the workspace "
            "of this computer: put it beside the notebook"
        )
    copy = Path(tempfile.mkdtemp()) / beside
    try:
        copy.write_bytes(content)
    except (OSError, ValueError) as error:  # a name too long, or with a zero; a full disk
        raise WorkspaceError(
            f"the file {_checks.shown(name)} (SHA-256 {sha256}) cannot be written: {error}"
        ) from error
    return copy


def _scores(source: DataSource, tables: tuple[DataTable, ...], reading: Reading) -> Scores:
    found = source.read(tables, reading)
    if not isinstance(found, Scores):
        raise WorkspaceError("the audit recorded a score table; see wb.recorded_table")
    return found


def _saved(sha256: str, audit: str) -> tuple[DataSource, tuple[DataTable, ...]] | None:
    """The source and the tables of a data set that was saved with an audit, or None."""
    attached = _attached(audit)
    for data in {one.data for one in attached}:
        parts = [one for one in attached if one.data == data]
        tables = tuple(from_parquet(one.content) for one in parts if one.kind == "table")
        if tables and content_hash(tables) == sha256:
            described = next(one.content for one in parts if one.kind == "source")
            return source_from_dict(_json.loads(described)), tables
    return None


def _attached(audit: str) -> tuple[Attachment, ...]:
    """What was saved with an audit; nothing if it is not in the archive of this computer."""
    if audit:
        with suppress(ArchiveError):
            return workspace().audits.attachments(audit)
    return ()


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
