"""`Throttle`: how often passwords may be tried.

Every failure takes a token from several buckets, which fill again with time:

====================  ======  ==============  ==================================================
bucket                tokens  one more after  counts the failures
====================  ======  ==============  ==================================================
account and network        5  30 s            of one network at one account
network                  100  2 s             of one network (IPv4 /32, IPv6 /64) at all accounts
wide network             200  1 s             of one IPv6 /48 at all accounts
account                  100  10 s            of all networks at one account
device and account        10  10 s            of a browser that has signed in to it before
====================  ======  ==============  ==================================================

A browser that has signed in to an account before ("device cookies", OWASP) takes from the last
bucket only, so that no stranger can keep the owner of an account out. Whoever comes from another
network is let in as long as the account's own bucket, for which an attacker needs many networks, is
not empty. An attempt that finds an empty bucket is refused, costs no hash and takes no token.

All of it is in memory: a restart fills the buckets. Each kind of bucket holds a number of keys, and
lets go of that which was used longest ago.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.server.network.rates import TokenBuckets


@dataclass(frozen=True)
class Attempt:
    """Somebody who tries a password.

    Parameters
    ----------
    account : str
        The name, as names are compared.
    networks : tuple of str
        See `workbench.server.network.rates.networks`.
    device : str
        Id of a browser that has signed in to the account before; "" for others.
    """

    account: str
    networks: tuple[str, ...]
    device: str = ""


class Throttle:
    """How often passwords may be tried; see the module.

    Parameters
    ----------
    clock : callable, optional
        Seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._pairs = TokenBuckets(5, 30.0, clock)
        self._networks = TokenBuckets(100, 2.0, clock)
        self._wide = TokenBuckets(200, 1.0, clock)
        self._accounts = TokenBuckets(100, 10.0, clock)
        self._devices = TokenBuckets(10, 10.0, clock)

    def admit(self, attempt: Attempt) -> float:
        """Seconds to wait for the next attempt; 0 for one that may be made now.

        An attempt that may be made counts as a failure until it has succeeded, so that attempts at
        the same time are counted too.
        """
        wait = max(buckets.wait(key) for buckets, key in self._of(attempt))
        if wait == 0:
            for buckets, key in self._of(attempt):
                buckets.take(key)
        return wait

    def give_back(self, attempt: Attempt) -> None:
        """Give back what an attempt took that was no failure."""
        for buckets, key in self._of(attempt):
            buckets.give(key)

    def is_calm(self, attempt: Attempt) -> bool:
        """Whether nobody has failed lately in the network of an attempt."""
        return self._networks.is_full(attempt.networks[0])

    def _of(self, attempt: Attempt) -> Iterator[tuple[TokenBuckets, str]]:
        if attempt.device:
            yield self._devices, f"{attempt.device} {attempt.account}"
            return
        near, *wide = attempt.networks
        yield self._networks, near
        yield self._pairs, f"{near} {attempt.account}"
        yield self._accounts, attempt.account
        for network in wide:
            yield self._wide, network
