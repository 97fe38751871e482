"""Charts of ranks: where the true value of each canary stands among its candidates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench._format import plain, round_safely
from workbench.bounds.bound import Bound
from workbench.curves.validation import Floats
from workbench.figures.kit.axes import axis, count_axis
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import (
    Mark,
    Share,
    Style,
    histogram,
    label,
    line,
    markers,
    rule,
    steps,
)
from workbench.figures.kit.types import Figure

SEEN = Style("seen", "p")
CHANCE = Style("by chance", "muted", "dash", 1.5)
ALLOWED = Style("", "good", "solid", 1.5)
CHOSEN = Style("", "ink", "dot", 1.5)

#: Points of a curve, and of the steps of what was seen, at most.
POINTS, MOST_STEPS = 120, 1000

#: Candidates up to which each rank has a tick.
FEW = 10


def against_chance(
    ranks: NDArray[np.int64], values: int, top: int, bound: Bound | None = None
) -> Figure:
    """Share of the canaries whose true value is among the first j candidates, against j.

    Parameters
    ----------
    ranks : ndarray of int, shape (m,)
        From 1 to ``values``.
    values : int
        Number of candidates of each canary.
    top : int
        Candidates that a guess names.
    bound : Bound, optional
        On ε; the most that its ε allows on average is drawn where δ is 0.
    """
    j, share = _shares(ranks, values)
    x = np.unique(np.geomspace(1, values, POINTS))
    curves: list[Mark] = [line(CHANCE, x, x / values, hover="")]
    names = [SEEN, CHANCE]
    if bound is not None and bound.delta == 0 and 0 < bound.value < math.inf:
        allowed = Style(f"allowed by ε = {bound.rounded}", *_look(ALLOWED))
        curves.append(line(allowed, x, _allowed(x, values, bound.value), hover=""))
        names.append(allowed)
    here = float(np.mean(ranks <= top))
    ticks = range(1, values + 1) if values <= FEW else None
    words = "named by a guess" if top == 1 else f"the first {top:,} are named"
    right = math.log(top) > 0.6 * math.log(values)
    return chart(
        [
            *curves,
            steps(SEEN, j, share, hover="rank ≤ {x:,.0f}: {y:.1%}"),
            rule(CHOSEN, x=top, end=Share(1 - HEADROOM)),
            markers(SEEN, [top], [here], size=9, hover="rank ≤ {x:,.0f}: {y:.1%}"),
            label(top, Share(0.02), words, "ink", ha="right" if right else "left", va="bottom",
                  dx=-5 if right else 5),
            key(names),
        ],
        count_axis("rank of the true value among its candidates", 1, values, margin=0.03,
                   ticks=ticks),
        axis("share of the canaries, at most this rank", 0, 1.02 / (1 - 1.4 * HEADROOM),
             format=".0%", ticks={s: f"{s:.0%}" for s in (0, 0.25, 0.5, 0.75, 1)}),
        summary=f"{here:.1%} of {ranks.size:,} canaries have their true value "
        f"{'first' if top == 1 else f'among the first {top:,}'} of {values:,} candidates; by chance "
        f"{plain(100 * top / values)}%.",
        closest=True,
        revision=values,
    )  # fmt: skip


def exposures(ranks: NDArray[np.int64], values: int) -> Figure:
    """Numbers of canaries by their exposure in whole bits, beside those of chance.

    Parameters
    ----------
    ranks : ndarray of int, shape (m,)
        From 1 to ``values``.
    values : int
        Number of candidates of each canary.
    """
    seen, chance = exposure_counts(ranks, values)
    edges = np.arange(seen.size + 1)
    top = max(float(seen.max()), float(chance.max())) * 1.05 / (1 - HEADROOM)
    mean = float(np.mean(math.log2(values) - np.log2(ranks)))
    step = max(1, seen.size // 8)
    return chart(
        [
            histogram(CHANCE, edges, chance, opacity=0, hover="{y:,.3g} canaries {name}"),
            histogram(SEEN, edges, seen, hover="{y:,.0f} canaries {name}"),
            key([SEEN, CHANCE], columns=2),
        ],
        axis("exposure in bits: log₂ candidates − log₂ rank", 0, float(seen.size), step=step),
        axis("number of canaries", 0, top),
        summary=f"Mean exposure of {ranks.size:,} canaries: {round_safely(mean, 'nearest')} bits "
        f"of at most {round_safely(math.log2(values), 'nearest')}; by chance "
        f"{round_safely(chance_exposure(values), 'nearest')}.",
        revision=(values, ranks.size),
    )


def exposure_counts(ranks: NDArray[np.int64], values: int) -> tuple[Floats, Floats]:
    """Canaries with an exposure of b to b + 1 bits for b = 0, 1, …: seen, and expected by chance.

    Parameters
    ----------
    ranks, values
        As in `exposures`.
    """
    bits = values.bit_length()
    # 2^b · rank ≤ values < 2^(b + 1) · rank, in whole numbers.
    of_rank = np.frexp((values // ranks).astype(float))[1] - 1
    seen = np.bincount(of_rank, minlength=bits).astype(float)
    ends = np.array([values >> b for b in range(bits + 1)])
    return seen, ranks.size * (ends[:-1] - ends[1:]) / values


def chance_exposure(values: int) -> float:
    """Mean exposure in bits where each rank is equally likely.

    Parameters
    ----------
    values : int
    """
    return (values * math.log(values) - math.lgamma(values + 1)) / (values * math.log(2))


def _look(style: Style) -> tuple[str, str, float]:
    return style.role, style.dash, style.width


def _allowed(x: Floats, values: int, epsilon: float) -> Floats:
    """P[rank ≤ x] that ε allows on average: its logit is that of chance, and ε more."""
    # x e^ε / (x e^ε + K − x), where e^ε may be beyond floats.
    found: Floats = x / (x + (values - x) * math.exp(-epsilon))
    return found


def _shares(ranks: NDArray[np.int64], values: int) -> tuple[Floats, Floats]:
    """Ranks at which the share of canaries up to them rises, with that share; few enough to draw."""
    at, several = np.unique(ranks, return_counts=True)
    share = np.cumsum(several) / ranks.size
    if at.size > MOST_STEPS:
        kept = np.unique(np.linspace(0, at.size - 1, MOST_STEPS).round().astype(int))
        at, share = at[kept], share[kept]
    j, y = at.astype(float), share
    if j[0] > 1:
        j, y = np.append(1.0, j), np.append(0.0, y)
    if j[-1] < values:
        j, y = np.append(j, float(values)), np.append(y, 1.0)
    return j, y
