"""The privacy profile of many steps, from the scores of one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.composition import ComposedHistogram
from workbench.curves.validation import Floats
from workbench.figures.compared import Compared
from workbench.figures.kit.axes import LEAST_DELTA, axis, delta_axis, round_up
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import LEFT, RIGHT, Style, label, line, markers, rule
from workbench.figures.kit.types import Figure
from workbench.figures.scores.curves import BAND, HISTOGRAM

#: The δ at which both curves are drawn; 0 is where they end.
DELTAS = np.append(0.0, np.logspace(math.log10(LEAST_DELTA), 0, 161)[:-1])

HERE = Style("", "muted", "dash", 1)
EMPTY_BINS = Style("", "p", "dash", 1)

#: What stands in place of the chart for a single step.
OFF = "Choose more than one step to see what they leak together."


def profile_over_steps(
    certified: Floats | None,
    estimated: Floats | None,
    histogram: ComposedHistogram | None,
    bound: Bound | None,
    estimate: Bound | None,
    compared: Sequence[Compared] = (),
    left_out: Sequence[str] = (),
) -> Figure:
    """Privacy profiles of k steps: certified, of the composed histogram, and of references.

    Parameters
    ----------
    certified, estimated : ndarray, optional
        Lower bounds on ε of the k steps, and estimates, at each of `DELTAS`; None for a single
        step, of which nothing is drawn.
    histogram : ComposedHistogram, optional
        Says the mass on empty bins.
    bound, estimate : Bound, optional
        ε at the chosen δ: certified, and by the composed histogram.
    compared : sequence of Compared
        The references, composed.
    left_out : sequence of str
        Names of references of which no composition is known.
    """
    if (
        certified is None
        or estimated is None
        or histogram is None
        or bound is None
        or estimate is None
    ):
        return empty(OFF, optional=True)
    delta, k, infinite = bound.delta or 0.0, histogram.k, histogram.infinite_mass
    there = [one for one in compared if math.isfinite(one.epsilon(delta))]
    ends = [
        1.35 * bound.value,
        1.15 * estimate.value,
        *(1.15 * one.epsilon(delta) for one in there),
    ]
    most = round_up(max([1.0, *filter(math.isfinite, ends)]))
    low = min(math.log10(LEAST_DELTA), math.log10(delta) - 1)
    # Where the axis goes on below the δ of the curves, these go on to where they end.
    shown = np.maximum(DELTAS, 10.0**low)
    kept = shown > 10.0**low * (1 - 1e-9)
    kept[0] &= low < math.log10(LEAST_DELTA)
    finite = kept & np.isfinite(estimated)
    x, y = estimated[finite], shown[finite]
    if infinite > 0:  # δ does not fall below that, whatever the ε
        x, y = np.append(most, x), np.append(max(infinite, 10.0**low), y)
    drawn = [line(HISTOGRAM, x, y), line(BAND, certified[kept], shown[kept])]
    styles, words = [HISTOGRAM, BAND], ""
    for one in compared:
        drawn.append(line(one.style, *one.profile(most, low, delta)))
        styles.append(one.style)
        words += f"; {one.words} ε = {round_safely(one.epsilon(delta), 'nearest')}"
    words += "".join(f"; no composition is known of {name}" for name in left_out)
    if infinite >= 10.0**low:
        mass = round_safely(infinite, "nearest")
        drawn += [
            rule(EMPTY_BINS, y=infinite),
            label(RIGHT, infinite, f"on empty bins: {mass}", "p", ha="right", va="top"),
        ]
        words += f"; bins that are empty on one side carry a mass of {mass}"
    return chart(
        [
            *drawn,
            markers(Style("certified ε at δ", "good"), [bound.value], [delta]),
            key(styles, columns=2),
            rule(HERE, y=delta),
            label(LEFT, delta, f"δ = {plain(delta)}", "muted", ha="left", va="top"),
        ],
        axis(f"ε of {k:,} steps", 0, most),
        delta_axis(low),
        summary=f"Privacy profile of {k:,} independent steps. At δ = {plain(delta)} every ε below "
        f"{bound.rounded} is refuted with {percent(bound.confidence or 0)} confidence; the "
        f"histograms, composed, estimate ε as {estimate.rounded}{words}.",
        closest=True,
        revision=(k, most, low),
    )
