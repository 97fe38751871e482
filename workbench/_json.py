"""Values as JSON: the one place that says what becomes of those that JSON lacks.

`plain` makes lists of tuples and numbers of NumPy's scalars, and writes NaN and ±∞ in one of three
ways; an array becomes what the caller's ``special`` says, or is refused. `dumps` and `dumps_ascii`
write plain values, and refuse NaN and ±∞: a text with ``NaN`` in it is no JSON. Only a `message` to
another process of this program has them. `loads` reads all.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

#: A JSON object as Python reads and writes it.
JsonObject: TypeAlias = dict[str, Any]

#: How NaN and ±∞ are written: as null, as text ("NaN", "Infinity", "-Infinity"), or as
#: ``{"float": "nan"}``, which can be told from text when it is read.
NonFinite: TypeAlias = Literal["null", "text", "tagged"]

_WRITTEN: dict[str, Callable[[float], Any]] = {
    "null": lambda x: None,
    "text": lambda x: "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity",
    "tagged": lambda x: {"float": repr(x)},
}


def plain(
    value: Any, nonfinite: NonFinite, special: Callable[[Any], Any] = lambda value: NotImplemented
) -> Any:
    """A value as dicts, lists, strings, finite numbers, booleans and None.

    Parameters
    ----------
    value : object
        NumPy scalars become Python's; tuples become lists.
    nonfinite : {"null", "text", "tagged"}
        How NaN and ±∞ are written.
    special : callable, optional
        Asked first about every value: returns its plain form, or NotImplemented.

    Raises
    ------
    ValueError
        A value that has no such form.
    """
    form = special(value)
    if form is not NotImplemented:
        return form
    import numpy as np  # not in a process that only sends a request

    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _WRITTEN[nonfinite](value)
    if isinstance(value, list | tuple):
        return [plain(each, nonfinite, special) for each in value]
    if isinstance(value, Mapping):
        return {key: plain(each, nonfinite, special) for key, each in value.items()}
    raise ValueError(f"a {type(value).__name__} cannot be written to JSON: {value!r}")


def dumps(plain_value: Any, **style: Any) -> str:
    """The JSON text of a plain value, for files that people read; ``style`` as of `json.dumps`."""
    return json.dumps(plain_value, ensure_ascii=False, allow_nan=False, **style)


def dumps_ascii(plain_value: Any, **style: Any) -> str:
    """The JSON text of a plain value in ASCII, for databases, hashes and headers of files."""
    return json.dumps(plain_value, allow_nan=False, **style)


def message(plain_value: Any, **style: Any) -> bytes:
    """A message to another process of this program, where `loads` reads NaN and ±∞ again."""
    return json.dumps(plain_value, **style).encode()


def loads(text: str | bytes, **hooks: Any) -> Any:
    """The value of a JSON text, in which other programs may have written NaN or Infinity.

    Parameters
    ----------
    text : str or bytes
    **hooks
        As of `json.loads`.
    """
    return json.loads(text, **hooks)
