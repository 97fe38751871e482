"""`Visitors`: who sees which data sets.

A browser is known by a random cookie. The owner of the workspace on disk has opened the address
with its key, as `workbench serve` prints it; the data sets of everybody else are in memory.
"""

from __future__ import annotations

import getpass
import re
import secrets
import time
from collections.abc import Mapping
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass, field
from hmac import compare_digest
from threading import Lock

from workbench.audits.audit import Audit
from workbench.dashboard.bench import Bench
from workbench.dashboard.live_page import Later
from workbench.dashboard.sent import Sent
from workbench.dashboard.tab import Tab
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.core.page import Page
from workbench.workspaces.workspace import Workspace

#: Seconds for which the pages of a visitor stay alive after the last document was closed, so that
#: a reload finds them.
GRACE = 60.0

#: Seconds for which the data sets of a visitor are kept in memory, and of how many visitors.
KEPT = 12 * 3600.0
MOST = 500

#: What a cookie of ours looks like.
_WHO = re.compile(r"[A-Za-z0-9_-]{43}")

#: Name of the owner, which no cookie can have.
OWNER = "owner"


def user_name() -> str:
    """The name of the user of this computer; "" where the system does not know it."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return ""


@dataclass
class Place:
    """What the server keeps of a visitor."""

    workspace: Workspace
    bench: Bench | None = None
    used: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class Visit:
    """A document that is being made.

    Attributes
    ----------
    who : str
        The visitor.
    page : str
        Name of the page.
    text : str
        The page as this visitor left it; "" for its first state.
    sent : Sent
        What the document holds of the page.
    """

    who: str
    page: str
    text: str
    sent: Sent


class Visitors:
    """The visitors of a server.

    Parameters
    ----------
    tabs : mapping of str to Tab
        All pages by name.
    later : callable
        See `workbench.dashboard.live_page.Later`.
    base : Workspace, optional
        Data sets that all visitors share.
    own : Workspace, optional
        The workspace on disk, for its owner.
    key : str
        The key of the owner.
    grace : float
        See `GRACE`.
    """

    def __init__(
        self,
        tabs: Mapping[str, Tab],
        later: Later,
        base: Workspace | None = None,
        own: Workspace | None = None,
        key: str = "",
        grace: float = GRACE,
    ):
        self.tabs, self._later, self._base, self._grace = tabs, later, base, grace
        self._key = key
        self._places: dict[str, Place] = {}
        self._lock = Lock()
        self._own = own

    def is_key(self, given: str) -> bool:
        """True if this is the key of the owner."""
        return bool(self._key) and compare_digest(given.encode(), self._key.encode())

    def named(self, cookie: str) -> str:
        """The visitor of a cookie; a new one if it is not one of ours."""
        return cookie if _WHO.fullmatch(cookie) else secrets.token_urlsafe(32)

    def workspace(self, who: str) -> Workspace:
        """The data sets that a visitor sees."""
        with self._lock:
            place = self._places.get(who)
        if place is not None:
            return place.workspace
        return self._own if who == OWNER and self._own else Workspace(base=self._base)

    def known(self, who: str) -> bool:
        """True if a visitor has data sets or states of pages here."""
        with self._lock:
            return who in self._places or (who == OWNER and self._own is not None)

    def bench(self, who: str) -> Bench:
        """The bench of a visitor, made if it has to be."""
        with self._lock:
            place = self._places.get(who)
            if place is None:
                own = self._own if who == OWNER else None
                place = self._places[who] = Place(own or Workspace(base=self._base))
                self._forget_old()
            if place.bench is None:
                by = user_name() if who == OWNER else ""
                place.bench = Bench(place.workspace, self.tabs, self._later, by)
            place.used = time.monotonic()
            return place.bench

    def visit(self, who: str, page: str) -> Visit:
        """The document of a visitor, who may have been here before; takes a moment.

        Parameters
        ----------
        who : str
        page : str
            Name of the page.
        """
        sent = Sent()
        if page in self.tabs and self.known(who):
            bench = self.bench(who)
            if not bench.untouched(page):
                try:
                    text = bench.ask(page, lambda live: live.whole(sent))
                    return Visit(who, page, text, sent)
                except Late:  # it is at work; the connection brings the rest
                    pass
        first = self.tabs[page].first() if page in self.tabs else None
        return Visit(who, page, "", Sent(first.sent if first else None))

    def page(self, who: str, name: str) -> Page:
        """A copy of a page as a visitor left it; waits for what the page was asked before.

        Parameters
        ----------
        who : str
        name : str
            The page.

        Raises
        ------
        TimeoutError
            The page is at work.
        """
        if self.known(who):
            return self.bench(who).ask(name, lambda live: live.page.snapshot())
        shown = self.tabs[name].make(Workspace(base=self._base))
        shown.follow(shown.workspace.current)
        return shown

    def audit(self, name: str, shown: Page) -> Audit:
        """The audit that a page shows; takes a moment.

        Parameters
        ----------
        name : str
            The page.
        shown : Page
            See `page`.
        """
        fresh = self.tabs[name].make(shown.workspace)
        fresh.follow(shown.data_key or None)
        return audit_of(shown, fresh=fresh)

    def leave(self, who: str) -> None:
        """End the pages of a visitor whose last document was closed, after a while."""
        self._later(self._grace, lambda: self._leave(who))

    def _leave(self, who: str) -> None:
        with self._lock:
            place = self._places.get(who)
            if place is None or place.bench is None or place.bench.readers:
                return
            bench, place.bench = place.bench, None
        bench.end()

    def _forget_old(self) -> None:
        now = time.monotonic()
        for who, place in sorted(self._places.items(), key=lambda item: item[1].used):
            old = now - place.used > KEPT or len(self._places) > MOST
            if who != OWNER and place.bench is None and old:
                del self._places[who]
