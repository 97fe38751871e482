"""`GeneratorError`: why a generator cannot be used; checks that all generators have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from workbench import _checks

if TYPE_CHECKING:
    import pandas as pd

Fitted = TypeVar("Fitted")


#: Rows of a synthetic table, at most.
MOST_ROWS = 10_000_000


class GeneratorError(ValueError):
    """A generator that cannot be used, or whose table cannot."""


def table_of(table: Any, name: str = "table") -> pd.DataFrame:
    """``table`` when it is a data frame with columns of different names.

    Raises
    ------
    GeneratorError
        It is none.
    """
    import pandas as pd

    if not isinstance(table, pd.DataFrame):
        raise GeneratorError(
            f"{name} must be a pandas DataFrame, got {_checks.shown(table)} "
            f"({type(table).__name__}); read a file by pandas.read_csv or pandas.read_parquet"
        )
    if not len(table.columns) or not table.columns.is_unique:
        raise GeneratorError(
            f"{name} must have columns of different names, got {_checks.shown(list(table.columns))}"
        )
    return table


def rows_of(n: Any, name: str = "n") -> int:
    """``n`` as a number of rows (ValueError otherwise)."""
    return _checks.count(n, name, least=1, most=MOST_ROWS)


def fitted(state: Fitted | None, name: str) -> Fitted:
    """What `fit` has kept.

    Raises
    ------
    GeneratorError
        Nothing.
    """
    if state is None:
        raise GeneratorError(f"{name} is not fitted; call fit(table) first")
    return state
