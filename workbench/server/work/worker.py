"""In the process of a job: does the work, and tells the server of its progress and its result."""

from __future__ import annotations

import logging
import os
import pickle
import time
import traceback
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from workbench import parallel
from workbench.parallel import ProcessesEnded
from workbench.progress import Cancelled
from workbench.server.work.messages import receive, send

logger = logging.getLogger(__name__)

#: Seconds between two reports that the server is sent.
EVERY = 0.1

#: What the server says to have the work end.
CANCEL = b"cancel"


class _Reporter:
    """Sends reports, of several in a short time the last one."""

    def __init__(self, server: Connection, known: dict[str, Any]):
        self._server, self._known = server, known
        self._unsent: dict[str, Any] = {}
        self._last = 0.0

    def report(
        self, fraction: float | None = None, message: str | None = None, partial: Any = None
    ) -> None:
        """See `workbench.progress.Report`."""
        told = {"fraction": fraction, "message": message, "partial": partial}
        self._unsent |= {name: value for name, value in told.items() if value is not None}
        cancelled = self._unwanted()
        if self._unsent and (cancelled or time.monotonic() - self._last > EVERY):
            self.flush()
        if cancelled:
            raise Cancelled

    def _unwanted(self) -> bool:
        try:
            return self._server.poll() and self._server.recv_bytes() == CANCEL
        except (EOFError, ConnectionError):  # the server has ended
            return True

    def flush(self) -> None:
        """Send what was not sent."""
        if self._unsent:
            unsent, self._unsent = self._unsent, {}
            send(self._server, ("report", unsent), self._known)
            self._last = time.monotonic()


def work(server: Connection) -> None:
    """Do what the server asks for, once.

    Parameters
    ----------
    server : Connection
    """
    parallel.fork_processes()
    # The server hears of the end of this process, whoever it started.
    os.register_at_fork(after_in_child=partial(os.close, server.fileno()))
    function, arguments, known = receive(server)
    reporter = _Reporter(server, known)
    try:
        answer: tuple[Any, ...] = ("done", function(*arguments, reporter.report))
    except Cancelled:
        answer = ("cancelled",)
    except MemoryError:
        answer = ("memory",)
    except ProcessesEnded as error:
        answer = ("ended", error.signal)
    except BaseException as error:
        logger.debug("the work failed", exc_info=True)
        answer = ("failed", _portable(error), traceback.format_exc())
    reporter.flush()
    send(server, answer, known)


def _portable(error: BaseException) -> Exception:
    """An error as the server raises it again."""
    if isinstance(error, Exception):
        try:
            if str(pickle.loads(pickle.dumps(error))) == str(error):
                return error
        except Exception:
            logger.debug("an error cannot be sent", exc_info=True)
    return RuntimeError(str(error) or type(error).__name__)
