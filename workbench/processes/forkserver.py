"""`ForkServer`: starts the process that the processes of trusted work are forks of, and asks it.

It has imported what the work needs, so that a fork of it begins at once and shares its memory. It
is started when first needed, or by `ForkServer.warm`, and again should it have ended. What it does
is in `workbench.processes.forking`.
"""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from workbench import _json
from workbench.processes import forking
from workbench.processes.calls import Ending
from workbench.processes.child import start_python
from workbench.processes.forking import MOST_BYTES
from workbench.processes.limits import ONE_THREAD, ProcessLimits
from workbench.processes.messages import Pipe

logger = logging.getLogger(__name__)

#: Seconds within which the process answers: it may have to import everything first, on a busy
#: machine, and all work of everybody would end with it.
STARTUP = 300.0


@dataclass(frozen=True)
class Fork:
    """A process that was started, the pipe to it, and the fork server that it is of."""

    pid: int
    pipe: Pipe
    server: int


class _Gone(OSError):  # noqa: N818
    """The fork server has ended, or does not answer."""

    def __str__(self) -> str:
        return "the process that others are forks of has ended"


class ForkServer:
    """The process that others are forks of; its methods may be called in any thread.

    Parameters
    ----------
    prepare : callable
        A module-level function that is called there first: it imports what the work needs.
    """

    def __init__(self, prepare: Callable[[], None]) -> None:
        self._prepare = prepare
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def warm(self) -> None:
        """Start the process, and wait until it is ready."""
        with self._lock:
            self._ask({"do": "nothing"})

    def fork(self, limits: ProcessLimits) -> Fork:
        """A new process, which answers a call (`workbench.processes.calls`).

        Raises
        ------
        OSError
            No process can be started.
        """
        ours, theirs = socket.socketpair()
        with theirs, ours:
            with self._lock:
                request = {"do": "fork", "memory": limits.memory, "seconds": limits.seconds}
                answer = self._ask(request, theirs)
                server = self.pid
            return Fork(int(answer["pid"]), os.fdopen(ours.detach(), "r+b", buffering=0), server)

    def end(self, fork: Fork) -> Ending:
        """How a process ended, which is ended with all that it started."""
        fork.pipe.close()
        with self._lock:
            if fork.server != self.pid or not self._is_alive():  # its forks end with it
                return Ending(None)
            try:
                answer = self._asked({"do": "end", "pid": fork.pid})
            except _Gone:
                self._stop()
                return Ending(None)
            except OSError as error:
                logger.warning("the process of a job could not be ended: %s", error)
                return Ending(None)
        return Ending(answer.get("status"), answer.get("limit", ""))

    def close(self) -> None:
        """End the process with all its forks."""
        with self._lock:
            self._stop()

    @property
    def pid(self) -> int:
        """Id of the process; 0 while there is none."""
        return 0 if self._process is None else self._process.pid

    def _ask(self, request: dict[str, Any], handed: socket.socket | None = None) -> dict[str, Any]:
        """The answer to a request, asked once more if the process has ended meanwhile."""
        if not self._is_alive():
            self._start()
        try:
            return self._asked(request, handed)
        except _Gone:
            self._start()
            return self._asked(request, handed)

    def _is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _asked(
        self, request: dict[str, Any], handed: socket.socket | None = None
    ) -> dict[str, Any]:
        """The answer to a request; an ``OSError`` in its words if it cannot be met."""
        if self._control is None:
            raise _Gone
        files = [] if handed is None else [handed.fileno()]
        try:
            socket.send_fds(self._control, [_json.message(request)], files)
            answer = self._control.recv(MOST_BYTES)
        except (ConnectionError, TimeoutError):
            raise _Gone from None
        if not answer:
            raise _Gone
        found: dict[str, Any] = _json.loads(answer)
        if "problem" in found:
            raise OSError(found["problem"])
        return found

    def _start(self) -> None:
        self._stop()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                self._process = start_python(
                    forking.serve,
                    theirs.fileno(),
                    self._prepare.__module__,
                    self._prepare.__name__,
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    env={**os.environ, **ONE_THREAD},
                )
            except BaseException:
                ours.close()
                raise
        ours.settimeout(STARTUP)
        self._control = ours

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()  # it ends its forks and then itself
            self._control = None
        if self._process is not None:
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                with suppress(ProcessLookupError):
                    self._process.kill()  # its forks end with it
                self._process.wait()
            self._process = None
