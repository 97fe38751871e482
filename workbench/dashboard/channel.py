"""The wire between a visitor's browser and their session: one Panel component that is not seen."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

from panel.custom import JSComponent

from workbench.assets.board import HERE

logger = logging.getLogger(__name__)


class Channel(JSComponent):
    """Carries texts to the browser, and gestures from it.

    Everything that is seen is drawn by ``page.js`` from the document itself; the values are there
    before the connection is.
    """

    _esm = HERE / "channel.js"

    def __init__(self, **params: Any):
        super().__init__(**params)
        self.receive: Callable[[dict[str, Any]], None] = lambda gesture: None

    def send(self, text: str) -> None:
        """Send a text; call it on the event loop."""
        self._send_msg(text)

    def _handle_msg(self, data: Any) -> None:
        try:
            gesture = dict(json.loads(data["text"]))
            if "content" in data:
                gesture["content"] = data["content"]
            self.receive(gesture)
        except (KeyError, TypeError, ValueError):
            logger.warning("a message that is no gesture was left out", exc_info=True)
