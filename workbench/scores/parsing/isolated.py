"""Parsing of untrusted score files in a separate process.

A damaged file can make a parser read beyond its memory, end its process, hang, or take all memory.
In a process of its own it harms nothing else: the process has limits of memory and time, is
replaced when it misbehaves, and what it answers is checked like any other input.

At most `AT_A_TIME` files are read at a time; others wait for their turn. Large files leave a
process to small ones. A process that did well is asked again, for starting one costs the import of
its parsers.

The limit of memory holds on Linux. On macOS and Windows, which have none for a process, a file is
still kept apart and still ended after its time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from workbench import _json
from workbench._child import Child, ChildError, Ended, Overdue, TimeLimit, received
from workbench.scores.parsing.limits import GB, MB, ReadLimits
from workbench.scores.parsing.wire import WrongAnswer, from_parts, header_of
from workbench.scores.refusals import IF_TRUSTED, called
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

#: Files that are read at a time, and processes that are kept.
AT_A_TIME = 2

#: Seconds of the processor to start a process and import the parsers of a kind of file.
STARTUP = 60.0

#: A file of so many bytes is large. A process is not asked again after it: its memory may be in
#: pieces.
LARGE = 64 * MB

#: Environment variables of a process that parses.
ENVIRONMENT = {
    # Threads and memory pools would take memory that no file asked for.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


def read_isolated(
    source: Path | bytes, size: int, kind: str, filename: str, limits: ReadLimits
) -> DataTable:
    """The table of a file, read in a separate process.

    Parameters
    ----------
    source : Path or bytes
        The file, a regular one, or its content.
    size : int
        Its bytes.
    kind : str
        The extension whose reader it is given to.
    filename : str
        What messages call it; the table's name is made of it.
    limits : ReadLimits

    Raises
    ------
    ScoresError
        The file is refused, damaged, or took more memory or time than allowed.
    """
    limits.check_size(called(filename), size)
    memory, seconds = limits.memory_for(size), limits.seconds_for(size)
    request = {
        "kind": kind,
        "filename": filename,
        "path": None if isinstance(source, bytes) else os.fspath(source.absolute()),
        "memory": memory,
        "seconds": seconds,
        "limits": asdict(limits),
    }
    parts = [_json.message(request), *([source] if isinstance(source, bytes) else [])]
    try:
        receive = partial(_answer, filename, int(memory))
        answer = _readers.answer(kind, parts, seconds, receive, size >= LARGE)
    except Overdue as late:
        raise too_slow(filename, seconds, late) from None
    except (ChildError, WrongAnswer) as error:
        raise damaged(filename, str(error)) from None
    except OSError as error:
        raise ScoresError(
            f"{called(filename)} is not read: no process could be started for it ({error}). "
            f"{IF_TRUSTED}"
        ) from error
    if isinstance(answer, DataTable):
        return answer
    if answer.kind == "refused":
        raise ScoresError(answer.said)
    if answer.kind == "memory":
        raise ScoresError(
            f"{called(filename)} needs more than {memory / GB:.3g} GB of memory to read; check "
            "that it is what its name says, or save the scores alone, as npz or parquet. "
            f"{IF_TRUSTED}"
        )
    raise damaged(filename, answer.said)


@dataclass(frozen=True)
class _NoTable:
    """What a process says in place of a table."""

    kind: str
    said: str


_Answer = DataTable | _NoTable


def _answer(filename: str, most: int, pipe: Any) -> _Answer:
    """The answer in a pipe, of at most so many bytes, with all that it says checked."""
    try:
        parts = received(pipe, most)
    except ValueError as error:
        raise WrongAnswer(str(error)) from error
    header = header_of(parts)
    if header.get("kind") == "table":
        return from_parts(parts, Path(filename).stem)
    return _NoTable(str(header.get("kind")), str(header.get("said")))


def too_slow(filename: str, seconds: float, late: Overdue) -> ScoresError:
    """The refusal of a file whose process exceeded its time limit.

    Parameters
    ----------
    filename : str
    seconds : float
        For which it was allowed to compute.
    late : Overdue
    """
    if late.waited:
        return ScoresError(
            f"{called(filename)} is not read: in the process that read it, {late}; the disk or "
            "the machine is too slow for it now. Try again, from a disk of this machine"
        )
    return ScoresError(
        f"{called(filename)} took longer than {seconds:.3g} s of processor time to read; check "
        f"that it is what its name says, or save the scores alone, as npz or parquet. {IF_TRUSTED}"
    )


def damaged(filename: str, what: str) -> ScoresError:
    """The refusal of a file that made its process fail.

    Parameters
    ----------
    filename : str
    what : str
        What happened there.
    """
    return ScoresError(
        f"{called(filename)} is damaged, or more than its reader can take: in the process that "
        f"read it, {what[:300]}; write or copy it again"
    )


class _Reader(Child):
    """A process that reads one file after the other."""

    def __init__(self) -> None:
        from workbench.scores.parsing import reader

        super().__init__(reader.serve, ENVIRONMENT)
        self._prepared: set[str] = set()
        self.files = 0

    def prepare(self, kind: str) -> None:
        """Import what this kind of file needs, outside of the time limit of the file."""
        if kind in self._prepared:
            return
        request = _json.message({"prepare": kind})
        answer = self.ask([request], TimeLimit(STARTUP), partial(_answer, "", LARGE))
        if isinstance(answer, DataTable) or answer.kind != "ready":
            raise OSError(f"its parsers cannot be imported: {answer}")
        self._prepared.add(kind)


class _Readers:
    """Processes to read with, for any number of threads."""

    def __init__(self) -> None:
        self._turns = threading.BoundedSemaphore(AT_A_TIME)
        self._large = threading.BoundedSemaphore(AT_A_TIME - 1)
        self._lock = threading.Lock()
        self._idle: list[_Reader] = []

    def answer(
        self,
        kind: str,
        parts: list[Any],
        seconds: float,
        receive: Callable[[Any], _Answer],
        large: bool,
    ) -> _Answer:
        """The answer of a process; its time begins when it is free.

        Parameters
        ----------
        kind : str
            The extension of the file.
        parts : list
            The request.
        seconds : float
            For which it may compute.
        receive : callable
            Pipe -> answer.
        large : bool
            Whether the file is a large one.
        """
        with self._large if large else nullcontext(), self._turns:
            reader = self._taken(kind)
            try:
                answer = reader.ask(parts, TimeLimit(seconds), receive)
            except Ended:
                if not reader.files:
                    raise
                # A file before this one may have done it harm.
                reader = self._started(kind)
                answer = reader.ask(parts, TimeLimit(seconds), receive)
            reader.files += 1
            if _is_fit(answer) and not large:
                with self._lock:
                    self._idle.append(reader)
            else:
                reader.close()
        return answer

    def _taken(self, kind: str) -> _Reader:
        """An idle process, rather one that has read files of the kind, or a new one."""
        with self._lock:
            idle, self._idle = self._idle, []
            fresh = [reader for reader in idle if reader.fresh]
            fresh.sort(key=lambda reader: kind in reader._prepared)
            reader = fresh.pop() if fresh else None
            self._idle = fresh
        for other in idle:
            if other is not reader and other not in fresh:
                other.close()
        if reader is not None:
            with suppress(ChildError, WrongAnswer, OSError):  # it just ended
                reader.prepare(kind)
                return reader
        return self._started(kind)

    def _started(self, kind: str) -> _Reader:
        reader = _Reader()
        try:
            reader.prepare(kind)
        except (ChildError, WrongAnswer, OSError) as error:
            reader.close()
            raise OSError(str(error)) from error
        return reader


def _is_fit(answer: _Answer) -> bool:
    """Whether a process that answered so may be asked again."""
    if isinstance(answer, DataTable):
        return sum(cells.nbytes for cells in answer.columns.values()) < LARGE
    return answer.kind == "refused"


_readers = _Readers()


def _start_afresh() -> None:
    """In a fork of the program: its processes answer the program."""
    global _readers
    _readers = _Readers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
