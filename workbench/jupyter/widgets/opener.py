"""`Opener`: the button that opens a view in the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget


class Opener(anywidget.AnyWidget):
    """Widget that ``opener.js`` draws.

    Parameters
    ----------
    asked : callable
        Called when the button was pressed, and answers with `answer`. The address is sent only
        then, and is not part of the widget's state, which may be saved.
    """

    _esm = (Path(__file__).parent / "opener.js").read_text(encoding="utf-8")

    def __init__(self, asked: Callable[[], None]):
        super().__init__()
        self._asked = asked
        self.on_msg(self._take)

    def answer(self, address: str) -> None:
        """Open an address in the tab of the browser that waits for it; "" closes that tab."""
        self.send({"address": address})

    def _take(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
        if content.get("kind") == "open":
            self._asked()
