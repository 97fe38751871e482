"""Charts of what else scores say: posterior mass of a curve's region, exposure among candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench._format import plain, round_safely
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.curves.exposure import (
    exposure_limits,
    mean_exposures,
    true_positive_rates,
    without_leak,
)
from workbench.curves.validation import Floats
from workbench.estimators.exposures import ExposureCurve
from workbench.figures.compared import Compared
from workbench.figures.kit.axes import axis, count_axis
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import Style, line
from workbench.figures.kit.scales import LINEAR, Scale
from workbench.figures.kit.types import Figure

OBSERVED = Style("observed", "p")
BAND = Style("simultaneous", "good")
FIT = Style("GDP fit", "fit", "dashdot")
NO_LEAK = Style("no leak", "muted", "solid", 1)
FIRST = Style("always the first", "muted", "dot", 1)

#: Ticks of an axis of probabilities.
SHARES = {k / 4: f"{k / 4:g}" for k in range(5)}

#: The number of candidates that a summary takes as its example, and all at which limits are drawn.
EXAMPLE = 1000
CANDIDATES = tuple(sorted({EXAMPLE, *np.geomspace(2, 10**6, 13).round().astype(int).tolist()}))


def posterior_mass(
    thresholds: Floats,
    masses: Sequence[tuple[Style, Floats]],
    scale: Scale = LINEAR,
) -> Figure:
    """Posterior mass of the regions of curves, at each threshold alone.

    Parameters
    ----------
    thresholds : ndarray
    masses : sequence of (Style, ndarray)
        How a curve is called and drawn, and the mass at each threshold.
    scale : Scale
        Of the axis of thresholds.
    """
    x = scale.place(thresholds)
    hover: dict[str, Any] = (
        {} if scale.hover is None else {"hover": scale.hover, "values": thresholds}
    )
    span = float(thresholds[0]), float(thresholds[-1])
    least = "; ".join(
        f"{style.name}: {round_safely(float(mass.min()), 'nearest')} at "
        f"{thresholds[int(np.argmin(mass))]:.4g}"
        for style, mass in masses
    )
    return chart(
        [
            *(line(style, x, mass, **hover) for style, mass in masses),
            key([style for style, _ in masses], columns=min(len(masses), 2)),
        ],
        scale.axis("threshold (score)" if scale is LINEAR else "threshold", *span),
        axis("posterior mass", -0.02, 1.02 / (1 - HEADROOM), ticks=SHARES),
        summary=f"Posterior mass of the error rates that each curve allows, at each threshold "
        f"alone; the least of each: {least}. A Bayesian credibility, no confidence.",
        closest=True,
        revision=(*span, scale.name),
    )


def exposure(
    observed: ExposureCurve, band: TradeoffBand, compared: Sequence[Compared] = ()
) -> Figure:
    """Mean exposure of a canary among k candidates, in bits.

    Parameters
    ----------
    observed : ExposureCurve
    band : TradeoffBand
        Gives what is certified.
    compared : sequence of Compared
        The claim and references, with the most that each allows.
    """
    ks, at = np.array(CANDIDATES), CANDIDATES.index(EXAMPLE)
    certified = mean_exposures(true_positive_rates(band.curve)[:-1], CANDIDATES)
    nothing = np.asarray(without_leak(ks))
    drawn = [line(NO_LEAK, ks, nothing)]
    styles, promised = [OBSERVED, BAND], ""
    tops = [nothing.max(), certified.max(), observed.exposure.max()]
    for one in compared:
        most = exposure_limits(one.pair.tradeoff, CANDIDATES)
        drawn.append(line(one.style, ks, most))
        styles.append(one.style)
        tops.append(most.max())
        promised += f"; {one.style.name} allows {round_safely(float(most[at]), 'up')}"
    highest = 1.08 * float(max(tops))
    below = np.log2(ks) <= max(highest, 1.0)  # the key is above
    drawn += [
        line(FIRST, ks[below], np.log2(ks[below]), hover=""),
        line(BAND, ks, certified),
        line(OBSERVED, observed.candidates, observed.exposure),
        key([*styles, NO_LEAK, FIRST], columns=2),
    ]
    top = highest / (1 - 1.5 * HEADROOM)
    return chart(
        drawn,
        count_axis("candidates k", 2, CANDIDATES[-1], margin=0.06),
        axis("mean exposure (bits)", 0, top),
        summary=f"Mean exposure of a canary among k candidates. Of {EXAMPLE:,} it is at least "
        f"{round_safely(float(certified[at]), 'down')} bits with the band's confidence{promised}; "
        f"without a leak it is {plain(round(float(without_leak(EXAMPLE)), 2))}.",
        closest=True,
        revision=top,
    )


def no_posterior() -> Figure:
    """Nothing, until the posterior mass is asked for."""
    return empty("The posterior mass is not shown.", optional=True)
