"""Rows of a database that may be damaged: a flipped byte gives values of any type, and any text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Double, Integer, Label, LargeBinary, Text

#: What the reading of a damaged row ends in.
UNREADABLE = (
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
    OSError,  # of a time that no clock has
)

_KINDS: tuple[tuple[type, tuple[type, ...]], ...] = (
    (Text, (str,)),
    (LargeBinary, (bytes,)),
    (Double, (float, int)),
    (Integer, (int,)),
)


def decoded(content: bytes) -> str:
    """The text of a column; what is no UTF-8 in it stays, as lone surrogates."""
    return content.decode("utf-8", "surrogateescape")


def require_sound(row: Sequence[Any], columns: Iterable[Any]) -> None:
    """Raise a ValueError for a value that its column cannot have.

    Parameters
    ----------
    row : sequence
        A value for each column.
    columns : iterable of Column
        Of tables, or of a query of them.
    """
    for value, (name, kinds, nullable) in zip(row, _rules(tuple(columns)), strict=True):
        if value is None and nullable:
            continue
        if not isinstance(value, kinds):
            raise ValueError(f"{name!r} is a value of another kind")
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ValueError(f"{name!r} is no text") from None


@lru_cache(maxsize=64)
def _rules(columns: tuple[Any, ...]) -> tuple[tuple[str, tuple[type, ...], bool], ...]:
    """Name, types and whether it may be missing, of each column."""
    found = []
    for column in columns:
        if isinstance(column, Label):  # under another name in a query
            column = column.element
        kinds = next((kinds for kind, kinds in _KINDS if isinstance(column.type, kind)), (object,))
        found.append((column.name, kinds, bool(column.nullable)))
    return tuple(found)
