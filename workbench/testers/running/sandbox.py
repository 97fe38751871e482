"""Runs a mechanism in a separate process (`workbench.processes.child`), which ends at its limits.

The process has no secrets in its environment, works in a folder of its own, and is held to limits
of memory, processes and files (`workbench.processes.guard`); each call has a limit of time. What it
answers is checked like any other input and never unpickled. It runs as the same user, so it is no
protection against code that means harm: run what you trust.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from workbench import _json
from workbench.processes.child import Child, ChildError, IdleChildren, TimeLimit
from workbench.processes.guard import EXCEEDED, run_guarded
from workbench.processes.limits import ProcessLimits, memory_of_machine
from workbench.processes.messages import WrongAnswer
from workbench.processes.serving import answer_requests
from workbench.progress import Report
from workbench.testers.finders.records import copied
from workbench.testers.learning.outputs import Outputs, check_outputs
from workbench.testers.outputs.table import OutputTable
from workbench.testers.running.portable import PortableMechanism, pickled, unpickled

#: Seconds of the processor to start the process and to unpickle the mechanism, which may import
#: much.
STARTUP = 60.0

#: What is said of a limit that was exceeded.
WORDS = {
    "seconds": "it took longer than {seconds:g} s by the clock, and was ended",
    "memory": "it needed more than {memory:.3g} GB of memory, and was ended",
    "tasks": "it ran more than {tasks} processes and threads at once, and was ended",
    "disk": "it wrote more than {disk:.3g} GB or {files:,} files, and was ended",
}

#: The environment variable that has the limits and the folder of a new process.
_LIMITS = "WORKBENCH_SANDBOX"

_GB = 2.0**30


class MechanismError(RuntimeError):
    """The mechanism raised, took too long, ended its process, or returned something else."""


def limits_of_this_machine() -> ProcessLimits:
    """Half of the memory, and enough threads for libraries that start one for each core."""
    return ProcessLimits(
        memory=memory_of_machine() / 2,
        tasks=max(512, 8 * (os.cpu_count() or 1)),
        disk=2 * _GB,
        files=10_000,
        open_files=512,
    )


def run(mechanism: Callable[..., Any], dataset: Any, size: int, rng: Any) -> Outputs:
    """Outputs of one call in this process, checked.

    Raises
    ------
    MechanismError
        It raised, or its outputs are not what a mechanism may return.
    """
    try:
        return check_outputs(mechanism(copied(dataset), size, rng), size)
    except (Exception, SystemExit) as error:
        raise MechanismError(f"{type(error).__name__}: {error}") from error


class Sandbox(Child):
    """A process that runs one mechanism; use it in one thread at a time.

    Parameters
    ----------
    mechanism : PortableMechanism
    limits : ProcessLimits, optional
        By default those of `limits_of_this_machine`.

    Raises
    ------
    MechanismError
        The mechanism cannot be unpickled there, or not in `STARTUP` seconds.
    """

    _guards = True  # see `run_guarded`

    def __init__(self, mechanism: PortableMechanism, limits: ProcessLimits | None = None) -> None:
        self._data = mechanism.data
        self._limits = limits_of_this_machine() if limits is None else limits
        folder = tempfile.mkdtemp(prefix="workbench-")
        self._folder = weakref.finalize(self, _remove, folder, os.getpid())
        super().__init__(
            serve, {_LIMITS: _json.message({"folder": folder, **asdict(self._limits)}).decode()}
        )
        self._asked(self._data, TimeLimit(STARTUP), f"it was not ready after {STARTUP:g} s")

    def close(self) -> None:
        """End the process, and remove its folder."""
        super().close()
        self._folder()

    @classmethod
    def with_mechanism(cls, mechanism: PortableMechanism) -> Sandbox:
        """An idle process with this mechanism, or a new one; idle ones with others are closed."""
        idle = _idle.take(lambda one: 0 if one._data == mechanism.data else -1)
        return cls(mechanism) if idle is None else idle

    def give_back(self) -> None:
        """Make the process available to other trials, if it still works."""
        _idle.add(self)

    def run(self, dataset: Any, size: int, rng: np.random.Generator, limit: TimeLimit) -> Outputs:
        """Outputs of one call, checked; the process is ended at the time limit.

        Parameters
        ----------
        dataset : object
        size : int
        rng : numpy.random.Generator
        limit : TimeLimit
            Of this call and the next ones.

        Raises
        ------
        MechanismError
            Also when the process was ended before.
        """
        request = pickled((dataset, size, rng))
        outputs = self._asked(request, limit, "it took longer than its time limit")
        try:
            return check_outputs(outputs, size)
        except ValueError as error:
            raise MechanismError(f"{type(error).__name__}: {error}") from error

    def _asked(self, request: bytes, limit: TimeLimit, late: str) -> Outputs:
        try:
            outputs = self.ask({"call": request}, limit, self._limits.memory).get("outputs")
            if isinstance(outputs, dict):
                outputs = OutputTable.received(outputs)
            elif not isinstance(outputs, np.ndarray):
                raise WrongAnswer("no outputs")
        except ChildError as error:
            self.close()  # what it raised may have left it in any state
            words = str(error)
            if error.waited:
                words = f"it exceeded its time limit by the clock: {error}"
            elif error.reason == "late":
                words = late
            raise MechanismError(self._words(error.status) or words) from None
        except ValueError as error:
            self.close()
            raise MechanismError(f"its process answered with something else: {error}") from error
        return outputs

    def _words(self, status: int) -> str:
        """Which limit an exit status is about, in words; "" for none."""
        most = asdict(self._limits)
        most |= {name: most[name] / _GB for name in ("memory", "disk")}
        return WORDS[EXCEEDED[status]].format(**most) if status in EXCEEDED else ""


_idle = IdleChildren[Sandbox]()


def _remove(folder: str, program: int) -> None:
    if os.getpid() == program:  # a fork of the program has a copy of this
        shutil.rmtree(folder, ignore_errors=True)


# -- the other side -------------------------------------------------------------------------------


def serve() -> None:
    """In the new process: answer requests within limits until the pipe is closed."""
    given = _json.loads(os.environ.pop(_LIMITS))
    folder = given.pop("folder")
    run_guarded(
        ProcessLimits(**given), folder, partial(answer_requests, _Runs(folder), (MechanismError,))
    )


class _Runs:
    """Answers requests: the first is the mechanism, the others are its calls."""

    def __init__(self, folder: str):
        self._folder = folder
        self._mechanism: Callable[..., Any] | None = None

    def __call__(self, request: dict[str, Any], report: Report) -> dict[str, Any]:
        asked = unpickled(request["call"])
        if self._mechanism is not None:
            outputs = run(self._mechanism, *asked)
            if isinstance(outputs, OutputTable):
                return {"outputs": outputs.message()}
            return {"outputs": outputs}
        self._mechanism = asked
        os.chdir(self._folder)  # what it imports was found from where the program is
        os.environ["TMPDIR"], tempfile.tempdir = self._folder, None
        return {"outputs": np.empty(0)}
