"""What the server lets go of when nobody needs it, and when.

Python and the C library keep what many visitors at once have used, and what was computed stays for
the next who asks. Once sessions have ended, `MemoryRelease` gives it back to the system.
"""

from __future__ import annotations

import ctypes
import gc
import os
from typing import Any

from workbench.pairs.accounting.accounted import forget_compositions
from workbench.server.operations.state import ServerState

#: Bytes from which on an array has pages of its own, and that may stay free at the end of the heap.
#: GNU's C library raises both with what is freed, and large arrays then leave holes in the heap.
_OWN_PAGES, _STAYS_FREE = 2**20, 4 * 2**20

#: Of mallopt.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3

#: Seconds after the end of a session until its memory is returned to the system.
SOON = 10.0


def return_large_arrays() -> None:
    """Have large arrays return to the system when they are freed, from now on."""
    if (tune := _of_libc("mallopt")) is not None:
        tune(_MMAP_THRESHOLD, _OWN_PAGES)
        tune(_TRIM_THRESHOLD, _STAYS_FREE)


def release() -> None:
    """Return what is free to the system; takes a fifth of a second, in which nobody is answered."""
    gc.collect()
    if (trim := _of_libc("malloc_trim")) is not None:
        trim(0)


def _of_libc(name: str) -> Any:
    """A function that only GNU's C library has; None elsewhere."""
    return getattr(ctypes.CDLL(None), name, None) if os.name == "posix" else None


class MemoryRelease:
    """Returns the memory of ended sessions to the system; to be called on the event loop."""

    def __init__(self, loop: Any, state: ServerState):
        self._loop, self._state = loop, state
        self._asked = False

    def soon(self) -> None:
        """Do it some seconds from now, once for all sessions that end until then."""
        if not self._asked:
            self._asked = True
            self._loop.call_later(SOON, self._release)

    def _release(self) -> None:
        self._asked = False
        if not self._state.documents:
            forget_compositions()
        release()
