"""The process that parses score files for `workbench.scores.parsing.isolated`."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from workbench import _json
from workbench._child import requests, send
from workbench.scores.parsing.formats import content_of, parse
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.parsing.wire import to_parts
from workbench.scores.sample import ScoresError

#: What a kind of file is read with: imported before the time of a file begins.
NEEDS = {
    ".npy": ("numpy",),
    ".npz": ("numpy",),
    ".parquet": ("pandas", "pyarrow.parquet"),
    ".feather": ("pandas", "pyarrow.feather"),
    ".arrow of lists": ("pandas", "pyarrow.compute"),
    ".arrow": ("pandas", "pyarrow.feather"),
}
_TEXT_NEEDS = ("pandas",)

#: Most characters of a refusal.
MOST_SAID = 10_000


def serve() -> None:
    """In the new process: answer requests until the pipe is closed."""
    be_killed_first()
    for (header, *content), answers in requests():
        request = _json.loads(header)
        try:
            answer = _prepared(request) if "prepare" in request else _read(request, content)
        except ScoresError as error:
            answer = [_refusal("refused", str(error))]
        except MemoryError:
            answer = [_refusal("memory", "")]
        except BaseException as error:
            answer = [_refusal("failed", f"{type(error).__name__}: {error}")]
        send(answers, answer)


def _prepared(request: dict[str, Any]) -> list[Any]:
    for module in NEEDS.get(request["prepare"], _TEXT_NEEDS):
        importlib.import_module(module)
    be_quiet()
    return [_refusal("ready", "")]


def _read(request: dict[str, Any], content: list[bytearray]) -> list[Any]:
    limits = ReadLimits(**request["limits"])
    hold_to(request["memory"], request["seconds"])
    data = bytes(content.pop()) if content else content_of(Path(request["path"]))
    return to_parts(parse(data, request["kind"], request["filename"], limits))


def _refusal(kind: str, said: str) -> bytes:
    return _json.message({"kind": kind, "said": said[:MOST_SAID]})


def be_quiet() -> None:
    """Drop what C code says of damaged content, which is no line for the program's log."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    os.close(nothing)


def be_killed_first() -> None:
    """Where memory runs out all the same, let this process die and not the program."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def hold_to(memory: float, seconds: float) -> None:
    """Hold the operating system to the limits, where it can.

    The program measures the time as well, and is first by a second. The kernel ends this process
    also when the program is gone and C code holds the interpreter, so that nobody notices the
    closed pipe.

    Parameters
    ----------
    memory : float
        Bytes.
    seconds : float
        Of the processor, from now on.
    """
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    used = resource.getrusage(resource.RUSAGE_SELF)
    for which, value in (
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_CPU, used.ru_utime + used.ru_stime + seconds + 1),
    ):
        _, most = resource.getrlimit(which)
        within = int(value) if most == resource.RLIM_INFINITY else min(int(value), most)
        resource.setrlimit(which, (within, most))
