"""Fields of records and arguments of functions, checked against their annotations.

A record whose class says ``__post_init__ = _annotated.fields`` cannot be built of what its methods
do not expect, one that says ``_annotated.columns`` not of arrays of several shapes either, and a
function under ``@_annotated.arguments`` is not entered with other objects than it takes. What an
annotation accepts is worked out once, at the first use.
"""

from __future__ import annotations

import dataclasses
import typing
from collections import abc
from collections.abc import Callable, Iterable
from functools import cache, wraps
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

#: What numpy makes arrays of.
_ANYTHING = get_args(ArrayLike)

#: Bits of a whole number, at most: seeds have 128.
_BITS = 128

#: Letters of numpy for the types of arrays that stand where such numbers are expected.
_LETTERS = {np.floating: "fiu", np.integer: "iu", np.bool_: "b"}

#: What fields of these names are, in whatever record.
_RANGES: dict[str, Callable[[Any, str], Any]] = {
    "confidence": _checks.open_unit,
    "delta": lambda value, _: _checks.delta(value),
    "k": lambda value, name: _checks.count(value, name, least=1),
    **{name: _checks.count for name in ("n", "n_p", "n_q", "canaries", "runs", "samples")},
}

#: Collections whose parts are looked at. An iterable may be used up by that.
_SEQUENCES = (tuple, list, abc.Sequence)
_MAPPINGS = (dict, abc.Mapping)


class Kind(NamedTuple):
    """What an annotation accepts, what messages call it, and classes that need no closer look."""

    accepts: Callable[[Any], bool]
    need: str
    quick: frozenset[type] = frozenset()


def fields(record: Any) -> None:
    """Nothing; an error where a field of a dataclass is not what annotation and name say.

    Raises
    ------
    TypeError
        Something else than the annotation says.
    ValueError
        NaN, or a number that is too large; a confidence, a δ or a number of scores out of range;
        an array without an axis.
    """
    _require(record)
    for name in _arrays(type(record)):
        if not getattr(record, name).ndim:
            raise ValueError(f"{name} of {type(record).__name__} must have an axis, got a number")


def columns(record: Any) -> None:
    """As `fields`, and a ValueError where arrays of a dataclass differ in their shapes."""
    _require(record)
    shapes = {name: getattr(record, name).shape for name in _arrays(type(record))}
    if len(set(shapes.values())) > 1:
        found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"arrays of {type(record).__name__} must have one shape, got {found}")


def _require(record: Any) -> None:
    values = record.__dict__
    for name, (accepts, need, quick), check in _of_fields(type(record)):
        value = values[name]
        if type(value) not in quick and not accepts(value):
            raise _refusal(f"{name} of {type(record).__name__}", need, value)
        if check is not None and value is not None:
            check(value, name)


