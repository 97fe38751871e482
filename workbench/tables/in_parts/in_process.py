"""`rows_in_process`: a long table that is read a batch at a time, in a process with limits.

As in `workbench.scores.counting.in_process`, a damaged or hostile file can end that process, and
not the program.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.progress import Report, silent
from workbench.scores.counting.large import size_of
from workbench.scores.parsing.limits import LIMITS
from workbench.scores.parsing.reading_process import answer_about, ask_about, damaged
from workbench.tables.in_parts.rows import columns_of_parts, table_of_rows
from workbench.tables.layouts.base import FoundTable, Stated


def columns_in_process(path: Path, trusted: bool) -> list[str]:
    """The names of the columns of a large file, or of the parts in a folder.

    Parameters
    ----------
    path : Path
    trusted : bool
        Read in this process.

    Raises
    ------
    ScoresError
        Nothing can be read.
    """
    if trusted:
        return columns_of_parts(path)
    return [str(name) for name in _asked(path, {"stated": None}, silent)["columns"]]


def rows_in_process(path: Path, stated: Stated, report: Report, trusted: bool) -> FoundTable:
    """The table of a large file, or of the parts in a folder.

    Parameters
    ----------
    path : Path
    stated : Stated
    report : Report
        Where it raises, the process is ended.
    trusted : bool
        Read in this process, and without limits.

    Raises
    ------
    ScoresError
        As of `table_of_rows`; or it took more memory or time than allowed.
    """
    if trusted:
        return table_of_rows(path, stated, report)
    answer = _asked(path, {"stated": asdict(stated)}, report)
    try:
        return _table(answer)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(path.name, f"a wrong answer was made: {error}") from None


def _table(answer: dict[str, Any]) -> FoundTable:
    """The table of an answer, whose arrays must fit the names in its header."""
    models, records = np.array(answer["models"]), np.array(answer["records"])
    shape = (models.size, records.size)
    member, present = (_bits(answer[name], shape) for name in ("member", "present"))
    return FoundTable(
        answer["values"].astype(np.float64, copy=False).reshape(shape),
        member,
        str(answer["how"]),
        models=models,
        records=records,
        present=None if present.all() else present,
        larger_is_member=answer["larger_is_member"] is True,
        notes=tuple(map(str, answer["notes"])),
    )


def _asked(path: Path, request: dict[str, Any], report: Report) -> dict[str, Any]:
    """What the process answers."""
    size = size_of(path)
    memory = LIMITS.memory_for(size)
    return ask_about(
        serve,
        path,
        {**request, "path": str(path.absolute())},
        report,
        memory=memory,
        seconds=LIMITS.seconds_for(size),
        most_answered=memory,
    )


def _bits(part: Any, shape: tuple[int, int]) -> NDArray[np.bool_]:
    return np.unpackbits(part, count=shape[0] * shape[1]).reshape(shape).astype(bool)


# -- in the new process ---------------------------------------------------------------------------


def serve() -> None:
    """In the new process: read, report, and answer."""
    answer_about(_answer)


def _answer(request: dict[str, Any], report: Report) -> dict[str, Any]:
    path = Path(request["path"])
    if request["stated"] is None:
        return {"columns": columns_of_parts(path)}
    found = table_of_rows(path, Stated(**request["stated"]), report)
    present = np.ones(found.member.shape, bool) if found.present is None else found.present
    return {
        "values": found.values,
        "member": np.packbits(found.member),
        "present": np.packbits(present),
        "how": found.how,
        "models": [] if found.models is None else found.models.tolist(),
        "records": [] if found.records is None else found.records.tolist(),
        "larger_is_member": found.larger_is_member,
        "notes": found.notes,
    }
