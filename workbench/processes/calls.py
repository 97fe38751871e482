"""One call of a function in a fork of the fork server: progress, cancellation, the result.

`call` is the side of the program, `answer` that of the process. The two trust each other.
"""

from __future__ import annotations

import logging
import math
import os
import pickle
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from workbench.processes import pool
from workbench.processes.messages import Pipe, ready, received, send
from workbench.processes.pool import ProcessesEnded
from workbench.processes.values import receive_value, send_value
from workbench.progress import Cancelled, Report

logger = logging.getLogger(__name__)

#: Seconds between two reports that the program is sent, and between two questions whether the work
#: is still wanted.
EVERY, PATIENCE = 0.1, 0.1

#: Seconds that cancelled work has to end by itself.
HEEDED = 2.0

#: What the program says to have the work end.
_CANCEL = b"cancel"


@dataclass(frozen=True)
class Ending:
    """How a process ended.

    Attributes
    ----------
    status : int or None
        As of ``subprocess``: a negative number is that of a signal; None if it is not known.
    limit : str
        The field of `workbench.processes.limits.ProcessLimits` that it exceeded; "" for none.
    """

    status: int | None
    limit: str = ""


class CallEnded(Exception):  # noqa: N818
    """The process could not go on; ``ending`` is None where it is gone, without a word."""

    def __init__(self, ending: Ending | None = None):
        super().__init__(ending)
        self.ending = ending


def call(
    pipe: Pipe,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    report: Report,
    known: Mapping[str, Any] | None = None,
) -> Any:
    """The result of ``function(*arguments, report)`` in the process at the other end of a pipe.

    Parameters
    ----------
    pipe : file
        Without a buffer of its own.
    function : callable
        Of a module.
    arguments : tuple
    report : Report
        Takes the progress, and is asked every `PATIENCE` seconds whether the work goes on.
    known : mapping of str to object, optional
        Parts of the arguments that are the same objects in what comes back.

    Raises
    ------
    workbench.progress.Cancelled
        From ``report``; the process had `HEEDED` seconds to end by itself.
    CallEnded
        The process, or one that it had started, ended, or it ran out of memory.
    """
    known = dict(known or {})
    try:
        kind, *reply = _reply(pipe, (function, arguments, known), report)
    except (EOFError, OSError) as error:
        raise CallEnded from error
    if kind == "done":
        return reply[0]
    if kind == "cancelled":
        raise Cancelled
    if kind == "ended":
        raise CallEnded(Ending(*reply))
    failure, trace = reply
    failure.add_note(f"In its process:\n{trace}")
    raise failure


def _reply(pipe: Pipe, request: tuple[Any, ...], report: Report) -> tuple[Any, ...]:
    """What the process answers at the end of its work."""
    give_up = math.inf  # when the process has to have heeded that it is cancelled

    def pass_on(**told: Any) -> None:
        nonlocal give_up
        if give_up < math.inf:
            return
        try:
            report(**told)
        except Cancelled:
            give_up = time.monotonic() + HEEDED
            with suppress(OSError):  # it has ended by itself
                send(pipe, [_CANCEL])

    send_value(pipe, request)
    while True:
        if time.monotonic() > give_up:
            raise Cancelled
        pass_on()
        if not ready(pipe, PATIENCE):
            continue
        reply: tuple[Any, ...] = receive_value(pipe, request[-1])
        if reply[0] != "report":
            return reply
        pass_on(**reply[1])


# -- in the process ------------------------------------------------------------------------------


class _Reporter:
    """Sends reports, of several in a short time the last one."""

    def __init__(self, program: Pipe, known: dict[str, Any]):
        self._program, self._known = program, known
        self._unsent: dict[str, Any] = {}
        self._last = 0.0

    def report(
        self, fraction: float | None = None, message: str | None = None, partial: Any = None
    ) -> None:
        """See `workbench.progress.Report`."""
        told = {"fraction": fraction, "message": message, "partial": partial}
        self._unsent |= {name: value for name, value in told.items() if value is not None}
        cancelled = self._is_cancelled()
        if self._unsent and (cancelled or time.monotonic() - self._last > EVERY):
            self.flush()
        if cancelled:
            raise Cancelled

    def _is_cancelled(self) -> bool:
        try:
            return ready(self._program, 0) and received(self._program) == [_CANCEL]
        except (EOFError, ConnectionError):  # the program has ended
            return True

    def flush(self) -> None:
        """Send what was not sent."""
        if self._unsent:
            unsent, self._unsent = self._unsent, {}
            send_value(self._program, ("report", unsent), self._known)
            self._last = time.monotonic()


def answer(program: Pipe) -> None:
    """Do what the program asks for, once."""
    pool.fork_processes()
    # The program hears of the end of this process, whoever it started.
    os.register_at_fork(after_in_child=partial(os.close, program.fileno()))
    function, arguments, known = receive_value(program)
    reporter = _Reporter(program, known)
    try:
        reply: tuple[Any, ...] = ("done", function(*arguments, reporter.report))
    except Cancelled:
        reply = ("cancelled",)
    except MemoryError:
        reply = ("ended", None, "memory")
    except ProcessesEnded as error:
        reply = ("ended", -error.signal or None)
    except BaseException as error:
        logger.debug("the work failed", exc_info=True)
        reply = ("failed", _portable(error), traceback.format_exc())
    reporter.flush()
    send_value(program, reply, known)


def _portable(error: BaseException) -> Exception:
    """An error as the program raises it again."""
    if isinstance(error, Exception):
        try:
            if str(pickle.loads(pickle.dumps(error))) == str(error):
                return error
        except Exception:
            logger.debug("an error cannot be sent", exc_info=True)
    return RuntimeError(str(error) or type(error).__name__)
