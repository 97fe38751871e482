"""`PeopleHere`: the people who have documents open, or had some a moment ago."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, Protocol

from workbench.dashboard.limits import LimitError, ServerLimits
from workbench.dashboard.live_page import Later
from workbench.dashboard.permissions import Permissions, size_words
from workbench.dashboard.sharing import Sharing
from workbench.dashboard.visitor.session import VisitorSession
from workbench.dashboard.worker import Turns
from workbench.processes.family import memory_in_use
from workbench.server.people.person import Person
from workbench.server.people_folders import PeopleFolders
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

#: Seconds for which the pages of a visitor stay alive after the last document was closed, so that
#: a reload finds them.
GRACE = 60.0

#: Times at which documents that came meanwhile are closed, too.
_ROUNDS = 10

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
class PersonHere:
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
    bench : VisitorSession or None
        Made when the person first does something.
    documents : list of Document
    used : float
        Time at which something was last asked for, as of `time.monotonic`.
    """

    person: Person
    may: Permissions
    workspace: Workspace | None = None
    sharing: Sharing | None = None
    bench: VisitorSession | None = None
    documents: list[Document] = field(default_factory=list)
    used: float = field(default_factory=time.monotonic)
    asked: float = float("-inf")  # when the role was last asked for
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


class PeopleHere:
    """The people who have documents open, or had some a moment ago.

    All methods may be called from any thread.

    Parameters
    ----------
    homes : PeopleFolders
        Where workspaces are.
    permissions : callable
        What somebody who comes may do.
    later : callable
        See `workbench.dashboard.live_page.Later`.
    grace : float
        See `GRACE`.
    freed : callable
        Called after the pages of somebody were put away.
    """

    def __init__(
        self,
        homes: PeopleFolders,
        permissions: Callable[[PersonHere], Permissions],
        later: Later,
        grace: float,
        freed: Callable[[], None],
    ):
        self._homes, self._permissions, self._later = homes, permissions, later
        self._grace, self._freed = grace, freed
        self._by_key: dict[str, PersonHere] = {}
        self._lock = Lock()
        self._turns = Turns()
        self._ended = False

    def __iter__(self) -> Iterator[PersonHere]:
        with self._lock:
            return iter(list(self._by_key.values()))

    def find(self, key: str) -> PersonHere | None:
        """What the server has of the person with a key; None for nobody who is here."""
        with self._lock:
            return self._by_key.get(key)

    @property
    def people(self) -> int:
        """The number of people who have a document open."""
        return sum(bool(one.documents) for one in self)

    @property
    def documents(self) -> int:
        """The number of open documents."""
        return sum(len(one.documents) for one in self)

    def require_document(self, person: Person, limits: ServerLimits) -> None:
        """Refuse a further document where too many are open.

        Raises
        ------
        LimitError
        """
        here = self.find(person.key)
        own, everybody = 0 if here is None else len(here.documents), self.documents
        if own >= limits.pages_each:
            raise LimitError(
                f"You have {own:,} pages of the workbench open, as many as this server allows: "
                "close some",
                "--max-pages-each",
            )
        if everybody >= limits.pages:
            raise LimitError(
                f"{everybody:,} pages of the workbench are open on this server, as many as it "
                "allows: try again when somebody has left",
                "--max-pages",
            )
        if everybody and memory_in_use() > limits.memory:
            raise LimitError(
                f"The pages that are open have {size_words(limits.memory)} of memory, as much "
                "as this server allows: try again when somebody has left",
                "--max-memory",
            )

    # -- who comes and goes ------------------------------------------------------------------------

    @contextmanager
    def held(self, person: Person) -> Iterator[PersonHere]:
        """Context with what the server has of a person, which stays meanwhile, and for a while."""
        while True:
            here = self._come(person)
            here.lock.acquire()
            if not here.gone:
                break
            here.lock.release()
        here.used = time.monotonic()
        try:
            yield here
        finally:
            here.lock.release()
            if not here.documents:
                self._look_later(here)

    def _come(self, person: Person) -> PersonHere:
        with self._lock:
            here = self._by_key.get(person.key)
            if here is None:
                here = self._by_key[person.key] = PersonHere(person, Permissions())
                here.may = self._permissions(here)
            return here

    def enter(self, person: Person, document: Document) -> None:
        """A document of a person was opened."""
        with self.held(person) as here:
            here.documents.append(document)

    def leave(self, person: Person, document: Document) -> None:
        """A document was closed; after the last one, all is put away after a while."""
        here = self.find(person.key)
        if here is not None and document in here.documents:
            here.documents.remove(document)
            here.used = time.monotonic()
            self._look_later(here)

    def end(self, key: str, words: str = SIGNED_OUT) -> None:
        """Close all documents of a person at once, and put away what they had.

        Parameters
        ----------
        key : str
            Of the person.
        words : str
            What the documents say.
        """
        here = self.find(key)
        if here is not None:
            for _ in range(_ROUNDS):
                for document in list(here.documents):
                    document.put_away(words)
                    with suppress(ValueError):  # it has left by itself
                        here.documents.remove(document)
            self._put_away(here)

    def end_all(self) -> bool:
        """Write everything, and let go of it: the server ends. False if not all was written."""
        self._ended, whole = True, True
        for here in self:
            here.documents.clear()
            try:
                whole = self._put_away(here) and whole
            except Exception:  # what others have is written all the same
                logger.exception("what somebody has could not be written")
                whole = False
        return whole

    # -- what they do ------------------------------------------------------------------------------

    def jobs_running(self) -> int:
        """How many jobs run or wait on the pages of everybody."""
        return sum(one.bench.jobs_running for one in self if one.bench is not None)

    def settle(self, seconds: float) -> bool:
        """Wait until all pages have done what they were asked; False if it takes longer."""
        deadline = time.monotonic() + seconds
        benches = [one.bench for one in self if one.bench is not None]
        return all(bench.settle(deadline - time.monotonic()) for bench in benches)

    # -- steps -------------------------------------------------------------------------------------

    def _look_later(self, here: PersonHere) -> None:
        """Put away what a person has, once no document was open for the grace."""
        if here.waits or here.gone:
            return
        here.waits = True

        def put_away() -> None:
            self._put_away(here)

        def look() -> None:
            here.waits = False
            if not here.documents:
                if time.monotonic() - here.used < self._grace:
                    self._look_later(here)
                else:
                    self._turns.submit(put_away, True)

        self._later(max(0.0, here.used + self._grace - time.monotonic()), look)

    def _put_away(self, here: PersonHere) -> bool:
        """Write what a person has, and let go of it, unless the disk does not take it.

        Returns
        -------
        bool
            Whether nothing is left to write.
        """
        bench, whole = here.bench, True
        if bench is not None and not here.documents:
            # Before the lock: a drag that ends may read what others share, who may be leaving.
            whole = _done(bench.pages.finish_drags)
        with here.lock:
            if here.documents or here.gone:
                return here.gone
            bench, here.bench = here.bench, None
            if bench is not None and not _done(bench.end):
                whole = False
                _done(bench.pages.kept.write)  # the settings of the pages that did not fail
            workspace = here.workspace
            if workspace is not None:
                self._homes.visited(here.person)
                if workspace is self._homes.own:
                    workspace.storage.rest()
                else:
                    workspace.storage.flush()
                    if workspace.storage.waiting and not self._ended:
                        here.used = time.monotonic()
                        self._look_later(here)
                        return False
                    workspace.close()
                whole = whole and not workspace.storage.waiting
            here.workspace, here.sharing, here.gone = None, None, True
            with self._lock:
                del self._by_key[here.person.key]
        self._freed()
        return whole


def _done(step: Callable[[], None]) -> bool:
    """Whether a step did not fail; its error is logged, as the steps after it are taken anyway."""
    try:
        step()
    except Exception:
        logger.exception("the pages of somebody could not be put away in order")
        return False
    return True
