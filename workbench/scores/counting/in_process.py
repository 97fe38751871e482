"""`count_in_process`: counting in a process of its own, which has a limit of memory."""

from __future__ import annotations

import os
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np

from workbench.progress import Report, silent
from workbench.scores.counting.counted import CountedScores
from workbench.scores.counting.large import size_of
from workbench.scores.input_checks import NonFiniteCounts
from workbench.scores.parsing.limits import GB, LIMITS, MB
from workbench.scores.parsing.reading_process import answer_about, ask_about

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
    answer = ask_about(
        serve,
        paths[0],
        {"paths": [str(p.absolute()) for p in paths], "reading": reading},
        silent if progress is None else progress,
        memory=MEMORY,
        seconds=LIMITS.seconds_for(sum(map(size_of, paths))),
        most_answered=_MOST_ANSWERED,
        advice="for one of its pages, batches or lines; write it again in smaller ones",
    )
    odd = answer["nonfinite"]
    return CountedScores(  # which checks all of it
        *(answer[name] for name in ("values", "counts_p", "counts_q")),
        larger_is_member=reading["larger_is_member"],
        sampling=reading["sampling"],
        name=answer["name"],
        first=(answer["first_p"], answer["first_q"]),
        grid=answer["grid"],
        notes=answer["notes"],
        nonfinite_p=NonFiniteCounts(*odd["p"]) if odd else None,
        nonfinite_q=NonFiniteCounts(*odd["q"]) if odd else None,
    )


# -- in the new process ---------------------------------------------------------------------------


def serve() -> None:
    """In the new process: count, report, and answer."""
    answer_about(_count)


def _count(request: dict[str, Any], report: Report) -> dict[str, Any]:
    from workbench.scores.counting.one_pass import count_scores

    path, *path_q = request["paths"]
    scores = count_scores(
        path, path_q=path_q[0] if path_q else None, progress=report, **request["reading"]
    )
    odd = {"p": scores.nonfinite_p, "q": scores.nonfinite_q}
    first_p, first_q = scores.first or (np.empty(0), np.empty(0))
    return {
        "kind": "counts",
        "values": scores.values,
        "counts_p": scores.counts_p,
        "counts_q": scores.counts_q,
        "first_p": first_p,
        "first_q": first_q,
        "name": scores.name,
        "grid": scores.grid,
        "notes": scores.notes,
        "nonfinite": {side: astuple(n) for side, n in odd.items()}
        if scores.nonfinite == "drop"
        else {},
    }
