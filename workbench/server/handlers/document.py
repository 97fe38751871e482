"""Request handlers of the server: one browser per session.

A session belongs to the browser that opened it. Its id is made and signed here; an id in an address
or a header is refused, as a stranger could have sent it in order to see this visitor's page. A
session takes one connection, so its token cannot be used a second time.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import bokeh.server.tornado as bokeh_tornado
from bokeh.protocol.exceptions import ProtocolError
from bokeh.util.token import check_token_signature, get_session_id
from panel.io.server import DocHandler, WSHandler
from tornado.web import HTTPError

from workbench.assets import audits
from workbench.dashboard.limits import LimitError
from workbench.dashboard.worker import WAITING
from workbench.server.handlers.base import Handler
from workbench.server.network import origins
from workbench.server.network.proxy import public_host
from workbench.server.people.forms import FIELD, form_token
from workbench.server.people.person import OWNER
from workbench.server.sockets.channel import Channel
from workbench.server.sockets.gestures import GestureError, Pace
from workbench.server.sockets.late import LateVisits
from workbench.server.visitors import Visit, Visitors

logger = logging.getLogger(__name__)

#: The visit of the request that is being answered, and the visitors of its server.
VISIT: ContextVar[Visit] = ContextVar("visit")
VISITORS: ContextVar[Visitors] = ContextVar("visitors")
LATE: ContextVar[LateVisits] = ContextVar("late")

#: Names by which an address or a header could choose a session.
_NAMES = ("bokeh-session-id", "bokeh-token")

#: Seconds after which a socket in use is asked again whose it is.
_OFTEN = 1.0

#: Gestures of a person that may wait until no more are read, and seconds between two looks.
MOST_WAITING = 100
_A_MOMENT = 0.05

#: Why a socket is closed whose session does not exist, or is somebody else's.
ENDED = "the session has ended"

#: The first message: the browser may send from now on.
READY = "{}"


class PageHandler(Handler, DocHandler):
    """Handler of the document, which opens a new session for every visit."""

    async def prepare(self) -> None:
        """Refuse a request that names a session; find out who sent it, and what they see."""
        await super().prepare()
        if any(n in self.request.arguments or n in self.request.headers for n in _NAMES):
            raise HTTPError(403, reason="a visit cannot choose its session; open the page itself")
        origins.check_address(self)
        address = str(self.application_context.url)  # without the root path
        if self.request.path != f"{self.server.root_path}{address}":
            self._redirect_to(address)
            return
        person = await self.server.identity.arrive(self)
        if self._finished:
            return
        if person is None:
            asked = address.removeprefix("/") + (
                f"?{self.request.query}" if self.request.query else ""
            )
            self.set_header("Cache-Control", "no-store")
            self.redirect(f"./sign-in?{urlencode({'next': asked})}")
            return
        self.person = person
        addresses = {tab.address: name for name, tab in self.visitors.tabs.items()}
        page = {audits.ADDRESS: audits.NAME, **addresses}.get(address, "")
        loop = asyncio.get_running_loop()
        try:
            VISIT.set(await loop.run_in_executor(WAITING, self.visitors.visit, person, page))
        except LimitError as error:
            raise HTTPError(503, reason=str(error)) from error
        VISITORS.set(self.visitors)
        LATE.set(self.settings["late"])

    def _redirect_to(self, address: str) -> None:
        """Add or leave out the last slash: a page names its files relative to its own address.

        So does this, as a proxy may have removed a part of the address that the browser sees.
        """
        path = f"../{address[1:]}" if address != "/" else f"./{self.request.path.split('/')[-1]}/"
        self.redirect(f"{path}?{self.request.query}" if self.request.query else path)

    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Send the document of a new session, without looking for scripts of Bokeh and Panel."""
        handler: Any = self  # a decorator of Panel hides what it returns
        session = await handler.get_session()
        doc = session.document
        self.set_header("Cache-Control", "no-store")
        self.set_header("Content-Security-Policy", self.settings["policy"](host=public_host(self)))
        variables = {**doc.template_variables, "title": doc.title, "token": session.token}
        person = VISIT.get().person
        if person.signed_in or person.key == OWNER:
            whose = hashlib.sha256(person.key.encode()).hexdigest()[:16]  # what the browser keeps
            variables |= {"person": person, "whose": whose, "form": (FIELD, form_token(self))}
        self.finish(doc.template.render(variables))

    def head(self, *args: Any, **kwargs: Any) -> None:
        """Send the headers alone, and open no session."""
        self.set_header("Cache-Control", "no-store")
        self.set_header("Content-Security-Policy", self.settings["policy"](host=public_host(self)))


