"""Range, step and decimals of a numeric parameter's control, and the values that it accepts."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import param
from numpy.typing import NDArray

#: Bounds of a seed.
SEED = (0, 10**9)

#: What is said of a seed.
SEED_DOC = "The same seed gives the same result."

#: Bounds of a score that is typed.
SCORE = (-1e15, 1e15)

#: Bounds of at least this size are only technical, and not said.
_TECHNICAL = 1e12


def number_of(log: float) -> float:
    """The number that has this log₁₀, in 12 digits: what was typed, without round-off."""
    return float(f"{10.0**log:.12g}")


class LogNumber(param.Number):
    """A positive number on a logarithmic slider: its log₁₀ is stored, the number itself is shown.

    `number_of` makes the number of what is stored.

    Parameters
    ----------
    default : float
        log₁₀ of the number; so are ``bounds`` and ``step``.
    whole : bool
        Whether the number is a count, shown in whole numbers.
    **more
        As for ``param.Number``.
    """

    __slots__ = ["whole"]

    def __init__(self, default: float = 0.0, *, whole: bool = False, **more: Any):
        super().__init__(default, **more)
        self.whole = whole


class PlacedNumber(param.Number):
    """A number on a slider that has one step for each of given places, whatever their distances.

    A number between two places may be typed: the slider stands between them then.

    Parameters
    ----------
    default : float
        The number itself, as for ``param.Number``.
    places : ndarray, optional
        Strictly increasing numbers, which an array of other data replaces. Without any, the slider
        has steps of one width.
    **more
        As for ``param.Number``.
    """

    __slots__ = ["places"]

    def __init__(
        self, default: float = 0.0, *, places: NDArray[np.float64] | None = None, **more: Any
    ):
        super().__init__(default, **more)
        self.places = places


def places_of(parameter: Any) -> NDArray[np.float64] | None:
    """The places of a parameter's slider; None where its steps have one width."""
    return parameter.places if isinstance(parameter, PlacedNumber) else None


class _Typed:
    """Mixin of parameters whose number is typed, as no slider could span their bounds."""

    def __init__(self, default: float, bounds: tuple[float, float], doc: str = "", **more: Any):
        doc = f"{doc} {_in_words(bounds)}".strip()
        super().__init__(default, bounds=bounds, doc=doc, **more)  # type: ignore[call-arg]

    def get_soft_bounds(self) -> tuple[None, None]:
        """(None, None), as there is no slider."""
        return None, None


def _in_words(bounds: tuple[float, float]) -> str:
    if max(map(abs, bounds)) >= _TECHNICAL:
        return ""
    low, high = (displayed(int(one) if one == int(one) else one) for one in bounds)
    return f"From {low} to {high}."


class NumberField(_Typed, param.Number):
    """Parameter type of a number that is typed."""


class IntegerField(_Typed, param.Integer):
    """Parameter type of a whole number that is typed."""


class TextField(param.String):
    """Parameter type of a text that is typed, and has to be one of some form.

    Parameters
    ----------
    default : str
    other : str
        Another text of the form, which tests of pages type.
    check : callable
        Raises a ValueError for a text that is not of the form.
    **more
        As for ``param.String``.
    """

    __slots__ = ["check", "other"]

    def __init__(
        self,
        default: str = "",
        *,
        other: str = "other",
        check: Callable[[str], object] = str,
        **more: Any,
    ):
        self.other, self.check = other, check
        super().__init__(default, **more)

    def _validate_value(self, val: Any, allow_None: bool) -> None:
        super()._validate_value(val, allow_None)
        self.check(val)


