"""`BoundedServer`: an HTTP server that nobody can fill with connections.

Every connection takes a descriptor, of which a process has few. Bounds on all connections, and on
those of one sender, are derived from the limit of the process. Where one is reached, the connection
that has waited longest for its sender is closed in favor of the new one: half a request, one that
is kept for a next request, or an answer that nobody takes. Sockets of pages, and requests that are
being answered, stay.

If nothing can be closed, the new connection is *narrow*: it takes one of a few descriptors that are
kept for ``/health`` and ``/metrics``, and anything else is answered 503.

Trusted proxies have no bound of their own, as all people come from them.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.httputil import (
    HTTPConnection,
    HTTPHeaders,
    HTTPMessageDelegate,
    HTTPServerRequest,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.ioloop import IOLoop
from tornado.iostream import IOStream

from workbench.server.network.proxy import is_proxy
from workbench.server.network.rates import networks

logger = logging.getLogger(__name__)

#: Descriptors that a server asks for, and that it has where the system has no such limit.
WANTED, USUAL = 65_536, 512

#: Connections at most, however many descriptors there are.
MOST = 8_192

#: Connections beyond the bound that are narrow, and descriptors that are held back for them.
NARROW, SPARE = 16, 4

#: Seconds in which the headers of a request must be complete, counted from its first byte, or from
#: the beginning of the connection.
HEADERS = 10.0

#: Seconds after which a connection is closed that takes nothing of what is sent; and after which it
#: is closed where another one needs its place.
STUCK, STUCK_IN_NEED = 60.0, 2.0

#: Connections that may wait in the system until they are taken, and that are taken at once: what
#: they have sent is read in between.
_BACKLOG, _AT_ONCE = 1024, 8

#: Seconds between two looks at all connections, between two lines of the log about them, and for
#: which none is taken where the system has no descriptor.
_LOOK, _LINE, _REST = 1.0, 60.0, 0.2

#: What the system says where it has no descriptor or no memory for a connection.
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


def raise_descriptors() -> None:
    """Have the system allow this process as many descriptors as it may, at most `WANTED`."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # the system has another bound; what is there stays
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def descriptors() -> int:
    """How many descriptors this process may have."""
    if sys.platform == "win32":
        return USUAL
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return WANTED if soft == resource.RLIM_INFINITY else soft


