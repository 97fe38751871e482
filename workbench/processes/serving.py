"""The side of a `workbench.processes.child.Child` that is in the new process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from io import BufferedReader
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

from workbench.processes.messages import packed, received, send, unpacked
from workbench.progress import Report
from workbench.software.extras import MissingPackage

#: Seconds without a request after which a process ends.
IDLE = 60.0

#: Seconds between two reports, and most characters of an error.
_PACE, _MOST_SAID = 0.1, 10_000


def answer_requests(
    answer: Callable[[dict[str, Any], Report], dict[str, Any]],
    refuses: tuple[type[Exception], ...] = (),
) -> None:
    """Answer requests until the pipe is closed.

    Parameters
    ----------
    answer : callable
        (request, report) -> answer, both of values that `messages.packed` takes.
    refuses : tuple of types
        Errors after which the process is as it was, as it is after `MissingPackage`.
    """
    refuses = (MissingPackage, *refuses)
    for parts, pipe in requests():
        try:
            parts = packed(answer(unpacked(parts), _reporting(pipe)))
        except refuses as error:
            parts = _said("refused", str(error))
        except BaseException as error:
            # pyarrow has an error of its own, and is not always loaded.
            memory = isinstance(error, MemoryError) or type(error).__name__ == "ArrowMemoryError"
            words = f"{type(error).__name__}: {error}"
            parts = _said("memory" if memory else "failed", words)
        send(pipe, parts)


def be_quiet() -> None:
    """Drop what C code prints from now on, which is no line for the program's log."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    os.close(nothing)


def requests() -> Iterator[tuple[list[Any], BinaryIO]]:
    """Requests in order, each with the pipe for its answer.

    The pipes are kept from all other code: ``print()``, and C code that writes, go to standard
    error. The process ends when the program does, even in the middle of a request; there are no
    more requests once none came for `IDLE` seconds.
    """
    incoming, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    waiting: SimpleQueue[list[Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(incoming, waiting), daemon=True).start()
    while True:
        try:
            request = waiting.get(timeout=IDLE)
        except Empty:
            return
        yield request, answers


def _listen(incoming: BufferedReader, waiting: SimpleQueue[list[Any]]) -> None:
    while True:
        try:
            waiting.put(received(incoming))
        except EOFError:
            os._exit(0)


def _reporting(pipe: BinaryIO) -> Report:
    shown = 0.0

    def report(
        fraction: float | None = None, message: str | None = None, partial: Any = None
    ) -> None:
        nonlocal shown
        if fraction is not None and time.monotonic() > shown + _PACE:
            shown = time.monotonic()
            send(pipe, packed({"kind": "progress", "fraction": fraction, "message": message}))

    return report


def _said(kind: str, words: str) -> list[Any]:
    return packed({"kind": kind, "said": words[:_MOST_SAID]})
