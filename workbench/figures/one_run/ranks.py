"""Charts of ranks: where the true value of each canary stands among its candidates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench._format import plain, round_safely
from workbench.bounds.bound import Bound
from workbench.curves.validation import Floats
from workbench.figures.kit.axes import axis, count_axis, powers_of_ten
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
from workbench.figures.kit.types import Axis, Figure
from workbench.onerun.guesses import Guesses

SEEN = Style("seen", "p")
CHANCE = Style("by chance", "muted", "dash", 1.5)
ALLOWED = Style("", "good", "solid", 1.5)
CHOSEN = Style("", "ink", "dot", 1.5)
FOUND = Style("", "p")

#: Standard deviations of a law that are drawn on each side of its mean.
WIDTH = 4

#: Points of a curve, and of the steps of what was seen, at most.
POINTS, MOST_STEPS = 120, 1000

#: Candidates up to which each rank has a tick, and up to which ticks are written out.
FEW, WRITTEN_OUT = 10, 10_000


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
        On ε; the most that its ε allows on average at δ = 0 is drawn, too.
    """
    j, share = _shares(ranks, values)
    x = np.unique(np.geomspace(1, values, POINTS))
    curves: list[Mark] = [line(CHANCE, x, x / values, hover="")]
    names = [SEEN, CHANCE]
    if bound is not None and 0 < bound.value < math.inf:
        allowed = Style(f"at most by ε = {bound.rounded}", *_look(ALLOWED))
        curves.append(line(allowed, x, _allowed(x, values, bound.value), hover=""))
        names.append(allowed)
    here = float(np.mean(ranks <= top))
    words = "named by a guess" if top == 1 else f"the first {top:,} are named"
    right = math.log(top) > 0.6 * math.log(values)
    return chart(
        [
            *curves,
            steps(SEEN, j, share, hover="rank ≤ {x:,.0f}: {y:.1%}"),
            rule(CHOSEN, x=top, end=Share(1 - HEADROOM)),
            markers(SEEN, [top], [here], size=9, hover="rank ≤ {x:,.0f}: {y:.1%}"),
            label(top, Share(1 - HEADROOM), words, "ink", ha="right" if right else "left",
                  va="top", dx=-5 if right else 5),
            key(names),
        ],
        _rank_axis(values),
        axis("share of canaries up to the rank", 0, 1.02 / (1 - 1.4 * HEADROOM),
             format=".0%", ticks={s: f"{s:.0%}" for s in (0, 0.25, 0.5, 0.75, 1)}),
        summary=f"{here:.1%} of {ranks.size:,} canaries have their true value "
        f"{'first' if top == 1 else f'among the first {top:,}'} of {values:,} candidates; by "
        f"chance {plain(100 * top / values)}%.",
        closest=True,
        revision=values,
    )  # fmt: skip


def correct(guesses: Guesses, bound: Bound | None = None) -> Figure:
    """How likely each number of correct guesses is by chance, and the number that was seen.

    Parameters
    ----------
    guesses : Guesses
        At least one, each of `Guesses.top` of the values.
    bound : Bound, optional
        On ε; the law of the most that its ε allows at δ = 0 is drawn, too.
    """
    r, by_chance = guesses.guesses, math.log(guesses.top / (guesses.values - guesses.top))
    laws = [(CHANCE, by_chance)]
    if bound is not None and 0 < bound.value < math.inf:
        allowed = Style(f"at most by ε = {bound.rounded}", *_look(ALLOWED))
        laws.append((allowed, by_chance + bound.value))
    spans = [_span(r, odds) for _, odds in laws]
    low = min(guesses.correct, *(first for first, _ in spans))
    high = max(guesses.correct, *(last for _, last in spans))
    room = max(0.06 * (high - low), 0.5)
    right = guesses.correct > low + 0.5 * (high - low)
    return chart(
        [
            *(line(style, *_pmf(r, odds, low, high), hover="") for style, odds in laws),
            rule(FOUND, x=guesses.correct, end=Share(1 - HEADROOM)),
            label(guesses.correct, Share(1 - HEADROOM), f"correct: {guesses.correct:,}", SEEN.role,
                  ha="right" if right else "left", va="top", dx=-5 if right else 5),
            key([style for style, _ in laws]),
        ],
        axis("number of correct guesses", low - room, high + room, most_ticks=6),
        axis("probability, of its largest", 0, 1.05 / (1 - 1.4 * HEADROOM), format=".0%",
             ticks={s: f"{s:.0%}" for s in (0, 0.5, 1)}),
        summary=f"{guesses.correct:,} of {r:,} guesses are correct; by chance "
        f"{round_safely(r * guesses.top / guesses.values, 'nearest')} would be.",
        revision=(r, guesses.values),
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


def _rank_axis(values: int) -> Axis:
    """A logarithmic axis of ranks, with counts written out as long as there is room for them."""
    title, margin = "rank of the true value among its candidates", 0.03
    if values <= WRITTEN_OUT:
        ticks = range(1, values + 1) if values <= FEW else None
        return count_axis(title, 1, values, margin=margin, ticks=ticks)
    last = math.log10(values)
    extra, powers = margin * last, powers_of_ten(range(math.floor(last) + 1))
    return axis(title, -extra, last + extra, log=True, ticks=powers)


def _span(r: int, log_odds: float) -> tuple[int, int]:
    """Where a binomial law of these odds is, all but a few in ten thousand."""
    p = 1 / (1 + math.exp(-log_odds))
    reach = WIDTH * math.sqrt(r * p * (1 - p)) + 2
    return max(math.floor(r * p - reach), 0), min(math.ceil(r * p + reach), r)


def _pmf(r: int, log_odds: float, low: int, high: int) -> tuple[Floats, Floats]:
    """A binomial law from ``low`` to ``high``, over its largest probability."""
    first, last = _span(r, log_odds)
    inside = np.unique(np.linspace(first, last, min(last - first + 1, POINTS)).round())
    k = np.unique(np.concatenate([[low], inside, [high]]))
    orders = np.array([math.lgamma(i + 1) + math.lgamma(r - i + 1) for i in k])
    log = k * log_odds - orders
    return k, np.exp(log - log.max())


def _look(style: Style) -> tuple[str, str, float]:
    return style.role, style.dash, style.width


def _allowed(x: Floats, values: int, epsilon: float) -> Floats:
    """P[rank ≤ x] that ε allows on average: its logit is that of chance, and ε more."""
    # x e^ε / (x e^ε + K − x), where e^ε may be beyond floats.
    found: Floats = x / (x + (values - x) * math.exp(-epsilon))
    return found


def _shares(ranks: NDArray[np.int64], values: int) -> tuple[Floats, Floats]:
    """Ranks at which the share of canaries up to them rises, and that share; at most so many."""
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
