"""A session's work, in order and off the event loop, so that one person's wait is only theirs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock, get_ident

logger = logging.getLogger(__name__)

#: All sessions share these threads; numpy and file reading let go of the interpreter.
THREADS = ThreadPoolExecutor(max_workers=8, thread_name_prefix="workbench")


class Worker:
    """Runs posted jobs one after the other in a thread; of jobs with one key, only the latest.

    Parameters
    ----------
    after : callable
        Called in the same thread once everything that had been posted was done.
    """

    def __init__(self, after: Callable[[], None]):
        self._after = after
        self._jobs: dict[Hashable, Callable[[], None]] = {}
        self._lock = Lock()
        self._running = False
        self._thread = 0

    def post(self, key: Hashable, job: Callable[[], None]) -> None:
        """Have ``job`` run soon, in place of an older one of the same key that still waits."""
        with self._lock:
            self._jobs.pop(key, None)
            self._jobs[key] = job
            if self._running:
                return
            self._running = True
        THREADS.submit(self._run)

    @property
    def busy(self) -> bool:
        """Whether anything is running or waiting."""
        return self._running

    @property
    def here(self) -> bool:
        """Whether the caller is one of the jobs."""
        return self._running and self._thread == get_ident()

    def _run(self) -> None:
        self._thread = get_ident()
        while True:
            with self._lock:
                jobs, self._jobs = self._jobs, {}
                if not jobs:
                    self._running = False
                    return
            try:
                for job in jobs.values():
                    job()
                self._after()
            except Exception:
                logger.exception("A change of the page failed")
