"""Values as messages, with their arrays apart, between processes that trust each other.

They are pickles. What both processes have is not sent: a value that came with the request goes back
as its name, so that it is the same object again.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from typing import Any

import cloudpickle  # type: ignore[import-untyped]

from workbench.processes.messages import Pipe, received, send

#: Bytes from which a buffer, such as that of an array, is a part of its own.
_LARGE = 64 * 1024


class _Pickler(cloudpickle.Pickler):
    """A pickler that names what the other process has."""

    def __init__(self, known: Mapping[str, Any]):
        self.file, self.buffers = io.BytesIO(), list[Any]()
        super().__init__(self.file, protocol=5, buffer_callback=self._take)
        self._names = {id(value): name for name, value in known.items()}

    def persistent_id(self, obj: Any) -> str | None:
        return self._names.get(id(obj))

    def _take(self, buffer: pickle.PickleBuffer) -> bool:
        """Take a large buffer; true means that it stays in the pickle."""
        view = buffer.raw()
        if view.nbytes < _LARGE:
            return True
        self.buffers.append(view)
        return False


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: Any, known: Mapping[str, Any], buffers: list[Any]):
        super().__init__(io.BytesIO(data), buffers=buffers)
        self._known = known

    def persistent_load(self, pid: Any) -> Any:
        return self._known[pid]


def send_value(pipe: Pipe, value: Any, known: Mapping[str, Any] | None = None) -> None:
    """Send a value.

    Parameters
    ----------
    pipe : file
    value : object
    known : mapping of str to object, optional
        What the other process has, under the same names.
    """
    pickler = _Pickler(known or {})
    pickler.dump(value)
    send(pipe, [pickler.file.getbuffer(), *pickler.buffers])


def receive_value(pipe: Pipe, known: Mapping[str, Any] | None = None) -> Any:
    """The next value that the other process sends, with its arrays writable.

    Raises
    ------
    EOFError, OSError
        The other process has ended.
    """
    data, *buffers = received(pipe)
    return _Unpickler(data, known or {}, buffers).load()
