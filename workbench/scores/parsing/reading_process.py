"""Reading of untrusted files in a separate process.

A damaged file can make a parser read beyond its memory, end its process, hang, or take all memory.
In a process of its own it harms nothing else: the process has limits of memory and time, is
replaced when it misbehaves, and what it answers is checked like any other input.

`read_in_process` reads a file as a whole. At most `AT_A_TIME` files are read at a time; others wait
for their turn. Large files leave a process to small ones. A process that did well is asked again,
for starting one costs the import of its parsers. `ask_about` has a new process read a file a batch
at a time.

Where the system starts no processes at all, as in a browser, the program that reads has to decide
what to do without (`NoProcesses`); a server refuses (`insist`).

The limit of memory holds on Linux. On macOS and Windows, which have none for a process, a file is
still kept apart and still ended after its time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from workbench.processes.child import Child, ChildError, IdleChildren, NoProcesses, TimeLimit
from workbench.processes.limits import be_killed_first, hold_to
from workbench.processes.messages import WrongAnswer
from workbench.processes.serving import answer_requests, be_quiet
from workbench.progress import Report
from workbench.scores.parsing.formats import table_name
from workbench.scores.parsing.limits import GB, MB, ReadLimits
from workbench.scores.parsing.table_bytes import from_message
from workbench.scores.refusals import IF_TRUSTED, called, check_parser
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
    # Memory between the parts of a file is used again, not returned to the system for each.
    "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20),
    "MALLOC_TRIM_THRESHOLD_": str(64 * 2**20),
}

#: Whether no file may be read in this process.
_insisted = False

_IS_IT = "to read; check that it is what its name says"


def read_in_process(
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
    NoProcesses
        The system starts none, and nobody said `insist`.
    """
    limits.check_size(called(filename), size)
    memory, seconds = limits.memory_for(size), limits.seconds_for(size)
    request = {
        "kind": kind,
        "filename": filename,
        "path": None if isinstance(source, bytes) else os.fspath(source.absolute()),
        "content": source if isinstance(source, bytes) else None,
        "memory": memory,
        "seconds": seconds,
        "limits": asdict(limits),
    }

    def ask(reader: _Reader) -> DataTable:
        answer = reader.ask(request, TimeLimit(seconds), memory)
        return from_message(answer, table_name(filename))

    try:
        return _readers.answer(kind, ask, size >= LARGE)
    except NoProcesses as error:
        if not _insisted:
            raise
        raise refusal(filename, error, memory, seconds, "") from None
    except (ChildError, WrongAnswer, OSError) as error:
        advice = f"{_IS_IT}, or save the scores alone, as npz or parquet"
        raise refusal(filename, error, memory, seconds, advice) from None


def insist() -> None:
    """Have this program refuse a file rather than read it without a process of its own.

    Files that come from others, as those of a server, are read in no other way.
    """
    global _insisted
    _insisted = True


def ask_about(
    serve: Callable[[], None],
    path: Path,
    request: Mapping[str, Any],
    report: Report,
    *,
    memory: float,
    seconds: float,
    most_answered: float,
    advice: str = _IS_IT,
) -> dict[str, Any]:
    """What a new process answers to one request.

    Parameters
    ----------
    serve : callable
        Of a module, to be called in the process; it calls `answer_about`.
    path : Path
        The file or folder, for messages.
    request : mapping of str
        As JSON can hold it.
    report : Report
        Takes the progress of the process; where it raises, the process is ended.
    memory, seconds : float
        Bytes, and seconds for which it may compute.
    most_answered : float
        Bytes of the answer.
    advice : str
        Ends the message where the memory does not suffice.

    Raises
    ------
    ScoresError
        The reader refused the file, or it took more memory or time than allowed, or is damaged.
    """
    check_parser(path.name)
    asked = {**request, "memory": memory, "seconds": seconds}
    try:
        process = Child(serve, ENVIRONMENT)
        try:
            return process.ask(asked, TimeLimit(seconds), most_answered, report)
        finally:
            process.close()
    except (ChildError, WrongAnswer, OSError) as error:
        raise refusal(path.name, error, memory, seconds, advice) from None


