"""A session's work, in order, off the event loop, and in turns with that of other sessions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Lock, get_ident

logger = logging.getLogger(__name__)

#: All sessions share these threads. More of them would only take turns at the interpreter.
THREADS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="workbench")

#: Threads of tasks that wait for another process, such as the one that reads a file.
WAITING = ThreadPoolExecutor(max_workers=8, thread_name_prefix="workbench-waiting")


_lock = Lock()
_queued = 0  # turns of all sessions that no thread has taken up


def calm() -> bool:
    """Whether no session waits for a thread: the time for work that can wait."""
    return _queued == 0


def _submit(turn: Callable[[], None], waits: bool) -> None:
    global _queued
    if waits:
        WAITING.submit(turn)
        return
    with _lock:
        _queued += 1
    THREADS.submit(_taken_up, turn)


def _taken_up(turn: Callable[[], None]) -> None:
    global _queued
    with _lock:
        _queued -= 1
    turn()


class Worker:
    """Runs posted tasks one after the other in a thread; of tasks with one key, only the latest.

    All tasks that wait are one turn. After it, a session that has more to do queues up behind the
    other sessions, so that none of them can keep the threads to itself.

    Parameters
    ----------
    after : callable
        Called in the same thread once everything that had been posted was done.
    """

    def __init__(self, after: Callable[[], None]):
        self._after = after
        self._tasks: dict[Hashable, Callable[[], None]] = {}
        self._lock = Lock()
        self._queued = self._waits = False
        self._thread = 0

    def post(self, key: Hashable, task: Callable[[], None]) -> None:
        """Have ``task`` run soon, in place of an older one of the same key that still waits."""
        self.post_together({key: task})

    def post_together(
        self, tasks: Mapping[Hashable, Callable[[], None]], waits: bool = False
    ) -> None:
        """Post tasks that are to run in one turn.

        Parameters
        ----------
        tasks : mapping
            See `post`.
        waits : bool
            Whether one of them waits for another process; it then keeps no thread from others.
        """
        with self._lock:
            self._waits |= waits
            for key, task in tasks.items():
                self._tasks.pop(key, None)
                self._tasks[key] = task
            if self._queued:
                return
            self._queued = True
            waits = self._waits
        _submit(self._turn, waits)

    def close(self) -> None:
        """Forget what waits, and what was to be called; nothing runs any more."""
        with self._lock:
            self._tasks.clear()
            self._after = lambda: None

    @property
    def here(self) -> bool:
        """Whether the caller is one of the tasks."""
        return self._thread == get_ident()

    def _turn(self) -> None:
        with self._lock:
            tasks, self._tasks = self._tasks, {}
            self._waits = False
        self._thread = get_ident()
        try:
            for task in tasks.values():
                task()
            self._after()
        except Exception:
            logger.exception("a change of the page failed")
        finally:
            self._thread = 0
        with self._lock:
            self._queued = more = bool(self._tasks)
            waits = self._waits
        if more:
            _submit(self._turn, waits)
