"""`AppVisit`: a visitor of an app; `workspace_of_visitor`: that of the one for whom code runs."""

from __future__ import annotations

import time
from contextvars import ContextVar, copy_context
from typing import Any, Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary

from bokeh.document import Document
from tornado.ioloop import IOLoop

from workbench.server.operations.state import ServerState
from workbench.server.people.person import Person
from workbench.server.visitors import Visitors
from workbench.workspaces.workspace import Workspace

#: The visit whose request is being answered. Callbacks and tasks that begin meanwhile keep it.
VISIT: ContextVar[AppVisit | None] = ContextVar("app_visit", default=None)

#: The variable of contexts in which Panel notes the document of a session.
_CURRENT = "curdoc"

_by_document: WeakKeyDictionary[Document, AppVisit] = WeakKeyDictionary()
_by_session: WeakValueDictionary[str, AppVisit] = WeakValueDictionary()


class AppSocket(Protocol):
    """A socket between a browser and an app."""

    def close(self, code: int | None = None, reason: str | None = None) -> None:
        """Close it."""


class AppVisit:
    """A visitor of an app, who counts as one of a page: for limits, roles and the end of sessions.

    Parameters
    ----------
    person : Person
    visitors : Visitors
    state : ServerState

    Attributes
    ----------
    used : float
        Time of the last message, as of `time.monotonic`.
    ended : bool
        Whether the visitor has left, was signed out or put away.
    problem : str
        Why the script of the app failed; "" if it did not.
    """

    def __init__(self, person: Person, visitors: Visitors, state: ServerState):
        self.person, self._visitors, self._state = person, visitors, state
        self.used, self.ended, self.problem = time.monotonic(), False, ""
        self._sockets: set[AppSocket] = set()
        self._loop = IOLoop.current()

    @property
    def workspace(self) -> Workspace:
        """The visitor's own workspace, the one that their pages show."""
        if self.ended:
            raise ValueError("the visitor has left: their workspace is closed")
        return self._visitors.bench(self.person).workspace

    def enter(self, document: Document) -> None:
        """Count the document of an app as open, until its session ends."""
        _by_document[document] = self
        if document.session_context is not None:
            _by_session[document.session_context.id] = self
        self._visitors.here.enter(self.person, self)
        document.on_session_destroyed(lambda context: self.leave())

    def leave(self) -> None:
        """Let go of the visitor: the session has ended."""
        self.ended = True
        self._state.closed(self)
        self._visitors.here.leave(self.person, self)

    def joined(self, socket: AppSocket) -> None:
        """A browser is connected."""
        self._sockets.add(socket)
        self._state.opened(self, self.person.key)

    def parted(self, socket: AppSocket) -> None:
        """A browser has gone."""
        self._sockets.discard(socket)
        if not self._sockets:
            self._state.closed(self)

    # -- as an open document of a page -------------------------------------------------------------

    def tell(self, **entries: Any) -> None:
        """Nothing: an app has no place for messages of the server."""

    def hang_up(self, reason: str = "the server is being restarted") -> None:
        """Close the connections."""
        for one in list(self._sockets):
            one.close(reason=reason)

    def put_away(self, words: str) -> None:
        """Close the connections, from any thread; the session ends some seconds later."""
        self.ended = True
        self._loop.add_callback(self.hang_up, "the session has ended")


def visit_of_session(id: str) -> AppVisit | None:
    """The visit to which a session of Bokeh belongs; None if it has ended."""
    return _by_session.get(id)


def workspace_of_visitor() -> Workspace | None:
    """The workspace of the visitor for whom code runs; None where it runs for nobody.

    That is the one of the session that Panel has noted in the context of the code, or else of the
    request in whose context the code was started. ``pn.state.curdoc`` is not asked: in a thread
    without such a note, it is the session that runs in another thread, which may be anybody's.
    """
    noted = (value for key, value in copy_context().items() if key.name == _CURRENT)
    document = next((one for one in noted if isinstance(one, Document)), None)
    visit = (_by_document.get(document) if document is not None else None) or VISIT.get()
    return None if visit is None else visit.workspace