def arguments(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """``function``, which a TypeError keeps objects from that its annotations do not accept.

    Numbers and texts are left to the function, which knows their range and what it makes of an
    array of one.
    """

    @wraps(function)
    def checked(*given: Given.args, **named: Given.kwargs) -> Returned:
        kinds = _of_arguments(function)
        for (name, kind), value in zip(kinds.items(), given, strict=False):
            if kind is not None and not kind.accepts(value):
                raise _refusal(name, kind.need, value)
        for name, value in named.items():
            kind = kinds.get(name)
            if kind is not None and not kind.accepts(value):
                raise _refusal(name, kind.need, value)
        return function(*given, **named)

    return checked


def _refusal(name: str, need: str, value: Any) -> TypeError | ValueError:
    kind = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
    is_number = isinstance(value, int | float) and "number" in need  # NaN, or one that is too large
    error = ValueError if is_number else TypeError
    return error(f"{name} must be {need}; got {_checks.shown(value)} ({kind})")


@cache
def _of_fields(record: type) -> tuple[tuple[str, Kind, Callable[[Any, str], Any] | None], ...]:
    hints = typing.get_type_hints(record)
    found = []
    for field in dataclasses.fields(record):
        hint = hints[field.name]
        kind = _kind(hint)
        if field.init and kind is not None:
            ranged = hint in (int, float, int | None, float | None)
            found.append((field.name, kind, _RANGES.get(field.name) if ranged else None))
    return tuple(found)


@cache
def _arrays(record: type) -> tuple[str, ...]:
    hints = typing.get_type_hints(record)
    return tuple(
        f.name for f in dataclasses.fields(record) if get_origin(hints[f.name]) is np.ndarray
    )


@cache
def _of_arguments(function: Callable[..., Any]) -> dict[str, Kind | None]:
    hints = typing.get_type_hints(function)
    code = function.__code__  # type: ignore[attr-defined]
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return {
        name: _kind(hints[name]) if name in hints and not _is_left(hints[name]) else None
        for name in names
    }


def _is_left(hint: Any) -> bool:
    """Whether it consists of numbers and texts, alone or in sequences."""
    of = get_origin(hint)
    if hint in _PLAIN or hint in _ANYTHING:
        return True
    known = of in (Union, UnionType, tuple, list, abc.Sequence, abc.Iterable)
    return known and all(part is ... or _is_left(part) for part in get_args(hint))


# -- what annotations accept ----------------------------------------------------------------------


def _kind(hint: Any) -> Kind | None:
    """What it accepts; None for anything at all."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin in (Union, UnionType):
        if set(_ANYTHING) <= set(parts):
            return None
        return _one_of([_kind(part) for part in parts])
    if origin is Literal:
        return Kind(lambda value: value in parts, f"one of {', '.join(map(repr, parts))}")
    if origin is np.ndarray:
        return _array(get_args(parts[1])[0])
    if origin in _MAPPINGS:
        return _mapping(origin, *map(_kind, parts))
    if origin in _SEQUENCES:
        return _sequence(origin, [_kind(part) for part in parts if part is not ...], parts)
    kind = origin or hint
    if kind is Callable or kind is abc.Callable:
        return Kind(callable, "a function")
    if not _is_class(kind):
        return None
    return Kind(lambda value: isinstance(value, kind), _named(kind), frozenset({kind}))


def _is_class(kind: Any) -> bool:
    protocol = getattr(kind, "_is_protocol", False)
    return isinstance(kind, type) and (not protocol or getattr(kind, "_is_runtime_protocol", False))


def _named(kind: type) -> str:
    """``kind`` as messages call it: "a workbench Scores", "a datetime"."""
    house = "workbench " if kind.__module__.startswith("workbench") else ""
    return f"a {house}{kind.__name__}"


def _real(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return bool(value == value)  # NaN is no number
    if isinstance(value, int):
        return value.bit_length() < 1024  # or it is no float
    return isinstance(value, np.integer) and not _is_duration(value)


def _whole(value: Any) -> bool:
    if isinstance(value, int):
        return value.bit_length() <= _BITS
    return isinstance(value, np.integer) and not _is_duration(value)


def _is_duration(value: Any) -> bool:
    return isinstance(value, np.timedelta64)  # which numpy counts among the integers


def _array(scalar: Any) -> Kind:
    letters = next((found for kind, found in _LETTERS.items() if _derives(scalar, kind)), "")

    def accepts(value: Any) -> bool:
        return (
            isinstance(value, np.ndarray)
            and not isinstance(value, np.ma.MaskedArray)
            and (not letters or value.dtype.kind in letters)
        )

    return Kind(accepts, f"a numpy array{f' of {scalar.__name__}' if letters else ''}")


def _derives(scalar: Any, kind: type) -> bool:
    return isinstance(scalar, type) and issubclass(scalar, kind)


def _one_of(kinds: list[Kind | None]) -> Kind | None:
    known = [kind for kind in kinds if kind is not None]
    if len(known) < len(kinds):
        return None
    first, *others = (kind.accepts for kind in known)
    return Kind(
        lambda value: first(value) or any(test(value) for test in others),
        " or ".join(kind.need for kind in known),
        frozenset().union(*(kind.quick for kind in known)),
    )


def _each(test: Kind | None, values: Iterable[Any]) -> bool:
    return test is None or all(map(test.accepts, values))


def _mapping(origin: type, key: Kind | None = None, value: Kind | None = None) -> Kind:
    need = f"a {origin.__name__.lower()}" + (f", each value {value.need}" if value else "")
    return Kind(
        lambda given: (
            isinstance(given, origin) and _each(key, given) and _each(value, given.values())
        ),
        need,
    )


def _sequence(origin: type, kinds: list[Kind | None], parts: tuple[Any, ...]) -> Kind:
    if origin is tuple and ... not in parts:  # of so many
        need = ", ".join("anything" if kind is None else kind.need for kind in kinds)
        return Kind(
            lambda given: (
                isinstance(given, tuple)
                and len(given) == len(kinds)
                and all(_each(kind, (one,)) for kind, one in zip(kinds, given, strict=True))
            ),
            f"a tuple of {len(kinds)}: {need}",
        )
    of = kinds[0] if kinds else None
    return Kind(
        lambda given: isinstance(given, origin) and not isinstance(given, str) and _each(of, given),
        f"a {origin.__name__.lower()}" + (f", each {of.need}" if of else ""),
    )


_PLAIN: dict[Any, Kind | None] = {
    Any: None,
    object: None,
    NoneType: Kind(lambda value: value is None, "None", frozenset({NoneType})),
    float: Kind(_real, "a number"),
    int: Kind(_whole, "a whole number"),
    bool: Kind(lambda value: isinstance(value, bool | np.bool_), "True or False"),
    str: Kind(lambda value: isinstance(value, str), "text", frozenset({str})),
}
