"""Checks of arguments and of fields of records, each naming the bad value and the remedy.

Most check one value. `fields`, `columns` and `arguments` check what annotations say: a record whose
``__post_init__`` calls one of the first two cannot be built of what its methods do not expect, and
a function under the last is not entered with other objects than it takes. What an annotation
accepts is worked out once, at the first use.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections import abc
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from functools import cache, wraps
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench._names import did_you_mean

Class = TypeVar("Class")

#: Characters of a bad value that a message quotes.
_QUOTED = 60

#: Beyond it not every whole number is a float, and nothing that is counted ends.
_COUNTABLE = 2**53

#: Values of a sequence that numpy has to ask for one by one, at most.
LONGEST = 10**7

#: Lists in lists that are looked into.
_DEEP = 64

#: Numbers that are drawn at once, at most: 400 MB.
DRAWN = 5 * 10**7

#: Repetitions, at most: whoever asks for more has mistyped a number.
REPEATED = 10**6

#: Complex numbers, durations and dates, all of which numpy would make floats of.
_OTHER = "cmM"


def shown(value: Any) -> str:
    """A bad value as messages quote it: in one line, and shortened where it is long."""
    try:
        text = repr(value)
        if "\n" in text and not isinstance(value, np.ndarray):
            text = f"<{type(value).__name__}>"  # a table
        text = " ".join(text.split())
    except Exception:  # other people's code, and no integer of more than 4300 digits is printed
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…"


def instance(
    value: Any, kind: type[Class] | tuple[type[Class], ...], name: str, need: str
) -> Class:
    """``value`` when it is of this class, or of one of these.

    Parameters
    ----------
    value, kind, name
    need : str
        What is needed and where to get it: "a workbench.Counts; make one with …".

    Raises
    ------
    TypeError
        It is something else.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {need}; got {shown(value)}, a {type(value).__name__}")
    return value


def convertible(values: Any, name: str) -> None:
    """Nothing; a ValueError where numpy's conversion of ``values`` would deceive, or never end.

    It forgets the mask of a masked array, and counts what stands under it. A sequence that is no
    array, list or table has no values in memory, and says itself how many it has.
    """
    parts = values if isinstance(values, list | tuple) else (values,)
    masked = sum(
        int(np.ma.getmaskarray(part).sum()) for part in parts if isinstance(part, np.ma.MaskedArray)
    )
    if masked:
        raise ValueError(
            f"{name} has {masked} masked value{'s' * (masked > 1)}, which would be counted; leave "
            "them out with a.compressed(), or keep them as missing with a.filled(np.nan)"
        )
    for _ in range(_DEEP):  # a list may contain itself
        if not (isinstance(values, list | tuple) and values):
            break
        values = values[0]
    if not hasattr(values, "__array__") and _length(values) > LONGEST:
        raise ValueError(
            f"{name} has more than {LONGEST:,} values that are not in memory, got "
            f"{shown(values)}; give a numpy array"
        )


def _length(values: Any) -> float:
    try:
        return 0 if isinstance(values, str | bytes) else len(values)
    except (OverflowError, ValueError):  # more than any index, or below 0: it may never end
        return math.inf
    except Exception:  # it has none, or other people's code says so
        return 0


def listed(values: Any, name: str) -> NDArray[Any]:
    """``values`` as an array of whatever they are (ValueError where `convertible` says no)."""
    convertible(values, name)
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array, got {shown(values)}") from None


def array(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """``values`` as floats, ±∞ and NaN included.

    Raises
    ------
    ValueError
        Text, dates, complex numbers, ragged lists, integers that no float can hold; a masked array
        with masked values; more than `LONGEST` values that are not in memory.
    """
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    if not isinstance(values, float | int):
        convertible(values, name)
    try:
        raw = np.asarray(values)
        if raw.dtype.kind not in _OTHER:
            return raw.astype(np.float64, copy=False)
    except OverflowError:
        raise ValueError(f"{name} is too large for a float, got {shown(values)}") from None
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name} must be a number or an array of numbers, got {shown(values)}")


