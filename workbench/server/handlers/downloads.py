"""Request handlers of what people download, and of texts that are the same for everybody."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, TypeVar

from tornado.web import HTTPError

from workbench import _json
from workbench.assets import share
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.dashboard.limits import LimitError
from workbench.dashboard.tab import IMPORT
from workbench.pages.core.jobs import JobEnded
from workbench.pages.core.page import Item, Page
from workbench.pages.core.upload import Download, NothingOffered, offered_file
from workbench.pages.registry import PAGES
from workbench.progress import Report
from workbench.reports.errors import ReportError
from workbench.reports.forms import DOCUMENTS, FORMS, Form
from workbench.scores.sample import Scores
from workbench.server.background_work import BackgroundWork, BusyError
from workbench.server.handlers.base import Handler
from workbench.server.work import files
from workbench.server.work.runner import InServer, ProcessRunner
from workbench.software.extras import MissingPackage
from workbench.workspaces.errors import WorkspaceError

logger = logging.getLogger(__name__)

P = TypeVar("P")

#: The name of a file, and its content.
Made = tuple[str, bytes]

#: Files that an audit can be read in, and their media types.
REPORT_KINDS = {
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "ipynb": "application/x-ipynb+json; charset=utf-8",
}

#: The end of the address of a report: a kind, or a form and a kind, such as ``/one-page.pdf``.
REPORT_ENDING = rf"(?:/({'|'.join(FORMS)}))?\.([a-z]+)"

_NUMBER = re.compile(r"\d+(\.\d+)?")


#: Characters that the name of a file has at most of each of its parts.
_LONGEST = 60


def file_name(*parts: str) -> str:
    """Parts as the name of a file, without its ending: letters, digits, ``-``, ``_`` and ``.``."""
    kept = (re.sub(r"[^\w.-]+", "-", part)[:_LONGEST].strip(".-") for part in parts)
    return "-".join(filter(None, kept)) or "file"


def is_report(kind: str, form: str | None) -> bool:
    """Whether there is such a report; None is the form that every kind has."""
    return kind in REPORT_KINDS and (form is None or kind in DOCUMENTS)


class DownloadHandler(Handler):
    """Base class of handlers of what is made in the background; errors are plain words."""

    def initialize(self, background: BackgroundWork) -> None:
        """Take what makes it."""
        self._background = background

    def refuse(self, status: int, words: str) -> None:
        """Answer in words why there is no file."""
        self.set_status(status)
        self.send_words(words)

    @property
    def whose(self) -> str:
        """Key of the person whose share of the processes it takes."""
        return self.person.key

    _making: asyncio.Task[Made] | None = None

    def key(self, path: str) -> str:
        """What names a file that is made for this visitor, by the end of its address."""
        return f"{self.person.key} {'/'.join(path.rsplit('/', 2)[-2:])}"

    def on_connection_close(self) -> None:
        """Stop making what nobody waits for."""
        if self._making is not None:
            self._making.cancel()

    def elsewhere(
        self, title: str, function: Callable[..., bytes], given: tuple[Any, ...], report: Report
    ) -> bytes:
        """What a function makes in a process of its own; waits for it.

        Parameters
        ----------
        title : str
            What it makes, in words.
        function : callable
            Of `workbench.server.work.files`.
        given : tuple
            What it is called with.
        report : Report
        """
        makes: InServer | ProcessRunner = self.settings["makes"]
        made: bytes = makes.run(self.whose, title, function, given, report)
        return made

    def report_of(
        self, portable: files.PortableAudit, kind: str, form: Form | None, report: Report
    ) -> Made:
        """The name and the content of a report.

        Parameters
        ----------
        portable : PortableAudit
        kind : str
            A key of `REPORT_KINDS`.
        form : str or None
            One of `FORMS`; None for the complete report.
        report : Report
        """
        form = form or "complete"
        audit = portable.audit
        subject = audit.name or next((data.name for data in audit.data), "")
        content = self.elsewhere("Report", files.report_file, (portable, kind, form), report)
        name = file_name(audit.page, subject, "" if form == "complete" else form)
        return f"{name}.{kind}", content

    async def answer(
        self, look: Callable[[], P], make: Callable[[P, Report], Made], media_type: str
    ) -> None:
        """Send what was made in the background, or say why there is nothing.

        Parameters
        ----------
        look, make : callable
            See `BackgroundWork.made`; what is made is the name of a file and its content.
        media_type : str
        """
        try:
            making = self._background.made(look, make, self.key(self.request.path), self.whose)
            self._making = asyncio.create_task(making)
            name, content = await self._making
            await self.send_file(content, name, media_type)
        except asyncio.CancelledError:
            logger.info("%s was cancelled", self.asked)
        except BusyError as busy:
            self.set_header("Retry-After", "60")
            self.refuse(503, str(busy))
        except (LimitError, JobEnded) as limit:
            logger.warning("%s was refused: %s", self.asked, limit)
            self.refuse(503, f"this could not be made: {limit}")
        except (WorkspaceError, ArchiveError, NothingOffered) as gone:
            self.refuse(404, str(gone))
        except (ReportError, MissingPackage) as error:  # what is missing, and how to install it
            logger.warning("%s was refused: %s", self.asked, error)
            self.refuse(501, str(error))
        except Exception:
            logger.exception("%s could not be made", self.asked)
            self.refuse(500, "this could not be made; the log of the server says why")


class DataHandler(DownloadHandler):
    """Handler of the scores of a data set as csv, for the visitor whose it is."""

    async def get(self, key: str) -> None:
        """Send the scores."""
        workspace = self.visitors.workspace(self.person)

        def look() -> tuple[str, Scores]:
            return workspace.dataset(key).name, workspace.scores(key)

        def make(seen: tuple[str, Scores], report: Report) -> Made:
            name, scores = seen
            content = self.elsewhere("Table of scores", files.scores_file, (scores,), report)
            return f"{file_name(name)}.csv", content

        await self.answer(look, make, "text/csv; charset=utf-8")


class PageDownloadHandler(DownloadHandler):
    """Base class of handlers of what is made from a page, for the visitor whose page it is."""

    async def answer_from(
        self, page: str, make: Callable[[Page, Report], Made], media_type: str
    ) -> None:
        """Send what is made from the page that is in view.

        Parameters
        ----------
        page : str
        make : callable
            Returns the name of a file and its content.
        media_type : str
        """
        look = partial(self.visitors.page, self.person, page)
        await self.answer(look, make, media_type)

    def item(self, page: str, name: str, kind: Literal["figure", "number"]) -> Item:
        """An item of a page; a page or an item that is not there is answered with 404."""
        tab = self.visitors.tabs.get(page)
        items = [] if tab is None or page == IMPORT else tab.kind.items()
        for item in items:
            if (item.name, item.kind) == (name, kind):
                found: Item = item
                return found
        raise HTTPError(404)


class ReportHandler(PageDownloadHandler):
    """Handler of a page as a report."""

    async def get(self, page: str, form: Form | None, kind: str) -> None:
        """Send the report."""
        known = page in self.visitors.tabs and page in PAGES and page != IMPORT
        if not known or not is_report(kind, form):
            raise HTTPError(404)

        def make(shown: Page, report: Report) -> Made:
            audit = self.visitors.audit(page, shown)
            return self.report_of(files.PortableAudit.of_page(audit), kind, form, report)

        await self.answer_from(page, make, REPORT_KINDS[kind])


class ProgressHandler(DownloadHandler):
    """Handler of how far a report is, for the visitor for whom it is made."""

    def get(self) -> None:
        """Send the share that is done as JSON."""
        key = self.key(self.get_query_argument("of", ""))
        self.set_header("Cache-Control", "no-store")
        self.write({"fraction": self._background.fraction(key)})


class SavedReportHandler(DownloadHandler):
    """Handler of a saved audit as a report, for the visitor who can see it."""

    async def get(self, key: str, form: Form | None, kind: str) -> None:
        """Send the report."""
        if not is_report(kind, form):
            raise HTTPError(404)
        workspace, audits = self.visitors.workspace(self.person), self.visitors.audits(self.person)

        def make(audit: Audit, report: Report) -> Made:
            attachments = audits.attachments(key)
            portable = files.PortableAudit.saved(audit, workspace, attachments)
            return self.report_of(portable, kind, form, report)

        def look() -> Audit:
            return audits.audit(key)

        await self.answer(look, make, REPORT_KINDS[kind])


class FigureHandler(PageDownloadHandler):
    """Handler of a chart as a file for a paper, or of its data."""

    async def get(self, page: str, name: str, kind: str) -> None:
        """Send the file."""
        item = self.item(page, name, "figure")
        if kind not in share.FIGURE_KINDS:
            raise HTTPError(404)
        family = self.get_query_argument("family", "serif")
        asked = self.get_query_argument("width", "3.3")
        width: Any = float(asked) if _NUMBER.fullmatch(asked) else asked
        try:
            share.check_figure_file(kind, width, family)
        except ValueError as error:
            self.refuse(400, str(error))
            return

        def figure(shown: Page, report: Report) -> Made:
            drawn = shown.draw(item), kind, width, family
            content = self.elsewhere("Chart", files.figure_file, drawn, report)
            return f"{file_name(page, name)}.{kind}", content

        await self.answer_from(page, figure, share.FIGURE_KINDS[kind])


class NumberHandler(PageDownloadHandler):
    """Handler of a number as texts that people copy."""

    async def get(self, page: str, name: str) -> None:
        """Send the texts."""
        item = self.item(page, name, "number")

        def texts(shown: Page, report: Report) -> Made:
            return f"{name}.json", _json.dumps_ascii(share.number_texts(shown, item)).encode()

        await self.answer_from(page, texts, "application/json; charset=utf-8")


class OfferedHandler(PageDownloadHandler):
    """Handler of a file that a page offers by a button."""

    async def get(self, page: str, control: str) -> None:
        """Send the file."""
        tab = self.visitors.tabs.get(page)
        if tab is None or page == IMPORT or control not in tab.kind.parameters_of_type(Download):
            raise HTTPError(404)

        def offered(shown: Page, report: Report) -> Made:
            made = offered_file(shown, control)
            return made.name, made.content

        await self.answer_from(page, offered, tab.kind.param[control].media_type)


class TextHandler(Handler):
    """Handler of JSON that is the same for everybody."""

    def initialize(self, texts: Mapping[str, Callable[[], str]]) -> None:
        """Take functions that return the texts, by their names."""
        self._texts = texts

    def get(self, name: str) -> None:
        """Send a text; a browser that has it asks whether it is still the same."""
        if name not in self._texts:
            raise HTTPError(404)
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.set_header("Cache-Control", "no-cache")
        self.write(self._texts[name]())


def patterns(texts: Mapping[str, Callable[[], str]]) -> list[tuple[Any, ...]]:
    """Tornado routes of what is neither a page nor a file.

    Parameters
    ----------
    texts : mapping of str to callable
        See `TextHandler`.
    """
    reports = {"background": BackgroundWork("reports", at_once=2, places=8, patience=180)}
    charts = {"background": BackgroundWork("charts", at_once=2, places=16, patience=60)}
    tables = {"background": BackgroundWork("tables of scores", at_once=2, places=16, patience=180)}
    words = {"background": BackgroundWork("texts", at_once=1, places=32, patience=30, each=8)}
    return [
        (r"/data/([^/]+)\.csv", DataHandler, tables),
        (rf"/report/([a-z]+){REPORT_ENDING}", ReportHandler, reports),
        (rf"/report/audit/([^/]+?){REPORT_ENDING}", SavedReportHandler, reports),
        (r"/figure/([a-z]+)/([a-z0-9_]+)\.([a-z]+)", FigureHandler, charts),
        (r"/offered/([a-z]+)/([a-z0-9_]+)", OfferedHandler, tables),
        (r"/texts/([a-z]+)/([a-z0-9_]+)\.json", NumberHandler, words),
        (r"/progress\.json", ProgressHandler, reports),
        (r"/([a-z]+)\.json", TextHandler, {"texts": texts}),
    ]
