"""`prefetched`: what an iterator yields, made in a thread of its own while it is used."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")

#: Items that are made before they are used.
AHEAD = 2


def prefetched(items: Iterator[Item]) -> Iterator[Item]:
    """The items of an iterator, of which at most `AHEAD` are made before they are used.

    What making them raises is raised here, after those before it. The thread ends once nobody
    wants the items any more.
    """
    end = object()
    thread = ThreadPoolExecutor(1, thread_name_prefix="prefetch")
    try:
        made = deque(thread.submit(next, items, end) for _ in range(AHEAD))
        while (item := made.popleft().result()) is not end:
            made.append(thread.submit(next, items, end))
            yield item  # type: ignore[misc]  # the end is none of them
    finally:
        thread.shutdown(cancel_futures=True)
