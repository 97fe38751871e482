"""Scales of axes: of scores, and of error rates.

A `Scale` takes scores to the places at which marks are drawn: linear, logarithmic, logit, or by
rank among the pooled scores. `RateAxes` do so with pairs of error rates: linear, log–log, or
probit. On a logarithmic axis, which plotly has itself, marks keep their coordinates; the other axes
are linear in what `Scale.place` and `RateAxes.points` return.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.curves.tradeoff import TradeoffCurve
from workbench.figures.kit.axes import axis, power_of_ten
from workbench.figures.kit.types import Axis
from workbench.scores.ordered import OrderedGroup

Floats = NDArray[np.float64]

#: False positive rates at which smooth curves are drawn: dense at both ends.
ALPHA = np.unique(np.concatenate([np.logspace(-6, -1, 60), np.linspace(0, 1, 161)]))

#: Points of a curve on other axes, and of one with all its vertices on linear ones, at most.
POINTS, MOST_POINTS = 241, 2000

#: Rates with a tick on probit axes.
PROBITS = (1e-6, 1e-4, 0.01, 0.1, 0.5, 0.9, 0.99)

#: What a pointer shows where places are not rates.
RATES_HOVER = "false positives {value[0]:.3g}<br>false negatives {value[1]:.3g} {name}"

_NORMAL = NormalDist()
_quantile = np.vectorize(_NORMAL.inv_cdf, otypes=[float])

#: Ticks of an axis of ranks.
RANKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)

#: Exponents of ticks on each side of a logit axis, about.
EXPONENTS = 3


class Scale:
    """The linear scale, and base of the others.

    Attributes
    ----------
    name : str
    suffix : str
        What the title of an axis adds to the name of the score.
    density : str
        Title of an axis of densities: relative to what lengths on this axis are.
    hover : str, optional
        What a pointer shows at a point, with the score as value; None for its coordinates.
    """

    name: ClassVar[str] = "linear"
    suffix: ClassVar[str] = ""
    density: ClassVar[str] = "density"
    hover: ClassVar[str | None] = "score {value:.4g}: {y:.3g} {name}"

    def place(self, score: ArrayLike) -> Floats:
        """Places of scores, increasing; NaN outside the scale."""
        return np.asarray(score, dtype=float)

    def has(self, score: float) -> bool:
        """Whether a score has a place."""
        return True

    def across(self, low: float, high: float, points: int) -> Floats:
        """Scores at equal distances on the axis."""
        return np.linspace(low, high, points)

    def held(self, score: float, low: float, high: float) -> float:
        """The place of a score, held at the ends of an axis between two scores."""
        return float(self.place(min(max(score, low), high)))

    def bins(self, edges: Floats, low: float, high: float) -> tuple[Floats, Floats]:
        """Places of the edges of bins, and the lengths of the bins.

        Parameters
        ----------
        edges : ndarray, shape (k + 1,)
            In score units; the outer bins are open.
        low, high : float
            The least and the largest score that is shown. On axes other than a linear one, the
            outer bins end there.

        Returns
        -------
        places : ndarray, shape (k + 1,)
        lengths : ndarray, shape (k,)
            In the unit that `density` names; 0 for bins without room, which hold no score.
        """
        return edges, np.diff(edges)

    def axis(self, title: str, low: float, high: float) -> Axis:
        """The axis between two scores."""
        return axis(f"{title}{self.suffix}", low, high)

    def share(self, score: float, low: float, high: float) -> float:
        """Which share of an axis between two scores lies left of a third one, held within it."""
        first, last, at = self.place([low, high, min(max(score, low), high)]).tolist()
        return float((at - first) / (last - first))

    def middle(self, first: float, second: float) -> float:
        """The place in the middle between two places."""
        return (first + second) / 2


class Linear(Scale):
    """The linear scale."""

    hover = None

    def held(self, score: float, low: float, high: float) -> float:
        """See `Scale.held`."""
        return min(max(score, low), high)

    def share(self, score: float, low: float, high: float) -> float:
        """See `Scale.share`."""
        return (score - low) / (high - low)


class Log(Scale):
    """The logarithmic scale of positive scores."""

    name = "log"
    suffix = " (log scale)"
    density = "density per decade"
    hover = None

    def has(self, score: float) -> bool:
        """Whether a score is positive."""
        return score > 0

    def across(self, low: float, high: float, points: int) -> Floats:
        """Scores at equal ratios."""
        return np.geomspace(low, high, points)

    def bins(self, edges: Floats, low: float, high: float) -> tuple[Floats, Floats]:
        """See `Scale.bins`."""
        places = _within(edges, low, high)
        return places, np.diff(np.log10(places))

    def axis(self, title: str, low: float, high: float) -> Axis:
        """The axis between two scores."""
        first, last = math.log10(low), math.log10(high)
        margin = 0.01 * (last - first) or 0.1
        return axis(
            f"{title}{self.suffix}",
            first - margin,
            last + margin,
            log=True,
            step=float(max(1, math.ceil((last - first) / 6))),
        )

    def share(self, score: float, low: float, high: float) -> float:
        """See `Scale.share`."""
        return math.log(min(max(score, low), high) / low) / math.log(high / low)

    def middle(self, first: float, second: float) -> float:
        """The geometric mean."""
        return math.sqrt(first) * math.sqrt(second)


class Logit(Scale):
    """The scale log(x / (1 − x)) of scores between 0 and 1."""

    name = "logit"
    suffix = " (logit scale)"
    density = "density per unit of logit"

    def has(self, score: float) -> bool:
        """Whether a score lies between 0 and 1."""
        return 0 < score < 1

    def place(self, score: ArrayLike) -> Floats:
        """Logits of scores; NaN outside (0, 1)."""
        x = np.asarray(score, dtype=float)
        inside = np.where((x > 0) & (x < 1), x, np.nan)
        return np.asarray(np.log(inside) - np.log1p(-inside))

    def across(self, low: float, high: float, points: int) -> Floats:
        """Scores at equal distances of their logits."""
        first, last = self.place([low, high]).tolist()
        logits = np.linspace(first, last, points)
        return 0.5 * (1 + np.tanh(logits / 2))

    def bins(self, edges: Floats, low: float, high: float) -> tuple[Floats, Floats]:
        """See `Scale.bins`."""
        places = self.place(_within(edges, low, high))
        return places, np.diff(places)

    def axis(self, title: str, low: float, high: float) -> Axis:
        """The axis between two scores."""
        first, last = self.place([low, high]).tolist()
        margin = 0.01 * (last - first) or 0.1
        return axis(
            f"{title}{self.suffix}", first - margin, last + margin, ticks=_shares(low, high)
        )


class Rank(Scale):
    """The scale of ranks: the share of all scores, of both groups, that lie below a score.

    Parameters
    ----------
    pooled : OrderedGroup
        The finite scores of both groups, in score units.
    """

    name = "rank"
    density = "density relative to all scores"

    def __init__(self, pooled: OrderedGroup):
        self._pooled = pooled

    def place(self, score: ArrayLike) -> Floats:
        """Shares of scores below, of equal ones half."""
        both = np.asarray(self._pooled.below(score)) + np.asarray(self._pooled.up_to(score))
        return np.asarray(both / (2 * self._pooled.size))

    def bins(self, edges: Floats, low: float, high: float) -> tuple[Floats, Floats]:
        """See `Scale.bins`."""
        inner = np.asarray(self._pooled.below(edges[1:-1])) / self._pooled.size
        places = np.concatenate([[0.0], inner, [1.0]])
        return places, np.diff(places)

    def axis(self, title: str, low: float, high: float) -> Axis:
        """The axis of all ranks."""
        ticks = {rank: f"{rank:.0%}" for rank in RANKS}
        return axis(f"share of all scores below this {title}", 0, 1, ticks=ticks)


LINEAR, LOG, LOGIT = Linear(), Log(), Logit()


def per_length(shares: Floats, lengths: Floats) -> Floats:
    """Densities of bins on a scale; 0 where there is no room, as there is no score."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(lengths > 0, shares / lengths, 0.0)


