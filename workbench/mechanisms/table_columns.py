"""What the columns of tables hold: `numeric`, `integer`, `category` and `text`.

A column says which values it has, which of them programs treat specially (`TableColumn.notable`),
and how a number between 0 and 1 picks one, so that a search sees all columns alike.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _checks

if TYPE_CHECKING:
    import pandas as pd

#: Values of a column of categories or texts, at most.
MOST_VALUES = 10_000


class TableColumn(ABC):
    """What a column of a table holds; make one with `numeric`, `integer`, `category` or `text`.

    Attributes
    ----------
    missing : bool
        Whether cells may be missing.
    """

    missing: bool

    @property
    @abstractmethod
    def count(self) -> float:
        """How many values it has, missing ones aside."""

    @abstractmethod
    def at(self, x: float) -> Any:
        """The value at a number from 0, for the first or lowest, to 1, for the last or highest."""

    @property
    @abstractmethod
    def notable(self) -> tuple[Any, ...]:
        """Values that programs treat specially: ends, zeros, floats next to others, missing."""

    @abstractmethod
    def has(self, value: Any) -> bool:
        """Whether a value that is not missing is one of the column's."""

    @abstractmethod
    def series(self, values: Sequence[Any]) -> pd.Series[Any]:
        """Values of the column as pandas has them; None is a missing one."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What it holds, such as "numbers from 0 to 1"."""


@dataclass(frozen=True)
class Numeric(TableColumn):
    """Real numbers of an interval; see `numeric`."""

    low: float
    high: float
    missing: bool = False

    @property
    def count(self) -> float:
        return 1 if self.low == self.high else math.inf

    def at(self, x: float) -> float:
        return float(np.clip(self.low * (1 - x) + self.high * x, self.low, self.high))

    @property
    def notable(self) -> tuple[Any, ...]:
        tiny = 5e-324
        near = [
            math.nextafter(x, to)
            for x in (self.low, self.high, 1.0)
            for to in (-math.inf, math.inf)
        ]
        all_of_them = (-0.0, tiny, *near, -tiny, 2.2e-308, 0.0, 1.0, self.low, self.high)
        # 0.0 and -0.0 are equal, and only their texts tell them apart
        inside = {repr(x): x for x in all_of_them if self.low <= x <= self.high}
        return (*[None] * self.missing, *inside.values())

    def has(self, value: Any) -> bool:
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        return bool(number and self.low <= value <= self.high)

    def series(self, values: Sequence[Any]) -> pd.Series[Any]:
        import pandas as pd

        return pd.Series([math.nan if x is None else x for x in values], dtype="float64")

    @property
    def words(self) -> str:
        return f"numbers from {self.low:g} to {self.high:g}{_or_missing(self)}"


@dataclass(frozen=True)
class Integer(TableColumn):
    """Whole numbers of an interval; see `integer`."""

    low: int
    high: int
    missing: bool = False

    @property
    def count(self) -> float:
        return self.high - self.low + 1

    def at(self, x: float) -> int:
        return self.low + round(x * (self.high - self.low))

    @property
    def notable(self) -> tuple[Any, ...]:
        near = (0, self.low + 1, self.high - 1, 1, -1, self.low, self.high)
        inside = dict.fromkeys(x for x in near if self.low <= x <= self.high)
        return (*[None] * self.missing, *inside)

    def has(self, value: Any) -> bool:
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        return bool(number and self.low <= value <= self.high and value == int(value))

    def series(self, values: Sequence[Any]) -> pd.Series[Any]:
        import pandas as pd

        return pd.Series(list(values), dtype="Int64" if self.missing else "int64")

    @property
    def words(self) -> str:
        return f"whole numbers from {self.low:,} to {self.high:,}{_or_missing(self)}"


