"""What people download, made in a process: reports, explorables, charts, tables of scores.

The functions run in the process. What they are made of is looked at in the server, where it takes a
moment, and goes there as data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.pages.auditing.page_of import data_set
from workbench.pages.core.page import Page
from workbench.pages.inputs.data import DataChoice
from workbench.progress import Report
from workbench.reports.forms import Form
from workbench.scores.sample import Scores
from workbench.server.work.sent_data import SentData
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.workspace import Workspace


@dataclass(frozen=True)
class PortableAudit:
    """An audit with the page or the data that its report needs.

    Attributes
    ----------
    audit : Audit
        Without its page.
    page : Page or None
        The page that it shows, without its workspace; None for a saved audit.
    data : SentData
    attachments : tuple of Attachment, or None
        What was saved with it; None if that is not known.
    """

    audit: Audit
    page: Page | None
    data: SentData
    attachments: tuple[Attachment, ...] | None = None

    @classmethod
    def of_page(cls, audit: Audit) -> PortableAudit:
        """An audit that a page shows now.

        Parameters
        ----------
        audit : Audit
            It has its page.
        """
        page: Page = audit.live
        choices = [n for n, one in page.param.objects().items() if isinstance(one, DataChoice)]
        keys = [str(getattr(page, name)) for name in choices]
        sets = [page.workspace.dataset(key) for key in keys if key]
        data = SentData.of(page.workspace, sets)
        return cls(replace(audit, live=None), page.whole_for_process(), data)

    @classmethod
    def saved(
        cls, audit: Audit, workspace: Workspace, attachments: tuple[Attachment, ...] | None
    ) -> PortableAudit:
        """A saved audit, with what the workspace has of its data.

        Parameters
        ----------
        audit : Audit
        workspace : Workspace
            Of the person who can see it.
        attachments : tuple of Attachment, or None
            What was saved with it; None if that is not known.
        """
        sets = []
        for one in audit.data:
            try:
                sets.append(data_set(one, workspace))
            except WorkspaceError:  # it may be among the attachments
                continue
        return cls(audit, None, SentData.of(workspace, sets), attachments)

    def here(self) -> tuple[Audit, Workspace]:
        """The audit and its workspace, in the process that makes the report."""
        attached = _Attached(self.attachments)
        workspace = Workspace(base=self.data, open_archive=lambda: attached)  # type: ignore[arg-type,return-value]
        if self.page is None:
            return self.audit, workspace
        self.page.workspace = workspace
        return replace(self.audit, live=self.page), workspace


@dataclass(frozen=True)
class _Attached:
    """In place of an archive: what was saved with one audit."""

    found: tuple[Attachment, ...] | None

    def attachments(self, key: str) -> tuple[Attachment, ...]:
        if self.found is None:
            raise ArchiveError("what was saved with this audit is not here")
        return self.found


def report_file(portable: PortableAudit, kind: str, form: Form, report: Report) -> bytes:
    """The content of a report.

    Parameters
    ----------
    portable : PortableAudit
    kind, form : str
        As of `workbench.reports.write.report_bytes`.
    report : Report
    """
    from workbench.reports.write import report_bytes

    audit, workspace = portable.here()
    return report_bytes(audit, kind, workspace, report, form)


def explorable_file(name: str, report: Report) -> bytes:
    """The content of an explorable.

    Parameters
    ----------
    name : str
        A key of `workbench.explorables.registry.EXPLORABLES`.
    report : Report
    """
    from workbench.explorables.write import explorable_bytes

    return explorable_bytes(name, report)


def figure_file(
    figure: Mapping[str, Any], kind: str, width: float, family: str, report: Report
) -> bytes:
    """A chart as a file for a paper, or its data.

    Parameters
    ----------
    figure : mapping
        As pages draw it.
    kind, width, family
        As of `workbench.assets.share.figure_file`.
    report : Report
    """
    from workbench.assets import share

    return share.drawn_file(dict(figure), kind, width, family)


def scores_file(scores: Scores, report: Report) -> bytes:
    """Scores with their labels as csv, as they were read; counted scores as values and counts."""
    if scores.samples.is_counted:
        return _counts_file(scores)
    groups = ((scores.p.tolist(), 1), (scores.q.tolist(), 0))
    rows = [f"{score!r},{member}" for group, member in groups for score in group]
    return "\n".join(["score,member", *rows, ""]).encode()


def _counts_file(scores: Scores) -> bytes:
    names = ("value", "count_p", "count_q")
    columns = (scores.samples.arrays[name].tolist() for name in names)
    rows = [f"{value!r},{p},{q}" for value, p, q in zip(*columns, strict=True)]
    return "\n".join([",".join(names), *rows, ""]).encode()
