"""`count_piece`: the counts of a file, or of a piece of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.progress import time_left
from workbench.scores.counting.counted import MOST_FIRST
from workbench.scores.counting.grid import BLOCK, Grid
from workbench.scores.counting.prefetch import prefetched
from workbench.scores.counting.row_sources import RowFile, UnreadError
from workbench.scores.counting.sides import Groups, LabeledRows, OneColumn, P, Sides, TwoColumns
from workbench.scores.counting.tally import GridTally, GroupCounts
from workbench.scores.layouts.labels import spelling
from workbench.scores.layouts.layout import Layout
from workbench.scores.refusals import called


@dataclass(frozen=True)
class Task:
    """What is counted in a piece of a file; it can be sent to another process.

    Parameters
    ----------
    source : RowFile
    layout : Layout
    member_value : str or None
        The label of P, if it was given.
    group : int
        Of all scores, in a file of one group.
    grid : Grid
    most_first : int
        First scores of each group that are kept.
    """

    source: RowFile
    layout: Layout
    member_value: str | None
    group: int
    grid: Grid
    most_first: int = MOST_FIRST


@dataclass(frozen=True)
class CountedPiece:
    """What a `Task` found.

    Parameters
    ----------
    counts : GroupCounts
    labels : tuple of str
        Labels that were seen, where there is a column of labels; in the order of the groups, unless
        the label of P was given.
    stated : bool
        Whether a person did, or there are no labels: group 1 is P, and group 0 is Q.
    notes : tuple of str
    """

    counts: GroupCounts
    labels: tuple[str, ...]
    stated: bool
    notes: tuple[str, ...]

    def __add__(self, other: CountedPiece) -> CountedPiece:
        """What both found; the rows of the other piece come after those of this one."""
        labels: dict[str, str] = {}
        for label in (*self.labels, *other.labels):
            labels.setdefault(spelling(label), label)
        counts = other.counts
        if not self.stated and other.labels and spelling(other.labels[0]) != next(iter(labels)):
            counts = counts.swapped()
        notes = self.notes + other.notes
        return CountedPiece(self.counts + counts, tuple(labels.values()), self.stated, notes)


def count_piece(
    task: Task,
    report: Callable[[int, float], None] | None = None,
    only_first: int | None = None,
) -> CountedPiece:
    """Counts of a piece of a file.

    Parameters
    ----------
    task : Task
    report : callable, optional
        Takes the number of scores and the share of the piece that is read, after each batch. It
        may raise, to cancel.
    only_first : int, optional
        Read only until so many first scores of both groups are found, and return these alone.
    """
    source, layout = task.source, task.layout
    filename = source.path.name
    groups = Groups(task.member_value, str(layout.member), called(filename))
    sides: Sides
    if layout.kind == "score and label":
        sides = LabeledRows(layout, groups, filename)
    elif layout.kind == "two columns":
        sides = TwoColumns(layout, filename)
    else:
        name = layout.p if task.group == P else layout.q
        sides = OneColumn(str(name), task.group, filename)
    known = task.member_value is not None or layout.kind != "score and label"
    tally = GridTally(task.grid, task.most_first)
    notes: list[str] = []
    done = 0
    try:
        for batch, share in prefetched(source.batches(sides.numbers, sides.labels)):
            for start in range(0, batch.num_rows, BLOCK):  # what is between stays small
                for x, group in sides.parts(batch.slice(start, BLOCK)):
                    tally.add(x, group)
                    done += x.size
            if report is not None:
                report(done, share)
            if only_first is not None and tally.kept >= only_first:
                break
    except UnreadError as error:
        notes.append(
            f"{error}: {f'{done:,} scores before that were' if done else 'nothing was'} used"
        )
    if only_first is not None:
        return CountedPiece(tally.result().firsts, groups.seen, known, ())
    notes += sides.end()
    size = source.path.stat().st_size if source.path.exists() else 0
    if size != source.size:
        notes.append(
            f"{called(filename)} changed while it was read, from {source.size:,} to {size:,} "
            "bytes: what it held at the beginning was used"
        )
    return CountedPiece(tally.result(), groups.seen, known, tuple(notes))


def progress_in_words(done: int, rows: int | None, fraction: float, began: float) -> str:
    """Progress in words, such as "12,000,000 of 200,000,000 scores, 2 min left".

    Parameters
    ----------
    done : int
        Number of scores that were counted.
    rows : int or None
        Number of all rows, where it is known.
    fraction : float
        The share that is done.
    began : float
        As of ``time.monotonic``.
    """
    of_all = f" of {rows:,}" if rows is not None else ""
    left = time_left(fraction, began)
    return f"{done:,}{of_all} scores{', ' if left else ''}{left}"
