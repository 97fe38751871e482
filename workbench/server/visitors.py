"""`Visitors`: who sees which data sets, and the live pages of everybody."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from typing import Any

from workbench.audits.audit import Audit
from workbench.dashboard.files import UploadFolder
from workbench.dashboard.limits import ServerLimits
from workbench.dashboard.live_page import Later
from workbench.dashboard.permissions import Permissions
from workbench.dashboard.sent import Sent
from workbench.dashboard.services import Services
from workbench.dashboard.sharing import AuditLookup, Sharing
from workbench.dashboard.tab import Tab
from workbench.dashboard.visitor.data_sets import data_sets, removed
from workbench.dashboard.visitor.session import VisitorSession
from workbench.following.following import Following
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.core.page import Page
from workbench.server.housekeeping import Housekeeping
from workbench.server.people.person import Person
from workbench.server.people_folders import PeopleFolders
from workbench.server.people_here import GRACE, PeopleHere, PersonHere
from workbench.server.sharing.lending import Lending
from workbench.server.sharing.lent import LentData
from workbench.server.sharing.person_sharing import PersonSharing
from workbench.server.work.runner import ProcessRunner
from workbench.workspaces.workspace import Workspace

#: Seconds for which the present role of a person is remembered.
FRESH = 1.0


@dataclass(frozen=True)
class Visit:
    """A document that is being made.

    Attributes
    ----------
    person : Person
        The visitor.
    page : str
        Name of the page.
    text : str
        The page as this visitor left it; "" for its first state.
    sent : Sent or None
        What the document holds of the page; None if that is not known.
    bench : mapping
        What it shows of the data sets and the history; see `OpenBrowsers.state`.
    """

    person: Person
    page: str
    text: str
    sent: Sent | None
    bench: Mapping[str, Any]


class Visitors:
    """The visitors of a server; all methods may be called from any thread.

    What a person has is in memory while a document of theirs is open, and for a while after.

    Parameters
    ----------
    tabs : mapping of str to Tab
        All pages by name.
    later : callable
        See `workbench.dashboard.live_page.Later`.
    homes : PeopleFolders, optional
        Where workspaces are; by default in a temporary folder.
    limits : ServerLimits, optional
        What one person may use.
    present : callable, optional
        A person as they are now; see `workbench.server.people.identity.Identity.present`.
    grace : float
        See `workbench.server.people_here.GRACE`.
    freed : callable, optional
        Called after the pages of somebody were put away.
    work : ProcessRunner, optional
        Has the jobs of pages done; by default threads of this process do.
    uploads : UploadFolder, optional
        Where uploads are put together; by default a temporary folder.
    following : Following, optional
        What follows the score file that everybody may watch. Then the pages of everybody are live
        from the first visit.
    """

    def __init__(
        self,
        tabs: Mapping[str, Tab],
        later: Later,
        homes: PeopleFolders | None = None,
        limits: ServerLimits | None = None,
        present: Callable[[Person], Person | None] = lambda person: person,
        grace: float = GRACE,
        freed: Callable[[], None] = lambda: None,
        work: ProcessRunner | None = None,
        uploads: UploadFolder | None = None,
        following: Following | None = None,
    ):
        self.following = following
        self.work = work
        self._uploads = UploadFolder() if uploads is None else uploads
        self.tabs, self._later = tabs, later
        self.homes = PeopleFolders() if homes is None else homes
        self.limits = ServerLimits() if limits is None else limits
        self._present = present
        self.here = PeopleHere(self.homes, self._permissions, later, grace, freed)
        self.housekeeping = Housekeeping(
            self.here, self.homes, lambda: self.limits, self._ask_role, freed, later
        )
        #: What people let each other read; None on a server where nobody shares.
        self.lending: Lending | None = None

    def known(self, person: Person) -> bool:
        """True if a visitor has data sets or states of pages here, or all pages are live."""
        if self.following is not None:
            return True
        here = self.here.find(person.key)
        return (here is not None and here.workspace is not None) or self.homes.exists(person)

    def require_document(self, person: Person) -> None:
        """Refuse a further document where too many are open (LimitError)."""
        self.here.require_document(person, self.limits)

    # -- what they have ----------------------------------------------------------------------------

    def may(self, person: Person) -> Permissions:
        """What a person may do, asked again whenever it matters."""
        here = self.here.find(person.key)
        return self._permissions(PersonHere(person, Permissions())) if here is None else here.may

    def workspace(self, person: Person) -> Workspace:
        """The data sets that a visitor sees."""
        return self.seen(person)[0]

    def seen(self, person: Person) -> tuple[Workspace, Sharing | None]:
        """The data sets that a visitor sees, and what they and others share."""
        if not self.known(person):
            return self._open(person, self.may(person))  # nothing is on the disk yet
        with self.here.held(person) as here:
            return self._workspace(here), here.sharing

    def audits(self, person: Person) -> AuditLookup:
        """The saved audits that a person may read: their own, and those of others."""
        workspace, sharing = self.seen(person)
        return AuditLookup(lambda: workspace.audits, sharing)

    def workspace_of(self, key: str) -> Workspace | None:
        """The workspace of the person with a key, who may be away; None where there is none.

        Parameters
        ----------
        key : str
            Of a person.
        """
        here = self.here.find(key)
        person = self.homes.person_of(key) if here is None else here.person
        if here is None and person is not None:
            person = self._present(person)
        return None if person is None else self.workspace(person)

    def bench(self, person: Person) -> VisitorSession:
        """The bench of a visitor, made if it has to be."""
        with self.here.held(person) as here:
            if here.bench is None:
                workspace = self._workspace(here)
                runner = self.work.of(person.key) if self.work else None
                services = Services(self._uploads, runner, here.sharing, here.may, self.following)
                here.bench = VisitorSession(
                    workspace, self.tabs, self._later, person.name, services
                )
            return here.bench

    def visit(self, person: Person, page: str) -> Visit:
        """The document of a visitor, who may have been here before; takes a moment.

        Parameters
        ----------
        person : Person
        page : str
            Name of the page.

        Raises
        ------
        LimitError
            Too many documents are open.
        """
        self.require_document(person)
        sent = Sent()
        if self.known(person) and page in self.tabs:
            bench = self.bench(person)
            if not bench.pages.untouched(page):
                try:
                    text = bench.pages.ask(page, lambda live: live.whole(sent))
                    return Visit(person, page, text, sent, bench.browsers.state())
                except Late:  # it is at work; the connection brings the rest
                    pass
        first = self.tabs[page].first() if page in self.tabs else None
        return Visit(person, page, "", Sent(first.sent if first else None), self._state(person))

    def _state(self, person: Person) -> dict[str, Any]:
        """What somebody sees of the data sets before they do something."""
        workspace, sharing = self.seen(person)
        return {
            "sets": data_sets(workspace, sharing),
            "current": workspace.current,
            "table": workspace.current_table,
            "where": workspace.storage.where,
            "problem": workspace.problem,
            "removed": removed(workspace),
            "may": self.may(person).state,
            "shares": sharing is not None,
            "people": sharing is not None and sharing.has_people,
        }

    def page(self, person: Person, name: str) -> Page:
        """A copy of a page as a visitor left it; waits for what the page was asked before.

        Parameters
        ----------
        person : Person
        name : str
            The page.

        Raises
        ------
        TimeoutError
            The page is at work.
        """
        if self.known(person):
            return self.bench(person).pages.ask(name, lambda live: live.page.snapshot())
        shown = self.tabs[name].make(self.workspace(person))
        shown.follow(shown.workspace.active.key(shown.takes))
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

    def end(self) -> bool:
        """Write everything, and let go of it: the server ends. False if not all was written."""
        self.housekeeping.end()
        whole = self.here.end_all()
        self.homes.close()
        return whole

    # -- steps -------------------------------------------------------------------------------------

    def _permissions(self, here: PersonHere) -> Permissions:
        def edits() -> bool:
            if time.monotonic() - here.asked >= FRESH and not self._ask_role(here):
                return False
            return here.person.role.edits

        return Permissions(self.limits, edits, here.person.name)

    def _ask_role(self, here: PersonHere) -> bool:
        """Whether a person may still come; their present role is noted."""
        now = self._present(here.person)
        here.asked = time.monotonic()
        if now is None:
            self.here.end(here.person.key)
            return False
        changed, here.person = now.role != here.person.role, now
        if changed and here.bench is not None:
            here.bench.browsers.show("may")
        return True

    def _workspace(self, here: PersonHere) -> Workspace:
        if here.workspace is None:
            here.workspace, here.sharing = self._open(here.person, here.may)
            if self.lending is not None:
                self.lending.opened(here.person.key, here.workspace)
        return here.workspace

    def _open(self, person: Person, may: Permissions) -> tuple[Workspace, Sharing | None]:
        if self.lending is None:
            return self.homes.open(person, may), None
        lent = LentData(self.lending, person, self.homes.base)
        workspace = self.homes.open(person, may, lent)
        return workspace, PersonSharing(self.lending, person, workspace)
