"""`attachments_of`: the scores and files of a page; `bring_data` adds them to a workspace."""

from __future__ import annotations

from datetime import datetime

from workbench import _json
from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.audits.items import AuditData
from workbench.pages.auditing.page_of import data_set
from workbench.pages.core.page import Page
from workbench.pages.core.upload import Upload
from workbench.pages.inputs.data import DataChoice
from workbench.tables.table import ScoreTable
from workbench.workspaces.content import content_hash, table_of_scores
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.reading import Reading
from workbench.workspaces.sources import source_from_dict, source_of
from workbench.workspaces.storing.parquet import from_parquet, to_parquet
from workbench.workspaces.workspace import Workspace


def attachments_of(page: Page) -> tuple[Attachment, ...]:
    """The scores and the uploaded files of a page, to be saved with its audit.

    Examples and draws are everywhere, and are not among them.
    """
    parameters = page.param.objects()
    found: list[Attachment] = []
    for name, one in parameters.items():
        if isinstance(one, DataChoice):
            found += _data(page, name)
        elif isinstance(one, Upload):
            files = getattr(page, name) or ()
            found += (Attachment.of("file", file.name, file.content()) for file in files)
    return tuple(found)


def bring_data(audit: Audit, attachments: tuple[Attachment, ...], workspace: Workspace) -> None:
    """Add to a workspace what it lacks of the scores and files that were saved with an audit.

    Parameters
    ----------
    audit : Audit
    attachments : tuple of Attachment
        As `Archive.attachments` returns them.
    workspace : Workspace

    Raises
    ------
    WorkspaceError
        Scores that are not those of the audit, or cannot be read.
    """
    for one in attachments:
        if one.kind == "file":
            workspace.files.keep(one.name, one.content)
    for data in audit.data:
        parts = [one for one in attachments if one.data == data.parameter]
        if parts and not _is_there(data, workspace):
            _bring(data, parts, workspace, _shown(audit))


def _data(page: Page, parameter: str) -> list[Attachment]:
    key, workspace = str(getattr(page, parameter)), page.workspace
    if not key and isinstance(given := page.given_scores[parameter], ScoreTable):
        workspace = Workspace()
        key = workspace.add_table(given).key
    if key:
        dataset = workspace.dataset(key)
        if dataset.virtual:
            return []
        tables, source, name = workspace.tables(key), dataset.source, dataset.name
    else:
        scores = page.given_scores[parameter]
        tables, source, name = (table_of_scores(scores),), source_of(scores), scores.name
    described = _json.dumps_ascii(source.to_dict()).encode("ascii")
    return [
        Attachment.of("source", name, described, parameter),
        *(Attachment.of("table", table.name, to_parquet(table), parameter) for table in tables),
    ]


def _is_there(data: AuditData, workspace: Workspace) -> bool:
    try:
        data_set(data, workspace)
    except WorkspaceError:
        return False
    return True


def _shown(audit: Audit) -> datetime:
    """Since when somebody here may have seen the results of an audit."""
    return audit.made if audit.imported is None else datetime.fromisoformat(audit.imported.at)


def _bring(data: AuditData, parts: list[Attachment], workspace: Workspace, shown: datetime) -> None:
    tables = [from_parquet(one.content) for one in parts if one.kind == "table"]
    if content_hash(tables) != data.sha256:
        raise WorkspaceError(
            f"the scores that were saved with the audit are not those of “{data.name}”: their hash "
            "is another one"
        )
    described = next((one.content for one in parts if one.kind == "source"), b"{}")
    try:
        source = source_from_dict(_json.loads(described))
        reading = Reading.from_dict(data.reading)
        workspace.kept.bring(tables, source, reading, data.name, data.reread, shown)
    except (TypeError, AttributeError, RecursionError) as error:  # they may be a stranger's
        raise WorkspaceError(f"the scores of “{data.name}” cannot be read: {error}") from error
