"""`Child`: a Python process that answers requests in order, and can be ended at any time.

It is started with ``subprocess``, not ``multiprocessing``: so it also works inside the daemonic
processes of a pool, dask workers and threads, and in a script without
``if __name__ == "__main__":``. It reads requests from its standard input and answers on its
standard output; a message is a list of byte strings with their lengths in front. What the bytes
mean is up to the callers; do not unpickle answers of a process that you do not trust.

The process inherits no sockets, files or secret environment variables, is out of reach of Ctrl-C,
and ends with the program, or once it had no request for `IDLE` seconds. Its `TimeLimit` counts the
time for which it computes: a busy machine does not make a request a slow one.
"""

from __future__ import annotations

import math
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO, TypeVar

import numpy as np

from workbench import _process

Answer = TypeVar("Answer")

#: Seconds without a request after which a process ends.
IDLE = 60.0

#: How many times the seconds for which a process may compute it may take by the clock.
PATIENCE = 30.0

#: Seconds between two looks at a process that is about to reach its limit.
_PACE = 0.05

#: Largest number of parts of a message.
MOST_PARTS = 100_000

#: Bytes that a pipe holds, where the system lets us choose: each read takes the interpreter anew.
_PIPE = 2**20

#: Environment variables that a process gets, and what the names of others begin with: none has a
#: password or a token of the program.
_HANDED = frozenset(
    {
        *("PATH", "HOME", "USER", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"),
        *("LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_VISIBLE_DEVICES"),
    }
)
_HANDED_FAMILIES = ("LC_", "PYTHON", "OMP_", "OPENBLAS_", "MKL_")

_NUMBER = struct.Struct("<Q")

#: Status of a process that reached the limit of the kernel.
_OUT_OF_TIME = -getattr(signal, "SIGXCPU", 0) or None


class ChildError(RuntimeError):
    """The process did not answer."""


class Overdue(ChildError):  # noqa: N818
    """The process exceeded its time limit, and was ended.

    Parameters
    ----------
    words : str
    waited : bool
        Whether it reached the limit of the clock, and computed for less than it was allowed.
    """

    def __init__(self, words: str, waited: bool = False):
        super().__init__(words)
        self.waited = waited


class Ended(ChildError):  # noqa: N818
    """The process ended by itself.

    Parameters
    ----------
    words : str
    status : int
        As of ``subprocess``: a negative number is that of a signal.
    """

    def __init__(self, words: str, status: int = 0):
        super().__init__(words)
        self.status = status


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
        A module-level function, which reads from `requests`.
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
        # As multiprocessing does it: the same interpreter, finding modules at the same places.
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from {serve.__module__} import {serve.__name__}; {serve.__name__}()"
        )
        self._used = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**plain_environment(), **(environment or {})},
            start_new_session=True,  # Ctrl-C is the program's to answer
            pipesize=_PIPE,
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
        parts: Sequence[Any],
        limit: TimeLimit,
        receive: Callable[[BufferedReader | Any], Answer],
    ) -> Answer:
        """The answer to a request; the process is ended at the time limit.

        Parameters
        ----------
        parts : sequence of bytes-like
            The request.
        limit : TimeLimit
        receive : callable
            Reads the answer from the pipe. If it raises, the process is ended, since the rest of
            the answer would be read as that of the next request.

        Raises
        ------
        Overdue, Ended
            There is no answer.
        """
        if not self.alive:
            raise Ended("its process has ended")
        in_time = False
        watch = _Watch(self._process, limit, self._guards)
        watch.start()
        try:
            send(self._process.stdin, parts)
            answer = receive(self._process.stdout)
            in_time = True
        except (EOFError, OSError):
            status = self._process.wait()
            if watch.overdue is not None:
                raise watch.overdue from None
            if status == _OUT_OF_TIME:  # the kernel was first
                raise Overdue(f"it took longer than {limit.seconds:g} s") from None
            raise Ended(f"it ended its process ({_ending(status)})", status) from None
        finally:
            watch.end()
            if not in_time:  # also when Ctrl-C came: an answer would meet the wrong ask
                self.close()
        self._used = time.monotonic()
        return answer


