"""`Visitors`: who sees which data sets, and the live pages of everybody."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, Protocol

from workbench._process import memory_in_use
from workbench.audits.audit import Audit
from workbench.dashboard.bench import Bench, data_sets, removed
from workbench.dashboard.files import UploadFolder
from workbench.dashboard.limits import LimitError, ServerLimits
from workbench.dashboard.live_page import Later
from workbench.dashboard.permissions import Permissions, size_words
from workbench.dashboard.sent import Sent
from workbench.dashboard.services import Services
from workbench.dashboard.sharing import AuditLookup, Sharing
from workbench.dashboard.tab import Tab
from workbench.dashboard.worker import Turns
from workbench.following.following import Following
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.core.page import Page
from workbench.server.homes import Homes
from workbench.server.people.person import Person
from workbench.server.sharing.lending import Lending
from workbench.server.sharing.lent import LentData
from workbench.server.sharing.person_sharing import PersonSharing
from workbench.server.work.runner import ProcessRunner
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

#: Seconds for which the pages of a visitor stay alive after the last document was closed, so that
#: a reload finds them.
GRACE = 60.0

#: Seconds between two looks at roles and at idle documents, and at what visitors left behind.
LOOK, TIDY = 5.0, 600.0

#: Seconds for which the present role of a person is remembered.
FRESH = 1.0

#: Seconds without a gesture after which pages make room for others, and between two times at
#: which room is made: memory is free some seconds after the pages were put away.
UNUSED, ROOM = 60.0, 20.0

KEPT = "Your data sets and settings are kept: reload the page to go on."

SIGNED_OUT = "You were signed out. What you had is kept: reload the page to sign in again."


class Document(Protocol):
    """An open document of a visitor.

    Attributes
    ----------
    used : float
        Time of the last gesture, as of `time.monotonic`.
    """

    used: float

    def put_away(self, words: str) -> None:
        """Say why the document is closed, and close it; may be called in any thread."""


@dataclass
class Place:
    """What the server has of a person who is here.

    Attributes
    ----------
    person : Person
        As they are now.
    may : Permissions
    workspace : Workspace or None
        Opened when it is needed.
    sharing : Sharing or None
        What they share, and what others share with them.
    bench : Bench or None
        Made when the person first does something.
    documents : list of Document
    used : float
        Time at which something was last asked for, as of `time.monotonic`.
    """

    person: Person
    may: Permissions
    workspace: Workspace | None = None
    sharing: Sharing | None = None
    bench: Bench | None = None
    documents: list[Document] = field(default_factory=list)
    used: float = field(default_factory=time.monotonic)
    asked: float = -FRESH  # when the role was last asked for
    waits: bool = False  # whether it is looked at after the grace
    gone: bool = False
    lock: Any = field(default_factory=RLock)

    @property
    def works(self) -> bool:
        """Whether a job of the person runs or waits."""
        return self.bench is not None and self.bench.jobs_running > 0

    @property
    def last_used(self) -> float:
        """Time of the last gesture, as of `time.monotonic`."""
        return max([self.used, *(document.used for document in list(self.documents))])


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
        What it shows of the data sets and the history; see `Bench.state`.
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
    homes : Homes, optional
        Where workspaces are; by default in a temporary folder.
    limits : ServerLimits, optional
        What one person may use.
    present : callable, optional
        A person as they are now; see `workbench.server.people.identity.Identity.present`.
    grace : float
        See `GRACE`.
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
        homes: Homes | None = None,
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
        self.tabs, self._later, self._grace, self._freed = tabs, later, grace, freed
        self.homes = Homes() if homes is None else homes
        self.limits = ServerLimits() if limits is None else limits
        self._present = present
        self._places: dict[str, Place] = {}
        self._lock = Lock()
        self._turns = Turns()  # of the housekeeping
        self._tidied = -TIDY
        self._room_made, self._released = -ROOM, False
        self._ended = False
        #: What people let each other read; None on a server where nobody shares.
        self.lending: Lending | None = None

    def start(self) -> None:
        """Begin to look after idle documents and changed roles."""
        self._later(LOOK, lambda: self._turns.submit(self._look, True))

    # -- who is here -------------------------------------------------------------------------------

    @property
    def people(self) -> int:
        """The number of people who have a document open."""
        with self._lock:
            return sum(bool(place.documents) for place in self._places.values())

    @property
    def documents(self) -> int:
        """The number of open documents."""
        with self._lock:
            return sum(len(place.documents) for place in self._places.values())

    def enter(self, person: Person, document: Document) -> None:
        """A document of a person was opened.

        Parameters
        ----------
        person : Person
        document : Document
        """
        with self._held(person) as place:
            place.documents.append(document)

    def leave(self, person: Person, document: Document) -> None:
        """A document was closed; after the last one, all is put away after a while.

        Parameters
        ----------
        person : Person
        document : Document
        """
        with self._lock:
            place = self._places.get(person.key)
        if place is not None and document in place.documents:
            place.documents.remove(document)
            place.used = time.monotonic()
            self._look_later(place)

    def known(self, person: Person) -> bool:
        """True if a visitor has data sets or states of pages here, or all pages are live."""
        if self.following is not None:
            return True
        with self._lock:
            place = self._places.get(person.key)
        return (place is not None and place.workspace is not None) or self.homes.exists(person)

    def require_document(self, person: Person) -> None:
        """Refuse a further document where too many are open.

        Parameters
        ----------
        person : Person

        Raises
        ------
        LimitError
        """
        with self._lock:
            place = self._places.get(person.key)
            own = 0 if place is None else len(place.documents)
            everybody = sum(len(one.documents) for one in self._places.values())
        if own >= self.limits.pages_each:
            raise LimitError(
                f"You have {own:,} pages of the workbench open, as many as this server allows: "
                "close some",
                "--max-pages-each",
            )
        if everybody >= self.limits.pages:
            raise LimitError(
                f"{everybody:,} pages of the workbench are open on this server, as many as it "
                "allows: try again when somebody has left",
                "--max-pages",
            )
        if everybody and memory_in_use() > self.limits.memory:
            raise LimitError(
                f"The pages that are open have {size_words(self.limits.memory)} of memory, as much "
                "as this server allows: try again when somebody has left",
                "--max-memory",
            )

    # -- what they have ----------------------------------------------------------------------------

    def may(self, person: Person) -> Permissions:
        """What a person may do, asked again whenever it matters."""
        with self._lock:
            place = self._places.get(person.key)
        return self._permissions(Place(person, Permissions())) if place is None else place.may

    def workspace(self, person: Person) -> Workspace:
        """The data sets that a visitor sees."""
        return self.seen(person)[0]

    def seen(self, person: Person) -> tuple[Workspace, Sharing | None]:
        """The data sets that a visitor sees, and what they and others share."""
        if not self.known(person):
            return self._open(person, self.may(person))  # nothing is on the disk yet
        with self._held(person) as place:
            return self._workspace(place), place.sharing

    def audits(self, person: Person) -> AuditLookup:
        """The saved audits that a person may read: their own, and those of others.

        Parameters
        ----------
        person : Person
        """
        workspace, sharing = self.seen(person)
        return AuditLookup(lambda: workspace.audits, sharing)

    def workspace_of(self, key: str) -> Workspace | None:
        """The workspace of the person with a key, who may be away; None where there is none.

        Parameters
        ----------
        key : str
            Of a person.
        """
        with self._lock:
            place = self._places.get(key)
        person = self.homes.person_of(key) if place is None else place.person
        if place is None and person is not None:
            person = self._present(person)
        return None if person is None else self.workspace(person)

    def bench(self, person: Person) -> Bench:
        """The bench of a visitor, made if it has to be."""
        with self._held(person) as place:
            if place.bench is None:
                workspace = self._workspace(place)
                runner = self.work.of(person.key) if self.work else None
                services = Services(self._uploads, runner, place.sharing, place.may, self.following)
                place.bench = Bench(workspace, self.tabs, self._later, person.name, services)
            return place.bench

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
            if not bench.untouched(page):
                try:
                    text = bench.ask(page, lambda live: live.whole(sent))
                    return Visit(person, page, text, sent, bench.state())
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
            "where": workspace.where,
            "problem": workspace.problem,
            "removed": removed(workspace),
            "may": self.may(person).state,
            "shares": sharing is not None,
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
            return self.bench(person).ask(name, lambda live: live.page.snapshot())
        shown = self.tabs[name].make(self.workspace(person))
        shown.follow(shown.workspace.in_view(shown.takes))
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

    # -- the end -----------------------------------------------------------------------------------

    def end_person(self, key: str, words: str = SIGNED_OUT) -> None:
        """Close all documents of a person at once, and put away what they had.

        Parameters
        ----------
        key : str
            Of the person.
        words : str
            What the documents say.
        """
        with self._lock:
            place = self._places.get(key)
        if place is not None:
            for document in list(place.documents):
                document.put_away(words)
            place.documents.clear()
            self._put_away(place)

    def jobs_running(self) -> int:
        """How many jobs run or wait on the pages of everybody."""
        return sum(bench.jobs_running for bench in self._benches())

    def settle(self, seconds: float) -> bool:
        """Wait until all pages have done what they were asked; False if it takes longer.

        Parameters
        ----------
        seconds : float
        """
        deadline = time.monotonic() + seconds
        return all(bench.settle(deadline - time.monotonic()) for bench in self._benches())

    def end(self) -> None:
        """Write everything, and let go of it: the server ends."""
        self._ended = True
        with self._lock:
            places = list(self._places.values())
        for place in places:
            place.documents.clear()
            self._put_away(place)
        self.homes.close()

    def _benches(self) -> list[Bench]:
        with self._lock:
            places = list(self._places.values())
        return [place.bench for place in places if place.bench is not None]

    # -- steps -------------------------------------------------------------------------------------

    def _held(self, person: Person) -> _Held:
        return _Held(self, person)

    def _place(self, person: Person) -> Place:
        with self._lock:
            place = self._places.get(person.key)
            if place is None:
                place = self._places[person.key] = Place(person, Permissions())
                place.may = self._permissions(place)
            return place

    def _permissions(self, place: Place) -> Permissions:
        def edits() -> bool:
            if time.monotonic() - place.asked >= FRESH and not self._ask_role(place):
                return False
            return place.person.role.edits

        return Permissions(self.limits, edits, place.person.name)

    def _ask_role(self, place: Place) -> bool:
        """Whether a person may still come; their present role is noted."""
        now = self._present(place.person)
        place.asked = time.monotonic()
        if now is None:
            self.end_person(place.person.key)
            return False
        changed, place.person = now.role != place.person.role, now
        if changed and place.bench is not None:
            place.bench.show("may")
        return True

    def _workspace(self, place: Place) -> Workspace:
        if place.workspace is None:
            place.workspace, place.sharing = self._open(place.person, place.may)
            if self.lending is not None:
                self.lending.opened(place.person.key, place.workspace)
        return place.workspace

    def _open(self, person: Person, may: Permissions) -> tuple[Workspace, Sharing | None]:
        if self.lending is None:
            return self.homes.open(person, may), None
        lent = LentData(self.lending, person, self.homes.base)
        workspace = self.homes.open(person, may, lent)
        return workspace, PersonSharing(self.lending, person, workspace)

    def _look(self) -> None:
        """Put away idle documents, notice changed roles, and delete what visitors left."""
        with self._lock:
            places = list(self._places.values())
        try:
            for place in places:
                if place.documents and place.person.signed_in:
                    self._ask_role(place)
                self._put_away_idle(place)
            self._make_room(places)
            if time.monotonic() - self._tidied >= TIDY:
                self._tidied = time.monotonic()
                for place in places:
                    self.homes.visited(place.person)
                self.homes.tidy([place.person.key for place in places])
        except Exception:
            logger.exception("the pages of visitors could not be looked after")
        if not self._ended:
            self.start()

    def _put_away_idle(self, place: Place) -> None:
        long_ago = time.monotonic() - self.limits.idle
        idle = [document for document in list(place.documents) if document.used < long_ago]
        if idle and not place.works:
            for document in idle:
                document.put_away(
                    f"Put away after {duration(self.limits.idle)} without use. {KEPT}"
                )
                self.leave(place.person, document)

    def _make_room(self, places: Sequence[Place]) -> None:
        """Put away what was used least recently, where the pages have too much memory."""
        now, enough = time.monotonic(), memory_in_use() <= self.limits.memory
        if enough or now < self._room_made + ROOM:
            self._released = self._released and not enough
            return
        if not self._released:  # it may be that little of it is in use
            self._released, self._room_made = True, now
            self._freed()
            return
        made = [one for one in places if one.bench is not None and not one.works]
        unused = [one for one in made if one.last_used < now - UNUSED]
        unused.sort(key=lambda one: one.last_used)
        for place in unused[: math.ceil(len(unused) / 4)]:
            logger.info("pages were put away for want of memory", extra={"event": "made_room"})
            self.end_person(place.person.key, f"Put away to make room for others. {KEPT}")
        if unused:
            self._room_made = now

    def _look_later(self, place: Place) -> None:
        """Put away what a person has, once no document was open for the grace."""
        if place.waits or place.gone:
            return
        place.waits = True

        def look() -> None:
            place.waits = False
            if not place.documents:
                if time.monotonic() - place.used < self._grace:
                    self._look_later(place)
                else:
                    self._turns.submit(lambda: self._put_away(place), True)

        self._later(max(0.0, place.used + self._grace - time.monotonic()), look)

    def _put_away(self, place: Place) -> None:
        """Write what a person has, and let go of it, unless the disk does not take it."""
        with place.lock:
            if place.documents or place.gone:
                return
            bench, place.bench = place.bench, None
            if bench is not None:
                bench.end()
            workspace = place.workspace
            if workspace is not None:
                self.homes.visited(place.person)
                if workspace is self.homes.own:
                    workspace.rest()
                else:
                    workspace.flush()
                    if workspace.waiting and not self._ended:
                        place.used = time.monotonic()
                        self._look_later(place)
                        return
                    workspace.close()
            place.workspace, place.sharing, place.gone = None, None, True
            with self._lock:
                del self._places[place.person.key]
        self._freed()


class _Held:
    """Context with the place of a person, which is not put away meanwhile, nor right after it."""

    def __init__(self, visitors: Visitors, person: Person):
        self._visitors, self._person = visitors, person

    def __enter__(self) -> Place:
        while True:
            self._place = self._visitors._place(self._person)
            self._place.lock.acquire()
            if not self._place.gone:
                self._place.used = time.monotonic()
                return self._place
            self._place.lock.release()

    def __exit__(self, *error: object) -> None:
        self._place.lock.release()
        if not self._place.documents:
            self._visitors._look_later(self._place)


def duration(seconds: float) -> str:
    """A time as people say it, such as "2 hours"."""
    for unit, name in ((3600.0, "hour"), (60.0, "minute"), (1.0, "second")):
        if seconds >= unit:
            number = seconds / unit
            return f"{number:g} {name}{'' if number == 1 else 's'}"
    return f"{seconds:g} seconds"
