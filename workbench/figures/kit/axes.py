"""Axes of a chart: linear, logarithmic, or without ticks; and how far they reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.figures.kit.legend import HEADROOM
from workbench.figures.kit.types import Axis
from workbench.pairs.accounting.accounted import AccountedPair
from workbench.pairs.base import Pair

#: Profiles show no δ below this, unless a smaller one is asked for.
LEAST_DELTA = 1e-12

#: The same for compositions, for which a smaller δ takes a second to compute.
LEAST_COMPOSED_DELTA = 1e-8


def axis(
    title: str,
    low: float,
    high: float,
    *,
    log: bool = False,
    ticks: Mapping[float, str] | None = None,
    format: str | None = None,
    step: float | None = None,
    most_ticks: int | None = None,
    turned: float | None = None,
    grid: bool = True,
) -> Axis:
    """An axis from ``low`` to ``high``.

    Parameters
    ----------
    title : str
    low, high : float
        Its ends; of a logarithmic axis their logarithms to base 10.
    log : bool
        Whether it is logarithmic. Marks give their coordinates as they are in either case.
    ticks : mapping, optional
        Place of a tick -> its text. By default the renderer chooses them.
    format : str, optional
        Of the ticks' texts, such as ".0%".
    step : float, optional
        Distance of ticks; on a logarithmic axis in powers of ten.
    most_ticks : int, optional
        Ticks that the renderer may choose at most.
    turned : float, optional
        Angle of the ticks' texts in degrees; chosen by the renderer by default.
    grid : bool
        Whether a line runs across the chart at each tick.
    """
    # Plotly writes powers of ten a quarter larger than the font size says.
    powers = log and (ticks is None or any("<sup>" in text for text in ticks.values()))
    made: Axis = {
        "title": {"text": title, "font": {"size": 12, "color": "@muted"}, "standoff": 8},
        "tickfont": {"size": 9 if powers else 11, "color": "@muted"},
        "gridcolor": "@grid",
        "linecolor": "@line",
        "zeroline": False,
        "showline": True,
        "ticks": "outside",
        "tickcolor": "@line",
        "ticklen": 4,
        "exponentformat": "power",
        "range": [low, high],
    }
    if log:
        made["type"] = "log"
    if ticks is not None:
        made |= {"tickvals": list(ticks), "ticktext": list(ticks.values())}
    chosen = {"tickformat": format, "dtick": step, "nticks": most_ticks, "tickangle": turned}
    made |= {name: value for name, value in chosen.items() if value is not None}
    if not grid:
        made["showgrid"] = False
    return made


def bare_axis(low: float, high: float) -> Axis:
    """An axis without title, ticks and line, which cannot be zoomed.

    Parameters
    ----------
    low, high : float
        Its ends; ``low`` above ``high`` turns it around.
    """
    return axis("", low, high, grid=False) | {
        "showticklabels": False,
        "showline": False,
        "ticks": "",
        "fixedrange": True,
    }


def hidden_axis() -> Axis:
    """An axis of a chart that shows nothing."""
    return {key: value for key, value in axis("", 0, 1).items() if key != "range"} | {
        "visible": False
    }


def count_axis(
    title: str, low: float, high: float, *, margin: float, ticks: Iterable[float] | None = None
) -> Axis:
    """A logarithmic axis of counts, which are written out.

    Parameters
    ----------
    title : str
    low, high : float
        The least and the largest count.
    margin : float
        Room at both ends, as a share of the axis.
    ticks : iterable of float, optional
        Counts with a tick; powers of ten by default.
    """
    first, last = math.log10(low), math.log10(high)
    if ticks is None:
        ticks = [10**k for k in range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)]
    extra = margin * max(last - first, 1.0)
    texts = {float(count): f"{count:,}" for count in ticks}
    return axis(title, first - extra, last + extra, log=True, ticks=texts)


def delta_axis(low: float) -> Axis:
    """A logarithmic axis of δ from 10^``low`` to 1, with room for a key above it."""
    room = -low * HEADROOM / (1 - HEADROOM)
    return axis("δ", low, room, log=True, ticks=powers_of_ten(range(0, math.floor(low) - 1, -2)))


def powers_of_ten(exponents: Iterable[int], log: bool = True) -> dict[float, str]:
    """Ticks at powers of ten.

    Parameters
    ----------
    exponents : iterable of int
    log : bool
        Whether the axis is logarithmic. Otherwise its unit is the exponent itself.
    """
    return {(10.0**k if log else float(k)): power_of_ten(k) for k in exponents}


def power_of_ten(k: int) -> str:
    """10^k as the text of a tick."""
    return f"10<sup>{k}</sup>".replace("-", "−") if k else "1"


def round_up(x: float) -> float:
    """The next of 1, 1.5, 2, 3, 4, 6, 8 times a power of ten: an end of an axis that rests."""
    power = 10 ** math.floor(math.log10(x))
    return next(m * power for m in (1, 1.5, 2, 3, 4, 6, 8, 10) if x <= m * power * (1 + 1e-12))


def corners(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Corners of a step function: from each point first across, then up or down."""
    twice = np.repeat(points, 2, axis=0)
    return np.column_stack([twice[1:, 0], twice[:-1, 1]])


def positive(values: Any) -> NDArray[np.float64]:
    """Values for a logarithmic axis: NaN, which is a gap, instead of 0."""
    values = np.asarray(values, dtype=float)
    return np.where(values > 0, values, np.nan)


def visible_profile(
    pair: Pair, epsilon: NDArray[np.float64], low: float, delta: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A pair's ε and δ(ε) down to the end of a logarithmic axis, or to what is slow to compute.

    Parameters
    ----------
    pair : Pair
    epsilon : ndarray
        Ascending, of the whole chart.
    low : float
        log₁₀ of the least δ of the axis.
    delta : float
        Which is asked for: the curve reaches beyond it.
    """
    return profile_down_to(pair, epsilon, least_shown(pair, low, delta))


def least_shown(pair: Pair, low: float, delta: float) -> float:
    """log₁₀ of the least δ of a pair that a chart shows; see `visible_profile`."""
    if isinstance(pair, AccountedPair):
        return max(low, min(math.log10(LEAST_COMPOSED_DELTA), math.log10(delta) - 1))
    return low


def profile_down_to(
    pair: Pair, epsilon: NDArray[np.float64], low: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A pair's ε and δ(ε) down to a δ.

    Parameters
    ----------
    pair : Pair
    epsilon : ndarray
        Ascending, of the whole chart.
    low : float
        log₁₀ of the δ.
    """
    end = float(pair.epsilon(10.0**low))
    shown = epsilon[epsilon < end]
    below = np.asarray(pair.profile(shown))
    if end <= epsilon[-1] and shown.size < epsilon.size:
        shown, below = np.append(shown, end), np.append(below, 10.0**low)
    return shown, positive(below)


def gaps(values: Any) -> NDArray[np.float64]:
    """Values for a linear axis: NaN, which is a gap, instead of ±∞."""
    values = np.asarray(values, dtype=float)
    return np.where(np.isfinite(values), values, np.nan)
