"""`count_on_cluster`: the counts of pieces of files, found by the workers of a dask cluster."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, TimeoutError
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.progress import Report
from workbench.scores.counting.counted import MOST_FIRST
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
    # First scores are most of what a piece answers, and few pieces have those of the whole: the
    # others are asked for them if they turn out to be needed.
    pieces = [
        replace(task, source=source, most_first=0)
        for task in tasks
        for source in task.source.pieces(max(1, wanted * task.source.size // max(size, 1)))
    ]
    pieces[:1] = [replace(piece, most_first=MOST_FIRST) for piece in pieces[:1]]
    began = time.monotonic()
    # The executor of the client, so that nothing of dask is imported here.
    with client.get_executor() as executor:
        futures = [executor.submit(count_piece, piece) for piece in pieces]
        found: CountedPiece | None = None
        sizes = []  # numbers of both groups in the first pieces, in one, in two, …
        try:
            for i, future in enumerate(futures):
                piece = _result(future, report)
                found = piece if found is None else found + piece
                sizes.append(found.counts.counts.sum(axis=1))
                share = (i + 1) / len(futures)
                report(share, progress_in_words(found.counts.rows, None, share, began))
            if found is None:
                raise ValueError("no tasks were given")
            firsts = [
                executor.submit(count_piece, replace(pieces[i], most_first=MOST_FIRST), None, first)
                for i, first in _lacking(sizes)
            ]
            futures += firsts
            for future in firsts:
                found += _result(future, report)
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    return found


def _lacking(sizes: Sequence[NDArray[np.int64]]) -> Iterator[tuple[int, int]]:
    """Pieces that have first scores of the whole, beside piece 0, and how many first ones each has.

    Parameters
    ----------
    sizes : sequence of ndarray of int, shape (2,)
        Numbers of scores of both groups in the pieces up to each.
    """
    for i, (before, after) in enumerate(pairwise(sizes), 1):
        of_piece = after - before
        if ((before < MOST_FIRST) & (of_piece > 0)).any():
            yield i, int(np.minimum(of_piece, MOST_FIRST).sum())


def _result(future: Future[CountedPiece], report: Report) -> CountedPiece:
    """The result of a task, unless the work is cancelled before."""
    while True:
        try:
            return future.result(timeout=_PACE)
        except TimeoutError:
            report()
