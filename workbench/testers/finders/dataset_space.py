"""`Space`: the neighboring datasets of a domain, from which finders build proposals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.mechanisms.base import ARRAYS, Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.finders.records import is_frame, keys
from workbench.testers.finders.table_space import EMPTY, STATED, Change, TableSpace


@dataclass(frozen=True)
class Space:
    """All neighboring datasets of a domain: some records that both have, and what differs.

    Parameters
    ----------
    domain : Domain
    neighboring_relation : {"add-remove", "substitute"}

    Raises
    ------
    ValueError
        No two datasets of the domain are neighbors.
    """

    domain: Domain
    neighboring_relation: str

    def __post_init__(self) -> None:
        if self.neighboring_relation not in ARRAYS:
            raise ValueError(_not_searched(self.neighboring_relation))
        low, high = _checks.number(self.domain.low, "low"), _checks.number(self.domain.high, "high")
        _checks.count(self.domain.columns, "columns")
        _checks.count(self.domain.min_records, "min_records")
        if self.fewest > self.most:
            raise ValueError(
                f"no two datasets of {self.domain.min_records} to {self.domain.max_records} "
                f"records are neighbors by {self.neighboring_relation}; "
                "allow more records (Domain.max_records)"
            )
        if self.low > self.high or (self.substitute and self.low == self.high):
            raise ValueError(
                f"no two records differ with values between {low:g} and {high:g}"
                f"{' that are whole numbers' if self.domain.integer else ''}; widen Domain.low, "
                "high"
            )

    @property
    def substitute(self) -> bool:
        return self.neighboring_relation == "substitute"

    @property
    def low(self) -> float:
        """The smallest value a record can have."""
        return float(np.ceil(self.domain.low) if self.domain.integer else self.domain.low)

    @property
    def high(self) -> float:
        """The largest value a record can have."""
        return float(np.floor(self.domain.high) if self.domain.integer else self.domain.high)

    @property
    def fewest(self) -> int:
        """The smallest number of records that both datasets have."""
        return max(self.domain.min_records - 1, 0) if self.substitute else self.domain.min_records

    @property
    def most(self) -> int:
        """The largest number of records that both datasets have."""
        return self.domain.max_records - 1

    @property
    def width(self) -> int:
        """How many values make a record."""
        return self.domain.columns or 1

    def size(self, x: float) -> int:
        """How many records are shared, 0 for the fewest and 1 for the most; evenly in the log."""
        return self.fewest + round(float(np.expm1(x * np.log1p(self.most - self.fewest))))

    def values(self, x: ArrayLike) -> NDArray[np.float64]:
        """Numbers between 0 and 1 as values of the domain, 0 for ``low`` and 1 for ``high``."""
        # so that 0 and 1 hit the ends exactly
        scaled = self.low * (1 - np.asarray(x, float)) + self.high * np.asarray(x, float)
        values = np.clip(scaled, self.low, self.high)
        return np.rint(values) if self.domain.integer else values

    def mirror(self, record: NDArray[np.float64]) -> NDArray[np.float64]:
        """The record at the other side of the middle, in every column."""
        return np.clip(self.low + (self.high - record), self.low, self.high)

    # -- what only tables have; see `TableSpace` ---------------------------------------------------

    loose: ClassVar[tuple[str, ...]] = ()

    def noted(self, x: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """The record as it is."""
        return x

    def arranged(self, rng: np.random.Generator) -> dict[str, float]:
        """Nothing, and no random number is drawn."""
        return {}

    def arrangements(self) -> list[dict[str, float]]:
        """A single one."""
        return [{}]

    def distinct(self, changes: list[Change]) -> list[Change]:
        """All of them: other numbers are other records."""
        return changes

    def notable_rows(self) -> list[NDArray[np.float64]]:
        """None: the ends of the domain are all that is tried on purpose."""
        return []

    # -- proposals --------------------------------------------------------------------------------

    def neighbors(
        self,
        shared: ArrayLike,
        record: ArrayLike,
        other: ArrayLike,
        at: int | None = None,
        loose: Mapping[str, float] = EMPTY,
    ) -> Neighbors:
        """Two datasets of ``shared`` records, of which the first also has ``record``.

        Parameters
        ----------
        shared : array, shape (records, width)
        record : array, shape (width,)
        other : array, shape (width,)
            What the second has in its place; "add-remove" has nothing there. Where it is the
            record itself, it moves to the far end of the first column.
        at : int, optional
            How many shared records come before it; default: all.
        loose : mapping
            Empty, for arrays.
        """
        shared, record, other = (np.asarray(x, float) for x in (shared, record, other))
        at = len(shared) if at is None else at
        if self.substitute and np.array_equal(record, other):
            middle = (self.low + self.high) / 2
            other = np.append(self.high if record[0] <= middle else self.low, record[1:])
        with_record = np.insert(shared, at, record, axis=0)
        without = np.insert(shared, at, other, axis=0) if self.substitute else shared
        return Neighbors(self._typed(with_record), self._typed(without), self.neighboring_relation)

    def _typed(self, table: NDArray[np.float64]) -> NDArray[Any]:
        data = table if self.domain.columns else table[:, 0]
        return data.astype(np.int64) if self.domain.integer else data


def _not_searched(relation: str) -> str:
    if relation == "stated":
        return STATED
    return (
        f"a search of arrays proposes neighbors by {' or '.join(ARRAYS)}, got {relation!r}; "
        f'for data frames give domain=wb.TableDomain(…, {relation}="…"), or give a pair: '
        f'datasets=wb.Neighbors(dataset, neighbor, "{relation}", column=…)'
    )


def space_of(domain: Domain | TableDomain, neighboring_relation: str) -> Space | TableSpace:
    """The neighboring datasets of a domain; ValueError where it has none."""
    if isinstance(domain, TableDomain):
        return TableSpace(domain, neighboring_relation)
    return Space(domain, neighboring_relation)


def content(neighbors: Neighbors) -> tuple[object, ...]:
    """What tells two proposals apart: both datasets, byte by byte, or row by row."""
    a, b = neighbors.dataset, neighbors.neighbor
    if is_frame(a):
        return tuple(keys(a)), tuple(keys(b))
    return a.shape, a.tobytes(), b.shape, b.tobytes()