@dataclass(frozen=True)
class ConnectionBounds:
    """How many connections a server holds.

    Parameters
    ----------
    most : int
        Of all senders.
    each : int
        Of one sender.
    """

    most: int
    each: int

    @classmethod
    def of(cls, descriptors: int) -> ConnectionBounds:
        """Half of the descriptors for all senders, as files need the rest; half of that for one.

        Parameters
        ----------
        descriptors : int
            That the process may have.
        """
        most = min(max(descriptors // 2, 2), MOST)
        return cls(most, most // 2)


class Awaited(Enum):
    """What happens on a connection."""

    HEADERS = "the headers of a request are expected"
    BODY = "the rest of a request is expected"
    ANSWER = "the server answers, or a socket is open"


class WatchedStream(IOStream):
    """A connection, with what it is waiting for.

    Parameters
    ----------
    connection : socket.socket
    server : BoundedServer
        Is told when it is closed.
    sender : str
        The network that it comes from; "" for a trusted proxy.
    **more
        For `IOStream`.

    Attributes
    ----------
    narrow : bool
        Whether it may ask for nothing but the health of the server.
    phase : Awaited
    begun : float or None
        Time at which the request that is expected began to come; None if nothing came yet.
    moved : float
        Time at which the sender last took something.
    """

    def __init__(self, connection: socket.socket, server: BoundedServer, sender: str, **more: Any):
        self.server, self.sender, self.narrow = server, sender, False
        self.phase = Awaited.HEADERS
        self.begun: float | None = time.monotonic()
        self.moved = self.begun
        super().__init__(connection, **more)

    def read_from_fd(self, buf: bytearray | memoryview) -> int | None:
        """Read, and note that a request begins."""
        count = super().read_from_fd(buf)
        if count and self.begun is None:
            self.begun = time.monotonic()
        return count

    def write_to_fd(self, data: memoryview) -> int:
        """Write, and note that something was taken."""
        count = super().write_to_fd(data)
        if count:
            self.moved = time.monotonic()
        return count

    def write(self, data: bytes | memoryview) -> Any:
        """Write; the sender has time to take it from now on."""
        if not self.writing():
            self.moved = time.monotonic()
        return super().write(data)

    def close_fd(self) -> None:
        """Close, and make room for another connection."""
        super().close_fd()
        self.server.closed(self)

    def is_stuck(self, seconds: float) -> bool:
        """Whether the sender took nothing of what is sent for so long."""
        return self.writing() and time.monotonic() - self.moved > seconds


class _Noting(HTTPMessageDelegate):
    """Notes how much of a request has come, and hands it on."""

    def __init__(self, delegate: HTTPMessageDelegate, stream: WatchedStream):
        self._delegate, self._stream = delegate, stream

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> Awaitable[None] | None:
        self._stream.phase = Awaited.BODY
        return self._delegate.headers_received(start_line, headers)

    def data_received(self, chunk: bytes) -> Awaitable[None] | None:
        return self._delegate.data_received(chunk)

    def finish(self) -> None:
        self._stream.phase = Awaited.ANSWER
        self._stream.server.answers(self._stream)
        self._delegate.finish()

    def on_connection_close(self) -> None:
        self._delegate.on_connection_close()


class BoundedServer(HTTPServer):
    """An HTTP server that nobody can fill with connections; see the module."""

    def initialize(
        self,
        *arguments: Any,
        bounds: ConnectionBounds | None = None,
        proxies: Sequence[str] = (),
        **more: Any,
    ) -> None:
        """See `HTTPServer`.

        Parameters
        ----------
        *arguments
            For `HTTPServer`.
        bounds : ConnectionBounds, optional
            By default those of the descriptors of this process.
        proxies : sequence of str
            See `ServerOptions`.
        **more
            For `HTTPServer`.
        """
        super().initialize(*arguments, **more)
        self.bounds = ConnectionBounds.of(descriptors()) if bounds is None else bounds
        self._proxies = tuple(proxies)
        self._listening: list[socket.socket] = []
        self._streams: set[WatchedStream] = set()
        self._numbers: Counter[str] = Counter()  # of streams by sender
        #: Sender -> streams that wait for a request, the one that has waited longest first.
        self._waiting: dict[str, dict[WatchedStream, None]] = {}
        self._spare: list[int] = []
        self._shed, self._told = 0, -_LINE
        self._rests = False

    # -- connections come ------------------------------------------------------------------------

    def add_sockets(self, sockets: Any) -> None:
        """Take the connections of these sockets."""
        for one in sockets:
            one.listen(_BACKLOG)
            self._listening.append(one)
            IOLoop.current().add_handler(one, self._accept, IOLoop.READ)
        self._refill()
        IOLoop.current().call_later(_LOOK, self._look)

    def stop(self) -> None:
        """Take no more connections; those that are open stay. Does nothing the second time."""
        for one in self._listening:
            if not self._rests:
                IOLoop.current().remove_handler(one)
            one.close()
        self._listening.clear()
        while self._spare:
            os.close(self._spare.pop())

    def _accept(self, listening: socket.socket, events: int) -> None:
        narrow = False
        for _ in range(_AT_ONCE):
            try:
                connection, address = listening.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                self._shed += 1
                if self._close_one(self._fullest()):
                    continue
                if not self._spare:
                    self._rest()
                    return
                os.close(self._spare.pop())
                narrow = True
                continue
            self._take(connection, address, narrow)
            narrow = False

    def _take(self, connection: socket.socket, address: Any, narrow: bool) -> None:
        sender = self._sender(connection, address)
        if sender and self._numbers[sender] >= self.bounds.each:
            self._shed += 1
            self._close_one(sender)
        if len(self._streams) >= self.bounds.most:
            self._shed += 1
            self._close_one(self._fullest())
        open_now = len(self._streams)
        if open_now >= self.bounds.most + NARROW:
            connection.close()
            return
        stream = WatchedStream(
            *(connection, self, sender),
            max_buffer_size=self.max_buffer_size,
            read_chunk_size=self.read_chunk_size,
        )
        full = bool(sender) and self._numbers[sender] >= self.bounds.each
        stream.narrow = narrow or full or open_now >= self.bounds.most
        self._streams.add(stream)
        self._numbers[sender] += 1
        self._waiting.setdefault(sender, {})[stream] = None
        self.handle_stream(stream, address)

    def _sender(self, connection: socket.socket, address: Any) -> str:
        """The network of an address; "" for a trusted proxy, which sends what many people ask."""
        if connection.family not in (socket.AF_INET, socket.AF_INET6):
            return ""  # a socket of the file system, which only a proxy uses
        if is_proxy(address[0], self._proxies):
            return ""
        return networks(address[0])[0]

    def _rest(self) -> None:
        """Take no connection for a moment, as the system has no descriptor for it."""
        if self._rests:
            return
        self._rests = True
        loop = IOLoop.current()
        for one in self._listening:
            loop.remove_handler(one)

        def go_on() -> None:
            self._rests = False
            for one in self._listening:
                loop.add_handler(one, self._accept, IOLoop.READ)

        loop.call_later(_REST, go_on)

    # -- requests --------------------------------------------------------------------------------

    def start_request(
        self, server_conn: object, request_conn: HTTPConnection
    ) -> HTTPMessageDelegate:
        """A delegate for the next request of a connection, which waits for it from now on."""
        delegate = super().start_request(server_conn, request_conn)
        stream = getattr(server_conn, "stream", None)
        if not isinstance(stream, WatchedStream) or stream.closed():
            return delegate
        if stream.phase is not Awaited.HEADERS:  # not the first request
            stream.phase, stream.begun = Awaited.HEADERS, None
            self._waiting.setdefault(stream.sender, {})[stream] = None
        return _Noting(delegate, stream)

    def answers(self, stream: WatchedStream) -> None:
        """Note that a connection waits no longer: its request is complete."""
        waiting = self._waiting.get(stream.sender, {})
        waiting.pop(stream, None)
        if not waiting:
            self._waiting.pop(stream.sender, None)

    def closed(self, stream: WatchedStream) -> None:
        """Note that a connection was closed."""
        if stream not in self._streams:
            return
        self._streams.remove(stream)
        self._numbers[stream.sender] -= 1
        if not self._numbers[stream.sender]:
            del self._numbers[stream.sender]
        self.answers(stream)
        self._refill()

    # -- room ------------------------------------------------------------------------------------

    def _fullest(self) -> str | None:
        """The sender with the most connections that wait for it; None if nothing waits."""
        return max(self._waiting, key=lambda one: len(self._waiting[one]), default=None)

    def _close_one(self, sender: str | None) -> bool:
        """Close the connection of a sender that has waited longest for it; False if none does."""
        waiting = self._waiting.get(sender or "") if sender is not None else None
        if waiting:
            next(iter(waiting)).close()
            return True
        stuck = [
            one
            for one in self._streams
            if sender in (None, one.sender) and one.is_stuck(STUCK_IN_NEED)
        ]
        if stuck:
            min(stuck, key=lambda one: one.moved).close()
        return bool(stuck)

    def _refill(self) -> None:
        """Hold back descriptors again, if there are some."""
        while self._listening and len(self._spare) < SPARE:
            try:
                self._spare.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
            except OSError:
                return

    def _look(self) -> None:
        """Close what takes too long, and say how many connections had no room."""
        if not self._listening:
            return
        self._refill()
        now = time.monotonic()
        for one in list(self._streams):
            late = one.phase is Awaited.HEADERS and one.begun is not None
            if (late and now - (one.begun or now) > HEADERS) or one.is_stuck(STUCK):
                one.close()
        if self._shed and now - self._told >= _LINE:
            count, self._shed, self._told = self._shed, 0, now
            logger.warning(
                "%d connections were closed or refused for others: %d are open; a server has at "
                "most %d, and %d of one sender (half and a quarter of its descriptors)",
                *(count, len(self._streams), self.bounds.most, self.bounds.each),
                extra={"event": "connections_shed", "count": count},
            )
        IOLoop.current().call_later(_LOOK, self._look)


def is_narrow(request: HTTPServerRequest) -> bool:
    """Whether a request came on a connection that is kept for ``/health``."""
    return bool(getattr(getattr(request.connection, "stream", None), "narrow", False))
