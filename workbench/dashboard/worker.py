"""Threads that all sessions share, in fair turns."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

logger = logging.getLogger(__name__)

#: All sessions share these threads. More of them would only take turns at the interpreter.
THREADS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="workbench")

#: Threads of what waits: for another process, such as the one that parses a file, or for a turn.
WAITING = ThreadPoolExecutor(max_workers=8, thread_name_prefix="workbench-waiting")

_lock = Lock()
_queued = 0  # turns of all sessions that no thread has begun


def calm() -> bool:
    """True if no session waits for a thread: the time for work that can wait."""
    return _queued == 0


def submit(turn: Callable[[], None], blocks: bool) -> None:
    """Run a turn of a session in a thread; see `workbench.pages.core.queue.Schedule`.

    Turns run in the order of submission. As a session submits one turn at a time, no session can
    keep the threads to itself.

    Parameters
    ----------
    turn : callable
        Its errors are logged.
    blocks : bool
        True if the turn waits for another process; it then keeps no thread from other sessions.
    """
    global _queued
    if blocks:
        WAITING.submit(_logged, turn)
        return
    with _lock:
        _queued += 1
    THREADS.submit(_begin, turn)


def _begin(turn: Callable[[], None]) -> None:
    global _queued
    with _lock:
        _queued -= 1
    _logged(turn)


def _logged(turn: Callable[[], None]) -> None:
    try:
        turn()
    except Exception:
        logger.exception("a turn of a session failed")
