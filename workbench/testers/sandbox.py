"""A mechanism in a process of its own, which can be stopped when it takes too long.

The process is started with ``subprocess``, not ``multiprocessing``: so it also works inside the
daemonic processes of a pool, dask workers and threads, and in a script without
``if __name__ == "__main__":``. It reads requests from its standard input and answers on its
standard output, as pickles with their length in front; whatever the mechanism prints goes to the
standard error.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from workbench.testers.outputs import check_outputs

#: Seconds to start the process and to unpickle the mechanism, which may import much.
STARTUP = 60.0

_LENGTH = struct.Struct("<Q")


#: Seconds after which a process that nobody asks anything ends.
IDLE = 60.0


class MechanismError(RuntimeError):
    """The mechanism raised, took too long, ended its process, or returned something else."""


def run(mechanism: Callable[..., Any], dataset: Any, size: int, rng: Any) -> NDArray[Any]:
    """Outputs of one call, checked.

    Raises
    ------
    MechanismError
        It raised, or its outputs are not what a mechanism may return.
    """
    try:
        # A copy: a mechanism that changes its dataset must not change that of the next call.
        return check_outputs(mechanism(np.array(dataset), size, rng), size)
    except (Exception, SystemExit) as error:
        raise MechanismError(f"{type(error).__name__}: {error}") from error


class Portable:
    """A mechanism that can be sent to other processes, if ``cloudpickle`` can send it.

    Parameters
    ----------
    function : callable, optional
    data : bytes, optional
        The same, pickled; one of both is given.
    """

    def __init__(
        self, function: Callable[..., Any] | None = None, data: bytes | None = None
    ) -> None:
        self._function, self._data = function, data

    @property
    def function(self) -> Callable[..., Any]:
        """The mechanism."""
        if self._function is None:
            self._function = unpickled(self._data or b"")
        return self._function

    @property
    def data(self) -> bytes:
        """It, pickled; ValueError if that cannot be done."""
        if self._data is None:
            try:
                self._data = pickled(self._function)
            except Exception as error:  # whatever its parts raise
                raise ValueError(
                    "the mechanism cannot be sent to another process, which an executor and a "
                    f"time limit need: {type(error).__name__}: {error}"
                ) from error
        return self._data

    def __reduce__(self) -> tuple[Any, ...]:
        return Portable, (None, self.data)


class Sandbox:
    """A process that runs one mechanism; not for use by several threads at a time.

    Parameters
    ----------
    mechanism : Portable

    Raises
    ------
    MechanismError
        The mechanism cannot be unpickled there, or not in `STARTUP` seconds.
    """

    def __init__(self, mechanism: Portable) -> None:
        self._data = mechanism.data
        self._used = time.monotonic()
        # As multiprocessing does it: the same interpreter, finding modules at the same places.
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is the program's to answer
        )
        self._end = weakref.finalize(self, _kill, self._process)
        self._ask(self._data, STARTUP, f"it was not ready after {STARTUP:g} s")

    @classmethod
    def taken(cls, mechanism: Portable) -> Sandbox:
        """One that is idle and runs this mechanism, or a new one; the others are closed."""
        with _lock:
            idle, _idle[:] = list(_idle), []
        fit = [s for s in idle if s.fresh and s._data == mechanism.data]
        kept = fit.pop() if fit else None
        with _lock:
            _idle.extend(fit)
        for sandbox in idle:
            if sandbox is not kept and sandbox not in fit:
                sandbox.close()
        return cls(mechanism) if kept is None else kept

    def give_back(self) -> None:
        """Let another trial have it, if it still works."""
        if self.alive:
            with _lock:
                _idle.append(self)

    @property
    def fresh(self) -> bool:
        """Whether it can be asked, and will not just then end because it was idle."""
        return self.alive and time.monotonic() - self._used < IDLE / 2

    def run(
        self, dataset: Any, size: int, rng: np.random.Generator, seconds: float
    ) -> NDArray[Any]:
        """Outputs of one call, checked; the process is ended when it is not back in time.

        Raises
        ------
        MechanismError
            Also when the process was ended before.
        """
        request = pickled((dataset, size, rng))
        outputs: NDArray[Any] = self._ask(request, seconds, "it took longer than its time limit")
        return outputs

    @property
    def alive(self) -> bool:
        """Whether it can be asked again."""
        return self._end.alive and self._process.poll() is None

    def close(self) -> None:
        """End the process."""
        self._end()

    def _ask(self, request: bytes, seconds: float, late: str) -> Any:
        if not self.alive:
            raise MechanismError("its process has ended")
        in_time = threading.Event()
        timer = threading.Timer(max(seconds, 0.0), _stop, [self._process])
        began = time.monotonic()
        timer.start()
        try:
            _send(self._process.stdin, request)
            kind, answer = _received(self._process.stdout)
            in_time.set()
        except (EOFError, OSError):
            overdue = time.monotonic() - began >= seconds
            status = self._process.wait()
            raise MechanismError(late if overdue else _ended(status)) from None
        finally:
            timer.cancel()
            if not in_time.is_set():  # also when Ctrl-C came: an answer would meet the wrong ask
                self.close()
        self._used = time.monotonic()
        if kind == "error":
            raise MechanismError(answer)
        return answer


_lock = threading.Lock()
_idle: list[Sandbox] = []


def _ended(status: int) -> str:
    how = f"signal {-status}" if status < 0 else f"exit status {status}"
    return f"it ended its process ({how})"


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Kill it with all processes that the mechanism started, which may hold the pipes open."""
    if process.returncode is None:  # once it was waited for, its number may be another's
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()


def _kill(process: subprocess.Popen[bytes]) -> None:
    _stop(process)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


# -- messages -------------------------------------------------------------------------------------


def pickled(value: Any) -> bytes:
    """Also of what ``pickle`` cannot take: lambdas, functions of a script or a notebook."""
    import cloudpickle  # type: ignore[import-untyped]

    return bytes(cloudpickle.dumps(value))


def unpickled(data: bytes) -> Any:
    """What was `pickled`."""
    return pickle.loads(data)


def _send(pipe: BinaryIO | Any, message: bytes) -> None:
    pipe.write(_LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def _received(pipe: BinaryIO | Any) -> Any:
    return unpickled(_message(pipe))


def _message(pipe: BinaryIO | Any) -> bytes:
    head = _exactly(pipe, _LENGTH.size)
    return _exactly(pipe, _LENGTH.unpack(head)[0])


def _exactly(pipe: BinaryIO | Any, count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        raise EOFError
    return bytes(data)


# -- the other side -------------------------------------------------------------------------------


def serve() -> None:
    """In the new process: answer requests until the pipe is closed."""
    # The protocol keeps the pipes to itself; print() and C code that writes go to standard error.
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    waiting: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    mechanism = None
    while True:
        try:
            message = waiting.get(timeout=IDLE)
        except Empty:
            return
        try:
            asked = unpickled(message)
            if mechanism is None:
                mechanism, answer = asked, None
            else:
                answer = run(mechanism, *asked)
            reply = pickled(("outputs", answer))
        except MechanismError as error:
            reply = pickled(("error", str(error)))
        except BaseException as error:
            reply = pickled(("error", f"{type(error).__name__}: {error}"))
        _send(answers, reply)


def _listen(requests: BinaryIO, waiting: SimpleQueue[bytes]) -> None:
    """Pass requests on; end with the program, even in the middle of a run."""
    while True:
        try:
            waiting.put(_message(requests))
        except EOFError:
            os._exit(0)
