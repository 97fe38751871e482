"""`Documents`: the documents that were sent to browsers, until their sockets come."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from workbench.dashboard.live_page import Later
from workbench.server.people.person import Person
from workbench.server.sockets.channel import Channel
from workbench.server.visitors import Visit, Visitors

#: Seconds for which a document without a socket is open, and for which its socket may come.
UNUSED, LATE = 15.0, 300.0

#: Documents without a socket that are remembered.
_MOST = 10_000


@dataclass
class _Sent:
    """A document whose socket has not come yet; without a channel once it was let go of."""

    visit: Visit
    until: float
    channel: Channel | None


class Documents:
    """The documents that were sent to browsers, until their sockets come.

    A document has an id that nobody can guess. With it comes one socket, once, of the person to
    whom it was sent. A document without a socket is let go of after some seconds; a machine under
    load may need longer until the browser has opened it. The document is then opened again from
    what is known of the visit.

    Parameters
    ----------
    visitors : Visitors
    open : callable
        Opens a document, and returns its channel.
    later : callable
        See `workbench.dashboard.live_page.Later`.
    clock : callable, optional
        Seconds.
    """

    def __init__(
        self,
        visitors: Visitors,
        open: Callable[[Visit], Channel],
        later: Later,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._visitors, self._open, self._later, self._clock = visitors, open, later, clock
        self._sent: OrderedDict[str, _Sent] = OrderedDict()

    def add(self, visit: Visit) -> str:
        """The id of a new document."""
        id, now = secrets.token_urlsafe(32), self._clock()
        while self._sent:
            oldest = next(iter(self._sent))
            if len(self._sent) < _MOST and self._sent[oldest].until > now:
                break
            self.let_go(oldest)
            del self._sent[oldest]
        self._sent[id] = _Sent(visit, now + LATE, self._open(visit))
        self._later(UNUSED, partial(self.let_go, id))
        return id

    def take(self, id: str, person: Person) -> Channel | None:
        """The channel of a document, for its socket; None if there is none for the person.

        Raises
        ------
        LimitError
            It was let go of, and too many documents are open now.
        """
        sent = self._sent.get(id)
        if sent is None or sent.visit.person.key != person.key or sent.until <= self._clock():
            return None
        del self._sent[id]
        if sent.channel is None:
            self._visitors.require_document(person)
            return self._open(Visit(person, sent.visit.page, "", None, {}))
        return sent.channel

    def let_go(self, id: str) -> None:
        """Let go of a document whose socket has not come."""
        sent = self._sent.get(id)
        if sent is not None and sent.channel is not None:
            channel, sent.channel = sent.channel, None
            channel.closed()
