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

#: Seconds after the end of a session until its memory is returned to the system.
SOON = 10.0


def release() -> None:
    """Return what is free to the system; takes a fifth of a second, in which nobody is answered."""
    gc.collect()
    # Only the C library of GNU can be asked for it.
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


class MemoryRelease:
    """Returns the memory of ended sessions to the system; to be called on the event loop.

    Parameters
    ----------
    loop : tornado.ioloop.IOLoop
    state : ServerState
    """

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