class _Watch(threading.Thread):
    """Ends a process at its limit, from which it takes the time that the request took."""

    def __init__(self, process: subprocess.Popen[bytes], limit: TimeLimit, guards: bool):
        super().__init__(name="workbench-time-limit", daemon=True)
        self.overdue: Overdue | None = None
        self._process, self._limit, self._guards = process, limit, guards
        self._done = threading.Event()
        self._began, self._before = time.monotonic(), self._used()
        self._computed = 0.0

    def run(self) -> None:
        while not self._done.wait(min(max(self._left(), _PACE), threading.TIMEOUT_MAX)):
            computed, passed = self._took()
            if computed >= self._limit.seconds:
                self.overdue = Overdue(f"it took longer than {self._limit.seconds:.3g} s")
            elif passed >= self._limit.wall:
                words = f"{passed:.3g} s passed, of which it computed for {computed:.2g} s"
                self.overdue = Overdue(words, waited=True)
            else:
                continue
            _stop(self._process)
            return

    def end(self) -> None:
        """The request is done."""
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
        if not _process.on_linux():
            return time.monotonic()
        pid = self._process.pid
        return _process.processor_seconds(pid, without=pid if self._guards else 0)


def plain_environment() -> dict[str, str]:
    """The environment variables that a process gets: those that programs need, and no secrets."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _HANDED or name.upper().startswith(_HANDED_FAMILIES)
    }


def _ending(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Kill it with all processes that it started, which may hold the pipes open."""
    if process.returncode is None:  # once it was waited for, its number may be another's
        if _process.on_linux():
            _process.end_family(process.pid)
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()


def _kill(process: subprocess.Popen[bytes], program: int) -> None:
    if os.getpid() != program:  # a fork of the program has a copy of this, not the process
        return
    _stop(process)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


# -- messages -------------------------------------------------------------------------------------


def send(pipe: BinaryIO | Any, parts: Sequence[Any]) -> None:
    """Write a message."""
    pipe.write(_NUMBER.pack(len(parts)))
    for part in parts:
        view = memoryview(part).cast("B") if len(part) else b""
        pipe.write(_NUMBER.pack(len(view)))
        pipe.write(view)
    pipe.flush()


def received(pipe: BufferedReader | Any, most: int | None = None) -> list[Any]:
    """The parts of a message, as bytes-like objects.

    A large part is no bytearray: to fill that with zeros would keep the interpreter from other
    threads.

    Parameters
    ----------
    pipe : file
    most : int, optional
        Largest number of bytes of all parts together; not needed for a trusted process.

    Raises
    ------
    EOFError
        The pipe ends first.
    ValueError
        The message is larger.
    """
    count = _number(pipe)
    if count > MOST_PARTS:
        raise ValueError(f"a message of {count} parts")
    parts: list[Any] = []
    size = 0
    for _ in range(count):
        length = _number(pipe)
        size += length
        if most is not None and size > most:
            raise ValueError(f"a message of {size} bytes where {most} are allowed")
        parts.append(bytearray(length) if length < _PIPE else np.empty(length, np.uint8))
        if pipe.readinto(parts[-1]) < length:
            raise EOFError
    return parts


def _number(pipe: BufferedReader | Any) -> int:
    head = pipe.read(_NUMBER.size)
    if len(head) < _NUMBER.size:
        raise EOFError
    return int(_NUMBER.unpack(head)[0])


# -- in the new process ---------------------------------------------------------------------------


def requests() -> Iterator[tuple[list[Any], BinaryIO]]:
    """Requests in order, each with the pipe for its answer.

    The pipes are kept from all other code: ``print()``, and C code that writes, go to standard
    error. The process ends when the program does, even in the middle of a request; there are no
    more requests once none came for `IDLE` seconds.
    """
    incoming, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    waiting: SimpleQueue[list[Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(incoming, waiting), daemon=True).start()
    while True:
        try:
            request = waiting.get(timeout=IDLE)
        except Empty:
            return
        yield request, answers


def _listen(incoming: BufferedReader, waiting: SimpleQueue[list[Any]]) -> None:
    while True:
        try:
            waiting.put(received(incoming))
        except EOFError:
            os._exit(0)
