"""Settings and audits as plain tables, and back: what plans and provenance hold.

A dataclass is a table of its arguments, without those that are None. Data are their name and rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.scores.refusals import did_you_mean, listed
from workbench.training.dp_sgd.data import DATA, LabeledData, labeled_data

Made = TypeVar("Made")


class ParameterError(ValueError):
    """A parameter that cannot be used.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    key : tuple of str
        Where: ``("settings", "network", "sizes")``.

    Attributes
    ----------
    key : tuple of str
    """

    def __init__(self, message: str, key: tuple[str, ...] = ()):
        super().__init__(message)
        self.key = key


def plain(value: Any) -> Any:
    """A dataclass as a table of its arguments, with nothing but tables, lists, numbers and texts.

    Parameters
    ----------
    value : dataclass
        Or what one of its arguments may be.
    """
    if isinstance(value, LabeledData):
        return _plain_data(value)
    if is_dataclass(value) and not isinstance(value, type):
        found = {field.name: getattr(value, field.name) for field in _arguments(type(value))}
        return {name: plain(one) for name, one in found.items() if one is not None}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def made_of(
    kind: type[Made],
    table: Any,
    ready: Mapping[str, Any] | None = None,
    key: tuple[str, ...] = (),
) -> Made:
    """The dataclass of a table that `plain` could have made.

    Parameters
    ----------
    kind : type
        The dataclass.
    table : mapping
        Arguments with a default may be missing.
    ready : mapping, optional
        Arguments that are made already, in place of those of the table.
    key : tuple of str
        Where the table is, for messages.

    Raises
    ------
    ParameterError
        An unknown, missing or bad argument, with its key.
    """
    ready = {} if ready is None else ready
    if not isinstance(table, Mapping):
        raise ParameterError(
            f"{'.'.join(key)} must be a table of {', '.join(_names(kind))}; got "
            f"{_checks.shown(table)}",
            key,
        )
    for name in table:
        if name not in _names(kind):
            raise _unknown(name, _names(kind), key)
    hints, arguments = get_type_hints(kind), {}
    for field in _arguments(kind):
        at = (*key, field.name)
        if field.name in ready:
            arguments[field.name] = ready[field.name]
        elif field.name in table:
            arguments[field.name] = _value(hints[field.name], table[field.name], at)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise ParameterError(f"{'.'.join(at)} is missing", key)
    try:
        return kind(**arguments)
    except (TypeError, ValueError) as error:
        raise ParameterError(str(error), _blamed(str(error), kind, key)) from None


#: Plain values by the type of the argument, and what messages call them.
_PLAIN: dict[Any, tuple[type | tuple[type, ...], str]] = {
    bool: (bool, "true or false"),
    int: (int, "a whole number"),
    float: ((int, float), "a number"),
    str: (str, "text"),
    tuple: (list, "a list"),
}


def _arguments(kind: Any) -> list[Field[Any]]:
    return [field for field in fields(kind) if field.init]


def _names(kind: Any) -> list[str]:
    if kind is LabeledData:
        return ["name", "rows"]
    return [field.name for field in _arguments(kind)]


def _value(hint: Any, value: Any, key: tuple[str, ...]) -> Any:
    if hint is LabeledData:
        return _data(value, key)
    if is_dataclass(hint):
        return made_of(hint, value, key=key)  # type: ignore[arg-type]
    if get_origin(hint) is UnionType:  # something or None
        hint = next(one for one in get_args(hint) if one is not NoneType)
    plain_type = get_origin(hint) or hint
    types, need = _PLAIN[plain_type]
    is_other = isinstance(value, bool) and plain_type is not bool  # which counts as a number
    if is_other or not isinstance(value, types):
        raise ParameterError(f"{'.'.join(key)} must be {need}, got {_checks.shown(value)}", key)
    return tuple(value) if isinstance(value, list) else value


def _unknown(name: object, names: list[str], key: tuple[str, ...]) -> ParameterError:
    where = f" in {'.'.join(key)}" if key else ""
    meant = did_you_mean(str(name), names) or f"; there are {listed(names)}"
    return ParameterError(f"{_checks.shown(name)} is no parameter{where}{meant}", (*key, str(name)))


def _blamed(message: str, kind: type, key: tuple[str, ...]) -> tuple[str, ...]:
    """The key of the argument that a message begins with, which messages of checks do."""
    named = message.split(" ", 1)[0].split(".")
    return (*key, *named) if named[0] in _names(kind) else key


# -- data -----------------------------------------------------------------------------------------


def _plain_data(data: LabeledData) -> dict[str, Any]:
    """The name of the data, and their rows: how many of the first, or the number of each."""
    rows = data.rows
    if rows is None or not _named(data, rows):
        return {"name": data.name, "records": data.size}
    first = np.array_equal(rows, np.arange(data.size))
    return {"name": data.name, "rows": data.size if first else rows.tolist()}


def _named(data: LabeledData, rows: NDArray[np.intp]) -> bool:
    """Whether the records are those rows of their data set: somebody may have changed them."""
    if data.name not in DATA:
        return False
    whole = labeled_data(data.name)
    if not np.isin(rows, np.arange(whole.size)).all():
        return False
    named = whole.take(rows)
    return bool(np.array_equal(named.x, data.x) and np.array_equal(named.y, data.y))


def _data(table: Any, key: tuple[str, ...]) -> LabeledData:
    if not isinstance(table, Mapping):
        raise ParameterError(
            f'{".".join(key)} must be a table such as {{name = "digits", rows = 500}}; got '
            f"{_checks.shown(table)}",
            key,
        )
    if "records" in table:
        raise ParameterError(
            f"{'.'.join(key)} names data of somebody's own, {_checks.shown(table.get('name'))} of "
            f"{_checks.shown(table['records'])} records; give them as data=",
            key,
        )
    for name in table:
        if name not in ("name", "rows"):
            raise _unknown(name, ["name", "rows"], key)
    try:
        _checks.one_of(table.get("name"), f"{'.'.join(key)}.name", tuple(DATA))
    except ValueError as error:
        raise ParameterError(str(error), (*key, "name")) from None
    whole = labeled_data(table["name"])
    return whole.take(_rows(table["rows"], whole, key)) if "rows" in table else whole


def _rows(value: Any, whole: LabeledData, key: tuple[str, ...]) -> Any:
    place = (*key, "rows")
    listed = isinstance(value, list)
    numbers = value if listed else [value]
    whole_numbers = all(isinstance(n, int) and not isinstance(n, bool) for n in numbers)
    most = whole.size - 1 if listed else whole.size
    if not whole_numbers or not all(0 <= n <= most for n in numbers):
        raise ParameterError(
            f"{'.'.join(place)} must be how many of the first rows, at most {whole.size}, or a "
            f"list of row numbers from 0 to {whole.size - 1}; got {_checks.shown(value)}",
            place,
        )
    if listed and len(set(value)) < len(value):
        raise ParameterError(f"{'.'.join(place)} has a row twice; give each row once", place)
    return np.array(value, dtype=np.intp) if listed else slice(0, value)
