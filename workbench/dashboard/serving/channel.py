"""`Channel`: the messages between the browser of a visitor and the session."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from tornado.websocket import WebSocketClosedError, WebSocketHandler

logger = logging.getLogger(__name__)

#: Document -> its channel.
_CHANNELS: WeakKeyDictionary[Any, Channel] = WeakKeyDictionary()


class Channel:
    """The connection between the browser of a visitor and the session.

    ``page.js`` draws the page from the document, which holds the first values, so that they are
    there before the connection is. Messages are texts with JSON. They bypass Bokeh's protocol and
    the models of a document: its scripts take longer to start than all that the page draws.

    Parameters
    ----------
    doc : bokeh.document.Document
        The document of the visit.

    Attributes
    ----------
    receive : callable
        Takes the gestures of the visitor.
    opened, closed : callable
        Called when the browser is connected, and when it has gone.
    """

    def __init__(self, doc: Any):
        self.receive: Callable[[dict[str, Any]], None] = lambda gesture: None
        self.opened: Callable[[], None] = lambda: None
        self.closed: Callable[[], None] = lambda: None
        self._socket: WebSocketHandler | None = None
        self._announced: dict[str, Any] | None = None
        _CHANNELS[doc] = self

    @classmethod
    def of(cls, doc: Any) -> Channel:
        """The channel of a document."""
        return _CHANNELS[doc]

    def join(self, socket: WebSocketHandler) -> bool:
        """True if the socket is the first one; a channel has one reader."""
        if self._socket is not None:
            return False
        self._socket = socket
        return True

    async def send(self, text: str) -> None:
        """Send a text to the browser; to be called on the event loop."""
        if self._socket is not None:
            with suppress(WebSocketClosedError):
                await self._socket.write_message(text)

    def take(self, frame: str | bytes) -> None:
        """Receive a frame: a gesture, or the content that the last gesture announced."""
        try:
            if isinstance(frame, str):
                gesture = dict(json.loads(frame))
            elif self._announced is None:
                raise TypeError("a content that was not announced")
            else:
                gesture = self._announced | {"content": frame}
            announces = gesture.get("content") is True
            self._announced = gesture if announces else None
            if not announces:
                self.receive(gesture)
        except (KeyError, TypeError, ValueError):
            logger.warning("an invalid message was ignored", exc_info=True)
