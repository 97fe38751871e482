"""`Child`: a new interpreter that answers requests in order, and can be ended at any time.

It is started with ``subprocess``, not ``multiprocessing``: so it also works inside the daemonic
processes of a pool, dask workers and threads, and in a script without
``if __name__ == "__main__":``. It reads requests from its standard input and answers on its
standard output (`workbench.processes.messages`); `workbench.processes.serving` is its side. What it
answers is never unpickled.

The process inherits no sockets, files or secret environment variables, is out of reach of Ctrl-C,
and ends with the program, or once it had no request for `IDLE` seconds. Its `TimeLimit` counts the
time for which it computes: a busy machine does not make a request a slow one.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from workbench.processes.family import end_family, processor_seconds
from workbench.processes.limits import on_linux
from workbench.processes.messages import PIPE, packed, received, send, unpacked
from workbench.processes.serial import none_start
from workbench.processes.serving import IDLE
from workbench.progress import Report, silent

#: How many times the seconds for which a process may compute it may take by the clock.
PATIENCE = 30.0

#: Seconds between two looks at a process that is about to reach its limit.
_PACE = 0.05

#: Environment variables that a process gets, and what the names of others begin with: none has a
#: password or a token of the program.
_HANDED = frozenset(
    {
        *("PATH", "HOME", "USER", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"),
        *("LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_VISIBLE_DEVICES"),
    }
)
_HANDED_FAMILIES = ("LC_", "PYTHON", "OMP_", "OPENBLAS_", "MKL_")

#: Status of a process that reached the limit of the kernel.
_OUT_OF_TIME = -getattr(signal, "SIGXCPU", 0) or None


#: Why a process gave no answer: it exceeded its time, ended by itself, refused the request, needed
#: too much memory, or an error was raised in it.
Reason = Literal["late", "ended", "refused", "memory", "failed"]


class ChildError(RuntimeError):
    """The process gave no answer; the message has what it said, or what happened.

    Parameters
    ----------
    words : str
    reason : str
        See `Reason`.
    waited : bool
        Whether it reached the limit of the clock, and computed for less than it was allowed.
    status : int
        With which it ended; as of ``subprocess``: a negative number is that of a signal.
    """

    def __init__(self, words: str, reason: Reason, *, waited: bool = False, status: int = 0):
        super().__init__(words)
        self.reason, self.waited, self.status = reason, waited, status


class NoProcesses(OSError):  # noqa: N818
    """The system starts no process, and never will: a browser, or one like it."""


@dataclass
class TimeLimit:
    """Time for one request or several, from which what they take is subtracted.

    Attributes
    ----------
    seconds : float
        Of the processor; those of several cores count once. A process that is stopped, or waits
        for its turn on a busy machine, uses none. Where the system does not say what a process
        uses (other than Linux), the clock counts.
    wall : float, optional
        Of the clock, for a process that sleeps or waits for ever; by default `PATIENCE` times as
        many.
    """

    seconds: float
    wall: float = math.nan

    def __post_init__(self) -> None:
        if math.isnan(self.wall):
            self.wall = PATIENCE * self.seconds


class Child:
    """A process that runs one function; use it in one thread at a time.

    Parameters
    ----------
    serve : callable
        A module-level function, which calls `workbench.processes.serving.answer_requests`.
    environment : mapping of str to str
        Additional environment variables of the process.

    Raises
    ------
    OSError
        The process cannot be started.
    """

    #: Whether the process guards the one that computes.
    _guards = False

    def __init__(
        self, serve: Callable[[], None], environment: Mapping[str, str] | None = None
    ) -> None:
        self._used = time.monotonic()
        self._process = start_python(
            serve,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**plain_environment(), **(environment or {})},
            pipesize=PIPE,
        )
        self._end = weakref.finalize(self, _kill, self._process, os.getpid())

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can answer requests."""
        return self._end.alive and self._process.poll() is None

    @property
    def fresh(self) -> bool:
        """Whether it can answer requests, and is not about to end because it was idle."""
        return self.alive and time.monotonic() - self._used < IDLE / 2

    def close(self) -> None:
        """End the process."""
        self._end()

    def ask(
        self,
        request: Mapping[str, Any],
        limit: TimeLimit,
        most: float = math.inf,
        report: Report = silent,
    ) -> dict[str, Any]:
        """What is answered to a request; nothing that it says is checked.

        The process is ended unless it answered or refused, since the rest of an answer would be
        read as that of the next request.

        Parameters
        ----------
        request : mapping of str
            Of values that `workbench.processes.messages.packed` takes, as the answer is.
        limit : TimeLimit
        most : float
            Bytes that an answer may have.
        report : Report
            Takes the progress of the process; where it raises, the process is ended.

        Raises
        ------
        ChildError
            There is no answer.
        WrongAnswer
            What was answered is no message.
        """
        if not self.alive:
            raise ChildError("its process has ended", "ended")
        can_go_on = False
        watch = _Watch(self._process, limit, self._guards)
        watch.start()
        try:
            send(self._process.stdin, packed(request))  # type: ignore[arg-type]
            while True:
                answer = unpacked(received(self._process.stdout, most))  # type: ignore[arg-type]
                if answer.get("kind") != "progress":
                    break
                report(answer.get("fraction"), answer.get("message"))
            can_go_on = answer.get("kind") not in ("memory", "failed")
        except (EOFError, OSError):
            status = self._process.wait()
            if watch.overdue is not None:
                raise watch.overdue from None
            if status == _OUT_OF_TIME:  # the kernel was first
                raise ChildError(f"it took longer than {limit.seconds:g} s", "late") from None
            words = f"signal {-status}" if status < 0 else f"exit status {status}"
            words = f"it ended its process ({words})"
            raise ChildError(words, "ended", status=status) from None
        finally:
            watch.end()
            # Also when Ctrl-C came: an answer would meet the wrong request.
            if not can_go_on or watch.overdue is not None:
                self.close()
        if watch.overdue is not None:  # it was being ended as it answered
            raise watch.overdue
        self._used = time.monotonic()
        if answer.get("kind") in ("refused", "memory", "failed"):
            raise ChildError(str(answer.get("said")), answer["kind"])
        return answer


