"""Charts of a confusion matrix: ε by every interval, and limits of the error rates."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.bounds.counts.counts import Counts
from workbench.curves.error_rates import epsilon_of_point
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import TOP, Style, label, line, markers, rule, whiskers
from workbench.figures.kit.types import Figure

#: Color roles of intervals with guaranteed and with approximate coverage.
KEPT, APPROXIMATE = "good", "warn"

CLAIM = Style("allowed by the bound on ε", "good")
LIMITS = Style("limits of both rates", "p", "dash", 1.5)
#: Color and dash of the limits of one rate, of which none has the look of another: the first is
#: Clopper–Pearson, which keeps its level.
LOOKS = (
    *(("good", "solid"), ("warn", "solid"), ("fit", "dot")),
    *(("p", "dash"), ("q", "dashdot"), ("muted", "solid")),
)
OBSERVED = Style("observed rates", "ink")
END = Style("", "muted")


def intervals(bounds: Mapping[str, Bound], observed: float) -> Figure:
    """One row per interval: its lower limit, and the upper one where there are two.

    Parameters
    ----------
    bounds : mapping
        Label -> bound on one and the same quantity.
    observed : float
        The quantity at the observed rates, without any allowance for chance.
    """
    low = np.array([bound.value for bound in bounds.values()])
    high = np.array([b.value if b.high is None else b.high for b in bounds.values()])
    roles = [_role(bound) for bound in bounds.values()]
    seen = [x for x in (*low, *high, observed) if math.isfinite(x)]
    reach = 1.1 * max([*seen, 0.1])
    shown = np.minimum(high, reach)
    first = next(iter(bounds.values()))
    hover = [f"{name}: {bound.relation} {bound.rounded}" for name, bound in bounds.items()]
    right = observed < 0.7 * reach
    compared = (
        dot_rows.compared_with(observed, "observed", right) if math.isfinite(observed) else []
    )
    sides = "two-sided" if first.high is not None else "lower limits"
    return chart(
        [
            whiskers("lower limit", low, low, shown, roles, hover),
            *compared,
            *dot_rows.names(list(bounds), roles, 14),
        ],
        axis(f"{first.symbol}, {percent(first.confidence or 0)} {sides}", -0.02 * reach, reach),
        dot_rows.axis(len(bounds)),
        summary="; ".join(hover) + ".",
        closest=True,
        **dot_rows.size(len(bounds)),
    )


def error_rates(counts: Counts, limits: tuple[float, float], bound: Bound) -> Figure:
    """Observed error rates, their upper limits, and the rates that the bound on ε still allows.

    Parameters
    ----------
    counts : Counts
    limits : (float, float)
        Upper limits of the false positive and the false negative rate, valid together.
    bound : Bound
        On ε.
    """
    fpr, fnr = counts.fp / counts.n_q, counts.fn / counts.n_p
    alpha = np.concatenate([[0.0], np.logspace(-6, -2, 80), np.linspace(0.0101, 1, 200)])
    delta, a = bound.delta or 0.0, math.exp(min(bound.value, 700))
    allowed = np.maximum.reduce([0 * alpha, 1 - delta - a * alpha, (1 - delta - alpha) / a])
    reach = min(1.0, 1.6 * max(*limits, 0.05))
    allowed = np.where(allowed <= reach, allowed, np.nan)  # above is the key
    return chart(
        [
            line(CLAIM, alpha, allowed),
            line(LIMITS, [0, limits[0], limits[0]], [limits[1], limits[1], 0], hover=""),
            markers(OBSERVED, [fpr], [fnr], size=9, outline=None),
            key([CLAIM, LIMITS]),
            label(fpr, fnr, "observed", "ink", dy=-14),
        ],
        axis("false positive rate", 0, reach),
        axis("false negative rate", 0, reach / (1 - HEADROOM)),
        summary=f"False positive rate {plain(fpr)}, false negative rate {plain(fnr)}, "
        f"at most {plain(limits[0])} and {plain(limits[1])}. Every ε below {bound.rounded} "
        "would need larger error rates.",
        closest=True,
        revision=reach,
    )


def posterior(epsilon: ArrayLike, mass: ArrayLike, interval: Bound) -> Figure:
    """Posterior probability that the attack shows at most ε, and the credible interval.

    Parameters
    ----------
    epsilon, mass : array_like, shape (n,)
        The posterior's distribution function.
    interval : Bound
        The credible interval.
    """
    low, high = interval.value, interval.high if interval.high is not None else math.inf
    ends = [x for x in (low, high) if math.isfinite(x)]
    return chart(
        [
            line(Style("posterior probability", "warn"), epsilon, mass),
            *(rule(END, x=x) for x in ends),
            *(
                label(x, TOP, round_safely(x, "nearest"), "muted", ha="left", va="top", dx=3)
                for x in ends
            ),
        ],
        axis(interval.symbol, float(np.min(epsilon)), float(np.max(epsilon))),
        axis("probability of at most this", 0, 1.02, format=".0%"),
        summary=f"Bayesian region: {interval.symbol} {interval.relation} {interval.rounded}, "
        f"{percent(interval.confidence or 0)}, approximate.",
    )


def misses(rates: ArrayLike, shares: Mapping[str, ArrayLike], allowed: float) -> Figure:
    """How often each upper limit lies below the true rate, over true rates.

    Parameters
    ----------
    rates : array_like, shape (n,)
        True false positive rates.
    shares : mapping
        Label -> probability of a miss at each of them.
    allowed : float
    """
    styles = [
        Style(name, *look, 1.5) for name, look in zip(shares, LOOKS[: len(shares)], strict=True)
    ]
    top = 1.15 * max(allowed, *(float(np.max(share)) for share in shares.values()))
    worst = ", ".join(f"{name} {float(np.max(share)):.1%}" for name, share in shares.items())
    return chart(
        [
            *(line(s, rates, share) for s, share in zip(styles, shares.values(), strict=True)),
            key(styles, columns=3),
            rule(dot_rows.COMPARED, y=allowed),
        ],
        axis("true false positive rate", float(np.log10(np.min(rates))), float(np.log10(0.5)),
             log=True),
        axis("misses", 0, top / (1 - HEADROOM / 2), format=".0%"),
        summary=f"Largest share of misses: {worst}; {percent(allowed)} are allowed.",
    )  # fmt: skip


def observed_epsilon(counts: Counts, delta: float) -> float:
    """ε at the observed error rates, as if they were the true ones."""
    return float(epsilon_of_point(counts.fp / counts.n_q, counts.fn / counts.n_p, delta))


def _role(bound: Bound) -> str:
    return APPROXIMATE if bound.guarantee == "approximate" else KEPT
