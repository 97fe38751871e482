"""`page_of`: the page of an audit, in the state that the audit recorded."""

from __future__ import annotations

from workbench.audits.audit import Audit
from workbench.audits.items import AuditData
from workbench.pages.core.page import Page
from workbench.pages.registry import PAGES
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.reading import Reading
from workbench.workspaces.workspace import Workspace


def page_of(audit: Audit, workspace: Workspace) -> Page:
    """The page of an audit, in the state that the audit recorded.

    Parameters
    ----------
    audit : Audit
    workspace : Workspace
        Has the data of the audit.

    Returns
    -------
    Page
        Results of jobs, such as a search, have to be computed again.

    Raises
    ------
    WorkspaceError
        Data that the workspace does not have, or settings that this version does not know.
    """
    if audit.page not in PAGES:
        raise WorkspaceError(f"this version has no page {audit.page!r}; update the workbench")
    keys = {one.parameter: data_set(one, workspace).key for one in audit.data}
    page: Page = PAGES[audit.page].kind(workspace=workspace)
    lost = page.restore({**audit.settings, **keys}, workspace.file)
    if lost:
        raise WorkspaceError(f"these settings could not be restored: {', '.join(lost)}")
    return page


def data_set(data: AuditData, workspace: Workspace) -> DataSet:
    """The data set of an audit in a workspace, read as it was.

    Raises
    ------
    WorkspaceError
        It is not there, or is read in another way there.
    """
    if data.key:
        return workspace.dataset(data.key)
    same = [one for one in workspace.datasets if one.sha256 == data.sha256]
    if not same:
        raise WorkspaceError(
            f"the scores of “{data.name}” are not in this workspace (SHA-256 {data.sha256}); open "
            "their file, or save the audit with its scores"
        )
    reading = Reading.from_dict(data.reading)
    alike = [one for one in same if not reading.changed_choice(one.reading)]
    if not alike:
        choice = reading.changed_choice(same[0].reading)
        raise WorkspaceError(f"“{same[0].name}” is read in another way here: {choice} differs")
    return alike[0]