def real(value: Any, name: str) -> float:
    """``value`` as a float, ±∞ for an integer that none can hold, and NaN for NaN.

    Raises
    ------
    ValueError
        When it is no number.
    """
    if isinstance(value, float):
        return float(value)
    if not isinstance(value, int):
        convertible(value, name)
    try:
        if not isinstance(value, int) and np.asarray(value).dtype.kind in _OTHER:
            raise TypeError
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, got {shown(value)}") from None


def number(value: Any, name: str) -> float:
    """``value`` as a finite float.

    Raises
    ------
    ValueError
        When it is not a real finite number.
    """
    x = real(value, name)
    if not math.isfinite(x):
        most = ", at most 1.8e308" if math.isinf(x) and x != value else ""
        raise ValueError(f"{name} must be finite{most}, got {shown(value)}")
    return x


def number_or_infinite(value: Any, name: str) -> float:
    """``value`` as a float that is no NaN; ±∞ may be (ValueError otherwise)."""
    x = real(value, name)
    return x if math.isinf(x) and x == value else number(value, name)


def positive(value: Any, name: str) -> float:
    """``value`` as a finite float above 0 (ValueError otherwise)."""
    x = number(value, name)
    if x <= 0:
        raise ValueError(f"{name} must be above 0, got {shown(value)}")
    return x


def non_negative(value: Any, name: str) -> float:
    """``value`` as a finite float of at least 0 (ValueError otherwise)."""
    x = number(value, name)
    if x < 0:
        raise ValueError(f"{name} must be at least 0, got {shown(value)}")
    return x


def order(value: Any) -> float:
    """The order of a Rényi divergence, a number above 1 (ValueError otherwise)."""
    x = number(value, "order")
    if x <= 1:
        raise ValueError(f"order must be above 1, got {value!r}; order 2 is a common choice")
    return x


def open_unit(value: Any, name: str, hint: str = "") -> float:
    """``value`` as a float strictly between 0 and 1 (ValueError otherwise)."""
    x = real(value, name)
    if not 0 < x < 1:
        raise ValueError(
            f"{name} must lie strictly between 0 and 1, got {shown(value)}{hint and f'; {hint}'}"
        )
    return x


def confidence(value: Any) -> float:
    """A confidence level such as 0.95; never an error probability such as 0.05.

    Raises
    ------
    ValueError
        Outside (0, 1), or at most one half, which is an error probability mistaken for it.
    """
    x = open_unit(value, "confidence", "write 0.95 for 95%")
    if x <= 0.5:
        meant = f"{1 - x:g}"
        ask = f": did you mean {meant}?" if 0.5 < float(meant) < 1 else ""
        raise ValueError(
            f"confidence must be above 0.5, got {shown(value)}; give the confidence (0.95), "
            f"not the error probability (0.05){ask}"
        )
    return x


def delta(value: Any) -> float:
    """The δ of (ε, δ): at least 0, below 1 (ValueError otherwise)."""
    x = real(value, "delta")
    if not 0 <= x < 1:
        raise ValueError(f"delta must lie in [0, 1), got {shown(value)}; 1e-5 is a common choice")
    return x


def each_of(
    values: Any, kind: type[Class] | tuple[type[Class], ...], name: str, need: str
) -> list[Class]:
    """``values`` as a list, when each is of this class, or of one of these.

    Raises
    ------
    TypeError
        They are no list or one of them is something else; ``need`` says what each must be.
    """
    try:
        items = iter(values)
    except TypeError:
        raise TypeError(f"{name} must be a list, each {need}; got {shown(values)}") from None
    return [instance(item, kind, f"each of {name}", need) for item in items]


