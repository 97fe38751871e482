"""`JobSlots`: how many work at once, of each person and in all; others wait in fair turns."""

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
    """Work that was asked for, with or without a slot.

    Attributes
    ----------
    person : str
        Key of the person who asked for it.
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


class JobSlots:
    """How many work at once; who waits gets a slot in turn with other people.

    Parameters
    ----------
    each, all_together : float
        Slots of one person, and of all people.
    what : str
        What takes them, in words: "jobs".
    """

    def __init__(self, each: float, all_together: float, what: str):
        self._each, self._all, self._what = each, all_together, what
        self._changed = Condition()
        self._working: list[WorkItem] = []
        self._waiting: list[WorkItem] = []
        self._turns = count(1)
        self._last: dict[str, int] = {}  # number of the last turn of a person

    @property
    def working(self) -> list[WorkItem]:
        """The work that has a slot, oldest first."""
        with self._changed:
            return list(self._working)

    @property
    def waiting(self) -> list[WorkItem]:
        """The work that waits, oldest first."""
        with self._changed:
            return list(self._waiting)

    @contextmanager
    def slot(self, person: str, title: str, report: Report) -> Iterator[WorkItem]:
        """Context in which a person has a slot; waits for it.

        Parameters
        ----------
        person, title : str
            See `WorkItem`.
        report : Report
            Takes in words what is waited for, and may raise to wait no longer.
        """
        item = WorkItem(person, title)
        with self._changed:
            self._waiting.append(item)
            self._assign()
        try:
            self._wait(item, report)
            yield item
        finally:
            with self._changed:
                (self._working if item.working else self._waiting).remove(item)
                self._assign()

    def end(self, person: str | None = None) -> None:
        """Have all work of a person end, or of everybody."""
        with self._changed:
            for item in (*self._waiting, *self._working):
                if person in (None, item.person):
                    item.unwanted = True
            self._changed.notify_all()

    def empty(self, seconds: float) -> bool:
        """True once nobody works or waits, which is waited for; False after so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._working + self._waiting, seconds)

    def _wait(self, item: WorkItem, report: Report) -> None:
        shown = ""
        while True:
            with self._changed:
                if not item.working:
                    self._changed.wait(PATIENCE if shown else 0)
                if item.working:
                    return
                words = self._why(item)
            if item.unwanted:
                return  # who asked for the slot ends it
            if words == shown:
                report()
            else:
                report(None, words)
                shown = words

    def _why(self, item: WorkItem) -> str:
        """What the work waits for."""
        mine = sum(one.person == item.person for one in self._working)
        if mine >= self._each:
            one = mine == 1
            return (
                f"Waiting for a place: {mine} {self._what[:-1] if one else self._what} of yours "
                f"{'is' if one else 'are'} running (limit {self._each:g})"
            )
        return (
            f"Waiting for a place: {len(self._working)} {self._what} of all people are running "
            f"(limit {self._all:g})"
        )

    def _assign(self) -> None:
        """Give free slots to those who wait: to whom had one least recently."""
        while len(self._working) < self._all:
            running = [item.person for item in self._working]
            may = [one for one in self._waiting if running.count(one.person) < self._each]
            if not may:
                break
            item = min(may, key=lambda one: self._last.get(one.person, -math.inf))
            self._waiting.remove(item)
            self._working.append(item)
            self._last[item.person] = next(self._turns)
            item.since, item.working = time.time(), True
        self._changed.notify_all()
        here = {item.person for item in (*self._working, *self._waiting)}
        if len(self._last) > 10 * len(here) + 100:  # people who left
            self._last = {person: turn for person, turn in self._last.items() if person in here}
