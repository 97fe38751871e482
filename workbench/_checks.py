"""Checks of arguments, each naming the bad value and the remedy."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Kind = TypeVar("Kind")

#: Characters of a bad value that a message quotes.
_QUOTED = 60

#: Beyond it not every whole number is a float, and nothing that is counted ends.
_COUNTABLE = 2**53

#: Values of a sequence that numpy has to ask for one by one, at most.
LONGEST = 10**7

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


def instance(value: Any, kind: type[Kind] | tuple[type[Kind], ...], name: str, need: str) -> Kind:
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
    while isinstance(values, list | tuple) and values:
        values = values[0]
    if not hasattr(values, "__array__") and _length(values) > LONGEST:
        raise ValueError(
            f"{name} has more than {LONGEST:,} values that are not in memory, got "
            f"{shown(values)}; give a numpy array"
        )


def _length(values: Any) -> float:
    try:
        return 0 if isinstance(values, str | bytes) else len(values)
    except OverflowError:  # more than any index
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
    values: Any, kind: type[Kind] | tuple[type[Kind], ...], name: str, need: str
) -> list[Kind]:
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
        )
    return value


def storable(value: str) -> bool:
    """Whether a database takes a text: it has neither NUL nor halves of surrogate pairs."""
    return not any(one == "\0" or "\ud800" <= one <= "\udfff" for one in value)
