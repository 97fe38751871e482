"""`write_report` and `report_bytes`: an audit as a document."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from workbench import _checks, _json
from workbench._markup import escape_json
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.pages.auditing.attached import bring_data
from workbench.pages.auditing.notebook import notebook_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.core.page import Page
from workbench.progress import Report, silent
from workbench.reports.contents import Contents
from workbench.reports.errors import ReportError
from workbench.reports.forms import DOCUMENTS, FORMS, Form
from workbench.reports.html import html
from workbench.reports.markdown import markdown
from workbench.reports.pdf import pdf
from workbench.reports.states import shown_jobs, states
from workbench.software.plugins import Registry
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.workspace import Workspace

#: Makes the content of a file.
Writer = Callable[[Audit, Workspace | None, Report, Form], str | bytes]


def write_report(
    audit: Audit,
    path: str | os.PathLike[str],
    workspace: Workspace | None = None,
    report: Report = silent,
    form: Form = "complete",
) -> Path:
    """Write a report; the ending of the path chooses its format.

    Parameters
    ----------
    audit : Audit
    path : str or path
        ``.html``, ``.pdf``, ``.md``, ``.json`` (the audit card) or ``.ipynb`` (a notebook that
        computes the numbers), or the ending of a plug-in's format. A file that is there is
        replaced once the report is complete.
    workspace : Workspace, optional
        Has the data of a saved audit, for charts that answer to threshold and δ.
    report : Report, optional
        Takes the progress.
    form : {"complete", "one-page", "both"}
        Of ``.html`` and ``.pdf``: the complete report, the answer on one page of A4, or both, the
        page first.

    Returns
    -------
    pathlib.Path
        Of the file.

    Raises
    ------
    ValueError
        Another ending, or a form that it does not have.
    ReportError
        Something that the format needs is missing, such as a Chromium for a PDF.
    OSError
        The file cannot be written.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise ValueError(f"a report ends in {endings()}; got {path.name!r}")
    content = report_bytes(audit, kind, workspace, report, form)
    unfinished = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:8]}")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def report_bytes(
    audit: Audit,
    kind: str,
    workspace: Workspace | None = None,
    report: Report = silent,
    form: Form = "complete",
) -> bytes:
    """A report as the content of a file.

    Parameters
    ----------
    audit : Audit
    kind : {"html", "pdf", "md", "json", "ipynb"}
    workspace, report, form
        As of `write_report`.

    Raises
    ------
    ValueError
        Another kind, or a form that it does not have.
    ReportError
        As of `write_report`.
    """
    if kind not in FORMATS:
        raise ValueError(f"a report is one of {', '.join(FORMATS)}; got {kind!r}")
    check_form(kind, form)
    text = FORMATS[kind](audit, workspace, report, form)
    return text if isinstance(text, bytes) else text.encode()


def check_form(kind: str, form: str) -> None:
    """Refuse a form that does not exist, or that a kind of file does not have.

    Parameters
    ----------
    kind : str
        A kind of report.
    form : str

    Raises
    ------
    ValueError
        With the forms that there are.
    """
    if form not in FORMS:
        raise ValueError(f"the form of a report is one of {', '.join(FORMS)}; got {form!r}")
    if form != "complete" and kind not in DOCUMENTS:
        endings = " or ".join(f".{name}" for name in DOCUMENTS)
        raise ValueError(
            f"a .{kind} report has everything in one form, so form={form!r} needs {endings}"
        )


def _html(audit: Audit, workspace: Workspace | None, report: Report, form: Form) -> str:
    page, why = _page(audit, workspace)
    if form == "one-page":  # which has no sliders
        return html(Contents(audit, page), form=form)
    found = states(audit, page, report)
    if page is not None and not found.sliders:
        why = "These charts depend on no threshold and no δ that could be moved."
    elif page is not None:
        moved = {slider.name for slider in found.sliders}
        fixed = [job.title for job in shown_jobs(page) if moved & page.inputs(job)]
        why = f"Results of “{'” and “'.join(fixed)}” stay as computed." if fixed else ""
    return html(Contents(audit, page), found, why, form)


def _pdf(audit: Audit, workspace: Workspace | None, report: Report, form: Form) -> bytes:
    return pdf(html(Contents(audit, _page(audit, workspace)[0]), form=form))


def _markdown(audit: Audit, workspace: Workspace | None, report: Report, form: Form) -> str:
    return markdown(Contents(audit, _page(audit, workspace)[0]))


def _card(audit: Audit, workspace: Workspace | None, report: Report, form: Form) -> str:
    return escape_json(_json.dumps(audit.to_dict(), indent=2)) + "\n"


def _notebook(audit: Audit, workspace: Workspace | None, report: Report, form: Form) -> str:
    return _json.dumps_ascii(notebook_of(audit), indent=1) + "\n"


#: Ours: the ending of a file, and what makes its content.
_FORMATS: dict[str, Writer] = {
    "html": _html,
    "pdf": _pdf,
    "md": _markdown,
    "json": _card,
    "ipynb": _notebook,
}


def _taken(ending: str, found: Any) -> Writer:
    """The format of a plug-in (TypeError that says what is wrong)."""
    if not callable(found) or isinstance(found, type):
        raise TypeError(
            f"it must be a function of a wb.Audit that returns text or bytes, got "
            f"{_checks.shown(found)}"
        )

    def content(audit: Audit, workspace: Workspace | None, report: Report, form: Form) -> Any:
        try:
            made = found(audit)
        except Exception as error:  # other people's code
            raise ReportError(
                f"the format .{ending} of a plug-in failed: {type(error).__name__}: {error}; "
                f"choose another ending, {endings()}"
            ) from error
        if not isinstance(made, str | bytes):
            raise ReportError(
                f"the format .{ending} of a plug-in gave {_checks.shown(made)}, which is no text "
                f"and no bytes; choose another ending, {endings()}"
            )
        return made

    return content


#: The ending of a file -> what makes its content: ours, then those of plug-ins.
FORMATS: Registry[Writer] = Registry("workbench.report_formats", _FORMATS, _taken)


def endings() -> str:
    """The endings of reports, as messages list them."""
    return ", ".join(f".{name}" for name in FORMATS)


def _page(audit: Audit, workspace: Workspace | None) -> tuple[Page | None, str]:
    """The page of an audit, or why there is none."""
    if audit.live is not None:
        return audit.live, ""
    own = Workspace(base=workspace)  # what was saved with the audit is not added to the user's
    try:
        if workspace is not None and audit.key:
            with suppress(ArchiveError):  # of another archive
                bring_data(audit, workspace.audits.attachments(audit.key), own)
        return page_of(audit, own), ""
    except WorkspaceError as error:
        return None, (f"The charts show the state that was recorded and cannot be moved: {error}.")
