"""`Places`: how many work at once, each person and all together; the others wait in fair turns."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from threading import Condition

from workbench.progress import Report

#: Seconds after which work that waits asks whether it was cancelled.
PATIENCE = 0.1


@dataclass(eq=False)
class WorkItem:
    """Work that was asked for, with or without a place.

    Attributes
    ----------
    person : str
        Key of the person whose it is.
    title : str
        What it is, in words.
    since : float
        When it began, or was asked for while it waits; seconds of ``time.time()``.
    working : bool
        False while it waits.
    unwanted : bool
        True once it has to end.
    """

    person: str = field(repr=False)
    title: str
    since: float = field(default_factory=time.time)
    working: bool = False
    unwanted: bool = False


class Places:
    """How many work at once; whoever waits gets a place in turn with other people.

    Parameters
    ----------
    each : float
        Places of one person.
    all_together : float
        Places of all people.
    what : str
        What takes them, in words: "jobs".
    """

    def __init__(self, each: float, all_together: float, what: str):
        self._each, self._all, self._what = each, all_together, what
        self._changed = Condition()
        self._taken: list[WorkItem] = []
        self._waiting: list[WorkItem] = []
        self._turns = count(1)
        self._last: dict[str, int] = {}  # number of the last turn of a person

    @property
    def working(self) -> list[WorkItem]:
        """The work that has a place, oldest first."""
        with self._changed:
            return list(self._taken)

    @property
    def waiting(self) -> list[WorkItem]:
        """The work that waits, oldest first."""
        with self._changed:
            return list(self._waiting)

    @contextmanager
    def taken(self, person: str, title: str, report: Report) -> Iterator[WorkItem]:
        """Context in which a person has a place; waits for it.

        Parameters
        ----------
        person, title : str
            See `WorkItem`.
        report : Report
            Takes in words what is waited for, and may raise to wait no longer.
        """
        place = WorkItem(person, title)
        with self._changed:
            self._waiting.append(place)
            self._assign()
        try:
            self._wait(place, report)
            yield place
        finally:
            with self._changed:
                for places in (self._waiting, self._taken):
                    if place in places:
                        places.remove(place)
                self._assign()

    def end(self, person: str | None = None) -> None:
        """Have all work of a person end, or of everybody.

        Parameters
        ----------
        person : str, optional
            Key of the person.
        """
        with self._changed:
            for place in (*self._waiting, *self._taken):
                if person in (None, place.person):
                    place.unwanted = True
            self._changed.notify_all()

    def empty(self, seconds: float) -> bool:
        """True once nobody works or waits, which is waited for; False after so many seconds.

        Parameters
        ----------
        seconds : float
        """
        with self._changed:
            none = lambda: not self._taken and not self._waiting  # noqa: E731
            return self._changed.wait_for(none, seconds)

    def _wait(self, place: WorkItem, report: Report) -> None:
        said = ""
        while True:
            with self._changed:
                if not place.working:
                    self._changed.wait(PATIENCE if said else 0)
                if place.working:
                    return
                words = self._why(place)
            if place.unwanted:
                return  # whoever asked for the place ends it
            if words == said:
                report()
            else:
                report(None, words)
                said = words

    def _why(self, place: WorkItem) -> str:
        """What the work waits for."""
        mine = sum(one.person == place.person for one in self._taken)
        if mine >= self._each:
            running = f"{mine} {self._what if mine != 1 else self._what[:-1]}"
            return (
                f"Waiting for a place: {running} of yours {'are' if mine != 1 else 'is'} running "
                f"(limit {self._each:g})"
            )
        return (
            f"Waiting for a place: {len(self._taken)} {self._what} of all people are running "
            f"(limit {self._all:g})"
        )

    def _assign(self) -> None:
        """Give free places to those who wait: to whom had one least recently."""
        while len(self._taken) < self._all:
            running = [place.person for place in self._taken]
            may = [one for one in self._waiting if running.count(one.person) < self._each]
            if not may:
                break
            place = min(may, key=lambda one: self._last.get(one.person, -math.inf))
            self._waiting.remove(place)
            self._taken.append(place)
            self._last[place.person] = next(self._turns)
            place.since, place.working = time.time(), True
        self._changed.notify_all()
        here = {place.person for place in (*self._taken, *self._waiting)}
        if len(self._last) > 10 * len(here) + 100:  # people who left
            self._last = {person: turn for person, turn in self._last.items() if person in here}
