"""`EventCounts`: events by network, of which only some get a line in the log."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from workbench.server.network.rates import MOST, TokenBuckets

#: Seconds without an event after which a network is counted from 0 again.
QUIET = 3600.0

#: Lines of the log in the long run, in seconds for each, and at once.
EVERY, BURST = 2.0, 30


class EventCounts:
    """Events by network.

    An attack has thousands of them. A line of the log is due for the 1st, 10th, 100th, … of a kind
    from one network, as long as there are not too many networks.

    Parameters
    ----------
    clock : callable, optional
        Seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._counts: OrderedDict[tuple[str, str], tuple[int, float]] = OrderedDict()
        self._lines = TokenBuckets(BURST, EVERY, clock)

    def add(self, kind: str, network: str) -> int:
        """The number of events so far if a line of the log is due; 0 if none is."""
        now = self._clock()
        count, last = self._counts.pop((kind, network), (0, now))
        count = count + 1 if now - last < QUIET else 1
        self._counts[kind, network] = count, now
        while len(self._counts) > MOST:
            self._counts.popitem(last=False)
        if str(count).rstrip("0") != "1" or self._lines.wait("") > 0:
            return 0
        self._lines.take("")
        return count
