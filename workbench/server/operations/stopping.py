"""`Stopping`: the end of a server, in order, so that nothing is lost and nobody is left alone.

New documents are refused, and open ones say that the server is being restarted. What people asked
for may finish; then all states are written, the sockets are closed, and the event loop ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from workbench.server.operations.state import Phase, ServerState

T = TypeVar("T")

logger = logging.getLogger(__name__)

#: Seconds between two looks whether everything is done.
_LOOK = 0.1

#: Seconds in which the pages have to be written once the time is over.
_LAST = 10.0

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class StoppedPeople(Protocol):
    """What is at work for people."""

    def jobs_running(self) -> int:
        """How many jobs run or wait."""

    def settle(self, seconds: float) -> bool:
        """Wait until everything is done that was asked before; False if it takes longer."""


class Stopping:
    """The end of a server.

    Parameters
    ----------
    loop : tornado.ioloop.IOLoop
    state : ServerState
    people : StoppedPeople
    end : callable
        Ends all pages, and writes what has to be kept; returns whether all of it was written.
    close : callable
        Closes the server: it listens no more.
    within : float
        Seconds for which jobs and saves may go on.
    drain : callable, optional
        ``drain(seconds)`` ends the work in other processes that is not done by then.

    Attributes
    ----------
    complete : bool
        Whether everything that people had asked for was done; else threads may still be at work.
    """

    def __init__(
        self,
        loop: Any,
        state: ServerState,
        people: StoppedPeople,
        end: Callable[[], bool],
        close: Callable[[], None],
        within: float,
        drain: Callable[[float], int] = lambda seconds: 0,
    ):
        self._drain = drain
        self._loop, self._state, self._people = loop, state, people
        self._end, self._close, self._within = end, close, within
        self._task: asyncio.Task[None] | None = None
        self.complete = False

    def on_signals(self) -> None:
        """Stop on SIGTERM and Ctrl-C; at once on the second one."""
        for one in _SIGNALS:
            try:
                self._loop.asyncio_loop.add_signal_handler(one, self._hear, one)
            except NotImplementedError:  # Windows

                def later(number: int, frame: Any) -> None:
                    self._loop.add_callback_from_signal(self._hear, number)

                signal.signal(one, later)

    def begin(self) -> None:
        """Begin to stop; to be called on the event loop. Does nothing the second time."""
        if self._task is None:
            self._task = self._loop.asyncio_loop.create_task(self._stop())

    def _hear(self, number: int) -> None:
        if self._task is None:
            self.begin()
            return
        logger.warning("stopped at once; what was running is lost", extra={"event": "stopped"})
        logging.shutdown()
        os._exit(128 + number)

    async def _stop(self) -> None:
        deadline = time.monotonic() + self._within
        self._state.phase = Phase.STOPPING
        self._state.when_stopping()
        jobs = self._people.jobs_running()
        logger.info(
            "stopping: %d documents are open, %d jobs run (they have %.0f s; "
            "a second signal stops at once)",
            *(len(self._state.documents), jobs, self._within),
            extra={"event": "stopping"},
        )
        try:
            self._state.tell(stopping=True)
            self.complete = await self._finished(deadline)
            await asyncio.sleep(_LOOK)  # the last answers are on their way
            if not self.complete:
                logger.warning(
                    "what took longer than --stop-within %.0f was given up",
                    self._within,
                    extra={"event": "stopped_late"},
                )
            self._state.hang_up()
            if await _in_thread(self._end, _LAST):
                logger.info("stopped; everything was kept", extra={"event": "stopped"})
            else:
                self.complete = False
                logger.error(
                    "stopped; not everything could be written within %.0f s",
                    _LAST,
                    extra={"event": "stopped_late"},
                )
        except Exception:
            logger.exception("the server could not stop in order")
        finally:
            self._close()
            self._loop.stop()

    async def _finished(self, deadline: float) -> bool:
        """Wait until everything is done, at most to the deadline."""
        while self._people.jobs_running() and time.monotonic() < deadline:
            await asyncio.sleep(_LOOK)
        late = self._people.jobs_running()
        left = max(deadline - time.monotonic(), 0.0)
        await _in_thread(lambda: self._drain(left), left + _LAST)
        if late:
            return False
        left = max(deadline - time.monotonic(), 0.0)
        return bool(await _in_thread(lambda: self._people.settle(left), left + _LOOK))


async def _in_thread(work: Callable[[], T], seconds: float) -> T | None:
    """What work returns in a thread of its own; None if it fails, which is logged, or is late."""
    done = asyncio.Event()
    found: T | None = None
    loop = asyncio.get_running_loop()

    def run() -> None:
        nonlocal found
        try:
            found = work()
        except Exception:
            logger.exception("something could not be ended")
        finally:
            loop.call_soon_threadsafe(done.set)

    # A daemon, as the threads of all pages may be taken, and the end must not wait for this one.
    threading.Thread(target=run, name="workbench-stopping", daemon=True).start()
    try:
        await asyncio.wait_for(done.wait(), seconds)
    except TimeoutError:
        return None
    return found
