"""The fork server itself: it starts processes, watches their limits, and ends them.

It has one thread, and imports what the work needs before the first fork. It ends, with all its
forks, when the program does: the control socket is then closed. Nothing else ends it, for all work
of everybody would end with it: a request that it cannot meet is answered with the reason.
"""

from __future__ import annotations

import errno
import gc
import importlib
import logging
import math
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workbench import _json
from workbench.processes import calls
from workbench.processes import limits as of_process
from workbench.processes.family import end_family, end_orphans, family
from workbench.processes.limits import ProcessLimits
from workbench.processes.pool import NICE

logger = logging.getLogger(__name__)

#: Seconds between two looks at what the forks use.
TICK = 0.25

#: Seconds for a process that was killed to be gone, and between two looks at it.
PATIENCE, MOMENT = 5.0, 0.005

#: Seconds between two lines of the log about what goes wrong again and again.
QUIET = 60.0

#: The largest request or answer, and the number of files that come with one.
MOST_BYTES, _FILES = 4096, 1

#: Why the system makes no process, in words.
_NO_PROCESS = {
    errno.EAGAIN: "the system allows no more processes (see ulimit -u and the limits of its "
    "container)",
    errno.ENOMEM: "the machine has no memory for one more process",
}


class _RequestError(Exception):
    """A request cannot be met, for the reason in the message."""


@dataclass
class _Fork:
    """A process that was started."""

    pid: int
    limits: ProcessLimits
    began: float = field(default_factory=time.monotonic)
    limit: str = ""

    def check(self) -> None:
        """End it, with its family, where it exceeds a limit."""
        if not self.limit:
            self.limit = self.limits.exceeded(family(self.pid), self.began)
            if self.limit:
                end_family(self.pid)


def serve(control: int, module: str, prepare: str) -> None:
    """Answer requests until the program ends.

    Parameters
    ----------
    control : int
        Number of the control socket.
    module, prepare : str
        The function that imports what the work needs.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    of_process.adopt_orphans()
    of_process.hold_to()
    of_process.huge_pages(True)  # jobs are short, and work on large arrays
    getattr(importlib.import_module(module), prepare)()
    gc.collect()
    gc.freeze()  # what is never looked at again stays shared
    with socket.socket(fileno=control) as program:
        _Forks(program).serve()


class _Forks:
    """The forks of this process."""

    def __init__(self, program: socket.socket):
        self._program = program
        self._forks: dict[int, _Fork] = {}
        self._unwanted: set[int] = set()  # those of them that are to end
        self._logged = -math.inf
        self._answers: dict[str, Callable[..., dict[str, Any]]] = {
            "nothing": dict,
            "fork": self._fork,
            "end": self._end,
        }

    def serve(self) -> None:
        while self._is_wanted():
            try:
                end_orphans(self._forks)
                for pid in list(self._unwanted):
                    self._ended(pid)
                for fork in self._forks.values():
                    fork.check()
            except Exception:  # such as too many open files
                self._log("what the processes of jobs use cannot be read")
        for pid in self._forks:
            end_family(pid)

    def _is_wanted(self) -> bool:
        """Answer a request, if one comes in time; whether there is still a program."""
        try:
            if not select.select([self._program], [], [], TICK if self._forks else None)[0]:
                return True
            text, files, flags, _ = socket.recv_fds(self._program, MOST_BYTES, _FILES)
            if not text:
                return False
            self._program.send(_json.message(self._answer(text, files, flags)))
        except ConnectionError:  # the program has ended
            return False
        except Exception:
            self._log("a request could not be taken")
            time.sleep(MOMENT)
        return True

    def _answer(self, text: bytes, files: list[int], flags: int) -> dict[str, Any]:
        """What is answered to a request: what it asked for, or why not."""
        try:
            if flags & socket.MSG_TRUNC:
                raise _RequestError(f"the request is longer than {MOST_BYTES} bytes")
            if flags & socket.MSG_CTRUNC:
                raise _RequestError("the connection of the process could not be taken over")
            request = _json.loads(text)
            return self._answers[request.pop("do")](*files, **request)
        except _RequestError as error:
            return {"problem": str(error)}
        except OSError as error:
            return {"problem": error.strerror or str(error)}
        except MemoryError:
            return {"problem": _NO_PROCESS[errno.ENOMEM]}
        except Exception as error:
            self._log("a request was not understood")
            return {"problem": f"the request was not understood ({type(error).__name__})"}
        finally:
            for file in files:
                os.close(file)

    def _log(self, what: str) -> None:
        if time.monotonic() - self._logged > QUIET:
            self._logged = time.monotonic()
            logger.exception(what)

    def _fork(self, pipe: int, memory: float, seconds: float) -> dict[str, Any]:
        limits = ProcessLimits(memory=float(memory), seconds=float(seconds))
        if not (limits.memory > 0 and limits.seconds > 0):
            raise _RequestError(f"the limits {memory} and {seconds} are not above 0")
        me = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            raise _RequestError(_NO_PROCESS.get(error.errno or 0, str(error))) from error
        if not pid:
            _begin(me, limits, self._program, pipe)
        self._forks[pid] = _Fork(pid, limits)
        return {"pid": pid}

    def _end(self, pid: int) -> dict[str, Any]:
        fork = self._forks.get(pid)
        if fork is None:
            raise _RequestError(f"there is no process {pid} to end")
        self._unwanted.add(pid)
        deadline = time.monotonic() + PATIENCE
        while (status := self._ended(pid)) is None:
            if time.monotonic() > deadline:
                raise _RequestError(f"the process {pid} does not end: it waits for the system")
            time.sleep(MOMENT)
        return {"status": status, "limit": fork.limit}

    def _ended(self, pid: int) -> int | None:
        """The status of a process that is to end; None while it has not."""
        # Nobody has waited for it yet, so that its number is its own.
        end_family(pid)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if not ended:
            return None
        del self._forks[pid]
        self._unwanted.discard(pid)
        return os.waitstatus_to_exitcode(status)


def _begin(server: int, limits: ProcessLimits, control: socket.socket, pipe: int) -> None:
    """In the fork: a session of its own behind the program, then the work, then the end."""
    status = 1
    try:
        control.close()
        os.setsid()
        of_process.end_with_parent()
        if os.getppid() == server:  # it has not ended before that
            os.setpriority(os.PRIO_PROCESS, 0, NICE)
            of_process.hold_to(more_memory=limits.memory, for_good=True)
            calls.answer(os.fdopen(pipe, "r+b", buffering=0))
            status = 0
    finally:
        os._exit(status)
