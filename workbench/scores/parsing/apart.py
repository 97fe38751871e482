"""Files that are read a batch at a time, in a process of its own with limits of memory and time.

A damaged or hostile file can make a parser read beyond its memory, hang, or take all memory. Then
that process ends, and not the program. The limit of memory holds on Linux. `isolated` does the same
for files that are read as a whole, and keeps its process for the next file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from workbench import _json
from workbench._child import Child, ChildError, Overdue, TimeLimit, received, requests, send
from workbench.progress import Report
from workbench.scores.parsing.isolated import ENVIRONMENT, damaged, too_slow
from workbench.scores.parsing.limits import GB
from workbench.scores.parsing.reader import MOST_SAID, be_killed_first, be_quiet, hold_to
from workbench.scores.refusals import IF_TRUSTED, called
from workbench.scores.sample import ScoresError

#: Seconds between two reports.
_PACE = 0.1


def ask_apart(
    serve: Callable[[], None],
    path: Path,
    request: Mapping[str, Any],
    report: Report,
    *,
    memory: float,
    seconds: float,
    most_answered: float,
    advice: str = "to read; check that it is what its name says",
) -> tuple[dict[str, Any], list[Any]]:
    """The header and the arrays that a new process answers to one request.

    Parameters
    ----------
    serve : callable
        Of a module, to be called in the process; it calls `answer_requests`.
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
    name = called(path.name)
    asked = {**request, "memory": memory, "seconds": seconds}

    def receive(pipe: Any) -> tuple[dict[str, Any], list[Any]]:
        while True:
            parts = received(pipe, int(most_answered))
            header = _json.loads(bytes(parts[0]))
            if header["kind"] != "progress":
                return header, parts[1:]
            report(header["fraction"], header["message"])

    try:
        process = Child(serve, ENVIRONMENT)
    except OSError as error:
        raise ScoresError(
            f"{name} is not read: no process could be started for it ({error}). {IF_TRUSTED}"
        ) from error
    try:
        header, parts = process.ask([_json.message(asked)], TimeLimit(seconds), receive)
    except Overdue as late:
        raise too_slow(path.name, seconds, late) from None
    except ChildError as error:
        raise damaged(path.name, str(error)) from None
    finally:
        process.close()
    if header["kind"] == "refused":
        raise ScoresError(header["said"])
    if header["kind"] == "memory":
        raise ScoresError(
            f"{name} needs more than {memory / GB:.3g} GB of memory {advice}. {IF_TRUSTED}"
        )
    if header["kind"] == "failed":
        raise damaged(path.name, header["said"])
    return header, parts


def answer_requests(answer: Callable[[dict[str, Any], Report], list[Any]]) -> None:
    """In the new process: answer requests within their limits, and report.

    Parameters
    ----------
    answer : callable
        (request, report) -> the header, as JSON values, and arrays.
    """
    import pyarrow.csv
    import pyarrow.parquet  # noqa: F401  (before the limits)

    be_killed_first()
    for (asked, *_), answers in requests():
        request = _json.loads(asked)
        be_quiet()
        hold_to(request["memory"], 4 * request["seconds"])  # of the processor: several threads
        try:
            header, *arrays = answer(request, _reporting(answers))
        except ScoresError as error:
            header, arrays = _said("refused", str(error)), []
        except MemoryError:
            header, arrays = _said("memory"), []
        except BaseException as error:
            out_of_memory = type(error).__name__ == "ArrowMemoryError"
            said = f"{type(error).__name__}: {error}"
            header, arrays = _said("memory" if out_of_memory else "failed", said), []
        send(answers, [_json.message(header), *arrays])


def _reporting(answers: Any) -> Report:
    shown = 0.0

    def report(
        fraction: float | None = None, message: str | None = None, partial: Any = None
    ) -> None:
        nonlocal shown
        if fraction is not None and time.monotonic() > shown + _PACE:
            shown = time.monotonic()
            about = {"kind": "progress", "fraction": fraction, "message": message}
            send(answers, [_json.message(about)])

    return report


def _said(kind: str, said: str = "") -> dict[str, str]:
    return {"kind": kind, "said": said[:MOST_SAID]}
