"""`count_on_cluster`: the counts of pieces of files, found by the workers of a dask cluster."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, TimeoutError
from dataclasses import replace
from typing import Any

from workbench.progress import Report
from workbench.scores.counting.piece import CountedPiece, Task, count_piece, progress_in_words

#: Pieces for each core of the cluster: a slow one does not hold up the others.
_PIECES_A_CORE = 4

#: Seconds between two questions whether to go on.
_PACE = 0.5


def count_on_cluster(client: Any, tasks: Sequence[Task], report: Report) -> CountedPiece:
    """Counts of all files.

    Parameters
    ----------
    client : dask.distributed.Client
        Its workers must find the files under the same paths.
    tasks : sequence of Task
        One for each file.
    report : Report

    Raises
    ------
    TypeError
        ``client`` is something else.
    """
    if not hasattr(client, "get_executor") or not hasattr(client, "ncores"):
        raise TypeError(
            f"client must be a dask.distributed.Client, got {type(client).__name__}; make one "
            "with distributed.Client(...)"
        )
    wanted = _PIECES_A_CORE * max(sum(client.ncores().values()), 1)
    size = sum(task.source.size for task in tasks)
    pieces = [
        replace(task, source=source)
        for task in tasks
        for source in task.source.pieces(max(1, wanted * task.source.size // max(size, 1)))
    ]
    began = time.monotonic()
    # The executor of the client, so that nothing of dask is imported here.
    with client.get_executor() as executor:
        futures = [executor.submit(count_piece, piece) for piece in pieces]
        found: CountedPiece | None = None
        try:
            for i, future in enumerate(futures):
                piece = _result(future, report)
                found = piece if found is None else found + piece
                share = (i + 1) / len(futures)
                report(share, progress_in_words(found.counts.rows, None, share, began))
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    if found is None:
        raise ValueError("no tasks were given")
    return found


def _result(future: Future[CountedPiece], report: Report) -> CountedPiece:
    """The result of a task, unless the work is cancelled before."""
    while True:
        try:
            return future.result(timeout=_PACE)
        except TimeoutError:
            report()
