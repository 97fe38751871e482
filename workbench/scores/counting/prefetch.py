"""`prefetched`: what an iterator yields, made in a thread of its own while it is used."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from queue import Full, Queue
from typing import TypeVar

Item = TypeVar("Item")

#: Items that are made before they are used.
AHEAD = 2

#: Seconds between two looks whether they are still wanted.
_PACE = 0.2


def prefetched(items: Iterator[Item]) -> Iterator[Item]:
    """The items of an iterator, of which at most `AHEAD` are made before they are used.

    What making them raises is raised here, after those before it. The thread ends once nobody
    wants the items any more.
    """
    made: Queue[tuple[Item | None, BaseException | None]] = Queue(AHEAD)
    unwanted = threading.Event()

    def put(item: Item | None, error: BaseException | None) -> None:
        while not unwanted.is_set():
            with suppress(Full):
                made.put((item, error), timeout=_PACE)
                return

    def make() -> None:
        try:
            for item in items:
                put(item, None)
                if unwanted.is_set():
                    return
        except BaseException as error:
            put(None, error)
        else:
            put(None, StopIteration())

    thread = threading.Thread(target=make, name="prefetch", daemon=True)
    thread.start()
    try:
        while True:
            item, error = made.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item  # type: ignore[misc]  # there is one where there is no error
    finally:
        unwanted.set()
        thread.join()
