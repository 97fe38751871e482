"""What every front end has to know of a number's control: its ends, its step, its decimals."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import param


def scale(parameter: Any) -> tuple[float | None, float | None, float]:
    """Ends of a number's control, None where it has none, and its step."""
    low, high = parameter.get_soft_bounds()
    whole = isinstance(parameter, param.Integer)
    if low is None or high is None:
        return low, high, parameter.step or (1 if whole else 0.1)
    return low, high, parameter.step or (1 if whole else (high - low) / 100)


def decimals(step: float) -> int:
    """As many decimals as multiples of the step need."""
    exponent = Decimal(repr(step)).normalize().as_tuple().exponent
    return max(0, -int(exponent))


def snap(parameter: param.Number, value: float) -> float:
    """The value nearest to ``value`` that the parameter's slider can take."""
    step = parameter.step
    if step:
        origin = parameter.get_soft_bounds()[0] or 0
        value = round(origin + round((value - origin) / step) * step, decimals(step))
    return hold(parameter, int(value) if isinstance(parameter, param.Integer) else value)


def hold(parameter: param.Number, value: float) -> float:
    """``value``, or the parameter's bound that it lies beyond."""
    low, high = parameter.get_soft_bounds()
    if low is not None and value < low:
        return low
    return high if high is not None and value > high else value
