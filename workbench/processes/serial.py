"""Where there are no processes, as in a browser: `none_start` says so, `InTurn` does without.

That none can be started is found by starting one, and by nothing else.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

#: What the system says that has no processes at all.
_NONE = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}

#: Modules of Python that a system without processes lacks.
_MODULES = {"_multiprocessing", "_posixsubprocess", "_posixshmem", "_winapi"}


def none_start(error: BaseException) -> bool:
    """Whether an error says that this system starts no processes or threads at all.

    One that has no room for one more (``EAGAIN``, ``ENOMEM``) is no such system.

    Parameters
    ----------
    error : BaseException
        Raised where a process, or a thread, was to be started.
    """
    if isinstance(error, ImportError):
        return error.name in _MODULES
    if isinstance(error, NotImplementedError):  # no semaphores
        return True
    if isinstance(error, OSError):
        return error.errno in _NONE
    return type(error) is RuntimeError and "can't start new thread" in str(error)


class InTurn(Executor):
    """An executor that computes each task in the caller, as it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is done. An interruption of the task is one of the caller."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future
