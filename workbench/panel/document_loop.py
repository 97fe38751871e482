"""`DocumentLoop`: runs turns of a page where the document of a visitor may be changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from panel.io.state import state as panel_state

from workbench.views.kernel_queue import KernelLoop


def served_document() -> Any:
    """The document of the visitor whose session runs this code; None outside a server."""
    document = panel_state.curdoc
    return document if document is not None and document.session_context is not None else None


class DocumentLoop(KernelLoop):
    """Schedules turns on the loop of a server, each while it holds the lock of a document.

    It is the document in which somebody did something, or else that in which the loop was made.
    Outside a server it is a `KernelLoop`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._document = served_document()
        if self._document is not None:
            self._document.on_session_destroyed(self._forget)

    def schedule(self, turn: Callable[[], None], blocks: bool = False) -> None:
        """Run a turn soon; see `KernelLoop.schedule`."""
        document = served_document() or self._document
        if document is None:
            super().schedule(turn, blocks)
        else:
            document.add_next_tick_callback(turn)

    def _forget(self, _: Any) -> None:
        self._document = None
