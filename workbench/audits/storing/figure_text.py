"""Figures as JSON text that keeps arrays exactly, and back."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from workbench import _json
from workbench.audits.errors import ArchiveError
from workbench.audits.items import AuditFigure

#: What marks an array; plotly's format has no such name.
_ARRAY = "@array"

#: Kinds of arrays that are stored as bytes: booleans, integers and floats.
_NUMBERS = "biuf"


def to_text(figures: Sequence[AuditFigure]) -> str:
    """Figures as JSON in ASCII.

    Raises
    ------
    ArchiveError
        A figure holds something else than numbers, text and arrays of them.
    """
    try:
        plain = [
            {one.name: _json.plain(getattr(figure, one.name), "tagged", _array) for one in _FIELDS}
            for figure in figures
        ]
        return _json.dumps_ascii(plain)
    except (TypeError, ValueError) as error:
        raise ArchiveError(f"a figure cannot be saved: {error}") from error


def from_text(text: str | bytes) -> tuple[AuditFigure, ...]:
    """The figures of `to_text`, with lists in place of tuples.

    Raises
    ------
    ArchiveError
        Other text.
    """
    try:
        values = _json.loads(text, object_hook=_object)
        _require(values, list)
        figures = tuple(AuditFigure(**one) for one in values)
        for figure in figures:
            for one in _FIELDS:
                _require(getattr(figure, one.name), _KINDS[str(one.type)])
            _require(figure.figure["data"], list)
            _require(figure.figure["layout"], dict)
        return figures
    except (KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        raise ArchiveError(f"these are no figures of an audit: {error}") from error


_FIELDS = fields(AuditFigure)

_KINDS = {"str": str, "int": int, "Mapping[str, Any]": dict}


def _require(value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"a {type(value).__name__} in place of a {kind.__name__}")


def _array(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return NotImplemented
    if value.dtype.kind in _NUMBERS:
        content = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {_ARRAY: [value.dtype.str, list(value.shape), content]}
    return {_ARRAY: ["texts", list(value.shape), _json.plain(value.tolist(), "tagged")]}


def _object(value: dict[str, Any]) -> Any:
    if set(value) == {"float"}:
        return float(value["float"])
    if set(value) != {_ARRAY}:
        return value
    kind, shape, content = value[_ARRAY]
    if kind == "texts":
        return np.array(content, dtype=object).reshape(shape)
    dtype = np.dtype(kind)
    if dtype.kind not in _NUMBERS:
        raise ValueError(f"an array of {kind!r}")
    return np.frombuffer(base64.b64decode(content, validate=True), dtype).reshape(shape).copy()
