"""Threads that all people share, in fair turns."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

logger = logging.getLogger(__name__)

#: Threads of the turns of all people. More of them would only take turns at the interpreter.
THREADS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="workbench")

#: Threads of questions that wait for a turn, such as what a document shows.
WAITING = ThreadPoolExecutor(max_workers=8, thread_name_prefix="workbench-waiting")

#: Threads of turns that wait for another process, such as the one that parses a file.
BLOCKED = ThreadPoolExecutor(max_workers=8, thread_name_prefix="workbench-blocked")

#: Turns of one person at once, and of all people whose turns are long.
MOST_EACH = MOST_LONG = 2

#: Seconds on a processor from which on a turn is long.
LONG = 0.25

Turn = Callable[[], None]


class Crew:
    """Threads that run turns in the order of submission, but for people who have enough of them.

    Parameters
    ----------
    threads : ThreadPoolExecutor
    size : int
        Turns at once.
    """

    def __init__(self, threads: ThreadPoolExecutor, size: int):
        self._threads, self._free = threads, size
        self._queue: deque[tuple[Turns, Turn]] = deque()
        self._running: dict[Turns, int] = {}
        self._lock = Lock()

    @property
    def calm(self) -> bool:
        """Whether no turn waits."""
        return not self._queue

    def submit(self, whose: Turns, turn: Turn) -> None:
        """Run a turn soon.

        Parameters
        ----------
        whose : Turns
            Whose turn it is.
        turn : callable
            Its errors are logged.
        """
        with self._lock:
            self._queue.append((whose, turn))
        self._start()

    def _start(self) -> None:
        """Give free threads their turns."""
        while True:
            with self._lock:
                found = self._next() if self._free else None
                if found is None:
                    return
                whose, turn = found
                self._free -= 1
                self._running[whose] = self._running.get(whose, 0) + 1
            self._threads.submit(self._run, whose, turn)

    def _next(self) -> tuple[Turns, Turn] | None:
        long = sum(count for whose, count in self._running.items() if whose.long)
        for k, (whose, turn) in enumerate(self._queue):
            most = MOST_EACH if long < MOST_LONG or not whose.long else 0
            if self._running.get(whose, 0) < most:
                del self._queue[k]
                return whose, turn
        return None

    def _run(self, whose: Turns, turn: Turn) -> None:
        began = time.thread_time()
        try:
            turn()
        except Exception:
            logger.exception("a turn of a session failed")
        finally:
            whose.long = time.thread_time() - began >= LONG
            with self._lock:
                self._free += 1
                self._running[whose] -= 1
                if not self._running[whose]:
                    del self._running[whose]
            self._start()


_TURNS, _BLOCKED = Crew(THREADS, 4), Crew(BLOCKED, 8)


class Turns:
    """The turns of one person.

    Each page of a person submits one turn at a time. A person has at most `MOST_EACH` turns at
    once, and all people with long turns together at most `MOST_LONG`, so that there is always a
    thread for short ones.
    """

    def __init__(self) -> None:
        #: Whether the last turn was a long one.
        self.long = False

    def submit(self, turn: Turn, blocks: bool) -> None:
        """Run a turn soon; see `workbench.pages.core.queue.Schedule`.

        Parameters
        ----------
        turn : callable
        blocks : bool
            True if the turn waits for another process; it then keeps no thread from other people.
        """
        (_BLOCKED if blocks else _TURNS).submit(self, turn)


def calm() -> bool:
    """True if nobody waits for a thread: the time for work that can wait."""
    return _TURNS.calm
