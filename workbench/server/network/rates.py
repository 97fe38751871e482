"""`TokenBuckets`: how often something may be done; `networks`: by whom."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable

#: Buckets of one kind that are held in memory.
MOST = 20_000

#: Seconds that are no wait but the rounding of sums.
_ROUNDING = 1e-6


def networks(address: str) -> tuple[str, ...]:
    """The networks of an address that one sender may have for themselves, the narrowest first.

    Returns
    -------
    tuple of str
        The IPv4 address, or the IPv6 networks of 64 and 48 bits.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return (address,)
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return (str(found.ipv4_mapped),)
        return tuple(str(ipaddress.ip_network((found, bits), strict=False)) for bits in (64, 48))
    return (str(found),)


class TokenBuckets:
    """Buckets of tokens, by key; whoever does something takes one, and waits where there is none.

    All of it is in memory. To be used in one thread.

    Parameters
    ----------
    size : int
        Tokens of a full one.
    every : float
        Seconds until there is one more.
    clock : callable, optional
        Seconds.
    most : int
        Keys that are held; the one used longest ago is let go.
    """

    def __init__(
        self, size: int, every: float, clock: Callable[[], float] = time.monotonic, most: int = MOST
    ):
        self._size, self._every, self._clock, self._most = size, every, clock, most
        self._full_at: OrderedDict[str, float] = OrderedDict()  # the time at which it is full

    def wait(self, key: str) -> float:
        """Seconds until there is a token; 0 if there is one."""
        wait = self._full_at.get(key, 0.0) - self._clock() - (self._size - 1) * self._every
        return wait if wait > _ROUNDING else 0.0

    def take(self, key: str) -> None:
        """Take a token."""
        self._full_at[key] = max(self._full_at.pop(key, 0.0), self._clock()) + self._every
        while len(self._full_at) > self._most:
            self._full_at.popitem(last=False)

    def give(self, key: str) -> None:
        """Give a token back."""
        if key in self._full_at:
            self._full_at[key] -= self._every

    def is_full(self, key: str) -> bool:
        """Whether nothing was taken lately."""
        return self._full_at.get(key, 0.0) <= self._clock()

    def __len__(self) -> int:
        return len(self._full_at)
