"""`to_frame`: the method of results that are tidy tables as they are.

Results with a table of their own kind, such as one row for each model and record, have a method of
their own; `columns_of` helps them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench._names import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

#: What stands in a cell as it is.
_PLAIN = (bool, int, float, str, type(None), np.generic)


def to_frame(self: Any) -> pd.DataFrame:
    """A row for each entry of its arrays, or a single row; the columns are named as the fields.

    Returns
    -------
    DataFrame
        Arrays are columns, and what holds for all of them stands in every row. A claim, a pair or
        another object stands as text; a bound gives its value. Scores are left out: they have a
        table of their own.
    """
    import pandas as pd

    columns, constants = columns_of(self)
    if not columns:
        return pd.DataFrame([constants])
    return pd.DataFrame({**columns, **constants})


def columns_of(result: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields that are arrays of one length, and those that are single values.

    Parameters
    ----------
    result : object
        A dataclass.
    """
    found = {one.name: getattr(result, one.name) for one in dataclasses.fields(result)}
    arrays = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
    shape = next((value.shape for value in arrays.values()), ())
    columns = {name: value.ravel() for name, value in arrays.items() if value.shape == shape}
    constants: dict[str, Any] = {}
    for name, value in found.items():
        if isinstance(value, _PLAIN):
            constants[name] = value
        elif _is_bound(value):
            constants |= {name: value.value, **_terms(name, value)}
        elif not isinstance(value, np.ndarray | Mapping | list | tuple) and not _has_rows(value):
            constants[name] = str(value)
    return columns, constants


def named_columns(frame: pd.DataFrame, names: Iterable[tuple[str, Any]]) -> None:
    """Check that a frame has columns.

    Parameters
    ----------
    frame : DataFrame
    names : iterable of (str, object)
        Argument and the name of the column that it gives; None gives none.

    Raises
    ------
    ValueError
        A column that the frame lacks; the message names those like it.
    """
    known = [str(one) for one in frame.columns]
    for argument, name in names:
        if name is not None and name not in frame.columns:
            shown = ", ".join(map(repr, known[:_MOST])) + (", …" if len(known) > _MOST else "")
            hint = did_you_mean(str(name), known, repr) or f"; its columns are {shown}"
            raise ValueError(f"{argument}={name!r} is no column of the frame{hint}")


#: Names of columns in a message.
_MOST = 12


def _is_bound(value: Any) -> bool:
    return hasattr(value, "guarantee") and hasattr(value, "relation") and hasattr(value, "value")


def _terms(name: str, bound: Any) -> dict[str, Any]:
    """What a bound promises, beside its value."""
    return {f"{name}_guarantee": bound.guarantee, f"{name}_void": bound.void}


def _has_rows(value: Any) -> bool:
    """Whether a value has a table of its own, such as scores."""
    return hasattr(value, "samples") or callable(value)