def mask(values: ArrayLike, size: int, name: str) -> NDArray[np.bool_]:
    """``values`` as one bool for each of ``size`` (ValueError otherwise)."""
    convertible(values, name)
    try:
        x = np.asarray(values)
    except ValueError:
        x = np.empty(())
    if x.dtype != bool or x.shape != (size,):
        raise ValueError(f"{name} must be {size} bools, one each, got {shown(values)}")
    return x


def count(value: Any, name: str, least: int = 0, most: int = _COUNTABLE) -> int:
    """``value`` as a whole number from ``least`` to ``most`` (ValueError otherwise)."""
    x = number(value, name)
    if x != int(x) or x < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {shown(value)}")
    if x > most:
        limit = "2**53" if most == _COUNTABLE else f"{most:,}"
        raise ValueError(f"{name} must be at most {limit}, got {shown(value)}")
    return int(x)


def counts(values: ArrayLike, name: str, least: int = 0) -> list[int]:
    """``values`` as whole numbers of at least ``least``, one or more (ValueError otherwise)."""
    found = array(values, name)
    if found.ndim != 1 or not found.size:
        raise ValueError(f"{name} must be a list of whole numbers, got {shown(values)}")
    return [count(value, name, least) for value in found.tolist()]


def indices(values: ArrayLike, size: int, name: str) -> NDArray[np.intp]:
    """``values`` as a 1-d array of whole numbers from 0 to ``size`` − 1 (ValueError otherwise)."""
    x = array(values, name)
    if x.ndim != 1 or not ((x >= 0) & (x < size) & (x == np.floor(x))).all():
        raise ValueError(
            f"{name} must be a list of whole numbers from 0 to {size - 1}, got {shown(values)}"
        )
    return x.astype(np.intp)


def generator(value: Any, name: str) -> np.random.Generator:
    """``value`` when it is a generator of random numbers (TypeError otherwise)."""
    need = "a generator; make one with numpy.random.default_rng(seed)"
    return instance(value, np.random.Generator, name, need)


def random(seed: Any) -> np.random.Generator:
    """The generator of a seed; one that is given goes on.

    Parameters
    ----------
    seed : int, numpy.random.Generator, SeedSequence or None
        None takes a number from the operating system.

    Raises
    ------
    ValueError
        A number below 0.
    TypeError
        Something else.
    """
    known = int | np.integer | np.random.Generator | np.random.SeedSequence
    if seed is None or isinstance(seed, known | list | tuple):
        return np.random.default_rng(seed)
    raise TypeError(
        f"seed must be a whole number of at least 0 or a numpy.random.Generator, got {shown(seed)}"
    )


def function(value: Any, name: str, need: str) -> Any:
    """``value`` when it can be called (TypeError otherwise); ``need`` says what it is to be."""
    if not callable(value):
        raise TypeError(f"{name} must be {need}; got {shown(value)}, a {type(value).__name__}")
    return value


def flag(value: Any, name: str) -> bool:
    """``value`` as True or False; text such as "no", which counts as true, is a ValueError."""
    if not (isinstance(value, bool | np.bool_) or (isinstance(value, int) and value in (0, 1))):
        raise ValueError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def text(value: Any, name: str) -> str:
    """``value`` when it is text (TypeError otherwise)."""
    return instance(value, str, name, "text")


