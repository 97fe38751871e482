"""`Housekeeping`: puts away what nobody uses, and notices changed roles."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable

from workbench.dashboard.limits import ServerLimits
from workbench.dashboard.live_page import Later
from workbench.dashboard.worker import Turns
from workbench.processes.family import memory_in_use
from workbench.server.people_folders import PeopleFolders
from workbench.server.people_here import PeopleHere, PersonHere

logger = logging.getLogger(__name__)

#: Seconds between two looks at roles and at idle documents, and at what visitors left behind.
LOOK, TIDY = 5.0, 600.0

#: Seconds without a gesture after which pages make room for others, and between two times at
#: which room is made: memory is free some seconds after the pages were put away.
UNUSED, ROOM = 60.0, 20.0

KEPT = "Your data sets and settings are kept: reload the page to go on."


class Housekeeping:
    """Puts away what nobody uses, and notices changed roles.

    Parameters
    ----------
    here : PeopleHere
    homes : PeopleFolders
        Where workspaces are.
    limits : callable
        Returns what people may use.
    ask_role : callable
        Notes the present role of a person; ends those who may not come any more.
    freed : callable
        Returns memory to the system.
    later : callable
        See `workbench.dashboard.live_page.Later`.
    """

    def __init__(
        self,
        here: PeopleHere,
        homes: PeopleFolders,
        limits: Callable[[], ServerLimits],
        ask_role: Callable[[PersonHere], bool],
        freed: Callable[[], None],
        later: Later,
    ):
        self._here, self._homes, self._limits = here, homes, limits
        self._ask_role, self._freed, self._later = ask_role, freed, later
        self._turns = Turns()
        self._tidied = -TIDY
        self._room_made, self._released = -ROOM, False
        self._ended = False

    def start(self) -> None:
        """Look again and again, from now on."""
        self._later(LOOK, lambda: self._turns.submit(self.look, True))

    def end(self) -> None:
        """Look no more."""
        self._ended = True

    def look(self) -> None:
        """Put away idle documents, notice changed roles, and delete what visitors left."""
        try:
            for one in self._here:
                if one.documents and one.person.signed_in:
                    self._ask_role(one)
                self._put_away_idle(one)
            self._make_room()
            if time.monotonic() - self._tidied >= TIDY:
                self._tidied = time.monotonic()
                for one in self._here:
                    self._homes.visited(one.person)
                self._homes.tidy([one.person.key for one in self._here])
        except Exception:
            logger.exception("the pages of visitors could not be looked after")
        if not self._ended:
            self.start()

    def _put_away_idle(self, one: PersonHere) -> None:
        idle = self._limits().idle
        unused = [d for d in list(one.documents) if d.used < time.monotonic() - idle]
        if unused and not one.works:
            for document in unused:
                document.put_away(f"Put away after {duration(idle)} without use. {KEPT}")
                self._here.leave(one.person, document)

    def _make_room(self) -> None:
        """Put away what was used least recently, where the pages have too much memory."""
        now, enough = time.monotonic(), memory_in_use() <= self._limits().memory
        if enough or now < self._room_made + ROOM:
            self._released = self._released and not enough
            return
        if not self._released:  # it may be that little of it is in use
            self._released, self._room_made = True, now
            self._freed()
            return
        made = [one for one in self._here if one.bench is not None and not one.works]
        unused = [one for one in made if one.last_used < now - UNUSED]
        unused.sort(key=lambda one: one.last_used)
        for one in unused[: math.ceil(len(unused) / 4)]:
            logger.info("pages were put away for want of memory", extra={"event": "made_room"})
            self._here.end(one.person.key, f"Put away to make room for others. {KEPT}")
        if unused:
            self._room_made = now


def duration(seconds: float) -> str:
    """A time as people say it, such as "2 hours"."""
    for unit, name in ((3600.0, "hour"), (60.0, "minute"), (1.0, "second")):
        if seconds >= unit:
            number = seconds / unit
            return f"{number:g} {name}{'' if number == 1 else 's'}"
    return f"{seconds:g} seconds"
