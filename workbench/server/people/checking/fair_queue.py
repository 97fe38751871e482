"""`FairQueue`: the few threads in which passwords are checked, in fair turns."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from workbench.server.network.rates import TokenBuckets

T = TypeVar("T")

#: Passwords that are checked at once; each takes a core and 64 MB for about 0.1 s.
AT_ONCE = 2

#: Checks that may wait, of all and of one network.
PLACES, PLACES_EACH = 128, 64

#: Checks per second for whom no browser vouches, in the long run, and at once.
RATE, BURST = 5.0, 60

#: How urgent a check is: a browser that has signed in before, a network in which nobody has failed
#: lately, and all others.
KNOWN, CALM, OTHER = 0, 1, 2


class CrowdedError(Exception):
    """Raised where too many checks are waiting."""


class FairQueue:
    """The few threads in which passwords are checked.

    The most urgent check is next; among equals the networks take turns, so that nobody who sends
    many gets more. Whoever is known never waits for the bound on checks per second. To be used on
    one event loop.

    Parameters
    ----------
    clock : callable, optional
        Seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="workbench-passwords")
        self._rate = TokenBuckets(BURST, 1 / RATE, clock)
        self._waiting: list[OrderedDict[str, deque[asyncio.Future[None]]]] = [
            OrderedDict() for _ in (KNOWN, CALM, OTHER)
        ]
        self._running = 0
        self._woken: asyncio.TimerHandle | None = None

    async def run(self, urgency: int, network: str, task: Callable[[], T]) -> T:
        """What a task returns, in its turn.

        Parameters
        ----------
        urgency : {KNOWN, CALM, OTHER}
        network : str
            Whose turn it is.
        task : callable

        Raises
        ------
        CrowdedError
            Too many are waiting.
        """
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._make_room(urgency, network)
        self._waiting[urgency].setdefault(network, deque()).append(turn)
        self._next()
        try:
            await turn
        except asyncio.CancelledError:
            self._leave(urgency, network, turn)
            raise
        try:
            return await loop.run_in_executor(self._threads, task)
        finally:
            self._running -= 1
            self._next()

    def _leave(self, urgency: int, network: str, turn: asyncio.Future[None]) -> None:
        """Give up a place, or a turn that has just come."""
        turns = self._waiting[urgency].get(network, deque())
        if turn in turns:
            turns.remove(turn)
            if not turns:
                del self._waiting[urgency][network]
        elif not turn.cancelled() and turn.exception() is None:
            self._running -= 1
            self._next()

    def _make_room(self, urgency: int, network: str) -> None:
        """Refuse this check, or one that is less urgent than it."""
        if len(self._waiting[urgency].get(network, ())) >= PLACES_EACH:
            raise CrowdedError
        if sum(len(turns) for waiting in self._waiting for turns in waiting.values()) < PLACES:
            return
        for waiting in reversed(self._waiting[urgency + 1 :]):
            if waiting:
                longest = max(waiting, key=lambda one: len(waiting[one]))
                given_up = waiting[longest].pop()
                if not waiting[longest]:
                    del waiting[longest]
                if not given_up.done():
                    given_up.set_exception(CrowdedError())
                return
        raise CrowdedError

    def _next(self) -> None:
        """Give turns to those who may have one now."""
        while self._running < AT_ONCE:
            urgency = next((k for k, waiting in enumerate(self._waiting) if waiting), None)
            if urgency is None:
                return
            if urgency != KNOWN:
                if (wait := self._rate.wait("")) > 0:
                    self._wake(wait)
                    return
                self._rate.take("")
            waiting = self._waiting[urgency]
            network, turns = waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                waiting[network] = turns  # behind the others
            if not turn.done():  # nobody waits for it any more
                self._running += 1
                turn.set_result(None)

    def _wake(self, wait: float) -> None:
        if self._woken is None:
            self._woken = asyncio.get_running_loop().call_later(wait, self._again)

    def _again(self) -> None:
        self._woken = None
        self._next()
