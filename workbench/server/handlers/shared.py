"""Request handlers of links: what somebody shares with whoever has the address.

A link is ``./shared/TOKEN``. Its page needs no sign-in and runs no script. Addresses that are
unknown, revoked or have ended get the same answer. The token is in no log and no referrer.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from workbench.assets.board import palette_css
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.dashboard.worker import WAITING
from workbench.progress import Report
from workbench.reports.forms import Form
from workbench.scores.sample import Scores
from workbench.server.background_work import BackgroundWork
from workbench.server.handlers.base import page_template
from workbench.server.handlers.downloads import (
    REPORT_ENDING,
    REPORT_KINDS,
    DownloadHandler,
    Made,
    file_name,
    is_report,
)
from workbench.server.handlers.static import STATIC
from workbench.server.network.headers import digest
from workbench.server.network.proxy import client_address
from workbench.server.network.rates import TokenBuckets, networks
from workbench.server.sharing.grant import Grant, NotSharedError, ShareKind
from workbench.server.sharing.grants import SOMEBODY
from workbench.server.sharing.lending import Lending
from workbench.server.sharing.lent import LentAudit
from workbench.server.work import files
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.workspace import Workspace

T = TypeVar("T")

_STYLE = palette_css()

#: What browsers do with the page of a link: they show it and the report in it, in no other frame.
POLICY = (
    f"default-src 'none'; style-src 'self' {digest(_STYLE)}; img-src 'self'; frame-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)

#: The report in it runs its own scripts, far from everything of the server.
REPORT_POLICY = "sandbox allow-scripts allow-popups allow-downloads; frame-ancestors 'self'"

#: Kinds of report that whoever has the link can download.
_KINDS = ("html", "pdf", "json")

_TEMPLATE = page_template("shared.html")

#: Addresses that do not work which one sender may try at once, and seconds until one more. Nobody
#: can guess a token of 256 bits; the bound keeps those who try from being a burden.
WRONG_AT_ONCE, EVERY = 60, 1.0

_GONE = "This link does not work. It was revoked, it has ended, or a part of it is missing."
_LATER = "There were too many links that do not work. Try again in a minute."


@dataclass(frozen=True)
class Seen:
    """What the page of a link shows.

    Parameters
    ----------
    share : Grant
    owner : str
        Name of the person who shares it; "" where people have none.
    dataset : DataSet or None
        The data set.
    audit : LentAudit or None
        The audit.
    """

    share: Grant
    owner: str
    dataset: DataSet | None = None
    audit: LentAudit | None = None


class LinkHandler(DownloadHandler):
    """Base class of handlers of links."""

    def initialize(self, background: BackgroundWork, guesses: TokenBuckets) -> None:  # type: ignore[override]
        """Take what makes reports, and what bounds wrong addresses."""
        super().initialize(background)
        self._guesses = guesses

    async def prepare(self) -> None:
        """Have browsers and search engines keep nothing, and tell the address to nobody."""
        await super().prepare()
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Robots-Tag", "noindex, nofollow")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Content-Security-Policy", POLICY)

    @property
    def lending(self) -> Lending:
        """What people of the server share."""
        lending: Lending = self.settings["lending"]
        return lending

    def key(self, path: str) -> str:
        """What names a file that is made; a link has no person."""
        return f"link {hashlib.sha256(path.encode()).hexdigest()}"

    @property
    def whose(self) -> str:
        """Who takes a share of the processes: everybody in one network, as nobody signs in."""
        return f"link {self._sender}"

    @property
    def _sender(self) -> str:
        """The network of the browser: one sender may have all of its addresses."""
        return networks(client_address(self.request, self.server))[0]

    @property
    def asked(self) -> str:
        """What was asked for, without the token."""
        return "/shared/..."

    async def found(self, token: str, look: Callable[[Grant], T]) -> T | None:
        """What a link shows; None if it does not work, which is answered here.

        Parameters
        ----------
        token : str
        look : callable
            Reads it, in a thread.
        """
        sender = self._sender
        seconds = self._guesses.wait(sender)
        if seconds > 0:
            self.set_header("Retry-After", str(math.ceil(seconds)))
            self.show(429, problem=_LATER)
            return None
        share = self.lending.grants.by_token(token)
        if share is not None:
            try:
                return await asyncio.get_running_loop().run_in_executor(WAITING, look, share)
            except (WorkspaceError, ArchiveError):  # its owner removed it
                pass
        self._guesses.take(sender)
        self.show(404, problem=_GONE)
        return None

    def show(self, status: int, **words: Any) -> None:
        """Send the page.

        Parameters
        ----------
        status : int
            Of HTTP.
        **words
            What is in it.
        """
        self.set_status(status)
        self.send_page(_TEMPLATE, POLICY, style=_STYLE, static=f".{STATIC}", **words)


class LinkPageHandler(LinkHandler):
    """Handler of the page of a link."""

    async def get(self, token: str) -> None:
        """Send the page."""
        seen = await self.found(token, self._look)
        if seen is None:
            return
        person = self.server.identity.person(self)
        more = {"share": seen.share, "owner": seen.owner, "dataset": seen.dataset}
        if seen.audit is not None:
            more["audit"] = seen.audit.summary
        elif "scores" in self.visitors.tabs:
            more["opens"] = f"../scores#shared={token}"
        self.show(200, token=token, signed_in=person is not None, **more)

    def _look(self, share: Grant) -> Seen:
        name = self.lending.grants.name_of(share.owner)
        owner = "" if name == SOMEBODY else name
        if share.kind is ShareKind.AUDIT:
            seen = Seen(share, owner, audit=_there(LentAudit(self.lending, share)))
        else:
            seen = Seen(share, owner, dataset=self.lending.dataset(share))
        self.lending.grants.note_opening(share)
        return seen


class LinkDataHandler(LinkHandler):
    """Handler of the scores of a link as csv."""

    async def get(self, token: str) -> None:
        """Send the scores."""
        found = await self.found(token, self._look)
        if found is None:
            return
        dataset, share = found

        def look() -> Scores:
            return self.lending.data_workspace(share).scores(share.key)

        def make(scores: Scores, report: Report) -> Made:
            content = self.elsewhere("Table of scores", files.scores_file, (scores,), report)
            return f"{file_name(dataset.name)}.csv", content

        await self.answer(look, make, "text/csv; charset=utf-8")

    def _look(self, share: Grant) -> tuple[DataSet, Grant]:
        return self.lending.dataset(share), share


class LinkReportHandler(LinkHandler):
    """Handler of the audit of a link as a report."""

    async def get(self, token: str, form: Form | None, kind: str) -> None:
        """Send the report; in HTML it is shown, in a frame of the page."""
        found = await self.found(token, partial(self._look, kind, form))
        if found is None:
            return

        def make(shown: Audit, report: Report) -> Made:
            # Nothing of the owner's workspace but what was saved with the audit.
            audit = replace(shown, key=found.grant.key)
            portable = files.PortableAudit.saved(audit, Workspace(), found.attachments())
            return self.report_of(portable, kind, form, report)

        await self.answer(found.audit, make, REPORT_KINDS[kind])

    def _look(self, kind: str, form: Form | None, share: Grant) -> LentAudit:
        if kind not in _KINDS or not is_report(kind, form):
            raise NotSharedError(share.kind)
        return _there(LentAudit(self.lending, share))

    async def send_file(self, content: bytes, name: str, media_type: str) -> None:
        """Send the report."""
        if not media_type.startswith("text/html"):
            await super().send_file(content, name, media_type)
            return
        self.set_header("Content-Type", media_type)
        self.set_header("Content-Security-Policy", REPORT_POLICY)
        self.clear_header("X-Frame-Options")
        await self.send_pieces(content)


def _there(audit: LentAudit) -> LentAudit:
    """The audit, once it was found (NotSharedError where its owner removed it)."""
    audit.lending.summary(audit.grant)
    return audit


def patterns() -> list[tuple[Any, ...]]:
    """Tornado routes of links."""
    # Threads of their own: whoever has a link delays no report of those who work here.
    given = {
        "guesses": TokenBuckets(WRONG_AT_ONCE, EVERY),
        "background": BackgroundWork("reports", at_once=1, places=8, patience=180),
    }
    return [
        (r"/shared/([A-Za-z0-9_-]{1,200})/scores\.csv", LinkDataHandler, given),
        (rf"/shared/([A-Za-z0-9_-]{{1,200}})/report{REPORT_ENDING}", LinkReportHandler, given),
        (r"/shared/([^/]{0,200})", LinkPageHandler, given),
    ]
