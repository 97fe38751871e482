"""Histogram of two samples, and the hockey-stick divergence estimated from it.

With k bins, the first and the last open-ended, and relative frequencies p̂, q̂ of the two groups,

    Ĥ_{e^ε}(P‖Q) = Σ_j [p̂_j − e^ε q̂_j]₊ .

Two biases work against each other: noise makes the estimate too large, so that it is positive even
where P = Q, and bins that join scores of different likelihood ratios make it too small. It has no
guarantee. `workbench.estimators.cross_fitting` takes the first bias away, and
`workbench.bounds.simultaneous.fixed_bins` has limits for bins fixed in advance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.curves.tradeoff import TradeoffCurve
from workbench.curves.validation import DIRECTIONS
from workbench.estimators.bin_rules import RANGE_TAIL as RANGE_TAIL
from workbench.estimators.bin_rules import (
    WIDTH_RULES,
    bin_width,
    default_range,
    quantile_bins,
    quantile_edges,
)
from workbench.estimators.cross_fitting import cross_fitted_hockey_stick
from workbench.scores.sample import Scores, require_scores

if TYPE_CHECKING:
    import pandas as pd

#: Largest number of bins; more would only slow the display.
MOST_BINS = 100_000

RULES = ("quantile", *WIDTH_RULES)
Rule = Literal["quantile", "scott", "fd", "plugin", "wand", "knuth"]


@dataclass(frozen=True, eq=False, repr=False)
class Histogram:
    """Relative frequencies of both groups over common bins.

    Attributes
    ----------
    scores : Scores
    edges : ndarray, shape (k + 1,)
        In score units. The outer bins are open: they also hold what lies beyond the outer edges.
    p_counts, q_counts : ndarray of int, shape (k,) or (k + 1,)
        Counts of the k bins; where there are NaN scores, an additional last entry counts them.
    rule : str
        "fixed", or the name of the rule that chose the bins.
    from_data : bool
        Whether width, range or edges were derived from these scores, so that fixed-bin limits do
        not hold.
    """

    scores: Scores
    edges: NDArray[np.float64]
    p_counts: NDArray[np.int64]
    q_counts: NDArray[np.int64]
    rule: str
    from_data: bool

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.fields(self)
        edges, bins = self.edges, self.edges.size - 1
        shapes = {self.p_counts.shape, self.q_counts.shape}
        if edges.ndim != 1 or bins < 1 or shapes not in ({(bins,)}, {(bins + 1,)}):
            raise ValueError(
                f"p_counts and q_counts must have one count for each of the {bins} bins between "
                f"edges, got shapes {self.p_counts.shape} and {self.q_counts.shape}"
            )

    @property
    def bins(self) -> int:
        """Number of bins, without the one for NaN."""
        return self.edges.size - 1

    @property
    def p(self) -> NDArray[np.float64]:
        """Relative frequencies of P, which sum to 1."""
        return self.p_counts / self.scores.n_p

    @property
    def q(self) -> NDArray[np.float64]:
        """Relative frequencies of Q, which sum to 1."""
        return self.q_counts / self.scores.n_q

    @cached_property
    def curve(self) -> TradeoffCurve:
        """Trade-off function between the two histograms: bins in decreasing order of p̂/q̂."""
        p, q = self.p, self.q
        used = (p > 0) | (q > 0)
        p, q = p[used], q[used]
        with np.errstate(divide="ignore"):
            order = np.argsort(-(p / q), kind="stable")
        alpha = np.concatenate([[0.0], np.cumsum(q[order])])
        beta = 1 - np.concatenate([[0.0], np.cumsum(p[order])])
        return TradeoffCurve.hull(np.minimum(alpha, 1), np.maximum(beta, 0))

    @property
    def total_variation(self) -> float:
        """Estimated total variation, ½ Σ_j |p̂_j − q̂_j|, without guarantee."""
        return 0.5 * float(np.abs(self.p - self.q).sum())

    def hockey_stick(self, epsilon: ArrayLike, direction: str = "P‖Q") -> Any:
        """Estimated hockey-stick divergence.

        Parameters
        ----------
        epsilon : array_like
        direction : {"P‖Q", "Q‖P"}

        Returns
        -------
        float or ndarray, the shape of ``epsilon``
        """
        return self.curve.hockey_stick(epsilon, direction)

    def cross_fitted(self, epsilon: float = 0.0, direction: str = "P‖Q") -> float:
        """Cross-fitted hockey-stick divergence; at ε = 0 the total variation.

        The bins with p̂ > e^ε q̂ are found on one half of the scores and measured on the other, on
        average over all halves. For bins that were fixed in advance its mean is at most the true
        divergence, where the plain estimate's is at least that of the bins.

        Parameters
        ----------
        epsilon : float
        direction : {"P‖Q", "Q‖P"}

        Returns
        -------
        float
            May be negative.

        Examples
        --------
        >>> h = wb.histogram(wb.GaussianPair(0).sample(1000, seed=0))
        >>> h.total_variation > h.cross_fitted()
        True
        """
        epsilon = _checks.number(epsilon, "epsilon")
        counts = self.p_counts, self.q_counts
        if _checks.one_of(direction, "direction", DIRECTIONS) != DIRECTIONS[0]:
            counts = counts[::-1]
        return cross_fitted_hockey_stick(*counts, epsilon)

    def profile(self, epsilon: ArrayLike) -> Any:
        """Estimated privacy profile: the larger hockey-stick divergence of the two directions."""
        return self.curve.profile(epsilon)

    def tradeoff(self, alpha: ArrayLike, symmetric: bool = True) -> Any:
        """Estimated trade-off function.

        Parameters
        ----------
        alpha : array_like
            False positive rates in [0, 1].
        symmetric : bool
            Whether it is symmetrized.

        Returns
        -------
        float or ndarray, the shape of ``alpha``
        """
        return self.curve.tradeoff(alpha, symmetric=symmetric)

    def epsilon(self, delta: float) -> float:
        """Estimated ε at δ; infinite where a bin is empty in one group only."""
        return float(self.curve.epsilon(_checks.delta(delta)))

    def to_frame(self) -> pd.DataFrame:
        """One row for each bin: its ends, both counts and both relative frequencies.

        The outer bins are open. A last row without ends has the scores that are NaN, if there are
        any.
        """
        import pandas as pd

        rest = [np.nan] * (self.p_counts.size - self.bins)
        return pd.DataFrame(
            {
                "left": np.append(self.edges[:-1], rest),
                "right": np.append(self.edges[1:], rest),
                "p_count": self.p_counts,
                "q_count": self.q_counts,
                "p": self.p,
                "q": self.q,
            }
        )

    def __repr__(self) -> str:
        return (
            f"Histogram({self.bins} bins on [{self.edges[0]:.4g}, {self.edges[-1]:.4g}], "
            f"rule={self.rule!r}, TV ≈ {self.total_variation:.4g} (estimate), {self.scores!r})"
        )

    def _repr_html_(self) -> str:
        chosen = f"{self.rule}, from these scores" if self.from_data else f"{self.rule} in advance"
        rows = [
            ("bins", self.bins),
            ("range", f"{self.edges[0]:.4g} to {self.edges[-1]:.4g}, outer bins open"),
            ("chosen", chosen),
            ("scores", f"{self.scores.n_p:,} + {self.scores.n_q:,}"),
            ("total variation", f"≈ {self.total_variation:.4g}"),
        ]
        return beside(table("Histogram", rows, "estimate · no guarantee"), self)


def histogram(
    scores: Scores,
    bins: int | None = None,
    width: float | None = None,
    range: tuple[float, float] | None = None,
    rule: Rule | None = None,
) -> Histogram:
    """Histogram of two samples over common bins.

    Parameters
    ----------
    scores : Scores
    bins : int, optional
        A fixed number of bins of one width; with ``rule="quantile"``, the number of
        equal-probability bins.
    width : float, optional
        A fixed bin width, in score units.
    range : pair of float, optional
        From the left edge of the first bin to the right edge of the last; both bins stay open.
        Default: the 0.1% and 99.9% quantiles of the pooled scores.
    rule : {"quantile", "scott", "fd", "plugin", "wand", "knuth"}, optional
        "quantile" (the default): bins of equal pooled probability, n^{1/3} of them unless ``bins``
        is given, n the smaller sample size. They do not depend on the unit of the score; the other
        rules do, and choose a width: "scott": Scott's rule. "fd": Freedman–Diaconis. "plugin":
        least mean squared error with kernel estimates. "wand": Wand's two-stage plug-in. "knuth":
        Knuth's posterior over the number of bins. See `workbench.estimators.bin_rules`.

    Returns
    -------
    Histogram

    Raises
    ------
    ValueError
        More than one way of choosing bins, an empty range, or more than 100,000 bins.

    Examples
    --------
    >>> h = wb.histogram(wb.Scores([1, 2, 3, 4], [0, 1, 1, 2]), bins=5, range=(0, 5))
    >>> h.total_variation
    0.5
    """
    require_scores(scores)
    given = [name for name, value in (("bins", bins), ("width", width)) if value is not None]
    if len(given) == 2 or (rule is not None and given and (rule, given) != ("quantile", ["bins"])):
        raise ValueError(
            "choose the bins in one way: bins=, width= or rule= "
            "(bins= goes with rule='quantile' only)"
        )
    low, high = _range(scores, range)
    chosen: str = "quantile" if rule is None and not given else _rule(rule)
    if chosen != "quantile" and math.isinf(high - low):
        raise ValueError(
            f"no float holds the distance from {low:g} to {high:g}; divide the scores by a constant"
        )
    from_data = range is None or chosen != "fixed"
    edges: NDArray[np.float64]
    if chosen == "quantile":
        k = quantile_bins(scores) if bins is None else _checks.count(bins, "bins", least=1)
        _check_bins(k)
        edges = quantile_edges(scores, k, None if range is None else (low, high))
    elif bins is not None:
        k = _checks.count(bins, "bins", least=1)
        _check_bins(k)
        edges = np.linspace(low, high, k + 1)
    else:
        h = bin_width(scores, chosen) if width is None else _checks.positive(width, "width")
        _check_bins((high - low) / h)
        # A last bin may reach beyond the range; round-off must not add an empty one.
        k = max(math.ceil((high - low) / h - 1e-9), 1)
        edges = low + h * np.arange(k + 1, dtype=np.float64)
    return _count(scores, edges, chosen, from_data)


def _rule(given: str | None) -> str:
    return "fixed" if given is None else _checks.one_of(given, "rule", RULES)


def _range(scores: Scores, given: tuple[float, float] | None) -> tuple[float, float]:
    if given is not None:
        try:
            low, high = given
        except (TypeError, ValueError):
            raise ValueError(f"range must be a pair (low, high), got {given!r}") from None
        low, high = _checks.number(low, "range[0]"), _checks.number(high, "range[1]")
        if low >= high:
            raise ValueError(f"range must go from low to high, got ({low:g}, {high:g})")
        return low, high
    return default_range(scores)


def _check_bins(k: float) -> None:
    if k > MOST_BINS:
        raise ValueError(f"{k:.6g} bins are too many (at most {MOST_BINS}): choose a wider bin")


def _count(scores: Scores, edges: NDArray[np.float64], rule: str, from_data: bool) -> Histogram:
    counts = []
    n_finite_or_inf = (
        scores.n_p - scores.samples.nan_counts[0],
        scores.n_q - scores.samples.nan_counts[1],
    )
    for below, n in zip(scores.samples.below_counts(edges[1:-1]), n_finite_or_inf, strict=True):
        counts.append(np.diff(np.concatenate([[0], below, [n]])))
    if any(scores.samples.nan_counts):
        counts = [
            np.append(c, nan) for c, nan in zip(counts, scores.samples.nan_counts, strict=True)
        ]
    return Histogram(scores, edges, counts[0], counts[1], rule, from_data)
