"""When a notebook's page is at work: in the kernel's main thread, between cells, latest wins.

Messages of widgets may arrive in other threads (JupyterLab's subshells), and between cells a
kernel ignores Ctrl-C. Both are settled here, so that the page needs no locks and can be stopped.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable

from workbench.parallel import interruptible

#: Seconds for which messages are gathered before the page is redrawn.
GATHER = 0.005


class Turns:
    """Runs posted jobs one after the other; of jobs with one key, only the latest.

    Made inside a running event loop it posts to that loop; elsewhere jobs run at once.

    Parameters
    ----------
    run : callable
        Is given the jobs of a turn.
    """

    def __init__(self, run: Callable[[list[Callable[[], None]]], None]):
        self._run = run
        self._jobs: dict[Hashable, Callable[[], None]] = {}
        self._lock = threading.Lock()
        self._later: asyncio.TimerHandle | None = None
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None

    def post(self, key: Hashable, job: Callable[[], None]) -> None:
        """Have ``job`` run soon, in place of an older one of the same key that still waits."""
        with self._lock:
            planned = bool(self._jobs)
            self._jobs.pop(key, None)
            self._jobs[key] = job
        if self._loop is None:
            self._turn()
        elif not planned:
            self._loop.call_soon_threadsafe(self._loop.call_later, GATHER, self._turn)

    def waits(self, key: Hashable) -> bool:
        """Whether a job of this key is still to be begun."""
        with self._lock:
            return key in self._jobs

    def later(self, seconds: float, job: Callable[[], None]) -> None:
        """Have ``job`` run once nobody has asked for this again for so long."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._plan, seconds, job)

    def stop(self) -> None:
        """Forget what was planned."""
        with self._lock:
            self._jobs.clear()
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._plan, 0, None)

    def _plan(self, seconds: float, job: Callable[[], None] | None) -> None:
        if self._later is not None:
            self._later.cancel()
        self._later = None
        if job is not None and self._loop is not None:
            self._later = self._loop.call_later(seconds, job)

    def _turn(self) -> None:
        with self._lock:
            jobs, self._jobs = list(self._jobs.values()), {}
        with interruptible():
            self._run(jobs)
