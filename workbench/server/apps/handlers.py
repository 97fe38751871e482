"""What stands before the handlers of Bokeh and Panel: sign-in, role, origin, limits and policy."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from bokeh.util.token import check_token_signature, get_session_id, get_token_payload
from tornado.web import HTTPError, StaticFileHandler
from tornado.websocket import WebSocketHandler

from workbench.dashboard.limits import LimitError
from workbench.dashboard.worker import WAITING
from workbench.server.apps.panel_app import BACK, person_mark
from workbench.server.apps.visits import VISIT, AppVisit, visit_of_session
from workbench.server.handlers.base import Handler
from workbench.server.handlers.document import ENDED, OFTEN, SESSION_NAMES
from workbench.server.network import origins
from workbench.server.network.headers import app_policy
from workbench.server.network.proxy import public_host
from workbench.server.people.person import Person
from workbench.server.sockets.gestures import Pace

logger = logging.getLogger(__name__)

#: What the log says of a callback that wants to end the process.
ENDS = "an app called sys.exit(), which does not end the server"

#: The way back to the pages, in a corner of every app.
_BACK = (
    f'<a id="{BACK}" href="../" '
    'style="position:fixed;left:0;bottom:0;z-index:10000;padding:4px 10px;'
    "font:13px system-ui,sans-serif;color:#1558a8;background:#fff;border:1px solid #c9ced6;"
    'border-width:1px 1px 0 0;border-radius:0 6px 0 0;text-decoration:none">'
    "← DP Audit Workbench</a>"
)
_BODY = re.compile(r"<body[^>]*>")


class AppHandler(Handler):
    """Base class of what stands before a handler of Bokeh or Panel."""

    def admit(self, person: Person) -> None:
        """Let a person in, for whom code of the app runs from now on.

        Raises
        ------
        HTTPError
            A viewer: an app can do with a workspace what an editor can.
        """
        if not person.role.edits:
            raise HTTPError(403, reason=self.visitors.may(person).refusal("open apps"))
        VISIT.set(AppVisit(person, self.visitors, self.settings["state"]))


class AppPageHandler(AppHandler):
    """Stands before the document of an app."""

    async def prepare(self) -> None:
        """Find out who comes, as for a page; open their workspace."""
        await super().prepare()
        if any(n in self.request.arguments or n in self.request.headers for n in SESSION_NAMES):
            raise HTTPError(403, reason="a visit cannot choose its session; open the app itself")
        origins.check_address(self)
        name = self.request.path.rstrip("/").rsplit("/", 1)[-1]
        query = f"?{self.request.query}" if self.request.query else ""
        if self.request.path.endswith("/"):  # files are named relative to the address without it
            self.redirect(f"../{name}{query}")
            return
        person = await self.server.identity.arrive(self)
        if self.get_status() == 302:  # without the ticket that was in the address
            return
        if person is None:
            self.set_header("Cache-Control", "no-store")
            self.redirect(f"../sign-in?{urlencode({'next': f'apps/{name}{query}'})}")
            return
        self.person = person
        self.admit(person)
        self.set_header("Content-Security-Policy", app_policy(public_host(self)))
        try:
            self.visitors.require_document(person)
        except LimitError as error:
            raise HTTPError(503, reason=str(error)) from error
        if self.request.method != "HEAD":  # reads the disk
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(WAITING, self.visitors.bench, person)

    def head(self, *args: Any, **kwargs: Any) -> None:
        """Send the headers alone, and run nothing."""

    def write(self, chunk: Any) -> None:
        """Send a part of the answer; into a document goes the way back."""
        if isinstance(chunk, str) and self.get_status() == 200:
            chunk = _BODY.sub(lambda body: body[0] + _BACK, chunk, count=1)
        super().write(chunk)

    async def get_session(self) -> Any:
        """The session that was made for the request.

        Raises
        ------
        HTTPError
            The script of the app failed.
        """
        session = await super().get_session()  # type: ignore[misc]
        visit = visit_of_session(session.id)
        if visit is not None and visit.problem:
            problem = visit.problem.encode("ascii", "replace").decode()[:200]
            said = f"this app failed ({problem}); the log of the server says where"
            raise HTTPError(500, reason=said)
        return session


class AppSocketHandler(AppHandler, WebSocketHandler):
    """Stands before the socket of an app."""

    _offered = ""
    _visit: AppVisit | None = None
    _unwatch: Callable[[], None] = staticmethod(lambda: None)
    _checked = 0.0

    @cached_property
    def _pace(self) -> Pace:
        return Pace()

    async def prepare(self) -> None:
        """Refuse who has to sign in, and viewers, before there is a socket."""
        await super().prepare()
        self.admit(self.person)

    def head(self, *args: Any, **kwargs: Any) -> None:
        """Refuse the method: there is nothing but the handshake."""
        raise HTTPError(405)

    def check_origin(self, origin: str) -> bool:
        """Whether a page of this server opens the socket."""
        return origins.is_accepted(self, origin)

    def select_subprotocol(self, subprotocols: list[str]) -> Any:
        """Take the token of the session, which comes after the name of Bokeh's protocol."""
        self._offered = subprotocols[-1]
        return super().select_subprotocol(subprotocols)

    def open(self, *args: Any, **kwargs: Any) -> Any:
        """Open the socket, if its session was made for this person."""
        problem = self._problem()
        if problem:
            self.close(reason=problem)
            return None
        self._unwatch = self.server.identity.watch(self, self._end)
        return super().open(*args, **kwargs)

    def _problem(self) -> str:
        """Why the socket is not opened; "" for nothing."""
        mounted: Any = self.application
        key = mounted.secret_key
        if not check_token_signature(self._offered, secret_key=key, signed=True):
            return ENDED
        if get_token_payload(self._offered).get("person") != person_mark(self.person.key):
            return ENDED
        if visit_of_session(get_session_id(self._offered)) is None:  # it is made again
            try:
                self.visitors.require_document(self.person)
            except LimitError:
                return "too many pages are open"
        return ""

    async def on_message(self, fragment: str | bytes) -> None:
        """Hand a message to the app, while the person may use it, and not faster than a page."""
        if not self._may_send():
            return
        try:
            await super().on_message(fragment)  # type: ignore[misc]  # Bokeh's
        except SystemExit:
            logger.exception(ENDS)
        await asyncio.sleep(self._pace.wait())

    def _may_send(self) -> bool:
        """Whether whoever opened the socket may still use the app; asked once a second."""
        if self._visit is None:  # the first message: the session is there by now
            self._visit = visit_of_session(get_session_id(self._offered))
            if self._visit is not None:
                self._visit.joined(self)
        now = time.monotonic()
        if self._visit is None or self._visit.ended:
            self._end()
            return False
        self._visit.used = now
        if now - self._checked >= OFTEN:
            self._checked, person = now, self.server.identity.person(self)
            if person is None or person.key != self.person.key or not person.role.edits:
                self._end()
                return False
        return True

    def _end(self) -> None:
        """Close the socket of somebody who was signed out, or whose session has ended."""
        self.close(reason=ENDED)

    def on_close(self) -> None:
        """Let go of the session."""
        self._unwatch()
        if self._visit is not None:
            self._visit.parted(self)
        super().on_close()


class AppFileHandler(AppHandler, StaticFileHandler):
    """Stands before the scripts and styles of Bokeh, of Panel and of components."""

    async def prepare(self) -> None:
        """Refuse whoever may not open the app."""
        await super().prepare()
        self.admit(self.person)

    def set_default_headers(self) -> None:
        """Have browsers ask again; an address with a version says by itself how long it is kept."""
        self.set_header("Cache-Control", "no-cache")


class AppComponentHandler(AppFileHandler):
    """Stands before the files of components, which are named by their modules."""

    def parse_url_path(self, path: str) -> Any:
        """The file; of a module that an app has imported, as Panel would import any other."""
        if path.split("/")[0] not in sys.modules:
            raise HTTPError(404)
        return super().parse_url_path(path)
