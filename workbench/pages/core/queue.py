"""`LatestWins`: tasks in the order in which they were posted, only the latest one of each key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from threading import Lock, get_ident
from typing import Any

Task = Callable[[], Any]

#: ``schedule(turn, blocks)``: have ``turn()`` called soon. ``blocks`` is True if one of its tasks
#: waits for another process.
Schedule = Callable[[Callable[[], None], bool], Any]


class LatestWins:
    """Queue of tasks that keeps the latest task of each key.

    All tasks that wait form one turn. Turns never overlap; tasks that are posted during a turn
    form the next one, which is scheduled when the turn ends, behind those of other queues.

    Parameters
    ----------
    run : callable
        ``run(tasks)`` runs the tasks of a turn.
    schedule : callable
        Decides when and in which thread turns run; see `Schedule`.
    """

    def __init__(self, run: Callable[[list[Task]], None], schedule: Schedule):
        self._run, self._schedule = run, schedule
        self._tasks: dict[Hashable, Task] = {}
        self._lock = Lock()
        self._scheduled = self._blocks = False
        self._thread = 0

    def post(self, key: Hashable, task: Task) -> None:
        """Add a task, in place of an earlier one with the same key that has not begun.

        Parameters
        ----------
        key : hashable
            What the task sets, such as the name of a parameter.
        task : callable
            Is called without arguments.
        """
        self.post_together({key: task})

    def post_together(self, tasks: Mapping[Hashable, Task], blocks: bool = False) -> None:
        """Add tasks that must run in the same turn.

        Parameters
        ----------
        tasks : mapping
            Keys and tasks; see `post`.
        blocks : bool
            True if one of them waits for another process.
        """
        with self._lock:
            self._blocks |= blocks
            for key, task in tasks.items():
                self._tasks.pop(key, None)
                self._tasks[key] = task
            if self._scheduled:
                return
            self._scheduled = True
            blocks = self._blocks
        self._schedule(self._turn, blocks)

    @property
    def size(self) -> int:
        """Tasks that wait."""
        with self._lock:
            return len(self._tasks)

    def clear(self) -> None:
        """Drop the tasks that wait."""
        with self._lock:
            self._tasks.clear()

    def close(self) -> None:
        """Drop the tasks that wait, and run none from now on."""
        with self._lock:
            self._tasks.clear()
            self._run = lambda tasks: None

    @property
    def here(self) -> bool:
        """True if the caller is one of the tasks."""
        return self._thread == get_ident()

    def _turn(self) -> None:
        with self._lock:
            tasks, self._tasks = list(self._tasks.values()), {}
            self._blocks = False
        self._thread = get_ident()
        try:
            self._run(tasks)
        finally:
            self._thread = 0
            with self._lock:
                self._scheduled = more = bool(self._tasks)
                blocks = self._blocks
            if more:
                self._schedule(self._turn, blocks)