def answer_about(answer: Callable[[dict[str, Any], Report], dict[str, Any]]) -> None:
    """In the new process: answer requests of `ask_about` within their limits, and report.

    Parameters
    ----------
    answer : callable
        (request, report) -> answer.
    """
    import pyarrow.csv
    import pyarrow.parquet  # noqa: F401  (before the limits)

    def within_limits(request: dict[str, Any], report: Report) -> dict[str, Any]:
        be_quiet()
        # Of the processor: several threads.
        hold_to(memory=request["memory"], processor=4 * request["seconds"] + 1)
        return answer(request, report)

    be_killed_first()
    answer_requests(within_limits, (ScoresError,))


def refusal(
    filename: str,
    error: ChildError | WrongAnswer | OSError,
    memory: float,
    seconds: float,
    advice: str,
) -> ScoresError:
    """The refusal of a file, for what happened in the process that was to read it.

    Parameters
    ----------
    filename : str
    error : ChildError, WrongAnswer or OSError
    memory, seconds : float
        Bytes, and seconds for which it was allowed to compute.
    advice : str
        Ends the message where the memory does not suffice.
    """
    name = called(filename)
    if isinstance(error, OSError):
        words = f"is not read: no process could be started for it ({error})"
        return ScoresError(f"{name} {words}. {IF_TRUSTED}")
    if isinstance(error, WrongAnswer) or error.reason in ("failed", "ended"):
        return damaged(filename, str(error))
    if error.reason == "memory":
        return ScoresError(
            f"{name} needs more than {memory / GB:.3g} GB of memory {advice}. {IF_TRUSTED}"
        )
    if error.reason == "late" and error.waited:
        return ScoresError(
            f"{name} is not read: in the process that read it, {error}; the disk or "
            "the machine is too slow for it now. Try again, from a disk of this machine"
        )
    if error.reason == "late":
        return ScoresError(
            f"{name} took longer than {seconds:.3g} s of processor time to read; check that it is "
            f"what its name says, or save the scores alone, as npz or parquet. {IF_TRUSTED}"
        )
    return ScoresError(str(error))  # it was refused


def damaged(filename: str, what: str) -> ScoresError:
    """The refusal of a file that made its process fail; ``what`` says how."""
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

    def is_prepared(self, kind: str) -> bool:
        """Whether it has read a file of a kind."""
        return kind in self._prepared

    def prepare(self, kind: str) -> None:
        """Import what this kind of file needs, outside of the time limit of the file."""
        if kind in self._prepared:
            return
        answer = self.ask({"prepare": kind}, TimeLimit(STARTUP), LARGE)
        if answer.get("kind") != "ready":
            raise OSError(f"its parsers cannot be imported: {answer}")
        self._prepared.add(kind)


class _Readers:
    """Processes to read with, for any number of threads."""

    def __init__(self) -> None:
        self._turns = threading.BoundedSemaphore(AT_A_TIME)
        self._large = threading.BoundedSemaphore(AT_A_TIME - 1)
        self.idle = IdleChildren[_Reader]()

    def answer(self, kind: str, ask: Callable[[_Reader], DataTable], large: bool) -> DataTable:
        """What a process answers; its time begins when it is free.

        Parameters
        ----------
        kind : str
            The extension of the file.
        ask : callable
            Asks a process.
        large : bool
            Whether the file is a large one.
        """
        with self._large if large else nullcontext(), self._turns:
            reader, fit = self._taken(kind), False
            try:
                try:
                    table = ask(reader)
                except ChildError as error:
                    if error.reason != "ended" or not reader.files:
                        raise
                    # A file before this one may have done it harm.
                    reader = self._started(kind)
                    table = ask(reader)
                fit = not large and sum(x.nbytes for x in table.columns.values()) < LARGE
            except ChildError as error:
                fit = not large and error.reason == "refused"
                raise
            finally:
                reader.files += 1
                if fit:
                    self.idle.add(reader)
                else:
                    reader.close()
        return table

    def _taken(self, kind: str) -> _Reader:
        """An idle process, rather one that has read files of the kind, or a new one."""
        reader = self.idle.take(lambda one: one.is_prepared(kind))
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


_readers = _Readers()


def _start_afresh() -> None:
    """In a fork of the program: its processes answer the program."""
    global _readers
    _readers = _Readers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
