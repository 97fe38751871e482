"""The process that parses score files for `workbench.scores.parsing.reading_process`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from workbench.processes.limits import be_killed_first, hold_to
from workbench.processes.serving import answer_requests, be_quiet
from workbench.progress import Report
from workbench.scores.parsing.compressed import OF_PYARROW
from workbench.scores.parsing.formats import content_of, parse, split_kind
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.parsing.table_bytes import to_message
from workbench.scores.sample import ScoresError

#: What a kind of file is read with: imported before the time of a file begins.
NEEDS = {
    ".npy": ("scipy.special",),
    ".npz": ("scipy.special",),
    ".parquet": ("pandas", "pyarrow.parquet"),
    ".feather": ("pandas", "pyarrow.feather"),
    ".arrow of lists": ("pandas", "pyarrow.compute"),
    ".arrow": ("pandas", "pyarrow.feather"),
}
_TEXT_NEEDS = ("pandas",)


def serve() -> None:
    """In the new process: answer requests until the pipe is closed."""
    be_killed_first()
    answer_requests(_answer, (ScoresError,))


def _answer(request: dict[str, Any], report: Report) -> dict[str, Any]:
    return _prepared(request) if "prepare" in request else _read(request)


def _prepared(request: dict[str, Any]) -> dict[str, Any]:
    kind, compression = split_kind(request["prepare"])
    needs = NEEDS.get(kind, _TEXT_NEEDS)
    for module in (*needs, "pyarrow") if compression in OF_PYARROW else needs:
        importlib.import_module(module)
    be_quiet()
    return {"kind": "ready"}


def _read(request: dict[str, Any]) -> dict[str, Any]:
    # The program measures the time as well, and is first by a second.
    hold_to(memory=request["memory"], processor=request["seconds"] + 1)
    limits, path, content = ReadLimits(**request["limits"]), request["path"], request.pop("content")
    data = bytes(content) if path is None else content_of(Path(path))
    del content
    return to_message(parse(data, request["kind"], request["filename"], limits))
