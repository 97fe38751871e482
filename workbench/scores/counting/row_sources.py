"""`RowFile`: a file that is read in batches of rows, with no more in memory than some batches.

A source gives a few rows from several places, by which the layout is found, and all rows once, in
order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from workbench.scores.parsing.frames import is_plain
from workbench.scores.refusals import called, listed
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

if TYPE_CHECKING:
    import pyarrow as pa

    #: Batches of rows in order, each with the share of the file that is read, from 0 to 1.
    Batches = Iterator[tuple[pa.RecordBatch, float]]

#: Rows of a batch.
BATCH = 2**18

#: Rows of a sample, from each of several places.
SAMPLED = 20_000

_LONGEST_REASON = 300


class UnreadError(ScoresError):
    """The rows of a file, or those that are left, cannot be read.

    It is cut off, damaged, was changed meanwhile, or has other columns.
    """


class RowFile(Protocol):
    """A file of rows, or a piece of one."""

    @property
    def path(self) -> Path:
        """Path of the file."""

    @property
    def size(self) -> int:
        """Bytes of the file when it was opened."""

    @property
    def rows(self) -> int | None:
        """Number of rows, where the file states it."""

    def sample(self) -> DataTable:
        """Some rows with all columns, from several places where the format allows it.

        Raises
        ------
        ScoresError
            There are none, or none can be read.
        """

    def batches(self, numbers: Sequence[str], labels: Sequence[str]) -> Batches:
        """Batches of rows in order, each with the share of the file that is read.

        Parameters
        ----------
        numbers, labels : sequence of str
            Columns to read: of scores, and of labels.

        Yields
        ------
        batch : pyarrow.RecordBatch
        share : float
            From 0 to 1.

        Raises
        ------
        UnreadError
            The rows, or those that are left, cannot be read; the ones before are right.
        ScoresError
            Text stands among the numbers.
        """

    def pieces(self, most: int) -> Sequence[RowFile]:
        """Parts of the file that can be read independently of each other, in order.

        Parameters
        ----------
        most : int
            How many there may be.
        """


def plain_columns(schema: pa.Schema) -> list[str]:
    """Columns of an Arrow schema with one value a row."""
    return [field.name for field in schema if is_plain(field.type)]


def require_columns(columns: Sequence[str], names: Sequence[str], path: Path) -> None:
    """Raise UnreadError for a file without some columns.

    Parameters
    ----------
    columns : sequence of str
        What is needed.
    names : sequence of str
        What the file has.
    path : Path
    """
    missing = [name for name in columns if name not in names]
    if missing:
        raise UnreadError(
            f"{called(path.name)} has no column {listed(missing)}, only {listed(names)}"
        )


@contextmanager
def cut_off(path: Path) -> Iterator[None]:
    """Context in which errors of Arrow's readers mean that the rest of a file cannot be read."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise UnreadError(
            f"{called(path.name)} is cut off, damaged, or was changed while it was read "
            f"({str(error)[:_LONGEST_REASON]})"
        ) from error
