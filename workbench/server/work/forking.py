"""The process that others are forks of: it starts them, watches their limits, and ends them.

It has one thread, and imports what pages and reports need before the first fork. It ends, with all
its forks, when the server does: the control socket is then closed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from workbench import _process
from workbench.pages.registry import PAGES
from workbench.parallel import NICE
from workbench.server.work import worker
from workbench.server.work.template import ProcessLimits

#: Seconds between two looks at what the forks use.
TICK = 0.25

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
        self._answers: dict[str, Callable[..., dict[str, Any]]] = {
            "nothing": self._nothing,
            "fork": self._fork,
            "end": self._end,
        }

    def serve(self) -> None:
        while True:
            wait = TICK if self._forks else None
            if select.select([self._server], [], [], wait)[0]:
                text, files, _, _ = socket.recv_fds(self._server, _LONGEST, _FILES)
                if not text:
                    break
                self._answer(json.loads(text), files)
            self._end_orphans()
            for fork in self._forks.values():
                fork.look()
        for pid in self._forks:
            _process.end_family(pid)

    def _answer(self, request: dict[str, Any], files: list[int]) -> None:
        try:
            answer = self._answers[request.pop("do")](*files, **request)
        except OSError as error:
            answer = {"problem": str(error)}
        with suppress(OSError):  # the server has ended
            self._server.send(json.dumps(answer).encode())

    def _nothing(self) -> dict[str, Any]:
        return {}

    def _fork(self, connection: int, **limits: float) -> dict[str, Any]:
        chosen = ProcessLimits(**limits)
        me = os.getpid()
        try:
            pid = os.fork()
            if not pid:
                self._server.close()
                _begin(me, chosen, partial(worker.work, Connection(connection)))
        finally:
            os.close(connection)
        self._forks[pid] = _Fork(pid, chosen)
        return {"pid": pid}

    def _end(self, pid: int) -> dict[str, Any]:
        fork = self._forks.pop(pid)
        # Nobody has waited for it yet, so that its number is its own.
        _process.end_family(pid)
        _, status = os.waitpid(pid, 0)
        return {"status": os.waitstatus_to_exitcode(status), "limit": fork.limit}

    def _end_orphans(self) -> None:
        """End what descendants of forks left behind, unless it still is in their session."""
        for pid, session in _process.children(os.getpid()).items():
            if pid not in self._forks and session not in self._forks:
                _process.end_family(pid)
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)


def _begin(template: int, limits: ProcessLimits, work: Any) -> None:
    """In the fork: a session of its own behind the server, then the work, then the end."""
    status = 1
    try:
        os.setsid()
        _process.end_with_parent()
        if os.getppid() == template:  # it has not ended before that
            os.setpriority(os.PRIO_PROCESS, 0, NICE)
            _process.limit_data(limits.memory)
            work()
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
