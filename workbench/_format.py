"""Numbers as text: rounded to the safe side, settings in three digits, percent."""

from __future__ import annotations

import math
import re


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
    # Decimal-exact scaling: floor(0.29 * 100) would be 28.
    from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

    mode = {"down": ROUND_FLOOR, "up": ROUND_CEILING, "nearest": ROUND_HALF_EVEN}[to]
    exact = Decimal(repr(float(value)))
    rounded = exact.quantize(Decimal(1).scaleb(-places), rounding=mode)
    if rounded.adjusted() > exact.adjusted():  # 9.999 went up to 10.00
        places -= 1
        rounded = rounded.quantize(Decimal(1).scaleb(-places))
    if abs(rounded) < Decimal("1e-4"):
        return f"{rounded:.{digits - 1}e}"
    return f"{rounded:f}" if places > 0 else f"{int(rounded)}"


def plain(value: float) -> str:
    """A setting such as δ in three digits, as people write it: ``1e-5``, not ``1e-05``."""
    return re.sub(r"e([+-])0+", r"e\1", f"{value:.3g}")


def percent(confidence: float) -> str:
    """A confidence level as text: ``"95%"``."""
    return f"{round(100 * confidence, 6):g}%"
