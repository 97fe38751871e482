"""What every front end has to know of a number's slider: its ends, its step, its decimals."""

from __future__ import annotations

from decimal import Decimal

import param


def decimals(step: float) -> int:
    """As many decimals as the step of a slider has."""
    exponent = Decimal(repr(step)).normalize().as_tuple().exponent
    return max(0, -int(exponent))


def scale(parameter: param.Number) -> tuple[float, float, float]:
    """Ends and step of a bounded number's slider."""
    low, high = parameter.get_soft_bounds()
    whole = isinstance(parameter, param.Integer)
    return low, high, parameter.step or (1 if whole else (high - low) / 100)


def snap(parameter: param.Number, value: float) -> float:
    """The value nearest to ``value`` that the parameter's slider can take."""
    low, high = parameter.get_soft_bounds()
    step = parameter.step
    if step:
        origin = low or 0
        value = round(origin + round((value - origin) / step) * step, decimals(step))
    if low is not None:
        value = max(value, low)
    if high is not None:
        value = min(value, high)
    return int(value) if isinstance(parameter, param.Integer) else value
