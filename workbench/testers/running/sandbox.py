"""Runs a mechanism in a separate process (`workbench._child`), which ends at its limits.

The process has no secrets in its environment, works in a folder of its own, and is held to limits
of memory, processes and files (`workbench.testers.running.confinement`); each call has a limit of
time. What it answers is checked like any other input and never unpickled. It runs as the same user,
so it is no protection against code that means harm: run what you trust.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from io import BufferedReader
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from workbench import _json
from workbench._child import Child, Ended, Overdue, TimeLimit, received, requests, send
from workbench.testers.learning.outputs import check_outputs
from workbench.testers.running.confinement import Confinement, confine
from workbench.testers.running.portable import PortableMechanism, pickled, unpickled

#: Seconds of the processor to start the process and to unpickle the mechanism, which may import
#: much.
STARTUP = 60.0


_Order = Literal["C", "F"]

#: The environment variable that has the limits and the folder of a new process.
_LIMITS = "WORKBENCH_SANDBOX"

#: Characters of an error that are shown.
_MOST_SAID = 10_000


class MechanismError(RuntimeError):
    """The mechanism raised, took too long, ended its process, or returned something else."""


def run(mechanism: Callable[..., Any], dataset: Any, size: int, rng: Any) -> NDArray[Any]:
    """Outputs of one call in this process, checked.

    Parameters
    ----------
    mechanism : callable
    dataset : array
    size : int
    rng : numpy.random.Generator

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


class Sandbox(Child):
    """A process that runs one mechanism; use it in one thread at a time.

    Parameters
    ----------
    mechanism : PortableMechanism
    limits : Confinement, optional
        By default those of `Confinement.of_this_machine`.

    Raises
    ------
    MechanismError
        The mechanism cannot be unpickled there, or not in `STARTUP` seconds.
    """

    _guards = True  # see `confine`

    def __init__(self, mechanism: PortableMechanism, limits: Confinement | None = None) -> None:
        self._data = mechanism.data
        self._limits = Confinement.of_this_machine() if limits is None else limits
        folder = tempfile.mkdtemp(prefix="workbench-")
        self._folder = weakref.finalize(self, _remove, folder, os.getpid())
        super().__init__(
            serve, {_LIMITS: _json.message({"folder": folder, **asdict(self._limits)}).decode()}
        )
        self._asked([self._data], TimeLimit(STARTUP), f"it was not ready after {STARTUP:g} s")

    def close(self) -> None:
        """End the process, and remove its folder."""
        super().close()
        self._folder()

    @classmethod
    def taken(cls, mechanism: PortableMechanism) -> Sandbox:
        """An idle process with this mechanism, or a new one; other idle ones are closed."""
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
        """Make the process available to other trials, if it still works."""
        if self.alive:
            with _lock:
                _idle.append(self)

    def run(
        self, dataset: Any, size: int, rng: np.random.Generator, limit: TimeLimit
    ) -> NDArray[Any]:
        """Outputs of one call, checked; the process is ended at the time limit.

        Parameters
        ----------
        dataset : array
        size : int
        rng : numpy.random.Generator
        limit : TimeLimit
            Of this call and the next ones.

        Raises
        ------
        MechanismError
            Also when the process was ended before.
        """
        request = [pickled((dataset, size, rng))]
        outputs = self._asked(request, limit, "it took longer than its time limit")
        try:
            return check_outputs(outputs, size)
        except ValueError as error:
            raise MechanismError(f"{type(error).__name__}: {error}") from error

    def _asked(self, request: list[bytes], limit: TimeLimit, late: str) -> NDArray[Any]:
        try:
            return self.ask(request, limit, partial(_answer, int(self._limits.memory)))
        except Overdue as error:
            words = f"it exceeded its time limit by the clock: {error}" if error.waited else late
            raise MechanismError(words) from None
        except Ended as error:
            raise MechanismError(self._limits.words(error.status) or str(error)) from None
        except ValueError as error:
            raise MechanismError(f"its process answered with something else: {error}") from error


_lock = threading.Lock()
_idle: list[Sandbox] = []


# -- messages -------------------------------------------------------------------------------------


def _remove(folder: str, program: int) -> None:
    if os.getpid() == program:  # a fork of the program has a copy of this
        shutil.rmtree(folder, ignore_errors=True)


def _answer(most: int, pipe: BufferedReader | Any) -> NDArray[Any]:
    """The outputs in a pipe; raises what was said instead."""
    header, *data = received(pipe, most)
    said = _json.loads(bytes(header))
    if "error" in said:
        raise MechanismError(str(said["error"])[:_MOST_SAID])
    (cells,) = data
    kind = np.dtype(str(said["dtype"]))
    if kind.hasobject or kind.fields:
        raise ValueError(f"an array of {kind}")
    order: _Order = "F" if said["order"] == "F" else "C"
    return np.frombuffer(cells, kind).reshape(tuple(map(int, said["shape"])), order=order)


def _outputs(values: NDArray[Any]) -> list[Any]:
    """Outputs as a message, in the order of their memory: sums of them stay the same."""
    order: _Order = "F" if values.flags.f_contiguous and not values.flags.c_contiguous else "C"
    header = {"dtype": values.dtype.str, "shape": values.shape, "order": order}
    return [_json.message(header), values.tobytes(order)]


def _error(error: BaseException) -> list[Any]:
    said = str(error) if isinstance(error, MechanismError) else f"{type(error).__name__}: {error}"
    return [_json.message({"error": said[:_MOST_SAID]})]


# -- the other side -------------------------------------------------------------------------------


def serve() -> None:
    """In the new process: answer requests within limits until the pipe is closed."""
    given = _json.loads(os.environ.pop(_LIMITS))
    folder = given.pop("folder")
    confine(Confinement(**given), folder, partial(_serve, folder))


def _serve(folder: str) -> None:
    """Answer requests: the first is the mechanism, the others are its calls."""
    mechanism: Any = None
    for (message,), answers in requests():
        try:
            asked = unpickled(message)
            if mechanism is None:
                mechanism, outputs = asked, np.empty(0)
                os.chdir(folder)  # what it imports was found from where the program is
                os.environ["TMPDIR"], tempfile.tempdir = folder, None
            else:
                outputs = run(mechanism, *asked)
            reply = _outputs(outputs)
        except BaseException as error:
            reply = _error(error)
        send(answers, reply)