@dataclass(frozen=True)
class _Listed(TableColumn):
    values: tuple[Any, ...]
    missing: bool = False

    @property
    def count(self) -> float:
        return len(self.values)

    def at(self, x: float) -> Any:
        return self.values[round(x * (len(self.values) - 1))]

    @property
    def notable(self) -> tuple[Any, ...]:
        few = dict.fromkeys((*self.values[:_NOTABLE], self.values[-1]))
        return (*[None] * self.missing, *few)

    def has(self, value: Any) -> bool:
        return value in self.values

    @property
    def words(self) -> str:
        shown = ", ".join(map(repr, self.values[:_NOTABLE]))
        more = len(self.values) - _NOTABLE
        return f"{shown}{f' and {more:,} more' if more > 0 else ''}{_or_missing(self)}"


class Category(_Listed):
    """One of some values, all of which are known to the column; see `category`."""

    def series(self, values: Sequence[Any]) -> pd.Series[Any]:
        import pandas as pd

        return pd.Series(pd.Categorical(list(values), categories=list(self.values)))


class Text(_Listed):
    """One of some texts; see `text`."""

    def series(self, values: Sequence[Any]) -> pd.Series[Any]:
        import pandas as pd

        return pd.Series(list(values), dtype=pd.Series(["text"]).dtype)


#: Values of a column that are tried and named one by one.
_NOTABLE = 8


def _or_missing(column: TableColumn) -> str:
    return ", or missing" if column.missing else ""


def numeric(low: float, high: float, *, missing: bool = False) -> Numeric:
    """A column of real numbers.

    Parameters
    ----------
    low, high : float
        The least and the largest.
    missing : bool
        Whether cells may be NaN.

    Returns
    -------
    Numeric
        Cells are float64.

    Raises
    ------
    ValueError
        Bounds that are not finite, or ``low`` above ``high``.
    """
    low, high = _checks.number(low, "low"), _checks.number(high, "high")
    _check_order(low, high)
    return Numeric(low, high, bool(missing))


def integer(low: int, high: int, *, missing: bool = False) -> Integer:
    """A column of whole numbers.

    Parameters
    ----------
    low, high : int
        The least and the largest.
    missing : bool
        Whether cells may be missing (``pandas.NA``).

    Returns
    -------
    Integer
        Cells are int64, or Int64 if they may be missing.

    Raises
    ------
    ValueError
        Bounds that are not whole, or ``low`` above ``high``.
    """
    low, high = (_whole(x, name) for x, name in ((low, "low"), (high, "high")))
    _check_order(low, high)
    return Integer(low, high, bool(missing))


def category(*values: Hashable, missing: bool = False) -> Category:
    """A column with one of some values in each cell.

    The column knows all of them, so that groups without rows appear where pandas shows them.

    Parameters
    ----------
    *values : hashable
        Such as ``"a", "b"`` or ``1, 2, 3``; or one list of them.
    missing : bool
        Whether cells may be missing.

    Returns
    -------
    Category
        Cells are of the pandas type "category".

    Raises
    ------
    ValueError
        No values, or one twice.
    """
    return Category(_distinct(values, "category"), bool(missing))


def text(*values: str, missing: bool = False) -> Text:
    """A column of texts.

    Parameters
    ----------
    *values : str
        The texts that a search tries, such as ``"", "a", "a, b"``; or one list of them.
    missing : bool
        Whether cells may be missing.

    Returns
    -------
    Text
        Cells have the type that pandas gives to texts.

    Raises
    ------
    ValueError
        No values, one twice, or something else than text.
    """
    found = _distinct(values, "text")
    for value in found:
        if not isinstance(value, str):
            raise ValueError(
                f"texts are strings, got {_checks.shown(value)}; for other values use category(…)"
            )
    return Text(found, bool(missing))


