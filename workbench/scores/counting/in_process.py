"""`count_in_process`: counting in a process of its own, which has a limit of memory."""

from __future__ import annotations

import os
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np

from workbench.processes.messages import parts_of
from workbench.progress import Report, silent
from workbench.scores.counting.counted import CountedScores
from workbench.scores.counting.large import size_of
from workbench.scores.parsing.limits import GB, LIMITS, MB
from workbench.scores.parsing.reading_process import answer_about, ask_about
from workbench.scores.sample import NonFiniteCounts

#: Bytes of memory that counting may take, whatever the size of the files.
MEMORY = 1 * GB

#: Bytes of an answer: values, counts and first rows.
_MOST_ANSWERED = 200 * MB


def count_in_process(
    path: str | os.PathLike[str],
    path_q: str | os.PathLike[str] | None,
    progress: Report | None,
    **reading: Any,
) -> CountedScores:
    """The counted scores of files, counted in a separate process.

    Parameters
    ----------
    path, path_q
        A file or a folder, and that of Q.
    progress : Report or None
        Where it raises, the process is ended.
    **reading
        Further arguments of `count_scores`, as JSON can hold them.

    Raises
    ------
    ScoresError
        As of `count_scores`; or a file took more memory or time than allowed.
    """
    paths = [Path(p) for p in (path, path_q) if p is not None]
    header, parts = ask_about(
        serve,
        paths[0],
        {"paths": [str(p.absolute()) for p in paths], "reading": reading},
        silent if progress is None else progress,
        memory=MEMORY,
        seconds=LIMITS.seconds_for(sum(map(size_of, paths))),
        most_answered=_MOST_ANSWERED,
        advice="for one of its pages, batches or lines; write it again in smaller ones",
    )
    return _from_parts(header, parts, reading)


def _from_parts(header: dict[str, Any], parts: list[Any], reading: dict[str, Any]) -> CountedScores:
    """The scores of an answer; all that it says is checked by `CountedScores`."""
    kinds = (np.float64, np.int64, np.int64, np.float64, np.float64)
    values, of_p, of_q, first_p, first_q = (
        np.frombuffer(part, kind) for part, kind in zip(parts, kinds, strict=True)
    )
    odd = header["nonfinite"]
    return CountedScores(
        values,
        of_p,
        of_q,
        larger_is_member=reading["larger_is_member"],
        sampling=reading["sampling"],
        name=header["name"],
        first=(first_p, first_q),
        grid=header["grid"],
        notes=header["notes"],
        nonfinite_p=NonFiniteCounts(*odd["p"]) if odd else None,
        nonfinite_q=NonFiniteCounts(*odd["q"]) if odd else None,
    )


# -- in the new process ---------------------------------------------------------------------------


def serve() -> None:
    """In the new process: count, report, and answer."""
    answer_about(_count)


def _count(request: dict[str, Any], report: Report) -> list[Any]:
    from workbench.scores.counting.one_pass import count_scores

    path, *path_q = request["paths"]
    scores = count_scores(
        path, path_q=path_q[0] if path_q else None, progress=report, **request["reading"]
    )
    odd = {"p": scores.nonfinite_p, "q": scores.nonfinite_q}
    header = {
        "kind": "counts",
        "name": scores.name,
        "grid": scores.grid,
        "notes": scores.notes,
        "nonfinite": {side: astuple(n) for side, n in odd.items()}
        if scores.nonfinite == "drop"
        else {},
    }
    first = scores.first or (np.empty(0), np.empty(0))
    arrays = (scores.values, scores.counts_p, scores.counts_q, *first)
    return parts_of(header, *arrays)
