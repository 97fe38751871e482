"""`Channel`: an invisible Panel component that carries messages to and from a browser."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from bokeh.document.events import MessageSentEvent
from panel.custom import JSComponent
from panel.models.esm import ESMEvent

from workbench.assets.board import HERE
from workbench.dashboard.server import connection_of

logger = logging.getLogger(__name__)


class Channel(JSComponent):
    """The connection between the browser of a visitor and the session.

    ``page.js`` draws the page from the document, which holds the first values, so that they are
    there before the connection is. Messages carry no state of a model, and bypass Panel's busy
    counter and the lock of the document, which cost more than drawing does.
    """

    _esm = HERE / "channel.js"

    def __init__(self, **params: Any):
        super().__init__(**params)
        self.receive: Callable[[dict[str, Any]], None] = lambda gesture: None

    async def send(self, doc: Any, text: str) -> None:
        """Send a text to the browser of a document; to be called on the event loop."""
        connection = connection_of(doc)
        if connection is None:
            return
        for model, _ in list(self._models.values()):
            event = ESMEvent(model=model, data=text)
            await connection.send_patch_document(MessageSentEvent(doc, "bokeh_event", event))

    def _register_events(self, *names: str, model: Any, doc: Any, comm: Any) -> None:
        model.on_event("data_event", partial(type(self)._take, self))

    def _take(self, event: Any) -> None:
        try:
            gesture = dict(json.loads(event.data["text"]))
            if "content" in event.data:
                gesture["content"] = event.data["content"]
            self.receive(gesture)
        except (KeyError, TypeError, ValueError):
            logger.warning("an invalid message was ignored", exc_info=True)