def taken(parameter: param.Number, value: Any, typed: bool = False) -> float:
    """The value of a numeric parameter for what a person chose.

    Parameters
    ----------
    parameter : param.Number
        The parameter of the control.
    value : object
        The number that came from a browser.
    typed : bool
        Whether the number was typed, not dragged.

    Returns
    -------
    float
        A typed number unchanged; that of a slider held at the ends of the slider, which may have
        moved since.

    Raises
    ------
    ValueError
        Not a number, not finite, not whole where the parameter is, or a typed number beyond the
        bounds of the parameter. The message names the control, the bound and the value.
    """
    label, log = parameter.label, isinstance(parameter, LogNumber)
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise ValueError(f"{label} must be a number; got {_quoted(value)}")
    # An int of any length may be typed: it is compared before it is made a float.
    if not isinstance(value, int) and not math.isfinite(value):
        raise ValueError(f"{label} must be finite; got {value}")
    if isinstance(parameter, param.Integer):
        if value != int(value):
            raise ValueError(f"{label} must be a whole number; got {displayed(float(value))}")
        value = int(value)
    if not typed and None not in parameter.get_soft_bounds():
        value = hold(parameter, value)
    if need := _need(parameter, value):
        raise ValueError(f"{label} must be {need}; got {displayed(value, log)}")
    return value if isinstance(parameter, param.Integer) else float(value)


def _need(parameter: param.Number, value: float) -> str:
    """The bound of the parameter that a value does not meet, in words; empty if it meets both."""
    log = isinstance(parameter, LogNumber)
    low, high = parameter.bounds or (None, None)
    from_low, to_high = parameter.inclusive_bounds
    if low is not None and not (value >= low if from_low else value > low):
        return f"{'at least' if from_low else 'above'} {displayed(low, log)}"
    if high is not None and not (value <= high if to_high else value < high):
        return f"{'at most' if to_high else 'below'} {displayed(high, log)}"
    return ""


def widen(parameter: Any, value: float) -> None:
    """Let the parameter's slider reach a value that the parameter takes.

    Parameters
    ----------
    parameter : param.Number
        The parameter; one without a slider, or whose slider reaches the value, stays as it is, and
        so does one with places: its slider stands at an end.
    value : float
        The value.
    """
    low, high, step = scale(parameter)
    if low is None or high is None or low <= value <= high or places_of(parameter) is not None:
        return
    # In whole steps, so that the slider's other places stay round numbers.
    steps = float(np.ceil(max(low - value, value - high) / step)) * step
    end = round(low - steps if value < low else high + steps, decimals(step))
    reached = value if _need(parameter, end) else end
    parameter.softbounds = (min(low, reached), max(high, reached))


def displayed(value: float, log: bool = False) -> str:
    """A number as text: with commas, or in scientific notation if it is very large or small.

    Parameters
    ----------
    value : float
        The number.
    log : bool
        Whether it is given by its log₁₀.
    """
    if log:
        return f"{number_of(value):.6g}" if abs(value) < 300 else f"10^{displayed(value)}"
    exact = Decimal(value) if isinstance(value, int) else Decimal(repr(float(value)))
    return f"{value:,}" if exact.adjusted() < 15 and exact.adjusted() > -15 else f"{exact:.3e}"


def scale(parameter: Any) -> tuple[float | None, float | None, float]:
    """Lower end, upper end and step of a number's control; the ends are None without a slider."""
    low, high = parameter.get_soft_bounds()
    whole = isinstance(parameter, param.Integer)
    if low is None or high is None:
        return low, high, parameter.step or (1 if whole else 0.1)
    return low, high, parameter.step or (1 if whole else (high - low) / 100)


@cache
def decimals(step: float) -> int:
    """Number of decimals that multiples of a step need."""
    exponent = Decimal(repr(step)).normalize().as_tuple().exponent
    return max(0, -int(exponent))


def snap(parameter: param.Number, value: float) -> float:
    """The nearest value that the slider of the parameter can take.

    Parameters
    ----------
    parameter : param.Number
        The parameter of the slider.
    value : float
        Any number.
    """
    places = places_of(parameter)
    if places is not None:
        return float(places[int(np.abs(places - value).argmin())])
    step = parameter.step
    if step:
        origin = parameter.get_soft_bounds()[0] or 0
        value = round(origin + round((value - origin) / step) * step, decimals(step))
    return hold(parameter, int(value) if isinstance(parameter, param.Integer) else value)


def hold(parameter: param.Number, value: float) -> float:
    """The value held within the range of the parameter's slider.

    Parameters
    ----------
    parameter : param.Number
        The parameter of the slider.
    value : float
        Any number.
    """
    low, high = parameter.get_soft_bounds()
    if low is not None and value < low:
        return low
    return high if high is not None and value > high else value


def _quoted(value: Any) -> str:
    """The start of what was typed in place of a number."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
