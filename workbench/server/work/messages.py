"""Messages between the server and a process that works for it: values, with their arrays apart.

They are pickles, which both trust: the process was made by this server for this work. What both
have is not sent: a value that came with the request goes back as its name, so that it is the same
object again.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

import cloudpickle  # type: ignore[import-untyped]

#: Bytes from which a buffer, such as that of an array, is sent by itself.
APART = 64 * 1024


class _Pickler(cloudpickle.Pickler):
    """A pickler that names what the other process has."""

    def __init__(self, known: Mapping[str, Any]):
        self.file, self.buffers = io.BytesIO(), list[Any]()
        super().__init__(self.file, protocol=5, buffer_callback=self._take)
        self._names = {id(value): name for name, value in known.items()}

    def persistent_id(self, obj: Any) -> str | None:
        return self._names.get(id(obj))

    def _take(self, buffer: pickle.PickleBuffer) -> bool:
        """Keep a large buffer apart; true means that it stays in the pickle."""
        view = buffer.raw()
        if view.nbytes < APART:
            return True
        self.buffers.append(view)
        return False


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, known: Mapping[str, Any], buffers: list[bytes]):
        super().__init__(io.BytesIO(data), buffers=buffers)
        self._known = known

    def persistent_load(self, pid: Any) -> Any:
        return self._known[pid]


def send(to: Connection, value: Any, known: Mapping[str, Any] | None = None) -> None:
    """Send a value.

    Parameters
    ----------
    to : Connection
    value : object
    known : mapping of str to object, optional
        What the other process has, under the same names.
    """
    pickler = _Pickler(known or {})
    pickler.dump(value)
    to.send_bytes(pickler.file.getbuffer())
    to.send_bytes(str(len(pickler.buffers)).encode())
    for buffer in pickler.buffers:
        to.send_bytes(buffer)


def receive(source: Connection, known: Mapping[str, Any] | None = None) -> Any:
    """The next value that the other process sends.

    Parameters
    ----------
    source : Connection
    known : mapping of str to object, optional
        See `send`.

    Raises
    ------
    EOFError, OSError
        The other process has ended.
    """
    data = source.recv_bytes()
    count = int(source.recv_bytes())
    # Writable, as the arrays were.
    buffers: list[Any] = [bytearray(source.recv_bytes()) for _ in range(count)]
    return _Unpickler(data, known or {}, buffers).load()
