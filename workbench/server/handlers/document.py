"""Request handlers of the document and of its socket.

A document belongs to the browser that asked for it. Its id is made here; an id in an address or a
header is refused, as a stranger could have sent it in order to see this visitor's page. A document
takes one socket, so its id cannot be used a second time.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from tornado.ioloop import IOLoop
from tornado.web import HTTPError
from tornado.websocket import WebSocketHandler

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
from workbench.server.visitors import Visit

logger = logging.getLogger(__name__)

#: Names by which an address or a header could choose a document.
SESSION_NAMES = ("bokeh-session-id", "bokeh-token")

#: The protocol that a socket names before the id of its document.
PROTOCOL = "bokeh"

#: Seconds after which a socket in use is asked again whose it is.
OFTEN = 1.0

#: Gestures of a person that may wait until no more are read, and seconds between two looks.
MOST_WAITING = 100
_A_MOMENT = 0.05

#: Why a socket is closed whose document does not exist, or is somebody else's.
ENDED = "the session has ended"

#: The first message: the browser may send from now on.
READY = "{}"


class PageHandler(Handler):
    """Handler of the document."""

    _visit: Visit

    def initialize(self, address: str) -> None:
        """Take the address of the page, without the root path."""
        self._address = address

    async def prepare(self) -> None:
        """Refuse a request that names a document; find out who sent it, and what they see."""
        await super().prepare()
        if any(n in self.request.arguments or n in self.request.headers for n in SESSION_NAMES):
            raise HTTPError(403, reason="a visit cannot choose its session; open the page itself")
        origins.check_address(self)
        if self.request.path != f"{self.server.root_path}{self._address}":
            self._redirect_to(self._address)
            return
        person = await self.server.identity.arrive(self)
        if self.get_status() == 302:  # without the ticket that was in the address
            return
        if person is None:
            asked = self._address.removeprefix("/") + (
                f"?{self.request.query}" if self.request.query else ""
            )
            self.set_header("Cache-Control", "no-store")
            self.redirect(f"./sign-in?{urlencode({'next': asked})}")
            return
        self.person = person
        addresses = {tab.address: name for name, tab in self.visitors.tabs.items()}
        page = {audits.ADDRESS: audits.NAME, **addresses}.get(self._address, "")
        loop = asyncio.get_running_loop()
        try:
            self._visit = await loop.run_in_executor(WAITING, self.visitors.visit, person, page)
        except LimitError as error:
            raise HTTPError(503, reason=str(error)) from error

    def _redirect_to(self, address: str) -> None:
        """Add or leave out the last slash: a page names its files relative to its own address.

        So does this, as a proxy may have removed a part of the address that the browser sees.
        """
        path = f"../{address[1:]}" if address != "/" else f"./{self.request.path.split('/')[-1]}/"
        self.redirect(f"{path}?{self.request.query}" if self.request.query else path)

    def get(self) -> None:
        """Send the document, which is open from now on."""
        self.head()
        person = self._visit.person
        more: dict[str, Any] = {"here": origins.opens_only_here(self)}
        if person.signed_in or person.key == OWNER:
            whose = hashlib.sha256(person.key.encode()).hexdigest()[:16]  # what the browser keeps
            more |= {"person": person, "whose": whose, "form": (FIELD, form_token(self))}
        id = self.settings["documents"].add(self._visit)
        self.finish(self.settings["document_text"](self._visit, token=id, **more))

    def head(self, *args: Any, **kwargs: Any) -> None:
        """Send the headers alone, and open no document."""
        self.set_header("Cache-Control", "no-store")
        self.set_header("Content-Security-Policy", self.settings["policy"](host=public_host(self)))


class SocketHandler(Handler, WebSocketHandler):
    """Handler of sockets, which joins one socket to the channel of a document."""

    _id = ""
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

    def select_subprotocol(self, subprotocols: list[str]) -> str | None:
        """Take the id of the document, which comes after the name of our protocol."""
        if len(subprotocols) != 2 or subprotocols[0] != PROTOCOL:
            return None
        self._id = subprotocols[1]
        return PROTOCOL

    def open(self, *args: Any, **kwargs: Any) -> None:
        """Open the socket, and send every answer at once: filling a packet takes up to 40 ms."""
        self.set_nodelay(True)
        IOLoop.current().add_callback(self._join)

    async def _join(self) -> None:
        """Join the channel of the document, if it is one of the person."""
        if self._gone:  # closed before its turn came
            return
        try:
            channel = self.settings["documents"].take(self._id, self.person)
        except LimitError:
            channel = None
        if channel is None:
            self.close(reason=ENDED)
            return
        channel.join(self)
        self._channel = channel
        self._unwatch = self.server.identity.watch(self, self._end)
        await channel.send(READY)
        if self._channel is not None:
            channel.opened()

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
        if now - self._checked < OFTEN:
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
        channel, self._channel = self._channel, None
        try:
            self._unwatch()
        finally:
            if channel is not None:
                channel.closed()


def patterns(addresses: Iterable[str]) -> list[tuple[Any, ...]]:
    """Tornado routes of the pages at these addresses, and of their sockets."""
    found: list[tuple[Any, ...]] = []
    for address in addresses:
        found.append((f"{address.rstrip('/')}/ws", SocketHandler))
        found.append((f"{address.rstrip('/')}/?", PageHandler, {"address": address}))
    return found
