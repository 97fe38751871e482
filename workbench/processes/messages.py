"""What processes send each other: a message is a list of byte strings with their lengths in front.

The first part of a message is a header in JSON where one of the two does not trust the other
(`packed`, `unpacked`), and a pickle where they do (`values`). Arrays follow as they are in memory.
"""

from __future__ import annotations

import io
import re
import select
import struct
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench import _json

#: What can be written to a pipe, and bytes that are received, which can be changed.
Buffer: TypeAlias = bytes | bytearray | memoryview | NDArray[Any]
#: One end of a pipe or socket, with or without a buffer of its own.
Pipe: TypeAlias = BinaryIO | io.RawIOBase | io.BytesIO

#: Largest number of parts of a message, and bytes of a header.
MOST_PARTS, MOST_HEADER = 100_000, 32 * 10**6

#: Bytes that a pipe holds, where the system lets us choose: each read takes the interpreter anew.
PIPE = 2**20

#: Stands for an array in a header, and the kinds of them: numbers, texts and times.
_ARRAY = "__array__"
_KINDS = re.compile(r"[<>|][biufcSUmM][0-9]{1,9}(\[[a-zA-Z0-9]+\])?")

_NUMBER = struct.Struct("<Q")


class WrongAnswer(ValueError):  # noqa: N818
    """Bytes that are not what was to be answered."""


def send(pipe: Pipe, parts: Sequence[Buffer]) -> None:
    """Write a message."""
    _write(pipe, _NUMBER.pack(len(parts)))
    for part in parts:
        view = memoryview(part)  # type: ignore[arg-type]  # numpy's arrays are buffers
        view = view.cast("B") if view.nbytes else memoryview(b"")
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
    left = memoryview(part)  # type: ignore[arg-type]
    while left:
        size = pipe.readinto(left)  # type: ignore[union-attr]
        if not size:
            raise EOFError
        left = left[size:]


def _write(pipe: Pipe, data: bytes | memoryview) -> None:
    left = memoryview(data)
    while left:
        left = left[pipe.write(left) :]


def packed(content: Mapping[str, Any]) -> list[Any]:
    """A message of values that JSON can hold, with arrays and bytes among them as parts.

    Arrays keep the order of their memory, so that sums of them stay the same.
    """
    buffers: list[Any] = []

    def placed(value: Any) -> dict[str, Any]:
        if isinstance(value, bytes):
            value = np.frombuffer(value, np.uint8)
        if not isinstance(value, np.ndarray):
            raise TypeError(f"a message holds no {type(value).__name__}")
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        flat = np.ascontiguousarray(value.T if order == "F" else value).reshape(-1)
        buffers.append(flat.view(np.uint8))
        return {_ARRAY: [len(buffers) - 1, value.dtype.str, value.shape, order]}

    return [_json.message(content, default=placed), *buffers]


def unpacked(parts: Sequence[Any]) -> dict[str, Any]:
    """The values of a message of `packed`, which may say anything; bytes are arrays of integers.

    Raises
    ------
    WrongAnswer
        It is none.
    """
    head, *buffers = parts or [b""]
    if len(head) > MOST_HEADER:
        raise WrongAnswer("a long header")

    def placed(found: dict[str, Any]) -> Any:
        spec = found.get(_ARRAY) if len(found) == 1 else None
        if not isinstance(spec, list):
            return found
        part, kind, shape, order = spec
        if not 0 <= part < len(buffers):
            raise WrongAnswer("wrong in an answer: a part is missing")
        if not _KINDS.fullmatch(kind):
            raise WrongAnswer(f"wrong in an answer: an array of {kind}")
        array = np.frombuffer(buffers[part], np.dtype(kind))
        if array.dtype == bool and (array.view(np.uint8) > 1).any():
            raise WrongAnswer("wrong in an answer: a truth value")
        return array.reshape(shape, order="F" if order == "F" else "C")

    try:
        content = _json.loads(bytes(head), object_hook=placed)
    except WrongAnswer:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise WrongAnswer(f"no header: {type(error).__name__}") from error
    if not isinstance(content, dict):
        raise WrongAnswer("no header")
    return content
