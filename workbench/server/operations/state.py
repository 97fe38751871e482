"""`ServerState`: whether a server starts, serves or stops, and the documents that are open."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Protocol


class Phase(StrEnum):
    """Where a server is in its life."""

    STARTING = "starting"
    SERVING = "serving"
    STOPPING = "stopping"


class OpenDocument(Protocol):
    """A document that is open in a browser, and connected."""

    def tell(self, **entries: Any) -> None:
        """Send a message that is not about one page."""

    def hang_up(self) -> None:
        """Close the connection."""


class ServerState:
    """Whether a server starts, serves or stops, and the documents that are open.

    All methods are called on the event loop.

    Attributes
    ----------
    phase : Phase
    documents : dict of OpenDocument to str
        Documents that are open, with the keys of the persons who look at them.
    when_ready : callable
        Called once visits are answered.
    when_visited : callable
        Called when the first document is connected.
    when_left : callable
        Called when the session of a document has ended.
    when_stopping : callable
        Called when the server begins to stop.
    """

    def __init__(self) -> None:
        self.phase = Phase.STARTING
        self.documents: dict[OpenDocument, str] = {}
        self.when_ready: Callable[[], Any] = lambda: None
        self.when_visited: Callable[[], Any] = lambda: None
        self.when_left: Callable[[], Any] = lambda: None
        self.when_stopping: Callable[[], Any] = lambda: None
        self._began = time.monotonic()
        self._visited = False

    @property
    def uptime(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    @property
    def people(self) -> int:
        """How many persons have a document open."""
        return len(set(self.documents.values()))

    def opened(self, document: OpenDocument, person: str) -> None:
        """Note that a document is connected.

        Parameters
        ----------
        document : OpenDocument
        person : str
            The key of the person who looks at it.
        """
        self.documents[document] = person
        if not self._visited:
            self._visited = True
            self.when_visited()

    def closed(self, document: OpenDocument) -> None:
        """Note that a document was closed; does nothing if that is known."""
        self.documents.pop(document, None)

    def ready(self) -> None:
        """Note that visits are answered."""
        if self.phase is Phase.STARTING:
            self.phase = Phase.SERVING
            self.when_ready()

    def tell(self, **entries: Any) -> None:
        """Send a message to every open document."""
        for document in list(self.documents):
            document.tell(**entries)

    def hang_up(self) -> None:
        """Close the connections of all open documents, once what was sent before is on its way."""
        for document in list(self.documents):
            document.hang_up()
