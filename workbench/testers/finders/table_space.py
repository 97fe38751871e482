"""`TableSpace`: the neighboring frames of a `TableDomain`, from which finders build proposals."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.mechanisms.table_columns import TableColumn
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers.finders.neighbors import RELATIONS, Neighbors

#: Of proposals without loose numbers.
EMPTY: Mapping[str, float] = MappingProxyType({})

#: A row, and what is in its place.
Change = tuple[NDArray[np.float64], NDArray[np.float64]]

#: Why nothing is searched for.
STATED = (
    "neighbors that are stated cannot be searched for; give them: datasets=(dataset, neighbor), or "
    "a list of such pairs"
)

#: A cell of this and more is a notable value of its column, by its place among them.
NOTABLE = 2


@dataclass(frozen=True)
class TableSpace:
    """All neighboring frames of a domain, as `Space` is all neighboring arrays.

    A row is an array of one number for each column but the user's: from 0 for the lowest value to
    1 for the highest, and `NOTABLE` + k for the k-th notable one, such as -0.0 or a missing cell.

    Parameters
    ----------
    domain : TableDomain
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}

    Raises
    ------
    ValueError
        No two frames of the domain are neighbors by it.
    """

    domain: TableDomain
    neighboring_relation: str

    def __post_init__(self) -> None:
        relation = self.neighboring_relation
        if relation == "stated":
            raise ValueError(STATED)
        _ = self.column
        if self.fewest > self.most:
            low, high = self.domain.rows
            users = "" if self.domain.user is None else ", or more users or max_rows_per_user"
            raise ValueError(
                f"no two frames of {low} to {high} rows are neighbors by {relation}; "
                f"allow more rows (TableDomain.rows){users}"
            )
        if self.substitute and not self._changing:
            what = f"column {self.column!r}" if relation == "label" else "columns"
            raise ValueError(f"no two rows differ: the {what} must have more than one value")

    @property
    def column(self) -> Hashable:
        """The column that the relation is about."""
        return self.domain.column_of(self.neighboring_relation)

    @property
    def substitute(self) -> bool:
        """Whether both datasets have a row where they differ."""
        return RELATIONS[self.neighboring_relation].are(1, 1)

    @property
    def own(self) -> bool:
        """Whether one of them has several rows more."""
        return self.neighboring_relation == "user"

    @property
    def fewest(self) -> int:
        """The smallest number of rows that both datasets have."""
        low, _ = self.domain.rows
        return max(low - 1, 0) if self.substitute else low

    @property
    def most(self) -> int:
        """The largest number of rows that both datasets have."""
        most = self.domain.rows[1] - 1
        if self.domain.user is None:
            return most
        users = self.domain.columns[self.domain.user].count
        room = self.domain.most_of_a_user * (users - 1)
        return int(min(most, room if self.own else room + self.domain.most_of_a_user - 1))

    @cached_property
    def names(self) -> list[Hashable]:
        """The columns of a row, without the user's."""
        return [name for name in self.domain.columns if name != self.domain.user]

    @property
    def width(self) -> int:
        """How many numbers make a row."""
        return len(self.names)

    def size(self, x: float) -> int:
        """How many rows are shared, 0 for the fewest and 1 for the most; evenly in the log."""
        return self.fewest + round(float(np.expm1(x * np.log1p(self.most - self.fewest))))

    def values(self, x: ArrayLike) -> NDArray[np.float64]:
        """Numbers between 0 and 1 as they stand in rows."""
        return np.clip(np.asarray(x, float), 0, 1)

    def mirror(self, record: NDArray[np.float64]) -> NDArray[np.float64]:
        """The row at the other side of the middle in every column, or of the next notable value."""
        return np.where(record < NOTABLE, 1 - record, record + 1)

    # -- what only tables have --------------------------------------------------------------------

    @property
    def loose(self) -> tuple[str, ...]:
        """Numbers from 0 to 1 that a proposal has besides its rows; see `neighbors`."""
        if self.domain.user is None:
            return ()
        return ("own", "together") if self.own else ("together",)

    def noted(self, x: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """A row of which a quarter of the cells are notable values."""
        notable = NOTABLE + rng.integers(_MOST_NOTABLE, size=x.size)
        return np.where(rng.random(x.size) < 1 / 4, notable, x)

    def arranged(self, rng: np.random.Generator) -> dict[str, float]:
        """The `loose` numbers at random, often 0 or 1, and half of the time "own" is 1."""
        u = rng.random(len(self.loose))
        found = np.where(rng.random(u.size) < 2 / 3, u.round(), u).tolist()
        if self.own and rng.random() < 1 / 2:
            found[0] = 1.0
        return dict(zip(self.loose, found, strict=True))

    def arrangements(self) -> list[dict[str, float]]:
        """The `loose` numbers at their ends, first the most rows of the user."""
        ends = product(*((1.0, 0.0) if name == "own" else (0.0, 1.0) for name in self.loose))
        return [dict(zip(self.loose, each, strict=True)) for each in ends]

    def distinct(self, changes: list[Change]) -> list[Change]:
        """One of those that stand for the same row, and the same in its place."""
        found: dict[str, Change] = {}
        for record, other in changes:
            first = self._cells(record)
            second = self._other(first, self._cells(other)) if self.substitute else None
            found.setdefault(repr((first, second)), (record, other))
        return list(found.values())

    def notable_rows(self) -> list[NDArray[np.float64]]:
        """Rows with one notable value, among cells of the lowest and of the highest value."""
        most = max(len(column.notable) for column in self._columns)
        found = []
        for rest, k, j in product((0.0, 1.0), range(most), range(self.width)):
            if k < len(self._columns[j].notable):
                row = np.full(self.width, rest)
                row[j] = NOTABLE + k
                found.append(row)
        return found

    # -- proposals --------------------------------------------------------------------------------

    def neighbors(
        self,
        shared: ArrayLike,
        record: ArrayLike,
        other: ArrayLike,
        at: int | None = None,
        loose: Mapping[str, float] = EMPTY,
    ) -> Neighbors:
        """Two frames of ``shared`` rows, of which the first also has ``record``.

        Parameters
        ----------
        shared : array, shape (rows, width)
        record : array, shape (width,)
        other : array, shape (width,)
            What the second has in its place; of neighbors by label, only the label. Where it is
            the record itself, it moves to the far end of a column.
        at : int, optional
            How many shared rows come before it; default: all.
        loose : mapping
            "together": 0 if every row has a user of its own, 1 if as few users as possible have all
            rows. "own", of neighbors by user: how many rows the user has, 0 for one, 1 for as many
            as can be; all are like ``record``, and shared rows give way to them.
        """
        count = self._of_the_user(loose.get("own", 1.0)) if self.own else 1
        kept = np.asarray(shared, float).reshape(-1, self.width)[: self.domain.rows[1] - count]
        rows = [self._cells(row) for row in kept]
        at = len(rows) if at is None else min(at, len(rows))
        first = self._cells(np.asarray(record, float))
        users, user = self._users(len(rows), loose.get("together", 0.0))
        both = list(zip(users, rows, strict=True))
        before, after = both[:at], both[at:]
        with_record = self._frame([*before, *[(user, first)] * count, *after])
        second = self._other(first, self._cells(np.asarray(other, float)))
        middle = [(user, second)] if self.substitute else []
        without = self._frame([*before, *middle, *after])
        return Neighbors(with_record, without, self.neighboring_relation, self.column)

    def _of_the_user(self, own: float) -> int:
        most = min(self.domain.most_of_a_user, self.domain.rows[1] - self.fewest)
        return 1 + round(own * (most - 1))

    def _users(self, rows: int, together: float) -> tuple[list[Any], Any]:
        """The user of each shared row, and of the others."""
        if self.domain.user is None:
            return [None] * rows, None
        column, most = self.domain.columns[self.domain.user], self.domain.most_of_a_user
        available = column.count - 1 if self.own else column.count
        in_all = rows if self.own else rows + 1
        at_least = math.ceil(in_all / available) if available else 1
        each = max(1 + round(together * (most - 1)), at_least)
        numbers = [k // each for k in range(rows + 1)]
        if self.own:
            numbers[-1] = numbers[-2] + 1 if rows else 0
        names = [_nth(column, k) for k in numbers]
        return names[:-1], names[-1]

    def _other(self, first: list[Any], second: list[Any]) -> list[Any]:
        """What stands in place of a row: another row, in the columns that may change."""
        found = list(first)
        for j in self._changing:
            found[j] = second[j]
        if self.substitute and _same(found, first):
            j = self._changing[0]
            column = self._columns[j]
            values = (column.at(0.0), column.at(1.0), *column.notable)
            found[j] = next(x for x in values if not _same([x], [first[j]]))
        return found

    @cached_property
    def _columns(self) -> list[TableColumn]:
        return [self.domain.columns[name] for name in self.names]

    @cached_property
    def _changing(self) -> list[int]:
        """The places of columns in which a row may differ from the one in its place."""
        return [
            j
            for j, (name, column) in enumerate(zip(self.names, self._columns, strict=True))
            if column.count + column.missing > 1 and self.column in (None, name)
        ]

    def _cells(self, row: NDArray[np.float64]) -> list[Any]:
        return [_cell(column, float(x)) for column, x in zip(self._columns, row, strict=True)]

    def _frame(self, rows: Sequence[tuple[Any, list[Any]]]) -> Any:
        import pandas as pd

        columns = {name: [cells[j] for _, cells in rows] for j, name in enumerate(self.names)}
        if self.domain.user is not None:
            columns[self.domain.user] = [user for user, _ in rows]
        return pd.DataFrame(
            {name: column.series(columns[name]) for name, column in self.domain.columns.items()}
        )


#: A notable value is drawn among so many; those of a column come again and again.
_MOST_NOTABLE = 60


def _cell(column: TableColumn, x: float) -> Any:
    if x < NOTABLE:
        return column.at(x)
    return column.notable[(int(x) - NOTABLE) % len(column.notable)]


def _nth(column: TableColumn, k: int) -> Any:
    """The k-th value of a column of users."""
    return column.at(k / (column.count - 1)) if column.count > 1 else column.at(0.0)


def _same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether two rows are one; 0.0 and -0.0 are not."""
    return [repr(x) for x in a] == [repr(x) for x in b]
