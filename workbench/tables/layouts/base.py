"""`TableLayout`, the protocol of a layout; what a caller states, and what a layout finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.progress import Report
from workbench.scores.sample import ScoresError
from workbench.tables.layouts.place import TablePlace

#: What the values of a table may be; "scores" are compared as they are, the others are signals.
KINDS = ("scores", "log-odds", "probability", "loss")

#: Which arrays have records along their first axis, where models should be.
TRANSPOSED = ("neither", "scores", "member", "both")


@dataclass(frozen=True)
class Stated:
    """What a caller states of a table; None is to be found.

    Parameters
    ----------
    scores, member, model, record : str, optional
        Names of columns or arrays; of signals, which of several.
    transposed : str, optional
        One of `TRANSPOSED`.
    member_value : object, optional
        The label of members.
    labels : str, optional
        The array of the class of each record, if the last axis of the scores is one of classes.
    augmentations : bool
        Whether the last axis of the scores is one of augmentations.
    """

    scores: str | None = None
    member: str | None = None
    model: str | None = None
    record: str | None = None
    transposed: str | None = None
    member_value: object = None
    labels: str | None = None
    augmentations: bool = False


@dataclass(frozen=True, eq=False)
class FoundTable:
    """What a layout found.

    Parameters
    ----------
    values : ndarray, shape (M, R) or (M, R, A)
        Of M models, R records and A augmentations. NaN where there is no value.
    member : ndarray, shape (M, R)
        Whether the model was trained on the record.
    how : str
        Where the values and memberships were found, as a phrase.
    kind : str
        One of `KINDS`.
    records, models : ndarray, optional
        Their names.
    attributes : mapping of str to ndarray, each of R entries
        What is known of the records.
    population : ndarray, shape (M, Z), optional
        Signals of Z records that no model was trained on.
    present : ndarray of bool, shape (M, R), optional
        Which values there are; all by default. Those that are not there are NaN, and no members.
    larger_is_member : bool
        Direction of the values, as the layout or their name states it.
    notes : tuple of str
        What was used, and what was not.
    """

    values: NDArray[Any]
    member: NDArray[Any]
    how: str
    kind: str = "scores"
    records: NDArray[Any] | None = None
    models: NDArray[Any] | None = None
    attributes: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    population: NDArray[Any] | None = None
    present: NDArray[np.bool_] | None = None
    larger_is_member: bool = True
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.attributes, Mapping):
            raise TypeError(f"attributes must be a dict of arrays, got {self.attributes!r}")
        cells = {"values": self.values, "memberships": self.member, "population": self.population}
        for what, found in cells.items():
            if not (isinstance(found, np.ndarray) or (found is None and what == "population")):
                raise TypeError(
                    f"the {what} must be an array, got a {type(found).__name__} ({self.how})"
                )
            if found is not None and found.dtype.kind not in "biuf":
                raise ScoresError(f"the {what} are {found.dtype}, not numbers ({self.how})")
        if self.values.shape[:2] != self.member.shape or not self.values.size:
            raise ScoresError(
                f"there are values of shape {self.values.shape} and memberships of shape "
                f"{self.member.shape}, where both have to be (models, records) with at least one "
                f"of each ({self.how})"
            )

    def without_empty_records(self) -> FoundTable:
        """The table without records that have nothing but NaN, which a note names."""
        values = self.values.reshape(*self.member.shape, -1)
        empty = np.ones(self.member.shape[1], dtype=bool)
        for row in values:  # one model at a time, for memory
            empty &= np.isnan(row).all(axis=1)
            if not empty.any():
                return self
        kept = ~empty
        names = np.arange(empty.size) if self.records is None else self.records
        unmapped = {k: v for k, v in self.attributes.items() if not isinstance(v, np.memmap)}
        unloaded = [k for k in self.attributes if k not in unmapped]
        n = int(empty.sum())
        note = f"left out: {n} record{'s' * (n > 1)} with nothing but NaN ({few(names[empty])})"
        if unloaded:
            note += f", and so {', '.join(unloaded)}, which fits all records only"
        return replace(
            self,
            values=self.values[:, kept],
            member=self.member[:, kept],
            records=names[kept],
            attributes={k: v[kept] for k, v in unmapped.items()},
            present=None if self.present is None else self.present[:, kept],
            notes=(*self.notes, note),
        )


class TableLayout(Protocol):
    """A layout of a folder or file that a score table is read from.

    Attributes
    ----------
    name : str
        What ``layout=`` calls it.
    about : str
        Who writes it, and its parts.
    """

    name: str
    about: str

    def recognizes(self, place: TablePlace) -> bool:
        """Whether a folder or file is of this layout."""

    def read(self, place: TablePlace, stated: Stated, report: Report) -> FoundTable:
        """The table of a folder or file of this layout.

        Raises
        ------
        ScoresError
            The table is in doubt, damaged, or none.
        """


#: Names that a message lists.
_FEW = 5


def few(names: Iterable[object], count: int | None = None) -> str:
    """The first few of some names, for messages.

    Parameters
    ----------
    names : iterable
    count : int, optional
        How many there are, where there may be too many to list.
    """
    if count is None:
        names = list(names)
        count = len(names)
    more = count - _FEW
    return ", ".join(map(str, islice(names, _FEW))) + (f" and {more} more" if more > 0 else "")
