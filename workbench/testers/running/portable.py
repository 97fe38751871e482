"""Pickling of mechanisms, so that they can be sent to other processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from workbench.software.extras import check


class PortableMechanism:
    """A mechanism that can be sent to other processes, if ``cloudpickle`` can pickle it.

    Parameters
    ----------
    function : callable, optional
    data : bytes, optional
        The pickled function; exactly one of the two is given.
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
        """The pickled mechanism; ValueError if it cannot be pickled."""
        if self._data is None:
            try:
                self._data = pickled(self._function)
            except Exception as error:  # whatever its parts raise
                raise ValueError(
                    "the mechanism cannot be sent to another process, which an executor and a "
                    f"time limit need: {type(error).__name__}: {error}. If it is in a file, give "
                    "wb.find_mechanism('file.py:NAME'), which each process finds by name"
                ) from error
        return self._data

    def __reduce__(self) -> tuple[Any, ...]:
        return PortableMechanism, (None, self.data)


def pickled(value: Any) -> bytes:
    """A value as bytes, including lambdas and functions of a script or a notebook."""
    check("cloudpickle", "mechanisms that run in other processes need")
    import cloudpickle  # type: ignore[import-untyped]

    return bytes(cloudpickle.dumps(value))


def unpickled(data: bytes | bytearray) -> Any:
    """The value of bytes from `pickled`; runs the code in them, so only for trusted bytes."""
    return pickle.loads(data)
