"""Runs a mechanism in a separate process (`workbench._child`), which ends at a time limit.

The mechanism is the user's own code and trusted: requests and answers are pickles.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from io import BufferedReader
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench._child import Child, Ended, Overdue, received, requests, send
from workbench.testers.learning.outputs import check_outputs
from workbench.testers.running.portable import PortableMechanism, pickled, unpickled

#: Seconds to start the process and to unpickle the mechanism, which may import much.
STARTUP = 60.0


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

    Raises
    ------
    MechanismError
        The mechanism cannot be unpickled there, or not in `STARTUP` seconds.
    """

    def __init__(self, mechanism: PortableMechanism) -> None:
        self._data = mechanism.data
        super().__init__(serve)
        self._asked(self._data, STARTUP, f"it was not ready after {STARTUP:g} s")

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
        self, dataset: Any, size: int, rng: np.random.Generator, seconds: float
    ) -> NDArray[Any]:
        """Outputs of one call, checked; the process is ended at the time limit.

        Parameters
        ----------
        dataset : array
        size : int
        rng : numpy.random.Generator
        seconds : float
            The time limit.

        Raises
        ------
        MechanismError
            Also when the process was ended before.
        """
        request = pickled((dataset, size, rng))
        outputs: NDArray[Any] = self._asked(request, seconds, "it took longer than its time limit")
        return outputs

    def _asked(self, request: bytes, seconds: float, late: str) -> Any:
        try:
            kind, answer = self.ask([request], seconds, _answer)
        except Overdue:
            raise MechanismError(late) from None
        except Ended as error:
            raise MechanismError(str(error)) from None
        if kind == "error":
            raise MechanismError(answer)
        return answer


_lock = threading.Lock()
_idle: list[Sandbox] = []


# -- messages -------------------------------------------------------------------------------------


def _answer(pipe: BufferedReader | Any) -> Any:
    (answer,) = received(pipe)
    return unpickled(answer)


# -- the other side -------------------------------------------------------------------------------


def serve() -> None:
    """In the new process: answer requests until the pipe is closed."""
    mechanism = None
    for (message,), answers in requests():
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
        send(answers, [reply])
