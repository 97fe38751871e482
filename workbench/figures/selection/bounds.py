"""Charts of the privacy cost of selection: ε against δ and the number of runs, the worst order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from workbench._format import plain, round_safely
from workbench.figures.kit.axes import axis, gaps, powers_of_ten
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, ROW, key
from workbench.figures.kit.marks import Mark, Share, Style, histogram, label, line, markers, rule
from workbench.figures.kit.types import Figure
from workbench.selection.orders import BlockOrder

#: The curves, in the colors that they keep in every chart.
BASE = Style("one run", "ink", "dot", 1.5)
DIRECT = Style("monotone score, exact", "p")
RENYI = Style("monotone score, Rényi upper bound", "p", "dash", 1.5)
WORST = Style("worst order found, lower bound", "bad")
GENERIC = Style("any score, upper bound", "fit", "dashdot")
COMPOSITION = Style("any score, by composition", "fit", "dot")

HERE = Style("", "muted", "dash", 1)
WITH, WITHOUT = Style("with the record (P)", "p"), Style("without (Q)", "q")

#: The larger ε axis is logarithmic beyond this ratio.
_MUCH = 30

_NORMAL_PEAK = 1 / math.sqrt(2 * math.pi)


def profiles(
    curves: Mapping[Style, tuple[ArrayLike, ArrayLike]], here: Mapping[Style, float], delta: float
) -> Figure:
    """ε against δ.

    Parameters
    ----------
    curves : mapping
        Curve -> (δ, ε).
    here : mapping
        Curve -> ε at the δ in view.
    delta : float
    """
    points = [(np.asarray(x, dtype=float), np.asarray(y, dtype=float)) for x, y in curves.values()]
    shown = [y[np.isfinite(y)] for _, y in points]
    low = min(float(x.min()) for x, _ in points)
    top = 1.05 * max([0.1, *(float(y.max()) for y in shown if y.size)])
    share = headroom(len(curves))
    parts = "; ".join(_in_words(style, e) for style, e in here.items())
    ticks = powers_of_ten(range(math.ceil(math.log10(low)), 0, 2))
    return chart(
        [
            *(line(s, x, gaps(y)) for s, (x, y) in zip(curves, points, strict=True)),
            *(markers(s, [delta], [e]) for s, e in here.items() if math.isfinite(e)),
            key(list(curves)),
            rule(HERE, x=delta, end=Share(1 - share)),
        ],
        axis("δ", math.log10(low), -1, log=True, ticks=ticks),
        axis("ε", 0, top / (1 - share)),
        summary=f"ε at δ = {plain(delta)}: {parts}.",
        closest=True,
    )


def against_runs(
    x: ArrayLike, curves: Mapping[Style, ArrayLike], here: tuple[float, Mapping[Style, float]]
) -> Figure:
    """ε against the mean number of runs.

    Parameters
    ----------
    x : array_like, shape (n,)
        Mean numbers of runs.
    curves : mapping
        Curve -> ε at each of them.
    here : (float, mapping)
        The mean in view, and curve -> ε there.
    """
    mean, values = here
    ys = [np.asarray(y, dtype=float) for y in curves.values()]
    every = np.concatenate([*ys, list(values.values())])
    finite = every[np.isfinite(every) & (every > 0)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.1, 1.0)
    share = headroom(len(curves))
    if high > _MUCH * low:
        span = math.log10(1.1 * high / low)
        bottom = math.log10(0.9 * low)
        y_axis = axis("ε", bottom, bottom + span / (1 - share), log=True, step=1)
    else:
        y_axis = axis("ε", 0, 1.05 * high / (1 - share))
    most = math.log10(max(float(np.max(x)), mean)) + 0.05
    parts = "; ".join(_in_words(style, e) for style, e in values.items())
    return chart(
        [
            *(line(s, x, gaps(y)) for s, y in zip(curves, ys, strict=True)),
            *(markers(s, [mean], [e]) for s, e in values.items() if math.isfinite(e)),
            key(list(curves)),
        ],
        axis("mean number of runs", 0, most, log=True, step=1),
        y_axis,
        summary=f"With {plain(mean)} runs on average, ε: {parts}.",
        closest=True,
    )


def worst_order(order: BlockOrder, event: int, mu: float) -> Figure:
    """Blocks of outputs, shaded by their score, over the densities of one run.

    Parameters
    ----------
    order : BlockOrder
    event : int
        The block, from left to right, whose release gives the dataset away.
    mu : float
        The base is N(0,1) against N(μ,1).
    """
    left = min([-3.5, *(edge - 0.7 for edge in order.edges)])
    right = max([mu + 3.5, *(edge + 0.7 for edge in order.edges)])
    x = np.linspace(left, right, 241)
    top = 1.35 * _NORMAL_PEAK
    ends = (left, *order.edges, right)
    last = len(order.ranks) - 1
    blocks: list[Mark] = []
    notes: list[Mark] = []
    parts = []
    for i, rank in enumerate(order.ranks if last else ()):
        role, opacity = _shade(rank, last, i == event)
        words = _place(rank, last) + (": the event" if i == event else "")
        style = Style(words, role, width=0)
        blocks.append(histogram(style, ends[i : i + 2], [top], opacity=opacity, hover=""))
        notes.append(_block_name(words, i, last, ends, role))
        parts.append(f"({_end(order, i)}, {_end(order, i + 1)}) {words}")
    words = (
        f"Score by blocks, from left to right: {'; '.join(parts)}."
        if last
        else "No order was found that leaks more than the monotone one."
    )
    return chart(
        [
            *blocks,
            line(WITHOUT, x, _NORMAL_PEAK * np.exp(-(x**2) / 2)),
            line(WITH, x, _NORMAL_PEAK * np.exp(-((x - mu) ** 2) / 2)),
            key([WITH, WITHOUT], columns=2),
            *notes,
        ],
        axis("output of one run", left, right),
        axis("density", 0, top / (1 - HEADROOM / 2)),
        summary=words,
        revision=(left, right),
    )


def headroom(rows: int) -> float:
    """Share of a chart's height that a key of so many rows takes."""
    return min(0.45, (ROW * rows + 8) / 240)


def _in_words(style: Style, epsilon: float) -> str:
    """A limit in words, rounded to the safe side."""
    side = {BASE: "nearest", WORST: "down"}.get(style, "up")
    return f"{style.name} {round_safely(epsilon, side)}"


def _shade(rank: int, last: int, event: bool) -> tuple[str, float]:
    if event:
        return "bad", 0.2
    return ("muted", 0.25) if rank == last else ("muted", 0.07)


def _place(rank: int, last: int) -> str:
    if rank == last:
        return "scores highest"
    return "lowest" if rank == 0 else "second"


def _block_name(words: str, i: int, last: int, ends: Sequence[float], role: str) -> Mark:
    """A block's name at the top of the block, at the outer ends of the outer ones."""
    outer = {0: ("left", ends[0], 6), last: ("right", ends[-1], -6)}
    anchor, x, shift = outer.get(i, ("center", (ends[i] + ends[i + 1]) / 2, 0))
    # On a phone the middle's name would meet those of its neighbors.
    below = 0 if i in (0, last) else -20
    y = Share(1 - HEADROOM / 2 - 0.03)
    return label(x, y, words, role, ha=anchor, va="top", dx=shift, dy=below)


def _end(order: BlockOrder, i: int) -> str:
    ends = (-math.inf, *order.edges, math.inf)
    return f"{ends[i]:.3g}".replace("inf", "∞").replace("-", "−")