C = TypeVar("C", bound=Child)


class IdleChildren(Generic[C]):
    """Processes that wait for their next request, for any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: list[C] = []

    def __iter__(self) -> Any:
        return iter(list(self._children))

    def add(self, child: C) -> None:
        """Keep a process, if it can still answer."""
        if child.alive:
            with self._lock:
                self._children.append(child)

    def take(self, suits: Callable[[C], float]) -> C | None:
        """The process that suits best; those that do not suit, or are about to end, are closed.

        Parameters
        ----------
        suits : callable
            Returns how well a process does; a negative number means that it does not.
        """
        with self._lock:
            idle, self._children = self._children, []
            fit = sorted((one for one in idle if one.fresh and suits(one) >= 0), key=suits)
            taken = fit.pop() if fit else None
            self._children = fit
        for other in idle:
            if other is not taken and other not in fit:
                other.close()
        return taken


class _Watch(threading.Thread):
    """Ends a process at its limit, from which it takes the time that the request took."""

    def __init__(self, process: subprocess.Popen[bytes], limit: TimeLimit, guards: bool):
        super().__init__(name="workbench-time-limit", daemon=True)
        self.overdue: ChildError | None = None
        self._process, self._limit, self._guards = process, limit, guards
        self._done, self._lock = threading.Event(), threading.Lock()
        self._began, self._before = time.monotonic(), self._used()
        self._computed = 0.0

    def run(self) -> None:
        while not self._done.wait(min(max(self._left(), _PACE), threading.TIMEOUT_MAX)):
            with self._lock:
                if self._done.is_set():  # the limit is that of the next request by now
                    return
                self.overdue = self._exceeded()
            if self.overdue is not None:
                stop(self._process)
                return

    def _exceeded(self) -> ChildError | None:
        computed, passed = self._took()
        if computed >= self._limit.seconds:
            return ChildError(f"it took longer than {self._limit.seconds:.3g} s", "late")
        if passed >= self._limit.wall:
            words = f"{passed:.3g} s passed, of which it computed for {computed:.2g} s"
            return ChildError(words, "late", waited=True)
        return None

    def end(self) -> None:
        """The request is done."""
        with self._lock:
            self._done.set()
        computed, passed = self._took()
        self._limit.seconds -= computed
        self._limit.wall -= passed

    def _left(self) -> float:
        """Seconds after which to look again."""
        computed, passed = self._took()
        return min(self._limit.seconds - computed, self._limit.wall - passed)

    def _took(self) -> tuple[float, float]:
        """Seconds for which it computed, and those that passed."""
        passed = time.monotonic() - self._began
        # The most that was seen: what ended processes used may be forgotten.
        self._computed = max(self._computed, min(self._used() - self._before, passed))
        return self._computed, passed

    def _used(self) -> float:
        if not on_linux():
            return time.monotonic()
        pid = self._process.pid
        return processor_seconds(pid, without=pid if self._guards else 0)


def start_python(
    function: Callable[..., None], *arguments: object, **options: Any
) -> subprocess.Popen[bytes]:
    """A new interpreter that calls a function, in a session of its own.

    Parameters
    ----------
    function : callable
        A module-level one.
    *arguments
        What it is called with, as ``repr`` writes it.
    **options
        Of ``subprocess.Popen``.

    Raises
    ------
    NoProcesses
        The system has none.
    OSError
        It has no room for one more.
    """
    # As multiprocessing does it: the same interpreter, finding modules at the same places.
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from {function.__module__} import "
        f"{function.__name__}; {function.__name__}(*{arguments!r})"
    )
    # Ctrl-C is the program's to answer, which the new session is out of reach of.
    try:
        return subprocess.Popen([sys.executable, "-c", code], start_new_session=True, **options)
    except (ImportError, OSError, RuntimeError) as error:
        if none_start(error):
            raise NoProcesses(f"this system starts no processes ({error})") from error
        raise


def output_of(command: Sequence[str], seconds: float) -> str:
    """What a program of somebody else prints, on both its outputs.

    Raises
    ------
    ChildError
        It did not end in so many seconds by the clock, and was ended with all that it started.
    """
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            return process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            stop(process)
            raise ChildError(f"it took longer than {seconds:g} s", "late", waited=True) from None


def plain_environment() -> dict[str, str]:
    """The environment variables that a process gets: those that programs need, and no secrets."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _HANDED or name.upper().startswith(_HANDED_FAMILIES)
    }


def stop(process: subprocess.Popen[Any]) -> None:
    """Kill a process with all that it started, which may hold its pipes open."""
    if process.returncode is None:  # once it was waited for, its number may be another's
        if on_linux():
            end_family(process.pid)
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()


def _kill(process: subprocess.Popen[bytes], program: int) -> None:
    if os.getpid() != program:  # a fork of the program has a copy of this, not the process
        return
    stop(process)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
