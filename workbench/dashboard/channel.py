"""The wire between a visitor's browser and their session: one Panel component that is not seen."""

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
    """Carries texts to the browser, and gestures from it.

    Everything that is seen is drawn by ``page.js`` from the document itself; the values are there
    before the connection is. Messages carry no state of a model. They take the short way past
    Panel's busy counter and the document's lock, which cost more than drawing does.
    """

    _esm = HERE / "channel.js"

    def __init__(self, **params: Any):
        super().__init__(**params)
        self.receive: Callable[[dict[str, Any]], None] = lambda gesture: None

    async def send(self, doc: Any, text: str) -> None:
        """Send a text to the browser of a document; call it on the event loop."""
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
            logger.warning("a message that is no gesture was left out", exc_info=True)
