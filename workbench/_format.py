"""Numbers as text: rounded to the safe side, settings in three digits, percent."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal


def round_safely(value: float, to: str, digits: int = 3) -> str:
    """``value`` as text with ``digits`` significant digits, rounded "down", "up" or "nearest".

    Rounding a lower bound up would claim more than was shown.
    """
    if math.isnan(value):
        raise ValueError("a result must not be NaN; please report the data that led here")
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    exact, rounded = _rounded(value, places, to)
    from decimal import Decimal

    if rounded.adjusted() > exact.adjusted():  # 9.999 went up to 10.00
        places -= 1
        rounded = rounded.quantize(Decimal(1).scaleb(-places))
    if abs(rounded) < Decimal("1e-4"):
        return f"{rounded:.{digits - 1}e}"
    return f"{rounded:f}" if places > 0 else f"{int(rounded)}"


def _rounded(value: float, places: int, to: str) -> tuple[Decimal, Decimal]:
    """``value`` as a decimal number, and rounded to so many places after the point."""
    # Decimal-exact scaling: floor(0.29 * 100) would be 28.
    from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

    mode = {"down": ROUND_FLOOR, "up": ROUND_CEILING, "nearest": ROUND_HALF_EVEN}[to]
    exact = Decimal(repr(float(value)))
    with localcontext(prec=400):  # the digits before the point of any float
        return exact, exact.quantize(Decimal(1).scaleb(-places), rounding=mode)


#: The end of a format that asks for a number: a precision, a type, or both.
_NUMBER = re.compile(r"(?:\.(?P<digits>\d+))?(?P<type>[bcdeEfFgGnoxX%])?$")

#: Significant digits that any float keeps as text and back.
_KEPT = 15


def format_number(value: float, spec: str, to: str) -> str:
    """``value`` by a format such as ``".3f"``, its last digit rounded "down", "up" or "nearest".

    Raises
    ------
    ValueError
        A format that floats do not have.
    """
    asked = _NUMBER.search(spec)
    digits, kind = (asked["digits"], asked["type"]) if asked else (None, None)
    if math.isfinite(value) and value != 0 and (digits or kind):
        most = 6 if digits is None else int(digits)
        first = math.floor(math.log10(abs(value)))
        if kind in ("f", "F", "%"):
            places = most + 2 * (kind == "%")
        else:
            places = (most if kind in ("e", "E") else max(most, 1) - 1) - first
        if places + first < _KEPT:
            value = float(_rounded(value, places, to)[1])
        else:  # the float itself, unless its last digit would be rounded to the other side
            value = _beside(value, places + first, to)
    return format(value, spec)


def _beside(value: float, places: int, to: str) -> float:
    """The float nearest to ``value`` that does not pass it when it is written in so many digits."""
    if to == "nearest":
        return value
    found, end = value, -math.inf if to == "down" else math.inf
    while (written := float(f"{found:.{places}e}")) != value and (written > value) == (end < value):
        found = math.nextafter(found, end)
    return found


def format_result(result: object, value: float, spec: str, to: str = "nearest") -> str:
    """A result by a format: its number if that asks for one (``".3f"``), its text otherwise.

    Parameters
    ----------
    result : object
        Its text is ``str(result)``.
    value : float
        Its number.
    spec : str
        As of `format`.
    to : {"down", "up", "nearest"}
        As of `format_number`.
    """
    return format_number(value, spec, to) if asks_for_number(spec) else format(str(result), spec)


def asks_for_number(spec: str) -> bool:
    """Whether a format is one of a number: it has a precision or the type of a number."""
    asked = _NUMBER.search(spec)
    return bool(asked and asked[0])


def plain(value: float) -> str:
    """A setting such as δ in three digits, as people write it: ``1e-5``, not ``1e-05``."""
    return re.sub(r"e([+-])0+", r"e\1", f"{value:.3g}")


def percent(confidence: float) -> str:
    """A confidence level as text: ``"95%"``."""
    return f"{round(100 * confidence, 6):g}%"
