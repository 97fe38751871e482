"""Request handlers of the server: one browser per session.

A session belongs to the browser that opened it. Its id is made and signed here; an id in an address
or a header is refused, as a stranger could have sent it in order to see this visitor's page. A
session takes one connection, so its token cannot be used a second time.
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bokeh.server.tornado as bokeh_tornado
from bokeh.protocol.exceptions import ProtocolError
from bokeh.util.token import get_session_id
from panel.io.server import DocHandler, WSHandler
from tornado.web import HTTPError

from workbench.dashboard.channel import Channel

#: Names by which an address or a header could choose a session.
_NAMES = ("bokeh-session-id", "bokeh-token")

#: Seconds after the end of a session until its memory is returned to the system.
_SOON = 10.0
_asked = False

#: The first message: the browser may send from now on.
READY = "{}"


class PageHandler(DocHandler):
    """Handler of pages, which opens a new session for every visit."""

    async def prepare(self) -> None:
        """Refuse a request that names a session."""
        await super().prepare()
        if any(n in self.request.arguments or n in self.request.headers for n in _NAMES):
            raise HTTPError(403, reason="a visit cannot choose its session; open the page itself")

    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Send the document of a new session, without looking for scripts of Bokeh and Panel."""
        handler: Any = self  # a decorator of Panel hides what it returns
        session = await handler.get_session()
        doc = session.document
        self.set_header("Cache-Control", "no-store")
        variables = {**doc.template_variables, "title": doc.title, "token": session.token}
        self.finish(doc.template.render(variables))


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

    async def on_message(self, fragment: str | bytes) -> None:
        """Hand a frame to the channel."""
        if self._channel is not None:
            self._channel.take(fragment)

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
