"""Charts over sample sizes: an axis of log₁₀ n that is linear, so that a rule on it can be dragged.

A drag sends the place on the axis, which here is the value of a slider in log₁₀.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from workbench.figures.kit.axes import axis as linear_axis
from workbench.figures.kit.marks import LEFT, Mark, Share, Style, label, line, rule, steps
from workbench.figures.kit.types import Axis

HANDLE = Style("", "ink")


def axis(title: str, low: float, high: float) -> Axis:
    """The x axis from 10^low to 10^high, with ticks at powers of ten."""
    powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    return linear_axis(title, low, high, ticks={float(k): _power(k) for k in powers})


def curve(
    style: Style, n: ArrayLike, y: ArrayLike, stepped: bool = False, hover: str = "{y:.3g} {name}"
) -> Mark:
    """A curve over n.

    Parameters
    ----------
    style : Style
    n, y : array_like, shape (k,)
    stepped : bool
        Whether each value holds until the next n.
    hover : str
        See `workbench.figures.kit.marks`; ``{value}`` is n.
    """
    n, heights = np.asarray(n, dtype=float), np.asarray(y, dtype=float)
    draw = steps if stepped else line
    return draw(style, np.log10(n), heights, hover=hover, values=n if hover else None)


def handle(
    log_n: float, name: str, text: str, span: tuple[float, float], top: float = 1
) -> list[Mark]:
    """A draggable rule at log₁₀ n, and its text on the side that has room.

    Parameters
    ----------
    log_n : float
    name : str
        By which it is dragged.
    text : str
    span : (float, float)
        Ends of the axis.
    top : float
        Where it ends, as a share of the chart's height.
    """
    side = ("left", 6) if log_n < sum(span) / 2 else ("right", -6)
    end = Share(top)
    return [
        rule(HANDLE, x=log_n, end=end, drag=name),
        label(log_n, end, text, "ink", ha=side[0], va="top", dx=side[1], drag=name),
    ]


def level(y: float, text: str = "", role: str = "muted", dash: str = "dash") -> list[Mark]:
    """A rule at y, and its text above the left end.

    Parameters
    ----------
    y : float
    text : str
        No label if empty.
    role, dash : str
        Color role and dash of the rule.
    """
    drawn = [rule(Style(text, role, dash, 1.5), y=y)]
    if text:
        drawn.append(label(LEFT, y, text, role, ha="left", va="bottom", dx=4))
    return drawn


def _power(k: int) -> str:
    return f"{10**k:,}" if k <= 3 else f"10<sup>{k}</sup>"
