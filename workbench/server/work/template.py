"""`Template`: the process that the processes of all jobs are forks of.

It has imported the pages, so that a fork of it begins at once and shares their memory. It is
started when first needed, or by `Template.warm`, and again should it have ended. What it does is
in `workbench.server.work.forking`.
"""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from typing import Any

from workbench import _json

logger = logging.getLogger(__name__)

#: Seconds within which the process answers: it may have to import everything first, on a busy
#: machine, and all work of everybody would end with it.
STARTUP = 300.0

#: Largest number of bytes of an answer.
_LONGEST = 4096


@dataclass(frozen=True)
class ProcessLimits:
    """What the process of a job and those that it starts may use together; ``inf`` is no limit.

    Attributes
    ----------
    memory : float
        Bytes.
    seconds : float
    """

    memory: float
    seconds: float


@dataclass(frozen=True)
class Ending:
    """How a process ended.

    Attributes
    ----------
    status : int or None
        As of ``subprocess``: a negative number is that of a signal; None if it is not known.
    limit : str
        The field of `ProcessLimits` that it exceeded; "" for none.
    """

    status: int | None
    limit: str = ""


@dataclass(frozen=True)
class Forked:
    """A process that was started, and the connection to it."""

    pid: int
    connection: Connection
    template: int


class _Gone(OSError):  # noqa: N818
    """The process that others are forks of has ended, or does not answer."""

    def __str__(self) -> str:
        return "the process that others are forks of has ended"


class Template:
    """The process that others are forks of; its methods may be called in any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def warm(self) -> None:
        """Start the process, and wait until it is ready."""
        with self._lock:
            self._ask({"do": "nothing"})

    def fork(self, limits: ProcessLimits) -> Forked:
        """A new process.

        Parameters
        ----------
        limits : ProcessLimits

        Raises
        ------
        OSError
            No process can be started.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                with self._lock:
                    answer = self._ask({"do": "fork", **asdict(limits)}, theirs)
                    pid = int(answer["pid"])
                    template = self.pid
            except BaseException:
                ours.close()
                raise
        return Forked(pid, Connection(ours.detach()), template)

    def end(self, forked: Forked) -> Ending:
        """End a process with all that it started, and learn how it ended.

        Parameters
        ----------
        forked : Forked
        """
        forked.connection.close()
        with self._lock:
            if forked.template != self.pid or not self._is_alive():  # its forks end with it
                return Ending(None)
            try:
                answer = self._asked({"do": "end", "pid": forked.pid})
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
        control = self._control
        if control is None:
            raise _Gone
        text = _json.message(request)
        try:
            if handed is None:
                control.send(text)
            else:
                socket.send_fds(control, [text], [handed.fileno()])
            answer = control.recv(_LONGEST)
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
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from workbench.server.work.forking import serve; serve({theirs.fileno()})"
        )
        one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", code],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    env={**os.environ, **one_thread},
                    start_new_session=True,  # Ctrl-C is the server's to answer
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


#: The one of this program, whose servers have the same pages.
TEMPLATE = Template()
