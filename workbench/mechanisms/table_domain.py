"""`TableDomain`: the data frames that a mechanism takes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench import _checks
from workbench._names import did_you_mean
from workbench.mechanisms.table_columns import Integer, Numeric, as_column, column_like

if TYPE_CHECKING:
    import pandas as pd


#: Relations about rows, whoever they are of.
ROWS = ("add-remove", "substitute")


class OutsideDomain(ValueError):  # noqa: N818  (it is where the dataset is)
    """A data frame that is not one of the domain."""


@dataclass(frozen=True)
class TableDomain:
    """The data frames that a mechanism takes.

    Parameters
    ----------
    columns : mapping of name to column
        `numeric`, `integer`, `category` or `text` of ``workbench.mechanisms``; or, shorter,
        ``(0.0, 1.0)`` for real numbers, ``range(18, 100)`` for whole ones, ``["a", "b"]`` for
        categories.
    rows : (int, int)
        Fewest and most rows.
    user : str, optional
        The column that says whose a row is. Where ``columns`` lacks it, users are numbered from 0,
        in a first column.
    max_rows_per_user : int, optional
        Most rows of one user; by default any number.
    label : str, optional
        The column of the labels, which neighbors by "label" differ in.

    Raises
    ------
    ValueError
        Columns that cannot be read, a user or label that is no column, bounds that leave no frame.

    Examples
    --------
    >>> domain = wb.TableDomain({"age": range(18, 91), "paid": (0.0, 50.0)}, user="id")
    >>> domain.user
    'id'
    """

    columns: Mapping[Any, Any]
    rows: tuple[int, int] = (1, 10)
    user: Hashable = None
    max_rows_per_user: int | None = None
    label: Hashable = None

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping) or not self.columns:
            raise ValueError(
                'columns must be a dict such as {"x": (0.0, 1.0), "group": ["a", "b"]}, got '
                f"{_checks.shown(self.columns)}"
            )
        low, high = _bounds(self.rows)
        object.__setattr__(self, "rows", (low, high))
        made = {name: as_column(given, name) for name, given in self.columns.items()}
        if self.user is not None and self.user not in made:
            made = {self.user: Integer(0, max(high, 1)), **made}
        if self.label is not None and self.label not in made:
            raise ValueError(f"label={self.label!r} is no column{_near(self.label, made)}")
        if self.label is not None and self.label == self.user:
            raise ValueError(f"label and user are both {self.user!r}; they are different columns")
        if isinstance(made.get(self.user), Numeric):
            raise ValueError(
                f"users are named by whole numbers, categories or texts; {self.user!r} holds "
                f"{made[self.user].words}"
            )
        object.__setattr__(self, "columns", made)
        if self.max_rows_per_user is not None:
            if self.user is None:
                raise ValueError('max_rows_per_user needs the column of the users: user="id"')
            most = _checks.count(self.max_rows_per_user, "max_rows_per_user", least=1)
            object.__setattr__(self, "max_rows_per_user", most)
        if self.user is not None and self.most_of_a_user * self.columns[self.user].count < low:
            raise ValueError(
                f"{low:,} rows need more users than the {self.columns[self.user].count:,.0f} of "
                f"{self.user!r} with {self.most_of_a_user:,} rows each"
            )

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        *,
        columns: Mapping[Any, Any] | None = None,
        rows: tuple[int, int] | None = None,
        user: Hashable = None,
        max_rows_per_user: int | None = None,
        label: Hashable = None,
    ) -> TableDomain:
        """The domain of frames like an example; read its ``in_words()`` before you use it.

        Numbers range from the least to the largest of the example, categories and texts are those
        in it, and cells may be missing where some are. A claim that is to hold for other values
        needs them stated.

        Parameters
        ----------
        frame : DataFrame
        columns : mapping, optional
            Columns that are stated, in place of those of the example.
        rows : (int, int), optional
            By default from 1 to the number of rows of the example, at most 100.
        user, max_rows_per_user, label
            As of `TableDomain`. By default a user has at most as many rows as one in the example.

        Raises
        ------
        ValueError
            A column of which none can be made; the message has what to state.
        """
        import pandas as pd

        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"an example must be a DataFrame, got {type(frame).__name__}")
        stated = dict(columns or {})
        unknown = [name for name in (*stated, user, label) if name not in {*frame.columns, None}]
        if unknown:
            known = dict.fromkeys(frame.columns)
            raise ValueError(f"{unknown[0]!r} is no column{_near(unknown[0], known)}")
        taken = {
            name: stated[name] if name in stated else column_like(frame.iloc[:, k], name)
            for k, name in enumerate(frame.columns)
        }
        if user is not None and max_rows_per_user is None and len(frame):
            max_rows_per_user = int(frame[user].value_counts(dropna=False).max())
        most = min(max(len(frame), 1), _ROWS)
        return cls(taken, rows or (1, most), user, max_rows_per_user, label)

    @property
    def most_of_a_user(self) -> int:
        """Most rows that one user can have."""
        most = self.rows[1]
        return most if self.max_rows_per_user is None else min(self.max_rows_per_user, most)

    @property
    def relations(self) -> tuple[str, ...]:
        """Neighboring relations by which a search can propose frames of it."""
        has = {"user": self.user is not None, "label": self.label is not None}
        return (*ROWS, *(name for name in has if has[name]))

    def column_of(self, relation: str) -> Hashable:
        """The column that a neighboring relation is about; None for one that is about none.

        Raises
        ------
        ValueError
            The domain does not say which it is.
        """
        known = {"user": self.user, "label": self.label}
        if relation in known and known[relation] is None:
            example = "id" if relation == "user" else [*self.columns][-1]
            raise ValueError(
                f"neighbors by {relation} need a domain that names the column: "
                f"wb.TableDomain(…, {relation}={example!r})"
            )
        return known.get(relation)

    def check(self, frame: Any, name: str = "the dataset") -> None:
        """Nothing; an error where a frame is not one of the domain.

        Raises
        ------
        OutsideDomain
            The message has the column, the row and the value.
        """
        import pandas as pd

        if not isinstance(frame, pd.DataFrame):
            raise OutsideDomain(f"{name} is no DataFrame, got {type(frame).__name__}")
        if list(frame.columns) != list(self.columns):
            raise OutsideDomain(
                f"{name} has the columns {list(frame.columns)}; the domain {list(self.columns)}"
            )
        low, high = self.rows
        if not low <= len(frame) <= high:
            raise OutsideDomain(
                f"{name} has {len(frame):,} rows; the domain allows {low:,} to {high:,}"
            )
        for column, kind in self.columns.items():
            missing = frame[column].isna().tolist()
            for row, (value, gone) in enumerate(zip(frame[column].tolist(), missing, strict=True)):
                if not (kind.missing if gone else kind.has(value)):
                    raise OutsideDomain(
                        f"{name} has {_checks.shown(value)} in row {row + 1} of {column!r}, which "
                        f"holds {kind.words}"
                    )
        if self.user is not None and len(frame):
            most = int(frame[self.user].value_counts(dropna=False).max())
            if most > self.most_of_a_user:
                raise OutsideDomain(
                    f"{name} has a user with {most:,} rows; the domain allows "
                    f"{self.most_of_a_user:,} (max_rows_per_user)"
                )

    def in_words(self) -> str:
        """What its frames are, in one sentence."""
        low, high = self.rows
        columns = "; ".join(f"{name}: {column.words}" for name, column in self.columns.items())
        parts = [f"Frames of {low:,} to {high:,} rows with {columns}"]
        if self.user is not None:
            parts.append(f"{self.user} is the user, with at most {self.most_of_a_user:,} rows")
        if self.label is not None:
            parts.append(f"{self.label} is the label")
        return f"{'; '.join(parts)}."


#: Rows of a domain that is taken from an example, at most.
_ROWS = 100


def _bounds(rows: Any) -> tuple[int, int]:
    try:
        low, high = rows
    except (TypeError, ValueError):
        raise ValueError(
            f"rows must be the fewest and the most rows, such as (1, 50); got {_checks.shown(rows)}"
        ) from None
    low, high = _checks.count(low, "rows[0]"), _checks.count(high, "rows[1]", least=1)
    if low > high:
        raise ValueError(f"rows must be (fewest, most), got {rows}")
    return low, high


def _near(name: Hashable, known: Mapping[Any, Any]) -> str:
    near = did_you_mean(str(name), [x for x in known if isinstance(x, str)], repr)
    return near or f"; columns: {list(known)}"
