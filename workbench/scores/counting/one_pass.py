"""`count_scores`: the scores of files of any size, counted on a grid in one pass.

The layout is found by a sample of rows, as for small files. The grid is laid around that sample.
Then each file is read once, in batches.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from workbench.progress import Report, silent
from workbench.scores.counting.counted import CountedScores
from workbench.scores.counting.grid import Floats, Grid
from workbench.scores.counting.part_files import Parts
from workbench.scores.counting.piece import Task, count_piece, progress_in_words
from workbench.scores.counting.sides import Groups, P, Q
from workbench.scores.counting.tally import GroupCounts
from workbench.scores.input_checks import NonFiniteCounts
from workbench.scores.layouts.direction import doubt_of_direction
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.layouts.layout import Layout
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable


def count_scores(
    path: str | os.PathLike[str],
    *,
    path_q: str | os.PathLike[str] | None = None,
    p: str | None = None,
    q: str | None = None,
    score: str | None = None,
    member: str | None = None,
    member_value: object = None,
    cluster: str | None = None,
    larger_is_member: bool | None = None,
    sampling: str = "unknown",
    nonfinite: str = "keep",
    name: str | None = None,
    progress: Report | None = None,
    client: Any = None,
) -> CountedScores:
    """The counted scores of files of any size: csv, tsv, parquet, feather, arrow, or a folder.

    Parameters
    ----------
    path, path_q
        A file, or a folder of parts; where each group has its own, that of P and that of Q.
    p, q, score, member, member_value, cluster, larger_is_member, sampling, nonfinite, name
        As in `read_scores`; clusters are refused.
    progress : Report, optional
        Takes the share that is read, with the number of rows and the time that is left.
    client : dask.distributed.Client, optional
        Counts the files, and the row groups of parquet files, on the workers of a cluster, which
        must find them under the same paths.

    Returns
    -------
    CountedScores

    Raises
    ------
    ScoresError
        As `read_scores`.
    Cancelled
        ``progress`` raised it.
    """
    if cluster is not None:
        raise ScoresError(
            f"cluster={cluster!r}: scores of one cluster are reduced to one, which needs all rows "
            "in memory; reduce them first, for example with a GROUP BY in a database, or read the "
            "file with counted=False"
        )
    if nonfinite not in ("keep", "drop"):
        raise ValueError(f"nonfinite must be 'keep' or 'drop', got {nonfinite!r}")
    paths = [Path(path)] if path_q is None else [Path(path), Path(path_q)]
    opened = [Parts.of(each) for each in paths]
    samples = [each.sample() for each in opened]
    layout = guess_layout(*samples, p=p, q=q, score=score, member=member, member_value=member_value)
    p_label = layout.member_value if member_value is not None else None
    grid = Grid.of(_sampled_scores(samples, layout))
    tasks = [
        Task(source, layout, p_label, group, grid)
        for group, each in zip((P, Q), opened, strict=False)
        for source in each.sources
    ]
    report = _Progress(tasks, silent if progress is None else progress)
    if client is None:
        found = reduce(add, (count_piece(task, report.of(i)) for i, task in enumerate(tasks)))
    else:
        from workbench.scores.counting.cluster import count_on_cluster

        found = count_on_cluster(client, tasks, silent if progress is None else progress)
    counts = found.counts
    if layout.kind == "score and label" and found.labels:
        groups = Groups(p_label, str(layout.member), samples[0].label)
        for label in found.labels:
            groups.of(label)
        of_p = groups.of_p()
        counts = counts if of_p == P else counts.swapped()
        layout = replace(layout, member_value=groups.seen[of_p] if p_label is None else p_label)
    notes = [layout.describe(), *(note for each in opened for note in each.notes), *found.notes]
    if larger_is_member is None and (doubt := doubt_of_direction(layout.columns, [paths[0].stem])):
        notes.append(doubt)
    return _scores(
        counts,
        grid,
        larger_is_member=larger_is_member,
        sampling=sampling,
        nonfinite=nonfinite,
        name=paths[0].stem if name is None else name,
        notes=notes,
    )


def _sampled_scores(samples: Sequence[DataTable], layout: Layout) -> Floats:
    """All scores of samples, whichever group they are of."""
    names = [(samples[0], layout.score)]
    if layout.kind != "score and label":
        names = [(samples[0], layout.p), (samples[-1], layout.q)]
    return np.concatenate([table.numbers(str(name)) for table, name in names])


def _scores(
    counts: GroupCounts,
    grid: Grid,
    *,
    larger_is_member: bool | None,
    sampling: str,
    nonfinite: str,
    name: str,
    notes: Sequence[str],
) -> CountedScores:
    """The scores of counts: the value of a cell is its most member-like score."""
    if not counts.rows:
        raise ScoresError(f"no scores were read: {'; '.join(notes) or 'the files have no rows'}")
    values = counts.exact
    if values is None:
        values = (
            grid.largest(counts.keys) if larger_is_member is not False else grid.least(counts.keys)
        )
    of_q, of_p = counts.counts
    odd = [NonFiniteCounts(*(int(n[at].sum()) for at in _odd(values))) for n in (of_p, of_q)]
    first_q, first_p = counts.first
    dropped: dict[str, Any] = {}
    if nonfinite == "drop":
        kept = np.isfinite(values)
        values, of_p, of_q = values[kept], of_p[kept], of_q[kept]
        first_p, first_q = first_p[np.isfinite(first_p)], first_q[np.isfinite(first_q)]
        dropped = {"nonfinite_p": odd[0], "nonfinite_q": odd[1]}
    sign = 1.0 if larger_is_member is not False else -1.0
    return CountedScores(
        values,
        of_p,
        of_q,
        larger_is_member=larger_is_member,
        sampling=sampling,
        name=name,
        first=(sign * first_p, sign * first_q),
        grid=None if counts.exact is not None else grid.describe(),
        notes=notes,
        **dropped,
    )


def _odd(values: Floats) -> tuple[Any, Any, Any]:
    return np.isnan(values), values == np.inf, values == -np.inf


class _Progress:
    """The progress of tasks that are done one after the other."""

    def __init__(self, tasks: Sequence[Task], report: Report) -> None:
        self._sizes = [max(task.source.size, 1) for task in tasks]
        rows = [task.source.rows for task in tasks]
        self._rows = None if None in rows else sum(row or 0 for row in rows)
        self._report = report
        self._before = 0
        self._began = time.monotonic()

    def of(self, place: int) -> Callable[[int, float], None]:
        """What the task at a place reports to."""
        size, all_sizes = sum(self._sizes[:place]), sum(self._sizes)
        before = self._before

        def report(done: int, share: float) -> None:
            fraction = min((size + share * self._sizes[place]) / all_sizes, 1.0)
            self._before = before + done
            self._report(
                fraction, progress_in_words(self._before, self._rows, fraction, self._began)
            )

        return report
