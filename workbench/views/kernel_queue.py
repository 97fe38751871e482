"""`KernelLoop`: runs turns of a page on the kernel's main thread, between cells.

Messages of widgets may arrive in other threads (JupyterLab's subshells), and between cells a
kernel ignores Ctrl-C. Both are settled here, so that a page needs no locks and can be interrupted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from workbench.parallel import interruptible

#: Seconds for which gestures are gathered before a turn begins.
GATHER = 0.005


class KernelLoop:
    """Schedules turns on the event loop in which it was made; without a loop they run at once."""

    def __init__(self) -> None:
        self._later: asyncio.TimerHandle | None = None
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None

    def schedule(self, turn: Callable[[], None], blocks: bool = False) -> None:
        """Run a turn soon, so that Ctrl-C interrupts it; see `workbench.pages.core.queue.Schedule`.

        Parameters
        ----------
        turn : callable
            The turn.
        blocks : bool
            Not used: a kernel has one main thread.
        """
        if self._loop is None:
            _interruptible(turn)
        else:
            call = partial(_interruptible, turn)
            self._loop.call_soon_threadsafe(self._loop.call_later, GATHER, call)

    def idle(self, seconds: float, call: Callable[[], None]) -> None:
        """Call once this has not been asked for again for some seconds; never without a loop.

        Parameters
        ----------
        seconds : float
            How long nobody may ask again.
        call : callable
            Is called on the loop.
        """
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._plan, seconds, call)

    def cancel(self) -> None:
        """Cancel what `idle` planned."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._plan, 0, None)

    def _plan(self, seconds: float, call: Callable[[], None] | None) -> None:
        if self._later is not None:
            self._later.cancel()
        self._later = None
        if call is not None and self._loop is not None:
            self._later = self._loop.call_later(seconds, call)


def _interruptible(turn: Callable[[], None]) -> None:
    with interruptible():
        turn()
