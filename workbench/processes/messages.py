"""What processes send each other: a message is a list of byte strings with their lengths in front.

The first part of a message is a header in JSON where one of the two does not trust the other
(`parts_of`, `header_of`), and a pickle where they do (`values`). Arrays follow as they are in
memory.
"""

from __future__ import annotations

import io
import json
import select
import struct
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: What can be written to a pipe.
Buffer: TypeAlias = bytes | bytearray | memoryview | NDArray[Any]
#: One end of a pipe or socket, with or without a buffer of its own.
Pipe: TypeAlias = BinaryIO | io.RawIOBase | io.BytesIO

#: Largest number of parts of a message, and bytes of a header.
MOST_PARTS, MOST_HEADER = 100_000, 32 * 10**6

#: Bytes that a pipe holds, where the system lets us choose: each read takes the interpreter anew.
PIPE = 2**20

_NUMBER = struct.Struct("<Q")


class WrongAnswer(ValueError):  # noqa: N818
    """Bytes that are not what was to be answered."""


def send(pipe: Pipe, parts: Sequence[Buffer]) -> None:
    """Write a message."""
    _write(pipe, _NUMBER.pack(len(parts)))
    for part in parts:
        view = memoryview(part).cast("B") if len(part) else memoryview(b"")
        _write(pipe, _NUMBER.pack(len(view)))
        _write(pipe, view)
    pipe.flush()


def received(pipe: Pipe, most: float | None = None) -> list[Any]:
    """The parts of a message, as bytes-like objects that can be changed.

    A large part is no bytearray: to fill that with zeros would keep the interpreter from other
    threads.

    Parameters
    ----------
    pipe : file
    most : float, optional
        Largest number of bytes of all parts together; not needed for a trusted process.

    Raises
    ------
    EOFError
        The pipe ends first.
    WrongAnswer
        The message is larger.
    """
    count = _number(pipe)
    if count > MOST_PARTS:
        raise WrongAnswer(f"a message of {count} parts")
    parts: list[Any] = []
    size = 0
    for _ in range(count):
        length = _number(pipe)
        size += length
        if most is not None and size > most:
            raise WrongAnswer(f"a message of {size} bytes where {most:.0f} are allowed")
        parts.append(bytearray(length) if length < PIPE else np.empty(length, np.uint8))
        _fill(pipe, parts[-1])
    return parts


def ready(pipe: Pipe, seconds: float) -> bool:
    """Whether a pipe without a buffer of its own has something to read, or has ended, in time."""
    return bool(select.select([pipe], [], [], seconds)[0])


def _number(pipe: Pipe) -> int:
    head = bytearray(_NUMBER.size)
    _fill(pipe, head)
    return int(_NUMBER.unpack(head)[0])


def _fill(pipe: Pipe, part: bytearray | NDArray[Any]) -> None:
    left = memoryview(part)
    while left:
        size = pipe.readinto(left)  # type: ignore[union-attr]
        if not size:
            raise EOFError
        left = left[size:]


def _write(pipe: Pipe, data: bytes | memoryview) -> None:
    left = memoryview(data)
    while left:
        left = left[pipe.write(left) :]


def parts_of(header: Mapping[str, Any], *arrays: Any) -> list[Any]:
    """A message of a header, as JSON can hold it, and arrays or bytes."""
    buffers = (x if isinstance(x, bytes) else np.ascontiguousarray(x) for x in arrays)
    return [json.dumps(header).encode(), *buffers]


def header_of(parts: Sequence[Any]) -> dict[str, Any]:
    """The header of a message (WrongAnswer if it is none)."""
    try:
        if len(parts[0]) > MOST_HEADER:
            raise WrongAnswer("a long header")
        header = json.loads(bytes(parts[0]))
    except (ValueError, IndexError, RecursionError) as error:
        raise WrongAnswer(f"no header: {type(error).__name__}") from error
    if not isinstance(header, dict):
        raise WrongAnswer("no header")
    return header
