"""`LinkGuesses`: how many addresses of links that do not work somebody may try."""

from __future__ import annotations

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock

#: Wrong addresses within so many seconds, and senders that are remembered.
MOST, WITHIN, MOST_SENDERS = 60, 60.0, 10_000


class LinkGuesses:
    """How many addresses of links that do not work one sender may try.

    Nobody can guess a token of 256 bits; the bound keeps those who try from being a burden.

    Parameters
    ----------
    clock : callable, optional
        Seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._times: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = Lock()

    def wait(self, sender: str) -> int:
        """Seconds for which a sender has to wait; 0 for none.

        Parameters
        ----------
        sender : str
            An IP address.
        """
        now = self._clock()
        with self._lock:
            times = self._times.get(sender)
            if times is None or len(times) < MOST or now - times[0] >= WITHIN:
                return 0
            return math.ceil(WITHIN - (now - times[0]))

    def note(self, sender: str) -> None:
        """Note a wrong address.

        Parameters
        ----------
        sender : str
        """
        with self._lock:
            self._times.setdefault(sender, deque(maxlen=MOST)).append(self._clock())
            self._times.move_to_end(sender)
            while len(self._times) > MOST_SENDERS:
                self._times.popitem(last=False)