def _within(edges: Floats, low: float, high: float) -> Floats:
    inside = np.clip(edges, low, high)
    inside[0], inside[-1] = low, high
    return inside


def _shares(low: float, high: float) -> dict[float, str]:
    """Ticks of a logit axis: powers of ten towards both ends, and shares between them."""
    texts = {0.1: "0.1", 0.5: "0.5", 0.9: "0.9"}
    below, above = -math.log10(low), -math.log10(1 - high)
    for most, towards_one in ((below, False), (above, True)):
        step = max(1, math.ceil(most / EXPONENTS))
        for k in range(1 + step, math.floor(most + 1e-9) + 1, step):
            share = 10.0**-k
            text = f"10<sup>−{k}</sup>"
            texts[1 - share if towards_one else share] = f"1−{text}" if towards_one else text
    shown = {share: text for share, text in texts.items() if low <= share <= high}
    return {math.log(share) - math.log1p(-share): text for share, text in sorted(shown.items())}


class RateAxes:
    """Linear axes: false positive rates, and false negative rates above them.

    Attributes
    ----------
    name : str
    low_key : bool
        Whether the corner that curves leave free is the lower one on the right.
    hovers : bool
        Whether a pointer has to show rates, as places are none: `RATES_HOVER`.
    alpha : ndarray
        False positive rates at which smooth curves are drawn.
    """

    name: ClassVar[str] = "linear"
    low_key: ClassVar[bool] = False
    hovers: ClassVar[bool] = False
    alpha: Floats = ALPHA

    def points(self, fpr: ArrayLike, fnr: ArrayLike) -> tuple[Floats, Floats]:
        """Places of pairs of rates; those of a curve may be NaN beyond the axes."""
        return np.asarray(fpr, dtype=float), np.asarray(fnr, dtype=float)

    def held(self, fpr: float, fnr: float) -> tuple[float, float]:
        """The place of one pair of rates, held at the ends of the axes."""
        return fpr, fnr

    def rates(self, curve: TradeoffCurve) -> tuple[Floats, Floats]:
        """Points of a trade-off curve: its vertices, thinned to what a chart can show."""
        if curve.alpha.size <= MOST_POINTS:
            return curve.alpha, curve.beta
        return ALPHA, np.asarray(curve.tradeoff(ALPHA, symmetric=False))

    def fpr(self, x: float) -> float:
        """The false positive rate at a place."""
        return x

    @property
    def no_leak(self) -> tuple[list[float], list[float]]:
        """Places of the ends of the line FPR + FNR = 1."""
        return [0, 1], [1, 0]

    def axes(self) -> tuple[Axis, Axis]:
        """Both axes."""
        return axis("false positive rate", 0, 1), axis("false negative rate", 0, 1.02)


