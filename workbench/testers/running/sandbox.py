"""A mechanism in a process of its own (`workbench._child`), stopped when it takes too long.

The mechanism is the person's own: requests and answers are pickles.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from io import BufferedReader
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench._child import Child, Ended, Overdue, received, requests, send
from workbench.testers.learning.encoding import check_outputs

#: Seconds to start the process and to unpickle the mechanism, which may import much.
STARTUP = 60.0


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


class PortableMechanism:
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
        return PortableMechanism, (None, self.data)


class Sandbox(Child):
    """A process that runs one mechanism; not for use by several threads at a time.

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


def pickled(value: Any) -> bytes:
    """Also of what ``pickle`` cannot take: lambdas, functions of a script or a notebook."""
    import cloudpickle  # type: ignore[import-untyped]

    return bytes(cloudpickle.dumps(value))


def unpickled(data: bytes | bytearray) -> Any:
    """What was `pickled`."""
    return pickle.loads(data)


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
