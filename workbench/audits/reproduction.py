"""`same_number`: the check that a number of an audit is found again."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.software.versions import software

#: Relative difference that other processors may cause.
ROUND_OFF = 1e-9

#: Packages that earlier versions recorded, and whose version explains no difference.
_NO_MORE = ("dp-accounting",)

#: Integers and fractions from here on are infinite: no float holds them.
MOST = 10**300

_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹"

#: A number as pages write it: "1,000", "2.39e-5", "72.8%", "∞", "10²¹"; not the 1 of "1/σ".
_WRITTEN = re.compile(
    rf"10[{_SUPERSCRIPT}]+|[-−]?(?:∞|\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\d/])%?)"
)


def same_number(value: Any, recorded: Any, made_with: Mapping[str, str] | None = None) -> Any:
    """The number itself, if it is the one that an audit recorded; notebooks of audits call this.

    Parameters
    ----------
    value : Bound, number, str, or tuple of numbers
        What was computed.
    recorded : float, tuple of float, or str
        The value of a bound, or both ends of an interval: equal to nine digits. Or the text that
        the page showed: all numbers in it, each to the last digit shown; a text without numbers
        is compared as it is.
    made_with : mapping of str to str, optional
        Versions of the software that the audit was made with, as ``Audit.software``. The message
        names those that are others here.

    Returns
    -------
    object
        ``value``.

    Raises
    ------
    ValueError
        Another number.

    Examples
    --------
    >>> wb.same_number(0.2264, "22.6% of members")
    0.2264
    >>> wb.same_number(0.2264, 0.2266)
    Traceback (most recent call last):
        ...
    ValueError: computed 0.2264, but the audit recorded 0.2266: the data or the code changed
    """
    versions = {} if made_with is None else made_with
    _checks.instance(versions, Mapping, "made_with", "a dict of versions by name")
    for one, name in ((value, "value"), (recorded, "recorded")):
        _checks.convertible(one, name)
    if not _same(value, recorded):
        raise ValueError(
            f"computed {_checks.shown(_plain(value))}, but the audit recorded "
            f"{_checks.shown(recorded)}: {_reason(versions)}"
        )
    return value


def _same(value: Any, recorded: Any) -> bool:
    found = _numbers(value)
    if not isinstance(recorded, str):
        wanted = _numbers(recorded)
        return len(found) == len(wanted) and all(map(_close, found, wanted))
    written = _WRITTEN.findall(recorded)
    if isinstance(value, str) or not written:
        return bool(value == recorded)
    return len(found) == len(written) and all(map(_reads, found, written))


def _numbers(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Bound):
        return (value.value,) if value.high is None else (value.value, value.high)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(number for one in value for number in _numbers(one))
    if isinstance(value, str):
        return (value,)
    if isinstance(value, int | Fraction):  # of any size, which floats are not
        return (value if -MOST < value < MOST else math.inf if value > 0 else -math.inf,)
    return (float(value) if hasattr(value, "__float__") else int(value),)


def _close(a: Any, b: Any) -> bool:
    return bool(a == b) or (
        not isinstance(a, str) and not isinstance(b, str) and math.isclose(a, b, rel_tol=ROUND_OFF)
    )


def _reads(value: Any, written: str) -> bool:
    """Whether a number is written so, whatever the side to which it was rounded."""
    if isinstance(value, str):
        return value == written
    if written[-1] in _SUPERSCRIPT:
        power = int("".join(str(_SUPERSCRIPT.index(digit)) for digit in written[2:]))
        # A value that no float holds is infinite.
        return (
            math.isinf(value) if power > 308 else value > 0 and 0 <= math.log10(value) - power < 1
        )
    sign = -1 if written[0] in "-−" else 1
    digits = written.lstrip("-−").replace(",", "")
    if digits == "∞":
        return bool(value == sign * math.inf)
    percents, digits = digits.endswith("%"), digits.rstrip("%")
    mantissa, _, exponent = digits.partition("e")
    unit = float(f"1e{int(exponent or 0) - len(mantissa.partition('.')[2])}")
    if "." not in mantissa and len(mantissa) > 3 and float(value) % 1:  # three digits are shown
        unit *= 10 ** (len(mantissa) - len(mantissa.rstrip("0")))
    scale = 100 if percents else 1
    return bool(abs(scale * value - sign * float(digits)) < unit)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value
    found = _numbers(value)
    return found[0] if len(found) == 1 else found


def _reason(made_with: Mapping[str, str]) -> str:
    here = software()
    others = [n for n, v in made_with.items() if here.get(n) != v and n not in _NO_MORE]
    if not others:
        return "the data or the code changed"
    then = ", ".join(f"{name} {made_with[name]}" for name in others)
    now = ", ".join(f"{name} {here.get(name, 'missing')}" for name in others)
    return f"it was made with {then}, and this is {now}, which may give other numbers"
