"""`Batch`: new rows as a source found them, and `SourceChanged`, which ends a source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workbench.scores.ordered import Cells
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

    columns: Mapping[str, Cells]
    places: Cells
    bad: tuple[str, ...] = ()
    where: str = "row"

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.places.size)


class GrowingRows(ABC):
    """Where new rows come from: a file, or a folder of files, that may not be there yet.

    Attributes
    ----------
    waits : str
        Why there are no further rows now; "" if nothing is the matter.
    notes : list of str
        What was left out, or is worth knowing.
    needed : tuple of str or None
        The columns that are used; None until they are known.
    """

    what = "file"

    def __init__(self, path: Path):
        self.path = path
        self.waits, self.notes = "", list[str]()
        self.needed: tuple[str, ...] | None = None

    @abstractmethod
    def read(self) -> Batch | None:
        """The next rows, None if there are none now.

        Raises
        ------
        SourceChanged
            Rows that were handed over have changed; there will be no more.
        ScoresError
            This cannot be followed at all.
        """

    @contextmanager
    def reachable(self, used: bool) -> Iterator[None]:
        """Context of a look at the file or folder, which says why it `waits` if that fails.

        Parameters
        ----------
        used : bool
            Whether something of it was used before.
        """
        try:
            yield
        except FileNotFoundError:
            self.waits = f"the {self.what} is gone" if used else f"there is no {self.what} yet"
        except OSError as error:
            self.waits = f"the {self.what} cannot be read ({error.strerror})"
