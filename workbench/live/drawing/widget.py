"""`LiveView`: a live audit in a notebook, drawn from the loop that feeds it.

The loop keeps the kernel busy, so nothing that a browser sends arrives before it ends; what the
kernel sends does. So the widget has no controls. Its charts appear when the browser has plotly.js,
for which it has to ask. Until then the picture beside the widget is shown, so that is drawn as
often as the widget.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from workbench.assets import board as assets
from workbench.jupyter import cell_lifetime
from workbench.jupyter.display import Display
from workbench.jupyter.snapshot import Snapshot
from workbench.live.drawing.page import LiveAuditPage
from workbench.live.state import LiveState
from workbench.pages.core.page import Item
from workbench.pages.core.session import PageSession
from workbench.views.kernel_queue import KernelLoop

#: What is said below the picture.
FOOT = "As last drawn, from the loop that feeds the audit."


class LiveView(Display):
    """A live audit in a notebook; `LiveAudit.show` makes it.

    Parameters
    ----------
    state : LiveState
        The first one.
    """

    def __init__(self, state: LiveState):
        self._loop = KernelLoop()
        self._page = page = LiveAuditPage(state=state)
        session = PageSession(
            page, page.items(), self._draw, self._schedule, log_level=logging.WARNING
        )
        Display.__init__(self, session, [])
        self._snapshot = Snapshot(self._identity, FOOT)
        session.stale |= session.items.keys()
        self.closed = False
        cell_lifetime.enter(self)

    def __repr__(self) -> str:
        return f"LiveView of {self._page.state!r}"

    def update(self, state: LiveState) -> None:
        """Show another state."""
        if self.closed:
            return
        self._page.param.update(state=state)
        self._draw()
        self._refresh()

    def close(self) -> None:
        """Free the widget; the picture stays."""
        self.closed = True
        self._session.queue.clear()
        Display.close(self)

    def _schedule(self, turn: Callable[[], None], blocks: bool = False) -> None:
        self._loop.schedule(turn, blocks)

    def _draw(self) -> None:
        sent: dict[str, str] = {}

        def put(item: Item, value: Any) -> None:
            text = assets.content(value)
            self._contents[item.name] = (value, text)
            sent[item.name] = text

        for item in self._items:
            if item.name in self._session.stale:
                self._session.draw(item, put)
        self._session.take_changed()
        if self._live is not None:
            self._live.present(sent, self._session.handled)
