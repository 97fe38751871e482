"""`Batch`: new rows as a source found them, and `SourceChanged`, which ends a source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from workbench.scores.sample import ScoresError


class SourceChanged(ScoresError):  # noqa: N818
    """Rows that were used are no longer in the file; says what happened to it."""


@dataclass(frozen=True)
class Batch:
    """New rows of a source, in the order of the file.

    Parameters
    ----------
    columns : mapping of str to ndarray, each of shape (rows,)
        Numbers or booleans as arrays of their type; everything else as objects, None in empty
        cells.
    places : ndarray of int, shape (rows,)
        Numbers of the lines or rows, counted from 1.
    bad : tuple of str
        What is wrong with lines that are no rows, each with its place.
    where : str
        What ``places`` count: "line", or "row of part-1.parquet".
    """

    columns: Mapping[str, NDArray[Any]]
    places: NDArray[Any]
    bad: tuple[str, ...] = ()
    where: str = "row"

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.places.size)


class GrowingRows(Protocol):
    """Where new rows come from.

    Attributes
    ----------
    waits : str
        Why there are no further rows now; "" if nothing is the matter.
    notes : list of str
        What was left out, or is worth knowing.
    needed : tuple of str or None
        The columns that are used; None until they are known.
    """

    waits: str
    notes: list[str]
    needed: tuple[str, ...] | None

    def read(self) -> Batch | None:
        """The next rows, None if there are none now.

        Raises
        ------
        SourceChanged
            Rows that were handed over have changed; there will be no more.
        ScoresError
            This cannot be followed at all.
        """
