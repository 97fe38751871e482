"""`Channel`: the messages between the document of a visitor and the server."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tornado.websocket import WebSocketClosedError, WebSocketHandler

from workbench.pages.core.gestures import Message
from workbench.server.sockets.gestures import GestureError, read_gesture

logger = logging.getLogger(__name__)

#: Codes of a socket that is closed because the server is restarted, or as a rule says.
_RESTART, _POLICY = 1012, 1008

#: Characters that may wait until a browser takes them.
MOST_UNSENT = 64 * 2**20


class Channel:
    """The messages between the document of a visitor and the server.

    ``page.js`` draws the page from the document, which holds the first values, so that they are
    there before the socket is. Messages are texts with JSON.

    Attributes
    ----------
    carry_out : callable
        Takes the gestures of the visitor.
    opened, closed : callable
        Called when the browser is connected, and when it has gone.
    backlog : callable
        The number of gestures of the visitor that wait.
    queues : bool
        Whether the last gesture waits behind all others. One on a page takes the place of the last
        one of its kind, so that any number of them do not pile up.
    """

    def __init__(self) -> None:
        self.carry_out: Callable[[Message], None] = lambda gesture: None
        self.opened: Callable[[], None] = lambda: None
        self.closed: Callable[[], None] = lambda: None
        self.backlog: Callable[[], int] = lambda: 0
        self.queues = False
        self._socket: WebSocketHandler | None = None
        self._unsent = 0
        self._announced: dict[str, Any] | None = None

    def join(self, socket: WebSocketHandler) -> None:
        """Send to a socket from now on."""
        self._socket = socket

    async def send(self, text: str) -> None:
        """Send a text to the browser; to be called on the event loop.

        A browser that asks for much and takes nothing loses its connection.
        """
        if self._socket is None or self._unsent > MOST_UNSENT:
            return
        self._unsent += len(text)
        if self._unsent > MOST_UNSENT:
            logger.warning("a socket was closed that takes nothing of what it asked for")
            self._socket.close(code=_POLICY, reason="too much waits to be sent")
            return
        with suppress(WebSocketClosedError):
            await self._socket.write_message(text)
        self._unsent -= len(text)

    async def hang_up(self) -> None:
        """Close the socket; the browser asks until the server is there again.

        It is asynchronous as `send` is: the loop carries out both in the order of their calls.
        """
        if self._socket is not None:
            self._socket.close(code=_RESTART)

    def take(self, frame: str | bytes) -> None:
        """Receive a frame: a gesture, or the content that the last gesture announced.

        Raises
        ------
        GestureError
            Neither.
        """
        if isinstance(frame, str):
            gesture = read_gesture(frame)
        elif self._announced is None:
            raise GestureError("a content that was not announced")
        else:
            gesture = self._announced | {"content": frame}
        self.queues = not gesture.get("page")
        announces = gesture.get("content") is True
        self._announced = gesture if announces else None
        if not announces:
            self.carry_out(gesture)