def as_column(given: Any, name: Hashable) -> TableColumn:
    """The column that a specification stands for.

    Parameters
    ----------
    given : TableColumn, tuple of two floats, range, list, set or type
        (0.0, 1.0) is `numeric`, range(5) is `integer`, a list or set is `category`, and so is
        ``bool``.
    name : hashable
        Of the column, for messages.

    Raises
    ------
    ValueError
        It can be read in two ways, or in none; the message has what to write.
    """
    if isinstance(given, TableColumn):
        return given
    if given is bool:
        return category(False, True)
    if isinstance(given, range):
        if given.step != 1 or not given:
            raise ValueError(f"column {name!r}: a range must have values and steps of 1: {given}")
        return integer(given[0], given[-1])
    if isinstance(given, list | set | frozenset):
        return category(*(sorted(given, key=repr) if not isinstance(given, list) else given))
    if isinstance(given, tuple) and len(given) == 2 and any(isinstance(x, float) for x in given):
        return numeric(*given)
    if isinstance(given, tuple) and len(given) == 2 and all(isinstance(x, int) for x in given):
        low, high = given
        raise ValueError(
            f"column {name!r}: {given} may be real or whole numbers; write numeric{given}, "
            f"integer{given} or category{given}, from workbench.mechanisms; or "
            f"({float(low)}, {float(high)}) for real and range({low}, {high + 1}) for whole ones"
        )
    raise ValueError(
        f"column {name!r} must be numeric(low, high), integer(low, high), category(…) or "
        "text(…), from workbench.mechanisms; (0.0, 1.0) for real numbers, range(5) for whole "
        f"ones, or a list of categories; got {_checks.shown(given)}"
    )


def column_like(series: pd.Series[Any], name: Hashable) -> TableColumn:
    """The column that has the values of an example.

    Raises
    ------
    ValueError
        Values of which no column can be made; the message has what to state.
    """
    import pandas as pd

    known = series.dropna()
    missing = bool(len(known) < len(series))
    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return category(*kind.categories.tolist(), missing=missing)
    if not len(known):
        raise ValueError(f"column {name!r} has no values; state it: columns={{{name!r}: …}}")
    if pd.api.types.is_bool_dtype(kind):
        return category(False, True, missing=missing)
    if pd.api.types.is_integer_dtype(kind):
        return integer(int(known.min()), int(known.max()), missing=missing)
    if pd.api.types.is_float_dtype(kind):
        finite = known[np.isfinite(known.astype(float))]
        if len(finite) == len(known):
            return numeric(float(known.min()), float(known.max()), missing=missing)
        raise ValueError(
            f"column {name!r} has infinite values; state its bounds: "
            f"columns={{{name!r}: numeric({float(finite.min()):g}, {float(finite.max()):g})}}"
        )
    values = known.unique().tolist()
    if all(isinstance(x, str) for x in values):
        if len(values) <= MOST_TEXTS:
            return text(*sorted(values), missing=missing)
        raise ValueError(
            f"column {name!r} has {len(values):,} different texts; state those to try: "
            f"columns={{{name!r}: text({values[0]!r}, {values[1]!r})}}"
        )
    raise ValueError(
        f"column {name!r} is of type {kind}, of which no column is made; state it: "
        f"columns={{{name!r}: category(…)}}, or leave it out: frame.drop(columns={name!r})"
    )


#: Texts of an example that are taken as those of the column.
MOST_TEXTS = 50


def _distinct(values: tuple[Any, ...], kind: str) -> tuple[Any, ...]:
    if len(values) == 1 and isinstance(values[0], list | tuple | set | frozenset | range):
        values = tuple(values[0])
    if not values:
        raise ValueError(f'a column of {kind} needs values, such as {kind}("a", "b")')
    if len(values) > MOST_VALUES:
        raise ValueError(f"a column of {kind} has at most {MOST_VALUES:,} values")
    for value in values:
        try:
            hash(value)
            twice = values.count(value) > 1
        except (TypeError, ValueError):
            raise ValueError(
                f"a value of {kind} must be a text, a number or the like, got "
                f"{_checks.shown(value)}"
            ) from None
        if value is None or value != value or value is _na():
            raise ValueError(f"a missing value is allowed by {kind}(…, missing=True)")
        if twice:
            raise ValueError(f"values of {kind} must differ, got {_checks.shown(value)} twice")
    return values


def _na() -> Any:
    pandas = sys.modules.get("pandas")
    return None if pandas is None else pandas.NA


def _whole(x: Any, name: str) -> int:
    value = _checks.number(x, name)
    if value != int(value):
        raise ValueError(f"{name} must be a whole number, got {_checks.shown(x)}; or numeric(…)")
    return int(x)


def _check_order(low: float, high: float) -> None:
    if low > high:
        raise ValueError(f"low must be at most high, got {low:g} and {high:g}")