class _Stretched(RateAxes):
    """Base of axes on which small rates have room: as small as half a score in a group.

    Parameters
    ----------
    n : int
        Size of the larger group.
    """

    def __init__(self, n: int):
        self.least = 10.0 ** math.floor(math.log10(0.5 / n))

    def rates(self, curve: TradeoffCurve) -> tuple[Floats, Floats]:
        """Points of a trade-off curve, which is no polygon on these axes."""
        return self.alpha, np.asarray(curve.tradeoff(self.alpha, symmetric=False))


class LogLog(_Stretched):
    """Logarithmic axes: true positive rates above false positive ones, as in membership inference.

    The true positive rate is 1 − FNR: on a logarithmic axis of false negative rates, those near 1
    could not be told apart.
    """

    name = "log"
    low_key = True

    def __init__(self, n: int):
        super().__init__(n)
        self.alpha = np.geomspace(self.least, 1, POINTS)

    def points(self, fpr: ArrayLike, fnr: ArrayLike) -> tuple[Floats, Floats]:
        """Places of pairs of rates, NaN where one is below the axes."""
        x, y = np.asarray(fpr, dtype=float), 1 - np.asarray(fnr, dtype=float)
        least = self.least * (1 - 1e-9)
        return np.where(x >= least, x, np.nan), np.where(y >= least, y, np.nan)

    def held(self, fpr: float, fnr: float) -> tuple[float, float]:
        """See `RateAxes.held`."""
        return max(fpr, self.least), max(1 - fnr, self.least)

    @property
    def no_leak(self) -> tuple[list[float], list[float]]:
        """Places of the ends of the line TPR = FPR."""
        return [self.least, 1.0], [self.least, 1.0]

    def axes(self) -> tuple[Axis, Axis]:
        """Both axes."""
        low = round(math.log10(self.least))
        step = max(1, math.ceil(-low / 5))
        ticks = {10.0**k: power_of_ten(k) for k in range(0, low - 1, -step)}
        titles = ("false positive rate (log scale)", "true positive rate (log scale)")
        x, y = (axis(title, low, 0.05, log=True, ticks=ticks) for title in titles)
        return x, y


class Probit(_Stretched):
    """Probit axes, on which the curve of a Gaussian pair is a line of slope −1."""

    name = "probit"
    hovers = True

    def __init__(self, n: int):
        super().__init__(n)
        self.edge = -_NORMAL.inv_cdf(self.least)
        self._probits = np.linspace(-self.edge, self.edge, POINTS)
        self.alpha = np.array([_NORMAL.cdf(z) for z in self._probits])

    def points(self, fpr: ArrayLike, fnr: ArrayLike) -> tuple[Floats, Floats]:
        """Places of pairs of rates; those near 0 and 1 lie just beyond the axes."""
        beyond = self.least / 10
        x, y = (np.clip(rate, beyond, 1 - beyond) for rate in (fpr, fnr))
        return self._probits if fpr is self.alpha else _quantile(x), _quantile(y)

    def held(self, fpr: float, fnr: float) -> tuple[float, float]:
        """See `RateAxes.held`."""
        x, y = (_NORMAL.inv_cdf(min(max(rate, self.least), 1 - self.least)) for rate in (fpr, fnr))
        return x, y

    def fpr(self, x: float) -> float:
        """The false positive rate at a place."""
        return _NORMAL.cdf(x)

    @property
    def no_leak(self) -> tuple[list[float], list[float]]:
        """Places of the ends of the line FPR + FNR = 1."""
        return [-self.edge, self.edge], [self.edge, -self.edge]

    def axes(self) -> tuple[Axis, Axis]:
        """Both axes."""
        ticks = {_NORMAL.inv_cdf(r): _rate(r) for r in PROBITS if r >= self.least}
        titles = ("false positive rate (probit scale)", "false negative rate (probit scale)")
        x, y = (axis(title, -self.edge, self.edge, ticks=ticks, turned=0) for title in titles)
        return x, y


LINEAR_RATES = RateAxes()


def rate_axes(name: str, n: int) -> RateAxes:
    """Axes of error rates by name.

    Parameters
    ----------
    name : {"linear", "log", "probit"}
    n : int
        Size of the larger group of scores.
    """
    if name == "linear":
        return LINEAR_RATES
    made: RateAxes = {"log": LogLog, "probit": Probit}[name](n)
    return made


def _rate(rate: float) -> str:
    return power_of_ten(round(math.log10(rate))) if rate < 1e-3 else f"{rate:g}"
