"""`BackgroundWork`: makes what takes seconds, a few at once, while pages and sliders go on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, TypeVar

from workbench.dashboard.worker import WAITING
from workbench.progress import Cancelled, Report

P = TypeVar("P")
M = TypeVar("M")


class BusyError(Exception):
    """Raised where something cannot be made now, but later."""


class BackgroundWork:
    """Makes what takes seconds, in threads of its own.

    Parameters
    ----------
    name : str
        What it makes, in words: "reports".
    at_once : int
        How many it makes at once.
    places : int
        How many may be made or wait.
    patience : float
        Seconds after which it gives one up.
    each : int
        How many of one person may be made or wait.
    """

    def __init__(self, name: str, at_once: int, places: int, patience: float, each: int = 4):
        self._name, self._places, self._patience, self._each = name, places, patience, each
        self._of: Counter[str] = Counter()
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=f"workbench-{name}")
        self._taken = 0
        self._fractions: dict[str, float] = {}

    def fraction(self, key: str) -> float | None:
        """The share that is done of what is made; None where that is not known.

        Parameters
        ----------
        key : str
            See `made`.
        """
        return self._fractions.get(key)

    async def made(
        self, look: Callable[[], P], make: Callable[[P, Report], M], key: str, person: str = ""
    ) -> M:
        """What is made of something that is looked at soon; to be called on the event loop.

        Once it is cancelled, nobody wants the result, and ``make`` is told so.

        Parameters
        ----------
        look : callable
            Returns what it is made of, as it is now; takes a moment.
        make : callable
            Makes it, which takes seconds, and reports its progress.
        key : str
            Names it for `fraction`.
        person : str
            Key of the person who wants it.

        Raises
        ------
        BusyError
            Too many are made already, or this one took too long.
        """
        if self._of[person] >= self._each:
            raise BusyError(
                f"{self._each} {self._name} of yours are being made already, as many as one person "
                "may have at once; try again when one of them is there"
            )
        if self._taken >= self._places:
            raise BusyError(f"too many {self._name} are being made; try again in a minute")
        self._taken += 1
        self._of[person] += 1
        unwanted = Event()

        def report(
            fraction: float | None = None, message: str | None = None, partial: Any = None
        ) -> None:
            if unwanted.is_set():
                raise Cancelled
            if fraction is not None:
                self._fractions[key] = fraction

        try:
            loop = asyncio.get_running_loop()
            try:
                seen = await loop.run_in_executor(WAITING, look)
            except TimeoutError as late:
                raise BusyError("the page is at work; try again when it rests") from late
            making = loop.run_in_executor(self._threads, make, seen, report)
            try:
                return await asyncio.wait_for(making, self._patience)
            except TimeoutError as late:
                raise BusyError(
                    f"it took longer than {self._patience:.0f} seconds and was given up"
                ) from late
        finally:
            unwanted.set()
            self._taken -= 1
            self._of[person] -= 1
            if not self._of[person]:
                del self._of[person]
            self._fractions.pop(key, None)
