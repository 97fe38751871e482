"""`DrawingPace`: how often something may be drawn so that the loop it shows hardly waits."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Seconds between two drawings, at least.
LEAST = 0.5

#: The share of time that drawing may take.
SHARE = 0.05


class DrawingPace:
    """Runs a task unless it ran a moment ago, so that it takes a small share of the time.

    Parameters
    ----------
    clock : callable
        Seconds of a clock that never goes back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._next = clock, float("-inf")

    def run(self, task: Callable[[], None], at_once: bool = False) -> None:
        """Run the task now or not at all.

        Parameters
        ----------
        task : callable
        at_once : bool
            Whether it runs in any case.
        """
        began = self._clock()
        if not at_once and began < self._next:
            return
        try:
            task()
        finally:
            ended = self._clock()
            self._next = ended + max(LEAST, (ended - began) / SHARE)
