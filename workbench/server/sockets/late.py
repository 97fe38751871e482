"""`LateVisits`: documents whose sockets did not come while their sessions lived.

A session that nobody uses is let go of after some seconds. A machine under load may need longer
until the browser has opened the socket of a document. The session is then made again from what is
known of the visit, once, for the same person, for as long as its token holds.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

#: Visits that are remembered.
_MOST = 10_000


@dataclass(frozen=True)
class LateVisit:
    """A document without a session.

    Parameters
    ----------
    person : str
        The key of the person for whom it was made.
    page : str
        The page in it.
    until : float
        Time at which it is forgotten.
    """

    person: str
    page: str
    until: float


class LateVisits:
    """Documents whose sockets did not come while their sessions lived.

    Parameters
    ----------
    seconds : float
        For which a document is remembered.
    clock : callable, optional
        Seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic):
        self._seconds, self._clock = seconds, clock
        self._visits: OrderedDict[str, LateVisit] = OrderedDict()

    def add(self, session: str, person: str, page: str) -> None:
        """Remember a document whose session was let go of unused.

        Parameters
        ----------
        session : str
            The id of the session.
        person, page : str
            See `LateVisit`.
        """
        now = self._clock()
        self._visits[session] = LateVisit(person, page, now + self._seconds)
        while len(self._visits) > _MOST or next(iter(self._visits.values())).until <= now:
            self._visits.popitem(last=False)

    def take(self, session: str, person: str) -> LateVisit | None:
        """The document of a person with this session, once; None if there is none.

        Parameters
        ----------
        session, person : str
            See `add`.
        """
        found = self._visits.get(session)
        if found is None or found.person != person or found.until <= self._clock():
            return None
        return self._visits.pop(session)
