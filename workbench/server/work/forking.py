"""The process that others are forks of: it starts them, watches their limits, and ends them.

It has one thread, and imports what pages and reports need before the first fork. It ends, with all
its forks, when the server does: the control socket is then closed. Nothing else ends it, for all
work of everybody would end with it: a request that it cannot meet is answered with the reason.
"""

from __future__ import annotations

import errno
import gc
import importlib
import logging
import math
import os
import pkgutil
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from workbench import _json, _process
from workbench.pages.registry import PAGES
from workbench.parallel import NICE
from workbench.server.work import worker
from workbench.server.work.template import ProcessLimits

logger = logging.getLogger(__name__)

#: Seconds between two looks at what the forks use.
TICK = 0.25

#: Seconds for a process that was killed to be gone, and between two looks at it.
PATIENCE, MOMENT = 5.0, 0.005

#: Seconds between two lines of the log about what goes wrong again and again.
QUIET = 60.0

#: Modules that most work needs, besides the pages.
_MODULES = (
    "sklearn.ensemble",
    "sklearn.linear_model",
    "dp_accounting",
    "workbench.reports.write",
    "workbench.figures.paper.export",
    "workbench.assets.share",
    "workbench.server.work.files",
)

#: The largest request, and the number of files that come with one.
_LONGEST, _FILES = 4096, 1

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

    def look(self) -> None:
        """End it, with its family, where it exceeds a limit."""
        if self.limit:
            return
        if time.monotonic() - self.began > self.limits.seconds:
            self.limit = "seconds"
        else:
            family, most = _process.family(self.pid), self.limits.memory
            if _process.memory_of(family, most) > most:
                self.limit = "memory"
        if self.limit:
            _process.end_family(self.pid)


def serve(control: int) -> None:
    """Answer requests until the server ends.

    Parameters
    ----------
    control : int
        Number of the control socket.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _process.adopt_orphans()
    _process.no_core_file()
    _process.huge_pages(True)  # jobs are short, and work on large arrays
    _import_all()
    gc.collect()
    gc.freeze()  # what is never looked at again stays shared
    with socket.socket(fileno=control) as server:
        _Forks(server).serve()


class _Forks:
    """The forks of this process."""

    def __init__(self, server: socket.socket):
        self._server = server
        self._forks: dict[int, _Fork] = {}
        self._unwanted: set[int] = set()  # those of them that are to end
        self._logged = -math.inf
        self._answers: dict[str, Callable[..., dict[str, Any]]] = {
            "nothing": self._nothing,
            "fork": self._fork,
            "end": self._end,
        }

    def serve(self) -> None:
        while self._is_wanted():
            try:
                self._end_orphans()
                for pid in list(self._unwanted):
                    self._ended(pid)
                for fork in self._forks.values():
                    fork.look()
            except Exception:  # such as too many open files
                self._log("what the processes of jobs use cannot be read")
        for pid in self._forks:
            _process.end_family(pid)

    def _is_wanted(self) -> bool:
        """Answer a request, if one comes in time; whether there is still a server."""
        try:
            if not select.select([self._server], [], [], TICK if self._forks else None)[0]:
                return True
            text, files, flags, _ = socket.recv_fds(self._server, _LONGEST, _FILES)
            if not text:
                return False
            self._server.send(_json.message(self._answer(text, files, flags)))
        except ConnectionError:  # the server has ended
            return False
        except Exception:
            self._log("a request could not be taken")
            time.sleep(MOMENT)
        return True

    def _answer(self, text: bytes, files: list[int], flags: int) -> dict[str, Any]:
        """What is answered to a request: what it asked for, or why not."""
        try:
            if flags & socket.MSG_TRUNC:
                raise _RequestError(f"the request is longer than {_LONGEST} bytes")
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

    def _nothing(self) -> dict[str, Any]:
        return {}

    def _fork(self, connection: int, memory: float, seconds: float) -> dict[str, Any]:
        limits = ProcessLimits(float(memory), float(seconds))
        if not (limits.memory > 0 and limits.seconds > 0):
            raise _RequestError(f"the limits {memory} and {seconds} are not above 0")
        me = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            raise _RequestError(_NO_PROCESS.get(error.errno or 0, str(error))) from error
        if not pid:
            _begin(me, limits, self._server, connection)
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
        _process.end_family(pid)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if not ended:
            return None
        del self._forks[pid]
        self._unwanted.discard(pid)
        return os.waitstatus_to_exitcode(status)

    def _end_orphans(self) -> None:
        """End what descendants of forks left behind, unless it still is in their session."""
        for pid, session in _process.children(os.getpid()).items():
            if pid not in self._forks and session not in self._forks:
                _process.end_family(pid)
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)


def _begin(template: int, limits: ProcessLimits, server: socket.socket, connection: int) -> None:
    """In the fork: a session of its own behind the server, then the work, then the end."""
    status = 1
    try:
        server.close()
        os.setsid()
        _process.end_with_parent()
        if os.getppid() == template:  # it has not ended before that
            os.setpriority(os.PRIO_PROCESS, 0, NICE)
            _process.limit_data(limits.memory)
            worker.work(Connection(connection))
            status = 0
    finally:
        os._exit(status)


def _import_all() -> None:
    for page in PAGES.values():
        page.kind  # noqa: B018  (imports its module)
    for name in _MODULES:
        with suppress(ImportError):  # an optional package
            importlib.import_module(name)
    for module in pkgutil.iter_modules(importlib.import_module("workbench.bounds").__path__):
        importlib.import_module(f"workbench.bounds.{module.name}")
