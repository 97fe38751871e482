"""Request handlers of the server: one browser per session.

A session belongs to the browser that opened it. Its id is made and signed here; an id in an address
or a header is refused, as a stranger could have sent it in order to see this visitor's page. A
session takes one connection, so its token cannot be used a second time.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import bokeh.server.tornado as bokeh_tornado
from bokeh.protocol.exceptions import ProtocolError
from bokeh.util.token import get_session_id
from panel.io.server import DocHandler, WSHandler
from tornado.web import HTTPError, RequestHandler

from workbench.assets import audits
from workbench.dashboard.serving.channel import Channel
from workbench.dashboard.serving.visitors import OWNER, Visit, Visitors
from workbench.dashboard.worker import WAITING

#: The visit of the request that is being answered, and the visitors of its server.
VISIT: ContextVar[Visit] = ContextVar("visit")
VISITORS: ContextVar[Visitors] = ContextVar("visitors")

#: Cookies that say who a visitor is, and that it is the owner of the workspace on disk.
WHO, KEY = "workbench-visitor", "workbench-key"

#: Names by which an address or a header could choose a session.
_NAMES = ("bokeh-session-id", "bokeh-token")

#: Seconds after the end of a session until its memory is returned to the system.
_SOON = 10.0
_asked = False

#: The first message: the browser may send from now on.
READY = "{}"


def visitor_of(handler: RequestHandler) -> str:
    """Who sent a request."""
    visitors: Visitors = handler.settings["visitors"]
    if visitors.is_key(handler.get_cookie(KEY, "") or ""):
        return OWNER
    return visitors.named(handler.get_cookie(WHO, "") or "")


class PageHandler(DocHandler):
    """Handler of the document, which opens a new session for every visit."""

    async def prepare(self) -> None:
        """Refuse a request that names a session; find out who sent it, and what they see."""
        await super().prepare()
        if any(n in self.request.arguments or n in self.request.headers for n in _NAMES):
            raise HTTPError(403, reason="a visit cannot choose its session; open the page itself")
        visitors: Visitors = self.settings["visitors"]
        key = self.get_query_argument("key", None)
        if key is not None:
            self._let_in(visitors, key)
            return
        who = visitor_of(self)
        if who != OWNER:
            self._keep(WHO, who)
        address = f"/{self.request.path.rstrip('/').rsplit('/', 1)[-1]}"
        addresses = {tab.address: name for name, tab in visitors.tabs.items()}
        page = {audits.ADDRESS: audits.NAME, **addresses}.get(address, "")
        loop = asyncio.get_running_loop()
        VISIT.set(await loop.run_in_executor(WAITING, visitors.visit, who, page))
        VISITORS.set(visitors)

    def _let_in(self, visitors: Visitors, key: str) -> None:
        """Let the owner in, and take the key out of the address."""
        if not visitors.is_key(key):
            raise HTTPError(403, reason="this is not the key of this server; see what it printed")
        self._keep(KEY, key)
        self.redirect(f"./{self.request.path.rsplit('/', 1)[-1]}")

    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Send the document of a new session, without looking for scripts of Bokeh and Panel."""
        handler: Any = self  # a decorator of Panel hides what it returns
        session = await handler.get_session()
        doc = session.document
        self.set_header("Cache-Control", "no-store")
        variables = {**doc.template_variables, "title": doc.title, "token": session.token}
        self.finish(doc.template.render(variables))

    def _keep(self, name: str, value: str) -> None:
        self.set_cookie(name, value, httponly=True, samesite="Lax", expires_days=365)


class SocketHandler(WSHandler):
    """Handler of sockets, which joins one socket to the channel of a session."""

    _channel: Channel | None = None

    def open(self, *args: Any, **kwargs: Any) -> None:
        """Open the socket, and send every answer at once: filling a packet takes up to 40 ms."""
        self.set_nodelay(True)
        super().open(*args, **kwargs)

    async def _async_open(self, token: str) -> None:
        try:
            session = self.application_context.get_session(get_session_id(token))
        except ProtocolError:
            self.close(reason="the session has ended")
            return
        channel = Channel.of(session.document)
        if not channel.join(self):
            self.close(reason="the session has its visitor")
            return
        await super()._async_open(token)
        self._channel = channel
        await channel.send(READY)
        channel.opened()

    async def on_message(self, fragment: str | bytes) -> None:
        """Hand a frame to the channel."""
        if self._channel is not None:
            self._channel.take(fragment)

    def on_close(self) -> None:
        """Let go of the page at once: it takes no second connection."""
        super().on_close()
        if self._channel is not None:
            self._channel.closed()

    async def send_message(self, message: Any) -> None:
        """Leave out what Bokeh would tell its own scripts, which no page has."""


def give_memory_back(loop: Any) -> None:
    """Return freed memory to the system, some seconds after sessions have ended.

    The C library keeps what many visitors at once have used; only glibc can be asked for it.
    """
    global _asked
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is None or _asked:
        return

    def give() -> None:
        global _asked
        _asked = False
        gc.collect()
        trim(0)

    _asked = True
    loop.call_later(_SOON, give)


@contextmanager
def own_handlers() -> Iterator[None]:
    """Context in which servers use these handlers, and none of those that embed pages."""
    theirs = list(bokeh_tornado.per_app_patterns)
    bokeh_tornado.per_app_patterns[:] = [(r"/ws", SocketHandler), (r"/?", PageHandler)]
    try:
        yield
    finally:
        bokeh_tornado.per_app_patterns[:] = theirs