class SocketHandler(Handler, WSHandler):
    """Handler of sockets, which joins one socket to the channel of a session."""

    _channel: Channel | None = None
    _unwatch: Callable[[], None] = staticmethod(lambda: None)
    _checked = 0.0
    _gone = False

    @cached_property
    def _pace(self) -> Pace:
        return Pace()

    async def prepare(self) -> None:
        """Refuse somebody who has to sign in first before there is a socket."""
        await super().prepare()
        _ = self.person

    def head(self, *args: Any, **kwargs: Any) -> None:
        """Refuse the method: there is nothing but the handshake."""
        raise HTTPError(405)

    def check_origin(self, origin: str) -> bool:
        """Whether a page of this server opens the socket."""
        return origins.is_accepted(self, origin)

    def open(self, *args: Any, **kwargs: Any) -> None:
        """Open the socket, and send every answer at once: filling a packet takes up to 40 ms."""
        self.set_nodelay(True)
        if not self._is_signed(self._token or ""):
            self.close(reason=ENDED)
            return
        try:
            super().open(*args, **kwargs)
        except ProtocolError:  # expired, or not of our kind; it is closed already
            logger.info("a socket was refused")

    def _is_signed(self, token: str) -> bool:
        """Whether we have made this token; it may be any text."""
        try:
            return check_token_signature(token, self.server.secret, signed=True)
        except (KeyError, TypeError, ValueError, RecursionError):
            return False

    async def _async_open(self, token: str) -> None:
        if self._gone:  # closed before its turn came
            return
        try:
            session = await self._session(token)
        except (ProtocolError, LimitError):
            self.close(reason=ENDED)
            return
        channel = Channel.of(session.document)
        if channel.person != self.person.key:  # told no more than of a session that never was
            self.close(reason=ENDED)
            return
        if not channel.join(self):
            self.close(reason="the session has its visitor")
            return
        try:
            await super()._async_open(token)
        finally:
            self._channel = channel
        if self._gone:  # closed meanwhile
            self._leave()
            return
        self._unwatch = self.server.identity.watch(self, self._end)
        await channel.send(READY)
        if self._channel is not None:
            channel.opened()

    async def _session(self, token: str) -> Any:
        """The session of a token; made again if the socket comes after it was let go of.

        Raises
        ------
        ProtocolError
            There is none.
        LimitError
            Too many documents are open.
        """
        name = get_session_id(token)
        late = self.settings["late"].take(name, self.person.key)
        if late is not None:
            self.visitors.require_document(self.person)
            VISIT.set(Visit(self.person, late.page, "", None, {}))
            VISITORS.set(self.visitors)
            LATE.set(self.settings["late"])
            await self.application_context.create_session_if_needed(name, self.request, token)
        return self.application_context.get_session(name)

    async def on_message(self, fragment: str | bytes) -> None:
        """Hand a frame to the channel, while the person is signed in.

        A browser of ours sends nothing that cannot be read, so the socket of another one is closed.
        The next frame is read when that is not too soon.
        """
        if self._channel is None or not self._may_send():
            return
        try:
            self._channel.take(fragment)
        except GestureError as error:
            logger.warning("a socket was closed that sent %s", error)
            self.close(code=1003, reason="this message cannot be read")
            return
        wait = self._pace.wait(len(fragment) if isinstance(fragment, str) else 0)
        while wait or self._channel_is_full():
            await asyncio.sleep(wait or _A_MOMENT)
            wait = 0.0

    def _channel_is_full(self) -> bool:
        """Whether so much waits that nothing more is read from the socket."""
        channel = self._channel
        return channel is not None and channel.queues and channel.backlog() > MOST_WAITING

    def _may_send(self) -> bool:
        """Whether whoever opened the socket is still signed in; asked once a second."""
        now = time.monotonic()
        if now - self._checked < _OFTEN:
            return True
        self._checked, person = now, self.server.identity.person(self)
        if person is not None and person.key == self.person.key:
            return True
        self._end()
        return False

    def _end(self) -> None:
        """Close the socket of somebody who was signed out, who gets nothing from now on."""
        if self._channel is not None:
            channel, self._channel = self._channel, None
            channel.closed()
        self.close(reason="you are signed out")

    def on_close(self) -> None:
        """Let go of the page at once: it takes no second connection."""
        self._gone = True
        self._leave()

    def _leave(self) -> None:
        """Let go of all that the socket holds, whatever of it is there already."""
        # Bokeh's own way asks a connection for its session, which is gone if a ping has failed.
        connection, self.connection = self.connection, None
        channel, self._channel = self._channel, None
        try:
            self._unwatch()
            if channel is not None:
                channel.closed()
        finally:
            if connection is not None:
                application: Any = self.application
                application.client_lost(connection)
            super().on_close()

    async def send_message(self, message: Any) -> None:
        """Leave out what Bokeh would tell its own scripts, which no page has."""


@contextmanager
def own_handlers() -> Iterator[None]:
    """Context in which servers use these handlers, and none of those that embed pages."""
    theirs = list(bokeh_tornado.per_app_patterns)
    bokeh_tornado.per_app_patterns[:] = [(r"/ws", SocketHandler), (r"/?", PageHandler)]
    try:
        yield
    finally:
        bokeh_tornado.per_app_patterns[:] = theirs