def one_of(value: Any, name: str, choices: Sequence[str] | Collection[str]) -> str:
    """``value`` when it is among ``choices`` (ValueError that lists them otherwise)."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}; got {shown(value)}"
            f"{did_you_mean(value, choices, repr)}"
        )
    return value


def storable(value: str) -> bool:
    """Whether a database takes a text: it has neither NUL nor halves of surrogate pairs."""
    return not any(one == "\0" or "\ud800" <= one <= "\udfff" for one in value)


# -- annotations ----------------------------------------------------------------------------------

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def _unaliased(hint: Any) -> Any:
    """What an alias of the statement ``type`` stands for, as NDArray is one from numpy 2.5 on."""
    value = getattr(get_origin(hint) or hint, "__value__", None)
    if value is None:
        return hint
    parts = get_args(hint)
    return _unaliased(value[parts] if parts else value)


#: What numpy makes arrays of.
_ANYTHING = get_args(_unaliased(ArrayLike))

#: Bits of a whole number, at most: seeds have 128.
_BITS = 128

#: Letters of numpy for the types of arrays that stand where such numbers are expected.
_LETTERS = {np.floating: "fiu", np.integer: "iu", np.bool_: "b"}

#: What fields of these names are, in whatever record.
_RANGES: dict[str, Callable[[Any, str], Any]] = {
    "confidence": open_unit,
    "delta": lambda value, _: delta(value),
    "k": lambda value, name: count(value, name, least=1),
    **{name: count for name in ("n", "n_p", "n_q", "canaries", "runs", "samples")},
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
    for name in _arrays(record.__class__):
        if not getattr(record, name).ndim:
            raise ValueError(f"{name} of {type(record).__name__} must have an axis, got a number")


def columns(record: Any) -> None:
    """As `fields`, and a ValueError where arrays of a dataclass differ in their shapes."""
    _require(record)
    shapes = {name: getattr(record, name).shape for name in _arrays(record.__class__)}
    if len(set(shapes.values())) > 1:
        found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"arrays of {type(record).__name__} must have one shape, got {found}")


def _require(record: Any) -> None:
    values = record.__dict__
    for name, (accepts, need, quick), check in _of_fields(record.__class__):
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
    return error(f"{name} must be {need}; got {shown(value)} ({kind})")


@cache
def _of_fields(record: type) -> tuple[tuple[str, Kind, Callable[[Any, str], Any] | None], ...]:
    hints = _hints(record)
    found = []
    for field in dataclasses.fields(record):
        hint = hints[field.name]
        kind = _kind(hint)
        if field.init and kind is not None:
            ranged = hint in (int, float, int | None, float | None)
            found.append((field.name, kind, _RANGES.get(field.name) if ranged else None))
    return tuple(found)


def _hints(of: type | Callable[..., Any]) -> dict[str, Any]:
    """The types of fields or arguments, also in a module that imports pandas where it needs it."""
    try:
        return typing.get_type_hints(of)
    except NameError as error:
        if error.name != "pd":
            raise
    import pandas as pd

    return typing.get_type_hints(of, localns={"pd": pd})


@cache
def _arrays(record: type) -> tuple[str, ...]:
    hints = _hints(record)
    return tuple(
        f.name
        for f in dataclasses.fields(record)
        if get_origin(_unaliased(hints[f.name])) is np.ndarray
    )


@cache
def _of_arguments(function: Callable[..., Any]) -> dict[str, Kind | None]:
    hints = _hints(function)
    code = function.__code__
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
    hint = _unaliased(hint)
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
    return Kind(
        lambda value: isinstance(value, kind) and not _is_no_time(value),
        _named(kind),
        frozenset({kind}),
    )


def _is_no_time(value: Any) -> bool:
    """Whether it is the NaT of pandas, which passes for a datetime and has no date."""
    return isinstance(value, datetime) and bool(value != value)


def _is_class(kind: Any) -> bool:
    if not isinstance(kind, type):
        return False
    try:
        isinstance(None, kind)
    except TypeError:  # a protocol that is not for isinstance
        return False
    return True


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


def _mapping(origin: Any, key: Kind | None = None, value: Kind | None = None) -> Kind:
    need = f"a {origin.__name__.lower()}" + (f", each value {value.need}" if value else "")
    return Kind(
        lambda given: (
            isinstance(given, origin) and _each(key, given) and _each(value, given.values())
        ),
        need,
    )


def _sequence(origin: Any, kinds: list[Kind | None], parts: tuple[Any, ...]) -> Kind:
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
